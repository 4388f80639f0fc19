"""Readers of tokenizer formats: each turns a file or an object of some library into a vocabulary.

One module per format, one entry per reader in ``maskwright.vocabulary``. The readers take files apart themselves and
ask objects for their content; none imports a tokenizer library, so every vocabulary loads with the core alone.
"""
