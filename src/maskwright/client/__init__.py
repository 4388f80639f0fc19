"""Constraints guaranteed over somebody else's API."""
