"""Counting the strings of a term."""

from __future__ import annotations

import pytest

from maskwright.errors import LimitError
from maskwright.network.lexeme import (
    ANYTHING,
    EPSILON,
    NEVER,
    Term,
    characters,
    complement,
    concatenate,
    intersect,
    literal,
    repeat,
    subtract,
    unite,
    words,
)
from maskwright.schema.counting import count_words
from tests.oracle.recogniser import is_empty

AB = characters([(97, 98)])


@pytest.mark.parametrize(
    ("term", "count"),
    [
        (NEVER, 0),
        (EPSILON, 1),
        (words(["", "a", "bb", "cc", "\U0010ffff"]), 5),
        (repeat(AB, 1, 2), 6),
        (repeat(AB), 9),
        (ANYTHING, 9),
        (concatenate(literal("x"), repeat(AB, 0, 1)), 3),
        (unite(literal("a"), AB), 2),
        (intersect(repeat(AB, 2, 2), complement(literal("ab"))), 3),
        (subtract(characters([(0, 5)]), words(["\x00", "\x05"])), 4),
        (repeat(concatenate(AB, AB, AB), 2), 9),
    ],
)
def test_count(term: Term, count: int) -> None:
    """As many strings as there are, at most as many as asked for."""
    assert count_words(term, 9, is_empty, 10_000) == count
    assert count_words(term, 2, is_empty, 10_000) == min(count, 2)


def test_the_search_is_bounded() -> None:
    """More questions than allowed are a typed error."""
    with pytest.raises(LimitError):
        count_words(repeat(AB, 1, 2), 9, is_empty, 20)
