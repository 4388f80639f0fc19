"""Free text: everything but some strings, or everything until one of some strings has been completed.

One machine over code points serves both (Aho and Corasick, 1975). A state is the longest end of the text so far that
begins one of the strings; a string is met when its state is reached, or one that has it as its end. The machine never
sees where tokens begin, so a string counts however tokens split it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from maskwright.errors import LimitError, PolicyError, Problem, excerpt
from maskwright.network.lexeme import ANYTHING, MAX_CODE_POINT, NEVER, Term, automaton

__all__ = ["LONGEST", "FreeText", "Names", "check_mark", "free_text", "holds", "overlap"]

#: What UTF-8 can carry: no surrogates.
_CARRIED: Final = ((0, 0xD7FF), (0xE000, MAX_CODE_POINT))
#: Machines whose tables are kept; a server sees the same few formats again and again.
_KEPT: Final = 256
#: Characters of a string that is looked for in text: a trigger, an end, a mark, what is excluded. Where an end may
#: begin at every character (``aa..ab``) its completion takes the square of its length: 4,000 characters 4 s.
LONGEST: Final = 1_024


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
        #: All states but the start, shorter texts first.
        self.order: list[int] = []
        self._link()
        self._rows: dict[int, dict[str, int]] = {0: self.next[0]}

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
            self.order.append(state)
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

    def path(self, string: str) -> list[int]:
        """The states along one of the strings, the start first."""
        path = [0]
        for character in string:
            path.append(self.next[path[-1]][character])
        return path


@lru_cache(maxsize=_KEPT)
def _table(strings: tuple[str, ...], count: int) -> _Table:
    return _Table(strings, count)


@lru_cache(maxsize=_KEPT)
def _blocked(text: FreeText) -> bytes:
    """For each state whether ``before`` may not follow: 1 where a string is completed too early.

    A string that is completed in ``before`` begins there, which concerns all states, or has begun in the text: then one
    of its beginnings is an end of the text, and the rest of it begins ``before``. Where that is so is found for all
    beginnings of a string at once, in linear time (the Z algorithm: Gusfield 1997, section 1.5).
    """
    table, before = text.table, text.before
    found = bytearray(len(table.next))
    if _is_met_within(text):
        return bytes(found.replace(b"\0", b"\1"))
    same = _shared(before, before, [])
    for number, string in enumerate(text.critical + text.excluded):
        is_critical = number < len(text.critical)
        if not is_critical and text.crosses:
            continue
        shared = _shared(string, before, same)
        for place, state in enumerate(table.path(string)[1:-1], 1):
            rest = len(string) - place
            is_early = not is_critical or rest < len(before) or string != text.own
            if shared[place] == rest and is_early:
                found[state] = 1
    for state in table.order:
        found[state] |= found[table.fail[state]]
    return bytes(found)


def _is_met_within(text: FreeText) -> bool:
    """Whether ``before`` alone completes a string too early."""
    table, state = text.table, 0
    for place, character in enumerate(text.before, 1):
        state = table.step(state, character)
        met = table.met[state]
        if met >= 0 and (place < len(text.before) or text.critical[met] != text.own):
            return True
        if table.is_bad[state] and not text.crosses:
            return True
    return False


def _shared(string: str, other: str, same: list[int]) -> list[int]:
    """How many characters the end of a string from each place on shares with the beginning of another.

    ``same`` is that of the other with itself, which is the string if there is none yet.
    """
    is_itself = string is other and not same
    found = [len(string)] if is_itself else []
    low = high = 0
    for place in range(len(found), len(string)):
        known = (found if is_itself else same)[place - low] if place < high else 0
        length = min(known, high - place) if place < high else 0
        if place + length >= high:
            while length < len(other) and string[place + length : place + length + 1] == other[length]:
                length += 1
            low, high = place, place + length
        found.append(length)
    return found


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
        return not _blocked(self)[at]

    def fits_everywhere(self) -> bool:
        """Whether every text without the strings may be left."""
        if not self.before:
            return True
        table, blocked = self.table, _blocked(self)
        return not blocked[0] and not any(blocked[state] and table.is_inner(state) for state in table.order)

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


def check_mark(given: object, what: str) -> str:
    """A string that is looked for in text, or written around it; ``what`` it is, for the message.

    Raises:
        PolicyError: it is no string that UTF-8 can carry.
        LimitError: it is longer than :data:`LONGEST`.
    """
    if not isinstance(given, str) or any("\ud800" <= character <= "\udfff" for character in given):
        raise PolicyError(f"{what} is a string that UTF-8 can carry, not {excerpt(given)}")
    if len(given) > LONGEST:
        raise LimitError(Problem(f"{what} is too long", keyword=what, remedy=f"at most {LONGEST} characters"))
    return given


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
