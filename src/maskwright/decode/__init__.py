"""Decoders: what turns the scores of a model into tokens under a mask, one engine per file."""
