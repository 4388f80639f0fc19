r"""Named sets of code points: ``\d`` ``\w`` ``\s``, ``\p{..}``, POSIX classes, and case folding.

General categories come from :mod:`unicodedata` (the Unicode version of the running Python). Scripts and most binary
properties are not in it; they are unknown here and refused by the caller. Tables are built at first use: one pass over
the code points, tens of milliseconds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain, groupby
from typing import Final, TypeVar

from maskwright.regex.ranges import ALL, Ranges, difference, normal, union

__all__ = ["ASCII", "DIGITS", "ECMA_SPACES", "POSIX", "WORDS", "fold", "property_ranges", "unicode_class"]

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
#: Alphabetic beyond L, Nl and M (Other_Alphabetic of PropList.txt that is in So): circled and squared letters.
ALPHABETIC_SYMBOLS: Final[Ranges] = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))

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

#: PropertyValueAliases.txt, General_Category: long name and short name.
_CATEGORY_NAMES: Final = """
    Letter:L Cased_Letter:LC Uppercase_Letter:Lu Lowercase_Letter:Ll Titlecase_Letter:Lt Modifier_Letter:Lm
    Other_Letter:Lo Mark:M Combining_Mark:M Nonspacing_Mark:Mn Spacing_Mark:Mc Enclosing_Mark:Me Number:N
    Decimal_Number:Nd digit:Nd Letter_Number:Nl Other_Number:No Punctuation:P punct:P Connector_Punctuation:Pc
    Dash_Punctuation:Pd Open_Punctuation:Ps Close_Punctuation:Pe Initial_Punctuation:Pi Final_Punctuation:Pf
    Other_Punctuation:Po Symbol:S Math_Symbol:Sm Currency_Symbol:Sc Modifier_Symbol:Sk Other_Symbol:So
    Separator:Z Space_Separator:Zs Line_Separator:Zl Paragraph_Separator:Zp Other:C Control:Cc cntrl:Cc Format:Cf
    Surrogate:Cs Private_Use:Co Unassigned:Cn
"""
_CATEGORIES: Final[dict[str, str]] = dict(name.split(":") for name in _CATEGORY_NAMES.split())
_SHORT: Final = frozenset(_CATEGORIES.values())


_Value = TypeVar("_Value")

#: Planes 4 to 13 are unassigned and 15 to 16 private in every version of Unicode; not looking at them is three times
#: faster than the full pass (40 against 120 ms).
_LOOKED_AT: Final = ((0, 0x3FFFF), (0xE0000, 0xEFFFF))
_NOT_LOOKED_AT: Final[dict[str, Ranges]] = {
    "Cn": ((0x40000, 0xDFFFF), (0xFFFFE, 0xFFFFF), (0x10FFFE, 0x10FFFF)),
    "Co": ((0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)),
}


def _spans(value: Callable[[str], _Value]) -> Iterator[tuple[_Value, tuple[int, int]]]:
    """Maximal runs of code points of the planes looked at whose character has one value."""
    for first, last in _LOOKED_AT:
        start = first
        for found, run in groupby(map(value, map(chr, range(first, last + 1)))):
            after = start + sum(1 for _ in run)
            yield found, (start, after - 1)
            start = after


@cache
def _general_categories() -> dict[str, Ranges]:
    """Two-letter category to ranges, in one pass over all code points."""
    found: dict[str, list[tuple[int, int]]] = {name: list(ranges) for name, ranges in _NOT_LOOKED_AT.items()}
    for name, span in _spans(unicodedata.category):
        found.setdefault(name, []).append(span)
    return {name: normal(ranges) for name, ranges in found.items()}


@cache
def _category(short: str) -> Ranges:
    table = _general_categories()
    if short == "LC":
        return union(table["Lu"], table["Ll"], table["Lt"])
    return normal(chain.from_iterable(ranges for name, ranges in table.items() if name.startswith(short)))


def _where(test: Callable[[str], bool]) -> Ranges:
    """The code points whose character passes a test that no unassigned or private one passes."""
    return normal(span for good, span in _spans(test) if good)


@cache
def unicode_class(name: str) -> Ranges:
    """A shorthand with Unicode meaning: ``digit``, ``space``, ``word`` (UTS 18), ``python space``, ``python word``."""
    if name == "digit":
        return _category("Nd")
    if name == "space":
        return WHITE_SPACE
    if name == "python space":
        return _where(str.isspace)
    if name == "python word":
        return union(_where(str.isalnum), ((0x5F, 0x5F),))
    parts = map(_category, ("L", "Nl", "M", "Nd", "Pc"))
    return union(*parts, ALPHABETIC_SYMBOLS, ((0x200C, 0x200D),))


#: Binary properties that can be had exactly (str.isupper and str.islower are the derived properties themselves).
_BINARY: Final[dict[str, Callable[[], Ranges]]] = {
    "Any": lambda: ALL,
    "ASCII": lambda: ASCII,
    "Assigned": lambda: difference(ALL, _category("Cn")),
    "ASCII_Hex_Digit": lambda: POSIX["xdigit"],
    "AHex": lambda: POSIX["xdigit"],
    "White_Space": lambda: WHITE_SPACE,
    "space": lambda: WHITE_SPACE,
    "Uppercase": lambda: _where(str.isupper),
    "Upper": lambda: _where(str.isupper),
    "Lowercase": lambda: _where(str.islower),
    "Lower": lambda: _where(str.islower),
}


def _loosened(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


_LOOSE: Final[dict[str, str]] = {_loosened(name): name for name in (*_BINARY, *_CATEGORIES, *_SHORT)}


@lru_cache(maxsize=256)
def property_ranges(name: str, *, loose: bool) -> Ranges | None:
    r"""The set of ``\p{name}`` (also ``gc=...``), ``None`` if it cannot be had from :mod:`unicodedata`.

    With ``loose`` the name is compared without case, blanks, ``_`` and ``-`` (UAX 44 LM3).
    """
    key, equals, value = name.partition("=")
    if equals:
        known = _loosened(key) in {"gc", "generalcategory"} if loose else key in {"gc", "General_Category"}
        if not known:
            return None
        name = value
    if loose:
        name = _LOOSE.get(_loosened(name), name)
    if name in _BINARY and not equals:
        return _BINARY[name]()
    short = _CATEGORIES.get(name, name)
    return _category(short) if short in _SHORT else None


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
