"""Draft 3: its own keywords mean what the specification says, in any combination."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.errors import MaskwrightError, SchemaError, UnsatisfiableError
from maskwright.schema.compile import compile_schema
from maskwright.schema.draft3 import modernised
from maskwright.schema.references import Document
from tests.unit.schema.schemas import NAMES, instances, verdicts

DRAFT = "http://json-schema.org/draft-03/schema#"

_names = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object", "any"])


def _keywords(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    types = _names | st.lists(_names | below, min_size=1, max_size=3)
    properties = st.dictionaries(
        st.sampled_from(NAMES), st.tuples(below, st.booleans()).map(lambda pair: {**pair[0], "required": pair[1]})
    )
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": types,
        "disallow": types,
        "extends": below | st.lists(below, max_size=2),
        "divisibleBy": st.sampled_from([2, 0.5]),
        "properties": properties,
        "additionalProperties": below | st.booleans(),
        "dependencies": st.dictionaries(
            st.sampled_from(NAMES), st.sampled_from(NAMES) | st.lists(st.sampled_from(NAMES)) | below, max_size=2
        ),
        "items": below | st.lists(below, min_size=1, max_size=2),
        "additionalItems": below | st.booleans(),
        "minItems": st.integers(0, 2),
        "minimum": st.integers(-2, 2),
        "exclusiveMinimum": st.booleans(),
        "enum": st.lists(instances, min_size=1, max_size=3),
    }
    chosen = st.lists(st.sampled_from(sorted(keywords)), max_size=3, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: keywords[name] for name in names}))


schemas: st.SearchStrategy[dict[str, Any]] = st.recursive(st.just({}), _keywords, max_leaves=6)


@settings(max_examples=150, deadline=None)
@given(schemas, st.lists(instances, min_size=1, max_size=5))
def test_verdicts_are_those_of_a_validator(schema: dict[str, Any], values: list[Any]) -> None:
    """Any schema of draft 3 accepts what a validator accepts, or has no value at all."""
    validator = jsonschema.Draft3Validator(schema)
    expected = [validator.is_valid(value) for value in values]
    try:
        found = verdicts({"$schema": DRAFT, **schema}, [json.dumps(v) for v in values], property_order="any")
    except UnsatisfiableError:
        found = [False] * len(values)
    assert found == expected


def test_places_are_those_of_the_schema_as_written() -> None:
    """What is read in other words keeps its place, and pointers lead to it."""
    schema = {
        "$schema": DRAFT,
        "extends": [{"title": "a"}, {"title": "b"}],
        "type": ["string", {"title": "c"}],
        "disallow": [{"title": "d"}],
        "properties": {"x": {"extends": {"title": "e"}}},
    }
    document = Document(schema)
    root = document.root
    assert document.child(root, schema["extends"][1], "allOf", 1).place == "#/extends/1"  # type: ignore[index]
    assert document.child(root, schema["type"][1], "anyOf", 1).place == "#/type/1"
    for pointer, title in [
        ("#/extends/0", "a"),
        ("#/type/1", "c"),
        ("#/disallow/0", "d"),
        ("#/properties/x/extends", "e"),
    ]:
        found = document.resolve(root, pointer)
        assert found.value["title"] == title
        assert found.place == pointer
    assert document.written(root) is schema


def test_modernising_touches_one_level() -> None:
    """A schema is rewritten without its subschemas, and the original stays as it is."""
    below = {"extends": {"divisibleBy": 3}}
    schema = {"extends": below, "divisibleBy": 2}
    assert modernised(schema) == {**schema, "allOf": [below], "multipleOf": 2}
    assert schema == {"extends": {"extends": {"divisibleBy": 3}}, "divisibleBy": 2}


@pytest.mark.parametrize(
    ("schema", "place", "keyword"),
    [
        ({"extends": 5}, "#/extends", "extends"),
        ({"properties": {"a": {"divisibleBy": 0}}}, "#/properties/a/divisibleBy", "divisibleBy"),
        ({"required": ["a"]}, "#/required", "required"),
        ({"items": {"type": "foo"}}, "#/items/type", "type"),
        ({"disallow": []}, "#/disallow", "disallow"),
        ({"dependencies": {"a": 5}}, "#/dependencies", "dependencies"),
        ({"extends": {"$ref": "#"}}, "#", "$ref"),
    ],
)
def test_malformed_keywords(schema: dict[str, Any], place: str, keyword: str) -> None:
    """A keyword of the wrong form is refused under the name that was written."""
    with pytest.raises(SchemaError) as caught:
        compile_schema({"$schema": DRAFT, **schema})
    (problem,) = caught.value.problems
    assert (problem.place, problem.keyword) == (place, keyword)


def test_keywords_of_later_drafts_are_told() -> None:
    """What draft 3 does not know asserts nothing, not even under a name that Maskwright uses inside."""
    schema = {"$schema": DRAFT, "allOf": [{"type": "string"}], "not": {}, "multipleOf": 2, "minProperties": 1}
    assert {warning.keyword for warning in compile_schema(schema).warnings} == set(schema) - {"$schema"}
    assert verdicts(schema, ["1", "{}"]) == [True, True]


def test_depth_is_bounded() -> None:
    """Nesting in the keywords that are rewritten is refused as any other."""
    for keyword in ("extends", "disallow"):
        schema: Any = {}
        for _ in range(5_000):
            schema = {keyword: [schema]}
        with pytest.raises(MaskwrightError):
            compile_schema({"$schema": DRAFT, **schema})
