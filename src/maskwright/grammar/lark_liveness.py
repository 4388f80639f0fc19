"""Which outcomes of the scanner can be completed: greedy terminals, merged LALR states and keywords make dead ends.

A lexer in a context is *good* if every terminal of the parser's actions can be read there, perhaps after what is
ignored, so that whatever lexer comes next is good again in the context after it (a greatest fixpoint). There a stack
can be completed if the parser alone can complete it: if it can take anything, where the table is clean; otherwise that
is what :mod:`maskwright.grammar.lark_saturation` says of the parser alone.

Lexers that are not good, as after a comment that only a line end may follow, are left within some steps: a search from
the stack finds a good one, the end of the text, or nothing. If most are not good (in Lark's own grammar no line end can
be read after another, whatever the parser would take), or a search does not end soon, the pushdown system of parser and
scanner together decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from maskwright.errors import LimitError
from maskwright.grammar.lark_lr import END, Cell, Stacks
from maskwright.grammar.lark_readings import Readings, bits
from maskwright.grammar.lark_saturation import ENDING, Pending, Saturation
from maskwright.grammar.lark_scanner import IGNORED, Lexer
from maskwright.grammar.lark_tables import Lexers, Tables
from maskwright.limits import Limits

__all__ = ["Liveness"]

#: Places that a search looks at; each takes some 10 us.
_SEARCH: Final = 2_000
#: Steps, in those of ``Limits.satisfiability_steps``, that the system of both may take where a search would do as well.
_CHEAP: Final = 20_000
#: Places that are tried when a grammar is compiled.
_REHEARSED: Final = 100
#: Answers that are kept.
_KNOWN: Final = 200_000

#: A stack that was settled, the lexer that reads on, and its context.
Place = tuple[Cell, Lexer, int]
Follow = Callable[[Lexer, int], tuple[list[Pending], list[int]]]


class Liveness:
    """What can be completed, for the stacks of one grammar."""

    def __init__(
        self, tables: Tables, stacks: Stacks, lexers: Lexers, specials: frozenset[int], limits: Limits
    ) -> None:
        """Explore all states of the scanner, and find what is good."""
        self._table = tables.table
        self._stacks = stacks
        self._lexers = lexers
        self._scanner = lexers.scanner
        self._special_mask = sum(1 << number for number in specials)
        self._limits = limits
        self._readings = Readings(tables.table, lexers, self._special_mask)
        #: The parser alone, if its conflicts were resolved; parser and scanner together, once a search took too long.
        self._parser = None if tables.is_clean else self._saturate(self._follow_any, 0, limits.satisfiability_steps)
        self._both: Saturation | None = None
        self._by_both: dict[tuple[int, int, Lexer, int], int] = {}
        #: What a stack below a state must meet one of, if a lexer reads on in a context.
        self._wanted: dict[tuple[int, Lexer, int], int] = {}
        unsure = self._readings.unsure.bit_count()
        if 2 * unsure > len(self._scanner.outcomes):
            with suppress(LimitError):
                self._both = self._saturate_both(min(_CHEAP, limits.satisfiability_steps))
        #: What can be read and completed by the parser alone: by state, demands met below and lexer.
        self._taken: dict[tuple[int, int, Lexer], int] = {}
        #: Outcomes that are sure to be live, by the terminals that can be taken.
        self._sure: dict[int, int] = {}
        #: ``known[place]``: what a search has found.
        self._known: dict[Place, bool] = {}

    # -- the parser

    def _saturate_both(self, steps: int) -> Saturation:
        return self._saturate(self._follow_both, self._scanner.first, steps)

    def _saturate(self, follow: Follow, first: int, steps: int) -> Saturation:
        of = self._lexers.of
        return Saturation(self._table, lambda state, context: follow(of[state], context), first, steps)

    def _follow_any(self, lexer: Lexer, context: int) -> tuple[list[Pending], list[int]]:
        """Any terminal of the actions, whatever the context."""
        del context
        return [(n, 0) if n != END else ENDING for n in bits(lexer.terminals)], []

    def _follow_both(self, lexer: Lexer, context: int) -> tuple[list[Pending], list[int]]:
        """What may be read next in a context, and the contexts that ignored terminals lead to."""
        scanner = self._scanner
        pendings: list[Pending] = [(n, scanner.neutral) for n in bits(lexer.terminals & self._special_mask)]
        contexts: list[int] = []
        if lexer.terminals >> END & 1 and scanner.may_end(context):
            pendings.append(ENDING)
        for terminal, after in self._readings.outcomes(lexer, context):
            if terminal == IGNORED:
                contexts.append(after)
            elif lexer.terminals >> terminal & 1:
                pendings.append((terminal, after))
        return pendings, contexts

    def taken(self, cell: Cell, lexer: Lexer) -> int:
        """The terminals that a lexer may give and that the parser alone can go on from, as bits."""
        takes = self._stacks.takes(cell) & lexer.terminals
        parser = self._parser
        if parser is None or not takes:
            return takes
        key = (cell.state, parser.met(cell.below), lexer)
        found = self._taken.get(key)
        if found is None:
            found = 0
            for number in bits(takes):
                if parser.acts((number, 0) if number != END else ENDING, cell):
                    found |= 1 << number
            self._taken[key] = found
        return found

    # -- parser and scanner

    def is_live(self, cell: Cell, lexer: Lexer, context: int) -> bool:
        """Whether a stack can be completed if a lexer reads on in a context."""
        if (lexer, context) in self._readings.good:
            return self.taken(cell, lexer) != 0
        place = (cell, lexer, context)
        if self._both is not None:
            return self._decide(place)
        found = self._known.get(place)
        if found is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            found = self._search(place)
        return found

    def _search(self, start: Place) -> bool:
        """Look for a good lexer or the end of the text; what was met on the way to neither is dead."""
        todo = deque((start,))
        met = {start}
        while todo:
            place = todo.popleft()
            cell, lexer, context = place
            known = self._known.get(place)
            if known is None and (lexer, context) in self._readings.good:
                known = self.taken(cell, lexer) != 0
            if known or (known is None and self.taken(cell, lexer) >> END & 1 and self._scanner.may_end(context)):
                self._known[start] = True
                return True
            if known is None:
                for then in self._onward(cell, lexer, context):
                    if then not in met:
                        met.add(then)
                        todo.append(then)
            if len(met) > _SEARCH:
                found = self._known[start] = self._decide(start)
                return found
        self._known.update((place, False) for place in met)
        return False

    def _onward(self, cell: Cell, lexer: Lexer, context: int) -> list[Place]:
        """The places after one more terminal."""
        found: list[Place] = []
        taken = self.taken(cell, lexer)
        for terminal, after in self._readings.outcomes(lexer, context):
            if terminal == IGNORED:
                found.append((cell, lexer, self._scanner.canonical(lexer, after)))
            elif taken >> terminal & 1:
                found += self.after(cell, terminal, after)
        for terminal in bits(taken & self._special_mask):
            found += self.after(cell, terminal, self._scanner.neutral)
        return found

    def after(self, cell: Cell, terminal: int, context: int) -> list[Place]:
        """The place after a terminal, in a context after it; none if the parser refuses it."""
        shifted = self._stacks.shift(cell, terminal)
        if shifted is None:
            return []
        lexer = self._lexers.of[shifted.state]
        return [(self._stacks.settle(shifted), lexer, self._scanner.canonical(lexer, context))]

    def _decide(self, place: Place) -> bool:
        """Ask the pushdown system of parser and scanner together."""
        if self._both is None:
            self._both = self._saturate_both(self._limits.satisfiability_steps)
        cell, lexer, context = place
        both = self._both
        key = (cell.state, lexer, context)
        wanted = self._wanted.get(key)
        if wanted is None:
            reached = self._readings.reached(lexer, context)
            pendings = [pending for at in reached for pending in self._follow_both(lexer, at)[0]]
            wanted = self._wanted[key] = both.wanted(pendings, cell.state)
        return wanted & both.met(cell.below) != 0

    def rehearse(self, start: Place) -> None:
        """Search from the first places, so that what takes too long is told when the grammar is compiled."""
        todo = deque((start,))
        met = {start}
        while todo and self._readings.unsure and self._both is None:
            place = todo.popleft()
            self.outcomes(*place)
            for then in self._onward(*place):
                if then not in met and len(met) < _REHEARSED:
                    met.add(then)
                    todo.append(then)

    def is_good(self, lexer: Lexer, context: int) -> bool:
        """Whether every way of the parser from here can be read; never where conflicts decide which there are."""
        return self._parser is None and (lexer, context) in self._readings.good

    def sure(self, outcomes: int) -> int:
        """Those of some outcomes, as bits, after which every lexer is good."""
        return outcomes & ~self._readings.unsure

    def outcomes(self, cell: Cell, lexer: Lexer, context: int) -> int:
        """The outcomes of the scanner that can be completed from a stack, as bits."""
        taken = self.taken(cell, lexer)
        found = self._sure.get(taken)
        if found is None:
            found = self._sure[taken] = self._readings.sure(taken)
        base = self._scanner.start(lexer, context)
        unsure = 0 if base is None else base.reach & self._readings.unsure
        if not unsure:
            return found
        if self._both is None:
            return found | self._filtered(cell, lexer, taken, unsure)
        key = (cell.state, self._both.met(cell.below), lexer, context)
        if key not in self._by_both:
            self._by_both[key] = self._filtered(cell, lexer, taken, unsure)
        return found | self._by_both[key]

    def _filtered(self, cell: Cell, lexer: Lexer, taken: int, unsure: int) -> int:
        """Those of some outcomes that can be completed."""
        found = 0
        for number in bits(unsure):
            terminal, after = self._scanner.outcomes[number]
            if terminal == IGNORED:
                places = [(cell, lexer, self._scanner.canonical(lexer, after))]
            else:
                places = self.after(cell, terminal, after) if taken >> terminal & 1 else []
            if any(self.is_live(*place) for place in places):
                found |= 1 << number
        return found

    def specials(self, cell: Cell, lexer: Lexer) -> list[int]:
        """The terminals without a pattern that can be completed from a stack."""
        if not lexer.terminals & self._special_mask:
            return []
        neutral = self._scanner.neutral
        found = bits(self.taken(cell, lexer) & self._special_mask)
        return [n for n in found if any(self.is_live(*place) for place in self.after(cell, n, neutral))]

    def missing(self, start: Place) -> list[int]:
        """Terminals that the parser needs along the way, where no text is accepted, and that no lexer finds there."""
        todo = deque((start,))
        met = {start}
        found: dict[int, None] = {}
        while todo and len(met) < _SEARCH:
            cell, lexer, context = todo.popleft()
            reached = self._readings.reached(lexer, context)
            read = {terminal for at in reached for terminal, _ in self._readings.outcomes(lexer, at)}
            can_end = any(map(self._scanner.may_end, reached))
            needed = bits(self._stacks.takes(cell) & lexer.terminals & ~self._special_mask)
            found.update((n, None) for n in needed if n not in read and (n != END or not can_end))
            for then in self._onward(cell, lexer, context):
                if then not in met:
                    met.add(then)
                    todo.append(then)
        return list(found)
