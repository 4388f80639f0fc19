"""Sets of numbers: membership commutes with meet and complement, and empty sets are known to be empty."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.schema.number import Numbers
from maskwright.schema.number_sets import NumberLiteral, NumberSet, complement_numbers, meet_numbers, members_of

HALF = Fraction(1, 2)
GRID = [Fraction(k, 4) for k in range(-30, 31)]
bounds = st.none() | st.sampled_from([Fraction(k, 2) for k in range(-5, 6)])
steps = st.lists(st.sampled_from([HALF, Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]), max_size=2).map(tuple)
points = st.frozensets(st.sampled_from([Fraction(k, 2) for k in range(-4, 5)]), max_size=3)
numbers = st.builds(
    Numbers,
    integer=st.booleans(),
    lower=bounds,
    lower_open=st.booleans(),
    upper=bounds,
    upper_open=st.booleans(),
    multiples=steps,
    excluded=steps,
    points=points.map(lambda p: (p,)),
)
literals = st.integers(-3, 3).map(lambda n: NumberLiteral(Fraction(n), n))
sets: st.SearchStrategy[NumberSet] = st.lists(numbers | literals, max_size=3).map(tuple)


def holds(of: NumberSet, value: Fraction) -> bool:
    return any(n.value == value if isinstance(n, NumberLiteral) else n.contains(value) for n in of)


def complement(of: NumberSet) -> NumberSet:
    return complement_numbers(of, whole_floats=True, spend=lambda _: None)


@given(numbers)
def test_membership_is_what_the_fields_say(one: Numbers) -> None:
    """A normalised set holds what its bounds, steps and exclusions say, read one by one."""
    if one.is_empty:
        assert not any(one.contains(value) for value in GRID)
    assert bool(list(one.members(1))) is not one.is_empty
    assert all(one.contains(value) for value in one.members(4))


@given(sets)
def test_complement(of: NumberSet) -> None:
    """A number is in a set or in its complement, never in both; the complement of the complement is the set."""
    outside = complement(of)
    for value in GRID:
        assert holds(of, value) != holds(outside, value)
        assert holds(complement(outside), value) == holds(of, value)


@given(sets, sets)
def test_meet(left: NumberSet, right: NumberSet) -> None:
    """A number is in the meet iff it is in both."""
    met = meet_numbers(left, right)
    assert all(holds(met, value) == (holds(left, value) and holds(right, value)) for value in GRID)


@given(sets)
def test_members_are_members_and_distinct(of: NumberSet) -> None:
    found = members_of(of, 5)
    assert len(set(found)) == len(found)
    assert all(holds(of, value) for value in found)


@pytest.mark.parametrize(
    ("one", "is_empty"),
    [
        (Numbers(integer=True, excluded=(Fraction(1),)), True),
        (Numbers(integer=True, excluded=(Fraction(2),)), False),
        (Numbers(multiples=(Fraction(6),), excluded=(Fraction(2),)), True),
        (
            Numbers(integer=True, lower=Fraction(0), upper=Fraction(2), points=(frozenset(map(Fraction, range(3))),)),
            True,
        ),
        (Numbers(lower=HALF, upper=HALF, excluded=(HALF,)), True),
        (Numbers(lower=Fraction(0), upper=HALF, excluded=(HALF,), points=(frozenset([HALF]),)), False),
        (Numbers(integer=True, fractional=True), True),
    ],
)
def test_emptiness(one: Numbers, is_empty: bool) -> None:
    assert one.is_empty is is_empty
