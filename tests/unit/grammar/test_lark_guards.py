"""Guards made simple mean the same: a grammar reads the same texts with and without, in fewer contexts."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import maskwright as mw
from maskwright.grammar.lark_guards import Guards
from tests.oracle.masks import SINGLES, make_vocabulary

BYTES = make_vocabulary(SINGLES)
TEXTS = ["".join(letters) for size in range(7) for letters in product("ab ", repeat=size)]

GRAMMARS = [
    'start: (NAME | AB)+\nNAME: /(?!(?:ab|abba)(?![ab]))[ab]+/\nAB: /ab(?![ab])/\n%ignore " "',
    'start: A B?\nA: /a+(?!b)/\nB: /b(?=a|$)/\n%ignore " "',
    "start: (A | B)+\nA: /a(?!bb)/\nB: /b+|ab(?!a)/",
    'start: S+\nS: /a(?:[^a]|aa)*a/\n%ignore " "',
    "start: (A | B)+\nA: /a??b/\nB: /(?=ab)a|b(?! )/",
    "start: (A | B)+\nA: /(?=[ab]* )[ab]{1,8}/\nB: /(?<!bbb) /",
    "start: (A | B)+\nA: /a[ab]* /\nB: /b[ab]* /",
    "start: (A | B | C)+\nA: /a(?:b[ab]*a)?/\nB: /b(?:b[ab]*a)?/\nC: / (?:b[ab]*b)?/",
    "start: (A | B | C)+\nA: /(?=.{2}b)[ab]{1,3}/\nB: /(?<=a)b|(?<!a)b(?= )/\nC: /a?? /",
]


def _accepted(grammar: str) -> tuple[list[str], int]:
    """The texts that a grammar reads, and how many contexts its scanner has."""
    constraint = mw.lark(grammar)
    network: Any = constraint.network
    guide = mw.compile(constraint, BYTES)
    return [text for text in TEXTS if guide.matches(text)], len(network._scanner.contexts)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_simple_guards_mean_the_same(grammar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out or merged changes no answer."""
    texts, contexts = _accepted(grammar)
    monkeypatch.setattr(Guards, "simplest", lambda _, guard: guard)
    plain, more = _accepted(grammar)
    assert texts == plain
    assert texts
    assert contexts <= more


def test_ends_within_keywords_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that excludes keywords has the contexts of one that does not: nothing, or no letter next."""
    grammar = 'start: NAME " " NAME\nNAME: /(?!(?:abba|baab|abab)(?![ab]))[ab]+/'
    _, contexts = _accepted(grammar)
    monkeypatch.setattr(Guards, "simplest", lambda _, guard: guard)
    _, more = _accepted(grammar)
    assert contexts == 2 < more


def test_what_may_go_on_in_the_same_way_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many names may go on to a later ``x``: their ends are one context."""
    names = [f"T{number}" for number in range(60)]
    grammar = "\n".join([f"start: ({'|'.join(names)})+", *(f"{name}: /a{name}[ab]*b/" for name in names)])
    _, contexts = _accepted(grammar)
    monkeypatch.setattr(Guards, "simplest", lambda _, guard: guard)
    _, more = _accepted(grammar)
    assert contexts < 5
    assert more > 60
