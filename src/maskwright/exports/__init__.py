"""Constraints written in notations of other programs."""
