"""Nodes of a network as rules of a grammar: what a constraint reads, without what it must remember of the text."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import count
from time import monotonic
from typing import Any, Final, cast

from maskwright.errors import LimitError, Problem, UnsupportedError
from maskwright.exports.escapes import MINIMAL, SPELLINGS, TEXT
from maskwright.exports.expressions import Expression, alternatives, literal, reference, sequence
from maskwright.exports.rules import Rules
from maskwright.exports.terms import Terms
from maskwright.limits import Limits
from maskwright.network.lexeme import Term
from maskwright.network.nodes import Call, Capture, Lex, Network, NodeKey, Switch, Symbol

__all__ = ["Nodes"]

#: Words of a description that make no name.
_DULL: Final = frozenset(("a", "an", "and", "at", "in", "of", "on", "or", "that", "the", "to", "what", "which"))
_NAME_WORDS: Final = 2
_NAME_LENGTH: Final = 20


class Nodes:
    """Explores a network from its root and writes a rule for each node."""

    def __init__(self, network: Network, rules: Rules, limits: Limits, *, repeats: bool) -> None:
        """``repeats``: whether what captures forbid, keys and elements that come again, may be allowed."""
        self._network = network
        self._rules = rules
        self._limits = limits
        self._repeats = repeats
        self._terms = Terms(rules, limits)
        self._todo: deque[tuple[int, NodeKey]] = deque()
        #: Two switches over one machine lead to different nodes.
        self._scopes = count()
        #: Why the grammar allows more than the constraint, by what was met.
        self.weakened: dict[str, None] = {}

    def write(self) -> int:
        """Write all that the root needs; the root's rule.

        Raises :class:`maskwright.errors.UnsupportedError` where it cannot be written, with the node in words.
        """
        ends = monotonic() + self._limits.compile_seconds
        root = self._rule(self._network.root)
        while self._todo:
            rule, key = self._todo.popleft()
            try:
                body = alternatives(sequence(map(self._symbol, production)) for production in self._expand(key))
            except UnsupportedError as error:
                raise UnsupportedError(*(self._placed(problem, key) for problem in error.problems)) from error
            self._rules.write(rule, body)
            if monotonic() > ends:
                raise LimitError(Problem(f"writing the grammar took more than {self._limits.compile_seconds} s"))
        return root

    def _expand(self, key: NodeKey) -> Iterator[tuple[Symbol, ...]]:
        yield from self._network.expand(key)

    def _placed(self, problem: Problem, key: NodeKey) -> Problem:
        if problem.place or problem.keyword == "rules":
            return problem
        return Problem(
            problem.reason, place=self._network.describe(key), keyword=problem.keyword, remedy=problem.remedy
        )

    def _rule(self, key: NodeKey) -> int:
        rule = self._rules.find(("node", key))
        if rule is None:
            words = self._network.describe(key)
            rule = self._rules.add(("node", key), _title(words))
            self._rules.notes[rule] = words
            self._todo.append((rule, key))
        return rule

    def _symbol(self, symbol: Symbol) -> Expression:
        if isinstance(symbol, Lex):
            return self._terms.expression(symbol.term)
        if isinstance(symbol, Call):
            return reference(self._rule(symbol.node))
        if isinstance(symbol, Capture):
            return self._capture(symbol)
        return self._switch(symbol)

    def _capture(self, symbol: Capture) -> Expression:
        what = "elements that come twice" if symbol.is_recall else "keys that come twice"
        if not self._repeats:
            raise UnsupportedError(
                Problem(
                    f"no grammar of this kind can forbid {what}",
                    keyword="uniqueItems" if symbol.is_recall else "additionalProperties",
                    remedy="drop uniqueItems"
                    if symbol.is_recall
                    else "name the keys and close the object" + ', or allow it with repeats="allowed"',
                )
            )
        self.weakened[what] = None
        return sequence([self._terms.expression(symbol.term), reference(self._rule(symbol.node))])

    def _switch(self, symbol: Switch) -> Expression:
        term = symbol.term
        inner = cast("Any", term.args[0]) if term.op in ("encode", "quote") else None
        if not isinstance(inner, Term) or inner.op not in ("labelled", "automaton"):
            raise UnsupportedError(Problem(f"a switch over {term.op} cannot be written", keyword="switch"))
        how = TEXT
        if term.op == "quote":
            how = MINIMAL if term.args[1] is True else SPELLINGS
        if inner.op == "automaton":
            return self._labelled(cast("Any", inner.args[0]), symbol, how)
        mark = literal("" if how == TEXT else '"')
        options = []
        for place, word in enumerate(cast("Any", inner.args[0])):
            if symbol.live >> place & 1 == 1:
                target = reference(self._rule(symbol.targets[place]))
                options.append(sequence([mark, self._terms.word(word, how), mark, target]))
        return alternatives(options)

    def _labelled(self, machine: Any, symbol: Switch, how: str) -> Expression:
        """The states of a machine that goes on, where it accepts, with the target of the label."""
        if how != TEXT:
            raise UnsupportedError(Problem("a quoted machine with labels cannot be written", keyword="switch"))

        def target(state: Any) -> Expression:
            label = machine.label(state)
            return reference(self._rule(symbol.targets[label])) if symbol.live >> label & 1 else alternatives(())

        scope = next(self._scopes)
        return self._terms.states(machine.start, how, machine.moves, machine.accepts, scope=scope, after=target)


def _title(words: str) -> str:
    """A name out of a description: its first plain words, so that nothing in it can be anything but a name."""
    plain = [word for word in re.findall(r"[a-z]+", words.partition("#")[0].lower()) if word not in _DULL]
    return "-".join(plain[:_NAME_WORDS])[:_NAME_LENGTH].strip("-") or "node"


def names_of(titles: list[tuple[int, str]], root: int) -> dict[int, str]:
    """A name for each rule, all different; the root is ``root``."""
    taken = {"root"}
    names = {root: "root"}
    numbers: dict[str, Iterator[int]] = {}
    for rule, title in titles:
        if rule == root:
            continue
        name = title
        following = numbers.setdefault(title, count(2))
        while name in taken:
            name = f"{title}-{next(following)}"
        taken.add(name)
        names[rule] = name
    return names
