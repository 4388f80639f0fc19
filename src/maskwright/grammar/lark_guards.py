"""Guards made simple: which of them no text meets, and which are the same.

Where a text may end as a terminal, its guard says what the text to come must not or must be. Some guards contradict
themselves: a name that is no keyword ends after ``or`` only if a letter follows (or it would be the keyword) and none
does (or the name would go on). Such an end is none, and leaving it out keeps most grammars with keywords within the
simple check of :mod:`maskwright.grammar.lark_liveness`: a ``SELECT`` of SQL takes 0.3 s to compile instead of running
out of steps. Guards are told apart only by what the characters to come do to them, so that all places where a name may
end are one.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from maskwright.grammar.lark_threads import Guard, Thread, Threads

__all__ = ["Guards"]

#: Guards that a search for a text enters; a guard for which it finds nothing by then counts as one that is met.
_SEARCHED: Final = 500
#: States of guards that are compared.
_COMPARED: Final = 16

#: Of a state of a guard: whether the text may end, and ``(classes, next state)``: -1 for a violation, -2
#: where nothing is left to be met.
_Moves = tuple[bool | tuple[int, int], ...]


class Guards:
    """What was found out about the guards of one grammar."""

    def __init__(self, threads: Threads) -> None:
        """Start with nothing known."""
        self._threads = threads
        self._all = 0
        for mask in threads.alphabet.masks:
            self._all |= mask
        #: An equivalent guard, by guard; ``False`` for one that no text meets.
        self._simple: dict[Guard, Guard | bool] = {None: None}
        self._is_met: dict[Guard, bool] = {None: True}
        self._moves: dict[Guard, list[tuple[int, Guard | bool]]] = {}
        #: The first guard with some moves, its states numbered as a search meets them.
        self._same: dict[tuple[_Moves, ...], Guard] = {((True, (self._all, then)),): None for then in (-2, 0)}

    def simplest(self, guard: Guard) -> Guard | bool:
        """A guard that the same texts meet; ``False`` if none does. Where the past matters not all is decided."""
        owing = self._without_implied(guard)
        if self._threads.has_past or isinstance(owing, bool):
            return owing
        guard = owing
        found = self._simple.get(guard, True)
        if found is True:
            found = self._simple[guard] = self._merged(guard) if self._can_be_met(guard) else False
        return found

    def _without_implied(self, guard: Guard) -> Guard | bool:
        """A guard whose threads owe nothing that the text must be anyway; ``False`` if that leaves a contradiction.

        Else ``(?=[ab]*c)[ab]{1,20}`` would have a guard for each set of places where it may have ended.
        """
        if guard is None or not guard[1]:
            return guard
        never, must = guard
        kept: set[Thread] = set()
        for thread in never:
            if isinstance(thread, int):
                kept.add(thread)
                continue
            at, owed = thread
            rest = owed - must
            if not rest and self._threads.accepts[at]:
                return False
            kept.add((at, rest) if rest else at)
        return frozenset(kept), must

    def _after(self, guard: Guard) -> list[tuple[int, Guard | bool]]:
        """``(classes, guard after one of them)``, ``False`` for a violation."""
        found = self._moves.get(guard)
        if found is None:
            never, must = guard or ((), ())
            cells = self._threads.split(never, must, [self._all])
            found = [(cell, self._threads.step_guard(guard, cell & -cell, None)) for cell in cells if cell]
            self._moves[guard] = found
        return found

    def _can_be_met(self, guard: Guard) -> bool:
        """Whether some text meets a guard: a search for one, which decides all that it enters if there is none."""
        if guard in self._is_met:
            return self._is_met[guard]
        seen: dict[Guard, None] = {guard: None}
        todo = [guard]
        while todo:
            at = todo.pop()
            if self._is_met.get(at) or len(seen) > _SEARCHED or self._threads.end_guard(at):
                self._is_met[guard] = True
                return True
            for _, after in self._after(at):
                if isinstance(after, bool) or after in seen or self._is_met.get(after) is False:
                    continue
                seen[after] = None
                todo.append(after)
        self._is_met.update(dict.fromkeys(seen, False))
        return False

    def _merged(self, guard: Guard) -> Guard:
        """The first guard with the same moves: those of fifteen hundred names with an ``x`` at the end are one."""
        numbers: dict[Guard | bool, int] = {False: -1, None: -2, guard: 0}
        todo = deque([guard])
        shape: list[_Moves] = []
        while todo:
            at = todo.popleft()
            targets: dict[Guard | bool, int] = {}
            for cell, after in self._after(at):
                then = False if isinstance(after, bool) or not self._can_be_met(after) else after
                targets[then] = targets.get(then, 0) | cell
            for then in sorted(targets, key=targets.__getitem__):
                if not isinstance(then, bool) and then not in numbers:
                    numbers[then] = len(numbers) - 2
                    todo.append(then)
            if len(numbers) > _COMPARED:
                return guard
            shape.append(
                (self._threads.end_guard(at), *sorted((cell, numbers[then]) for then, cell in targets.items()))
            )
        return self._same.setdefault(tuple(shape), guard)
