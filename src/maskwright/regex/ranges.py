"""Sets of code points as sorted, disjoint, inclusive ranges; surrogates never belong to one.

UTF-8 cannot carry surrogates, so no text contains them: every set is relative to the 1,112,064 scalar values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = [
    "ALL",
    "NONE",
    "Ranges",
    "contains",
    "difference",
    "intersection",
    "inversion",
    "is_surrogate",
    "normal",
    "union",
]

Ranges = tuple[tuple[int, int], ...]

#: Every code point that a text can hold.
ALL: Final[Ranges] = ((0, 0xD7FF), (0xE000, 0x10FFFF))
NONE: Final[Ranges] = ()


_FIRST_SURROGATE: Final = 0xD800
_LAST_SURROGATE: Final = 0xDFFF


def is_surrogate(point: int) -> bool:
    """Whether the code point is half of a UTF-16 pair, which no text holds."""
    return _FIRST_SURROGATE <= point <= _LAST_SURROGATE


def normal(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The canonical form of ranges in any order, overlapping or not; drops surrogates."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            if last > merged[-1][1]:
                merged[-1] = (merged[-1][0], last)
        elif first <= last:
            merged.append((first, last))
    if any(first <= _LAST_SURROGATE and last >= _FIRST_SURROGATE for first, last in merged):
        return intersection(tuple(merged), ALL)
    return tuple(merged)


def union(*sets: Ranges) -> Ranges:
    """Code points of any set."""
    return normal(pair for ranges in sets for pair in ranges)


def inversion(ranges: Ranges) -> Ranges:
    """Code points outside the set."""
    return difference(ALL, ranges)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """Code points of both sets, in linear time."""
    result: list[tuple[int, int]] = []
    i = j = 0
    while i < len(one) and j < len(other):
        first, last = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if first <= last:
            result.append((first, last))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def difference(one: Ranges, other: Ranges) -> Ranges:
    """Code points of the first set that are not in the second."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for first, last in other:
        if start < first:
            gaps.append((start, first - 1))
        start = last + 1
    gaps.append((start, 0x10FFFF))
    return intersection(one, tuple(gaps))


def contains(ranges: Ranges, point: int) -> bool:
    """Whether one code point is in the set."""
    return any(first <= point <= last for first, last in ranges)
