"""Verification: a text that meets its constraint, the text that was meant, or why there is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.client.forms import chosen_in, forms_of
from maskwright.client.sketches import sketch
from maskwright.client.verification import matches, verify

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "size": {"type": "number"}, "age": {"type": "integer"}},
    "required": ["name"],
}


def verdict(constraint: mw.Constraint, text: str) -> tuple[str | None, str]:
    """What becomes of a text."""
    found = verify(constraint, forms_of(constraint), text, None, is_wrapped=False)
    assert found.text is None or matches(constraint, found.text)
    return found.text, found.note or found.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "A"}', '{"name": "A"}'),
        ('  {"name": "A"}\n\n', '{"name": "A"}'),
        ('{"age": 3, "name": "A"}', '{"name": "A", "age": 3}'),
        ('{"name": "A", "age": 3e0}', '{"name": "A", "age": 3}'),
        ('{"name": "A", "age": 3.0}', '{"name": "A", "age": 3}'),
        ('{\t"name"\t:\t"A"}', '{"name": "A"}'),
        ('```json\n{"name": "A"}\n```', '{"name": "A"}'),
        ('Sure! {"name": "A"} Anything else?', '{"name": "A"}'),
        ('<think>{"nam</think>{"name": "A"}', '{"name": "A"}'),
        ('{"name": 1}', None),
        ('{"name": "A", "name": "B"}', None),
        ('{"name": "A", "size": NaN}', None),
        ("[" * 100_000, None),
        ("", None),
        ("\ud800", None),
    ],
)
def test_json(text: str, expected: str | None) -> None:
    """Spelling is mended; values are not."""
    assert verdict(mw.json_schema(PERSON), text)[0] == expected


def test_digits_are_kept() -> None:
    """A number that no float holds, in an answer whose keys are put in order."""
    number = "0.1234567890123456789012345"
    assert (
        verdict(mw.json_schema(PERSON), f'{{"size": {number}, "name": "A"}}')[0] == f'{{"name": "A", "size": {number}}}'
    )


@given(st.text(max_size=60))
def test_any_text_has_a_verdict(text: str) -> None:
    """And a reason if it is refused."""
    for constraint in (mw.json_schema(PERSON), mw.choice(["a", "bc"]), mw.regex("[a-z]+ \\d")):
        found = verify(constraint, forms_of(constraint), text, None, is_wrapped=False)
        assert found.text is not None or found.reason


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The person is old.", "old"),
        ("He is very OLD", "old"),
        ("not old but young", None),
        ("golden", None),
        ("The person in the text is 34 years old", None),
        ("very old", "very old"),
        ("", None),
    ],
)
def test_a_choice_in_a_sentence(text: str, named: str | None) -> None:
    """One that is named as a word, and no other."""
    assert chosen_in(text, ["old", "young", "very old"]) == (named if text != "He is very OLD" else "very old")


def test_forms_say_what_can_be_sent() -> None:
    """Sources are found again, and what means something else elsewhere is not sent."""
    assert forms_of(mw.json_schema(PERSON)).schema == PERSON
    assert forms_of(mw.json_schema(json.dumps(PERSON))).schema == PERSON
    named = {"type": "json_schema", "json_schema": {"name": "p", "schema": PERSON}}
    assert (forms_of(mw.response_format(named)).schema, forms_of(mw.response_format(named)).name) == (PERSON, "p")
    assert forms_of(mw.choice(["a", "b.c"])).get("regex") == "a|b\\.c"
    assert forms_of(mw.regex("[a-c]+x?")).pattern == "[a-c]+x?"
    for other in (r"\d+", "a(?=b)b", "(?i)a", "(?P<n>a)", r"\Aa", "^a", "a$"):
        assert forms_of(mw.regex(other)).pattern is None
    assert forms_of(mw.regex("a", match="search")).pattern is None
    assert "root ::=" in forms_of(mw.regex(r"\d")).get("gbnf")


@pytest.mark.parametrize(
    ("schema", "drawn"),
    [
        (PERSON, '{"name": string, "size"?: number, "age"?: integer}'),
        ({"type": "array", "items": {"enum": ["a", 1, None]}}, '["a" | 1 | null, ...]'),
        ({"type": ["string", "null"], "maxLength": 5, "description": "A\nname"}, "string | null (maxLength 5; A name)"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"const": "x"}}}, '"x"'),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "integer | boolean"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{any other key: integer}"),
        (True, "any value"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "type": "array"}}}, None),
        ({"not": {"type": "string"}}, None),
        ({"allOf": [{"type": "string"}]}, None),
        ({"type": "object", "patternProperties": {"a": {}}}, None),
        ({"type": 5}, None),
    ],
)
def test_sketches(schema: object, drawn: str | None) -> None:
    """What they cannot say they do not say."""
    assert sketch(schema) == drawn
