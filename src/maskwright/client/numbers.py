"""Numbers that APIs tell, where what is no number of its kind counts as not told; and numbers that they are told."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Final

__all__ = ["count_of", "real_of", "writable"]

#: Whole numbers up to here are exact in every reader of JSON (RFC 8259, section 6); no count is higher.
_MOST: Final = (1 << 53) - 1


def real_of(told: object) -> float | None:
    """A number as a float, infinite ones too; ``None`` for what is none, for NaN, and for what no float can hold."""
    if isinstance(told, bool) or not isinstance(told, (int, float)):
        return None
    try:
        value = float(told)
    except OverflowError:
        return None
    return None if math.isnan(value) else value


def count_of(told: object) -> int | None:
    """A whole number from 0 to 2**53 - 1, also where it is written as ``12.0``; ``None`` for anything else."""
    value = real_of(told)
    if value is None or not 0 <= value <= _MOST or value != int(value):
        return None
    return int(value)


def writable(value: Any) -> Any:
    """A JSON value with floats in place of its ``Decimal``: schemas of Python types have some, and ``json`` none.

    A float is written with the shortest digits that give it back, so up to 15 of a ``Decimal`` stay as they are. What
    cannot be written all the same is given back as it is.
    """
    try:
        return json.loads(json.dumps(value, default=_number))
    except (TypeError, ValueError, RecursionError):
        return value


def _number(value: object) -> int | float:
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"{type(value).__name__} is no JSON")
