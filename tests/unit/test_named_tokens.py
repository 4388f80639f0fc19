"""Control tokens that a grammar names, machines that tell how they accepted, and outputs with a prefix."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from functools import partial

import pytest

import maskwright as mw
from maskwright.constraint import Constraint
from maskwright.errors import TokenError, UnspellableError
from maskwright.limits import DEFAULT_LIMITS
from maskwright.network.lexeme import (
    ANYTHING,
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
    unite,
    words,
)
from maskwright.network.nodes import Call, Lex, NodeKey, Production, Switch
from tests.oracle.masks import in_mask

TEXTS = [b"", b"", b"", *[bytes([b]) for b in range(256)], b"ab", b"call", b'{"a"', b"abc"]
NAMES = {"<|call|>": 1, "<|end|>": 2}
CALL, END_NAMED, EOS = 1, 2, 0
A = 3 + ord("a")


def vocabulary(end_ids: Iterable[int] = (EOS,)) -> mw.Vocabulary:
    return mw.Vocabulary.from_tokens(TEXTS, end_ids=end_ids, special_names=NAMES)


class Table:
    """A network written out."""

    def __init__(self, nodes: dict[str, list[Production]]) -> None:
        self.nodes = nodes
        self.root: NodeKey = "root"

    def expand(self, key: NodeKey) -> list[Production]:
        return self.nodes[str(key)]

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        del text
        return key

    def describe(self, key: NodeKey) -> str:
        return str(key)


def constraint(nodes: dict[str, list[Production]], prefix: bytes = b"") -> Constraint:
    network = Table(nodes)
    return Constraint("test", network, rebuild=partial(constraint, nodes, prefix), limits=DEFAULT_LIMITS, prefix=prefix)


def matcher(nodes: dict[str, list[Production]], ends: Iterable[int] = (EOS,)) -> mw.Matcher:
    return mw.compile(constraint(nodes), vocabulary(ends)).matcher()


def allowed(one: mw.Matcher) -> list[int]:
    return sorted(in_mask(one))


def check_masks(one: mw.Matcher) -> None:
    """The mask is what can be advanced."""
    readable = set()
    for i in range(len(TEXTS)):
        probe = one.fork()
        with suppress(TokenError):
            probe.advance(i)
            readable.add(i)
    assert set(in_mask(one)) == readable


def test_a_named_token_is_read_by_its_id_alone() -> None:
    """Neither its name spelled out nor bytes that look like its code are the token."""
    one = matcher({"root": [(Lex(encode(literal("a"))), Lex(token("<|call|>")), Lex(encode(literal("b"))))]})
    assert allowed(one) == [A]
    one.advance(A)
    assert allowed(one) == [CALL]
    assert one.forced_tokens() == [CALL]
    assert one.forced_bytes() == b""
    assert not one.can_read(b"<")
    assert not one.can_read(bytes(range(0xF5, 0x100)))
    check_masks(one)
    assert "<|call|>" in one.explain(A)
    one.advance(CALL)
    assert one.text == b"a<|call|>"
    one.rollback()
    assert allowed(one) == [CALL]
    one.advance(CALL)
    one.advance(3 + ord("b"))
    assert one.is_accepting
    assert one.must_end


def test_text_never_reads_a_named_token() -> None:
    """Free text beside a token: both can follow, and neither is the other."""
    one = matcher({"root": [(Lex(encode(ANYTHING)), Lex(token("<|call|>")), Lex(encode(literal("a"))))]})
    for step in (A, 3 + 256, 3 + ord("<")):
        assert CALL in allowed(one)
        assert END_NAMED not in allowed(one)
        one.advance(step)
    check_masks(one)
    one.advance(CALL)
    assert allowed(one) == [A]


def test_a_marker_is_text_where_the_vocabulary_has_no_such_token() -> None:
    """``marker`` falls back to the text, ``token`` refuses."""
    nodes = {"root": [(Lex(marker("<|call|>")), Lex(marker("<T>")), Lex(encode(literal("x"))))]}
    one = matcher(nodes)
    assert allowed(one) == [CALL]
    one.advance(CALL)
    assert one.forced_bytes() == b"<T>x"
    with pytest.raises(UnspellableError):
        matcher({"root": [(Lex(token("<T>")),)]})


def test_tokens_by_id_may_be_text_too() -> None:
    """A text token that is named by its id is read as itself; where its bytes can be read too both are followed."""
    nodes: dict[str, list[Production]] = {
        "root": [
            (Lex(token_ids([(A, A + 1), (CALL, CALL)])), Lex(encode(literal("!")))),
            (Lex(encode(literal("ab?"))),),
        ]
    }
    one = matcher(nodes)
    assert allowed(one) == [CALL, A, A + 1, 3 + 256]
    check_masks(one)
    one.advance(A)
    assert allowed(one) == [3 + ord("!"), A + 1]
    one.advance(A + 1)
    assert allowed(one) == [3 + ord("?")]


def test_an_end_token_may_be_named() -> None:
    """An end id that the grammar asks for is read in the middle; at the very end it ends the output."""
    nodes: dict[str, list[Production]] = {
        "root": [(Lex(encode(literal("a"))), Lex(token("<|end|>")), Call("more"))],
        "more": [(), (Lex(encode(literal("b"))), Lex(token("<|end|>")))],
    }
    one = matcher(nodes, (EOS, END_NAMED))
    one.advance(A)
    assert allowed(one) == [END_NAMED]
    one.advance(END_NAMED)
    assert not one.is_finished
    assert allowed(one) == [EOS, END_NAMED, A + 1]
    check_masks(one)
    one.advance(A + 1)
    one.advance(END_NAMED)
    assert one.is_finished
    one.rollback()
    assert allowed(one) == [END_NAMED]


def test_budgets_and_completions_know_named_tokens() -> None:
    """A named token is one token, and a completion shows its name."""
    nodes: dict[str, list[Production]] = {
        "root": [(Lex(encode(repeat(characters([(97, 97)])))), Lex(token("<|call|>")), Lex(encode(literal("b"))))]
    }
    guide = mw.compile(constraint(nodes), vocabulary())
    assert guide.matcher().complete() == b"<|call|>b"
    one = guide.matcher(max_tokens=4)
    while not one.must_end:
        choices = allowed(one)
        one.advance(A if A in choices else choices[0])
    assert one.text == b"aa<|call|>b"


class Signs:
    """Texts of ``a``; label 0 after one, 1 after two, and on with any number."""

    start: Hashable = 0

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signs)

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        assert isinstance(state, int)
        return [(97, 97, state + 1), (0xE9, 0xE9, 9)] if state < 2 else []

    def accepts(self, state: Hashable) -> bool:
        return state != 0

    def label(self, state: Hashable) -> int:
        return {1: 0, 2: 1, 9: 2}[state]  # type: ignore[index]

    def continues(self, state: Hashable) -> bool:
        return isinstance(state, int) and state < 2


def test_a_labelled_machine_tells_where_to_go_on() -> None:
    """Whenever a state accepts, the switch may go on by its label, and the text may go on too."""
    nodes: dict[str, list[Production]] = {
        "root": [(Switch(encode(automaton(Signs())), ("one", "two", "accent")),)],
        "one": [(Lex(encode(literal("1"))),)],
        "two": [(Lex(encode(literal("2"))),)],
        "accent": [(Lex(encode(literal("3"))), Call("root")), ()],
    }
    guide = mw.compile(constraint(nodes), vocabulary())
    accepted = ["a1", "aa2", "é3a1", "aé3é3aa2", "é"]
    refused = ["1", "a2", "aa1", "aaa2", "a", "é1", "é3a"]
    assert [text for text in accepted if not guide.matches(text)] == []
    assert [text for text in refused if guide.matches(text)] == []
    for text in accepted:
        one = guide.matcher()
        for byte in text.encode():
            check_masks(one)
            one.advance(3 + byte)
        assert one.is_accepting
    assert guide.matcher().complete() == b"a1"


class Others:
    """One character that is not ``a``."""

    start: Hashable = 0

    def __hash__(self) -> int:
        return 8

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Others)

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        return [(0, 96, 1), (98, 0x10FFFF, 1)] if state == 0 else []

    def accepts(self, state: Hashable) -> bool:
        return state == 1

    def label(self, state: Hashable) -> int:
        del state
        return 0

    def continues(self, state: Hashable) -> bool:
        return state == 0


def test_completions_use_bytes_that_the_vocabulary_has() -> None:
    """What a labelled machine reads of a wide class is something that can be written, and read by people."""
    nodes: dict[str, list[Production]] = {
        "root": [(Switch(encode(automaton(Others())), ("end",)),)],
        "end": [(Lex(encode(literal("a"))),)],
    }
    few = mw.Vocabulary.from_tokens([b"", b"a", b"b", b"?"], end_ids=[0])
    assert mw.compile(constraint(nodes), few).matcher().complete() in (b"?a", b"ba")
    assert mw.compile(constraint(nodes), vocabulary()).matcher().complete() == b"0a"


def test_words_that_begin_alike_are_told_apart_outside_of_strings() -> None:
    """A switch over plain words: a shorter one may end where a longer one goes on."""
    nodes: dict[str, list[Production]] = {
        "root": [(Switch(encode(words(["a", "ab", "b"], labelled=True)), ("0", "1", "2")),)],
        **{str(i): [(Lex(encode(literal(f"={i}"))),)] for i in range(3)},
    }
    guide = mw.compile(constraint(nodes), vocabulary())
    texts = [f"{word}={i}" for word in ("a", "ab", "b") for i in range(3)]
    assert [text for text in texts if guide.matches(text)] == ["a=0", "ab=1", "b=2"]


def test_an_output_may_begin_after_a_prefix() -> None:
    """The output is what may follow the prefix; captured strings of the prefix still count."""
    nodes: dict[str, list[Production]] = {"root": [(Lex(unite(encode(literal("abc")), quote(literal("q")))),)]}
    guide = mw.compile(constraint(nodes, b"ab"), vocabulary())
    assert guide.matches("c")
    assert not guide.matches("abc")
    assert not guide.matches("")
    one = guide.matcher()
    one.advance(3 + ord("c"))
    assert one.text == b"c"
    assert one.is_accepting
    with pytest.raises(UnspellableError):
        mw.compile(constraint(nodes, b"x"), vocabulary())
    schema = mw.json_schema({"type": "object"})
    opened = Constraint("t", schema.network, rebuild=lambda: schema, limits=schema.limits, prefix=b'{"a":1,"b')
    follow = mw.compile(opened, vocabulary())
    assert follow.matches('":2}')
    assert follow.matches('b":2,"c":3}')
    assert not follow.matches('":2,"a":3}')
    assert not follow.matches('":2,"b":3}')


def test_codes_are_no_text() -> None:
    """A byte token that UTF-8 never uses is never allowed, whatever the grammar names."""
    one = matcher({"root": [(Lex(concatenate(encode(literal("a")))), Lex(token("<|call|>")))]})
    one.advance(A)
    assert allowed(one) == [CALL]
    with pytest.raises(TokenError):
        one.advance(3 + 0xF5)
    code = one._engine.code_of(CALL)
    assert not one.can_read(code)
    assert one.explain_bytes(code).startswith("byte 1 (byte 0xf5) cannot be read: expected <|call|>")


def test_names_are_read_back() -> None:
    """What ``text`` and ``complete`` show by name, ``matches`` and ``Guide.complete`` read by name."""
    nodes: dict[str, list[Production]] = {
        "root": [(Lex(encode(repeat(characters([(97, 97)])))), Lex(token("<|call|>")), Lex(quote(literal("b"))))]
    }
    guide = mw.compile(constraint(nodes), vocabulary())
    for text in (b'a<|call|>"b"', b'<|call|>"\\u0062"'):
        assert guide.matches(text)
    for text in (b'a"b"', b'a<|call|><|call|>"b"', b'a<|end|>"b"', b"<|call|>"):
        assert not guide.matches(text)
    assert guide.complete(b"aa") == b'<|call|>"b"'
    assert guide.complete(b'aa<|call|>"') == b'b"'
    one = guide.matcher()
    with pytest.raises(TokenError):
        one.advance_shown(b"a<|call|>x")
    assert not one.tokens
    one.advance_shown(b"a<|call|>")
    assert one.tokens == (b"a", CALL)
    opened = guide.matcher()
    opened.advance_bytes(b"a")
    assert opened.matches(opened.complete())


def test_a_name_may_be_letters_too() -> None:
    """Where both can be read, both are followed."""
    nodes: dict[str, list[Production]] = {
        "root": [(Lex(token("<|call|>")), Lex(encode(literal("1")))), (Lex(encode(literal("<|call|>2"))),)]
    }
    guide = mw.compile(constraint(nodes), vocabulary())
    texts = [b"<|call|>1", b"<|call|>2", b"<|call|>3"]
    assert [text for text in texts if guide.matches(text)] == texts[:2]
