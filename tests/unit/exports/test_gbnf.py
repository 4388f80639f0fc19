"""``to_gbnf``: the same texts, in a grammar that llama.cpp reads; or the reason why not."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwright as mw
from maskwright.constraint import Constraint
from maskwright.errors import PolicyError, UnsupportedError
from maskwright.exports.gbnf import to_gbnf
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import (
    ANYTHING,
    Term,
    automaton,
    characters,
    concatenate,
    encode,
    literal,
    marker,
    quote,
    repeat,
    token,
    token_ids,
    words,
)
from maskwright.network.nodes import Call, Capture, Lex, NodeKey, Production, Switch
from maskwright.tags.formats import FORMATS
from tests.conformance.verdicts import BYTES
from tests.oracle.gbnf import Gbnf
from tests.oracle.terms import matches
from tests.properties import terms as strategies

CASES: Final = [
    case
    for path in sorted((Path(__file__).parents[2] / "cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text())["case"]
    if "schema" in case
]


class Table:
    """A network out of a table; the first node is the root."""

    def __init__(self, nodes: Mapping[str, Sequence[Production]]) -> None:
        self._nodes = nodes

    @property
    def root(self) -> NodeKey:
        return next(iter(self._nodes))

    def expand(self, key: NodeKey) -> Iterable[Production]:
        return self._nodes[str(key)]

    def realize(self, key: Hashable, text: str) -> NodeKey:
        del text
        return key

    def describe(self, key: NodeKey) -> str:
        return f"the node {key}"


def constraint(nodes: Mapping[str, Sequence[Production]], limits: Limits = DEFAULT_LIMITS, **more: Any) -> Constraint:
    def rebuild() -> Constraint:
        raise NotImplementedError

    return Constraint("table", Table(nodes), rebuild=rebuild, limits=limits, **more)


def of_term(term: Term) -> Gbnf:
    return Gbnf(to_gbnf(constraint({"root": [(Lex(term),)]})))


def written(given_constraint: Constraint, **options: Any) -> Gbnf | str:
    """The grammar, or the keyword for which it is refused."""
    try:
        return Gbnf(to_gbnf(given_constraint, **options))
    except UnsupportedError as error:
        return error.problems[0].keyword


def reads_twice(text: str) -> bool:
    """Whether an object of a JSON text names a key twice."""
    found: list[bool] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        found.append(len(dict(pairs)) < len(pairs))

    try:
        json.loads(text, object_pairs_hook=note)
    except ValueError:
        return False
    return any(found)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
@pytest.mark.parametrize("escapes", ["all", "minimal"])
def test_engine_neutral_cases(case: dict[str, Any], escapes: str) -> None:
    """The grammar accepts the outputs that the engine does; keys and elements that must differ are refused."""
    policies = {"property_order": "any", "whitespace": "compact", **case.get("policies", {}), "escapes": escapes}
    given_constraint = mw.json_schema(case["schema"], **policies)
    guide = mw.compile(given_constraint, BYTES)
    limits = Limits(emptiness_states=2_000)
    grammar = written(given_constraint, limits=limits)
    reason = grammar if isinstance(grammar, str) else ""
    if reason:
        grammar = written(given_constraint, limits=limits, repeats="allowed")
    if isinstance(grammar, str):
        assert grammar == "rules"
        return
    assert reason in ("", "additionalProperties", "uniqueItems")
    for text in (*case["accepted"], *case["rejected"]):
        if len(text) > 60 or any("\ud800" <= c <= "\udfff" for c in text):
            continue
        expected = guide.matches(text)
        if not reason or expected or not (reads_twice(text) or "uniqueItems" in case["schema"]):
            assert grammar.matches(text) is expected, text


@settings(max_examples=150, deadline=None)
@given(term=strategies.terms, text=strategies.texts)
def test_terms_as_text(term: Term, text: str) -> None:
    """A term in UTF-8 becomes a grammar of the same strings."""
    assert of_term(concatenate(encode(literal("<")), encode(term))).matches("<" + text) is matches(term, text)


@settings(max_examples=100, deadline=None)
@given(term=strategies.terms, text=strategies.texts, minimal=st.booleans(), ascii_only=st.booleans())
def test_terms_in_quotes(term: Term, text: str, minimal: bool, ascii_only: bool) -> None:
    r"""A quoted term becomes a grammar of all spellings, ``\u`` among them unless escapes are minimal."""
    spelled = json.dumps(text, ensure_ascii=ascii_only)
    is_spelling = not (minimal and ascii_only) or spelled == json.dumps(text, ensure_ascii=False)
    assert of_term(quote(term, minimal=minimal)).matches(spelled) is (is_spelling and matches(term, text))


@settings(max_examples=60, deadline=None)
@given(schema=strategies.schemas, texts=st.lists(strategies.values, min_size=1, max_size=4))
def test_the_engine_reads_its_own_grammars(schema: Any, texts: list[str]) -> None:
    """A schema and the grammar written for it accept the same values, but for keys that come twice."""
    try:
        made = mw.json_schema(schema, whitespace="spaced")
    except mw.ConstraintError:
        return
    guide = mw.compile(made, BYTES)
    again = mw.compile(mw.gbnf(to_gbnf(made, repeats="allowed")), BYTES)
    for text in texts:
        assert again.matches(text) is guide.matches(text), text


@pytest.mark.parametrize(
    ("least", "most", "good", "bad"),
    [
        (0, 5000, [0, 1, 999, 1000, 4899, 4900, 4999, 5000], [5001, 5100]),
        (2000, 2000, [2000], [1999, 2001]),
        (1999, None, [1999, 2000, 7000], [1998]),
        (1500, 1700, [1500, 1501, 1699, 1700], [1499, 1701]),
        (1, 1_000_000, [1, 3000], [0]),
        (0, (1 << 30) - 1, [0, 3000], []),
    ],
)
def test_counts_beyond_what_llama_cpp_counts(least: int, most: int | None, good: list[int], bad: list[int]) -> None:
    """Bounds are kept by blocks: llama.cpp takes 2,000 and more for no bound. The oracle refuses them."""
    grammar = of_term(encode(repeat(characters([(0x61, 0x7A)]), least, most)))
    for size in (*good, *bad):
        assert grammar.matches("x" * size) is (size in good), size


def test_loops_over_what_may_be_empty() -> None:
    """They are written without the empty turn, which llama.cpp would take for left recursion."""
    grammar = Gbnf(to_gbnf(mw.regex("((a?b?)*c{0,2})*")))
    for text in map("".join, product("abcd", repeat=3)):
        assert grammar.matches(text) is ("d" not in text), text


def test_every_escape_of_a_character() -> None:
    """All spellings of ASCII and of others, by their definition in RFC 8259."""
    grammar = of_term(quote(characters([(0, 0x10FFFF)])))
    for point in (*range(0x80), 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF):
        character = chr(point)
        units = json.dumps(character)[1:-1] if point > 0x7F else f"\\u{point:04x}"
        assert grammar.matches(f'"{units}"'), units
        assert grammar.matches(f'"{character}"') is (point > 0x1F and character not in '"\\'), point
    for spelled in (r"\ud800", r"\udc00", r"\ude00\ud83d", r"\x41", r"\a", r"\u00g0", r"\u041"):
        assert not grammar.matches(f'"{spelled}"'), spelled


def test_switches_and_calls() -> None:
    """Each word leads to its target; words that are not live are left out; a node may call itself on the right."""
    term = quote(words(["a", 'b"', "c"], labelled=True), minimal=True)
    nodes = {
        "start": [(Switch(term, ("one", "more", "one"), 0b011),)],
        "one": [(Lex(encode(literal("1"))),)],
        "more": [(Lex(encode(literal(":"))), Call("start"))],
    }
    grammar = Gbnf(to_gbnf(constraint(nodes)))
    assert [text for text in ('"a"1', '"b\\""1', '"b\\"":"a"1', '"c"1', '"a":') if grammar.matches(text)] == [
        '"a"1',
        '"b\\"":"a"1',
    ]


class Digits:
    """Digits with a label that says whether their number is even: an accepted text may go on."""

    start = "begin"

    def __hash__(self) -> int:
        return hash(Digits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digits)

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        return ((0x30, 0x39, "odd" if state in ("begin", "even") else "even"),)

    def accepts(self, state: Hashable) -> bool:
        return state != "begin"

    def label(self, state: Hashable) -> int:
        return int(state == "even")

    def continues(self, state: Hashable) -> bool:
        return bool(state)


def test_machines_with_labels() -> None:
    """A switch over a machine goes on with the target of the label wherever it accepts."""
    nodes = {
        "start": [(Switch(encode(automaton(Digits())), ("odd", "even")),)],
        "odd": [(Lex(encode(literal("o"))),)],
        "even": [(Lex(encode(literal("e"))),)],
    }
    grammar = Gbnf(to_gbnf(constraint(nodes)))
    for text in ("1o", "12e", "123o", "1e", "12o", "o", "12"):
        assert grammar.matches(text) is (text in ("1o", "12e", "123o")), text


def test_tokens_by_name_and_id() -> None:
    """llama.cpp names a token as ``<name>`` or ``<[id]>``; what is text without one is written as text."""
    symbols = (Lex(token("<|call|>")), Lex(token_ids([(7, 8)])), Lex(marker("<tool>")))
    written = to_gbnf(constraint({"start": [symbols]}))
    assert "<|call|>" in written.replace('"', " ").split()
    assert "(<[7]> | <[8]>)" in written
    assert '"<tool>"' in written


@pytest.mark.parametrize("form", FORMATS)
def test_tool_calls_of_every_format(form: str) -> None:
    """Calls are written with the names of control tokens as text; without any of its bytes a call is what it is."""
    parameters = {"properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
    made = mw.tools([{"name": "look", "parameters": {"type": "object", **parameters}}], choice="look", format=form)
    guide = mw.compile(made, BYTES)
    again = mw.compile(mw.gbnf(to_gbnf(made)), BYTES)
    call = guide.complete(b"")
    assert again.matches(call)
    for place in range(len(call)):
        less = call[:place] + call[place + 1 :]
        assert again.matches(less) is guide.matches(less), less


@pytest.mark.parametrize(
    ("term", "part"),
    [
        (token("[TOOL_CALLS]"), "[TOOL_CALLS]"),
        (token("<a>b>"), "<a>b>"),
        (token("<[3]>"), "<[3]>"),
        (token_ids([(0, 10**9)]), "1000000001 token ids"),
    ],
)
def test_tokens_that_cannot_be_named(term: Term, part: str) -> None:
    """They are refused with the node where they are read."""
    with pytest.raises(UnsupportedError) as raised:
        to_gbnf(constraint({"start": [(Lex(term),)]}))
    assert part in raised.value.problems[0].reason
    assert raised.value.problems[0].place == "the node start"


@pytest.mark.parametrize("is_recall", [False, True])
def test_what_must_differ_is_refused_or_allowed_by_name(is_recall: bool) -> None:
    """A capture is no grammar's; with ``repeats="allowed"`` the first line says what is lost."""
    nodes = {"start": [(Capture(quote(ANYTHING), "end", is_recall),)], "end": [(Lex(encode(literal("."))),)]}
    with pytest.raises(UnsupportedError) as raised:
        to_gbnf(constraint(nodes))
    assert raised.value.problems[0].keyword == ("uniqueItems" if is_recall else "additionalProperties")
    written = to_gbnf(constraint(nodes), repeats="allowed")
    assert written.startswith("# Allowed here, unlike in the constraint: ")
    assert Gbnf(written).matches('"any".')


def test_too_many_rules() -> None:
    """Keys in any order take a rule a subset; the cap and the remedy are told."""
    names = [f"key{i}" for i in range(16)]
    schema = {"properties": {name: {"type": "null"} for name in names}, "additionalProperties": False, "type": "object"}
    with pytest.raises(UnsupportedError, match="more than 500 rules"):
        to_gbnf(mw.json_schema(schema, property_order="any"), limits=Limits(emptiness_states=500))
    declared = to_gbnf(mw.json_schema(schema, whitespace="compact"), limits=Limits(emptiness_states=500))
    assert Gbnf(declared).matches('{"key3":null,"key9":null}')


def test_names_and_comments_never_hold_what_was_given() -> None:
    """Keys that try to end a comment or a literal stay what they are: one rule more would be read by the oracle."""
    evil = '"\nroot ::= "x" #\r\u2028'
    schema = {"type": "object", "properties": {evil: {"type": "object", "properties": {evil: {"const": 1}}}}}
    written = to_gbnf(mw.json_schema(schema, objects="closed", whitespace="compact", escapes="minimal"))
    grammar = Gbnf(written)
    inner = json.dumps(evil, ensure_ascii=False)
    assert grammar.matches(f"{{{inner}:{{{inner}:1}}}}")
    assert not grammar.matches("x")
    assert "\r" not in written


def test_long_chains_and_deep_patterns() -> None:
    """Nothing recurses: thousands of nodes in a row, and patterns that nest as deep as they may."""
    chain: dict[str, list[Production]] = {
        str(i): [(Lex(encode(literal("ab"[i % 2]))), Call(str(i + 1)))] for i in range(10_000)
    }
    chain["10000"] = [(Lex(encode(literal("."))),)]
    written = to_gbnf(constraint(chain))
    assert written.count("ab") > 1000
    assert "root" in Gbnf(to_gbnf(mw.regex("(" * 200 + "a" + "b)?c" * 200))).rules
    assert Gbnf(to_gbnf(mw.regex("(" * 20 + "a" + "b?)*c" * 20))).matches("abac" + "c" * 19)


def test_arguments() -> None:
    """What has no meaning is refused; so is an output that goes on with what a prompt began."""
    with pytest.raises(PolicyError):
        to_gbnf("root ::= x")  # type: ignore[arg-type]
    with pytest.raises(PolicyError):
        to_gbnf(mw.regex("a"), repeats="maybe")
    with pytest.raises(UnsupportedError, match="prefix"):
        to_gbnf(constraint({"start": [(Lex(encode(literal("ab"))),)]}, prefix=b"a"))
