"""What APIs are asked to enforce themselves, and what they are not trusted with."""

from __future__ import annotations

from typing import Any

import pytest

import maskwright as mw
from maskwright.client.forms import forms_of
from maskwright.client.native import offers
from maskwright.client.profiles import PROFILES
from maskwright.client.spending import Budget, Ledger

NAMED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
DICT = {"type": "object", "additionalProperties": {"type": "integer"}}


def shapes(schema: object, profile: str) -> tuple[list[str], list[str]]:
    """The ways that are offered, and what is noted."""
    ledger = Ledger(Budget(), 0.0)
    found = offers(forms_of(mw.json_schema(schema)), PROFILES[profile], "chat", frozenset(), ledger)
    return [offer.shape for offer in found], ledger.notes


@pytest.mark.parametrize("profile", ["openai", "cerebras"])
@pytest.mark.parametrize("schema", [NAMED, {**NAMED, "additionalProperties": False}, {"type": "array", "items": NAMED}])
def test_closing_what_names_its_properties_loses_nothing(profile: str, schema: Any) -> None:
    """A strict mode writes what anybody expects of such an object."""
    assert shapes(schema, profile) == (["response_format"], [])


@pytest.mark.parametrize("profile", ["openai", "cerebras"])
@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (DICT, "#:"),
        ({"type": "object"}, "#:"),
        ({**NAMED, "additionalProperties": True}, "#:"),
        ({**NAMED, "properties": {"a": DICT}}, "#/properties/a:"),
        ({"type": "object", "patternProperties": {"^a": {"type": "integer"}}}, "#"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": DICT}}, "#/$defs/d:"),
        ({**NAMED, "properties": {"a": {}}}, "#/properties/a"),
    ],
)
def test_a_dict_is_not_asked_of_a_strict_mode(profile: str, schema: Any, place: str) -> None:
    """It closes objects, so the dict would be empty whatever the text says; the report tells why it was not used."""
    found, notes = shapes(schema, profile)
    assert found == []
    assert len(notes) == 1
    assert place in notes[0]


@pytest.mark.parametrize("profile", ["vllm", "sglang", "llamacpp", "fireworks", "together", "maskwright"])
def test_a_dict_is_asked_of_those_that_take_it(profile: str) -> None:
    """They enforce JSON Schema as it is."""
    found, notes = shapes(DICT, profile)
    assert found
    assert notes == []
