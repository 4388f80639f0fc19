"""Refusals: the class of the error, the place and the keyword, and that nothing runs away."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.errors import (
    ConstraintError,
    LimitError,
    MaskwrightError,
    PatternError,
    PolicyError,
    SchemaError,
    UnsatisfiableError,
    UnsupportedError,
)
from maskwright.limits import Limits
from maskwright.network.nodes import Call
from maskwright.schema.compile import compile_schema
from maskwright.schema.drafts import LATEST
from maskwright.schema.layout import Whitespace
from tests.unit.schema.schemas import network, schemas


def nested(depth: int, keyword: str) -> Any:
    schema: Any = {}
    for _ in range(depth):
        schema = {keyword: {"a": schema} if keyword == "properties" else [schema]}
    return schema


CYCLE = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"allOf": [{"$ref": "#/$defs/A"}]}}, "$ref": "#/$defs/A"}
NEEDS_ITSELF = {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]}
MUTUAL = {
    "$defs": {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}, "required": ["b"]},
        "B": {"type": "array", "items": {"$ref": "#/$defs/A"}, "minItems": 1},
    },
    "$ref": "#/$defs/A",
}
LOOP: dict[str, Any] = {"enum": []}
LOOP["enum"].append(LOOP["enum"])

CASES: list[tuple[str, Any, type[ConstraintError], str, str]] = [
    ("not JSON", '{"type": }', SchemaError, "1:10", ""),
    ("not UTF-8", b'"\xff"', SchemaError, "", ""),
    ("not a schema", "[1]", SchemaError, "#", ""),
    ("null", None, SchemaError, "#", ""),
    ("NaN", '{"minimum": NaN}', SchemaError, "", ""),
    ("a float without value", {"minimum": float("inf")}, SchemaError, "#/minimum", "minimum"),
    ("not a subschema", {"properties": {"a/b": 5}}, SchemaError, "#/properties/a~1b", ""),
    ("infinitely many", {"minLength": float("inf")}, SchemaError, "#/minLength", "minLength"),
    ("too many to count", '{"maxItems": 1e999999999}', SchemaError, "#/maxItems", "maxItems"),
    ("a multiple of nothing", {"multipleOf": Decimal("NaN")}, SchemaError, "#/multipleOf", "multipleOf"),
    ("no type", {"type": "foo"}, SchemaError, "#/type", "type"),
    ("no number", {"minLength": "x"}, SchemaError, "#/minLength", "minLength"),
    ("no list", {"required": "a"}, SchemaError, "#/required", "required"),
    ("list items in 2020-12", {"items": [{}]}, SchemaError, "#/items", "items"),
    ("unknown dialect", {"$schema": "http://x/y"}, SchemaError, "#", "$schema"),
    ("nowhere", {"items": {"$ref": "#/nope"}}, SchemaError, "#/items", "$ref"),
    ("in place", {"$ref": "#"}, SchemaError, "#", "$ref"),
    ("in place by another", CYCLE, SchemaError, "#/$defs/A", "$ref"),
    ("in place by anyOf", {"anyOf": [{"$ref": "#"}, {}]}, SchemaError, "#", "$ref"),
    ("a key that is no text", {5: {}}, SchemaError, "#", ""),
    ("a name that is no text", {"properties": {"a": {}, 5: {}}}, SchemaError, "#/properties", "properties"),
    (
        "a pattern that is no text",
        {"patternProperties": {5: {}}},
        SchemaError,
        "#/patternProperties",
        "patternProperties",
    ),
    (
        "a dependency that is no text",
        {"dependentRequired": {None: ["a"]}},
        SchemaError,
        "#/dependentRequired",
        "dependentRequired",
    ),
    ("a constant's key that is no text", {"const": [{"a": {5: 1}}]}, SchemaError, "#/const", "const"),
    ("not JSON in Python", {"enum": [object()]}, SchemaError, "#/enum", "enum"),
    ("deep text", '{"not":' * 100_000, LimitError, "", ""),
    ("deep list", "[" * 100_000, LimitError, "", ""),
    ("deep values", nested(100_000, "properties"), LimitError, "", ""),
    ("deep in place", nested(100_000, "allOf"), LimitError, "", ""),
    ("a constant in itself", LOOP, UnsatisfiableError, "#/enum", "enum"),
    ("huge exponent", '{"minimum": 1e999999999}', LimitError, "#/minimum", "minimum"),
    ("huge integer", f'{{"minimum": {"9" * 5000}}}', LimitError, "", ""),
    ("remote", {"$ref": "http://example.com/x"}, UnsupportedError, "#", "$ref"),
    ("dynamic remote", {"items": {"$dynamicRef": "http://x/y#z"}}, UnsupportedError, "#/items", "$dynamicRef"),
    ("in place, dynamically", {"$dynamicRef": "#a", "$dynamicAnchor": "a"}, SchemaError, "#", "$ref"),
    ("no URI", {"$id": "http://x/", "items": {"$id": "http://["}}, SchemaError, "#/items", "$id"),
    ("pattern", {"properties": {"a": {"pattern": "("}}}, PatternError, "#/properties/a/pattern", "pattern"),
    ("false", False, UnsatisfiableError, "#", ""),
    ("needs itself", NEEDS_ITSELF, UnsatisfiableError, "#/properties/n", "required"),
    ("need each other", MUTUAL, UnsatisfiableError, "#/$defs/A/properties/b", "required"),
    (
        "required and false",
        {"type": "object", "properties": {"a": False}, "required": ["a"]},
        UnsatisfiableError,
        "#/properties/a",
        "",
    ),
    (
        "required and closed",
        {"type": "object", "additionalProperties": False, "required": ["a"]},
        UnsatisfiableError,
        "#",
        "required",
    ),
    ("disjoint types", {"allOf": [{"type": "string"}, {"type": "number"}]}, UnsatisfiableError, "#/allOf/0", "type"),
    ("empty range", {"type": "number", "minimum": 5, "maximum": 3}, UnsatisfiableError, "#/minimum", "minimum"),
    (
        "no integer",
        {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
        UnsatisfiableError,
        "#/exclusiveMinimum",
        "exclusiveMinimum",
    ),
    ("items", {"type": "array", "minItems": 3, "maxItems": 2}, UnsatisfiableError, "#/minItems", "minItems"),
    ("enum beside type", {"type": "string", "enum": [1]}, UnsatisfiableError, "#/enum", "enum"),
    (
        "patterns",
        {"type": "string", "pattern": "^a", "allOf": [{"pattern": "^b"}]},
        UnsatisfiableError,
        "#/pattern",
        "pattern",
    ),
    (
        "too few members",
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False, "minProperties": 2},
        UnsatisfiableError,
        "#",
        "minProperties",
    ),
    (
        "too many required",
        {"type": "object", "required": ["a", "b"], "maxProperties": 1},
        UnsatisfiableError,
        "#/required",
        "required",
    ),
    ("an element", {"type": "array", "prefixItems": [False], "minItems": 1}, UnsatisfiableError, "#/prefixItems/0", ""),
    ("unwritable key", {"type": "object", "required": ["\ud800"]}, UnsatisfiableError, "#/required", "required"),
]


@pytest.mark.parametrize(("schema", "kind", "place", "keyword"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_refusal(schema: Any, kind: type[ConstraintError], place: str, keyword: str) -> None:
    """What cannot be compiled is refused with its class, place and keyword."""
    with pytest.raises(kind) as caught:
        network(schema)
    problem = caught.value.problems[0]
    assert problem.reason
    assert (problem.place, problem.keyword) == (place, keyword)


def test_all_problems_come_at_once() -> None:
    """Every problem that is reached is named, in the gravest class."""
    schema = {
        "properties": {
            "a": {"pattern": "("},
            "b": {"minLength": -1},
            "c": {"$ref": "http://x/y"},
            "d": {"$ref": "#/no"},
        },
        "$defs": {"unused": {"minLength": -1}},
    }
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema)
    assert sorted(problem.place for problem in caught.value.problems) == [
        "#/properties/a/pattern",
        "#/properties/b/minLength",
        "#/properties/c",
        "#/properties/d",
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"uniqueItems": False},
        {"type": "string", "uniqueItems": True},
        {"$defs": {"unused": {"oneOf": [{}, {}]}}},
        {"if": {"type": "null"}},
        {"not": False},
        {"oneOf": [{"type": "null"}]},
        {"unevaluatedProperties": True},
        {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1, "if": {}, "then": {}},
        {"properties": {"uniqueItems": {}, "$ref": {"type": "string"}}},
        {"x-anything": {"oneOf": 5}, "description": 7, "additonalProperties": False},
    ],
)
def test_what_asserts_nothing_is_not_refused(schema: Any) -> None:
    """Keywords without effect, of other drafts, of other types or out of reach are ignored."""
    compile_schema(schema)


def test_unknown_formats_warn_or_are_refused() -> None:
    """An unknown format is an annotation that is told, or an error under ``"strict"``."""
    schema = {"items": {"type": "string", "format": "shoe-size"}}
    (warning,) = compile_schema(schema).warnings
    assert (warning.place, warning.keyword) == ("#/items/format", "format")
    assert not compile_schema(schema, formats="annotate").warnings
    with pytest.raises(UnsupportedError):
        compile_schema(schema, formats="strict")


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
IGNORED: list[tuple[dict[str, Any], str, str]] = [
    ({"properties": {"a": {"extends": {"type": "null"}}}}, "#/properties/a/extends", "extends"),
    ({"additionalItems": False}, "#/additionalItems", "additionalItems"),
    ({"$schema": DRAFT_7, "prefixItems": [{}]}, "#/prefixItems", "prefixItems"),
    ({"$schema": "http://json-schema.org/draft-04/schema", "const": 1}, "#/const", "const"),
    (
        {"$schema": DRAFT_7, "items": {"$ref": "#/definitions/a", "minLength": 1}, "definitions": {"a": {}}},
        "#/items/minLength",
        "minLength",
    ),
]


@pytest.mark.parametrize(("schema", "place", "keyword"), IGNORED)
def test_keywords_of_other_drafts_warn(schema: dict[str, Any], place: str, keyword: str) -> None:
    """What another draft would enforce, or ``$ref`` hides, is ignored and told, with what to do about it."""
    (warning,) = compile_schema(schema).warnings
    assert (warning.place, warning.keyword) == (place, keyword)
    assert warning.remedy


@pytest.mark.parametrize(
    "policies",
    [
        {"property_order": "sorted"},
        {"whitespace": "loose"},
        {"whitespace": 3},
        {"escapes": None},
        {"digits": 0},
        {"digits": True},
        {"numbers": "float"},
        {"objects": "open"},
        {"formats": True},
        {"registry": 5},
    ],
)
def test_arguments_without_meaning(policies: dict[str, Any]) -> None:
    """A policy that does not exist is refused before the schema is read."""
    with pytest.raises(PolicyError):
        compile_schema("not even JSON", **policies)


@pytest.mark.parametrize("given", [{"comma": ";"}, {"colon": ""}, {"indent": -1}, {"indent": "x"}, {"indent": True}])
def test_separators_must_be_json(given: dict[str, Any]) -> None:
    """A layout that would not write JSON cannot be built."""
    with pytest.raises(PolicyError):
        Whitespace(**given)


def test_limits() -> None:
    """Every cap is a typed error that names itself."""
    with pytest.raises(LimitError, match="source_bytes"):
        compile_schema("{}" + " " * 100, limits=Limits(source_bytes=50))
    with pytest.raises(LimitError, match="subschemas"):
        compile_schema({"properties": {str(i): {"type": "null"} for i in range(50)}}, limits=Limits(subschemas=20))
    branches = [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}], "minProperties": i} for i in range(12)]
    with pytest.raises(LimitError, match="satisfiability_steps"):
        network({"type": "object", "maxProperties": 11, "allOf": branches}, limits=Limits(satisfiability_steps=300))


def test_recursion_that_can_end_is_live() -> None:
    """Recursion through optional members, empty arrays or a branch of anyOf has values."""
    mutual = {**MUTUAL, "$defs": {**MUTUAL["$defs"], "B": {"type": "array", "items": {"$ref": "#/$defs/A"}}}}  # type: ignore[dict-item]
    either = {"type": "object", "properties": {"n": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["n"]}
    for schema in (mutual, either):
        network(schema)


def test_descriptions_name_the_place_and_what_is_missing() -> None:
    """A node is described by the object it belongs to and what that still needs."""
    made = compile_schema(
        {"properties": {"a": {"type": "object", "required": ["x"], "maxProperties": 3}}, "type": "object"}
    )
    opened = next(p for p in made.expand(made.root) if len(p) > 1)[-1]
    assert "#" in made.describe(opened.node)  # type: ignore[union-attr]
    key = next(iter(made.expand(opened.node)))[0].targets[0]  # type: ignore[union-attr]
    value = next(iter(made.expand(key)))[1].node  # type: ignore[union-attr]
    inner = next(iter(next(iter(made.expand(value)))))
    assert inner is not None
    member = next(iter(made.expand(value)))[-1].node  # type: ignore[union-attr]
    assert made.describe(member) == (
        'a member name of the object at #/properties/a: still required: "x"; `maxProperties` allows 3 more'
    )


KEYWORDS = sorted(
    {*LATEST.keywords, "$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions", "id", "$vocabulary"}
    | {"$recursiveRef", "$recursiveAnchor", "additionalItems", "extends", "disallow", "divisibleBy"}
)
DRAFTS = [
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
]
junk: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(
        ["#", "#/$defs/a", "#/items", "#a", "x", "x#a", "string", "any", "^(", "http://[", "urn:a:b", *DRAFTS]
    ),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYWORDS, "a"]), below, max_size=4)
        | st.dictionaries(st.text(max_size=2), below, max_size=2)
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYWORDS), junk, max_size=5))
def test_nothing_escapes_the_error_tree(schema: dict[str, Any]) -> None:
    """Whatever the values of the keywords are, a schema compiles and expands or is refused with a typed error."""
    with suppress(MaskwrightError):
        made = compile_schema(schema)
        for production in made.expand(made.root):
            for symbol in production:
                if isinstance(symbol, Call):
                    list(made.expand(symbol.node))


@settings(max_examples=200, deadline=None)
@given(schemas)
def test_every_refusal_says_why_and_where(schema: dict[str, Any]) -> None:
    """An error has at least one problem, each with a place in the schema and a reason that names no internals."""
    try:
        network(schema)
    except ConstraintError as error:
        kind, problems = type(error), error.problems
    else:
        return
    assert problems
    for problem in problems:
        assert problem.reason
        assert "<" not in problem.reason
        assert problem.place.startswith("#") or kind is LimitError


def test_reasons_name_what_conflicts() -> None:
    """Constants, branches and forbidden members are told by what excludes them, once."""
    table: list[tuple[dict[str, Any], list[str], list[str]]] = [
        ({"const": "\ud800"}, ["#/const"], ["surrogate"]),
        ({"enum": []}, ["#/enum"], ["no value"]),
        ({"type": "string", "enum": [1]}, ["#/enum"], ["#/type"]),
        ({"type": "string", "minLength": 3, "const": "a"}, ["#/const"], ["#/minLength"]),
        ({"anyOf": [{"enum": []}, False]}, ["#/anyOf/0/enum", "#/anyOf/1"], ["branch 0", "branch 1"]),
        ({"not": {}}, ["#/not"], ["`not`"]),
        (
            {"type": "object", "required": ["a"], "additionalProperties": False},
            ["#"],
            ["`additionalProperties` at #/additionalProperties"],
        ),
        ({"type": "array", "items": False, "minItems": 1}, ["#"], ["element 0"]),
    ]
    for schema, places, words in table:
        with pytest.raises(UnsatisfiableError) as caught:
            network(schema)
        assert [problem.place for problem in caught.value.problems] == places
        assert all(word in str(caught.value) for word in words)
