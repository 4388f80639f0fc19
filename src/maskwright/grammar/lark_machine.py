"""The scanner as the labelled machine that the kernel reads terminals with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import RLock
from typing import cast

from maskwright.grammar.lark_scanner import Base, Outcome, Scanner

__all__ = ["Begun", "Machine"]

#: A state of the scanner, and the outcomes that may still be chosen, as bits; ALL if none is excluded.
State = tuple[Base, int]
_ALL = -1


class Machine:
    """All lexers of a grammar: the machine itself, whatever state it begins in."""

    def __init__(self, scanner: Scanner, lock: RLock) -> None:
        self._scanner = scanner
        self._layout = scanner.threads.alphabet.layout
        self._lock = lock
        self._labels: list[tuple[int, ...]] = []
        self._label_ids: dict[tuple[int, ...], int] = {}
        self._outcomes_reached: dict[Base, list[tuple[int, ...]]] = {}

    def state(self, base: Base, live: int) -> State:
        """A state with the outcomes that may be chosen."""
        kept = base.reach & live
        return (base, _ALL if kept == base.reach else kept)

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        """``(first, last, next state)``; no state is named that leads to no live outcome."""
        base, live = cast("State", state)
        with self._lock:
            targets = [(mask, self.state(then, live)) for mask, then in self._scanner.moves(base) if then.reach & live]
            laid = self._layout(tuple([mask for mask, _ in targets]))
        return [(first, last, targets[group][1]) for first, last, group in laid]

    def accepts(self, state: Hashable) -> bool:
        """Whether the text may end here as a terminal."""
        base, live = cast("State", state)
        return any(live >> number & 1 for number in base.outcomes)

    def label(self, state: Hashable) -> int:
        """The number of the outcomes that the text may have here."""
        base, live = cast("State", state)
        return self._label(tuple([number for number in base.outcomes if live >> number & 1]))

    def _label(self, chosen: tuple[int, ...]) -> int:
        found = self._label_ids.get(chosen)
        if found is None:
            with self._lock:
                found = self._label_ids.setdefault(chosen, len(self._labels))
                if found == len(self._labels):
                    self._labels.append(chosen)
        return found

    def labels(self, base: Base, live: int, wanted: int) -> int:
        """The labels that can be reached and have an outcome that is wanted, as bits."""
        found = 0
        for outcomes in self._reached(base):
            chosen = tuple([number for number in outcomes if live >> number & 1])
            if any(wanted >> number & 1 for number in chosen):
                found |= 1 << self._label(chosen)
        return found

    def _reached(self, base: Base) -> list[tuple[int, ...]]:
        """The different outcomes of all states that one leads to."""
        found = self._outcomes_reached.get(base)
        if found is None:
            seen = {base}
            todo = [base]
            while todo:
                for _, then in self._scanner.moves(todo.pop()):
                    if then not in seen:
                        seen.add(then)
                        todo.append(then)
            found = self._outcomes_reached[base] = list(dict.fromkeys(at.outcomes for at in seen if at.outcomes))
        return found

    def outcomes(self, label: int) -> list[Outcome]:
        """The outcomes of a label."""
        return [self._scanner.outcomes[number] for number in self._labels[label]]

    def continues(self, state: Hashable) -> bool:
        """Whether a state has a move."""
        base, live = cast("State", state)
        with self._lock:
            return any(then.reach & live for _, then in self._scanner.moves(base))


class Begun:
    """The machine with the state that it begins in. The kernel shares the states of one ``machine``."""

    __slots__ = ("machine", "start")

    def __init__(self, machine: Machine, start: State) -> None:
        self.machine = machine
        self.start = start

    def __hash__(self) -> int:
        return hash((id(self.machine), self.start))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Begun) and self.machine is other.machine and self.start == other.start

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        """See :class:`Machine`."""
        return self.machine.moves(state)

    def accepts(self, state: Hashable) -> bool:
        """See :class:`Machine`."""
        return self.machine.accepts(state)

    def label(self, state: Hashable) -> int:
        """See :class:`Machine`."""
        return self.machine.label(state)

    def continues(self, state: Hashable) -> bool:
        """See :class:`Machine`."""
        return self.machine.continues(state)
