"""Validation of JSON text as it streams in: the first wrong byte, where it stands, and why.

>>> from maskwright.validation import Validator
>>> stream = Validator({"type": "array", "items": {"type": "integer", "maximum": 9}}).stream()
>>> stream.feed(b"[1, 2")
>>> refusal = stream.feed(b"0]")
>>> refusal.offset, refusal.pointer, refusal.places
(6, '/1', ('#/items/maximum',))
"""

from maskwright.validation.refusal import Refusal
from maskwright.validation.validator import Stream, Validator

__all__ = ["Refusal", "Stream", "Validator"]
