"""Values that nobody should have sent, and values that JSON cannot hold: always a refusal, never another error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.wire.constraints import constraint_key, constraint_of
from maskwright.wire.values import check_values
from tests.unit.wire.asking import COMPATS, LEAST, READERS, refusal
from tests.unit.wire.values import CASES


def _nested(depth: int, *, as_object: bool) -> Any:
    made: Any = 1
    for _ in range(depth):
        made = {"a": made} if as_object else [made]
    return made


#: No number of Python, no text of Unicode, no size is beyond what a parser may hand over.
STRANGE = [
    float("nan"),
    float("inf"),
    float("-inf"),
    10**5000,
    -(10**5000),
    10**400,
    1e308,
    "\ud800",
    ["\udfff"],
    {"\ud83d": 1},
    {"a": {"b": ["\ud800"]}},
    _nested(100_000, as_object=False),
    _nested(100_000, as_object=True),
    _nested(390, as_object=True),
    {1: 2},
    {"a": object()},
    (1, 2),
    b"x",
    {"type": float("nan")},
    {"type": "json_schema", "json_schema": {"name": "n", "schema": _nested(390, as_object=True)}},
    {"type": "json_schema", "json_schema": {"name": "n", "schema": {"maximum": 10**4000}}},
    {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": {"a": 1}}}},
    {"type": "json_schema", "json_schema": [[]]},
    {"type": ["text"]},
    [[[]]],
    [{"type": "function", "function": {"name": "f", "parameters": _nested(390, as_object=False)}}],
    "x" * 100_000,
    "\x00",
    {"": ""},
]
EVERY = [(endpoint, name) for endpoint, cases in CASES.items() for name in cases]


@pytest.mark.parametrize(("endpoint", "name"), EVERY)
def test_strange_values_are_refused_or_read(endpoint: str, name: str) -> None:
    """Whatever stands in a field, reading it and making its constraint raise ``RequestError`` or nothing."""
    case = CASES[endpoint][name]
    for value in STRANGE:
        body = {**LEAST[endpoint], **case.beside, name: value}
        for compat in COMPATS:
            try:
                made = READERS[endpoint](body, compat=compat)
                constraint_of(made, Limits(), strict_dialect=None if compat == "lenient" else compat)
                constraint_key(made)
            except RequestError as error:
                assert 400 <= error.status < 500  # noqa: PT017 - what it is, not that it is
                json.dumps([error.message, error.param]).encode()
                str(error.message).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(EVERY), JSON)
def test_any_value_is_refused_or_read(which: tuple[str, str], value: Any) -> None:
    """The same for whatever hypothesis thinks of."""
    endpoint, name = which
    told = refusal(endpoint, **{**CASES[endpoint][name].beside, name: value})
    assert told is None or told.status == 400


def test_the_place_of_a_value() -> None:
    """The path leads to it."""
    with pytest.raises(RequestError) as told:
        check_values({"messages": [{"role": "user", "content": "\ud800"}]})
    assert told.value.param == "messages[0].content"
    with pytest.raises(RequestError) as told:
        check_values({"tools": _nested(1000, as_object=True)})
    assert told.value.param == "tools"
