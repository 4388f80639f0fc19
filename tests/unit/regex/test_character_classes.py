"""Named character classes against `re` and the tables of the specifications."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.regex.classes import ECMA_SPACES, fold, unicode_class
from maskwright.regex.parse import parse
from maskwright.regex.properties import property_names, property_ranges
from maskwright.regex.ranges import ALL, Ranges, contains, difference, intersection, inversion, normal, union
from maskwright.regex.syntax import Characters, Text

#: No character above has case.
CASED = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x1F000))))
ALL_TEXT = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))


def members(ranges: Ranges) -> set[str]:
    """The characters of a set."""
    return {chr(point) for first, last in ranges for point in range(first, last + 1)}


def found(pattern: str) -> Ranges:
    """The characters that `re` matches, over all of Unicode."""
    runs = (run.span() for run in re.finditer(f"(?:{pattern})+", ALL_TEXT, re.IGNORECASE if "(?i)" in pattern else 0))
    return normal((ord(ALL_TEXT[start]), ord(ALL_TEXT[end - 1])) for start, end in runs)


@cache
def categories() -> list[str]:
    """The general category of each character of ALL_TEXT."""
    return list(map(unicodedata.category, ALL_TEXT))


def ranges_of(pattern: str, dialect: str) -> Ranges:
    """The set that a pattern of one character means."""
    tree = parse(pattern, dialect=dialect)
    if isinstance(tree, Text):
        return ((ord(tree.text), ord(tree.text)),)
    assert isinstance(tree, Characters)
    return tree.ranges


@pytest.mark.parametrize("pattern", [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"[\w.-]", r"[^\d\s]", r".", "(?a:\\w)"])
def test_python_shorthands_are_those_of_re(pattern: str) -> None:
    """The same characters as `re`, over all of Unicode."""
    assert ranges_of(pattern, "python") == found(pattern)


@pytest.mark.parametrize(
    "char", [*"aikKsSßzZé1_", "µ", "ı", "İ", "ſ", "Σ", "ς", "ǅ", "ẞ", "ΐ", "ﬅ", "Ⴀ", "Ꭰ", "K", "Å"]
)
def test_python_case_folding_is_that_of_re(char: str) -> None:
    """``(?i)`` holds the same characters equal as `re` does."""
    assert members(ranges_of(f"(?i){char}", "python")) == set(re.findall(f"(?i){char}", CASED))


def test_simple_case_folding() -> None:
    """CaseFolding.txt, status C and S: the Kelvin sign and the long s fold, the Turkish i does not."""
    assert members(fold(((0x61, 0x7A),), python=False)) == set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u212aſ"
    )
    assert members(fold(((0x130, 0x131),), python=False)) == {"İ", "ı"}


def test_ecma_spaces() -> None:
    """ECMA-262 12.2 and 12.3: tab, VT, FF, LF, CR, LS, PS, U+FEFF and the category Zs."""
    expected = {char for char in ALL_TEXT if unicodedata.category(char) == "Zs"} | set("\t\v\f\n\r\u2028\u2029\ufeff")
    assert members(ECMA_SPACES) == expected


#: Characters whose properties Unicode changed since the version of Python 3.11.
CHANGED = set("\u0295\u10fc\ua7f2\ua7f3\ua7f4\uab69")


@cache
def known_characters() -> dict[str, str]:
    """The characters that the running Python knows, and their categories."""
    pairs = zip(ALL_TEXT, categories(), strict=True)
    return {char: category for char, category in pairs if category != "Cn" and char not in CHANGED}


@pytest.mark.parametrize(
    ("name", "names"),
    [("L", "Lu Ll Lt Lm Lo"), ("Letter", "Lu Ll Lt Lm Lo"), ("LC", "Lu Ll Lt"), ("digit", "Nd"), ("gc=Co", "Co")],
)
def test_general_categories_are_those_of_unicodedata(name: str, names: str) -> None:
    """Every code point of the category, and no other, of those that the Python's older Unicode has assigned."""
    ranges = property_ranges(name, loose=False)
    assert ranges is not None
    wanted = set(names.split())
    known = known_characters()
    assert members(ranges) & set(known) == {char for char, category in known.items() if category in wanted}


def test_unassigned_code_points() -> None:
    """No version of Unicode takes a character back, and no text holds a surrogate."""
    ranges = property_ranges("Cn", loose=False)
    assert ranges is not None
    assert members(ranges) <= {char for char, name in zip(ALL_TEXT, categories(), strict=True) if name == "Cn"}
    assert property_ranges("Cs", loose=False) == ()
    assert property_ranges("Assigned", loose=False) == inversion(ranges)


@pytest.mark.parametrize(("name", "test"), [("Uppercase", str.isupper), ("Lowercase", str.islower)])
def test_binary_properties(name: str, test: Callable[[str], bool]) -> None:
    """Derived properties that `str` knows, of the characters that it knows."""
    ranges = property_ranges(name, loose=False)
    assert ranges is not None
    known = set(known_characters())
    assert members(ranges) & known == set(filter(test, known))


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("Script=Greek", "αΩἀ", "aж\u0301"),
        ("sc=Grek", "α", "a"),
        ("Script_Extensions=Greek", "α\u0342", "a"),
        ("scx=Deva", "क\u0964", "a"),
        ("Script=Devanagari", "क", "\u0964"),
        ("Emoji", "1#😀", "a"),
        ("Emoji_Presentation", "😀", "1a"),
        ("ID_Start", "aé猫", "1_"),
        ("IDC", "a1_", "-"),
        ("Alpha", "aéⓐ", "1"),
        ("Any", "a\0", ""),
        ("ASCII", "a", "é"),
    ],
)
def test_properties(name: str, inside: str, outside: str) -> None:
    """Scripts, script extensions and binary properties, by their names and aliases."""
    ranges = property_ranges(name, loose=False)
    assert ranges is not None
    assert all(contains(ranges, ord(char)) for char in inside)
    assert not any(contains(ranges, ord(char)) for char in outside)


@pytest.mark.parametrize(
    "name",
    ["Greek", "Scripts=Greek", "sc", "sc=", "=Greek", "gc=Greek", "sc=L", "emoji", "L=", "Age=4.0", "Block=Thai"],
)
def test_what_is_no_property(name: str) -> None:
    """ECMA-262 lists its names, and compares them exactly."""
    assert property_ranges(name, loose=False) is None
    assert name not in property_names()


def test_every_name_has_a_set() -> None:
    """The list of names that format `regex` reads is the list that patterns know."""
    assert all(property_ranges(name, loose=False) is not None for name in property_names())
    assert len(property_names()) > 1000


def test_names_are_strict_or_loose() -> None:
    """ECMA compares names exactly, Rust without case, blanks and underscores."""
    assert property_ranges("uppercase letter", loose=False) is None
    assert property_ranges("uppercase letter", loose=True) == property_ranges("Lu", loose=False)
    assert property_ranges("greek", loose=True) == property_ranges("SCRIPT=grek", loose=True)
    assert property_ranges("greek", loose=True) == property_ranges("Script=Greek", loose=False)


def test_unicode_word_class_of_rust() -> None:
    """UTS 18: letters, marks, decimal digits, connectors, joiners and circled letters, but no other numbers."""
    word = unicode_class("word")
    assert all(contains(word, ord(char)) for char in "aé\u0301٣_\u200dⓐⅧ猫")
    assert not any(contains(word, ord(char)) for char in "½²-$ \u2022")


SETS = st.lists(st.tuples(st.integers(0, 0x10FFFF), st.integers(0, 300)), max_size=6).map(
    lambda pairs: normal((first, min(first + size, 0x10FFFF)) for first, size in pairs)
)


@settings(deadline=None, max_examples=60)
@given(SETS, SETS, st.integers(0, 0x10FFFF))
def test_set_algebra(one: Ranges, other: Ranges, point: int) -> None:
    """Union, intersection, difference and inversion mean what they say at every point, and are canonical."""
    for probe in (point, *(edge for pair in (*one, *other) for edge in (pair[0] - 1, pair[0], pair[1], pair[1] + 1))):
        if not contains(ALL, probe):
            continue
        a, b = contains(one, probe), contains(other, probe)
        assert contains(union(one, other), probe) == (a or b)
        assert contains(intersection(one, other), probe) == (a and b)
        assert contains(difference(one, other), probe) == (a and not b)
        assert contains(inversion(one), probe) != a
    assert inversion(inversion(one)) == one
    assert union(one, other) == union(other, one)
