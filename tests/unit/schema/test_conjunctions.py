"""Large conjunctions are read by parts; they admit, and begin, as the whole does (oracle: jsonschema)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import maskwright as mw

BYTES = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])


def _if(key: str, value: Any, then: list[str]) -> dict[str, Any]:
    return {"if": {"properties": {key: {"const": value}}, "required": [key]}, "then": {"required": then}}


def _tagged(tag: str, **more: Any) -> dict[str, Any]:
    return {"properties": {"a": {"const": tag}, **more}}


SCHEMAS = {
    "conditions on keys of their own": {"allOf": [_if("a", 1, ["b"]), _if("c", 1, ["d"]), _if("e", 1, [])]},
    "conditions in a chain": {"allOf": [_if("a", 1, ["b"]), _if("b", 1, ["c"]), {"not": {"required": ["a", "c"]}}]},
    "conditions on one key": {"allOf": [_if("a", 1, ["b"]), _if("a", "x", ["c"])], "required": ["a"]},
    "demands that end in what is forbidden": {
        "dependentRequired": {"a": ["b"], "b": ["c"], "d": ["e"]},
        "properties": {"c": False},
    },
    "demands beside a count": {"dependentRequired": {"a": ["b"], "c": ["d"]}, "maxProperties": 2, "minProperties": 1},
    "demands in a closed object": {
        "dependentRequired": {"a": ["b"], "c": ["d"]},
        "properties": dict.fromkeys("abc", True),
        "additionalProperties": False,
    },
    "oneOf with a tag required beside it": {
        "required": ["a"],
        "oneOf": [_tagged("x", b={"const": 1}), _tagged("y", b={"const": 1}), _tagged("z"), {"required": ["e"]}],
    },
    "oneOf with a tag that may be missing": {"oneOf": [_tagged("x", b={"const": 1}), _tagged("y"), _tagged("x")]},
    "oneOf with tags that overlap": {
        "oneOf": [
            {"properties": {"a": {"enum": ["x", 1]}}, "required": ["a"]},
            {"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]},
            {"properties": {"a": {"enum": [1]}}, "required": ["a", "b"]},
        ]
    },
}


def documents() -> Iterator[dict[str, Any]]:
    """Objects of up to three of five keys with values that the schemas tell apart."""
    for size in range(4):
        for keys in combinations("abcde", size):
            values: list[dict[str, Any]] = [{}]
            for key in keys:
                values = [{**one, key: value} for one in values for value in (1, "x")]
            yield from values


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_admitted(schema: dict[str, Any]) -> None:
    schema = {"type": "object", **schema}
    oracle, guide = Draft202012Validator(schema), mw.compile(mw.json_schema(schema, property_order="any"), BYTES)
    for document in documents():
        for order in (document, dict(reversed(document.items()))):
            text = json.dumps(order)
            assert guide.matches(text) == oracle.is_valid(document), text


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_beginnings_are_of_valid_texts(schema: dict[str, Any]) -> None:
    """A member may come exactly if some object that begins with it is valid; three more members decide it here."""
    schema = {"type": "object", **schema}
    oracle, guide = Draft202012Validator(schema), mw.compile(mw.json_schema(schema, property_order="any"), BYTES)
    valid = [document for document in _larger() if oracle.is_valid(document)]
    for begun in documents():
        matcher = guide.matcher()
        # The blank ends a number: more digits would make it another one.
        text = json.dumps(begun)[:-1] + (" " if begun else "")
        is_live = any(begun.items() <= document.items() for document in valid)
        assert matcher.can_read(text.encode()) == is_live, text


def _larger() -> Iterator[dict[str, Any]]:
    values: list[dict[str, Any]] = [{}]
    for key in "abcde":
        values = [*values, *({**one, key: value} for one in values for value in (1, "x", "y"))]
    yield from values


def test_written_objects_differ() -> None:
    """Of many different objects none may come again, in whatever order of keys and spelling."""
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "object"}}
    guide = mw.compile(mw.json_schema(schema, property_order="any", numbers="exact"), BYTES)
    written = [{"a": place % 7, "b": {"c": place // 7}} for place in range(40)]
    assert guide.matches(json.dumps(written))
    for again in ('{"b": {"c": 2}, "a": 3}', '{"a": 3.0, "b": {"c": 20e-1}}', json.dumps(written[0])):
        assert not guide.matches(json.dumps(written)[:-1] + f", {again}]"), again
    for other in ('{"b": {"c": 2}}', '{"b": {"c": 6}, "a": 4}', '{"b": {"c": 2}, "a": 3, "d": 1}', "{}"):
        assert guide.matches(json.dumps(written)[:-1] + f", {other}]"), other


@pytest.mark.parametrize(
    ("items", "count"),
    [
        ({"properties": {"a": {"enum": [1, 2]}}, "additionalProperties": False}, 3),
        ({"properties": {"a": {"enum": [1, 2]}}, "additionalProperties": False, "required": ["a"]}, 2),
        ({"properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "maxProperties": 1}, 2),
        ({"properties": {"a": {"enum": [1, 2]}}, "additionalProperties": {"not": {}}}, 3),
        ({"properties": {"a": {"enum": [1, 2]}}, "not": {"minProperties": 2}, "required": ["a"]}, 2),
    ],
)
def test_few_objects_run_out(items: dict[str, Any], count: int) -> None:
    """As many elements may come as there are different objects."""
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "object", **items}}
    guide = mw.compile(mw.json_schema(schema, property_order="any"), BYTES)
    written = json.dumps([{"a": 1}, {"a": 2}, {}][:count])
    assert guide.matches(written)
    assert not guide.matcher().can_read(f"{written[:-1]},".encode())
    assert guide.matcher().can_read(f"{json.dumps([{'a': 1}, {}, {'a': 2}][: count - 1])[:-1]},".encode()) == (
        count > 1
    )
