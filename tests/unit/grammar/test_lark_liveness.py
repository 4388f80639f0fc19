"""Dead ends of contextual grammars: grammars without any text are refused, and no mask leads to one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import UnsatisfiableError
from maskwright.grammar.lark_loader import compile_rules, load_lark
from maskwright.grammar.lark_tables import build_table
from tests.conformance.verdicts import BYTES

EMPTY = {
    "a terminal takes what the next one needs": 'start: A "a"\nA: /a+/',
    "so does what is ignored": 'start: "a" " " "b"\n%ignore / +/',
    "a terminal that is only declared": "%declare INDENT\nstart: INDENT",
    "the parser shifts what it should reduce before": 'start: a "x"\na: "x" a | "x"',
    "the same in a list": 'start: l "x"\nl: l "+" m | m\nm: "x" m | "x"',
    "a rule without an end": 'start: "a" start',
    "a lookahead that what follows cannot meet": 'start: A "c"\nA: /a(?=b)/',
    "a lookbehind that what stands before cannot meet": 'start: "a" B\nB: /(?<=c)b/',
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_grammar_without_any_text_is_refused(name: str) -> None:
    with pytest.raises(UnsatisfiableError):
        mw.lark(EMPTY[name])


@pytest.mark.parametrize(
    ("grammar", "words"),
    [
        ('start: A "b" A\nA: /a+b*/', 'needs "b", the lexer never finds it'),
        ('start: "a" start', "no rule comes to an end"),
        ("%declare INDENT\nstart: INDENT", "needs INDENT"),
    ],
)
def test_the_reason_names_what_is_never_found(grammar: str, words: str) -> None:
    with pytest.raises(UnsatisfiableError, match=words):
        mw.lark(grammar)


DEAD = [
    ('start: A ("a" | "b")\nA: /a+/', "aa", "b", None),
    ('start: A "b" | B "c"\nA: /a/\nB: /ab?/', "a", "c", "a"),
    ('start: "(" start ")" | X Y | "[" start "]"\nX: /x+/\nY: /x|y/', "(x", "xy", ")"),
    ('start: (A | B)* "!"\nA: /a/\nB: /b(?=c|!)/', "b", "!", "ab"),
    ('start: NAME (NAME | NUM)* ";"\nNAME: /[a-z]+/\nNUM: /[0-9]+(?!0)/', "a1", "2;", None),
    ('start: "a" C? ("b" | NL "c")\nC: /#[^\\n]*/\nNL: "\\n"', "a#x", "y\n", None),
]


@pytest.mark.parametrize(("grammar", "begun", "allowed", "refused"), DEAD)
def test_outcomes_that_cannot_be_completed_are_no_outcomes(
    grammar: str, begun: str, allowed: str, refused: str | None
) -> None:
    """After a beginning the characters of one text may follow, those of another may not, and a completion exists."""
    matcher = mw.compile(mw.lark(grammar), BYTES).matcher()
    for byte in begun.encode():
        matcher.advance(byte + 1)
    assert all(matcher.can_read(char.encode()) for char in allowed)
    assert refused is None or not matcher.can_read(refused[:1].encode())
    text = (matcher.text + matcher.complete()).decode()
    lark: Any = import_module("lark")
    assert lark.Lark(grammar, parser="lalr").parse(text) is not None


CONFLICTS = [
    ('start: "i" "c" start | "i" "c" start "e" start | "s"', True),
    ('start: a "x"\na: "x" a | "x"', False),
    ('start: l "x"\nl: l "+" m | m\nm: "x" m | "x"', False),
    ('start: "a" start T+ | "c"\nT: "t"', False),
    ('start: "{" [list ","?] "}"\nlist: x ("," x)*\nx: "x"', True),
]


@pytest.mark.parametrize(("grammar", "harmless"), CONFLICTS)
def test_conflicts_that_matter_are_told_from_those_that_do_not(grammar: str, harmless: bool) -> None:
    """The dangling else loses no completion; a list that never ends loses all."""
    assert build_table(compile_rules(load_lark(grammar)), "start").is_clean is harmless


def test_many_keywords_and_names_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the saturation makes is counted as it is made: a thousand keywords beside names would make millions."""
    monkeypatch.setattr("maskwright.grammar.lark_saturation._FACTS", 0.05)
    words = " | ".join(f'"kw{number}"' for number in range(40))
    names = "\n".join(f"N{number}: /[a-z{number}]+_{number}/" for number in range(4))
    guide = mw.compile(mw.lark(f"start: ({words} | N0 | N1 | N2 | N3)+\n{names}"), BYTES)
    assert [text for text in ("kw1kw2", "a_3", "kw1a_2", "kw", "a_7") if guide.matches(text)] == [
        "kw1kw2",
        "a_3",
        "kw1a_2",
    ]
