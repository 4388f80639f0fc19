"""Context-free grammars: notations (Lark, GBNF, EBNF) to rules, and rules to a lazy network."""
