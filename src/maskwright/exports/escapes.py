r"""One character of a JSON string in all its spellings: itself, ``\n``, ``\u000a``, a pair of surrogates.

RFC 8259 section 7.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maskwright.exports.expressions import Expression, alternatives, character, literal, repetition, sequence

__all__ = ["MINIMAL", "SPELLINGS", "TEXT", "spell"]

#: How characters are spelled: as they are, or in a JSON string with the escapes it demands, or with all there are.
TEXT: Final = "text"
MINIMAL: Final = "minimal"
SPELLINGS: Final = "all"

Ranges = Iterable[tuple[int, int]]

#: The letter of an escape, by the character that it stands for.
_LETTERS: Final = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x2F: "/", 0x5C: "\\"}
_UNESCAPED: Final = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x10FFFF))
#: Controls without a letter: ``\u00`` and two digits even under minimal escapes.
_BARE: Final = ((0x00, 0x07), (0x0B, 0x0B), (0x0E, 0x1F))
_UNITS: Final = ((0x0000, 0xD7FF), (0xE000, 0xFFFF))
_BITS: Final = 10
_ANY_DIGIT: Final = character([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)])


def spell(ranges: tuple[tuple[int, int], ...], how: str) -> Expression:
    """One character of a class of code points in all its spellings."""
    if how == TEXT:
        return character(ranges)
    is_minimal = how == MINIMAL
    letters = [
        letter for point, letter in _LETTERS.items() if _holds(ranges, point) and not (is_minimal and point == 0x2F)
    ]
    escaped = sequence([literal("\\"), alternatives(literal(letter) for letter in letters)])
    units = clip(ranges, _BARE if is_minimal else _UNITS)
    numbered = sequence([literal("\\u"), hexadecimal(units, 4)])
    pairs = [] if is_minimal else _pairs(ranges)
    return alternatives([character(clip(ranges, _UNESCAPED)), escaped, numbered, *pairs])


def _holds(ranges: Ranges, point: int) -> bool:
    return any(low <= point <= high for low, high in ranges)


def clip(ranges: Ranges, windows: Ranges) -> list[tuple[int, int]]:
    """The parts of ascending ranges inside ascending windows."""
    given = list(ranges)
    return [
        (max(low, first), min(high, last))
        for first, last in windows
        for low, high in given
        if low <= last and high >= first
    ]


def _pairs(ranges: Ranges) -> list[Expression]:
    r"""``\ud83d\ude00``: by runs of high surrogates with the same low ones."""
    found: list[Expression] = []
    for first, last, below in _split([(low - 0x10000, high - 0x10000) for low, high in clip(ranges, _BEYOND)], _BITS):
        high = hexadecimal([(0xD800 + first, 0xD800 + last)], 4)
        low = hexadecimal([(0xDC00 + one, 0xDC00 + other) for one, other in below], 4)
        found.append(sequence([literal("\\u"), high, literal("\\u"), low]))
    return found


_BEYOND: Final = ((0x10000, 0x10FFFF),)


def hexadecimal(ranges: Ranges, digits: int) -> Expression:
    """Numbers of ascending ranges in hexadecimal with this many digits (at most 5), letters of either case."""
    given = list(ranges)
    if given == [(0, 16**digits - 1)]:
        return repetition(_ANY_DIGIT, digits, digits)
    if digits == 1:
        return _digit(given)
    return alternatives(
        sequence([_digit([(first, last)]), hexadecimal(below, digits - 1)])
        for first, last, below in _split(given, 4 * (digits - 1))
    )


def _digit(ranges: Ranges) -> Expression:
    values = [value for low, high in ranges for value in range(low, high + 1)]
    points = [ord(digit) for value in values for digit in {f"{value:x}", f"{value:X}"}]
    return alternatives(character([(point, point)]) for point in sorted(points))


def _split(ranges: Ranges, shift: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Runs ``(first, last, ranges of the low bits)`` of leading values that go on alike."""
    below: dict[int, list[tuple[int, int]]] = {}
    top = (1 << shift) - 1
    for low, high in ranges:
        for lead in range(low >> shift, (high >> shift) + 1):
            start = low & top if lead == low >> shift else 0
            below.setdefault(lead, []).append((start, high & top if lead == high >> shift else top))
    runs: list[tuple[int, int, list[tuple[int, int]]]] = []
    for lead in sorted(below):
        if runs and runs[-1][1] == lead - 1 and runs[-1][2] == below[lead]:
            runs[-1] = (runs[-1][0], lead, below[lead])
        else:
            runs.append((lead, lead, below[lead]))
    return runs
