"""Moves: the symbolic derivatives of expressions, as sparse lists of ``(first, last, then)`` ranges.

One call gives every next code point (or byte) of an expression at once, so a new state costs a few microseconds and
never 256 derivations (after Stanford, Veanes and Bjorner, "Symbolic Boolean derivatives", PLDI 2021). Ranges are
disjoint and ascending, and every target can reach an end: what an intersection or complement empties is left out here.
"""

from __future__ import annotations

from collections import deque

import cython

from maskwright.errors import LimitError, Problem
from maskwright.kernel.expressions import (
    ALL,
    AND,
    BODY,
    CAT,
    CHARS,
    ESCAPE,
    HEX,
    MACHINE,
    NEVER,
    NOT,
    OR,
    RAW,
    REPEAT,
    SURROGATE_FREE,
    TAIL,
    WORDS,
    Expressions,
)
from maskwright.patience import rest

__all__ = ["Moves"]

Move = tuple[int, int, int]

UNKNOWN, ALIVE, DEAD = 0, 1, 2

#: Moves that are looked at, of all operands, between two rests: about a millisecond.
SLICE = 1_000
#: Expressions that one decision may make for each state that it may visit; one takes a kilobyte.
MADE = 20

#: JSON's two-character escapes (RFC 8259 section 7): the letter, the character, and whether JSON demands an escape.
SHORT_ESCAPES = (
    (0x22, 0x22, 1),
    (0x2F, 0x2F, 0),
    (0x5C, 0x5C, 1),
    (0x62, 0x08, 1),
    (0x66, 0x0C, 1),
    (0x6E, 0x0A, 1),
    (0x72, 0x0D, 1),
    (0x74, 0x09, 1),
)
ASCII = ((0, 0x7F),)
#: What a JSON string may hold as it is (RFC 8259 section 7, ``unescaped``), within ASCII.
UNESCAPED_ASCII = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7F))
#: Controls that have no two-character escape: spelled \u00XX even under minimal escapes.
BARE_CONTROLS = ((0x00, 0x07), (0x0B, 0x0B), (0x0E, 0x1F))


class Moves:
    """Derivatives over one arena, each computed once."""

    def __init__(self, expressions: Expressions, emptiness_states: int) -> None:
        """Start with nothing derived."""
        self.expressions = expressions
        self.emptiness_states = emptiness_states
        #: ``known[x]``: the moves of the text expression x, dead targets left out.
        self.known: dict[int, tuple[Move, ...]] = {}
        #: ``drafts[x]``: the moves of x, dead targets included; only for hollow expressions.
        self.drafts: dict[int, tuple[Move, ...]] = {}
        #: ``life[x]``: ALIVE or DEAD for hollow expressions that were decided.
        self.life: dict[int, int] = {}
        self.effort = 0

    def spend(self, effort: cython.int) -> cython.int:
        """Count what deriving takes; other threads run meanwhile, and it ends when its time is up."""
        self.effort += effort
        if self.effort > SLICE:
            self.effort = 0
            rest()
        return 0

    def of(self, x: int) -> list[Move]:
        """The moves of an expression."""
        known = self.known.get(x)
        if known is not None:
            return list(known)
        found = self._derive(x)
        if self.expressions.hollow[x]:
            found = [move for move in found if self.is_alive(move[2])]
        # The moves of a byte expression go into its state's row, once: keeping them too would double the memory.
        # Tuples of numbers are nothing that Python's collector must look at; lists lengthened its full passes.
        if self.expressions.kind[x] < RAW:
            self.known[x] = tuple(found)
        return found

    def is_alive(self, x: int) -> bool:
        """Whether an expression holds any string; decided by search, and remembered for all that was seen.

        Every second step goes on from what was seen last, the others from what was seen first: the one finds a long
        string beside a counter, the other a short one where a machine has states without end, as a stack has.
        """
        e = self.expressions
        if not e.hollow[x]:
            return x != NEVER
        known = self.life.get(x, UNKNOWN)
        if known != UNKNOWN:
            return known == ALIVE
        came_from = {x: -1}
        deep, wide = [x], deque((x,))
        done: set[int] = set()
        steps = 0
        most = len(e.kind) + MADE * self.emptiness_states
        while deep or wide:
            steps += 1
            self.spend(1)
            is_deep = bool(deep) and (steps % 2 != 0 or not wide)
            at = deep.pop() if is_deep else wide.popleft()
            if at in done:
                continue
            done.add(at)
            if self._has_end(at):
                while at >= 0:
                    self.life[at] = ALIVE
                    at = came_from[at]
                return True
            for move in self._draft(at):
                then = move[2]
                if then not in came_from and self.life.get(then) != DEAD:
                    came_from[then] = at
                    if self._has_end(then):
                        deep.append(then)
                        wide.appendleft(then)
                        break
                    wide.append(then)
                    if is_deep:
                        deep.append(then)
            if len(came_from) > self.emptiness_states or len(e.kind) > most:
                raise LimitError(
                    Problem(
                        f"deciding whether patterns exclude each other takes more than {self.emptiness_states} states",
                        keyword="pattern",
                        remedy="simplify the patterns, or raise Limits.emptiness_states",
                    )
                )
        for at in came_from:
            self.life[at] = DEAD
        return False

    def _has_end(self, x: int) -> bool:
        """Whether an expression is known to hold a string."""
        e = self.expressions
        return e.nullable[x] or (not e.hollow[x] and x != NEVER) or self.life.get(x) == ALIVE

    def _draft(self, x: int) -> list[Move]:
        known = self.drafts.get(x)
        if known is not None:
            return list(known)
        found = self._derive(x)
        self.drafts[x] = tuple(found)
        return found

    def candidates(self, x: int) -> list[Move]:
        """The moves of an expression; targets of intersections and complements may be dead."""
        return self._below(x)

    def _below(self, x: int) -> list[Move]:
        """Moves of an operand: dead targets matter there only to NOT, which must see the operand as it is."""
        return self._draft(x) if self.expressions.hollow[x] else self.of(x)

    def _derive(self, x: int) -> list[Move]:
        found = self._derived(x)
        self.spend(4 + len(found))
        return found

    def _derived(self, x: int) -> list[Move]:
        e = self.expressions
        kind = e.kind[x]
        if kind == CHARS:
            return [(low, high, 1) for low, high in e.parts[x]]  # type: ignore[misc]
        if kind == WORDS:
            return e.word_moves(x)
        if kind == CAT:
            return self._derive_cat(x)
        if kind == OR:
            return self._unite([self._below(part) for part in e.parts[x]])  # type: ignore[arg-type]
        if kind == AND:
            return self._intersect([self._below(part) for part in e.parts[x]])  # type: ignore[arg-type]
        if kind == NOT:
            return self._negate(self._below(e.first[x]))
        if kind == REPEAT:
            return self._derive_repeat(x)
        if kind == MACHINE:
            states = e.machine_states[e.first[x]]
            machine = e.machines[e.first[x]]
            ranges = machine.moves(states[e.second[x]])  # type: ignore[attr-defined]
            # A class such as \w has 750 ranges, and nearly all lead to the same state.
            targets = {state: -1 for _, _, state in ranges}
            for state in targets:
                targets[state] = e.machine(machine, state)
            return [(low, high, targets[state]) for low, high, state in ranges]
        return self._derive_bytes(x, kind)

    def _derive_bytes(self, x: int, kind: int) -> list[Move]:
        e = self.expressions
        if kind == RAW:
            return self._spell([(low, high, e.raw(then)) for low, high, then in self.of(e.first[x])], forbidden=False)
        if kind == BODY:
            return self._derive_body(x)
        if kind == ESCAPE:
            return self._derive_escape(x)
        if kind == TAIL:
            return self._continue(x)
        if kind == HEX:
            return self._digit(x)
        return []

    def _derive_cat(self, x: int) -> list[Move]:
        e = self.expressions
        lists: list[list[Move]] = []
        while e.kind[x] == CAT:
            head, rest = e.first[x], e.second[x]
            lists.append([(low, high, e.cat(then, rest)) for low, high, then in self._below(head)])
            x = rest
            if not e.nullable[head]:
                break
        else:
            lists.append(self._below(x))
        return lists[0] if len(lists) == 1 else self._unite(lists)

    def _derive_repeat(self, x: int) -> list[Move]:
        e = self.expressions
        inner, least, most = e.first[x], e.second[x], e.third[x]
        rest = e.repeat(inner, max(least - 1, 0), most if most < 0 else most - 1)
        return [(low, high, e.cat(then, rest)) for low, high, then in self._below(inner)]

    def _unite(self, lists: list[list[Move]]) -> list[Move]:
        lists = [moves for moves in lists if moves]
        if len(lists) < 2:
            return lists[0] if lists else []
        moves: list[Move] = []
        unite = self.expressions.unite
        for low, high, active in _sweep(lists):
            self.spend(len(active))
            _append(moves, low, high, active[0] if len(active) == 1 else unite(active))
        return moves

    def _intersect(self, lists: list[list[Move]]) -> list[Move]:
        moves: list[Move] = []
        for low, high, active in _sweep(lists):
            self.spend(len(active))
            if len(active) == len(lists):
                _append(moves, low, high, self.expressions.intersect(active))
        return moves

    def _negate(self, given: list[Move]) -> list[Move]:
        domain = [(low, high, -1) for low, high in SURROGATE_FREE]
        moves: list[Move] = []
        for low, high, active in _sweep([given, domain]):
            _append(moves, low, high, ALL if len(active) == 1 else self.expressions.negate(active[0]))
        return moves

    def _derive_body(self, x: int) -> list[Move]:
        e = self.expressions
        text, minimal = e.first[x], e.second[x]
        inner = self.of(text)
        moves = self._spell([(low, high, e.body(then, minimal)) for low, high, then in inner], forbidden=True)
        if e.nullable[text]:
            close = 1
            if e.kind[text] == WORDS:
                labels = e.tables[e.first[text]][1]
                close = e.label(labels[e.second[text]]) if labels else 1
            elif e.kind[text] == 1:
                close = text
            moves.append((0x22, 0x22, close))
        if self.needs_escape(inner, minimal):
            moves.append((0x5C, 0x5C, e.escape(text, minimal)))
        moves.sort()
        return moves

    def needs_escape(self, inner: list[Move], minimal: int) -> bool:
        """Whether a backslash may stand where these characters may."""
        if not minimal:
            return bool(inner)
        return any(low < 0x20 or low <= 0x22 <= high or low <= 0x5C <= high for low, high, _ in inner)

    def _derive_escape(self, x: int) -> list[Move]:
        e = self.expressions
        minimal = e.second[x]
        inner = [(low, high, e.body(then, minimal)) for low, high, then in self.of(e.first[x])]
        moves: list[Move] = []
        for letter, point, demanded in SHORT_ESCAPES:
            if demanded or not minimal:
                moves.extend((letter, letter, then) for low, high, then in inner if low <= point <= high)
        units = self._code_units(inner) if not minimal else _clip(inner, BARE_CONTROLS)
        if units:
            moves.append((0x75, 0x75, e.partial(HEX, 4, units)))
            moves.sort()
        return moves

    def _code_units(self, inner: list[Move]) -> list[Move]:
        """Moves over UTF-16 code units: a high surrogate leads to the escape of a low one."""
        e = self.expressions
        units = _clip(inner, ((0, 0xD7FF),))
        pair = e.raw(e.words(("\\u",), False))
        for unit, last, rests in _split(
            [(low - 0x10000, high - 0x10000, t) for low, high, t in _clip(inner, ((0x10000, 0x10FFFF),))], 10
        ):
            shifted = [(low + 0xDC00, high + 0xDC00, then) for low, high, then in rests]
            units.append((0xD800 + unit, 0xD800 + last, e.cat(pair, e.partial(HEX, 4, shifted))))
        return units + _clip(inner, ((0xE000, 0xFFFF),))

    def _spell(self, inner: list[Move], *, forbidden: bool) -> list[Move]:
        """UTF-8 (RFC 3629) of moves over code points; ``forbidden`` leaves out what JSON must escape."""
        moves = _clip(inner, UNESCAPED_ASCII if forbidden else ASCII)
        partial = self.expressions.partial
        for low_point, high_point, shift, lead, more in (
            (0x80, 0x7FF, 6, 0xC0, 1),
            (0x800, 0xFFFF, 12, 0xE0, 2),
            (0x10000, 0x10FFFF, 18, 0xF0, 3),
        ):
            wide = _clip(inner, ((low_point, high_point),))
            if wide:
                for first, last, rests in _split(wide, shift):
                    moves.append((lead + first, lead + last, partial(TAIL, more, rests)))
        return moves

    def _continue(self, x: int) -> list[Move]:
        e = self.expressions
        more = e.first[x]
        rests: list[Move] = list(e.parts[x])  # type: ignore[arg-type]
        if more == 1:
            return [(0x80 + low, 0x80 + high, then) for low, high, then in rests]
        return [
            (0x80 + first, 0x80 + last, e.partial(TAIL, more - 1, below))
            for first, last, below in _split(rests, 6 * (more - 1))
        ]

    def _digit(self, x: int) -> list[Move]:
        e = self.expressions
        more = e.first[x]
        rests: list[Move] = list(e.parts[x])  # type: ignore[arg-type]
        if more == 1:
            steps = rests
        else:
            steps = [(low, high, e.partial(HEX, more - 1, below)) for low, high, below in _split(rests, 4 * (more - 1))]
        moves: list[Move] = []
        for base, low_digit, high_digit in ((0x30, 0, 9), (0x41 - 10, 10, 15), (0x61 - 10, 10, 15)):
            for low, high, then in _clip(steps, ((low_digit, high_digit),)):
                moves.append((base + low, base + high, then))
        return moves


def _append(moves: list[Move], low: int, high: int, then: int) -> None:
    """Add a move, merged with its neighbour where they touch and agree, so that equal languages stay equal ids."""
    if then == NEVER:
        return
    if moves and moves[-1][1] + 1 == low and moves[-1][2] == then:
        moves[-1] = (moves[-1][0], high, then)
    else:
        moves.append((low, high, then))


def _sweep(lists: list[list[Move]]) -> list[tuple[int, int, list[int]]]:
    """Elementary ranges over several lists of moves, each with the targets that are active there."""
    if len(lists) == 2 and len(lists[0]) == 1 == len(lists[1]) and lists[0][0][:2] == lists[1][0][:2]:
        return [(lists[0][0][0], lists[0][0][1], [lists[0][0][2], lists[1][0][2]])]
    edges: dict[int, list[tuple[int, int]]] = {}
    for which, moves in enumerate(lists):
        for low, high, then in moves:
            edges.setdefault(low, []).append((which, then))
            edges.setdefault(high + 1, []).append((which, -2))
    active: dict[int, int] = {}
    ranges: list[tuple[int, int, list[int]]] = []
    start = -1
    for at in sorted(edges):
        if active:
            ranges.append((start, at - 1, [active[which] for which in sorted(active)]))
        events = edges[at]
        for which, then in events:
            if then == -2:
                active.pop(which, None)
        for which, then in events:
            if then != -2:
                active[which] = then
        start = at
    return ranges


def _clip(moves: list[Move], windows: tuple[tuple[int, int], ...]) -> list[Move]:
    """The parts of moves that lie inside ascending windows."""
    clipped: list[Move] = []
    for first, last in windows:
        for low, high, then in moves:
            if low <= last and high >= first:
                clipped.append((max(low, first), min(high, last), then))
    return clipped


def _split(moves: list[Move], shift: int) -> list[tuple[int, int, list[Move]]]:
    """Group moves by their value without the low ``shift`` bits; each group holds the moves of the low bits.

    Consecutive leading values with equal rests are one group, so a full range costs a handful of groups.
    """
    size = 1 << shift
    groups: list[tuple[int, int, list[Move]]] = []

    def add(first: int, last: int, move: Move) -> None:
        if groups and groups[-1][0] <= first <= groups[-1][1]:
            groups[-1][2].append(move)
        else:
            groups.append((first, last, [move]))

    for low, high, then in moves:
        first, last = low >> shift, high >> shift
        if first == last:
            add(first, first, (low & (size - 1), high & (size - 1), then))
            continue
        if low & (size - 1):
            add(first, first, (low & (size - 1), size - 1, then))
            first += 1
        whole = last if (high & (size - 1)) == size - 1 else last - 1
        if first <= whole:
            add(first, whole, (0, size - 1, then))
        if whole < last:
            add(last, last, (0, high & (size - 1), then))
    return groups
