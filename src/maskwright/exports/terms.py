"""Lexical terms as expressions of a grammar: by their form where it can be written, else state by state.

Intersections, complements and machines have no form that a grammar knows: the states of their automaton over code
points become one rule each, ``state ::= [a-z] state-2 | "."``. Quoting is a spelling of each character.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from maskwright.errors import Problem, UnsupportedError
from maskwright.exports.escapes import MINIMAL, SPELLINGS, TEXT, spell
from maskwright.exports.expressions import (
    EMPTY,
    NEVER,
    Expression,
    alternatives,
    control,
    literal,
    reference,
    sequence,
)
from maskwright.exports.rules import Rules
from maskwright.kernel.lexicon import Lexicon
from maskwright.limits import Limits
from maskwright.network.lexeme import ANY_CHARACTER, Term

__all__ = ["Terms"]

#: What is written is bytes: the parts of encoded and quoted terms, and of their combinations.
_BYTES: Final = "bytes"
#: Characters of an expression from which on it is a rule of its own, where it is part of another.
_WIDE: Final = 60


class Terms:
    """Writes terms into the rules of one grammar; every term once."""

    def __init__(self, rules: Rules, limits: Limits) -> None:
        """Start with nothing written."""
        self._rules = rules
        self._lexicon = Lexicon(limits.emptiness_states)
        #: What a term is in a spelling.
        self._written: dict[tuple[Term, str], Expression] = {}
        #: What one character of a class is in a spelling.
        self._points: dict[tuple[tuple[tuple[int, int], ...], str], Expression] = {}
        self._by_form: dict[str, Callable[[Term, str], Expression]] = {
            "never": lambda _term, _how: NEVER,
            "epsilon": lambda _term, _how: EMPTY,
            "characters": lambda term, how: self.point(cast("Any", term.args[0]), how),
            "words": lambda term, how: alternatives(self.word(word, how) for word in cast("Any", term.args[0])),
            "concatenate": lambda term, how: sequence(self._part(part, how) for part in cast("Any", term.args)),
            "unite": lambda term, how: alternatives(self._part(part, how) for part in cast("Any", term.args)),
            "repeat": self._repeat,
            "encode": lambda term, _how: self._written[cast("Term", term.args[0]), TEXT],
            "quote": self._quote,
            "token": lambda term, _how: _token(str(term.args[0])),
            # A control token's text is what llama.cpp compares with a grammar, so that text stands for both.
            "marker": lambda term, _how: literal(str(term.args[0])),
            "token_ids": lambda term, _how: self._ids(term),
            "other_tokens": lambda term, _how: _token(str(term.args[0]), "!"),
        }

    def expression(self, term: Term) -> Expression:
        """A byte term as an expression. Iterative: terms may nest deep.

        Raises :class:`maskwright.errors.UnsupportedError` where it cannot be written.
        """
        todo = [(term, _BYTES)]
        while todo:
            pair = todo[-1]
            if pair in self._written:
                todo.pop()
                continue
            waiting = [below for below in self._below(*pair) if below not in self._written]
            if waiting:
                todo.extend(waiting)
                continue
            todo.pop()
            at, how = pair
            write = self._by_form.get(at.op)
            made = self._automaton(at, how) if write is None or self._is_nullable_loop(at) else write(at, how)
            self._written[pair] = self._rules.shallow(made)
        return self._written[term, _BYTES]

    def word(self, word: str, how: str) -> Expression:
        """The characters of a word, each in all its spellings."""
        if how == TEXT:
            return literal(word)
        return sequence(self.point(((ord(character), ord(character)),), how) for character in word)

    def point(self, ranges: tuple[tuple[int, int], ...], how: str) -> Expression:
        """One character of a class; what takes several spellings is a rule that all share."""
        known = self._points.get((ranges, how))
        if known is None:
            known = self._points[ranges, how] = self._point(ranges, how)
        return known

    def _point(self, ranges: tuple[tuple[int, int], ...], how: str) -> Expression:
        made = spell(ranges, how)
        if made.kind in ("literal", "class") or how == TEXT:
            return made
        key = ("point", ranges, how)
        title = "char" if ranges == ANY_CHARACTER.args[0] else f"u{ranges[0][0]:04x}"
        rule = self._rules.add(key, title)
        self._rules.write(rule, self._rules.shallow(made))
        return reference(rule)

    def _below(self, term: Term, how: str) -> list[tuple[Term, str]]:
        """The parts that must be written first."""
        if self._is_nullable_loop(term):
            return []
        if term.op == "quote":
            return [(cast("Term", term.args[0]), MINIMAL if term.args[1] is True else SPELLINGS)]
        if term.op == "encode":
            return [(cast("Term", term.args[0]), TEXT)]
        if term.op in ("concatenate", "unite"):
            return [(cast("Term", part), how) for part in term.args]
        return [(cast("Term", term.args[0]), how)] if term.op == "repeat" else []

    def _is_nullable_loop(self, term: Term) -> bool:
        """Whether what is repeated may be empty: a grammar that says so is left recursive for llama.cpp."""
        if term.op != "repeat":
            return False
        expressions = self._lexicon.expressions
        return bool(expressions.nullable[self._lexicon.intern(term.args[0])])

    def _part(self, term: Term, how: str) -> Expression:
        made = self._written[term, how]
        if made.size <= _WIDE or made.kind in ("literal", "class", "rule"):
            return made
        return reference(self._rules.named(("term", term, how), "text", made))

    def _repeat(self, term: Term, how: str) -> Expression:
        least, most = cast("tuple[int, int | None]", term.args[1:])
        return self._rules.counted(self._part(cast("Term", term.args[0]), how), least, most)

    def _quote(self, term: Term, how: str) -> Expression:
        del how
        text, minimal = cast("tuple[Term, bool]", term.args)
        return sequence([literal('"'), self._part(text, MINIMAL if minimal else SPELLINGS), literal('"')])

    def _automaton(self, term: Term, how: str) -> Expression:
        """One rule for each state of the automaton of a text term, whose language may be found to be empty."""
        if how == _BYTES:
            raise UnsupportedError(Problem("what is repeated may be empty", keyword="repeat"))
        x = self._lexicon.intern(term)
        if not self._lexicon.moves.is_alive(x):
            return NEVER
        return self.states(x, how, self._lexicon.moves.of, lambda at: bool(self._lexicon.expressions.nullable[at]))

    def states(
        self,
        start: Any,
        how: str,
        moves: Callable[[Any], Any],
        accepts: Callable[[Any], bool],
        *,
        scope: Any = None,
        after: Callable[[Any], Expression] = lambda _: EMPTY,
    ) -> Expression:
        """The rules of an automaton over code points; ``after`` says what follows where it accepts."""
        todo: list[Any] = []

        def state(at: Any) -> Expression:
            key = ("state", scope, at, how)
            rule = self._rules.find(key)
            if rule is None:
                rule = self._rules.add(key, "state")
                todo.append((rule, at))
            return reference(rule)

        first = state(start)
        while todo:
            rule, at = todo.pop()
            targets: dict[Any, list[tuple[int, int]]] = {}
            for low, high, then in moves(at):
                targets.setdefault(then, []).append((low, high))
            options = [sequence([self.point(tuple(ranges), how), state(then)]) for then, ranges in targets.items()]
            self._rules.write(rule, alternatives([*options, after(at)] if accepts(at) else options))
        return first

    def _ids(self, term: Term) -> Expression:
        spelled = []
        for first, last in cast("Any", term.args[0]):
            if last - first >= self._rules.room:
                raise UnsupportedError(_no_token(f"a range of {last - first + 1} token ids"))
            spelled += [control(f"<[{number}]>") for number in range(first, last + 1)]
        return alternatives(spelled)


def _token(name: str, sign: str = "") -> Expression:
    """``<|name|>``, or with ``!`` any other, if the notation can spell it."""
    if not (name.startswith("<") and name.endswith(">") and name.find(">") == len(name) - 1 and name[1:2] != "["):
        raise UnsupportedError(_no_token(f"the control token `{name}`"))
    return control(sign + name)


def _no_token(what: str) -> Problem:
    reason = f"GBNF can name tokens as `<name>` and `<[id]>` only, which {what} is not"
    return Problem(reason, keyword="token", remedy="give the ids of the token")
