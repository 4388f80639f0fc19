"""Laws of grammars in every shape: left recursion, cycles, ambiguity, empty rules, repetitions of all of these."""

from __future__ import annotations

import random
from functools import partial
from itertools import product
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.constraint import Constraint, is_empty_text
from maskwright.errors import UnsatisfiableError, UnspellableError
from maskwright.grammar.compile import compile_grammar
from maskwright.grammar.rules import Foreign, Grammar, Reference, Repeat, Rule, Symbol, Text
from maskwright.limits import DEFAULT_LIMITS
from maskwright.network.lexeme import EPSILON, NEVER, characters, literal, repeat, words
from maskwright.notations import gbnf
from tests.oracle import earley
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary
from tests.properties.walks import walk

VOCABULARY: Final = make_vocabulary([*SINGLES, b"aa", b"ab", b"ba", b"bab", b"abab", b"aaab", b"cab"])
SHORT: Final = ["".join(chars) for size in range(6) for chars in product("abc" if size < 4 else "ab", repeat=size)]
TERMS: Final = (
    literal("a"), literal("b"), literal("ab"), literal("c"), characters([(97, 98)]), repeat(literal("a")),
    words(["", "a"]), words(["a", "ba", "bb"]), repeat(characters([(98, 98)]), 1, 2), EPSILON, NEVER,
)  # fmt: skip
RULES: Final = 4


def _symbol(chance: random.Random, rules: int) -> Symbol:
    kind = chance.random()
    if kind < 0.4:
        return Text(chance.choice(TERMS))
    if kind < 0.85:
        return Reference(chance.randrange(rules))
    least = chance.choice([0, 0, 1, 2])
    return Repeat(chance.randrange(rules), least, chance.choice([None, None, least, least + 1, least + 2]))


def _grammar(chance: random.Random) -> Grammar:
    rules = chance.randint(1, RULES)
    return Grammar(
        tuple(
            Rule(
                "pqrs"[i],
                tuple(
                    tuple(_symbol(chance, rules) for _ in range(chance.choice([0, 1, 1, 2, 2, 3])))
                    for _ in range(chance.randint(1, 3))
                ),
            )
            for i in range(rules)
        ),
        0,
    )


def _guide(grammar: Grammar) -> mw.Guide | None:
    try:
        network = compile_grammar(grammar, is_empty=partial(is_empty_text, limits=DEFAULT_LIMITS))
    except UnsatisfiableError:
        return None
    constraint = Constraint("grammar", network, rebuild=partial(gbnf, ""), limits=DEFAULT_LIMITS)
    return mw.compile(constraint, VOCABULARY)


@given(st.randoms(use_true_random=False))
def test_texts(chance: random.Random) -> None:
    """A text is accepted if and only if the grammar derives it; only a grammar that derives none is refused."""
    grammar = _grammar(chance)
    guide = _guide(grammar)
    for text in SHORT:
        assert earley.accepts(grammar, text) is (guide is not None and guide.matches(text)), (text, grammar)


@given(st.randoms(use_true_random=False))
def test_masks_and_ends(chance: random.Random) -> None:
    """Every mask is that of brute force, no walk is ever stuck, and what it wrote is derived."""
    grammar = _grammar(chance)
    guide = _guide(grammar)
    if guide is None:
        return

    def visit(matcher: mw.Matcher) -> None:
        assert in_mask(matcher) == by_reading(matcher), (matcher.text, grammar)

    matcher = guide.matcher()
    for _ in range(8):
        visit(matcher)
        token = chance.choice(sorted(in_mask(matcher)))
        matcher.advance(token)
        if token == 0:
            break
    else:
        matcher.advance_bytes(matcher.complete())
        assert matcher.is_accepting, (matcher.text, grammar)
    text = matcher.text.decode()
    assert len(text) > 24 or earley.accepts(grammar, text), (text, grammar)


#: Short texts, and tokens that cannot write all of them.
_WRITABLE: Final = [b"a", b"b", b"ab", b"ba", b"bab", b"aa"]


@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(_WRITABLE), min_size=1, max_size=4, unique=True))
def test_vocabularies_that_lack_bytes(chance: random.Random, tokens: list[bytes]) -> None:
    """Every token that is allowed can be gone on from with tokens, and what a short text needs is allowed."""
    grammar = _grammar(chance)
    vocabulary = make_vocabulary(tokens)
    written = {text for text in SHORT if earley.accepts(grammar, text) and _spellings(text.encode(), tokens)}
    try:
        network = compile_grammar(grammar, is_empty=partial(is_empty_text, limits=DEFAULT_LIMITS))
        guide = mw.compile(Constraint("grammar", network, rebuild=partial(gbnf, ""), limits=DEFAULT_LIMITS), vocabulary)
    except (UnsatisfiableError, UnspellableError):
        assert not written, grammar
        return
    for text in written:
        matcher = guide.matcher()
        for token in _spellings(text.encode(), tokens):
            assert matcher.allows(token), (text, grammar, tokens)
            matcher.advance(token)
        assert matcher.allows(0), (text, grammar, tokens)
    matcher = guide.matcher()
    for _ in range(10):
        allowed = sorted(in_mask(matcher))
        assert allowed, (matcher.text, grammar, tokens)
        matcher.advance(chance.choice(allowed))
        if matcher.is_finished:
            break


def _spellings(text: bytes, tokens: list[bytes]) -> list[int]:
    """Ids of tokens that make up a text, none if there are none."""
    ways: dict[int, list[int]] = {0: []}
    for end in range(1, len(text) + 1):
        for number, token in enumerate(tokens, 1):
            if end not in ways and text[:end].endswith(token) and end - len(token) in ways:
                ways[end] = [*ways[end - len(token)], number]
    return ways.get(len(text), [])


@given(st.randoms(use_true_random=False))
def test_networks_inside(chance: random.Random) -> None:
    """A network that stands inside a grammar reads what it reads alone, wherever it stands, empty texts included."""
    inner, outer = _grammar(chance), _grammar(chance)
    try:
        network = compile_grammar(inner)
    except UnsatisfiableError:
        return
    size = len(outer.rules)
    mixed, plain = [], []
    for name, alternatives, _ in outer.rules:
        bodies = [
            tuple(None if isinstance(symbol, Repeat) and symbol.rule == 0 else symbol for symbol in body)
            for body in alternatives
        ]
        mixed.append(Rule(name, tuple(tuple(symbol or Foreign(0) for symbol in body) for body in bodies)))
        plain.append(Rule(name, tuple(tuple(symbol or Reference(size) for symbol in body) for body in bodies)))
    shifted = [
        Rule(
            f"inner {rule.name}", tuple(tuple(_shifted(symbol, size) for symbol in body) for body in rule.alternatives)
        )
        for rule in inner.rules
    ]
    guide = _guide(Grammar(tuple(mixed), 0, (network,)))
    flat = Grammar((*plain, *shifted), 0)
    for text in SHORT[:40]:
        assert earley.accepts(flat, text) is (guide is not None and guide.matches(text)), (text, inner, mixed)


def _shifted(symbol: Symbol, by: int) -> Symbol:
    if isinstance(symbol, Reference):
        return Reference(symbol.rule + by)
    return symbol._replace(rule=symbol.rule + by) if isinstance(symbol, Repeat) else symbol


JSON: Final = r"""
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws
array  ::=
  "[" ws (
            value
    ("," ws value)*
  )? "]" ws
string ::=
  "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
  )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}
"""


@given(st.integers())
def test_walks_through_json(seed: int) -> None:
    """The JSON of the field: masks by brute force along a walk that comes to its end."""
    guide = _json()

    def visit(matcher: mw.Matcher) -> None:
        assert in_mask(matcher) == by_reading(matcher), matcher.text

    assert guide.matches(walk(guide, random.Random(seed), budget=25, visit=visit))


def _json(known: list[mw.Guide] = []) -> mw.Guide:  # noqa: B006  (one guide for all examples)
    if not known:
        tokens = [*SINGLES, b'{"', b'": ', b'",', b"null", b"\n  ", b"\\u00", b'""', b"]}", b"1.5", b"0e", b'a": {"b']
        known.append(mw.compile(gbnf(JSON), make_vocabulary(tokens)))
    return known[0]
