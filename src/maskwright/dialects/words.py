"""Dropped keywords as words, for the model to read in ``description`` since nothing enforces them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maskwright.dialects.texts import json_text

__all__ = ["in_words"]

#: Longest value that is quoted.
_LONGEST: Final = 200

_WORDS: Final[dict[str, Callable[[Any], str]]] = {
    "contains": lambda value: f"Some item must match {json_text(value)}.",
    "dependentRequired": lambda value: f"Keys that require others: {json_text(value)}.",
    "exclusiveMaximum": lambda value: f"Less than {value}.",
    "exclusiveMinimum": lambda value: f"More than {value}.",
    "format": lambda value: f"Format: {value}.",
    "maximum": lambda value: f"At most {value}.",
    "maxItems": lambda value: f"At most {value} items.",
    "maxLength": lambda value: f"At most {value} characters.",
    "maxProperties": lambda value: f"At most {value} keys.",
    "minimum": lambda value: f"At least {value}.",
    "minItems": lambda value: f"At least {value} items.",
    "minLength": lambda value: f"At least {value} characters.",
    "minProperties": lambda value: f"At least {value} keys.",
    "multipleOf": lambda value: f"A multiple of {value}.",
    "not": lambda value: f"Must not match {json_text(value)}.",
    "pattern": lambda value: f"Must match the regular expression {value}",
    "uniqueItems": lambda _value: "All items are different.",
}


def in_words(keyword: str, value: object) -> str:
    """A sentence that says what a keyword demanded; long values are named, not quoted."""
    draw = _WORDS.get(keyword)
    text = draw(value) if draw else f"{keyword}: {json_text(value)}."
    return text if len(text) <= _LONGEST else f"There is a further condition, {keyword}."
