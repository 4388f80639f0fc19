"""Sets of numbers: unions of intervals with steps and of single numbers, closed under meet, join and complement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from maskwright.schema.number import Numbers

__all__ = [
    "ALL_NUMBERS",
    "NO_NUMBERS",
    "NumberLiteral",
    "NumberSet",
    "complement_numbers",
    "join_numbers",
    "meet_numbers",
    "members_of",
]


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    """One number of ``enum`` or ``const`` with the spelling that the schema gives it."""

    value: Fraction
    spelling: int | Decimal


NumberSet = tuple[Numbers | NumberLiteral, ...]
ALL_NUMBERS: Final[NumberSet] = (Numbers(),)
NO_NUMBERS: Final[NumberSet] = ()


def join_numbers(sets: Iterable[NumberSet]) -> NumberSet:
    """What is in any of the sets."""
    joined = dict.fromkeys([number for one in sets for number in one])
    return ALL_NUMBERS if ALL_NUMBERS[0] in joined else tuple(joined)


def meet_numbers(left: NumberSet, right: NumberSet) -> NumberSet:
    """What is in both sets; the product of their parts."""
    if left is ALL_NUMBERS or right is ALL_NUMBERS:
        return right if left is ALL_NUMBERS else left
    met: dict[Numbers | NumberLiteral, None] = {}
    literals = {n.value for n in right if isinstance(n, NumberLiteral)}
    ranges = [n for n in right if isinstance(n, Numbers)]
    for number in left:
        if isinstance(number, NumberLiteral):
            if number.value in literals or any(_admits(n, number) for n in ranges):
                met[number] = None
            continue
        for other in right:
            if isinstance(other, NumberLiteral):
                if _admits(number, other):
                    met[other] = None
                continue
            both = number.intersect(other)
            if not both.is_empty:
                met[both] = None
    return tuple(met)


def _admits(numbers: Numbers, literal: NumberLiteral) -> bool:
    if numbers.fractional and isinstance(literal.spelling, int):
        return False
    return numbers.contains(literal.value)


def complement_numbers(numbers: NumberSet, *, whole_floats: bool, spend: Callable[[int], None]) -> NumberSet:
    """What is not in the set; ``whole_floats``: ``1.0`` is an integer (from draft 6 on)."""
    points = frozenset([number.value for number in numbers if isinstance(number, NumberLiteral)])
    rest: NumberSet = (Numbers(points=points),) if points else ALL_NUMBERS
    for number in numbers:
        if isinstance(number, Numbers):
            outside = tuple(_outside(number, whole_floats=whole_floats))
            spend(len(rest) * len(outside))
            rest = meet_numbers(rest, outside)
    return rest


def _outside(numbers: Numbers, *, whole_floats: bool) -> Iterator[Numbers]:
    """Sets whose union is everything that is not a member."""
    if numbers.is_empty:
        yield Numbers()
        return
    if numbers.lower is not None:
        yield Numbers(upper=numbers.lower, upper_open=not numbers.lower_open)
    if numbers.upper is not None:
        yield Numbers(lower=numbers.upper, lower_open=not numbers.upper_open)
    if numbers.integer and not whole_floats:
        yield Numbers(fractional=True)
        if numbers.multiples:
            yield Numbers(excluded=numbers.multiples)
    elif numbers.step is not None:
        yield Numbers(excluded=(numbers.step,))
    if numbers.fractional:
        yield Numbers(integer=True)
    yield from (Numbers(multiples=(multiple,)) for multiple in numbers.excluded)
    yield from (Numbers(lower=point, upper=point) for point in sorted(numbers.points))


def members_of(numbers: NumberSet, most: int) -> list[Fraction]:
    """Up to ``most`` distinct members."""
    found: dict[Fraction, None] = {}
    for number in numbers:
        values = (number.value,) if isinstance(number, NumberLiteral) else number.members(most)
        for value in values:
            found[value] = None
            if len(found) >= most:
                return list(found)
    return list(found)
