"""Strict schemas: what a provider refuses, in its words, at its place; and never where it is not asked for."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.wire.constraints import constraint_of
from tests.unit.wire.asking import chat


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {**made, **more}


STRING = {"type": "string"}
GOOD = obj({"a": STRING, "b": obj({"c": {"type": "integer"}})})
#: Schema, pointer, OpenAI's words, Cerebras' words and status; None: it is accepted there.
CASES: list[tuple[Any, str, str | None, tuple[str, int] | None]] = [
    (GOOD, "", None, None),
    (
        {"type": "object", "properties": {"x": STRING}, "required": ["x"]},
        "",
        "In context=(), 'additionalProperties' is required to be supplied and to be false.",
        ("'additionalProperties' is required to be supplied and set to false.", 422),
    ),
    (
        obj({"x": {"type": "object", "properties": {}}}),
        "#/properties/x",
        "In context=('properties', 'x'), 'additionalProperties' is required to be supplied and to be false.",
        ("'additionalProperties' is required to be supplied and set to false.", 422),
    ),
    (
        obj({"x": obj({}, additionalProperties=True)}),
        "#/properties/x/additionalProperties",
        "In context=('properties', 'x'), 'additionalProperties' is required to be supplied and to be false.",
        ("'additionalProperties' is required to be supplied and set to false.", 422),
    ),
    (
        obj({"x": STRING}, required=[]),
        "#/properties/x",
        "In context=(), 'required' is required to be supplied and to be an array including every key in properties. "
        "Missing 'x'.",
        None,
    ),
    (
        obj({"x": {"type": ["string", "null"]}}),
        "#/properties/x/type",
        None,
        ("Lists of types are not supported in JSON schema. If you are trying to make a field Optional, use anyOf with "
         "a null type", 400),
    ),
    (
        obj({"x": {"type": "array", "items": STRING, "minItems": 1}}),
        "#/properties/x/minItems",
        None,
        ("Unsupported JSON schema fields: {'minItems'}", 400),
    ),
    (
        obj({"x": {"type": "string", "pattern": "1", "format": "ipv4"}}),
        "#/properties/x/pattern",
        None,
        ("Unsupported JSON schema fields: {'format', 'pattern'}", 400),
    ),
    (
        obj({"x": {"type": "array"}}),
        "#/properties/x",
        "In context=('properties', 'x'), array schema missing items.",
        ("Array fields require at least one of 'items' or 'prefixItems'.", 400),
    ),
    (
        obj({}, definitions={}),
        "#/definitions",
        None,
        ("'definitions' is not supported in JSON schema. Use '$defs' instead", 400),
    ),
    (
        obj({"x": {"oneOf": [STRING]}}),
        "#/properties/x/oneOf",
        "In context=('properties', 'x'), 'oneOf' is not permitted.",
        ("Unsupported JSON schema fields: {'oneOf'}", 400),
    ),
    (
        obj({"x": {"type": "string", "default": "a"}}),
        "#/properties/x/default",
        "In context=('properties', 'x'), 'default' is not permitted.",
        None,
    ),
    (
        obj({"x": {"$ref": "#/$defs/d", "description": "w"}}, **{"$defs": {"d": STRING}}),
        "#/properties/x/$ref",
        "In context=('properties', 'x'), $ref cannot have keywords {'description'}.",
        None,
    ),
    (
        obj({"x": {"anyOf": [obj({"k": STRING}), obj({"k": {"type": "integer"}, "l": STRING})]}}),
        "#/properties/x/anyOf/1",
        "In context=('properties', 'x', 'anyOf'), Objects provided via 'anyOf' must not share identical first keys.",
        None,
    ),
    (
        {"type": "array", "items": STRING},
        "",
        "In context=(), schema must be of type 'object'",
        ("Invalid JSON schema: the root is not of type object", 400),
    ),
    (
        obj({f"p{i}": STRING for i in range(501)}),
        "",
        None,
        ("Invalid JSON schema: 501 properties; a schema has at most 500 properties", 400),
    ),
]  # fmt: skip


def told(dialect: str | None, **fields: Any) -> RequestError | None:
    try:
        constraint_of(chat(**fields), Limits(), strict_dialect=dialect)
    except RequestError as error:
        return error
    return None


def formatted(schema: Any, strict: bool | None) -> dict[str, Any]:
    return {
        "response_format": {"type": "json_schema", "json_schema": {"name": "N", "schema": schema, "strict": strict}}
    }


@pytest.mark.parametrize(("schema", "pointer", "openai", "cerebras"), CASES)
def test_response_formats(schema: Any, pointer: str, openai: str | None, cerebras: tuple[str, int] | None) -> None:
    """The first fault, with its place behind ``param``."""
    param = "response_format.json_schema.schema" + pointer
    found = told("openai", **formatted(schema, strict=True))
    if openai is None:
        assert found is None, str(found)
    else:
        assert found is not None
        assert openai in found.message
        assert found.message.startswith("Invalid schema for response_format 'N': ")
        assert (found.status, found.param, found.code) == (400, param, "invalid_json_schema")
    found = told("cerebras", **formatted(schema, strict=True))
    if cerebras is None:
        assert found is None, str(found)
    else:
        assert found is not None
        assert found.message.startswith(cerebras[0])
        assert (found.status, found.param, found.code) == (cerebras[1], param, "wrong_api_format")
        assert "(at #" in found.message


@pytest.mark.parametrize(("schema", "pointer", "openai", "cerebras"), CASES)
def test_functions(schema: Any, pointer: str, openai: str | None, cerebras: tuple[str, int] | None) -> None:
    """The same for the parameters of strict tools, which are objects."""
    if schema["type"] != "object":
        return
    tools = [
        {"type": "function", "function": {"name": "g", "strict": True, "parameters": GOOD}},
        {"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}},
    ]
    param = "tools[1].function.parameters" + pointer
    found = told("openai", tools=tools)
    assert (found is None) == (openai is None)
    if found is not None:
        assert found.message.startswith("Invalid schema for function 'f': ")
        assert (found.status, found.param, found.code) == (400, param, "invalid_function_parameters")
    found = told("cerebras", tools=tools)
    assert (found is None) == (cerebras is None)
    if found is not None:
        assert found.param == param


@pytest.mark.parametrize(("schema", "pointer", "openai", "cerebras"), CASES)
def test_nobody_is_stricter_than_asked(schema: Any, pointer: str, openai: str | None, cerebras: Any) -> None:
    """Without ``strict``, and without a dialect, whatever can be enforced is accepted."""
    for dialect in (None, "openai", "cerebras"):
        assert told(dialect, **formatted(schema, strict=False)) is None
        assert told(dialect, **formatted(schema, strict=None)) is None
    assert told(None, **formatted(schema, strict=True)) is None


@pytest.mark.parametrize("dialect", ["openai", "cerebras"])
def test_what_is_no_schema(dialect: str) -> None:
    """A strict schema that is none is refused as any other."""
    found = told(dialect, **formatted({"type": "object", "properties": 1}, strict=True))
    assert found is not None
    assert (found.status, found.code) == (400, "invalid_json_schema")
    assert found.param is not None
    assert found.param.startswith("response_format.json_schema.schema#/properties")


@pytest.mark.parametrize("dialect", ["openai", "cerebras"])
def test_a_strict_tool_without_parameters(dialect: str) -> None:
    """It takes none, so there is nothing to refuse."""
    assert told(dialect, tools=[{"type": "function", "function": {"name": "f", "strict": True}}]) is None


def test_a_required_name_that_is_no_property() -> None:
    """OpenAI has words for it; without a dialect no value can meet it."""
    schema = obj({"x": STRING}, required=["x", "y"])
    found = told("openai", **formatted(schema, strict=True))
    assert found is not None
    assert "In context=(), 'required' is required" in found.message
    assert "Extra required key 'y' supplied." in found.message
    assert found.param == "response_format.json_schema.schema#/required"
    found = told(None, **formatted(schema, strict=True))
    assert found is not None
    assert found.code == "unsatisfiable_constraint"


def test_the_form_of_the_responses_interface() -> None:
    """Name and schema beside the type: checked as well, at its place."""
    form = {"type": "json_schema", "name": "N", "schema": obj({"x": {"oneOf": [STRING]}})}
    assert told("openai", response_format=form) is None
    found = told("openai", response_format={**form, "strict": True})
    assert found is not None
    assert found.param == "response_format.schema#/properties/x/oneOf"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (obj({f"p{i}": STRING for i in range(5001)}), "'N': 5,001 properties exceeds limit: "),
        (
            obj({"x": {"type": "string", "format": "uri"}}),
            "In context=('properties', 'x'), the format 'uri' is not one",
        ),
        (
            obj({"x": {"type": "string", "minLength": 2}}),
            "In context=('properties', 'x'), 'minLength' is not permitted.",
        ),
    ],
)
def test_faults_that_no_report_quotes(schema: Any, said: str) -> None:
    """The reason and the rule, in OpenAI's form."""
    found = told("openai", **formatted(schema, strict=True))
    assert found is not None
    assert said in found.message


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (obj({"required": STRING}, required=[]), "In context=(), 'required' is required"),
        (obj({"a": obj({"required": STRING}, required=[])}), "In context=('properties', 'a'), 'required' is required"),
        (obj({"it's": STRING}, required=[]), 'Missing "it\'s".'),
        (obj({"type": {}}), "In context=('properties', 'type'), schema must have a 'type' key."),
        (obj({"items": {"type": "array"}}), "In context=('properties', 'items'), array schema missing items."),
        (
            obj({"additionalProperties": {"type": "object", "properties": {}}}),
            "In context=('properties', 'additionalProperties'), 'additionalProperties' is required",
        ),
        (obj({"oneOf": {"oneOf": [STRING]}}), "In context=('properties', 'oneOf'), 'oneOf' is not permitted."),
        (obj({"a/b": {"oneOf": [STRING]}}), "In context=('properties', 'a/b'), 'oneOf' is not permitted."),
    ],
)
def test_properties_that_are_called_as_keywords(schema: Any, said: str) -> None:
    """The place is that of the schema at fault, whatever its name is."""
    found = told("openai", **formatted(schema, strict=True))
    assert found is not None
    assert said in found.message
