"""Free text: everything but some strings, or everything until one of some strings has been completed.

One machine over code points serves both (Aho and Corasick, 1975). A state is the longest end of the text so far that
begins one of the strings; a string is met when its state is reached, or one that has it as its end. The machine never
sees where tokens begin, so a string counts however tokens split it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from maskwright.network.lexeme import ANYTHING, MAX_CODE_POINT, NEVER, Term, automaton

__all__ = ["FreeText", "Names", "free_text", "holds", "overlap"]

#: What UTF-8 can carry: no surrogates.
_CARRIED: Final = ((0, 0xD7FF), (0xE000, MAX_CODE_POINT))
#: Machines whose tables are kept; a server sees the same few formats again and again.
_KEPT: Final = 256
#: Steps that are taken to find out whether two machines are one; with more they are two.
_MOST_STEPS: Final = 100_000


class _Table:
    """The states of some strings: a trie with failure links, and full rows made when asked for."""

    def __init__(self, strings: tuple[str, ...], count: int) -> None:
        """The first ``count`` strings are those whose meeting counts; the others are only excluded."""
        self.next: list[dict[str, int]] = [{}]
        #: Which of the strings that count a state completes, itself or by its failure links; -1 if none.
        self.met: list[int] = [-1]
        #: Whether a state completes a string that is excluded.
        self.is_bad: list[bool] = [False]
        #: The string that ends at a state, of those that count; without what failure links add.
        self.ends: dict[int, int] = {}
        for number, string in enumerate(strings):
            state = self._enter(string)
            if number < count:
                self.ends[state] = number
                self.met[state] = number
            else:
                self.is_bad[state] = True
        self.fail = [0] * len(self.next)
        self._link()
        self._rows: dict[int, dict[str, int]] = {0: self.next[0]}
        self._reached: dict[str, frozenset[int]] = {}

    def _enter(self, string: str) -> int:
        at = 0
        for character in string:
            after = self.next[at].get(character)
            if after is None:
                after = self.next[at][character] = len(self.next)
                self.next.append({})
                self.met.append(-1)
                self.is_bad.append(False)
            at = after
        return at

    def _link(self) -> None:
        todo = deque(self.next[0].values())
        while todo:
            state = todo.popleft()
            for character, after in self.next[state].items():
                self.fail[after] = self.step(self.fail[state], character)
                todo.append(after)
            below = self.fail[state]
            if self.met[state] < 0:
                self.met[state] = self.met[below]
            self.is_bad[state] |= self.is_bad[below]

    def step(self, state: int, character: str) -> int:
        """The state after one more character."""
        while state and character not in self.next[state]:
            state = self.fail[state]
        return self.next[state].get(character, 0)

    def row(self, state: int) -> dict[str, int]:
        """The next states of all characters that do not lead back to the start."""
        chain = [state]
        while chain[-1] not in self._rows:
            chain.append(self.fail[chain[-1]])
        while len(chain) > 1:
            row = self._rows[chain.pop()]
            at = chain[-1]
            self._rows[at] = {**row, **self.next[at]} if self.next[at] else row
        return self._rows[state]

    def is_inner(self, state: int) -> bool:
        """Whether the text so far holds none of the strings."""
        return self.met[state] < 0 and not self.is_bad[state]

    def reached(self, character: str) -> frozenset[int]:
        """The states after a character, whatever stood before."""
        found = self._reached.get(character)
        if found is None:
            # Where a character leads to is a child of some state by it, or the start if it begins no string.
            below = [at[character] for state, at in enumerate(self.next) if character in at and self.is_inner(state)]
            found = self._reached[character] = frozenset(below if character in self.next[0] else [0, *below])
        return found


@lru_cache(maxsize=_KEPT)
def _table(strings: tuple[str, ...], count: int) -> _Table:
    return _Table(strings, count)


@dataclass(frozen=True)
class FreeText:
    """Text without some strings; implements :class:`maskwright.network.lexeme.LabelledAutomaton`.

    Neither ``excluded`` nor ``critical`` strings stand in it. With ``leaving`` it is text up to the end of the first of
    those strings, whose place is the label. With ``before`` it is text that may stand in front of this literal, which
    ends with the critical string ``own``: in both together that string is the first critical one that is completed, so
    triggers and ends are met where they are meant. What is excluded may lie across the border only if it ``crosses``.

    Leaving and critical strings must not hold each other (see :func:`overlap`).
    """

    excluded: tuple[str, ...] = ()
    critical: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    before: str = ""
    own: str = ""
    crosses: bool = False

    @property
    def start(self) -> int:
        """The state before any text."""
        return 0

    @property
    def table(self) -> _Table:
        """The states and their transitions."""
        return _table(self.leaving + self.critical + self.excluded, len(self.leaving) + len(self.critical))

    def moves(self, state: Hashable) -> list[tuple[int, int, Hashable]]:
        """All code points but those that complete a string that may not stand here; none where text is left."""
        table, at = self.table, cast("int", state)
        if not table.is_inner(at):
            return []
        left = len(self.leaving)
        found: list[tuple[int, int, Hashable]] = []
        ours = sorted((ord(character), after) for character, after in table.row(at).items())
        for low, high in _CARRIED:
            first = low
            for code, after in ours:
                if not low <= code <= high:
                    continue
                if first < code:
                    found.append((first, code - 1, 0))
                if not table.is_bad[after] and table.met[after] < left:
                    found.append((code, code, after))
                first = code + 1
            if first <= high:
                found.append((first, high, 0))
        return found

    def accepts(self, state: Hashable) -> bool:
        """Whether the text may be left here."""
        table, at = self.table, cast("int", state)
        if self.leaving:
            return table.met[at] >= 0
        return self._fits({at}, self.before)

    def _fits(self, states: Iterable[int], rest: str) -> bool:
        """Whether the rest of ``before`` completes ``own``, and nothing before it, after any of some states."""
        table = self.table
        for place, character in enumerate(rest, 1):
            states = {table.step(state, character) for state in states}
            if len(states) * (len(rest) - place) > _MOST_STEPS:
                return False
            for state in states:
                met = table.met[state]
                if met >= 0 and (place < len(rest) or self.critical[met] != self.own):
                    return False
                if table.is_bad[state] and not self.crosses:
                    return False
        return True

    def fits_everywhere(self) -> bool:
        """Whether every text without the strings may be left."""
        rest = self.before
        if not rest:
            return True
        # One character leaves few states, however many strings there are; the first is looked at like all others.
        return self._fits({0}, rest) and self._fits_after(self.table.reached(rest[0]), rest)

    def _fits_after(self, states: frozenset[int], rest: str) -> bool:
        table = self.table
        for state in states:
            if table.met[state] >= 0 and (len(rest) > 1 or self.critical[table.met[state]] != self.own):
                return False
            if table.is_bad[state] and not self.crosses:
                return False
        return self._fits(states, rest[1:])

    def label(self, state: Hashable) -> int:
        """Which of the leaving strings was completed."""
        return self.table.met[cast("int", state)]

    def continues(self, state: Hashable) -> bool:
        """Whether more text may follow."""
        return self.table.is_inner(cast("int", state))


@dataclass(frozen=True)
class Names:
    """One of some distinct names, labelled by its place; also a :class:`~maskwright.network.lexeme.LabelledAutomaton`.

    A name may begin with another one. As alternatives of a node 200 names cost 40 ms at the first mask.
    """

    names: tuple[str, ...]

    @property
    def start(self) -> int:
        """The state before any text."""
        return 0

    @property
    def table(self) -> _Table:
        """The names as a trie."""
        return _table(self.names, len(self.names))

    def moves(self, state: Hashable) -> list[tuple[int, int, Hashable]]:
        """The characters with which names go on."""
        below = self.table.next[cast("int", state)]
        return [(code, code, below[chr(code)]) for code in sorted(map(ord, below))]

    def accepts(self, state: Hashable) -> bool:
        """Whether a name ends here."""
        return cast("int", state) in self.table.ends

    def label(self, state: Hashable) -> int:
        """Which name ends here."""
        return self.table.ends[cast("int", state)]

    def continues(self, state: Hashable) -> bool:
        """Whether a longer name begins so."""
        return bool(self.table.next[cast("int", state)])


def overlap(strings: tuple[str, ...]) -> tuple[int, int] | None:
    """Two of the strings, by place, of which the first holds the second (or is it); None if there are none."""
    table = _table(strings, len(strings))
    for number, string in enumerate(strings):
        state = 0
        for place, character in enumerate(string, 1):
            state = table.step(state, character)
            inside = table.met[state] if place < len(string) else table.met[table.fail[state]]
            if inside >= 0:
                return number, inside
        if table.met[state] != number:
            return number, table.met[state]
    return None


def holds(strings: tuple[str, ...], others: tuple[str, ...]) -> tuple[int, int] | None:
    """The places of one of some strings, and of one of the others that stands in it; None if there are none."""
    table = _table(others, len(others))
    for number, string in enumerate(strings):
        state = 0
        for character in string:
            state = table.step(state, character)
            if table.met[state] >= 0:
                return number, table.met[state]
    return None


def free_text(
    excluded: tuple[str, ...] = (),
    critical: tuple[str, ...] = (),
    *,
    before: str = "",
    own: str = "",
    crosses: bool = False,
) -> Term:
    """The text term of free text, see :class:`FreeText`; ``NEVER`` if nothing may stand in front of ``before``."""
    if not excluded and not critical:
        return ANYTHING
    plain = FreeText(excluded, critical)
    machine = FreeText(excluded, critical, (), before, own, crosses)
    # The same machine for every purpose is one lexeme to the kernel.
    if machine.fits_everywhere():
        return automaton(plain)
    return automaton(machine) if machine.accepts(0) else NEVER
