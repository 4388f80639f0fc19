"""Subschemas that say the same are seen to do so, and no others are."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.schema.contents import content_of
from maskwright.schema.references import Document


def contents(left: Any, right: Any) -> tuple[object, object]:
    document = Document({"properties": {"left": left, "right": right}})
    properties = document.root.value["properties"]
    one, other = (document.child(document.root, properties[side], "properties", side) for side in ("left", "right"))
    return content_of(one), content_of(other)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"type": "string", "title": "A"}, {"type": "string", "description": "B"}),
        ({"$ref": "#/x"}, {"$ref": "#/x", "$comment": "the same place"}),
        ({"items": {"enum": [1, "a"]}}, {"items": {"enum": [1, "a"], "default": 1}}),
        ({"properties": {"title": {"type": "null"}}}, {"properties": {"title": {"type": "null", "title": "T"}}}),
    ],
)
def test_same(left: Any, right: Any) -> None:
    one, other = contents(left, right)
    assert one == other


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"type": "string"}, {"type": "number"}),
        ({"const": 1}, {"const": True}),
        ({"enum": ["a"]}, {"enum": [["a"]]}),
        ({"const": "a"}, {"const": ["a"]}),
        ({"properties": {"title": {"type": "null"}}}, {"properties": {}}),
        ({"items": {"properties": {"default": {}}}}, {"items": {"properties": {"title": {}}}}),
        ({"patternProperties": {"title": False}}, {"patternProperties": {}}),
        ({"$id": "x", "type": "string"}, {"$id": "x", "type": "string"}),
    ],
)
def test_different(left: Any, right: Any) -> None:
    one, other = contents(left, right)
    assert one != other
