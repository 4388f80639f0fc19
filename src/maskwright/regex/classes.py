r"""Named sets of code points: ``\d`` ``\w`` ``\s``, POSIX classes, and case folding.

What a dialect leaves to Unicode comes from :mod:`maskwright.regex.properties`, but for Python's own shorthands, which
depend on the running Python as ``re`` does: built at first use by one pass over the code points, tens of milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import chain, groupby
from typing import Final

from maskwright.regex.properties import category, property_ranges
from maskwright.regex.ranges import NONE, Ranges, difference, normal, union

__all__ = ["ASCII", "DIGITS", "ECMA_SPACES", "POSIX", "WORDS", "fold", "unicode_class"]

ASCII: Final[Ranges] = ((0, 0x7F),)
DIGITS: Final[Ranges] = ((0x30, 0x39),)
WORDS: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
ASCII_SPACES: Final[Ranges] = ((0x09, 0x0D), (0x20, 0x20))
#: ECMA-262 section 12.2 WhiteSpace and 12.3 LineTerminator: Zs, tab, VT, FF, LF, CR, LS, PS and U+FEFF.
ECMA_SPACES: Final[Ranges] = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
#: Unicode's White_Space (PropList.txt).
WHITE_SPACE: Final[Ranges] = union(difference(ECMA_SPACES, ((0xFEFF, 0xFEFF),)), ((0x85, 0x85),))

#: The classes of POSIX brackets, ASCII only as in Rust's regex.
POSIX: Final[dict[str, Ranges]] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ASCII,
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ASCII_SPACES,
    "upper": ((0x41, 0x5A),),
    "word": WORDS,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}


def _where(test: Callable[[str], bool]) -> Ranges:
    """The code points whose character passes a test that no unassigned or private one passes.

    Planes 4 to 13 are unassigned and 15 to 16 private in every version of Unicode; not looking at them is three times
    faster than the full pass (40 against 120 ms).
    """
    found: list[tuple[int, int]] = []
    for first, last in ((0, 0x3FFFF), (0xE0000, 0xEFFFF)):
        start = first
        for good, run in groupby(map(test, map(chr, range(first, last + 1)))):
            after = start + sum(1 for _ in run)
            if good:
                found.append((start, after - 1))
            start = after
    return normal(found)


@cache
def unicode_class(name: str) -> Ranges:
    """A shorthand with Unicode meaning: ``digit``, ``space``, ``word`` (UTS 18), or those with ``python`` before."""
    if name == "digit":
        return category("Nd")
    if name == "python digit":
        return _where(str.isdecimal)
    if name == "space":
        return WHITE_SPACE
    if name == "python space":
        return _where(str.isspace)
    if name == "python word":
        return union(_where(str.isalnum), ((0x5F, 0x5F),))
    alphabetic = property_ranges("Alphabetic", loose=False) or NONE
    return union(alphabetic, *map(category, ("M", "Nd", "Pc")), ((0x200C, 0x200D),))


def _simple_folding(char: str) -> str:
    """CaseFolding.txt, status C and S, one character to one."""
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    lower = char.lower()
    return lower if len(lower) == 1 else char


def _python_folding(char: str) -> str:
    """What Python's ``re`` compares: the lower case, one character."""
    return char.lower()[0]


@cache
def _orbits(*, python: bool) -> dict[int, tuple[int, ...]]:
    """Code point to all code points that are equal to it but for case; those that stand alone are left out.

    Python also holds characters equal that share their upper case (U+0131 and ``i``, U+017F and ``s``).
    """
    folding = _python_folding if python else _simple_folding
    groups: dict[str, set[int]] = {}
    for point in chain(range(0xD800), range(0xE000, 0x1F000)):
        char = chr(point)
        folded = folding(char)
        upper = char.upper()
        if folded == char == upper:
            continue
        key = folding(upper) if python and len(upper) == 1 else upper if python and folded == char else folded
        groups.setdefault(key, set()).update((point, ord(folded)))
        if len(key) == 1:
            groups[key].add(ord(key))
    return {point: tuple(sorted(group)) for group in groups.values() if len(group) > 1 for point in group}


@lru_cache(maxsize=1024)
def fold(ranges: Ranges, *, python: bool) -> Ranges:
    """The set closed under simple case folding."""
    orbits = _orbits(python=python)
    if sum(last - first for first, last in ranges) < len(orbits):
        inside = (point for first, last in ranges for point in range(first, last + 1) if point in orbits)
    else:
        inside = (point for point in orbits if any(first <= point <= last for first, last in ranges))
    extra = {equal for point in inside for equal in orbits[point]}
    return normal(chain(ranges, ((point, point) for point in extra)))
