"""Free text: everything but some strings, or everything until one of some strings has been completed.

One machine over code points serves both (Aho and Corasick, 1975). A state is the longest end of the text so far that
begins one of the strings; a string is met when its state is reached, or one that has it as its end. The machine
never sees where tokens begin, so a string counts however tokens split it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from maskwright.network.lexeme import ANYTHING, MAX_CODE_POINT, NEVER, Term, automaton

__all__ = ["FreeText", "free_text", "irreducible", "overlap"]

#: What UTF-8 can carry: no surrogates.
_CARRIED: Final = ((0, 0xD7FF), (0xE000, MAX_CODE_POINT))
#: Machines whose tables are kept; a server sees the same few formats again and again.
_KEPT: Final = 256
#: Steps that are taken to find out whether two machines are one.
_MOST_STEPS: Final = 100_000


class _Table:
    """The states of some strings: a trie with failure links, and full rows made when asked for."""

    def __init__(self, strings: tuple[str, ...]) -> None:
        self.next: list[dict[str, int]] = [{}]
        #: The string that a state completes by itself, -1 if none; then also by its failure links.
        self.met: list[int] = [-1]
        for number, string in enumerate(strings):
            at = 0
            for character in string:
                after = self.next[at].get(character)
                if after is None:
                    after = self.next[at][character] = len(self.next)
                    self.next.append({})
                    self.met.append(-1)
                at = after
            self.met[at] = number
        self.fail = [0] * len(self.next)
        self._rows: dict[int, dict[str, int]] = {0: self.next[0]}
        todo = deque(self.next[0].values())
        while todo:
            state = todo.popleft()
            for character, after in self.next[state].items():
                self.fail[after] = self.step(self.fail[state], character)
                todo.append(after)
            if self.met[state] < 0:
                self.met[state] = self.met[self.fail[state]]

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


@lru_cache(maxsize=_KEPT)
def _table(strings: tuple[str, ...]) -> _Table:
    return _Table(strings)


@dataclass(frozen=True)
class FreeText:
    """Text without the ``forbidden`` strings; implements :class:`maskwright.network.lexeme.LabelledAutomaton`.

    With ``leaving`` it is text up to the end of the first of those strings, whose place is the label. With ``before``
    it is text that this literal may follow: the two together hold no forbidden string that ends within the first
    ``until`` characters of the literal, but for one that ends exactly there: a trigger is met where it is meant.

    Strings that hold each other must not be given (see :func:`overlap`).
    """

    forbidden: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    before: str = ""
    until: int = 0

    @property
    def start(self) -> int:
        """The state before any text."""
        return 0

    def _strings(self) -> _Table:
        return _table(self.leaving + self.forbidden)

    def moves(self, state: Hashable) -> list[tuple[int, int, Hashable]]:
        """All code points but those that complete a forbidden string; none where text is left."""
        table, at = self._strings(), cast("int", state)
        if table.met[at] >= 0:
            return []
        row = table.row(at)
        found: list[tuple[int, int, Hashable]] = []
        ours = sorted((ord(character), after) for character, after in row.items())
        for low, high in _CARRIED:
            at = low
            for code, after in ours:
                if not low <= code <= high:
                    continue
                if at < code:
                    found.append((at, code - 1, 0))
                if table.met[after] < len(self.leaving):
                    found.append((code, code, after))
                at = code + 1
            if at <= high:
                found.append((at, high, 0))
        return found

    def accepts(self, state: Hashable) -> bool:
        """Whether the text may be left here."""
        table, at = self._strings(), cast("int", state)
        if self.leaving:
            return table.met[at] >= 0
        for place, character in enumerate(self.before[: self.until], 1):
            at = table.step(at, character)
            if table.met[at] >= 0:
                return place == self.until
        return True

    def label(self, state: Hashable) -> int:
        """Which of the leaving strings was completed."""
        return self._strings().met[cast("int", state)]

    def continues(self, state: Hashable) -> bool:
        """Whether more text may follow."""
        return self._strings().met[cast("int", state)] < 0


def overlap(strings: tuple[str, ...]) -> tuple[int, int] | None:
    """Two of the strings, by place, of which the first holds the second (or is it); None if there are none."""
    table = _table(strings)
    for number, string in enumerate(strings):
        inside = _inside(table, number, string)
        if inside >= 0:
            return number, inside
    return None


def free_text(forbidden: tuple[str, ...], before: str = "", until: int = 0) -> Term:
    """The text term of free text that may be followed by a literal; ``NEVER`` if the two cannot be told apart."""
    if not forbidden:
        return ANYTHING
    plain = FreeText(forbidden)
    if not before:
        return automaton(plain)
    machine = FreeText(forbidden, (), before, until)
    states = range(len(_table(forbidden).next))
    if len(states) * until < _MOST_STEPS and all(map(machine.accepts, filter(plain.continues, states))):
        # The same machine for every purpose is one lexeme to the kernel.
        return automaton(plain)
    return automaton(machine) if machine.accepts(0) else NEVER


def irreducible(strings: Iterable[str]) -> tuple[str, ...]:
    """The strings that hold no other one: text is free of all if it is free of these. Linear in their length."""
    distinct = tuple(dict.fromkeys(strings))
    table = _table(distinct)
    return tuple(string for number, string in enumerate(distinct) if _inside(table, number, string) < 0)


def _inside(table: _Table, number: int, string: str) -> int:
    """A string that another one holds, by number; -1 if there is none."""
    state = 0
    for place, character in enumerate(string, 1):
        state = table.step(state, character)
        inside = table.met[state] if place < len(string) else table.met[table.fail[state]]
        if inside >= 0:
            return inside
    return table.met[state] if table.met[state] != number else -1
