r"""Escapes and classes of regular expressions: what may follow within one, by ECMA-262 section 22.2.1 with the u flag.

The *place* of an escape says what it must be: :data:`OUTSIDE` of brackets anything, at the lower end of a range in
brackets (:data:`LOW`) anything too, at the upper end a character that is not below the lower end, which is the place.
A *lead* is a ``\uD83D`` that was just read, and what the pair that it may begin must not be below.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise
from typing import Final, cast

from maskwright.regex.properties import property_names
from maskwright.schema.regex_states import Ground, Moves, State, spread

__all__ = [
    "LOW",
    "OUTSIDE",
    "begin",
    "braces",
    "control",
    "dash",
    "escape",
    "hexadecimal",
    "inside",
    "named",
    "unicode",
]

OUTSIDE: Final = -2
LOW: Final = -1
#: What stands before a dash: nothing that could begin a range, or a set.
NOTHING: Final = -1
SET: Final = -2

_Lead = tuple[int, int]
_NO_LEAD: Final = (0, 0)
_SYNTAX: Final = "^$\\.*+?()[]{}|/"
_LETTERS: Final = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_HEX: Final = {**{c: int(c, 16) for c in "0123456789abcdef"}, **{c: int(c, 16) for c in "ABCDEF"}}
#: Where ranges begin that people write. Only after these characters the lower end of a range is remembered exactly;
#: after another literal the upper end must not be below the next of these.
_BEGINNINGS: Final = (
    0, 1, 9, 0xA, 0xB, 0xC, 0xE, 0xF, 0x10, *range(0x20, 0x80),
    0x80, 0xA0, 0xA1, 0xC0, 0xC1, 0xD6, 0xD8, 0xDF, 0xE0, 0xE1, 0xF6, 0xF8, 0xFF, 0x100, 0x180, 0x250, 0x2B0, 0x300,
    0x370, 0x386, 0x391, 0x3AC, 0x3B1, 0x400, 0x401, 0x410, 0x42F, 0x430, 0x44F, 0x450, 0x451, 0x531, 0x561, 0x5D0,
    0x621, 0x660, 0x6F0, 0x905, 0x966, 0xE01, 0x10D0, 0x1100, 0x1E00, 0x1F00, 0x2000, 0x200B, 0x2010, 0x2018, 0x2028,
    0x2080, 0x20AC, 0x2102, 0x2190, 0x2200, 0x2460, 0x2500, 0x2600, 0x2700, 0x3000, 0x3001, 0x3041, 0x30A1, 0x3105,
    0x3131, 0x3400, 0x4E00, 0xA000, 0xAC00, 0xE000, 0xF900, 0xFB00, 0xFE00, 0xFF00, 0xFF01, 0xFF10, 0xFF21, 0xFF41,
    0xFF66, 0x10000, 0x1F300, 0x1F600, 0x20000, 0x110000,
)  # fmt: skip


def finished(place: int, value: int, ground: Ground) -> State | None:
    """A character was read; ``None`` if it cannot stand there."""
    if place == OUTSIDE:
        return ("atom", None, ground)
    if place == LOW:
        return ("class", (value, _NO_LEAD, False), ground)
    return _fresh(ground) if value >= place else None


def _fresh(ground: Ground) -> State:
    return ("class", (NOTHING, _NO_LEAD, False), ground)


def _set(place: int, ground: Ground) -> State | None:
    """A set was read, which is no end of a range."""
    if place == OUTSIDE:
        return ("atom", None, ground)
    return ("class", (SET, _NO_LEAD, False), ground) if place == LOW else None


def _paired(lead: _Lead, trail: int) -> int:
    return 0x10000 + ((lead[0] - 0xD800) << 10) + trail - 0xDC00


def _is_forced(lead: _Lead) -> bool:
    """Whether the lead alone is below the lower end of its range, so that it must be paired."""
    return lead[1] > lead[0]


def _reaches(first: int, last: int, place: int, lead: _Lead, *, pairs: bool) -> bool:
    """Whether a number from first to last can stand there, maybe as half of a pair."""
    if _is_forced(lead):
        trail = min(last, 0xDFFF)
        return trail >= max(first, 0xDC00) and _paired(lead, trail) >= lead[1]
    if place < 0 or last >= place:
        return True
    begun = min(last, 0xDBFF)
    return pairs and begun >= max(first, 0xD800) and _paired((begun, 0), 0xDFFF) >= place


def hexadecimal(detail: tuple[int, int, int, _Lead, bool], ground: Ground) -> Moves:
    r"""Digits of ``\xHH`` and ``\uHHHH``: place, value so far, digits left, lead, whether halves may pair."""
    place, value, left, lead, pairs = detail
    special: dict[str, State | None] = {}
    for digit, number in _HEX.items():
        after, shift = value * 16 + number, 4 * (left - 1)
        if not _reaches(after << shift, ((after + 1) << shift) - 1, place, lead, pairs=pairs):
            continue
        if left > 1:
            special[digit] = ("hex", (place, 0 if place == OUTSIDE else after, left - 1, lead, pairs), ground)
        else:
            special[digit] = _unit(place, after, lead, ground) if pairs else finished(place, after, ground)
    return spread(special, None)


def _unit(place: int, value: int, lead: _Lead, ground: Ground) -> State | None:
    r"""A whole ``\uHHHH`` was read."""
    if place == OUTSIDE:
        return ("atom", None, ground)
    if lead != _NO_LEAD and 0xDC00 <= value <= 0xDFFF:
        return finished(LOW, _paired(lead, value), ground) if lead[1] < 0 else _fresh(ground)
    if 0xD800 <= value <= 0xDBFF:
        return ("class", (value if place == LOW else NOTHING, (value, place), False), ground)
    return finished(place, value, ground)


def unicode(detail: tuple[int, _Lead], ground: Ground) -> Moves:
    r"""After ``\u``."""
    place, lead = detail
    moves = hexadecimal((place, 0, 4, lead, True), ground)
    return moves if _is_forced(lead) else [*moves, (0x7B, 0x7B, ("brace", (place, -1), ground))]


def braces(detail: tuple[int, int], ground: Ground) -> Moves:
    r"""Within ``\u{..}``: place, value so far (-1: no digit yet)."""
    place, value = detail
    special: dict[str, State | None] = {}
    for digit, number in _HEX.items():
        after = max(value, 0) * 16 + number
        spans = ((after << shift, ((after + 1) << shift) - 1) for shift in range(0, 24, 4))
        if any(first <= 0x10FFFF and min(last, 0x10FFFF) >= place for first, last in spans):
            special[digit] = ("brace", (place, _coarse(after) if place == OUTSIDE else after), ground)
    if value >= 0:
        special["}"] = finished(place, value, ground)
    return spread(special, None)


def _coarse(value: int) -> int:
    """The least number that as many digits may follow within the bound of code points; 0 and 1 are as they are."""
    digits = (value.bit_length() + 3) // 4
    least = value >> 4 * max(digits - 2, 0) == 0x10
    return value if value < 2 else 2 << 4 * (digits - 1 - least)


def control(place: int, ground: Ground) -> Moves:
    r"""After ``\c``: a letter."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return spread({letter: finished(place, ord(letter) & 0x1F, ground) for letter in letters}, None)


def named(detail: tuple[int, int, int, int], ground: Ground) -> Moves:
    r"""Within ``\p{..}``: place, the run of names that agree so far, and how far."""
    place, low, high, depth = detail
    names = property_names()
    special: dict[str, State | None] = {}
    if depth < 0:
        return spread({"{": ("property", (place, low, high, 0), ground)}, None)
    if len(names[low]) == depth:
        special["}"] = _set(place, ground)
        low += 1
    while low < high:
        char = names[low][depth]
        stop = bisect_left(names, names[low][:depth] + chr(ord(char) + 1), low, high)
        special[char] = ("property", (place, low, stop, depth + 1), ground)
        low = stop
    return spread(special, None)


def values(place: int, lead: _Lead, ground: Ground) -> dict[str, State | None]:
    """What stands behind a backslash inside and outside of brackets alike."""
    special: dict[str, State | None] = {"u": ("unicode", (place, lead), ground)}
    if _is_forced(lead):
        return special
    special.update({letter: finished(place, point, ground) for letter, point in _LETTERS.items()})
    special.update({char: finished(place, ord(char), ground) for char in _SYNTAX})
    special.update(dict.fromkeys("dDsSwW", _set(place, ground)))
    if place < 0:
        special.update(dict.fromkeys("pP", ("property", (place, 0, len(property_names()), -1), ground)))
    if place <= 26:
        special["c"] = ("control", place, ground)
    if place <= 0xFF:
        special["x"] = ("hex", (place, 0, 2, _NO_LEAD, False), ground)
    return special


def escape(detail: tuple[int, _Lead], ground: Ground) -> Moves:
    """After a backslash in brackets: place and lead."""
    place, lead = detail
    special = values(place, lead, ground)
    if not _is_forced(lead):
        special["b"] = finished(place, 0x08, ground)
        special["-"] = finished(place, 0x2D, ground)
        if place <= 0:
            special["0"] = ("class", (0 if place == LOW else NOTHING, _NO_LEAD, True), ground)
    return spread(special, None)


def begin(_: None, ground: Ground) -> Moves:
    """After an opening bracket."""
    special = {"^": _fresh(ground)}
    rest = inside((NOTHING, _NO_LEAD, False), ground)
    return [(first, last, special.get(chr(first), then)) for first, last, then in rest]


def inside(detail: tuple[int, _Lead, bool], ground: Ground) -> Moves:
    r"""In brackets: what stands before a dash, lead, whether ``\0`` was just read, which no digit may follow."""
    before, lead, after_null = detail
    backslash = ("class escape", (LOW, lead), ground)
    if _is_forced(lead):
        return spread({"\\": backslash}, None)
    special: dict[str, State] = {"\\": backslash, "]": ("atom", None, ground)}
    special["-"] = ("dash", before, ground) if before != NOTHING else cast("State", finished(LOW, 0x2D, ground))
    moves = [(first, last, special.get(chr(first), then)) for first, last, then in _literals(ground)]
    return [move for move in moves if not 0x30 <= move[0] <= 0x39] if after_null else moves


@lru_cache(maxsize=64)
def _literals(ground: Ground) -> Moves:
    """Every character as the lower end of a range."""
    ranges: list[tuple[int, int, int]] = []
    for first, after in pairwise(_BEGINNINGS):
        ranges.append((first, first, first))
        if first + 1 < after:
            ranges.append((first + 1, after - 1, after - 1))
    moves: Moves = []
    for first, last, low in ranges:
        state = cast("State", finished(LOW, low, ground))
        if first <= 0xD7FF <= last:
            moves.append((first, 0xD7FF, state))
        else:
            moves.append((first, last, state))
    return moves


def dash(before: int, ground: Ground) -> Moves:
    """After a dash in brackets that something stands before."""
    close: State = ("atom", None, ground)
    if before == SET:
        return spread({"]": close}, None)
    backslash: State = ("class escape", (before, _NO_LEAD), ground)
    return spread({"]": close, "\\": backslash}, _fresh(ground), before)
