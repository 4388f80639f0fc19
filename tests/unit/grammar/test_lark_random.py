"""Exact reading of random Lark grammars, against Lark's Earley parser with its dynamic_complete lexer."""

from __future__ import annotations

import itertools
import random
from typing import Any, Final

import pytest

import maskwright as mw
from maskwright.errors import UnsatisfiableError
from tests.conformance.verdicts import BYTES

lark = pytest.importorskip("lark")

TEXTS: Final = ["".join(letters) for length in range(5) for letters in itertools.product("ab ", repeat=length)]
LITERALS: Final = ('"a"', '"b"', '"ab"', "/a+/", "/a|ab/", "/b?a/", "/[ab]/", '"a".."b"')
TERMINALS: Final = (
    ('"a"', "/a+?/", '"a" "b"', '"a"|"ab"', '("a"|"b")+', "/ab?/", 'B "b"'),
    ('"b"', "/b+/", "/ba*/", '"ba"|"b"', '"b"~1..2'),
)


def expression(chance: random.Random, depth: int) -> str:
    kind = chance.random()
    name = chance.choice(("start", "x", "y", "A", "B"))
    if depth == 0 or kind < 0.35:
        return name
    if kind < 0.5:
        return f"({alternatives(chance, depth - 1)}){chance.choice(('', '?', '*', '+', '~2', '~0..2', '~1..3'))}"
    if kind < 0.6:
        return f"[{alternatives(chance, depth - 1)}]"
    if kind < 0.75:
        return name + chance.choice(("?", "*", "+", "~2", "~1..2"))
    if kind < 0.82:
        return f"t{{{name},{chance.choice('AB')}}}"
    return chance.choice(LITERALS)


def alternatives(chance: random.Random, depth: int) -> str:
    return " | ".join(
        " ".join(expression(chance, depth) for _ in range(chance.choice((0, 1, 1, 2, 2, 3))))
        for _ in range(chance.choice((1, 1, 2, 3)))
    )


def random_grammar(chance: random.Random) -> str:
    lines = [f"{name}: {alternatives(chance, 2)}" for name in ("start", "x", "y")]
    lines.append(f"t{{p,q}}: p {chance.choice(('q', 'q p', 'q*', '(q p)*'))}")
    lines += [f"{name}: {chance.choice(bodies)}" for name, bodies in zip("AB", TERMINALS, strict=True)]
    if chance.random() < 0.5:
        lines.append('%ignore " "')
    return "\n".join(lines) + "\n"


def parses(parser: Any, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


@pytest.mark.parametrize("seed", range(40))
def test_random_grammars(seed: int) -> None:
    """Cycles, left recursion, empty rules, templates, counts, ambiguous terminals: Lark's verdict is ours."""
    chance = random.Random(seed)
    grammar = random_grammar(chance)
    try:
        parser = lark.Lark(grammar, parser="earley", lexer="dynamic_complete", ambiguity="forest")
    except lark.exceptions.LarkError:
        return  # as it does where two alternatives become one
    try:
        guide = mw.compile(mw.lark(grammar, lexer="exact"), BYTES)
    except UnsatisfiableError:
        guide = None
    for text in chance.sample(TEXTS, 40):
        assert (guide is not None and guide.matches(text)) == parses(parser, text), (grammar, text)
