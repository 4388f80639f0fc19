"""What each lexer can read in each context that can be pending there, without a look at the stack."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from maskwright.grammar.lark_lr import END, Table
from maskwright.grammar.lark_scanner import IGNORED, Base, Lexer, Outcome
from maskwright.grammar.lark_tables import Lexers

__all__ = ["Readings", "bits"]

Pair = tuple[Lexer, int]


class Readings:
    """All states of a grammar's scanner, explored; see :mod:`maskwright.grammar.lark_liveness` for what is good."""

    def __init__(self, table: Table, lexers: Lexers, special_mask: int) -> None:
        """Enter every lexer in every context that can be pending there."""
        self._lexers = lexers
        self._scanner = lexers.scanner
        self._special_mask = special_mask
        #: Lexers of the states that a terminal leads to.
        self._after: dict[int, set[Lexer]] = {}
        for shifts in table.shifts:
            for terminal, state in shifts.items():
                self._after.setdefault(terminal, set()).add(lexers.of[state])
        #: The outcomes of states that were explored.
        self._read: dict[Base, Sequence[Outcome]] = {}
        #: Contexts in which each lexer can begin.
        self._begun: dict[Pair, None] = {}
        self._explore(lexers.of[table.start])
        self.good = self._find_good()
        #: Outcomes that may lead to what is not good, as bits; the others by terminal.
        self.unsure = 0
        self._sure: dict[int, int] = {}
        lexers_begun = {lexer for lexer, _ in self._begun}
        for number, (terminal, context) in enumerate(self._scanner.outcomes):
            after = lexers_begun if terminal == IGNORED else self._after.get(terminal, ())
            if all((lexer, context) in self.good or (lexer, context) not in self._begun for lexer in after):
                self._sure[terminal] = self._sure.get(terminal, 0) | 1 << number
            else:
                self.unsure |= 1 << number

    def sure(self, taken: int) -> int:
        """The outcomes that surely lead to what is good, of terminals that can be taken or are ignored, as bits."""
        if not taken:
            return 0
        found = self._sure.get(IGNORED, 0)
        for terminal in bits(taken):
            found |= self._sure.get(terminal, 0)
        return found

    def _explore(self, first: Lexer) -> None:
        todo: deque[Pair] = deque()

        def begin(lexer: Lexer, context: int) -> None:
            if (lexer, context) not in self._begun:
                self._begun[lexer, context] = None
                todo.append((lexer, context))

        begin(first, self._scanner.first)
        for special in bits(self._special_mask):
            for lexer in self._after.get(special, ()):
                begin(lexer, self._scanner.neutral)
        while todo:
            lexer, context = todo.popleft()
            base = self._scanner.start(lexer, context)
            if base is None:
                continue
            self._scanner.explore([base])
            for terminal, after in self.outcomes(lexer, context):
                for then in (lexer,) if terminal == IGNORED else self._after.get(terminal, ()):
                    begin(then, after)

    def outcomes(self, lexer: Lexer, context: int) -> Sequence[Outcome]:
        """What a lexer can read in a context."""
        base = self._scanner.start(lexer, context)
        if base is None:
            return ()
        found = self._read.get(base)
        if found is None:
            found = self._read[base] = [self._scanner.outcomes[number] for number in bits(base.reach)]
        return found

    def reached(self, lexer: Lexer, context: int) -> list[int]:
        """The contexts that ignored terminals lead to, the first included."""
        todo = [context]
        found = dict.fromkeys(todo)
        while todo:
            for terminal, after in self.outcomes(lexer, todo.pop()):
                if terminal == IGNORED and after not in found:
                    found[after] = None
                    todo.append(after)
        return list(found)

    def _find_good(self) -> set[Pair]:
        options = {pair: found for pair in self._begun if (found := self._options(*pair)) is not None}
        good = set(options)
        while True:
            bad = {
                pair
                for pair in good
                if not all(
                    any(all((then, after) in good for then in self._after.get(terminal, ())) for after in contexts)
                    for terminal, contexts in options[pair].items()
                )
            }
            if not bad:
                return good
            good -= bad

    def _options(self, lexer: Lexer, context: int) -> Mapping[int, Sequence[int]] | None:
        """For each terminal of the actions the contexts in which it can end; None if one cannot be read."""
        found: dict[int, list[int]] = {n: [self._scanner.neutral] for n in bits(lexer.terminals & self._special_mask)}
        can_end = False
        for at in self.reached(lexer, context):
            can_end = can_end or self._scanner.may_end(at)
            for terminal, after in self.outcomes(lexer, at):
                if terminal != IGNORED and lexer.terminals >> terminal & 1:
                    found.setdefault(terminal, []).append(after)
        wanted = lexer.terminals & ~(1 << END) if can_end else lexer.terminals
        return found if sum(1 << terminal for terminal in found) == wanted else None


def bits(mask: int) -> list[int]:
    """The places of the bits that are set, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
