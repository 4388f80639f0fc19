"""Numbers as sets of values: the algebra, and the exact reading of a schema's numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import LimitError, PolicyError, SchemaError
from maskwright.network.lexeme import NEVER
from maskwright.schema.number import Numbers, fraction_of, number_literal_term, number_term
from tests.oracle.terms import matches

rationals = st.builds(Fraction, st.integers(-60, 60), st.sampled_from([1, 2, 3, 10]))
bounds = st.none() | rationals
steps = st.lists(st.builds(Fraction, st.integers(1, 12), st.sampled_from([1, 2, 3, 10])), max_size=2).map(tuple)
numbers = st.builds(
    Numbers,
    integer=st.booleans(),
    lower=bounds,
    lower_open=st.booleans(),
    upper=bounds,
    upper_open=st.booleans(),
    multiples=steps,
)


def member(value: Fraction, given: dict[str, object]) -> bool:
    """Membership read off the arguments, before any normalisation."""
    lower, upper = given.get("lower"), given.get("upper")
    return (
        (not given.get("integer") or value.denominator == 1)
        and (lower is None or (value > lower if given.get("lower_open") else value >= lower))
        and (upper is None or (value < upper if given.get("upper_open") else value <= upper))
        and all((value / m).denominator == 1 for m in given.get("multiples", ()))
    )


@given(
    st.fixed_dictionaries(
        {
            "integer": st.booleans(),
            "lower": bounds,
            "lower_open": st.booleans(),
            "upper": bounds,
            "upper_open": st.booleans(),
            "multiples": steps,
        }
    ),
    rationals,
)
def test_normalising_keeps_the_members(arguments: dict[str, object], value: Fraction) -> None:
    """What the constructor moves and joins never changes which values belong."""
    assert Numbers(**arguments).contains(value) == member(value, arguments)


@given(numbers, numbers, rationals)
def test_intersect_is_and(one: Numbers, other: Numbers, value: Fraction) -> None:
    """A value is in the intersection if and only if it is in both."""
    assert one.intersect(other).contains(value) == (one.contains(value) and other.contains(value))


@given(numbers, numbers)
def test_intersect_commutes(one: Numbers, other: Numbers) -> None:
    """Normal forms of equal sets are equal."""
    assert one.intersect(other) == other.intersect(one)
    assert hash(one.intersect(other)) == hash(other.intersect(one))


@pytest.mark.parametrize(
    ("arguments", "empty"),
    [
        ({"lower": Fraction(1), "upper": Fraction(6), "multiples": (Fraction(7),)}, True),
        ({"lower": Fraction(1), "upper": Fraction(7), "multiples": (Fraction(7),)}, False),
        ({"lower": Fraction(1), "upper": Fraction(7), "upper_open": True, "multiples": (Fraction(7),)}, True),
        ({"integer": True, "lower": Fraction(0), "lower_open": True, "upper": Fraction(1), "upper_open": True}, True),
        ({"lower": Fraction(0), "lower_open": True, "upper": Fraction(1), "upper_open": True}, False),
        ({"lower": Fraction(5), "upper": Fraction(3)}, True),
        ({"lower": Fraction(5), "upper": Fraction(5)}, False),
        ({"lower": Fraction(5), "upper": Fraction(5), "lower_open": True}, True),
        (
            {
                "integer": True,
                "multiples": (Fraction(123456789, 10**9),),
                "lower": Fraction(1),
                "upper": Fraction(10**8),
            },
            True,
        ),
        ({"integer": True, "multiples": (Fraction(3, 2),), "lower": Fraction(1), "upper": Fraction(3)}, False),
        ({"multiples": (Fraction(4), Fraction(6)), "lower": Fraction(1), "upper": Fraction(11)}, True),
    ],
)
def test_emptiness_is_exact(arguments: dict[str, object], empty: bool) -> None:
    """An empty set is known as such, and never becomes a term."""
    found = Numbers(**arguments)
    assert found.is_empty == empty
    assert (number_term(found) is NEVER) == empty
    assert (number_term(found, exact=True) is NEVER) == empty


def test_a_multiple_must_be_positive() -> None:
    """``multipleOf`` is strictly greater than 0 (JSON Schema validation, section 6.2.1)."""
    for multiple in (Fraction(0), Fraction(-2)):
        with pytest.raises(SchemaError):
            Numbers(multiples=(multiple,))


@pytest.mark.parametrize("text", ["0", "-0", "0.1", "1e400", "-1e-400", "18446744073709551615", "1.50"])
def test_a_decimal_is_read_exactly(text: str) -> None:
    """The value of a number of a schema text is that of its digits."""
    assert fraction_of(Decimal(text)) == Fraction(text)


def test_a_float_is_what_it_prints_as() -> None:
    """0.1 in a dict means one tenth, not the nearest binary fraction."""
    assert fraction_of(0.1) == Fraction(1, 10)


@pytest.mark.parametrize(
    "value",
    [Decimal("1e5000"), Decimal("1e-999999999"), Decimal("1e999999999"), 10**5000],
    ids=["up", "down", "far", "int"],
)
def test_a_monstrous_number_is_refused_at_once(value: Decimal | int) -> None:
    """A number of a gigabyte is a typed error, not a hang."""
    with pytest.raises(LimitError):
        fraction_of(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity")])
def test_only_numbers_are_numbers(value: float | Decimal) -> None:
    """JSON has no NaN and no infinities."""
    with pytest.raises(SchemaError):
        fraction_of(value)


@pytest.mark.parametrize("digits", [0, -3])
def test_digits_must_be_positive(digits: int) -> None:
    """No number can be written with no digit."""
    with pytest.raises(PolicyError):
        number_term(Numbers(), digits=digits)


@pytest.mark.parametrize(
    ("value", "accepted", "refused"),
    [
        (1, ["1"], ["1.0", "1e0", "01", "+1", "-1"]),
        (Decimal("1.0"), ["1", "1.0"], ["1.00", "1e0"]),
        (Decimal("1e2"), ["100", "100.0"], ["1e2"]),
        (Decimal("2.50"), ["2.5", "2.50"], ["2.500"]),
        (Fraction(-1, 8), ["-0.125"], ["-.125", "-0.1250"]),
        (0, ["0", "-0"], ["0.0", "00"]),
        (Decimal("0.0"), ["0", "0.0", "-0", "-0.0"], ["0.00"]),
        (10**60, ["1" + "0" * 60], ["1e60"]),
    ],
)
def test_a_literal_is_written_as_its_author_would(
    value: int | Decimal | Fraction, accepted: list[str], refused: list[str]
) -> None:
    """Canonical: the shortest plain decimal and the plain form of the schema's own spelling, whatever the digits."""
    term = number_literal_term(value, digits=40)
    assert all(matches(term, text) for text in accepted)
    assert not any(matches(term, text) for text in refused)


def test_an_exact_literal_has_every_spelling() -> None:
    """Exact: whatever reads as the value."""
    term = number_literal_term(100, exact=True)
    assert all(matches(term, t) for t in ("100", "1e2", "1E+02", "1000.0e-1", "0.1e3", "100.00"))
    assert not any(matches(term, t) for t in ("10", "1e1", "1e02.0", "0100", "-100"))
