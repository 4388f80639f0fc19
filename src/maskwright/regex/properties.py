r"""Unicode properties, as ``\p{..}`` names them (ECMA-262 section 22.2.1, table 69 and on; UTS 18 for the loose names).

All sets come from :mod:`maskwright.regex.unicode_table`, so a pattern means the same under every Python. The table is
unpacked at first use, in some four milliseconds.
"""

from __future__ import annotations

import zlib
from base64 import b85decode
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from maskwright.regex import unicode_table
from maskwright.regex.ranges import ALL, NONE, Ranges, difference, normal

__all__ = ["category", "property_names", "property_ranges", "read_numbers"]

#: PropertyValueAliases.txt, General_Category: long name and short name.
_LONG_CATEGORIES: Final = """
    Letter:L Cased_Letter:LC Uppercase_Letter:Lu Lowercase_Letter:Ll Titlecase_Letter:Lt Modifier_Letter:Lm
    Other_Letter:Lo Mark:M Combining_Mark:M Nonspacing_Mark:Mn Spacing_Mark:Mc Enclosing_Mark:Me Number:N
    Decimal_Number:Nd digit:Nd Letter_Number:Nl Other_Number:No Punctuation:P punct:P Connector_Punctuation:Pc
    Dash_Punctuation:Pd Open_Punctuation:Ps Close_Punctuation:Pe Initial_Punctuation:Pi Final_Punctuation:Pf
    Other_Punctuation:Po Symbol:S Math_Symbol:Sm Currency_Symbol:Sc Modifier_Symbol:Sk Other_Symbol:So
    Separator:Z Space_Separator:Zs Line_Separator:Zl Paragraph_Separator:Zp Other:C Control:Cc cntrl:Cc Format:Cf
    Surrogate:Cs Private_Use:Co Unassigned:Cn
"""
_CATEGORIES: Final[dict[str, str]] = {
    **dict(name.split(":") for name in _LONG_CATEGORIES.split()),
    **{name.split(":")[1]: name.split(":")[1] for name in _LONG_CATEGORIES.split()},
}
#: Name of a script or binary property, or an alias of it, to the name.
_SCRIPTS: Final[dict[str, str]] = {
    alias: group.split(":")[0] for group in unicode_table.SCRIPTS.split() for alias in group.split(":")
}
_BINARY: Final[dict[str, str]] = {
    alias: group.split(":")[0] for group in unicode_table.BINARY.split() for alias in group.split(":")
}
_OWN: Final = ("Any", "ASCII", "Assigned")
#: What may stand before ``=``.
_KEYS: Final[dict[str, str]] = {
    "General_Category": "gc",
    "gc": "gc",
    "Script": "sc",
    "sc": "sc",
    "Script_Extensions": "scx",
    "scx": "scx",
}


def read_numbers(data: bytes) -> Iterator[int]:
    """The numbers of a packed table: seven bits a byte, lowest first, the last byte below 0x80."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


@cache
def _table() -> dict[tuple[str, str], Ranges]:
    """(``gc``, ``sc``, ``scx`` or ``is``; name) to the set."""
    names = [
        *(("gc", name) for name in unicode_table.CATEGORIES.split()),
        *(("sc", group.split(":")[0]) for group in unicode_table.SCRIPTS.split()),
        *(("scx", name) for name in unicode_table.EXTENDED.split()),
        *(("is", group.split(":")[0]) for group in unicode_table.BINARY.split()),
    ]
    numbers = read_numbers(zlib.decompress(b85decode(unicode_table.PACKED)))
    found: dict[tuple[str, str], Ranges] = {}
    for name in names:
        ranges: list[tuple[int, int]] = []
        at = 0
        for _ in range(next(numbers)):
            first = at + next(numbers)
            at = first + next(numbers) + 1
            ranges.append((first, at - 1))
        found[name] = tuple(ranges)
    return found


@cache
def category(short: str) -> Ranges:
    """The set of a general category by its short name, ``L`` or ``Lu``."""
    members = ("Lu", "Ll", "Lt") if short == "LC" else tuple(c for _, c in _table() if c.startswith(short))
    return normal(chain.from_iterable(_table().get(("gc", name), NONE) for name in members))


def _own(name: str) -> Ranges:
    """The three properties of ECMA-262 that are no Unicode property."""
    if name == "Assigned":
        return difference(ALL, category("Cn"))
    return ALL if name == "Any" else ((0, 0x7F),)


def _loosened(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


@cache
def _loose_names() -> dict[str, dict[str, str]]:
    """Kind of name to loosened name to name."""
    kinds = {"key": _KEYS, "gc": _CATEGORIES, "sc": _SCRIPTS, "is": (*_BINARY, *_OWN)}
    return {kind: {_loosened(name): name for name in names} for kind, names in kinds.items()}


def _tightened(kind: str, name: str) -> str:
    return _loose_names()[kind].get(_loosened(name), name)


@lru_cache(maxsize=256)
def property_ranges(name: str, *, loose: bool) -> Ranges | None:
    r"""The set of ``\p{name}``, with or without ``gc=``, ``sc=`` or ``scx=``; ``None`` if there is none of that name.

    With ``loose`` the name is compared without case, blanks, ``_`` and ``-`` (UAX 44 LM3), and a script needs no key.
    """
    key, equals, value = name.partition("=")
    if loose:
        key = _tightened("key", key) if equals else key
    if not equals:
        return _lone(name, loose=loose)
    kind = _KEYS.get(key)
    if kind is None:
        return None
    if loose:
        value = _tightened("gc" if kind == "gc" else "sc", value)
    if kind == "gc":
        return category(_CATEGORIES[value]) if value in _CATEGORIES else None
    script = _SCRIPTS.get(value)
    return None if script is None else _table().get((kind, script), _table()["sc", script])


def _lone(name: str, *, loose: bool) -> Ranges | None:
    if loose:
        name = _tightened("is", name)
    if name in _OWN:
        return _own(name)
    if name in _BINARY:
        return _table()["is", _BINARY[name]]
    if loose:
        name = _tightened("gc", name)
    if name in _CATEGORIES:
        return category(_CATEGORIES[name])
    script = _SCRIPTS.get(_tightened("sc", name)) if loose else None
    return None if script is None else _table()["sc", script]


@cache
def property_names() -> tuple[str, ...]:
    r"""All that ECMA-262 allows between the braces of ``\p{..}``, sorted: a thousand names."""
    lone = (*_OWN, *_BINARY, *_CATEGORIES)
    keyed = (f"{key}={value}" for key, kind in _KEYS.items() for value in (_CATEGORIES if kind == "gc" else _SCRIPTS))
    return tuple(sorted({*lone, *keyed}))
