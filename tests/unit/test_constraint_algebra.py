"""Regular expressions as constraints of their own: how they match, and set algebra against other engines.

The package interegular builds every state of both automata before it combines them. For
``[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*`` with at most 200 characters these are 999 states in 89 ms, and its time
grows with the square of the bound; ours are made on demand, with a counter, in 0.3 ms. So it is the oracle here and no
part of the engine.
"""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable
from functools import cache, reduce
from itertools import product
from typing import Any

import interegular
import pytest

import maskwright as mw
from maskwright.errors import LimitError, PatternError, PolicyError, UnsatisfiableError
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary

BYTES = make_vocabulary([*SINGLES, b"ab", b"ba", b"aa", b"\n\n", b"abc", b"b\n"])
TEXTS = ["".join(letters) for n in range(5) for letters in product("ab\n", repeat=n)]
TEXTS += ["abc", "ac", "abcx", "bca", "a b", "é", "aé"]

PATTERNS = [
    "a",
    "a$",
    "^a",
    r"a\b",
    r"\Ba",
    r"\bb",
    "(?=ab)a",
    "(?!ab)a",
    "a(?!b)",
    "a(?=b|$)",
    "(?<=a)b",
    "(?<!a)b",
    "(?<=ab)b|a(?=a)",
    "a|bc",
    "(a|ab)(?=c)",
    "a*$",
    r"(?m)^b$",
    r"\Aa\Z",
    "x*",
    "(?s).a.",
    "[^ab]",
    "(?:ab?)+",
    "(?i)AB",
    "(?=.*b)(?!.*bb)[ab]+",
]
MATCHES: dict[str, Callable[[str, str], Any]] = {"full": re.fullmatch, "prefix": re.match, "search": re.search}


@cache
def _guide(constraint: mw.Constraint) -> mw.Guide:
    return mw.compile(constraint, BYTES)


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_matching_is_that_of_re(pattern: str, match: str) -> None:
    """``full``, ``prefix`` and ``search`` are ``fullmatch``, ``match`` and ``search`` of Python."""
    expected = [bool(MATCHES[match](pattern, text)) for text in TEXTS]
    try:
        constraint = mw.regex(pattern, match=match)
    except UnsatisfiableError:
        assert not any(expected)
        return
    assert constraint.policies == {"dialect": "python", "match": match}
    assert [_guide(constraint).matches(text) for text in TEXTS] == expected


@pytest.mark.parametrize("dialect", ["ecma", "rust"])
@pytest.mark.parametrize("pattern", ["a", "^a", "b$", "a|bc", "[^ab]", "(?:ab?)+"])
def test_dialects_match_in_the_same_ways(pattern: str, dialect: str) -> None:
    """What all dialects share means the same in all; ``$`` is the very end in both."""
    own = pattern.replace("$", r"\Z")
    for match, reference in MATCHES.items():
        guide = _guide(mw.regex(pattern, dialect=dialect, match=match))
        assert [guide.matches(text) for text in TEXTS] == [bool(reference(own, text)) for text in TEXTS]


@pytest.mark.parametrize("match", MATCHES)
def test_masks_are_what_can_be_read(match: str) -> None:
    """In every mode, along random outputs, a mask holds exactly the tokens that the matcher can read."""
    chance = random.Random(3)
    for pattern in PATTERNS:
        try:
            matcher = _guide(mw.regex(pattern, match=match)).matcher()
        except UnsatisfiableError:
            continue
        for _ in range(6):
            allowed = in_mask(matcher)
            assert allowed == by_reading(matcher), (pattern, matcher.text)
            text = sorted(allowed - BYTES.end_ids)
            if not text:
                break
            matcher.advance(chance.choice(text))


#: Patterns that interegular can read as well.
OPERANDS = ["a*b", "(ab)*", "[ab]{0,3}", "a(?:b|a)*", "b?a?b?", "(?:a|b|ab)*b", "[^a]+", "b+", "a.?b"]


@pytest.mark.parametrize("seed", range(8))
def test_algebra_is_that_of_automata(seed: int) -> None:
    """Random combinations hold the same texts, and are empty at the same time, as with interegular."""
    chance = random.Random(seed)

    def leaf() -> tuple[mw.Constraint, Any]:
        pattern = chance.choice(OPERANDS)
        return mw.regex(pattern), interegular.parse_pattern(pattern).to_fsm()

    for _ in range(4):
        ours, theirs = leaf()
        for _ in range(3):
            other, their_other = leaf()
            sign = chance.choice("&|-~")
            if sign == "~":
                their_next = theirs.everythingbut()
            else:
                their_next = {"&": theirs.intersection, "|": theirs.union, "-": theirs.difference}[sign](their_other)
            if their_next.empty():
                with pytest.raises(UnsatisfiableError):
                    _apply(sign, ours, other)
                continue
            ours, theirs = _apply(sign, ours, other), their_next
        guide = _guide(pickle.loads(pickle.dumps(ours)))
        for text in TEXTS:
            assert guide.matches(text) == theirs.accepts(text), text
        matcher = guide.matcher()
        for _ in range(5):
            allowed = in_mask(matcher)
            assert allowed == by_reading(matcher), matcher.text
            if not allowed - BYTES.end_ids:
                break
            matcher.advance(chance.choice(sorted(allowed - BYTES.end_ids)))


def _apply(sign: str, one: mw.Constraint, other: mw.Constraint) -> mw.Constraint:
    if sign == "~":
        return ~one
    return {"&": one.__and__, "|": one.__or__, "-": one.__sub__}[sign](other)


def test_names_without_keywords() -> None:
    """The use of it: identifiers that are no keyword and not too long."""
    names = mw.regex("[a-z_][a-z0-9_]*") - mw.choice(["if", "else"]) & mw.regex(".{1,8}")
    guide = _guide(names)
    accepted = [text for text in ("if", "iff", "els", "else", "abcdefgh", "abcdefghi", "") if guide.matches(text)]
    assert accepted == ["iff", "els", "abcdefgh"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: mw.regex("a+") & mw.regex("b+"),
        lambda: mw.choice(["a"]) - mw.regex("[ab]"),
        lambda: ~mw.regex("(?s).*"),
        lambda: mw.regex("(?=a)b"),
        lambda: mw.regex("$a", match="prefix"),
        lambda: mw.regex("[^\\s\\S]", match="search"),
    ],
)
def test_nothing_left(make: Callable[[], mw.Constraint]) -> None:
    """That a combination is empty is found when it is built."""
    with pytest.raises(UnsatisfiableError):
        make()


def test_chains_do_not_recurse() -> None:
    """A combination of a thousand pickles as a flat list; one that nests too deeply is refused."""
    many = reduce(mw.Constraint.__or__, [mw.choice([f"w{i}"]) for i in range(1_000)])
    again = pickle.loads(pickle.dumps(many))
    assert again.term is many.term
    assert _guide(again).matches("w999")
    with pytest.raises(LimitError):
        reduce(lambda deep, i: ~(deep | mw.choice([f"w{i}"])), range(5_000), mw.regex("a+"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mw.regex("a", match="middle"), "'full', 'prefix', 'search'"),
        (lambda: mw.regex("a", match=[]), "'full', 'prefix', 'search'"),  # type: ignore[arg-type]
        (lambda: mw.regex("a", dialect=[]), "dialect must be the name of one, not []"),  # type: ignore[arg-type]
        (lambda: mw.regex("a", limits=5), "limits must be a Limits, not 5"),  # type: ignore[arg-type]
        (lambda: mw.choice(["a"], limits=None), "limits must be a Limits, not None"),  # type: ignore[arg-type]
        (lambda: mw.regex("a") & mw.json_schema({}), "json_schema"),
        (lambda: mw.regex("a") | "b", "'b'"),  # type: ignore[operator]
        (lambda: ~mw.json_schema({}), "regex() and choice()"),
    ],
)
def test_arguments_without_meaning(make: Callable[[], mw.Constraint], words: str) -> None:
    """The error names what there is."""
    with pytest.raises(PolicyError, match=re.escape(words)):
        make()


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("pattern", ["(", "[a-", "*a", "a{3,1}", "(?P<n>a", "a\\", r"(a)\1"])
def test_errors_have_a_caret(pattern: str, match: str) -> None:
    """A pattern that cannot be read is shown, with a caret under the fault."""
    with pytest.raises(PatternError) as caught:
        mw.regex(pattern, match=match)
    shown = str(caught.value).splitlines()
    assert any(pattern in line for line in shown)
    assert any(line.strip().startswith("^") for line in shown)
