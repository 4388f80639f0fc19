"""Closures and stacks: ambiguous networks against the recogniser, and stacks as deep as limits allow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.kernel.closures import ROOT, STEEP, Closures
from maskwright.kernel.covers import Covers
from maskwright.kernel.lexicon import Lexicon
from maskwright.kernel.trie import Trie
from maskwright.kernel.walk import REFUSED, Walker
from maskwright.network.lexeme import ANY_CHARACTER, encode, literal, repeat
from maskwright.network.nodes import Call, Lex, Production
from tests.oracle.recogniser import run

ONE = Lex(encode(literal("a")))
PLUS = Lex(encode(literal("+")))
MANY = Lex(encode(repeat(ANY_CHARACTER, 0, 2)))
MAYBE = Lex(encode(repeat(ANY_CHARACTER)))


class Table:
    """A network written as a table of productions."""

    def __init__(self, rules: dict[str, list[Production]]) -> None:
        self.rules = rules
        self.root = "E"

    def expand(self, key: Hashable) -> Iterable[Production]:
        return self.rules[key]  # type: ignore[index]

    def realize(self, key: Hashable, text: str) -> Hashable:
        del text
        return key

    def describe(self, key: Hashable) -> str:
        return str(key)


NETWORKS = {
    "sums": {"E": [(Call("T"),), (Call("T"), PLUS, Call("E"))], "T": [(ONE,), (ONE, ONE), (ONE, Call("T"))]},
    "empty parts": {"E": [(Call("N"), Call("N"), ONE, Call("N"))], "N": [(), (ONE,), (PLUS, Call("N"))]},
    "free ends": {"E": [(MANY, Call("F"), MANY)], "F": [(MAYBE,), (PLUS, MAYBE)]},
    "palindromes": {"E": [(), (ONE, Call("E"), ONE), (PLUS, Call("E"), PLUS)]},
    "two ways down": {
        "E": [(Call("A"), PLUS), (Call("B"), PLUS)],
        "A": [(ONE, Call("E"), ONE), (ONE,)],
        "B": [(ONE, Call("E"), ONE), ()],
    },
}


def walker_of(network: Any, tokens: list[bytes]) -> Walker:
    trie = Trie(tokens, range(len(tokens)))
    covers = Covers(trie, tokens, len(tokens) + 1, 8)
    closures = Closures(Lexicon(10_000), network.expand, 10_000)
    return Walker(trie, covers, closures, network.root, network.realize, [len(tokens)])


@pytest.mark.parametrize("name", NETWORKS)
@given(st.lists(st.sampled_from([b"a", b"+", b"aa", b"+a", b"a+a", b"\xc3"]), max_size=6))
def test_ambiguous_networks(name: str, data: list[bytes]) -> None:
    """What can be read and where an output may end is as by the recogniser, which keeps every derivation apart."""
    network = Table(NETWORKS[name])
    tokens = [b"a", b"+", b"aa", b"+a", b"a+a", b"\xc3", b"\xa9"]
    walker = walker_of(network, tokens)
    at, text = walker.root, b""
    for token in data:
        row = memoryview(bytearray(4)).cast("I")
        walker.fill(at, row)
        after = {i for i, other in enumerate(tokens) if run(network, text + other)}
        assert {i for i in range(len(tokens)) if row[0] >> i & 1} == after
        assert bool(walker.accepting[at]) == (() in run(network, text))
        at, text = walker.read(at, token, None), text + token
        assert (at != REFUSED) == bool(run(network, text))
        if at == REFUSED:
            break


def test_deep_stacks_merge_without_recursion() -> None:
    """Two stacks of 50,000 calls that differ at the bottom are united; the union is the same in either order."""
    closures = Closures(Lexicon(100), lambda _: (), 100_000)
    position = closures._lay_out(closures.node("n"), (Lex(encode(literal("a"))), Lex(encode(literal("b")))))
    one = closures.push(position, ROOT)
    other = closures.push(position + 1, ROOT)
    for _ in range(50_000):
        one, other = closures.push(position, one), closures.push(position, other)
    both = closures.merge(one, other)
    assert closures.merge(other, one) == both
    assert closures.merge(both, one) == both
    assert closures.merge(one, one) == one
    for _ in range(50_000):
        ((_, both),) = closures.stacks[both]
    assert len(closures.stacks[both]) == 2


def test_stacks_do_not_grow_beyond_their_limit() -> None:
    """A call too deep gives no stack; the others are what they were."""
    closures = Closures(Lexicon(100), lambda _: (), 3)
    position = closures._lay_out(closures.node("n"), (Lex(encode(literal("a"))), Lex(encode(literal("b")))))
    depths = [ROOT]
    while depths[-1] >= 0:
        depths.append(closures.push(position, depths[-1]))
    assert len(depths) == 2 * 3 + STEEP + 1
