"""Anchors and lookarounds in every place, against Python's `re`."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest

from maskwright.errors import LimitError, PatternError
from maskwright.limits import Limits
from maskwright.regex.compile import full_term, search_term
from tests.oracle.terms import matches

ALPHABET = "ab,\n"
#: All texts of up to 4 characters.
TEXTS = ["".join(letters) for size in range(5) for letters in product(ALPHABET, repeat=size)]
ATOMS = ["a", "b", ",", "\n", "[ab]", "[^a]", ".", "ab", "ba", ""]
COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?"]
#: `re` has no lookbehind of variable width, and its \B refuses the empty text (before 3.14): hence these forms.
LOOKS = ["(?={})", "(?!{})"]
BEHIND = ["(?<=a)", "(?<!b)", "(?<=[a,])", "(?<!\n)"]


def draw_pattern(source: random.Random, depth: int, anchors: list[str], looks: list[str]) -> str:
    """Draw a random pattern; a third of its leaves are anchors."""
    kind = source.random()
    if depth == 0 or kind < 0.2:
        return source.choice(anchors if source.random() < 0.35 else ATOMS)
    if kind < 0.55:
        return "".join(draw_pattern(source, depth - 1, anchors, looks) for _ in range(source.randint(2, 3)))
    if kind < 0.75:
        return f"(?:{'|'.join(draw_pattern(source, depth - 1, anchors, looks) for _ in range(source.randint(2, 3)))})"
    if kind < 0.9 or not looks:
        return f"(?:{draw_pattern(source, depth - 1, anchors, looks)}){source.choice(COUNTS)}"
    return source.choice(looks).replace("{}", draw_pattern(source, depth - 1, anchors, looks))


def assert_like_re(pattern: str, dialect: str, texts: list[str]) -> None:
    """Compare search and full match of one pattern with `re`, whose dialect differs in ``$`` and ``.`` only."""
    translated = pattern.replace("$", r"\Z").replace(".", "[^\n\r\u2028\u2029]") if dialect == "ecma" else pattern
    theirs = re.compile(translated.replace(r"\B", r"(?!\b)"))
    searched, full = search_term(pattern, dialect=dialect), full_term(pattern, dialect=dialect)
    for text in texts:
        assert matches(searched, text) == (theirs.search(text) is not None), (pattern, text)
        assert matches(full, text) == (theirs.fullmatch(text) is not None), (pattern, text)


@pytest.mark.parametrize("dialect", ["ecma", "python"])
@pytest.mark.parametrize("seed", range(20))
def test_anchors_anywhere(dialect: str, seed: int) -> None:
    """Patterns with ^ and $ in any place accept what `re` finds, among all short texts."""
    source = random.Random(seed)
    for _ in range(25):
        pattern = draw_pattern(source, source.randint(1, 4), ["^", "$"], [])
        assert_like_re(pattern, dialect, source.sample(TEXTS, 30))


@pytest.mark.parametrize("seed", range(20))
def test_lookarounds_anywhere(seed: int) -> None:
    """The same with lookaheads, one-character lookbehinds and word boundaries, also in repetitions."""
    source = random.Random(seed)
    for _ in range(10):
        pattern = draw_pattern(source, source.randint(1, 3), ["^", "$", r"\b", r"\B", *BEHIND], LOOKS)
        assert_like_re(pattern, "ecma", source.sample(TEXTS, 30))


@pytest.mark.parametrize("seed", range(10))
def test_long_lookbehinds(seed: int) -> None:
    """Lookbehinds of more than one character, outside unbounded repetitions."""
    source = random.Random(seed)
    looks = ["(?<=ab)", "(?<!ba)", "(?<!.a)", "(?<=^a|,b)"]
    for _ in range(10):
        parts = [draw_pattern(source, source.randint(0, 2), [*looks, r"\Z"], []) for _ in range(3)]
        pattern = source.choice(["", "^"]) + source.choice(looks).join(parts)
        pattern = re.sub(r"\)([*+]\??|\{2,\})", "){0,2}", pattern).replace("(?<=^a|,b)", "(?<=,b)")
        assert_like_re(pattern, "python", source.sample(TEXTS, 30))


TEMPERED = [
    r"^((?!ab).)*$",
    r"^((?!ab).)*b",
    r"a((?!b,).)*b,",
    r"^(?:(?!a|b,)[^\n])*b",
    r"^(?:a(?=b)|b(?!b))+$",
    r"^(?:(?:(?!ab)[ab])*,)*$",
    r"^(?:(?:a(?!a)|b)+\b,?)*$",
    r"(?:(?<=a)b|(?<=b)a|^a)+$",
    r"^(?:(?!.*a$).)+",
    r"^(?:.(?=.*,)|,)*$",
    r"^(?:(?:(?!a,)[ab,]){2})*$",
]


@pytest.mark.parametrize("pattern", TEMPERED)
def test_assertions_in_unbounded_repetitions(pattern: str) -> None:
    """Tempered dots and their kin are exact on all short texts."""
    theirs = re.compile(pattern.replace("$", r"\Z").replace(".", "[^\n]"))
    term = search_term(pattern)
    wrong = [text for text in TEXTS if matches(term, text) != (theirs.search(text) is not None)]
    assert wrong == []


BOTH_WAYS = [
    r"(?<=ab)(?=ab)",
    r"(?<=ab),(?=ba)",
    r"(?<!ab)b(?!ba)",
    r"(?=ab(?<=,ab))",
    r"(?!ab(?<=bab))a",
    r"(?<=a(?=b.)b)a",
    r"(?<!a(?!ba).)b",
    r"(?:(?=ab)a|(?<=ab)b)+,",
    r"^(?:(?<=ab),|a|b)*$",
    r"^(?:(?<!ab),|a|b)*$",
    r"(?:a(?<!ba))*$",
    r"(?<=(?<!bb)a(?!,)b)(?=a|$)",
    r"(?<=\bab)(?=b\b|,a)",
    r"(?<=^ab),(?=.b)",
]


@pytest.mark.parametrize("pattern", BOTH_WAYS)
def test_far_looks_both_ways(pattern: str) -> None:
    """Lookaheads and long lookbehinds in one pattern, within each other and in repetitions."""
    theirs = re.compile(pattern.replace("$", r"\Z"))
    term = search_term(pattern)
    wrong = [text for text in TEXTS if matches(term, text) != (theirs.search(text) is not None)]
    assert wrong == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"((?!(a|b)*a(a|b){14}).)*c",
        r"((a\b){100}b){100}",
        r"(?:a$|b){10000}",
        "(" * 249 + "a(?!b)" + "|b)*" * 249,
    ],
)
def test_costly_assertions_are_a_limit_error(pattern: str) -> None:
    """What would need too many states or copies is refused, in bounded time."""
    with pytest.raises(LimitError):
        search_term(pattern, limits=Limits(emptiness_states=2_000))


def test_python_dollar_beside_long_lookbehind_is_refused_with_a_remedy() -> None:
    r"""The advice is \Z, which is supported there."""
    with pytest.raises(PatternError, match=r"\\Z"):
        search_term(r"(?<!\.json)$", dialect="python")
    assert not matches(search_term(r"(?<!\.json)\Z", dialect="python"), "a.json")
