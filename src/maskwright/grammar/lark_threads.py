"""Threads: where the patterns of a grammar stand after some text, and what the text to come must not or must be.

A *thread* is an instruction that waits for a character, with the lookaheads that were begun on its way and are not yet
decided: its *obligations*. A thread without obligations is the bare number of its instruction. A thread that has
matched but still has obligations waits on as a *ghost*: if they come to hold, it has matched after all, back then.

An obligation is (whether it must match, the threads of its program). It is decided as soon as one of its threads
matches, or none is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maskwright.grammar.lark_alphabet import Alphabet
from maskwright.grammar.lark_programs import ACCEPT, AT_START, CHAR, EOF, Condition, Entry, Programs

__all__ = ["GHOST", "MATCHED", "Guard", "Obligation", "Past", "Thread", "Threads"]

Obligation = tuple[bool, frozenset["Thread"]]
Thread = int | tuple[int, frozenset[Obligation]]
#: Which lookbehinds have just matched, as bits, and the threads of their programs; None where there are none.
Past = tuple[int, frozenset[int]] | None
#: Threads that must never match, and obligations that must hold; None if there are neither.
Guard = tuple[frozenset[Thread], frozenset[Obligation]] | None

#: A thread that has matched at an earlier place, for sure now.
MATCHED: Final = -1
#: The instruction of a ghost: a thread that has matched at an earlier place, if its obligations come to hold.
GHOST: Final = -2
#: What a step within obligations and guards counts, in steps of a plain thread.
_SLOW: Final = 10
_HOLDS: Final = True
_FAILS: Final = False


class Threads:
    """Steps of threads over the classes of an alphabet. ``bit`` is one class of :class:`Alphabet` everywhere."""

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        self.alphabet = Alphabet(programs.sets)
        masks = self.alphabet.masks
        #: Steps that were taken, for who bounds them.
        self.work = 0
        #: ``reads[pc]``: the classes that an instruction reads; 0 for those that read nothing.
        self.reads = [
            masks[argument] if kind == CHAR else 0
            for kind, argument in zip(programs.kinds, programs.arguments, strict=True)
        ]
        #: Whether an instruction has matched: now, or at the end of the text.
        self.accepts = [kind == ACCEPT for kind in programs.kinds]
        self.ends = [kind in (ACCEPT, EOF) for kind in programs.kinds]
        # Read from the end: what GHOST and MATCHED are.
        self.reads += [0, 0]
        self.accepts += [True, True]
        self.ends += [True, True]
        #: ``plain[pc]``: what follows an instruction, if no condition is on the way.
        self._plain: dict[int, tuple[int, ...] | None] = {}
        self.has_past = len(programs.behinds) > 1 or any(
            isinstance(condition, Condition) and not condition.is_ahead for condition in programs.arguments
        )

    # -- entering

    def resolve(self, entries: Iterable[Entry], past: Past) -> list[Thread]:
        """The threads of some entries at a place, in their order."""
        found: list[Thread] = []
        for conditions, pc in entries:
            if not conditions:
                found.append(pc)
                continue
            begun: set[Obligation] = set()
            for is_ahead, which, positive in conditions:
                if not is_ahead:
                    if (past is not None and past[0] >> which & 1) != positive:
                        break
                    continue
                begins = self._begin(which, past, positive=positive)
                if begins is _FAILS:
                    break
                if begins is not _HOLDS:
                    begun.add(begins)
            else:
                found.append((pc, frozenset(begun)) if begun else pc)
        return found

    def enter(self, pc: int, past: Past) -> list[Thread]:
        """The threads of a program that begins at a place."""
        return self.resolve(self.programs.entered(pc), past)

    def _begin(self, which: int, past: Past, *, positive: bool) -> Obligation | bool:
        return self._decide(self.enter(self.programs.looks[which], past), positive=positive)

    def _decide(self, threads: Iterable[Thread], *, positive: bool) -> Obligation | bool:
        waiting = frozenset(threads)
        for thread in waiting:
            if isinstance(thread, int) and (self.accepts[thread]):
                return positive
        return (positive, waiting) if waiting else not positive

    # -- stepping

    def follow(self, pc: int, past: Past) -> tuple[Thread, ...] | list[Thread]:
        """The threads after an instruction has read its character."""
        if pc in self._plain:
            plain = self._plain[pc]
        else:
            entries = self.programs.entered(pc + 1)
            plain = None if any(conditions for conditions, _ in entries) else tuple(pc for _, pc in entries)
            self._plain[pc] = plain
        return self.resolve(self.programs.entered(pc + 1), past) if plain is None else plain

    def step(self, thread: Thread, bit: int, past: Past) -> tuple[Thread, ...] | list[Thread]:
        """The threads after a character, in order; ``past`` is that after it."""
        if isinstance(thread, int):
            return self.follow(thread, past) if self.reads[thread] & bit else ()
        pc, obligations = thread
        kept = self.step_obligations(obligations, bit, past)
        if kept is None:
            return ()
        if self.accepts[pc]:
            return ((GHOST, kept) if kept else MATCHED,)
        if not self.reads[pc] & bit:
            return ()
        after = self.follow(pc, past)
        if not kept:
            return after
        return [(then, kept) if isinstance(then, int) else (then[0], then[1] | kept) for then in after]

    def step_obligations(self, obligations: Iterable[Obligation], bit: int, past: Past) -> frozenset[Obligation] | None:
        """What is still to be decided after a character; None if one fails."""
        kept: list[Obligation] = []
        for positive, threads in obligations:
            self.work += _SLOW * len(threads)
            after = [then for thread in threads for then in self.step(thread, bit, past)]
            decided = self._decide(after, positive=positive)
            if decided is _FAILS:
                return None
            if decided is not _HOLDS:
                kept.append(decided)
        return frozenset(kept)

    def step_guard(self, guard: Guard, bit: int, past: Past) -> Guard | bool:
        """A guard after a character; False if it is violated."""
        if guard is None:
            return None
        never: list[Thread] = []
        self.work += _SLOW * len(guard[0])
        for thread in guard[0]:
            for then in self.step(thread, bit, past):
                if isinstance(then, int) and (self.accepts[then]):
                    return False
                never.append(then)
        must = self.step_obligations(guard[1], bit, past) if guard[1] else guard[1]
        if must is None:
            return False
        return (frozenset(never), must) if never or must else None

    def begin_past(self) -> Past:
        """The past of an empty text."""
        return self._begin_behinds(1 << AT_START, []) if self.has_past else None

    def neutral_past(self) -> Past:
        """The past where nothing that was read matters."""
        return self._begin_behinds(0, []) if self.has_past else None

    def step_past(self, past: Past, bit: int) -> Past:
        """The past after one more character."""
        if past is None:
            return None
        entered = [self.programs.entered(pc + 1) for pc in past[1] if self.reads[pc] & bit]
        return self._begin_behinds(0, [entry for entries in entered for entry in entries])

    def _begin_behinds(self, bits: int, entries: list[Entry]) -> Past:
        """Begin every lookbehind at this place; one within another has the lower bit, so it is decided before."""
        for start in self.programs.behinds[1:]:
            entries.extend(self.programs.entered(start))
        matches = [(self.programs.arguments[pc], pc, conditions) for conditions, pc in entries if self.accepts[pc]]
        for which, pc, conditions in sorted(matches):
            if self.resolve([(conditions, pc)], (bits, frozenset())):
                bits |= 1 << which
        waiting = [entry for entry in entries if not self.accepts[entry[1]]]
        found = self.resolve(waiting, (bits, frozenset()))
        return bits, frozenset(thread for thread in found if isinstance(thread, int))

    # -- ending

    def end(self, thread: Thread) -> bool:
        """Whether a thread matches if the text ends here."""
        if isinstance(thread, int):
            return self.ends[thread]
        return self.ends[thread[0]] and all(map(self.end_obligation, thread[1]))

    def end_obligation(self, obligation: Obligation) -> bool:
        """Whether an obligation holds if the text ends here."""
        return any(map(self.end, obligation[1])) == obligation[0]

    def end_guard(self, guard: Guard) -> bool:
        """Whether a guard holds if the text ends here."""
        return guard is None or (not any(map(self.end, guard[0])) and all(map(self.end_obligation, guard[1])))

    # -- classes

    def split(self, threads: Iterable[Thread], obligations: Iterable[Obligation], cells: list[int]) -> list[int]:
        """``cells``, sets of classes, split so that no thread tells two classes of one set apart."""
        masks: set[int] = set()
        self._collect(threads, obligations, masks)
        return refine(cells, masks)

    def _collect(self, threads: Iterable[Thread], obligations: Iterable[Obligation], masks: set[int]) -> None:
        todo: list[Thread] = list(threads)
        for _, inner in obligations:
            todo.extend(inner)
        while todo:
            thread = todo.pop()
            if not isinstance(thread, int):
                for _, inner in thread[1]:
                    todo.extend(inner)
                thread = thread[0]
            masks.add(self.reads[thread])


def refine(cells: list[int], masks: Iterable[int]) -> list[int]:
    """Disjoint sets split by each of some masks."""
    for mask in masks:
        split: list[int] = []
        for cell in cells:
            inside = cell & mask
            if inside and inside != cell:
                split += (inside, cell ^ inside)
            else:
                split.append(cell)
        cells = split
    return cells
