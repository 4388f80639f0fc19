"""Loops: the characters that a state is sure to accept in any order, and how many of them.

The walk takes whole subtrees of the token trie for a state that loops on their categories, so what is said here must
hold: any text of that many characters, all of those categories, leaves something that can be completed.
"""

from __future__ import annotations

import cython

from maskwright.kernel.expressions import AND, BODY, CAT, CHARS, EPSILON, NOT, OR, RAW, REPEAT, WORDS, Expressions
from maskwright.kernel.moves import Moves
from maskwright.kernel.trie import category_mask

__all__ = ["SPECIAL_IN_BODY", "UNBOUNDED", "Loops"]

#: How many characters a loop accepts that never runs out.
UNBOUNDED = 1 << 30
#: Categories that JSON never lets stand raw inside a string: quote, backslash, controls.
SPECIAL_IN_BODY = category_mask([(0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C)])

#: A mask of categories, and a number of characters.
Run = tuple[int, int]


class Loops:
    """The loops of the expressions of one arena."""

    def __init__(self, expressions: Expressions, moves: Moves) -> None:
        """Start with no class looked at."""
        self.expressions = expressions
        self.moves = moves
        self.categories = {}

    def run(self, x: int) -> Run:
        """Categories, and how many characters of them, that a state is sure to accept in any order."""
        e = self.expressions
        while e.kind[x] == CAT:
            x = e.first[x]
        if e.kind[x] == RAW:
            return self.text_run(e.first[x])
        if e.kind[x] == BODY:
            mask, most = self.text_run(e.first[x])
            return mask & ~SPECIAL_IN_BODY, most
        return 0, 0

    def text_run(self, x: int) -> Run:
        """The same of a text expression, by its form: a repetition of one class, first in what it is part of."""
        e = self.expressions
        if e.kind[x] == OR:
            return max((self.text_run(part) for part in e.parts[x]), key=lambda run: (run[0].bit_count(), run[1]))
        if e.kind[x] in (AND, NOT):
            return self._exclusive(x)
        while e.kind[x] == CAT:
            x = e.first[x]
        if e.kind[x] != REPEAT or e.kind[e.first[x]] != CHARS:
            return 0, 0
        ranges = e.parts[e.first[x]]
        mask = self.categories.get(ranges)
        if mask is None:
            mask = self.categories[ranges] = category_mask(ranges)
        most: int = e.third[x]
        return mask, UNBOUNDED if most < 0 else most

    def _exclusive(self, x: int) -> Run:
        """The run of a loop less some words: an endless loop stays alive whatever finite set is taken from it."""
        e = self.expressions
        parts = e.parts[x] if e.kind[x] == AND else (x,)
        kept = [part for part in parts if not (e.kind[part] == NOT and self.is_words(e.first[part]))]
        run = self.text_run(e.intersect(kept)) if len(kept) < len(parts) and len(kept) < 2 else (0, 0)
        return run if run[1] == UNBOUNDED else (0, 0)

    def loop(self, x: int) -> Run:
        """The characters that lead a text expression back to itself; under a bound on the length, for that long."""
        e = self.expressions
        if e.kind[x] != AND:
            return category_mask([(low, high) for low, high, then in self.moves.of(x) if then == x]), UNBOUNDED
        mask, most = -1, UNBOUNDED
        for part in e.parts[x]:
            if e.kind[part] == REPEAT and e.kind[e.first[part]] == CHARS and e.second[part] == 0:
                inner, bound = self.text_run(part)
            elif e.nullable[part]:
                inner, bound = self.loop(part)
            else:
                return 0, 0
            mask, most = mask & inner, min(most, bound)
        return mask, most

    def is_words(self, x: cython.int) -> cython.bint:
        """Whether an expression is one of some words, the empty one among them."""
        return x == EPSILON or self.expressions.kind[x] == WORDS
