"""Lark's contextual lexer as one machine over the text, for all states of the parser.

Lark reads a terminal with one alternation of Python patterns: the first alternative that matches is taken, however long
the others are, and a keyword takes the place of the terminal whose pattern it matches (``_create_unless``). Where a
text ends as a terminal, that is so on a condition on the text to come: nothing that was to be tried before it must ever
match, and its own lookaheads must hold. So an end has a *context*, which the next terminals carry along: the guard, and
the past if the grammar has lookbehinds. Several ends at one place are several hypotheses, each with its own context.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, NoReturn

from maskwright.errors import LimitError, Problem
from maskwright.grammar.lark_guards import Guards
from maskwright.grammar.lark_programs import CHAR, Condition, Programs
from maskwright.grammar.lark_threads import GHOST, MATCHED, Guard, Past, Thread, Threads, refine
from maskwright.limits import Limits

__all__ = ["IGNORED", "Base", "Lexer", "Outcome", "Pattern", "Scanner"]

#: What an ignored terminal is to the parser.
IGNORED: Final = -1
#: Threads of all states of a grammar; some 2 us each.
_THREADS: Final = 1_000_000
#: Steps of threads over all states of a grammar, 0.1 us each: a grammar of SQL takes 40,000. Twenty terminals that each
#: may begin anywhere (``/.*1.*x/``) would take 20 million before they have too many states.
_WORK: Final = 10_000_000


class Outcome(NamedTuple):
    """How a text may end here: as a terminal (or IGNORED), in a context (its number)."""

    terminal: int
    context: int


@dataclass(frozen=True, eq=False)
class Pattern:
    """One terminal with a pattern."""

    name: str
    #: Its number for the parser.
    terminal: int
    #: Its first instruction.
    start: int
    is_ignored: bool


@dataclass(frozen=True, eq=False)
class Lexer:
    """What Lark's lexer tries in some states of the parser."""

    #: Owners (numbers of patterns), in the order in which they are tried.
    tried: tuple[int, ...]
    #: Keywords that take the place of an owner, in the order in which they are tried.
    words: Mapping[int, tuple[int, ...]]
    #: Terminals of the parser's actions, as bits: END and those without pattern among them.
    terminals: int


class Base:
    """A state of the scanner: threads, keywords, guard and past; compared by identity, made once by the scanner."""

    __slots__ = ("guard", "moves", "outcomes", "past", "reach", "threads", "words")

    def __init__(
        self,
        threads: tuple[Thread, ...],
        words: tuple[tuple[int, int], ...],
        guard: Guard,
        past: Past,
        outcomes: tuple[int, ...],
    ) -> None:
        #: In the order in which Lark would prefer them.
        self.threads = threads
        #: (owner, instruction): keywords that the text so far is the beginning of.
        self.words = words
        self.guard = guard
        self.past = past
        #: Numbers of the outcomes that the text may have here.
        self.outcomes = outcomes
        #: ``(classes, next state)``; None until asked for.
        self.moves: tuple[tuple[int, Base], ...] | None = None
        #: All outcomes that can still be reached, as bits; set by :meth:`Scanner.explore`.
        self.reach = 0

    def __repr__(self) -> str:
        return f"<Base {len(self.threads)} threads, {len(self.outcomes)} outcomes>"


class Scanner:
    """The states of one grammar's lexers."""

    def __init__(self, programs: Programs, patterns: Sequence[Pattern], limits: Limits) -> None:
        self.threads = Threads(programs)
        self._guards = Guards(self.threads)
        self.patterns = patterns
        self.limits = limits
        #: Owner of an instruction that accepts a terminal.
        self._accepted = programs.arguments
        self._pattern_of = _owners(programs, patterns)
        self._bases: dict[tuple[object, ...], Base] = {}
        #: Threads of all states together.
        self._held = 0
        #: Threads and past, and a class: what they become; for :meth:`matches`.
        self._matching: dict[tuple[tuple[Thread, ...], Past, int], tuple[tuple[Thread, ...], Past]] = {}
        self._classes: dict[str, int] = {}
        self._starts: dict[tuple[Lexer, int], Base | None] = {}
        self._same: dict[tuple[object, ...], int] = {}
        #: Contexts by number; number 0 is that of the beginning where nothing of the past matters.
        self.contexts: list[tuple[Guard, Past]] = []
        self._context_ids: dict[tuple[Guard, Past], int] = {}
        self.outcomes: list[Outcome] = []
        self._outcome_ids: dict[Outcome, int] = {}
        self._no_past = self.threads.neutral_past()
        self.needs_past = _looks_out(programs, patterns)
        #: The contexts of the beginning, and after what is no pattern.
        self.first = self.context(None, self.threads.begin_past() if self.needs_past else self._no_past)
        self.neutral = self.context(None, self._no_past)

    def context(self, guard: Guard, past: Past) -> int:
        """The number of a context."""
        key = (guard, past)
        found = self._context_ids.get(key)
        if found is None:
            found = self._context_ids[key] = len(self.contexts)
            self.contexts.append(key)
        return found

    def may_end(self, context: int) -> bool:
        """Whether the text may end in a context."""
        return self.threads.end_guard(self.contexts[context][0])

    def outcome(self, outcome: Outcome) -> int:
        """The number of an outcome."""
        found = self._outcome_ids.get(outcome)
        if found is None:
            found = self._outcome_ids[outcome] = len(self.outcomes)
            self.outcomes.append(outcome)
        return found

    def start(self, lexer: Lexer, context: int) -> Base | None:
        """The state before the first character of a terminal; None if no terminal has a pattern."""
        key = (lexer, context)
        if key not in self._starts:
            guard, past = self.contexts[context]
            entered: list[Thread] = []
            for owner in lexer.tried:
                entered += self.threads.enter(self.patterns[owner].start, past)
            words = [(owner, self.patterns[word].start) for owner in lexer.tried for word in lexer.words.get(owner, ())]
            # No terminal is empty, so none is accepted here: Lark refuses those that could be.
            waiting = [thread for thread in entered if not self._has_matched(thread)]
            self._starts[key] = self._make(waiting, words, guard, past)
        return self._starts[key]

    def matches(self, owner: int, string: str) -> bool:
        """Whether ``re.match(pattern, string)`` takes the whole string: the threads of its first match, in order.

        Python's own search would go through all ways of ``(a+)+b`` in turn: minutes for 40 characters. What threads
        become after a character is kept, so a name meets thousands of keywords at little cost.
        """
        threads = self.threads
        past = threads.begin_past()
        at = tuple(threads.enter(self.patterns[owner].start, past))
        for char in string:
            if not at:
                return False
            bit = self._class_of(char)
            key = (at, past, bit)
            after = self._matching.get(key)
            if after is None:
                then = threads.step_past(past, bit)
                after = self._matching[key] = (self._after(at, bit, then), then)
                self._hold(len(after[0]))
            at, past = after
        first = next((thread for thread in at if threads.end(thread)), MATCHED)
        return (first if isinstance(first, int) else first[0]) >= 0

    def _after(self, at: Iterable[Thread], bit: int, past: Past) -> tuple[Thread, ...]:
        """The threads after a character, without those that come after one that has matched."""
        after: dict[Thread, None] = {}
        for thread in at:
            if isinstance(thread, int) and self.threads.accepts[thread]:
                after[MATCHED] = None
                break
            after.update(dict.fromkeys(self.threads.step(thread, bit, past)))
            if MATCHED in after:
                break
        self._work(len(after) + 1)
        return tuple(after)

    def _class_of(self, char: str) -> int:
        found = self._classes.get(char)
        if found is None:
            found = self._classes[char] = self.threads.alphabet.class_of(ord(char))
        return found

    def canonical(self, lexer: Lexer, context: int) -> int:
        """The first of the contexts that a lexer does not tell apart; their states must have been explored.

        What must not follow a number is no matter where only an operator can.
        """
        base = self.start(lexer, context)
        key = (lexer, None if base is None else base.moves, self.may_end(context))
        return self._same.setdefault(key, context)

    def _has_matched(self, thread: Thread) -> bool:
        return self.threads.accepts[thread if isinstance(thread, int) else thread[0]]

    # -- states

    def _make(
        self, ordered: Iterable[Thread], words: Sequence[tuple[int, int]], guard: Guard, past: Past
    ) -> Base | None:
        """The state of threads in their order; None if nothing can come of it."""
        accepts = self.threads.accepts
        kept: list[Thread] = []
        seen: set[Thread] = set()
        outcomes: list[int] = []
        for thread in ordered:
            if thread in seen:
                continue
            seen.add(thread)
            if isinstance(thread, int):
                if thread == MATCHED:
                    break
                if accepts[thread]:
                    outcomes.extend(self._end(thread, kept, frozenset(), words, guard, past))
                    break
            elif thread[0] in seen:
                continue
            elif accepts[thread[0]] and thread[0] != GHOST:
                outcomes.extend(self._end(thread[0], kept, thread[1], words, guard, past))
                thread = (GHOST, thread[1])  # noqa: PLW2901  (it has matched here, not where it is decided)
            kept.append(thread)
        if not kept and not outcomes:
            return None
        if words:
            alive = {self._pattern_of[thread if isinstance(thread, int) else thread[0]] for thread in kept}
            words = [word for word in words if word[0] in alive]
        key = (tuple(kept), tuple(words), guard, past, tuple(dict.fromkeys(outcomes)))
        found = self._bases.get(key)
        if found is None:
            self._hold(len(kept))
            found = self._bases[key] = Base(*key)
        return found

    def _hold(self, count: int) -> None:
        """Count the threads of one more state."""
        self._held += count
        if len(self._bases) >= self.limits.emptiness_states:
            self._give_up(f"{len(self._bases)} states")
        if self._held > _THREADS:
            self._give_up(f"{_THREADS} threads")

    def _work(self, count: int) -> None:
        """Count the threads that take a step."""
        self.threads.work += count
        if self.threads.work > _WORK:
            self._give_up(f"{_WORK} steps of threads")

    def _give_up(self, what: str) -> NoReturn:
        raise LimitError(
            Problem(
                f"telling the terminals apart takes more than {what}",
                keyword="terminals",
                remedy='simplify the terminals, raise Limits.emptiness_states, or use lexer="exact"',
            )
        )

    def _end(  # noqa: PLR0917  (the parts of a state)
        self,
        pc: int,
        before: Sequence[Thread],
        obligations: frozenset[object],
        words: Sequence[tuple[int, int]],
        guard: Guard,
        past: Past,
    ) -> tuple[int, ...]:
        """The outcome of a text that ends as the terminal that an instruction accepts; none if nothing can follow."""
        owner: int = self._accepted[pc]
        pattern = self.patterns[owner]
        terminal = IGNORED if pattern.is_ignored else pattern.terminal
        if not pattern.is_ignored:
            for of, at in words:
                if of == owner and self.threads.accepts[at]:
                    terminal = self.patterns[self._accepted[at]].terminal
                    break
        never = frozenset(before) | guard[0] if guard else frozenset(before)
        must = obligations | guard[1] if guard else obligations
        after = self._guards.simplest((never, must) if never or must else None)  # type: ignore[arg-type]
        if isinstance(after, bool):
            return ()
        if not self.needs_past:
            past = self._no_past
        return (self.outcome(Outcome(terminal, self.context(after, past))),)

    def moves(self, base: Base) -> tuple[tuple[int, Base], ...]:
        """``(classes, next state)`` with disjoint sets of classes; computed once."""
        if base.moves is None:
            targets: dict[Base, int] = {}
            for cell in self._cells(base):
                after = self._step(base, cell & -cell)
                if after is not None:
                    targets[after] = targets.get(after, 0) | cell
            base.moves = tuple((cell, after) for after, cell in targets.items())
        return base.moves

    def _cells(self, base: Base) -> list[int]:
        """The classes that a state reads, split into those that it does not tell apart."""
        threads = self.threads
        reads = threads.reads
        masks = {reads[thread if isinstance(thread, int) else thread[0]] for thread in base.threads}
        union = 0
        for mask in masks:
            union |= mask
        if not union:
            return []
        for _, at in base.words:
            masks.add(reads[at])
        if base.past is not None:
            masks.update(reads[at] for at in base.past[1])
        cells = refine([union], masks)
        pending = [thread for thread in base.threads if not isinstance(thread, int)]
        if pending or base.guard is not None:
            never, must = base.guard or ((), ())
            cells = threads.split([*pending, *never], must, cells)
        return cells

    def _step(self, base: Base, bit: int) -> Base | None:
        threads = self.threads
        past = threads.step_past(base.past, bit) if base.past is not None else None
        guard = base.guard
        if guard is not None:
            stepped = threads.step_guard(guard, bit, past)
            if stepped is False:
                return None
            guard = stepped  # type: ignore[assignment]
        ordered: list[Thread] = []
        reads = threads.reads
        for thread in base.threads:
            if isinstance(thread, int):
                if reads[thread] & bit:
                    ordered += threads.follow(thread, past)
            else:
                ordered += threads.step(thread, bit, past)
        self._work(len(base.threads) + len(ordered))
        if not ordered:
            return None
        words = [(owner, at + 1) for owner, at in base.words if reads[at] & bit] if base.words else []
        return self._make(ordered, words, guard, past)

    def explore(self, starts: Iterable[Base]) -> None:
        """Find all states that some lead to, and what each can reach."""
        todo = [base for base in starts if base.moves is None]
        met: dict[Base, None] = dict.fromkeys(todo)
        before: dict[Base, list[Base]] = {}
        while todo:
            base = todo.pop()
            for _, after in self.moves(base):
                before.setdefault(after, []).append(base)
                if after not in met:
                    met[after] = None
                    if after.moves is None:
                        todo.append(after)
        waiting = []
        for base in met:
            for number in base.outcomes:
                base.reach |= 1 << number
            if base.reach:
                waiting.append(base)
        while waiting:
            base = waiting.pop()
            for other in before.get(base, ()):
                if base.reach & ~other.reach:
                    other.reach |= base.reach
                    waiting.append(other)


def _owners(programs: Programs, patterns: Sequence[Pattern]) -> list[int]:
    """The pattern that each instruction belongs to."""
    owners = [-1] * (len(programs.kinds) + 2)
    starts = sorted((pattern.start, number) for number, pattern in enumerate(patterns))
    for place, (start, number) in enumerate(starts):
        stop = starts[place + 1][0] if place + 1 < len(starts) else len(owners)
        owners[start:stop] = [number] * (stop - start)
    return owners


def _looks_out(programs: Programs, patterns: Sequence[Pattern]) -> bool:
    """Whether some lookbehind may look at what stands before its terminal."""
    if len(programs.behinds) == 1 and not any(isinstance(a, Condition) and not a.is_ahead for a in programs.arguments):
        return False
    for pattern in patterns:
        distance = {pattern.start: 0}
        todo = deque([pattern.start])
        while todo:
            pc = todo.popleft()
            for conditions, then in programs.entered(pc):
                for condition in conditions:
                    starts = () if not condition.is_ahead else (programs.looks[condition.which],)
                    if not condition.is_ahead and distance[pc] < max(1, programs.widths[condition.which]):
                        return True
                    for start in starts:
                        if start not in distance:
                            distance[start] = distance[pc]
                            todo.append(start)
                if programs.kinds[then] == CHAR and then + 1 not in distance:
                    distance[then + 1] = distance[pc] + 1
                    todo.append(then + 1)
    return False
