"""Maskwright: token masks that make a language model write exactly what a constraint allows."""
