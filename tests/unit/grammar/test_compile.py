"""Grammars of every shape, against the slow recogniser on all short texts."""

from __future__ import annotations

from itertools import product

import pytest

import maskwright as mw
from maskwright.constraint import Constraint, is_empty_text, json_schema
from maskwright.errors import LimitError, UnsatisfiableError
from maskwright.grammar.compile import compile_grammar
from maskwright.grammar.rules import Foreign, Grammar, Reference, Repeat, Rule, Symbol, Text, Token
from maskwright.limits import DEFAULT_LIMITS
from maskwright.network.lexeme import NEVER, characters, complement, intersect, literal, repeat, token_ids
from maskwright.notations import gbnf
from tests.conformance.verdicts import BYTES
from tests.oracle import earley

A, B, C = (Text(literal(char)) for char in "abc")
S, T, U = (Reference(rule) for rule in range(3))
Bodies = list[tuple[Symbol, ...]]


def grammar(*rules: Bodies) -> Grammar:
    return Grammar(tuple(Rule("stu"[i], tuple(bodies)) for i, bodies in enumerate(rules)), 0)


def guide_of(given: Grammar) -> mw.Guide:
    network = compile_grammar(given, is_empty=lambda term: is_empty_text(term, DEFAULT_LIMITS))
    return mw.compile(Constraint("grammar", network, rebuild=lambda: None, limits=DEFAULT_LIMITS), BYTES)  # type: ignore[arg-type, return-value]


SHAPES = {
    "left recursion": grammar([(S, A), (B,)]),
    "right recursion": grammar([(A, S), (B,)]),
    "both": grammar([(A, S), (S, B), (C,)]),
    "middle": grammar([(A, S, B), ()]),
    "cycle": grammar([(S,), (T,), (A,)], [(S,), (B,)]),
    "a rule alone": grammar([(S,), (A,), ()]),
    "ambiguous": grammar([(S, S), (A,), (B,)]),
    "ambiguous and empty": grammar([(S, S), (A,), ()]),
    "ambiguous threefold": grammar([(S, S, S), (S, B), (A,)]),
    "indirect left recursion": grammar([(T, A), (C,)], [(S, B), (U,)], [(T, C), (B,)]),
    "hidden left recursion": grammar([(T, S, A), (B,)], [(), (C,)]),
    "hidden by a text": grammar([(Text(repeat(literal("a"))), S, B), (C,)]),
    "hidden by a repetition": grammar([(Repeat(1, 0, 2), S, A), (B,)], [(C,)]),
    "left recursion in a repetition": grammar([(Repeat(0, 1, 2), A), (B,)]),
    "left recursion in a star": grammar([(Repeat(0, 0, None), A), (B,)]),
    "operators": grammar([(S, A, S), (S, B, S), (C,)]),
    "operators by another rule": grammar([(T,), (C,)], [(S, A, S), (S, B, S)]),
    "what follows is more than itself": grammar([(T,), (U,)], [(S, A, S), (C,)], [(T, B)]),
    "star of what may be empty": grammar([(Repeat(1, 0, None), B)], [(Text(repeat(literal("a"))),)]),
    "counts of what may be empty": grammar([(Repeat(1, 2, 3), B)], [(A,), ()]),
    "counts of a rule": grammar([(Repeat(1, 2, 3),)], [(A, T, B), (C,)]),
    "at least": grammar([(Repeat(1, 2, None),)], [(A, S, A), (C,)]),
    "none at all": grammar([(Repeat(1, 0, 0), A)], [(B,)]),
    "an alternative that cannot end": grammar([(A, T), (B,)], [(T, A)]),
    "a repetition that can only be left out": grammar([(Repeat(1, 0, None), A)], [(T, A)]),
    "empty texts around": grammar([(T, S, T), (A,)], [(), (T,)]),
    "empty on both sides of itself": grammar([(T, S, T), (A,)], [(), (B,)]),
}


@pytest.mark.parametrize("given", SHAPES.values(), ids=SHAPES)
def test_shapes(given: Grammar) -> None:
    """A text is accepted if and only if it can be derived."""
    guide = guide_of(given)
    for size in range(7):
        for chars in product("abc" if size < 5 else "ab", repeat=size):
            text = "".join(chars)
            assert guide.matches(text) is earley.accepts(given, text), text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (grammar([(S, A)]), "rule s needs itself before it can end"),
        (grammar([(T, A)], [(B, U)], [(T,)]), "rule t needs u needs t before it can end"),
        (grammar([(Text(NEVER),)]), "rule s asks for a text that no string matches"),
        (grammar([]), "rule s has no alternative"),
        (
            grammar([(Text(intersect(literal("ab"), complement(characters([(0, 99)])), repeat(literal("b")))),)]),
            "rule s asks for a text that no string matches",
        ),
    ],
)
def test_what_can_never_end(given: Grammar, reason: str) -> None:
    """A grammar without a text is refused, with the rule that stands in the way."""
    with pytest.raises(UnsatisfiableError) as caught:
        guide_of(given)
    assert reason in str(caught.value)


def test_a_schema_inside() -> None:
    """Another network is read where it stands, twice at once too, and its captured keys are its own."""
    schema = {"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"maxLength": 1}}
    other = json_schema(schema, whitespace="compact").network
    rules = (Rule("s", ((S, A), (Foreign(0), B, Foreign(0)))),)
    guide = guide_of(Grammar(rules, 0, (other,)))
    assert guide.matches('{}b{"a":1,"b":2}aa')
    assert guide.matches('{"a":1}b{"a":1}')
    for text in ('{}b{"a":1,"a":2}', '{"a":1,"a":2}b{}', '{}b{"ab":1}', "{}{}", "{}b"):
        assert not guide.matches(text), text


def test_tokens() -> None:
    """A token that is named is read as itself."""
    given = Grammar((Rule("s", ((S, A), (Token(token_ids([(0x62, 0x63)])),))),), 0)
    matcher = guide_of(given).matcher()
    matcher.advance(0x63)
    matcher.advance(0x62)
    assert matcher.text == b"ba"
    assert matcher.is_accepting


def test_counts_are_never_copied() -> None:
    """A repetition of any size costs what is read of it; what no text can reach is refused."""
    guide = guide_of(grammar([(Repeat(1, 0, 10**12), C)], [(A, T, B), ()]))
    assert guide.matches("aabb" * 50 + "c")
    guide = guide_of(grammar([(Repeat(1, 1000, 1000),)], [(A, T, B), (C,)]))
    assert guide.matches("acb" + "c" * 999)
    assert not guide.matches("acb" + "c" * 998)
    with pytest.raises(LimitError, match="repetitions"):
        guide_of(grammar([(Repeat(1, 2**30, None),)], [(A,)]))


def test_many_alternatives() -> None:
    """Alternatives beyond counting are read by their first words, which may be alike and begin each other."""
    named = [(Text(literal(f"f{i % 40}")), Text(repeat(literal("a"))), S, B) for i in range(60)]
    given = grammar([*named, *[(Text(literal(f"f{i}")), T) for i in range(30)], (A, S), ()], [(C, T, C), (B,)])
    guide = guide_of(given)
    for text in (
        "f1b",
        "f1f12cbcb",
        "f12aaf3bb",
        "f29cbc",
        "af7b",
        "f1",
        "f2acbc",
        "f39aaab",
        "f30cbc",
        "f1cbc",
        "ff1b",
    ):
        assert guide.matches(text) is earley.accepts(given, text), text


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ('root ::= "a" ("+" root)? " "*', "a+"),
        ('root ::= "a" x | ""\nx ::= root o\no ::= "+"?', "a"),
        ('root ::= root root | "a" | "+"', "a+"),
        ('root ::= root "+" root | "(" root ")" | "a"', "a+"),
        ('root ::= root ws "+" ws root ws | "a"\nws ::= (" " ws)?', "a+"),
    ],
)
def test_long_texts(text: str, piece: str) -> None:
    """A byte of a long text costs no more than one of a short text, though thousands of rules could end at each."""
    guide = mw.compile(gbnf(text), BYTES)
    assert guide.matches(piece * 10_000 + "a")
    matcher = guide.matcher()
    for byte in (piece * 500).encode():
        matcher.mask()
        matcher.advance(1 + byte)
    assert matcher.can_read(b"a")


def test_descriptions_name_the_rule() -> None:
    """What was expected is told by its rule."""
    guide = guide_of(grammar([(A, T, B)], [(A, T, B), (C,)]))
    matcher = guide.matcher()
    matcher.advance_bytes(b"a")
    assert "rule t" in matcher.explain(1 + ord("x"))
