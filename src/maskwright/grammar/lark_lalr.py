"""LALR(1) as Lark computes it: the same states, lookaheads and resolved conflicts, in numbers and bits.

``LALR_Analyzer`` of ``lark.parsers.lalr_analysis`` is the authority, and a test compares the tables. It is not called
because it takes 5 seconds for an alternative of 500 keywords and the square of the length of a chain of rules, and
recurses; with sets of terminals as bits and a worklist the same takes some milliseconds. The algorithm is that of
DeRemer and Pennello (1982). One relation is wider than theirs, as it is in Lark: in a state, an item of which a part
was read counts for ``includes`` like one that begins there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["Collision", "Lalr", "Production"]


class Production(NamedTuple):
    """A rule: terminals are numbers from 0, other symbols negative."""

    origin: int
    symbols: tuple[int, ...]
    priority: int


class Collision(Exception):  # noqa: N818  (Lark's word; nobody outside sees it)
    """Two rules could be reduced on a terminal, and no priority decides."""

    def __init__(self, terminal: int, rules: Sequence[int]) -> None:
        super().__init__()
        self.terminal = terminal
        self.rules = rules


class Lalr:
    """The automaton of productions; the last one reads the start symbol, and nothing else has its origin.

    An item is ``firsts[rule] + symbols read``. A *transition* is (state, other symbol); lists over transitions are by
    its number.
    """

    def __init__(self, productions: Sequence[Production]) -> None:
        self.productions = productions
        self.by_origin: dict[int, list[int]] = {}
        for rule, production in enumerate(productions):
            self.by_origin.setdefault(production.origin, []).append(rule)
        self.firsts: list[int] = []
        self.rule_of: list[int] = []
        self.next_of: list[int | None] = []
        for rule, production in enumerate(productions):
            self.firsts.append(len(self.rule_of))
            self.rule_of += [rule] * (len(production.symbols) + 1)
            self.next_of += [*production.symbols, None]
        self.kernels: list[tuple[int, ...]] = []
        #: ``moves[state][symbol]``: the next state.
        self.moves: list[dict[int, int]] = []
        #: Rules that are complete in a state.
        self.complete: list[list[int]] = []
        self._closures: list[list[int]] = []
        self._find_states()
        self.end = self.moves[0][productions[-1].symbols[0]]
        self.transitions: list[tuple[int, int]] = [
            (state, symbol) for state, moves in enumerate(self.moves) for symbol in moves if symbol < 0
        ]
        self._numbers = {transition: number for number, transition in enumerate(self.transitions)}
        #: Transitions that a complete rule of a state has begun with.
        self.begun: dict[tuple[int, int], list[int]] = {}
        self.lookaheads: list[dict[int, int]] = [{} for _ in self.moves]
        self._find_lookaheads()

    def _find_states(self) -> None:
        known: dict[tuple[int, ...], int] = {(self.firsts[-1],): 0}
        self.kernels.append((self.firsts[-1],))
        todo = deque((0,))
        while todo:
            state = todo.popleft()
            items = self._close(self.kernels[state])
            self._closures.append(items)
            groups: dict[int, list[int]] = {}
            complete = []
            for item in items:
                symbol = self.next_of[item]
                if symbol is None:
                    complete.append(self.rule_of[item])
                else:
                    groups.setdefault(symbol, []).append(item + 1)
            moves = {}
            for symbol, moved in groups.items():
                kernel = tuple(sorted(moved))
                if kernel not in known:
                    known[kernel] = len(self.kernels)
                    self.kernels.append(kernel)
                    todo.append(known[kernel])
                moves[symbol] = known[kernel]
            self.moves.append(moves)
            self.complete.append(complete)

    def _close(self, kernel: tuple[int, ...]) -> list[int]:
        """A kernel and all items that begin in it."""
        items = list(kernel)
        seen = set()
        for item in items:
            symbol = self.next_of[item]
            if symbol is not None and symbol < 0 and symbol not in seen:
                seen.add(symbol)
                items += [self.firsts[rule] for rule in self.by_origin.get(symbol, ())]
        return items

    def _nullable(self) -> set[int]:
        found: set[int] = set()
        waiting: dict[int, list[int]] = {}
        missing = []
        todo = []
        for rule, production in enumerate(self.productions):
            missing.append(len(production.symbols))
            for symbol in production.symbols:
                waiting.setdefault(symbol, []).append(rule)
            if not production.symbols:
                todo.append(production.origin)
        while todo:
            origin = todo.pop()
            if origin not in found:
                found.add(origin)
                for rule in waiting.get(origin, ()):
                    missing[rule] -= 1
                    if not missing[rule]:
                        todo.append(self.productions[rule].origin)
        return found

    def _find_lookaheads(self) -> None:
        nullable = self._nullable()
        numbers = self._numbers
        follow: list[int] = []
        reads: list[list[int]] = []
        for state, origin in self.transitions:
            goto = self.moves[state][origin]
            follow.append(sum(1 << symbol for symbol in self.moves[goto] if symbol >= 0))
            reads.append([numbers[goto, symbol] for symbol in self.moves[goto] if symbol < 0 and symbol in nullable])
        follow[numbers[0, self.productions[-1].symbols[0]]] |= 1
        _propagate(follow, reads)
        includes: list[list[int]] = [[] for _ in self.transitions]
        for state, items in enumerate(self._closures):
            for item in items:
                number = numbers.get((state, self.productions[self.rule_of[item]].origin))
                if number is not None:
                    self._include(number, state, item, nullable, includes)
        _propagate(follow, includes)
        for (state, rule), begun in self.begun.items():
            mask = 0
            for number in begun:
                mask |= follow[number]
            self.lookaheads[state][rule] = mask

    def _include(self, number: int, state: int, item: int, nullable: set[int], includes: list[list[int]]) -> None:
        """Walk along the rest of a rule from a state: what can end it is followed by what follows the rule."""
        rule = self.rule_of[item]
        symbols = self.productions[rule].symbols
        read = item - self.firsts[rule]
        tail = len(symbols)
        while tail > read and symbols[tail - 1] in nullable:
            tail -= 1
        at = state
        for place in range(read, len(symbols)):
            symbol = symbols[place]
            if symbol < 0 and place + 1 >= tail:
                includes[self._numbers[at, symbol]].append(number)
            at = self.moves[at][symbol]
        if not read:
            self.begun.setdefault((at, rule), []).append(number)

    def actions(self) -> list[dict[int, int]]:
        """The terminals on which each rule is reduced, as bits, by state; conflicts resolved.

        Raises :class:`Collision` for two rules of the same priority.
        """
        found = []
        for moves, lookaheads in zip(self.moves, self.lookaheads, strict=True):
            shifted = sum(1 << symbol for symbol in moves if symbol >= 0)
            found.append({rule: mask & ~shifted for rule, mask in self._decided(lookaheads).items() if mask & ~shifted})
        return found

    def _decided(self, lookaheads: Mapping[int, int]) -> dict[int, int]:
        """The lookaheads of rules without those that another rule takes by its priority."""
        if len(lookaheads) < 2:
            return dict(lookaheads)
        decided: dict[int, int] = {}
        taken = 0
        ranked = sorted(lookaheads, key=lambda rule: -self.productions[rule].priority)
        for place, rule in enumerate(ranked):
            mask = lookaheads[rule] & ~taken
            for other in ranked[place + 1 :]:
                if self.productions[other].priority != self.productions[rule].priority:
                    break
                clash = mask & lookaheads[other]
                if clash:
                    raise Collision((clash & -clash).bit_length() - 1, [rule, other])
            decided[rule] = mask
            taken |= lookaheads[rule]
        return decided


def _propagate(values: list[int], relation: Sequence[Sequence[int]]) -> None:
    """Let each value hold those that it is related to, until nothing changes."""
    users: list[list[int]] = [[] for _ in values]
    for number, others in enumerate(relation):
        for other in others:
            users[other].append(number)
    todo = deque(number for number, using in enumerate(users) if using and values[number])
    waiting = set(todo)
    while todo:
        number = todo.popleft()
        waiting.discard(number)
        value = values[number]
        for user in users[number]:
            if value & ~values[user]:
                values[user] |= value
                if user not in waiting:
                    waiting.add(user)
                    todo.append(user)
