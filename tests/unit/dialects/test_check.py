"""``check``: the rules of the providers, each with a schema that breaks it and the places where it must be said.

The tables follow the providers' texts: OpenAI's structured outputs guide and error messages, Cerebras' structured
outputs page, and what was measured of the engines.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from maskwright.dialects import DIALECTS, check
from maskwright.errors import PolicyError

Schema = dict[str, Any]
EVERYWHERE = ("openai", "cerebras", "cerebras-2025")


def _object(**properties: Any) -> Schema:
    """An object that every strict mode accepts, if its properties are."""
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False
    }  # fmt: skip


STRING: Schema = {"type": "string"}
SEVERAL = {"type": "array", "items": STRING}


def _places(schema: Any, name: str) -> list[tuple[str, str]]:
    return [(finding.place, finding.keyword) for finding in check(schema, name)]


ACCEPTED = {
    "flat": (EVERYWHERE, _object(a=STRING, b={"type": "integer"}, c={"type": "boolean"}, d={"type": "null"})),
    "nested": (EVERYWHERE, _object(a=_object(b=SEVERAL))),
    "enum": (EVERYWHERE, _object(a={"type": "string", "enum": ["x", "y"]})),
    "nullable by anyOf": (EVERYWHERE, _object(a={"anyOf": [STRING, {"type": "null"}]})),
    "definitions": (EVERYWHERE, {**_object(a={"$ref": "#/$defs/s"}), "$defs": {"s": STRING}}),
    "titles": (EVERYWHERE, {**_object(a={"type": "string", "title": "A", "description": "a"}), "title": "T"}),
    "nullable by a list of types": (("openai",), _object(a={"type": ["string", "null"]})),
    "recursion": (("openai",), _object(a={"anyOf": [{"$ref": "#"}, {"type": "null"}]})),
    "strings": (("openai",), _object(a={"type": "string", "pattern": "^a", "format": "email"})),
    "arrays": (("openai",), _object(a={"type": "array", "items": STRING, "minItems": 1, "maxItems": 3})),
    "numbers": (
        ("openai", "cerebras"),
        _object(a={"type": "number", "minimum": 0, "exclusiveMaximum": 9, "multipleOf": 0.5}),
    ),
    "const": (("openai",), _object(a={"type": "string", "const": "x"})),
    "optional": (("cerebras",), _object(a=STRING) | {"required": []}),
    "tuple": (("cerebras",), _object(a={"type": "array", "prefixItems": [STRING], "items": False})),
    "formats": (
        ("openai",),
        _object(
            **{
                name: {"type": "string", "format": name}
                for name in ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
            }
        ),
    ),
}


@pytest.mark.parametrize(
    ("name", "schema"), [pytest.param(n, s, id=f"{n}-{key}") for key, (ns, s) in ACCEPTED.items() for n in ns]
)
def test_what_is_documented_is_accepted(name: str, schema: Schema) -> None:
    """No finding where the provider's text allows it."""
    assert check(schema, name) == ()


#: Value under the property ``a`` -> dialects that refuse it, place below the property, keyword.
REFUSED: list[tuple[tuple[str, ...], Any, str, str]] = [
    (EVERYWHERE, {"oneOf": [STRING]}, "/oneOf", "oneOf"),
    (EVERYWHERE, {"allOf": [STRING]}, "/allOf", "allOf"),
    (EVERYWHERE, {"type": "string", "not": STRING}, "/not", "not"),
    (EVERYWHERE, {"type": "string", "if": STRING}, "/if", "if"),
    (EVERYWHERE, {"type": "array", "items": STRING, "uniqueItems": True}, "/uniqueItems", "uniqueItems"),
    (EVERYWHERE, {"type": "array", "items": STRING, "contains": STRING}, "/contains", "contains"),
    (EVERYWHERE, {"type": "string", "minLength": 1}, "/minLength", "minLength"),
    (EVERYWHERE, {"type": "string", "maxLength": 1}, "/maxLength", "maxLength"),
    (EVERYWHERE, {**_object(), "patternProperties": {"a": STRING}}, "/patternProperties", "patternProperties"),
    (EVERYWHERE, {**_object(), "propertyNames": STRING}, "/propertyNames", "propertyNames"),
    (EVERYWHERE, {**_object(), "minProperties": 1}, "/minProperties", "minProperties"),
    (EVERYWHERE, {**_object(), "maxProperties": 1}, "/maxProperties", "maxProperties"),
    (EVERYWHERE, {**_object(), "dependentRequired": {}}, "/dependentRequired", "dependentRequired"),
    (EVERYWHERE, {**_object(), "dependentSchemas": {}}, "/dependentSchemas", "dependentSchemas"),
    (EVERYWHERE, {**_object(), "unevaluatedProperties": False}, "/unevaluatedProperties", "unevaluatedProperties"),
    (EVERYWHERE, {"type": "object", "properties": {}, "required": []}, "", "additionalProperties"),
    (EVERYWHERE, {**_object(), "additionalProperties": STRING}, "/additionalProperties", "additionalProperties"),
    (EVERYWHERE, {}, "", "type"),
    (EVERYWHERE, True, "", "properties"),
    (EVERYWHERE, {"type": "array"}, "", "items"),
    (EVERYWHERE, {"$ref": "#/properties/a/anyOf/0", "anyOf": [STRING]}, "/$ref", "$ref"),
    (("openai",), {"type": "string", "default": "x"}, "/default", "default"),
    (("openai",), {"type": "string", "format": "uri"}, "/format", "format"),
    (("openai",), {"type": "string", "pattern": "^(?!a)"}, "/pattern", "pattern"),
    (("openai",), {"type": "string", "pattern": r"(?<=\d)a"}, "/pattern", "pattern"),
    (("openai",), {"type": "array", "prefixItems": [STRING]}, "/prefixItems", "prefixItems"),
    (("openai",), {"$ref": "#/$defs/s", "description": "d"}, "/$ref", "$ref"),
    (("openai", "cerebras-2025"), {**_object(b=STRING), "required": []}, "/properties/b", "required"),
    (("openai", "cerebras-2025"), {**_object(), "required": ["z"]}, "/required", "required"),
    (("cerebras", "cerebras-2025"), {"type": ["string", "null"]}, "/type", "type"),
    (("cerebras", "cerebras-2025"), {"type": "string", "pattern": "a"}, "/pattern", "pattern"),
    (("cerebras", "cerebras-2025"), {"type": "string", "format": "date"}, "/format", "format"),
    (("cerebras", "cerebras-2025"), {"type": "array", "items": STRING, "minItems": 1}, "/minItems", "minItems"),
    (("cerebras", "cerebras-2025"), {"type": "array", "items": STRING, "maxItems": 1}, "/maxItems", "maxItems"),
    (("cerebras", "cerebras-2025"), {"type": "string", "nullable": True}, "/nullable", "nullable"),
    (("cerebras", "cerebras-2025"), {"type": "string", "deprecated": True}, "/deprecated", "deprecated"),
    (("cerebras", "cerebras-2025"), {"type": "string", "$anchor": "x"}, "/$anchor", "$anchor"),
    (("cerebras", "cerebras-2025"), {"type": "array", "items": True}, "", "items"),
    (("cerebras", "cerebras-2025"), {"type": "array", "prefixItems": [STRING]}, "", "items"),
    (("cerebras", "cerebras-2025"), {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "/anyOf/0/$ref", "$ref"),
    (("cerebras-2025",), {"type": "integer", "minimum": 1}, "/minimum", "minimum"),
    (("cerebras-2025",), {"anyOf": [{"type": "string", "enum": [str(n)]} for n in range(6)]}, "/anyOf", "anyOf"),
    (("llguidance", "xgrammar"), {"type": "string", "not": STRING}, "/not", "not"),
    (("llguidance", "xgrammar"), {"oneOf": [STRING, {"enum": ["a"]}]}, "/oneOf", "oneOf"),
    (("llguidance", "xgrammar"), {"type": "array", "uniqueItems": True}, "/uniqueItems", "uniqueItems"),
    (("llguidance",), {"type": "object", "propertyNames": STRING}, "/propertyNames", "propertyNames"),
    (("llguidance",), {"type": "string", "pattern": "a(?=b)"}, "/pattern", "pattern"),
    (("xgrammar",), {"allOf": [STRING]}, "/allOf", "allOf"),
    (("xgrammar",), {"minimum": 5}, "", "type"),
    (("xgrammar",), {"$ref": "#/$defs/s", "minLength": 1}, "/$ref", "$ref"),
    (("xgrammar",), {"anyOf": [STRING], "minLength": 1}, "/anyOf", "anyOf"),
]


@pytest.mark.parametrize(
    ("name", "below", "place", "keyword"),
    [pytest.param(n, b, p, k, id=f"{n}-{k}-{i}") for i, (ns, b, p, k) in enumerate(REFUSED) for n in ns],
)
def test_what_is_refused_is_said_at_its_place(name: str, below: Any, place: str, keyword: str) -> None:
    """One finding has the pointer and the keyword, and tells rule, source and change."""
    schema = {**_object(a=below), "$defs": {"s": STRING}}
    assert (f"#/properties/a{place}", keyword) in _places(schema, name)
    finding = next(one for one in check(schema, name) if one.keyword == keyword)
    assert finding.rule.text
    assert finding.rule.source
    assert finding.mend
    assert finding.dialect == name


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("schema", [STRING, {"type": "array", "items": STRING}, {"anyOf": [_object()]}, True])
def test_the_root_is_an_object(name: str, schema: Any) -> None:
    """Every strict mode wants an object at the root, and no anyOf."""
    assert any(place.startswith("#") and "root" in finding.reason for place, finding in _by_place(schema, name))
    assert ("#/anyOf", "anyOf") in _places({**_object(), "anyOf": [_object()]}, "openai")


def _by_place(schema: Any, name: str) -> list[tuple[str, Any]]:
    return [(finding.place, finding) for finding in check(schema, name)]


def _deep(levels: int) -> Schema:
    """An object with so many steps of properties below its root."""
    schema = STRING
    for _ in range(levels):
        schema = _object(a=schema)
    return schema


def _many(number: int) -> Schema:
    return _object(**{f"p{n}": STRING for n in range(number)})


def _enum(number: int, length: int = 4) -> Schema:
    return _object(a={"type": "string", "enum": [str(n).rjust(length, "v") for n in range(number)]})


LIMITS = [
    ("openai", _many(5_000), _many(5_001), "5,000 properties"),
    ("openai", _deep(10), _deep(11), "10 levels"),
    ("openai", _enum(1_000), _enum(1_001), "1,000 enum values"),
    ("openai", _enum(300, 50), _enum(301, 50), "15,000 characters"),
    ("openai", _enum(250, 300), _enum(251, 300), "15,000 characters"),
    ("openai", _object(**{"a" * 119_999: STRING}), _object(**{"a" * 120_001: STRING}), "120,000 characters"),
    ("cerebras", _many(150), _many(501), "500 properties"),
    ("cerebras", _deep(10), _deep(11), "10 levels"),
    ("cerebras", _enum(500), _enum(501), "500 enum values"),
    ("cerebras", _object(a={"type": "string", "description": "d" * 4_800}), _many(200), "5,000 characters"),
    ("cerebras", _enum(251, 10), _enum(251, 30), "7,500 characters"),
    ("cerebras-2025", _deep(5), _deep(6), "5 levels"),
]


@pytest.mark.parametrize(("name", "within", "beyond", "words"), LIMITS, ids=[f"{n}-{w}" for n, _, _, w in LIMITS])
def test_limits_are_counted(name: str, within: Schema, beyond: Schema, words: str) -> None:
    """The number itself is accepted, one more is refused, with the provider's number in the rule."""
    assert not [finding for finding in check(within, name) if words in finding.rule.text]
    assert [finding for finding in check(beyond, name) if words in finding.rule.text]


def test_levels_do_not_follow_references() -> None:
    """Depth is counted for each part of a schema, without following references."""
    schema = _deep(6) | {"$defs": {"deep": _deep(6)}}
    schema["properties"]["b"] = {"$ref": "#/$defs/deep"}
    schema["required"].append("b")
    assert check(schema, "openai") == ()


FIRST_KEYS = [
    ([_object(a=STRING, b=STRING), _object(a=STRING, c=STRING)], ["#/properties/x/anyOf/1"]),
    ([_object(b=STRING, a=STRING), _object(a=STRING, c=STRING)], []),
    ([_object(a={"type": "string", "const": "x"}), _object(a={"type": "string", "const": "y"})], []),
    ([_object(a={"type": "string", "enum": ["x"]}), _object(a={"type": "string", "enum": ["y", "x"]})], ["/1"]),
    ([STRING, _object(a=STRING), {"type": "null"}], []),
    ([{"$ref": "#/$defs/o"}, _object(a=STRING)], ["/1"]),
]


@pytest.mark.parametrize(("branches", "places"), FIRST_KEYS)
def test_objects_under_any_of_begin_differently(branches: list[Schema], places: list[str]) -> None:
    """OpenAI: objects provided via anyOf must not share identical first keys; constants tell them apart."""
    schema = {**_object(x={"anyOf": branches}), "$defs": {"o": _object(a=STRING)}}
    found = [finding.place for finding in check(schema, "openai")]
    assert len(found) == len(places)
    assert all(one.endswith(place) for one, place in zip(found, places, strict=True))


def test_all_findings_come_at_once_in_order() -> None:
    """One call tells everything, in the order of the schema."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "minLength": 1}, "b": {"type": "array"}, "c": {"oneOf": [STRING]}},
        "required": ["a"],
    }
    places = [place for place, _ in _places(schema, "openai")]
    assert places == [
        "#", "#/properties/b", "#/properties/c", "#/properties/a/minLength", "#/properties/b", "#/properties/c/oneOf"
    ]  # fmt: skip


def test_text_bytes_and_values_are_the_same() -> None:
    """A schema is taken as JSON text, bytes or value."""
    schema = _object(a={"type": "string", "minLength": 1})
    text = json.dumps(schema)
    assert check(text, "openai") == check(text.encode(), "openai") == check(schema, "openai") != ()


@pytest.mark.parametrize("name", DIALECTS)
def test_pointers_are_escaped(name: str) -> None:
    """RFC 6901: ``~0`` for ``~``, ``~1`` for ``/``."""
    schema = _object(**{"a/b~c": {"type": "string", "not": STRING}})
    assert ("#/properties/a~1b~0c/not", "not") in _places(schema, name)


def test_up_to_draft_7_a_reference_hides_its_siblings() -> None:
    """What ``$ref`` hides is no keyword of the schema, but the rule of lone references still holds."""
    schema = {
        **_object(a={"$ref": "#/$defs/s", "minLength": 1}),
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$defs": {"s": STRING},
    }
    assert _places(schema, "openai") == [("#/properties/a/$ref", "$ref")]


@pytest.mark.parametrize("name", [*EVERYWHERE, "xgrammar"])
def test_forms_of_older_drafts_are_found(name: str) -> None:
    """Boolean bounds of draft 4, lists in items, and draft 3 as a whole."""
    at = "http://json-schema.org/draft-0{}/schema#"
    bound = {"type": "integer", "minimum": 1, "exclusiveMinimum": True}
    assert "#/properties/a/exclusiveMinimum" in dict(_places({**_object(a=bound), "$schema": at.format(4)}, name))
    row = {"type": "array", "items": [STRING]}
    assert ("#/properties/a/items", "items") in _places({**_object(a=row), "$schema": at.format(7)}, name)
    old = {"$schema": at.format(3), "type": "object", "properties": {"a": {"type": "string", "required": True}}}
    assert "#/$schema" in dict(_places(old, name))


@pytest.mark.parametrize(
    ("given", "count"), [("a", 0), ("A_b-9", 0), ("x" * 64, 0), ("x" * 65, 1), ("", 1), ("a b", 1)]
)
@pytest.mark.parametrize("name", EVERYWHERE)
def test_names_of_schemas(name: str, given: str, count: int) -> None:
    """1 to 64 of A-Z a-z 0-9 _ -."""
    assert len(check(_object(), name, name=given)) == count


@pytest.mark.parametrize("name", ["", "OpenAI", "gemini", "vllm", 7, None])
def test_unknown_dialects_are_refused_with_the_names(name: Any) -> None:
    """The message lists every name."""
    with pytest.raises(PolicyError) as caught:
        check({}, name)
    assert all(known in str(caught.value) for known in DIALECTS)


def test_every_rule_has_a_text_and_a_source() -> None:
    """No rule stands without saying where it is from."""
    for dialect in DIALECTS.values():
        fields = [getattr(dialect, name) for name in dialect.__dataclass_fields__]
        rules = [one for one in fields if type(one).__name__ == "Rule"]
        rules += [*dialect.refused.values(), *(limit.rule for limit in dialect.limits)]
        assert rules
        assert all(rule.text and rule.source for rule in rules)
        assert dialect.supported.isdisjoint(dialect.refused)
