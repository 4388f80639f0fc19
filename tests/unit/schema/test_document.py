"""JSON text and its numbers."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import LimitError, SchemaError
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.schema.document import equal_key, exact_number, is_writable, json_kind, read_json

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
)


@given(values)
def test_reading_undoes_writing(value: Any) -> None:
    """Any JSON text without fractions reads as the standard library reads it, as text and as UTF-8."""
    text = json.dumps(value)
    assert read_json(text, DEFAULT_LIMITS) == value
    assert read_json(b"\xef\xbb\xbf" + text.encode(), DEFAULT_LIMITS) == value


@given(values)
def test_depth_is_counted_outside_strings(value: Any) -> None:
    """A limit below the depth refuses, one at the depth does not, however many brackets the strings hold."""

    def depth(part: Any) -> int:
        below = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        return isinstance(part, (dict, list)) + max(map(depth, below), default=0)

    text = json.dumps([value, '\\"[[{{', "]"])
    most = depth(value) + 1
    assert read_json(text, Limits(schema_depth=most))
    with pytest.raises(LimitError):
        read_json(text, Limits(schema_depth=most - 1))


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (0.1, Fraction(1, 10)),
        (Decimal("1e-9"), Fraction(1, 10**9)),
        (3, Fraction(3)),
        (1e22, Fraction(10**22)),
        (-0.0, 0),
    ],
)
def test_numbers_are_exact(given: Any, number: Fraction) -> None:
    """A float is the decimal that it is written as, not the binary fraction behind it."""
    assert exact_number(given) == number


@pytest.mark.parametrize(
    ("given", "error"), [(float("nan"), SchemaError), ("1", SchemaError), (Decimal("1e20000"), LimitError)]
)
def test_what_is_no_number(given: Any, error: type[Exception]) -> None:
    """Neither NaN nor a text is one, and an exponent has a limit."""
    with pytest.raises(error):
        exact_number(given)


@given(st.text())
def test_texts_without_surrogates_are_writable(text: str) -> None:
    """A text can be written iff UTF-8 can encode it."""
    assert is_writable(text)
    assert not is_writable(text + "\udc80")


def test_kinds() -> None:
    """Every JSON type has a name, and other values have the name of their Python type."""
    kinds = [json_kind(value) for value in (None, True, 1, 0.5, "", [], {}, set())]
    assert kinds == ["null", "a boolean", "a number", "a number", "a string", "an array", "an object", "a Python set"]


@pytest.mark.parametrize("text", ['{"minimum": 1e999999999999999999999}', '{"enum": [-1e-999999999999999999999]}'])
def test_exponents_beyond_any_number(text: str) -> None:
    """A number that not even a Decimal holds is a typed error."""
    with pytest.raises(LimitError, match="exponent"):
        read_json(text, DEFAULT_LIMITS)


@given(st.integers(-(10**12), 10**12).map(lambda n: Fraction(n, 8)), st.integers(0, 3))
def test_equal_numbers_have_one_key(number: Fraction, zeros: int) -> None:
    """A number has the same key as a fraction and in every decimal spelling."""
    text = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
    spelled = text + (("" if "." in text else ".") + "0" * zeros if zeros else "")
    assert equal_key(number) == equal_key(Decimal(spelled))
