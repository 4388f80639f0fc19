"""JSON Schema: one boolean algebra of shapes, run member by member through residuals."""
