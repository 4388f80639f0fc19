"""The keywords that count or compare the elements of an array."""
# ruff: noqa: N802

from __future__ import annotations

from typing import Any

from maskwright.schema.leaves import Unique, counted
from maskwright.schema.reading import Reading

__all__ = ["contains", "uniqueItems"]


def contains(value: Any, reading: Reading) -> None:
    """Some elements meet a schema: at least ``minContains`` (1 without), at most ``maxContains`` of them."""
    least = int(reading.schema["minContains"]) if reading.knows("minContains") else 1
    most = int(reading.schema["maxContains"]) if reading.knows("maxContains") else None
    reading.restrict(array=counted(reading.stores.formulas, reading.child(value, "contains"), least, most))


def uniqueItems(value: Any, reading: Reading) -> None:
    """No two elements are equal."""
    if value:
        reading.restrict(array=reading.stores.formulas.leaf(Unique, ()))
