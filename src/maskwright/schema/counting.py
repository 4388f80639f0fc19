"""How many strings a text term holds, up to a bound, from the one question whether a term is empty.

An infinite regular language has words of unboundedly many lengths, so lengths are tried first: each that occurs is one
more word. Only if they run out is the language finite, and then its words are found one by one, character by character,
by halving the range of code points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from maskwright.errors import LimitError, Problem
from maskwright.network.lexeme import ANY_CHARACTER, ANYTHING, Term, characters, concatenate, intersect, literal, repeat

__all__ = ["count_words", "list_words"]

_LAST = 0x10FFFF


def count_words(term: Term, most: int, is_empty: Callable[[Term], bool], steps: int) -> int:
    """The number of strings of a text term, or ``most`` if there are more.

    Takes ``O(most * log n)`` questions for an infinite language with words of length ``n``, ``O(most * n)`` otherwise;
    raises :class:`maskwright.errors.LimitError` beyond ``steps``.
    """
    words = list_words(term, most, is_empty, steps)
    return most if words is None else len(words)


def list_words(term: Term, most: int, is_empty: Callable[[Term], bool], steps: int) -> list[str] | None:
    """The strings of a text term, or ``None`` if there are ``most`` or more; as :func:`count_words`."""
    if term.op == "words":
        words: tuple[str, ...] = term.args[0]  # type: ignore[assignment]
        return list(words) if len(words) < most else None
    asked = 0

    def holds(other: Term) -> bool:
        nonlocal asked
        asked += 1
        if asked > steps:
            reason = f"more than {steps} questions to count the texts that the patterns admit"
            raise LimitError(Problem(reason, keyword="minProperties", remedy="raise Limits.satisfiability_steps"))
        return not is_empty(intersect(term, other))

    if sum(1 for _ in islice(_lengths(holds), most)) >= most:
        return None
    found = list(islice(_words(holds), most))
    return found if len(found) < most else None


def _lengths(holds: Callable[[Term], bool]) -> Iterator[int]:
    """The lengths of the words, ascending."""
    least = 0
    while holds(repeat(ANY_CHARACTER, least)):
        span = 1
        while not holds(repeat(ANY_CHARACTER, least, least + span - 1)):
            span *= 2
        low, high = span // 2, span - 1
        while low < high:
            middle = (low + high) // 2
            if holds(repeat(ANY_CHARACTER, least, least + middle)):
                high = middle
            else:
                low = middle + 1
        yield least + low
        least += low + 1


def _words(holds: Callable[[Term], bool]) -> Iterator[str]:
    """The words, by a search of their prefixes."""
    if holds(literal("")):
        yield ""
    stack: list[tuple[str, int, int]] = [("", 0, _LAST)]
    while stack:
        prefix, low, high = stack.pop()
        if not holds(concatenate(literal(prefix), characters([(low, high)]), ANYTHING)):
            continue
        if low == high:
            word = prefix + chr(low)
            if holds(literal(word)):
                yield word
            stack.append((word, 0, _LAST))
        else:
            middle = (low + high) // 2
            stack.extend(((prefix, middle + 1, high), (prefix, low, middle)))
