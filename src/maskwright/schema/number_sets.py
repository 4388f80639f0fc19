"""Sets of numbers: unions of intervals with steps and of single numbers, closed under meet, join and complement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
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
    #: Draft 4, where it matters how a number is written: only as an integer, or only with a fraction or exponent.
    form: str = ""


_INTEGER: Final = "integer"
_FRACTIONAL: Final = "fractional"
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
    literals: dict[Fraction, list[NumberLiteral]] = {}
    for number in right:
        if isinstance(number, NumberLiteral):
            literals.setdefault(number.value, []).append(number)
    ranges = [n for n in right if isinstance(n, Numbers)]
    met: dict[Numbers | NumberLiteral, None] = {}
    for number in left:
        if isinstance(number, NumberLiteral):
            met.update(dict.fromkeys(_alike(number, literals.get(number.value, ()))))
            met.update(dict.fromkeys(_inside(number, ranges)))
            continue
        for other in right:
            if isinstance(other, NumberLiteral):
                met.update(dict.fromkeys(_inside(other, (number,))))
                continue
            both = number.intersect(other)
            if not both.is_empty:
                met[both] = None
    return tuple(met)


def _alike(literal: NumberLiteral, others: Iterable[NumberLiteral]) -> Iterator[NumberLiteral]:
    """A literal in the forms that others of its value allow."""
    for other in others:
        if literal.form == other.form or not other.form:
            yield literal
        elif not literal.form:
            yield replace(literal, form=other.form)


def _inside(literal: NumberLiteral, ranges: Iterable[Numbers]) -> Iterator[NumberLiteral]:
    """A literal in the forms in which some ranges contain it."""
    for numbers in ranges:
        form = _INTEGER if numbers.integer else _FRACTIONAL if numbers.fractional else ""
        if numbers.contains(literal.value) and (not form or literal.form in ("", form)):
            yield replace(literal, form=form) if form and not literal.form else literal


def complement_numbers(numbers: NumberSet, *, whole_floats: bool, spend: Callable[[int], None]) -> NumberSet:
    """What is not in the set; ``whole_floats``: ``1.0`` is an integer (from draft 6 on)."""
    literals = [number for number in numbers if isinstance(number, NumberLiteral)]
    points = frozenset([number.value for number in literals])
    rest: NumberSet = (Numbers(points=(points,)),) if points else ALL_NUMBERS
    if not whole_floats:
        whole = {number.value for number in literals if not number.form}
        rest = (*rest, *(_opposite(number) for number in literals if number.form and number.value not in whole))
    for number in numbers:
        if isinstance(number, Numbers):
            outside = tuple(_outside(number, whole_floats=whole_floats))
            spend(len(rest) * len(outside))
            rest = meet_numbers(rest, outside)
    return rest


def _opposite(literal: NumberLiteral) -> NumberLiteral:
    return replace(literal, form=_FRACTIONAL if literal.form == _INTEGER else _INTEGER)


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
    yield from (Numbers(lower=point, upper=point) for points in numbers.points for point in sorted(points))


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
