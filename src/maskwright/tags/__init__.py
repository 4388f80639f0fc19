"""Tags: free text around constrained parts, tool calls in the formats of model families, and what reads them back."""
