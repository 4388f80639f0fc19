"""Which outcomes of the scanner can be completed: greedy terminals, merged LALR states and keywords make dead ends.

First a local check. If in every state of the parser, in every context that can be pending there, each terminal of the
state's actions can still be read (perhaps after what is ignored), and the table is clean, then whatever the parser can
take can be completed.
"""

from __future__ import annotations

from collections import deque

from maskwright.grammar.lark_lr import END, Cell, Stacks
from maskwright.grammar.lark_saturation import ENDING, Pending, Saturation
from maskwright.grammar.lark_scanner import IGNORED, Lexer
from maskwright.grammar.lark_tables import Lexers, Tables
from maskwright.limits import Limits

__all__ = ["Liveness"]


class Liveness:
    """What can be completed, for the stacks of one grammar."""

    def __init__(
        self, tables: Tables, stacks: Stacks, lexers: Lexers, specials: frozenset[int], limits: Limits
    ) -> None:
        """Explore all states of the scanner, and decide whether the local check is enough."""
        self._table = tables.table
        self._stacks = stacks
        self._lexers = lexers
        self._scanner = lexers.scanner
        self._specials = specials
        self._special_mask = sum(1 << number for number in specials)
        self._limits = limits
        #: Outcomes by what the stack takes, if the local check is enough.
        self._by_takes: dict[int, int] = {}
        #: Contexts in which each lexer can begin.
        self._begun: dict[Lexer, dict[int, None]] = {}
        self._explore()
        self._outcomes_of: dict[int, int] = {}
        for number, outcome in enumerate(self._scanner.outcomes):
            self._outcomes_of[outcome.terminal] = self._outcomes_of.get(outcome.terminal, 0) | 1 << number
        lacking = [
            (lexer, context, lacks)
            for lexer, contexts in self._begun.items()
            for context in contexts
            if (lacks := self._lacks(lexer, context))
        ]
        #: Whether every terminal can be read wherever the parser can take it: contexts then need not be told apart.
        self._is_readable = not lacking
        self._saturation = None if tables.is_clean and not lacking else self._saturate()
        #: Outcomes by state, demands met below and beginning, if it is not.
        self._by_met: dict[tuple[int, int, Lexer, int], int] = {}

    def _saturate(self) -> Saturation:
        first = 0 if self._is_readable else self._scanner.first
        return Saturation(
            self._table,
            lambda state, context: self._follow(self._lexers.of[state], context),
            first,
            self._limits.satisfiability_steps,
        )

    def _follow(self, lexer: Lexer, context: int) -> tuple[list[Pending], list[int]]:
        """What may be read next, and the contexts that ignored terminals lead to."""
        if self._is_readable:
            return [self._pending(n, context) if n != END else ENDING for n in _bits(lexer.terminals)], []
        pendings = [self._pending(n, self._scanner.neutral) for n in self._special_in(lexer.terminals)]
        contexts: list[int] = []
        if lexer.terminals >> END & 1 and self._scanner.may_end(context):
            pendings.append(ENDING)
        base = self._scanner.start(lexer, context)
        for number in _bits(base.reach) if base is not None else ():
            terminal, after = self._scanner.outcomes[number]
            if terminal == IGNORED:
                contexts.append(after)
            elif lexer.terminals >> terminal & 1:
                pendings.append(self._pending(terminal, after))
        return pendings, contexts

    def _pending(self, terminal: int, context: int) -> Pending:
        return terminal, 0 if self._is_readable else context

    def _special_in(self, mask: int) -> list[int]:
        return _bits(mask & self._special_mask)

    def _explore(self) -> None:
        """Enter every lexer in every context that can be pending there."""
        after: dict[int, set[Lexer]] = {}
        for shifts in self._table.shifts:
            for terminal, state in shifts.items():
                after.setdefault(terminal, set()).add(self._lexers.of[state])
        todo: deque[tuple[Lexer, int]] = deque()

        def begin(lexer: Lexer, context: int) -> None:
            contexts = self._begun.setdefault(lexer, {})
            if context not in contexts:
                contexts[context] = None
                todo.append((lexer, context))

        begin(self._lexers.of[self._table.start], self._scanner.first)
        for special in self._specials:
            for lexer in after.get(special, ()):
                begin(lexer, self._scanner.neutral)
        while todo:
            lexer, context = todo.popleft()
            base = self._scanner.start(lexer, context)
            if base is None:
                continue
            self._scanner.explore([base])
            for number in _bits(base.reach):
                outcome = self._scanner.outcomes[number]
                if outcome.terminal == IGNORED:
                    begin(lexer, outcome.context)
                    continue
                for then in after.get(outcome.terminal, ()):
                    begin(then, outcome.context)

    def _lacks(self, lexer: Lexer, context: int) -> int:
        """The terminals of a lexer that cannot be read in a context, as bits."""
        lacks = lexer.terminals & ~self._special_mask
        for at in self._contexts_reached(lexer, context):
            base = self._scanner.start(lexer, at)
            if base is not None:
                for number in _bits(base.reach):
                    terminal = self._scanner.outcomes[number].terminal
                    if terminal != IGNORED:
                        lacks &= ~(1 << terminal)
            if self._scanner.may_end(at):
                lacks &= ~(1 << END)
            if not lacks:
                break
        return lacks

    def _contexts_reached(self, lexer: Lexer, context: int) -> list[int]:
        """The contexts that ignored terminals lead to, the first included."""
        todo = [context]
        found = dict.fromkeys(todo)
        while todo:
            base = self._scanner.start(lexer, todo.pop())
            for number in _bits(base.reach) if base is not None else ():
                outcome = self._scanner.outcomes[number]
                if outcome.terminal == IGNORED and outcome.context not in found:
                    found[outcome.context] = None
                    todo.append(outcome.context)
        return list(found)

    def is_live(self, cell: Cell, lexer: Lexer, context: int) -> bool:
        """Whether a stack can be completed if a lexer reads on in a context."""
        saturation = self._saturation
        if saturation is None:
            return self._stacks.takes(cell) & lexer.terminals != 0
        contexts = [0] if self._is_readable else self._contexts_reached(lexer, context)
        return any(saturation.acts(pending, cell) for at in contexts for pending in self._follow(lexer, at)[0])

    def outcomes(self, cell: Cell, lexer: Lexer, context: int) -> int:
        """The outcomes of the scanner that can be completed from a stack, as bits."""
        saturation = self._saturation
        if saturation is None:
            return self._taken(self._stacks.takes(cell) & lexer.terminals)
        key = (cell.state, saturation.met(cell.below), lexer, context)
        found = self._by_met.get(key)
        if found is None:
            found = 0
            base = self._scanner.start(lexer, context)
            for number in _bits(base.reach) if base is not None else ():
                terminal, after = self._scanner.outcomes[number]
                if terminal == IGNORED:
                    is_live = self.is_live(cell, lexer, after)
                else:
                    is_live = saturation.acts(self._pending(terminal, after), cell)
                if is_live:
                    found |= 1 << number
            self._by_met[key] = found
        return found

    def _taken(self, takes: int) -> int:
        found = self._by_takes.get(takes)
        if found is None:
            found = self._outcomes_of.get(IGNORED, 0)
            for terminal in _bits(takes):
                found |= self._outcomes_of.get(terminal, 0)
            self._by_takes[takes] = found
        return found

    def specials(self, cell: Cell, lexer: Lexer) -> list[int]:
        """The terminals without a pattern that can be completed from a stack."""
        if not self._special_mask & lexer.terminals:
            return []
        found = self._special_in(self._stacks.takes(cell) & lexer.terminals)
        saturation = self._saturation
        if saturation is None:
            return found
        return [n for n in found if saturation.acts(self._pending(n, self._scanner.neutral), cell)]

    def reason(self) -> str:
        """Why nothing is accepted."""
        return "no text is accepted"


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
