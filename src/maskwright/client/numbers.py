"""Numbers that APIs tell: anything may come, and what is no number of its kind counts as not told."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["count_of", "real_of"]

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
