"""What a Python pattern reads of its own accord: the texts that ``re.match`` matches to their end.

That is less than the language of the pattern, where ``re`` is content with less: ``/a|ab/`` finds ``a`` in ``ab``, and
``/".*?"/`` stops at the second quote. Lark's ``dynamic_complete`` lexer asks ``re.match`` for a terminal at a place,
and again for every beginning of what it found, so these are the very texts that it may take for the terminal: a match
that is tried before another and fails on a text fails on every beginning of it too.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import cast

from maskwright.grammar.lark_programs import Programs
from maskwright.grammar.lark_scanner import Base, Lexer, Pattern, Scanner
from maskwright.limits import Limits
from maskwright.network.lexeme import Term, automaton

__all__ = ["first_match_term"]


@lru_cache(maxsize=1024)
def first_match_term(pattern: str, limits: Limits) -> Term:
    """The text term of the texts that ``re.match(pattern, text)`` matches to their end; cached.

    Takes some milliseconds for a pattern. Raises :class:`UnsupportedError` for what no automaton decides,
    :class:`LimitError` for more than ``limits.emptiness_states`` states.
    """
    return automaton(_FirstMatch(pattern, limits))


class _FirstMatch:
    """A table: for each state its moves, and whether the text may end; implements ``network.lexeme.Automaton``."""

    def __init__(self, pattern: str, limits: Limits) -> None:
        self._pattern = pattern
        programs = Programs(limits)
        start = programs.add("", pattern, 0, 0)
        scanner = Scanner(programs, [Pattern("", 1, start, is_ignored=False)], limits)
        base = scanner.start(Lexer((0,), {}, 1 << 1), scanner.first)
        self.start: Hashable | None = None
        self._moves: list[list[tuple[int, int, Hashable]]] = []
        self._accepts: list[bool] = []
        if base is not None:
            self._explore(scanner, base)

    def _explore(self, scanner: Scanner, first: Base) -> None:
        """Number the states that lead to an end."""
        scanner.explore([first])
        met: dict[Base, list[Base]] = {first: []}
        todo = [first]
        while todo:
            base = todo.pop()
            for _, after in scanner.moves(base):
                if after not in met:
                    met[after] = []
                    todo.append(after)
                met[after].append(base)
        ends = [b for b in met if any(scanner.may_end(scanner.outcomes[number].context) for number in b.outcomes)]
        numbers: dict[Base, int] = {}
        todo = list(ends)
        while todo:
            base = todo.pop()
            if base not in numbers:
                numbers[base] = len(numbers)
                todo.extend(met[base])
        if first not in numbers:
            return
        self.start = numbers[first]
        self._accepts = [False] * len(numbers)
        for base in ends:
            self._accepts[numbers[base]] = True
        layout = scanner.threads.alphabet.layout
        for base in numbers:
            targets = [(mask, numbers[after]) for mask, after in scanner.moves(base) if after in numbers]
            laid = layout(tuple([mask for mask, _ in targets]))
            self._moves.append([(low, high, targets[group][1]) for low, high, group in laid])

    def __hash__(self) -> int:
        return hash(self._pattern)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FirstMatch) and self._pattern == other._pattern

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        """See :class:`maskwright.network.lexeme.Automaton`."""
        return self._moves[cast("int", state)]

    def accepts(self, state: Hashable) -> bool:
        """See :class:`maskwright.network.lexeme.Automaton`."""
        return self._accepts[cast("int", state)]
