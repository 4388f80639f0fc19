"""``rewrite``: what each construct becomes, and what is reported of it.

Expected schemas are written from the meaning of the original and the rules of the providers.
"""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from maskwright.dialects import DIALECTS, Rewriting, check, rewrite
from maskwright.errors import PolicyError

Schema = dict[str, Any]
STRING: Schema = {"type": "string"}
NULL: Schema = {"type": "null"}


def _object(**properties: Any) -> Schema:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False
    }  # fmt: skip


def _under(below: Any, name: str = "openai", **more: Any) -> Any:
    """What a schema becomes under a required property of a closed object."""
    made = rewrite({**_object(a=below), **more}, name)
    assert check(made.schema, name) == ()
    return made.schema["properties"]["a"]


def _effects(made: Rewriting) -> set[tuple[str, str, str]]:
    return {(change.keyword, change.kind, change.effect) for change in made.changes}


BECOMES: list[tuple[str, Any, Any]] = [
    ("openai", {"type": "string", "minLength": 2}, STRING),
    ("openai", {"type": "string", "format": "uri"}, STRING),
    ("openai", {"type": "string", "pattern": "a(?=b)"}, STRING),
    ("openai", {"type": "string", "default": "x"}, STRING),
    ("openai", {"const": "x"}, {"type": "string", "enum": ["x"]}),
    ("openai", {"enum": [1, "x", None]}, {"type": ["integer", "string", "null"], "enum": [1, "x", None]}),
    ("openai", {"enum": [{"k": 1}]}, _object(k={"type": "integer", "enum": [1]})),
    ("openai", {"oneOf": [STRING, NULL]}, {"anyOf": [STRING, NULL]}),
    ("openai", {"allOf": [STRING, {"pattern": "a"}]}, {"type": "string", "pattern": "a"}),
    ("openai", {"allOf": [{"minimum": 1}, {"minimum": 3}], "type": "integer"}, {"type": "integer", "minimum": 3}),
    ("openai", {"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "type": "integer"},
     {"type": "integer", "multipleOf": 12}),
    ("openai", {"allOf": [{"type": ["string", "null"]}, {"type": ["null", "integer"]}]}, NULL),
    ("openai", {"allOf": [{"type": "number"}, {"type": ["integer", "string"]}]}, {"type": "integer"}),
    ("openai", {"enum": ["a", "ab", "abc"], "minLength": 2}, {"type": "string", "enum": ["ab", "abc"]}),
    ("openai", {"allOf": [{"enum": [1, 2]}, {"enum": [2.0, 3]}]}, {"type": "integer", "enum": [2]}),
    ("openai", {"type": "array"}, {"type": "array", "items": {"type": ["boolean", "number", "string", "null"]}}),
    ("openai", {"minLength": 1, "type": "string", "nullable": True}, {"type": "string", "nullable": True}),
    ("openai", {"pattern": "a"}, {"type": "string", "pattern": "a"}),
    ("openai", {}, {"type": ["boolean", "number", "string", "null"]}),
    ("openai", {"$ref": "#/$defs/s", "description": "d"}, {"description": "d", "anyOf": [{"$ref": "#/$defs/s"}]}),
    ("openai", {"$ref": "#/$defs/s", "pattern": "a"}, {"type": "string", "pattern": "a"}),
    ("openai", {"anyOf": [{"pattern": "a"}, {"pattern": "b"}], "type": "string"},
     {"anyOf": [{"type": "string", "pattern": "a"}, {"type": "string", "pattern": "b"}]}),
    ("openai", {"type": "array", "prefixItems": [STRING, NULL], "items": False},
     {"type": "array", "items": {"anyOf": [STRING, NULL]}, "maxItems": 2}),
    ("openai", {"type": "array", "items": False}, {"type": "array", "items": NULL, "maxItems": 0}),
    ("cerebras", {"type": ["string", "null"]}, {"anyOf": [STRING, NULL]}),
    ("cerebras", {"type": "string", "pattern": "a", "title": "t", "x": 1}, {"title": "t", "type": "string"}),
    ("cerebras", {"const": 1}, {"type": "integer", "enum": [1]}),
    ("cerebras", {"type": "array", "items": STRING, "minItems": 1}, {"type": "array", "items": STRING}),
    ("cerebras", {"type": "array", "prefixItems": [STRING]},
     {"type": "array", "prefixItems": [STRING], "items": False}),
    ("cerebras", {"type": "integer", "minimum": 1, "not": {"const": 3}}, {"type": "integer", "minimum": 1}),
    ("cerebras-2025", {"type": "integer", "minimum": 1}, {"type": "integer"}),
    ("llguidance", {"type": "string", "not": {"const": "a"}}, STRING),
    ("llguidance", {"oneOf": [STRING, {"minLength": 1}]}, {"anyOf": [STRING, {"minLength": 1}]}),
    ("xgrammar", {"allOf": [STRING, {"minLength": 1}]}, {"type": "string", "minLength": 1}),
    ("xgrammar", {"$ref": "#/$defs/s", "minLength": 1}, {"type": "string", "minLength": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "below", "expected"), BECOMES)
def test_what_becomes_of_a_schema(name: str, below: Any, expected: Any) -> None:
    """One construct, rewritten."""
    assert _under(below, name, **{"$defs": {"s": STRING}}) == expected


def test_optional_properties_become_nullable() -> None:
    """OpenAI: every property is required; null stands for what was absent, and goes again."""
    made = rewrite({"type": "object", "properties": {"a": STRING, "b": {"type": ["string", "null"]}}}, "openai")
    assert made.schema == _object(a={"type": ["string", "null"]}, b={"type": ["string", "null"]})
    assert made.absent == {"#": frozenset({"a"})}
    assert made.unwrap({"a": None, "b": None}) == {"b": None}
    assert made.unwrap({"a": "x", "b": "y"}) == {"a": "x", "b": "y"}
    assert {("required", "added", "equal"), ("required", "added", "narrower")} <= _effects(made)


def test_cerebras_leaves_optional_properties_absent() -> None:
    """API version 2: an unlisted property may be absent, and is not null."""
    made = rewrite({"type": "object", "properties": {"a": STRING}}, "cerebras")
    assert made.schema == {**_object(a=STRING), "required": []}
    assert made.absent == {}


def test_objects_of_all_of_are_merged() -> None:
    """Closing each branch by itself would leave nothing; keys of all branches are allowed together."""
    schema = {
        "allOf": [
            {"type": "object", "properties": {"a": STRING}, "required": ["a"]},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            {"properties": {"a": {"pattern": "x"}}},
        ]
    }
    made = rewrite(schema, "openai")
    assert made.schema == _object(a={"type": "string", "pattern": "x"}, b={"type": "integer"})
    assert not made.is_wider
    assert Draft202012Validator(schema).is_valid({"a": "x", "b": 1})


def test_additional_properties_of_one_schema_bind_the_keys_of_another() -> None:
    """What a branch says about additional keys holds for those that only its siblings name."""
    schema = {
        "type": "object",
        "allOf": [
            {"properties": {"a": STRING}, "required": ["a", "b"], "additionalProperties": {"type": "integer"}},
            {"properties": {"b": {"minimum": 0}, "c": STRING}},
        ],
    }
    made = rewrite(schema, "cerebras")
    assert made.schema["properties"] == {"a": STRING, "b": {"type": "integer", "minimum": 0}}


def test_siblings_of_any_of_go_into_each_branch() -> None:
    """An object beside anyOf keeps its keys in every alternative."""
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}},
        "required": ["kind"],
        "anyOf": [
            {"properties": {"kind": {"const": "a"}, "x": STRING}, "required": ["x"]},
            {"properties": {"kind": {"const": "b"}, "y": STRING}, "required": ["y"]},
        ],
    }
    kinds = [{"type": "string", "enum": [one]} for one in ("a", "b")]
    expected = [_object(kind=kinds[0], x=STRING), _object(kind=kinds[1], y=STRING)]
    assert _under(schema) == {"anyOf": expected}


WRAPPED: list[tuple[Any, Any, Any]] = [
    (STRING, STRING, "x"),
    ({"type": "array", "items": STRING}, {"type": "array", "items": STRING}, ["x"]),
    ({"anyOf": [_object(a=STRING), STRING]}, {"anyOf": [_object(a=STRING), STRING]}, {"a": "x"}),
]


@pytest.mark.parametrize("name", ["openai", "cerebras", "cerebras-2025"])
@pytest.mark.parametrize(("schema", "below", "value"), WRAPPED)
def test_a_root_that_is_no_object_is_wrapped(name: str, schema: Any, below: Any, value: Any) -> None:
    """The original is a property of the root; ``unwrap`` takes it out."""
    made = rewrite(schema, name)
    assert made.schema == _object(value=below)
    assert made.unwrap({"value": value}) == value
    for wrong in ({}, value, 3, None):
        if wrong != {"value": value}:
            with pytest.raises(PolicyError):
                made.unwrap(wrong)


def test_a_root_that_refers_to_an_object_is_that_object() -> None:
    """No wrapping where the reference can be opened."""
    made = rewrite({"$ref": "#/$defs/o", "$defs": {"o": {"type": "object", "properties": {"a": STRING}}}}, "openai")
    assert made.schema == _object(a={"type": ["string", "null"]})
    assert made.wrapped is None


def test_recursion_is_kept_where_it_is_supported() -> None:
    """``#`` stays the root for OpenAI; Cerebras has no recursion, which is said."""
    tree = {"type": "object", "properties": {"v": {"type": "integer"}, "l": {"$ref": "#"}}, "required": ["v"]}
    made = rewrite(tree, "openai")
    assert made.schema == _object(v={"type": "integer"}, l={"anyOf": [{"$ref": "#"}, NULL]})
    value = {"v": 1, "l": {"v": 2, "l": {"v": 3, "l": None}}}
    assert made.unwrap(value) == {"v": 1, "l": {"v": 2, "l": {"v": 3}}}
    assert [finding.keyword for finding in rewrite(tree, "cerebras").unmendable] == ["$ref", "$ref"][:1]


def test_a_recursive_meeting_ends() -> None:
    """Two recursive schemas met in every member become one definition that refers to itself."""
    schema = {
        "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "$defs": {
            "a": {"type": "object", "properties": {"n": {"$ref": "#/$defs/a"}}, "additionalProperties": False},
            "b": {"properties": {"n": {"$ref": "#/$defs/b"}}, "required": ["n"]},
        },
    }
    made = rewrite(schema, "llguidance")
    assert made.changes == ()
    made = rewrite(schema, "xgrammar")
    assert made.unmendable == ()
    assert not made.is_wider
    old, new = Draft202012Validator(schema), Draft202012Validator(made.schema)
    for value in ({}, {"n": {}}, {"n": {"n": 1}}, {"n": 1}, {"n": {"n": {"x": 1}}}, 3):
        assert old.is_valid(value) == new.is_valid(value)


def test_definitions_move_for_cerebras() -> None:
    """``definitions`` is refused, ``$defs`` is not."""
    schema = {**_object(a={"$ref": "#/definitions/s"}), "definitions": {"s": STRING}}
    assert rewrite(schema, "cerebras").schema == {**_object(a={"$ref": "#/$defs/s"}), "$defs": {"s": STRING}}
    assert check(schema, "openai") == ()


def test_references_to_any_place_become_definitions() -> None:
    """Pointers into the schema, anchors and identifiers lead to ``$defs`` afterwards."""
    schema = {
        **_object(a=STRING, b={"$ref": "#/properties/a"}, c={"$ref": "#x"}, d={"$ref": "http://example.com/y"}),
        "$defs": {"x": {"$anchor": "x", "type": "integer"}, "y": {"$id": "http://example.com/y", "type": "null"}},
    }
    made = rewrite(schema, "openai")
    assert check(made.schema, "openai") == ()
    assert Draft202012Validator(made.schema).is_valid({"a": "s", "b": "s", "c": 1, "d": None})
    assert not Draft202012Validator(made.schema).is_valid({"a": "s", "b": 1, "c": 1, "d": None})


def test_other_documents_come_from_the_registry() -> None:
    """What the registry holds becomes a definition."""
    other = Resource.from_contents({"$schema": "https://json-schema.org/draft/2020-12/schema", **STRING})
    registry: Registry[Any] = Registry().with_resource("http://example.com/s", other)
    made = rewrite(_object(a={"$ref": "http://example.com/s"}), "openai", registry=registry)
    assert made.unmendable == ()
    assert Draft202012Validator(made.schema).is_valid({"a": "x"})
    assert not Draft202012Validator(made.schema).is_valid({"a": 1})


def test_deep_parts_become_definitions() -> None:
    """OpenAI counts levels without following references, so nesting can be cut."""
    schema: Schema = STRING
    for _ in range(35):
        schema = _object(a=schema)
    made = rewrite(schema, "openai")
    assert check(made.schema, "openai") == ()
    assert not made.is_wider
    assert not made.is_narrower


def test_a_text_that_is_too_long_gives_up_annotations() -> None:
    """Cerebras: 5,000 characters; titles go first, descriptions only if that is not enough."""
    words = {"title": "t" * 40, "description": "d" * 20}
    made = rewrite({"type": "object", "properties": {f"p{n}": {**STRING, **words} for n in range(60)}}, "cerebras")
    assert made.unmendable == ()
    assert made.schema["properties"]["p0"] == {"description": "d" * 20, **STRING}
    assert not made.is_wider


def test_the_meeting_of_recursive_schemas_is_polynomial() -> None:
    """Three cycles of 2, 3 and 5 states met at each of four keys have 30 states, and endlessly many paths."""
    keys = tuple(enumerate("abcd"))
    states = {
        f"{size}_{n}": {"properties": {key: {"$ref": f"#/$defs/{size}_{(n + step) % size}"} for step, key in keys}}
        for size in (2, 3, 5)
        for n in range(size)
    }
    schema = {"allOf": [{"$ref": f"#/$defs/{size}_0"} for size in (2, 3, 5)], "$defs": states}
    made = rewrite(schema, "xgrammar")
    assert made.unmendable == ()
    assert len(made.schema["$defs"]) <= 30


def test_branches_are_grouped() -> None:
    """An anyOf of 26 in groups of at most 5."""
    branches = [{"type": "string", "enum": [str(n)]} for n in range(26)]
    made = rewrite(_object(a={"anyOf": branches}), "cerebras-2025")
    assert check(made.schema, "cerebras-2025") == ()
    for n in range(27):
        assert Draft202012Validator(made.schema).is_valid({"a": str(n)}) == (n < 26)


def test_first_keys_are_turned() -> None:
    """Objects under anyOf get different first keys where they have any."""
    branches = [_object(a=STRING, b=STRING), _object(a=STRING, c=STRING)]
    made = rewrite(_object(x={"anyOf": branches}), "openai")
    assert made.unmendable == ()
    assert [next(iter(one["properties"])) for one in made.schema["properties"]["x"]["anyOf"]] == ["a", "c"]
    same = rewrite(_object(x={"anyOf": [_object(a=STRING), _object(a={"type": "integer"})]}), "openai")
    assert [finding.keyword for finding in same.unmendable] == ["anyOf"]


def test_one_of_is_equal_where_its_branches_exclude_each_other() -> None:
    """By type, by constants, or by a constant under a required key; else it is wider."""
    kinds = [{"type": "object", "properties": {"k": {"const": n}}, "required": ["k"]} for n in (1, 2)]
    for branches, effect in (
        ([STRING, NULL], "equal"),
        ([{"type": "integer"}, {"type": "number"}], "wider"),
        ([{"enum": [1, 2]}, {"enum": [3]}], "equal"),
        ([{"enum": [1, 2]}, {"const": 2.0}], "wider"),
        (kinds, "equal"),
        ([{"properties": one["properties"], "required": ["k"]} for one in kinds], "wider"),
        ([STRING, {"pattern": "a"}], "wider"),
    ):
        made = rewrite(_object(a={"oneOf": branches}), "openai")
        assert [change.effect for change in made.changes if change.keyword == "oneOf"] == [effect]


def test_conditions_become_alternatives() -> None:
    """if, then, else: both if and then, or else; wider, since else is for values that fail if."""
    schema = {"if": {"type": "string"}, "then": {"pattern": "a"}, "else": {"type": "integer"}}
    assert _under(schema) == {"anyOf": [{"type": "string", "pattern": "a"}, {"type": "integer"}]}
    assert rewrite(_object(a=schema), "openai").is_wider


def test_what_is_dropped_can_be_said_in_words() -> None:
    """``describe``: the description tells the model what nothing enforces."""
    schema = _object(a={"type": "string", "minLength": 2, "description": "A code."})
    made = rewrite(schema, "openai", describe=True)
    assert made.schema["properties"]["a"]["description"] == "A code. At least 2 characters."
    assert rewrite(schema, "openai").schema["properties"]["a"]["description"] == "A code."


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("schema", [False, {"type": "string", "enum": [1]}, {"allOf": [STRING, NULL]}, {"not": {}}])
def test_what_has_no_value_is_said(name: str, schema: Any) -> None:
    """An empty schema is no schema of a strict mode; nothing is invented in its place."""
    made = rewrite(schema, name)
    assert made.schema is False or not Draft202012Validator(made.schema).is_valid("x")
    assert made.unmendable or check(made.schema, name) == ()


def test_limits_that_cannot_be_kept_are_said() -> None:
    """5,001 properties stay too many."""
    made = rewrite({"type": "object", "properties": {f"p{n}": STRING for n in range(5_001)}}, "openai")
    assert [finding.rule.text for finding in made.unmendable] == ["a schema has at most 5,000 properties in total"]


_DRAFT = "http://json-schema.org/draft-0{}/schema#"
OLD: list[tuple[int, Any, Any]] = [
    (3, {"type": "object", "properties": {"k": {"type": "string", "required": True}}}, _object(k=STRING)),
    (4, {"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
    (4, {"type": "integer", "minimum": 1, "exclusiveMinimum": False}, {"type": "integer", "minimum": 1}),
    (7, {"type": "array", "items": [STRING, NULL], "additionalItems": False},
     {"type": "array", "items": {"anyOf": [STRING, NULL]}, "maxItems": 2}),
    (7, {"type": "array", "items": [STRING], "additionalItems": NULL},
     {"type": "array", "items": {"anyOf": [STRING, NULL]}}),
    (7, {"$ref": "#/definitions/s", "minLength": 1}, {"$ref": "#/$defs/s"}),
]  # fmt: skip


@pytest.mark.parametrize(("draft", "below", "expected"), OLD)
def test_older_drafts_are_written_in_the_latest(draft: int, below: Any, expected: Any) -> None:
    """Keywords mean what their draft says; the result is of draft 2020-12."""
    schema = {"$schema": _DRAFT.format(draft), "type": "object", "properties": {"a": below}}
    if draft > 3:
        schema["required"] = ["a"]
    made = rewrite(schema | {"definitions": {"s": STRING}}, "openai")
    found = made.schema["properties"]["a"]
    assert found == (expected if draft > 3 else {"anyOf": [expected, NULL]})
    assert "$schema" not in made.schema


def test_nothing_changes_in_the_source() -> None:
    """The value that was passed is copied, whatever becomes of it."""
    schema = {"type": "object", "properties": {"a": {"allOf": [{"type": "string", "minLength": 1}]}}}
    before = pickle.dumps(schema)
    made = rewrite(schema, "openai")
    assert pickle.dumps(schema) == before
    assert made.schema != schema


def test_a_rewriting_can_be_kept() -> None:
    """It pickles, and unwraps as before."""
    made = pickle.loads(pickle.dumps(rewrite({"type": "object", "properties": {"a": STRING}}, "openai")))
    assert made.unwrap({"a": None}) == {}


def test_alternatives_are_told_apart_when_unwrapping() -> None:
    """Null is absent in one branch and a value in the other; the value decides which branch it is of."""
    schema = {
        "anyOf": [
            {"type": "object", "properties": {"k": {"const": 1}, "p": STRING}, "required": ["k"]},
            {
                "type": "object",
                "properties": {"k": {"const": 2}, "p": {"type": ["string", "null"]}},
                "required": ["k", "p"],
            },
        ]
    }
    made = rewrite(schema, "openai")
    assert made.unwrap({"value": {"k": 1, "p": None}}) == {"k": 1}
    assert made.unwrap({"value": {"k": 2, "p": None}}) == {"k": 2, "p": None}


def test_every_change_is_explained() -> None:
    """Each has a place in the original, a reason and an effect."""
    schema = {"type": "object", "properties": {"a": {"oneOf": [STRING, {"type": "string", "minLength": 1}]}, "b": {}}}
    for name in DIALECTS:
        for change in rewrite(schema, name).changes:
            assert change.place.startswith("#")
            assert change.why
            assert change.effect in {"wider", "narrower", "equal"}
