"""Many rows through one constraint: resumable, with failures kept."""
