"""GBNF: what is read, and how what cannot be read is told."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import (
    GrammarError,
    LimitError,
    MaskwrightError,
    PolicyError,
    UnsatisfiableError,
)
from maskwright.limits import Limits
from maskwright.notations import gbnf
from tests.conformance.verdicts import BYTES

ACCEPTED: list[tuple[str, list[str], list[str]]] = [
    ('root ::= "yes" | "no"', ["yes", "no"], ["", "yesno", "y"]),
    (r'root ::= "\x41\u00e9\U0001F600\n\t\r\\\"\[\]\-"', ['A\u00e9\U0001f600\n\t\r\\"[]-'], ["A"]),
    (r"root ::= [a-c\]] [^a-c\n] [\x30-\x32]", ["ax0", "]\u00e90"], ["dx0", "aa0", "a\n0", "ax3"]),
    ("root ::= [a-] [-a] [+--]", ["a-+", "--,", "-a-"], ["b-+", "aa."]),
    ("root ::= .", ["a", "\n", "\u20ac"], ["", "ab"]),
    ('root ::= "ab"* "c"+ "d"?', ["c", "ababccd"], ["abd", "aacd"]),
    ('root ::= "a"{2} "b"{1,} "c"{2,3} ("d" | "e"){0,2}', ["aabcc", "aabbcccde"], ["abcc", "aabc", "aabccddd"]),
    ('root ::= ("a" | "b" "c")* ()', ["", "abca"], ["b", "c"]),
    (
        'root ::= "a" | b # comment "\n\n# another\nb ::= (\n "x" # inside\n | "y"\n)+ |\n "z"',
        ["a", "xyx", "z"],
        ["b", ""],
    ),
    ('root ::=\n "a"\nb-2_C ::= "unused"\r\n', ["a"], ["unused"]),
    ('root ::= item ("," ws item)*\nitem ::= [0-9]+\nws ::= " "?', ["1", "1,2, 30"], ["1,", "1 ,2"]),
    ('root ::= root "x" | "y"', ["y", "yxxx"], ["x", "", "xy", "yxy"]),
    ('root ::= "a" ("" | "b")*', ["a", "abbb"], ["", "b", "aa"]),
    ('root ::= "a"?{2,3} "b"+? "c"?+ "d"+* "e"*{0,0}', ["", "aaabbccdd", "c"], ["aaaa", "dc", "e"]),
    ('root ::= ((("a"*)*)+)? "b"', ["b", "aab"], ["", "a", "bb"]),
    ("root ::= |", [""], ["a"]),
    ("root ::= [\u0430-\u044f]+", ["\u043f\u0440\u0438"], ["hello", "", "\u041f"]),
    ('root ::= "a\nb" [\n]', ["a\nb\n"], ["a\nb"]),
]


@pytest.mark.parametrize(("text", "accepted", "rejected"), ACCEPTED, ids=[text for text, _, _ in ACCEPTED])
def test_what_is_read(text: str, accepted: list[str], rejected: list[str]) -> None:
    """The notation means what llama.cpp's guide says."""
    guide = mw.compile(gbnf(text), BYTES)
    assert [one for one in accepted if not guide.matches(one)] == []
    assert [one for one in rejected if guide.matches(one)] == []


FAULTS: list[tuple[str, str, str]] = [
    ("", "1:1", "no rule"),
    ("  # only a comment\n", "1:1", "no rule"),
    ('rout ::= "x"', "1:1", "no rule root"),
    ('Root ::= "x"', "1:1", "rename Root"),
    ('root := "a"', "1:6", "::="),
    ('root: "a"', "1:5", "lark"),
    ("root", "1:5", "::="),
    ('root ::= "a', "1:10", "not closed"),
    ('root ::= ("a" | ("b")', "1:10", "not closed"),
    ("root ::= [a-z", "1:10", "not closed"),
    ("root ::= [a-", "1:10", "not closed"),
    ('root ::= "a")', "1:13", "closes nothing"),
    ("root ::= [z-a]", "1:11", "ends before it begins"),
    ("root ::= []", "1:10", "empty"),
    ("root ::= [^]", "1:10", "empty"),
    (r'root ::= "\q"', "1:11", "unknown"),
    (r'root ::= "\x4"', "1:11", "2 hexadecimal digits"),
    (r'root ::= "\ud83d\ude00"', "1:11", "surrogate"),
    (r'root ::= "\U00110000"', "1:11", "U+10FFFF"),
    ("root ::= *", "1:10", "repeats nothing"),
    ('root ::= "a" | +', "1:16", "repeats nothing"),
    ('root ::= "z"{4,1}', "1:13", "impossible"),
    ('root ::= "z"{,4}', "1:13", "{2,5}"),
    ('root ::= "z"{x}', "1:13", "{2,5}"),
    ('root ::= "a" b ::= "c"', "1:14", "middle of a line"),
    ('root ::= "a"\nroot ::= "b"', "2:1", "twice"),
    ('root ::= "a"\n  $ ::= "b"', "2:3", "begins with its name"),
    ('root ::= "a"\n  | "b"', "2:3", "end the line before with |"),
    ('root ::= "a" $', "1:14", "no meaning"),
    ('root ::= "a" ; drop ::= "b"', "1:14", "no meaning"),
    ("root ::= <", "1:10", "<[7]>"),
    ("root ::= <[x]>", "1:10", "<[7]>"),
    ("root ::= <>", "1:10", "no name"),
    ("root ::= <[99999999999999999999]>", "1:10", "no vocabulary"),
    ('{"type": "object"}', "1:1", "json_schema"),
    ('root ::= "\0"', "1:11", "NUL"),
    ('root ::= "\ud800"', "1:11", "surrogate"),
    ("\x01\x02\xff", "1:1", "begins with its name"),
]


@pytest.mark.parametrize(("text", "place", "reason"), FAULTS, ids=[ascii(text) for text, _, _ in FAULTS])
def test_faults(text: str, place: str, reason: str) -> None:
    """A fault is told with line and column, the line itself, a caret, and what to do."""
    with pytest.raises(GrammarError) as caught:
        gbnf(text)
    assert caught.value.problems[0].place == place
    assert reason in str(caught.value)
    assert "^" in str(caught.value)


def test_rules_that_are_missing_are_told_at_once() -> None:
    """Every undefined rule is named, in the order of the text, and the rest counted."""
    with pytest.raises(GrammarError) as caught:
        gbnf('root ::= a b "x" a\nb ::= c')
    assert [(problem.place, problem.keyword) for problem in caught.value.problems] == [("1:10", "a"), ("2:7", "c")]
    with pytest.raises(GrammarError, match="and 80 more"):
        gbnf("root ::= " + " ".join(f"x{i}" for i in range(100)))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('root ::= "a"{99999999999}', LimitError),
        ("root ::= root", UnsatisfiableError),
        (b'root ::= "a"', PolicyError),
        (None, PolicyError),
    ],
)
def test_other_refusals(text: Any, error: type[MaskwrightError]) -> None:
    """What is no fault of the notation has an error of its own."""
    with pytest.raises(error):
        gbnf(text)


def test_arguments() -> None:
    """The start may be any rule; limits are obeyed; what is no limit is refused."""
    guide = mw.compile(gbnf('root ::= "a"\nb ::= "b"', start="b"), BYTES)
    assert guide.matches("b")
    with pytest.raises(LimitError):
        gbnf('root ::= "a"', limits=Limits(source_bytes=5))
    with pytest.raises(PolicyError):
        gbnf('root ::= "a"', start=7)  # type: ignore[arg-type]
    with pytest.raises(PolicyError):
        gbnf('root ::= "a"', limits=7)  # type: ignore[arg-type]


def test_tokens_by_id_and_name() -> None:
    """``<[7]>`` is that token, ``!<[7]>`` any other, ``<name>`` the control token whose text has the brackets."""
    vocabulary = mw.Vocabulary.from_tokens(
        [b"", *(bytes([byte]) for byte in range(256)), b""], end_ids=[0], special_names={"<think>": 257}
    )
    matcher = mw.compile(gbnf('root ::= <think> <[66]> "c" !<[67]>'), vocabulary).matcher()
    for token in (257, 66, 100):
        assert matcher.allows(token)
        matcher.advance(token)
    assert not matcher.allows(67)
    assert matcher.allows(66)
    matcher.advance(66)
    assert matcher.is_accepting


def test_any_token_but_a_named_one() -> None:
    """``!<name>`` is any other token; a name that is no control token's may be that of a text token."""
    vocabulary = mw.Vocabulary.from_tokens(
        [b"", b"a", b"<think>", b"<", b"think>", b""], end_ids=[0], special_names={"<x>": 5}
    )
    allowed = {
        text: {
            token for token in range(6) if mw.compile(gbnf(f'root ::= {text} "a"'), vocabulary).matcher().allows(token)
        }
        for text in ("<think>", "!<think>", "<x>", "!<x>", "!<nothing>")
    }
    assert allowed == {
        "<think>": {2},
        "!<think>": {0, 1, 3, 4, 5},
        "<x>": {5},
        "!<x>": {0, 1, 2, 3, 4},
        "!<nothing>": {0, 1, 2, 3, 4, 5},
    }


@pytest.mark.parametrize(
    "text",
    [
        "root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000,
        "root ::= " + '("b" | ' * 5_000 + '"a"' + ")" * 5_000,
        'root ::= "a"' + "*" * 1_000,
        "root ::= r0\n" + "".join(f"r{i} ::= r{i + 1}\n" for i in range(5_000)) + 'r5000 ::= "a"',
    ],
    ids=["brackets", "groups", "stars", "chain"],
)
def test_nesting_of_any_depth(text: str) -> None:
    """Nothing recurses."""
    assert mw.compile(gbnf(text), BYTES).matches("a")


def test_pickles_as_its_text() -> None:
    """A constraint is rebuilt from what it was built from."""
    constraint = gbnf('root ::= "a" root | "b"')
    assert mw.compile(pickle.loads(pickle.dumps(constraint)), BYTES).matches("aab")
