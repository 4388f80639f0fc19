"""What a caller hands in stays his: constraints hold on to none of it, and no value breaks the message about it."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import maskwright as mw
from maskwright.constraint import frozen
from tests.conformance.verdicts import BYTES

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": OrderedDict({"x": {"type": "integer", "minimum": 1}}),
    "required": ["x"],
    "additionalProperties": False,
}
CALL = '{"name": "f", "arguments": {"x": %s}}'
#: What makes a constraint of a schema, and how a text of it is written around the value of x.
MAKERS: list[tuple[str, Callable[[Any], mw.Constraint], str]] = [
    ("json_schema", mw.json_schema, '{"x": %s}'),
    ("bare tool", lambda s: mw.tools([{"name": "f", "parameters": s}], format="json", choice="required"), CALL),
    (
        "tool",
        lambda s: mw.tools(
            [{"type": "function", "function": {"name": "f", "parameters": s}}], format="json", choice="required"
        ),
        CALL,
    ),
    ("grammar_root", lambda s: mw.grammar_root("func", tools=[{"name": "f", "parameters": s}]), CALL),
    ("structural_tag", lambda s: mw.structural_tag({"type": "json_schema", "json_schema": s}), '{"x": %s}'),
    (
        "response_format",
        lambda s: mw.response_format({"type": "json_schema", "json_schema": {"name": "p", "schema": s}}),
        '{"x": %s}',
    ),
]


def accepts(constraint: mw.Constraint, text: str) -> bool:
    return mw.compile(constraint, BYTES).matches(text)


@pytest.mark.parametrize("kind", [dict, OrderedDict])
@pytest.mark.parametrize(("name", "make", "text"), MAKERS)
def test_changing_a_schema_changes_no_constraint(
    name: str, make: Callable[[Any], mw.Constraint], text: str, kind: type
) -> None:
    """A constraint, what it pickles to, and a later one of the changed schema each have their own language."""
    del name
    schema = copy.deepcopy(SCHEMA)
    schema["properties"] = kind(schema["properties"])
    made = make(schema)
    schema["properties"]["x"]["type"] = "string"
    del schema["properties"]["x"]["minimum"]
    for constraint in (made, pickle.loads(pickle.dumps(made))):
        assert accepts(constraint, text % "1")
        assert not accepts(constraint, text % '"1"')
    changed = make(schema)
    assert accepts(changed, text % '"1"')
    assert not accepts(changed, text % "1")


def test_changing_a_choice_changes_no_constraint() -> None:
    """The choice is read once."""
    choice = {"type": "function", "function": {"name": "f"}}
    made = mw.tools([{"name": "f"}, {"name": "g"}], choice=choice, format="json")
    choice["function"] = {"name": "g"}
    again = pickle.loads(pickle.dumps(made))
    assert accepts(again, '{"name": "f", "arguments": {}}')
    assert not accepts(again, '{"name": "g", "arguments": {}}')


def test_equal_policies_are_told_apart() -> None:
    """True is no number of digits, also where 1 was asked for before."""
    mw.tools([{"name": "f"}], digits=1)
    with pytest.raises(mw.MaskwrightError):
        mw.tools([{"name": "f"}], digits=True)


def test_frozen_copies_every_container() -> None:
    """A copy is equal and shares nothing that can be changed; depth costs no stack, and cycles end."""
    given = OrderedDict({"a": [Decimal("1.5"), OrderedDict({"b": (1, [2])})], "c": int})
    copied = frozen(given)
    assert copied == {"a": [Decimal("1.5"), {"b": [1, [2]]}], "c": int}
    given["a"][1]["b"][1].append(3)
    assert copied["a"][1]["b"] == [1, [2]]
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    copied = frozen(deep)
    for _ in range(100_000):
        (copied,) = copied
    assert copied == []
    ring: list[Any] = [Decimal(1)]
    ring.append(ring)
    assert frozen(ring)[1][1][0] == 1


def test_json_text_is_what_it_is() -> None:
    """Text cannot be changed, and is read as before."""
    assert accepts(mw.response_format(json.dumps({"type": "json_object"})), "{}")
