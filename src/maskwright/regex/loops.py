"""Recursive equations over terms, solved into explicit automata.

A lookahead inside an unbounded repetition, ``((?!x).)*``, gives an equation ``X = F | .X & not x(anything)``, which no
finite term solves. Here ``X`` is a *hole*, a term that stands for its equation, and the language is explored by
Brzozowski derivatives (Brzozowski 1964, "Derivatives of regular expressions") with boolean operations: finitely many
states up to associativity, commutativity and idempotence of union and intersection. Every equation must be guarded
(each hole stands behind at least one character), then it has exactly one solution.

A lookbehind beside a lookahead is a *guard*, a term whose meaning depends on the text before it. Then a state is a term
together with what is left of its *pasts* after that text: for each lookbehind, anything and what it looks for, up to a
mark. Where the mark is reached, what stands beside it in intersections (lookaheads within the lookbehind) is what the
guard asks of the text to come.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, cast

from maskwright.errors import LimitError, Problem
from maskwright.limits import Limits
from maskwright.network.lexeme import (
    ANYTHING,
    EPSILON,
    NEVER,
    Automaton,
    Term,
    automaton,
    complement,
    concatenate,
    intersect,
    repeat,
    unite,
    words,
)

__all__ = ["MARK", "Guard", "Hole", "solve"]

#: A term, and what is left of the languages of the guards.
_State = tuple[Term, tuple[Term, ...]]

#: Nesting of a state's term; derivatives are taken by recursion, and real patterns stay below 20.
_MAX_DEPTH: Final = 100
#: Derivatives of a term and its parts for each state allowed: 40,000 take about half a second.
_MAX_STEPS: Final = 2
_END: Final = 0x110000


@dataclass(frozen=True, eq=False)
class Hole:
    """A language that is given by an equation; as a term it is an automaton that nobody runs."""

    start: int = 0

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        """Nothing: holes are filled before a term leaves this package."""
        raise NotImplementedError

    def accepts(self, state: Hashable) -> bool:
        """As :meth:`moves`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Guard(Hole):
    """What the ``which``-th past asks of the text to come: a lookbehind."""

    which: int = 0


#: The place up to which a past was read.
MARK: Final = automaton(Hole())


@dataclass(frozen=True)
class _Rows:
    """The transitions of a machine, hashed once: terms are compared and hashed often."""

    moves: tuple[tuple[tuple[int, int, int], ...], ...]
    accepting: frozenset[int]
    digest: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", hash((self.moves, self.accepting)))

    def __hash__(self) -> int:
        return self.digest


@dataclass(frozen=True)
class _Machine:
    """One start state of shared rows; meets :class:`Automaton`."""

    rows: _Rows
    start: int | None

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        """Ranges of code points to next states."""
        return self.rows.moves[cast("int", state)]

    def accepts(self, state: Hashable) -> bool:
        """Whether the text may end."""
        return state in self.rows.accepting


def solve(equations: dict[Hole, Term], limits: Limits, pasts: tuple[Term, ...] = ()) -> dict[Hole, Term]:
    """Each hole's language as an automaton term without dead states; ``pasts[guard.which]`` is the past of a guard.

    Raises :class:`LimitError` beyond ``limits.emptiness_states`` states. Time: about 20 us for each state and range.
    """
    explorer = _Explorer(equations, limits)
    starts = {hole: explorer.number(automaton(hole), pasts) for hole in equations}
    explorer.explore()
    return {hole: automaton(machine) for hole, machine in explorer.machines(starts).items()}


def _too_many(limits: Limits) -> LimitError:
    reason = "lookarounds inside a repetition, or to both sides, need too many states"
    return LimitError(Problem(reason, keyword="pattern", remedy=f"at most {limits.emptiness_states}; simplify it"))


class _Explorer:
    """The states reached so far."""

    def __init__(self, equations: dict[Hole, Term], limits: Limits) -> None:
        self.equations = equations
        self.limits = limits
        #: A term and the rests of the pasts to their state; ``states[numbers[pair]] == pair``.
        self.numbers: dict[_State, int] = {}
        self.states: list[_State] = []
        #: ``rows[state]``: disjoint ascending ranges of code points with the next state.
        self.rows: list[tuple[tuple[int, int, int], ...]] = []
        #: Place of every term that was ordered, so that unions have one form.
        self.places: dict[Term, int] = {}
        #: What each guard asks of the text to come now, and what is known of terms with that.
        self.asked: tuple[Term, ...] = ()
        self.known_nullable: dict[tuple[Term, tuple[Term, ...]], bool] = {}
        self.known_derivatives: dict[tuple[Term, int, tuple[Term, ...]], Term] = {}
        self.known_cuts: dict[tuple[Term, tuple[Term, ...]], frozenset[int]] = {}
        self.known_marked: dict[Term, bool] = {MARK: True}

    def number(self, term: Term, pasts: tuple[Term, ...]) -> int:
        found = self.numbers.get((term, pasts))
        if found is None:
            if len(self.states) >= self.limits.emptiness_states or term.depth > _MAX_DEPTH:
                raise _too_many(self.limits)
            found = self.numbers[term, pasts] = len(self.states)
            self.states.append((term, pasts))
        return found

    def enter(self, pasts: tuple[Term, ...]) -> None:
        """Ask the guards. A past has guards of lower places only."""
        self.asked = ()
        for past in pasts:
            self.asked = (*self.asked, self.at_mark(past))

    def at_mark(self, term: Term) -> Term:
        """What a past asks of the text to come, if all of it was read."""
        if term is MARK:
            return ANYTHING
        if not self.is_marked(term):
            return term
        op, args = term.op, term.args
        if op == "automaton":
            return self.at_mark(self.equations[cast("Hole", args[0])])
        parts = cast("tuple[Term, ...]", args)
        if op == "concatenate":
            return self.at_mark(parts[-1]) if all(map(self.nullable, parts[:-1])) else NEVER
        found = [self.at_mark(part) for part in parts]
        return self.united(found) if op == "unite" else intersect(*found)

    def is_marked(self, term: Term) -> bool:
        """Whether a mark is anywhere in a term or the equations that it names."""
        found = self.known_marked.get(term)
        if found is None:
            todo, seen = [term], {term}
            while todo and MARK not in seen:
                args = todo.pop().args
                if args and isinstance(args[0], Hole):
                    args = (self.equations[args[0]],) if args[0] in self.equations else ()
                fresh = {part for part in args if isinstance(part, Term)} - seen
                seen |= fresh
                todo.extend(fresh)
            found = self.known_marked[term] = MARK in seen
        return found

    def explore(self) -> None:
        while len(self.rows) < len(self.states):
            term, pasts = self.states[len(self.rows)]
            self.enter(pasts)
            cuts = sorted(self.cuts(term).union(*map(self.cuts, pasts)) | {0, 0xD800, 0xE000, _END})
            row: list[tuple[int, int, int]] = []
            for first, after in pairwise(cuts):
                if first == 0xD800:
                    continue
                following = self.derivative(term, first)
                if following is not NEVER:
                    state = self.number(following, tuple(self.derivative(past, first) for past in pasts))
                    if row and row[-1][1] == first - 1 and row[-1][2] == state:
                        row[-1] = (row[-1][0], after - 1, state)
                    else:
                        row.append((first, after - 1, state))
            self.rows.append(tuple(row))

    def is_accepting(self, state: int) -> bool:
        term, pasts = self.states[state]
        self.enter(pasts)
        return self.nullable(term)

    def machines(self, starts: dict[Hole, int]) -> dict[Hole, Automaton]:
        """Leave out what cannot reach an accepting state."""
        accepting = {state for state in range(len(self.states)) if self.is_accepting(state)}
        before: dict[int, set[int]] = {}
        for state, row in enumerate(self.rows):
            for _, _, following in row:
                before.setdefault(following, set()).add(state)
        live, todo = set(accepting), list(accepting)
        while todo:
            fresh = before.get(todo.pop(), set()) - live
            live |= fresh
            todo.extend(fresh)
        moves = tuple(tuple(move for move in row if move[2] in live) for row in self.rows)
        rows = _Rows(moves, frozenset(accepting))
        return {hole: _Machine(rows, start if start in live else None) for hole, start in starts.items()}

    def _meaning(self, hole: Hole) -> Term:
        """The term that a hole or guard stands for now; a mark, which lies behind, is nothing."""
        return self.asked[hole.which] if isinstance(hole, Guard) else self.equations.get(hole, NEVER)

    def nullable(self, term: Term) -> bool:
        found = self.known_nullable.get((term, self.asked))
        if found is None:
            found = self.known_nullable[term, self.asked] = self._nullable(term)
        return found

    def _nullable(self, term: Term) -> bool:
        op, args = term.op, term.args
        if op == "automaton":
            machine = cast("Automaton", args[0])
            if isinstance(machine, Hole):
                return self.nullable(self._meaning(machine))
            return machine.accepts(machine.start)
        if op == "words":
            return "" in cast("tuple[str, ...]", args[0])
        if op == "repeat":
            return args[1] == 0 or self.nullable(cast("Term", args[0]))
        parts = cast("tuple[Term, ...]", args)
        if op in {"concatenate", "intersect"}:
            return all(map(self.nullable, parts))
        if op == "unite":
            return any(map(self.nullable, parts))
        return not self.nullable(parts[0]) if op == "complement" else term is EPSILON

    def cuts(self, term: Term) -> frozenset[int]:
        """Code points at which the derivative may change."""
        found = self.known_cuts.get((term, self.asked))
        if found is None:
            found = self.known_cuts[term, self.asked] = self._cuts(term)
        return found

    def _cuts(self, term: Term) -> frozenset[int]:
        op, args = term.op, term.args
        if op == "characters":
            pairs = cast("tuple[tuple[int, int], ...]", args[0])
            return frozenset(cut for first, last in pairs for cut in (first, last + 1))
        if op == "words":
            points = [ord(word[0]) for word in cast("tuple[str, ...]", args[0]) if word]
            return frozenset(cut for point in points for cut in (point, point + 1))
        if op == "automaton":
            machine = cast("Automaton", args[0])
            if isinstance(machine, Hole):
                return self.cuts(self._meaning(machine))
            return frozenset(cut for first, last, _ in machine.moves(machine.start) for cut in (first, last + 1))
        if op == "repeat":
            return self.cuts(cast("Term", args[0]))
        parts = cast("tuple[Term, ...]", args)
        if op == "concatenate":
            reached = next((i for i, part in enumerate(parts) if not self.nullable(part)), len(parts)) + 1
            parts = parts[:reached]
        return frozenset().union(*map(self.cuts, parts))

    def ordered(self, parts: Sequence[Term]) -> list[Term]:
        return sorted(set(parts), key=lambda part: self.places.setdefault(part, len(self.places)))

    def derivative(self, term: Term, point: int) -> Term:
        """The texts that continue ``point`` to a text of the term."""
        found = self.known_derivatives.get((term, point, self.asked))
        if found is None:
            if len(self.known_derivatives) > _MAX_STEPS * self.limits.emptiness_states:
                raise _too_many(self.limits)
            found = self.known_derivatives[term, point, self.asked] = self._derivative(term, point)
        return found

    def _derivative(self, term: Term, point: int) -> Term:
        op, args = term.op, term.args
        if op == "characters":
            pairs = cast("tuple[tuple[int, int], ...]", args[0])
            return EPSILON if any(first <= point <= last for first, last in pairs) else NEVER
        if op == "words":
            char = chr(point)
            return words(word[1:] for word in cast("tuple[str, ...]", args[0]) if word.startswith(char))
        if op == "automaton":
            return self._moved(cast("Automaton", args[0]), point)
        if op == "repeat":
            return self._repeated(term, point)
        parts = cast("tuple[Term, ...]", args)
        if op == "concatenate":
            return self._chained(parts, point)
        if op == "unite":
            return self.united([self.derivative(part, point) for part in parts])
        if op == "intersect":
            flat = intersect(*(self.derivative(part, point) for part in parts))
            return intersect(*self.ordered(cast("tuple[Term, ...]", flat.args))) if flat.op == "intersect" else flat
        return complement(self.derivative(parts[0], point)) if op == "complement" else NEVER

    def united(self, parts: Sequence[Term]) -> Term:
        flat = unite(*parts)
        return unite(*self.ordered(cast("tuple[Term, ...]", flat.args))) if flat.op == "unite" else flat

    def _moved(self, machine: Automaton, point: int) -> Term:
        if isinstance(machine, Hole):
            return self.derivative(self._meaning(machine), point)
        for first, last, state in machine.moves(machine.start):
            if first <= point <= last:
                return automaton(_Machine(cast("_Machine", machine).rows, cast("int", state)))
        return NEVER

    def _repeated(self, term: Term, point: int) -> Term:
        if term is ANYTHING:
            return ANYTHING
        part, least, most = cast("tuple[Term, int, int | None]", term.args)
        if self.nullable(part):
            least = 0
        rest = repeat(part, max(least - 1, 0), None if most is None else most - 1)
        return concatenate(self.derivative(part, point), rest)

    def _chained(self, parts: tuple[Term, ...], point: int) -> Term:
        options: list[Term] = []
        for i, part in enumerate(parts):
            options.append(concatenate(self.derivative(part, point), *parts[i + 1 :]))
            if not self.nullable(part):
                break
        return self.united(options)
