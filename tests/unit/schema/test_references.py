"""References: pointers, anchors, identifiers, places."""

from __future__ import annotations

from typing import Any

import pytest
import referencing
import referencing.jsonschema

from maskwright.errors import SchemaError, UnsupportedError
from maskwright.schema.references import Document
from tests.unit.schema.schemas import verdicts

DOCUMENT: dict[str, Any] = {
    "$id": "http://x/root.json",
    "$defs": {
        "plain": {"title": "plain"},
        "a/b~c d": {"title": "escaped"},
        "anchored": {"$anchor": "here", "title": "anchored"},
        "inner": {
            "$id": "folder/inner.json",
            "title": "inner",
            "$defs": {"deep": {"$anchor": "here", "title": "deep"}},
            "items": {"$ref": "#/$defs/deep"},
        },
        "trap": {"enum": [{"$id": "http://x/trap.json", "$anchor": "trap"}]},
    },
    "unknown": [{"title": "unknown"}],
}
BASE = "http://json-schema.org/draft-"


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        ("#/$defs/plain", "plain"),
        ("#/%24defs/plain", "plain"),
        ("#/$defs/a~1b~0c%20d", "escaped"),
        ("#here", "anchored"),
        ("root.json#here", "anchored"),
        ("folder/inner.json", "inner"),
        ("http://x/folder/inner.json#here", "deep"),
        ("folder/inner.json#/$defs/deep", "deep"),
        ("#/$defs/inner/$defs/deep", "deep"),
        ("#/unknown/0", "unknown"),
    ],
)
def test_resolution(reference: str, title: str) -> None:
    """A reference names the subschema that RFC 3986 and RFC 6901 say, and the same object each time."""
    document = Document(DOCUMENT)
    found = document.resolve(document.root, reference)
    assert found.value["title"] == title
    assert document.resolve(document.root, reference) is found


def test_references_inside_a_resource_use_its_base() -> None:
    """Below an identifier, ``#`` is that resource."""
    document = Document(DOCUMENT)
    inner = document.resolve(document.root, "folder/inner.json")
    items = document.child(inner, inner.value["items"], "items")
    assert document.resolve(items, "#/$defs/deep").value["title"] == "deep"


@pytest.mark.parametrize("reference", ["#/nope", "#/$defs/plain/title", "#nope", "#trap", "#/unknown/1", "#/unknown/-"])
def test_references_to_nowhere(reference: str) -> None:
    """What is not there, or is not a schema, is an error; identifiers inside constants are none."""
    document = Document(DOCUMENT)
    with pytest.raises(SchemaError):
        document.resolve(document.root, reference)


@pytest.mark.parametrize("reference", ["http://x/trap.json", "other.json", "http://y"])
def test_documents_that_are_not_at_hand(reference: str) -> None:
    """Nothing is fetched: a foreign document must be in the registry."""
    document = Document(DOCUMENT)
    with pytest.raises(UnsupportedError):
        document.resolve(document.root, reference)


def test_documents_of_the_registry() -> None:
    """A registry supplies documents, with references among them."""
    specification = referencing.jsonschema.DRAFT202012
    contents = {
        "http://x/a.json": {"$ref": "b.json#/$defs/n"},
        "http://x/b.json": {"$defs": {"n": {"type": "null"}}},
    }
    registry: Any = referencing.Registry().with_resources(
        (uri, specification.create_resource(schema)) for uri, schema in contents.items()
    )
    assert verdicts({"$ref": "http://x/a.json"}, ["null", "1"], registry=registry) == [True, False]


def test_old_drafts_name_anchors_by_identifier() -> None:
    """Up to draft 7 a fragment identifier is an anchor, and an identifier beside ``$ref`` is none."""
    for number, name in (("04", "id"), ("06", "$id"), ("07", "$id")):
        schema = {
            "$schema": f"{BASE}{number}/schema#",
            "definitions": {"n": {name: "#n", "type": "null"}},
            "allOf": [{name: "http://other/", "$ref": "#n"}],
        }
        assert verdicts(schema, ["null", "1"]) == [True, False]


def test_places_are_json_pointers() -> None:
    """The place of a subschema resolves to it."""
    document = Document(DOCUMENT)
    for token in DOCUMENT["$defs"]:
        found = document.child(document.root, DOCUMENT["$defs"][token], "$defs", token)
        reference = found.place.replace("%", "%25").replace(" ", "%20")
        assert document.resolve(document.root, reference) is found
    assert document.root.place == "#"
