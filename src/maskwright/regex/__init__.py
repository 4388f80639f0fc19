"""Regular expressions: text to pattern tree to term, exact over code points, in three dialects."""
