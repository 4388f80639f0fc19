r"""Sets in brackets: ``[a-z\d]``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from maskwright.errors import PatternError
from maskwright.regex.classes import ASCII, POSIX, fold
from maskwright.regex.dialects import Dialect, dialect_named
from maskwright.regex.escapes import read_escape
from maskwright.regex.faults import pattern_fault
from maskwright.regex.ranges import Ranges, intersection, inversion, normal

__all__ = ["ASCII_ONLY", "IGNORE_CASE", "bracket_end", "fold_case", "read_brackets"]

#: Bits of the flags in force.
IGNORE_CASE: Final = 1
ASCII_ONLY: Final = 2

_ENDS: Final = {
    # bracket_first, posix -> what a set looks like from its opening to its closing bracket
    (False, False): re.compile(r"\[(?:[^\]\\]|\\.)*+\]", re.DOTALL),
    (True, False): re.compile(r"\[\^?+\]?+(?:[^\]\\]|\\.)*+\]", re.DOTALL),
    (True, True): re.compile(r"\[\^?+\]?+(?:\[:\^?+[a-z]++:\]|[^\]\\]|\\.)*+\]", re.DOTALL),
}
_POSIX: Final = re.compile(r"\[:(\^?)([a-z]+):\]")


def bracket_end(text: str, start: int, dialect: Dialect) -> int:
    """The place after the set that opens at ``start``; :class:`PatternError` if it is not closed."""
    found = _ENDS[dialect.bracket_first, dialect.posix].match(text, start)
    if found is None:
        raise pattern_fault(text, (start, start + 1), "this bracket is not closed", r"write \[ for a bracket")
    return found.end()


def fold_case(ranges: Ranges, dialect: Dialect, flags: int) -> Ranges:
    """The set under the flags: closed under case folding if ``i`` is on."""
    if not flags & IGNORE_CASE:
        return ranges
    if flags & ASCII_ONLY:
        return normal((*ranges, *intersection(fold(intersection(ranges, ASCII), python=False), ASCII)))
    return fold(ranges, python=dialect.python_folding)


def read_brackets(text: str, start: int, end: int, dialect: Dialect, flags: int) -> Ranges:
    """The set that ``text[start:end]``, ``[...]``, means under the flags; cached by its text."""
    try:
        return _cached(text[start:end], dialect.name, flags)
    except PatternError:
        # Errors are not cached: reading again in the whole pattern raises the same one with its true place.
        return _read(text, start, end, dialect, flags)


@lru_cache(maxsize=4096)
def _cached(piece: str, name: str, flags: int) -> Ranges:
    return _read(piece, 0, len(piece), dialect_named(name), flags)


def _read(text: str, start: int, end: int, dialect: Dialect, flags: int) -> Ranges:
    at, end = start + 1, end - 1
    negative = text.startswith("^", at)
    at += negative
    first = at
    found: list[tuple[int, int]] = []
    while at < end:
        if dialect.posix:
            _refuse_set_operations(text, at, first)
        low, after = _item(text, at, dialect, flags)
        if text.startswith("-", after) and after + 1 < end:
            high, stop = _item(text, after + 1, dialect, flags)
            found.extend(_range(text, (at, stop), low, high, dialect))
            at = stop
        else:
            found.extend(_set(low))
            at = after
    ranges = fold_case(normal(found), dialect, flags)
    return inversion(ranges) if negative else ranges


def _set(item: int | Ranges) -> Ranges:
    return ((item, item),) if isinstance(item, int) else item


def _range(text: str, span: tuple[int, int], low: int | Ranges, high: int | Ranges, dialect: Dialect) -> Ranges:
    """``low-high``; beside a set the dash stands for itself (Annex B) or is refused."""
    if isinstance(low, int) and isinstance(high, int):
        if low > high:
            raise pattern_fault(text, span, "a range that ends before it begins", "swap its ends")
        return ((low, high),)
    if not dialect.loose_dash:
        raise pattern_fault(text, span, "a range needs one character at each end", r"write \- for a dash")
    return (*_set(low), (0x2D, 0x2D), *_set(high))


def _item(text: str, at: int, dialect: Dialect, flags: int) -> tuple[int | Ranges, int]:
    """One character or set inside brackets, and the place after it."""
    char = text[at]
    if char == "\\":
        meaning, after = read_escape(text, at, dialect, brackets=True, ascii_only=bool(flags & ASCII_ONLY))
        if isinstance(meaning, str):
            raise pattern_fault(text, (at, after), "an anchor has no meaning in brackets")
        return meaning, after
    if char == "[" and dialect.posix:
        found = _POSIX.match(text, at)
        if found is None or found[2] not in POSIX:
            raise pattern_fault(text, (at, at + 1), "sets within sets are not supported", r"write \[ for a bracket")
        ranges = POSIX[found[2]]
        return (inversion(ranges) if found[1] else ranges), found.end()
    return ord(char), at + 1


def _refuse_set_operations(text: str, at: int, first: int) -> None:
    if text[at : at + 2] in {"&&", "--", "~~"} and at > first:
        raise pattern_fault(text, (at, at + 2), "set operations are not supported", "write the resulting set")
