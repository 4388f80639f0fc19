"""The laws of a rewriting, for schemas with every keyword; the oracle of validity is jsonschema."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from maskwright.dialects import DIALECTS, check, rewrite
from tests.unit.dialects.schemas import SCALARS, draw_value, schemas

#: How often each law is tried, and values per schema.
_EXAMPLES: Final = 25
_VALUES: Final = 25

names = pytest.mark.parametrize("name", DIALECTS)
laws = settings(max_examples=_EXAMPLES, deadline=None)


@names
@given(schema=schemas())
@laws
def test_a_rewritten_schema_passes_the_check(name: str, schema: dict[str, Any]) -> None:
    """What ``unmendable`` does not list is mended, and the result is a schema."""
    made = rewrite(schema, name)
    if not made.unmendable:
        assert check(made.schema, name) == ()
    Draft202012Validator.check_schema(made.schema)


@names
@given(schema=schemas(), seed=st.integers(0, 2**32))
@laws
def test_without_a_wider_change_values_are_valid_for_the_original(name: str, schema: dict[str, Any], seed: int) -> None:
    """A value of the rewritten schema, unwrapped, is one of the original, if no change is wider."""
    made = rewrite(schema, name)
    if made.is_wider or made.schema is False:
        return
    old, new, dice = Draft202012Validator(schema), Draft202012Validator(made.schema), random.Random(seed)
    for _ in range(_VALUES):
        value = draw_value(made.schema, made.schema, dice)
        if new.is_valid(value):
            assert old.is_valid(made.unwrap(value)), (value, made)


@names
@given(schema=schemas(), seed=st.integers(0, 2**32))
@laws
def test_without_a_narrower_change_no_value_is_lost(name: str, schema: dict[str, Any], seed: int) -> None:
    """A value of the original is one of the rewritten schema, if no change is narrower and none needs unwrapping."""
    made = rewrite(schema, name)
    if made.is_narrower or made.absent:
        return
    old, dice = Draft202012Validator(schema), random.Random(seed)
    new = Draft202012Validator(made.schema)
    for _ in range(_VALUES):
        value = dice.choice(SCALARS) if dice.random() < 0.3 else draw_value(schema, schema, dice)
        if old.is_valid(value):
            assert new.is_valid(value if made.wrapped is None else {made.wrapped: value}), (value, made)


@names
@given(schema=schemas())
@laws
def test_a_second_rewriting_changes_nothing(name: str, schema: dict[str, Any]) -> None:
    """What a dialect accepts is left as it is."""
    made = rewrite(schema, name)
    if not made.unmendable:
        again = rewrite(made.schema, name)
        assert (again.schema, again.changes) == (made.schema, ())
