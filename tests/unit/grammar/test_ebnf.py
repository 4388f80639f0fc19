"""EBNF: what the W3C's notation and xgrammar's share, and what is refused because they do not."""

from __future__ import annotations

import pytest

import maskwright as mw
from maskwright.errors import GrammarError, UnsupportedError
from maskwright.notations import ebnf
from tests.conformance.verdicts import BYTES

ACCEPTED: list[tuple[str, list[str], list[str]]] = [
    ('root ::= x\n | "b" y\nx ::= "a" y?\ny ::= "c"', ["a", "ac", "bc"], ["b", "abc"]),
    ("root ::= x x ::= 'it' \"'s\"", ["it's"], ["it"]),
    ("root ::= [a-z]+ /* a *comment* */ #x20 # the end\n", ["abc "], ["abc"]),
    ("S ::= [#x20#x9-#xA]+ | #x41", [" \t\n", "A"], ["", "x", "AA"]),
    (r'root ::= "\a\e\0\x41\'\?" [\^\d-]'.replace(r"\d", ""), ["\a\x1b\0A'?^", "\a\x1b\0A'?-"], ["x"]),
    ("root ::= [^]", ["a", "\n"], ["", "ab"]),
    ('root ::= "a"{2,-1} a.b\na.b ::= "x"{1}', ["aax", "aaaax"], ["ax"]),
    ('root ::= [a-z]+ - ("if" | "else")', ["i", "iff", "elses"], ["if", "else", ""]),
    ("root ::= [a-c] - 'a' - 'b'", ["c"], ["a", "b", ""]),
    ('root ::= Char* - (Char* "]]>" Char*)\nChar ::= [^]', ["abc", "]]", ""], ["a]]>b", "]]>"]),
    (
        "root ::= '<!--' ((Char - '-') | ('-' (Char - '-')))* '-->'\nChar ::= [^]",
        ["<!--a-b-->", "<!---->"],
        ["<!--a--b-->", "<!-->"],
    ),
    (
        'root ::= Name "x"\nName ::= (a - b)+\na ::= [a-z]\nb ::= c | "z"\nc ::= "q" - d\nd ::= "r"',
        ["abx"],
        ["qx", "zx"],
    ),
]


@pytest.mark.parametrize(("text", "accepted", "rejected"), ACCEPTED, ids=[text for text, _, _ in ACCEPTED])
def test_what_is_read(text: str, accepted: list[str], rejected: list[str]) -> None:
    """The notation means what XML 1.0, section 6, and xgrammar say."""
    guide = mw.compile(ebnf(text, start=text.split(maxsplit=1)[0]), BYTES)
    assert [one for one in accepted if not guide.matches(one)] == []
    assert [one for one in rejected if guide.matches(one)] == []


FAULTS: list[tuple[str, str, str]] = [
    (r'root ::= "\x41BC"', "1:11", "two to others"),
    (r"root ::= 'a\n'", "1:12", "single quotes"),
    (r"root ::= [\d]", "1:11", "unknown"),
    ('root ::= "a\n"', "1:10", "not closed"),
    ("root ::= [a\n]", "1:10", "not closed"),
    ('root ::= "a" | ', "1:16", 'write ""'),
    ('root ::= | "a"', "1:10", 'write ""'),
    ('root ::= "a" -', "1:14", "nothing after"),
    ('root ::= - "a"', "1:10", "nothing before"),
    ('root ::= "a" - - "a"', "1:16", "nothing before"),
    ('root ::= ("a" - | "b")', "1:15", "nothing after"),
    ('root ::= "a" - *', "1:16", "repeats nothing"),
    ('root ::= "a" ("b"', "1:14", "not closed"),
    ("root ::= #x110000", "1:10", "U+10FFFF"),
    ("root ::= [#xD800]", "1:11", "surrogate"),
    ('root ::= "a" {2,1}', "1:14", "impossible"),
    ("root ::= /* open", "1:10", "no meaning"),
]


@pytest.mark.parametrize(("text", "place", "reason"), FAULTS, ids=[ascii(text) for text, _, _ in FAULTS])
def test_faults(text: str, place: str, reason: str) -> None:
    """A fault is told with line and column, and a caret."""
    with pytest.raises(GrammarError) as caught:
        ebnf(text)
    assert caught.value.problems[0].place == place
    assert reason in str(caught.value)
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ('root ::= "a" (= "b")', "(="),
        ('root[max_tokens=10] ::= "a"', "[max_tokens=10]"),
        ('root ::= Regex("a+")', "Regex"),
        ('root ::= TagDispatch(("a", x))\nx ::= "b"', "TagDispatch"),
        ('root ::= r - "a"\nr ::= "(" r ")" | "a"', "-"),
        ('root ::= a\na ::= "x" | (a - "y")', "-"),
    ],
)
def test_what_is_not_enforced_is_refused(text: str, construct: str) -> None:
    """Nothing is dropped quietly; the construct is named."""
    with pytest.raises(UnsupportedError) as caught:
        ebnf(text)
    assert caught.value.problems[0].keyword == construct


def test_other_readings_are_told() -> None:
    """What xgrammar reads as text or a comment is a warning."""
    assert ebnf("root ::= [#x20]").warnings[0].place == "1:11"
    assert ebnf("root ::= 'a'").warnings == ()


def test_tokens() -> None:
    """``Token`` and ``ExcludeToken`` are tokens by id."""
    matcher = mw.compile(ebnf("root ::= Token(66, 67) ExcludeToken(3, 65)"), BYTES).matcher()
    assert [matcher.allows(token) for token in (65, 66, 67, 68)] == [False, True, True, False]
    matcher.advance(66)
    assert [matcher.allows(token) for token in (2, 3, 4, 65, 66)] == [True, False, True, False, True]
