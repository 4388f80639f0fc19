"""References: pointers, anchors, identifiers, places."""

from __future__ import annotations

import json
from typing import Any

import pytest
import referencing
import referencing.jsonschema

from maskwright.errors import SchemaError, UnsupportedError
from maskwright.schema.references import Document
from tests.unit.schema.schemas import verdicts

DOCUMENT: dict[str, Any] = {
    "$id": "http://x/root.json",
    "title": "root",
    "": {"title": "empty"},
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
        "": {"title": "empty below"},
        "~/%": {"title": "tilde"},
        "urn": {
            "$id": "urn:example:thing",
            "title": "urn",
            "$defs": {"there": {"$anchor": "there", "title": "urn"}, "below": {"title": "below"}},
        },
        "relative": {
            "$id": "folder/",
            "allOf": [{"not": {"items": {"$id": "below.json", "title": "relative"}}}],
        },
        "trap": {"enum": [{"$id": "http://x/trap.json", "$anchor": "trap"}]},
    },
    "unknown": [{"title": "unknown"}],
    "x-unknown": {"a": {"$id": "http://y/", "title": "no resource", "b": {"title": "below none", "$ref": "#here"}}},
}
NOWHERE = (
    "#/nope", "#/$defs/plain/title", "#nope", "#trap", "#/unknown/1", "#/unknown/-", "#/unknown/00", "#/unknown/+0",
    f"#/unknown/{'9' * 5000}", "#/unknown/\u0660", "#/%FF", "#/$defs/~2", "http://[",
)  # fmt: skip
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
        ("#/", "empty"),
        ("#/$defs/", "empty below"),
        ("#/$defs/%7E", None),
        ("#/$defs/~0~1%25", "tilde"),
        ("http://x/root.json#/$defs/plain", "plain"),
        ("?query#here", None),
        ("/root.json", "root"),
        ("urn:example:thing#there", "urn"),
        ("urn:example:thing#/$defs/below", "below"),
        ("below.json", None),
        ("folder/below.json", "relative"),
        ("#/x-unknown/a", "no resource"),
        ("#/x-unknown/a/b", "below none"),
    ],
)
def test_resolution(reference: str, title: str | None) -> None:
    """A reference names the subschema that RFC 3986 and RFC 6901 say, if any, and the same object each time."""
    document = Document(DOCUMENT)
    if title is None:
        with pytest.raises((SchemaError, UnsupportedError)):
            document.resolve(document.root, reference)
        return
    found = document.resolve(document.root, reference)
    assert found.value["title"] == title
    assert document.resolve(document.root, reference) is found


def test_references_inside_a_resource_use_its_base() -> None:
    """Below an identifier, ``#`` is that resource."""
    document = Document(DOCUMENT)
    inner = document.resolve(document.root, "folder/inner.json")
    items = document.child(inner, inner.value["items"], "items")
    assert document.resolve(items, "#/$defs/deep").value["title"] == "deep"


@pytest.mark.parametrize("reference", [*NOWHERE])
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


def test_identifiers_below_unknown_keywords_are_none() -> None:
    """They change no base on the way of a pointer; a target that is used as a schema has its own."""
    document = Document(DOCUMENT)
    with pytest.raises(UnsupportedError):
        document.resolve(document.root, "http://y/")
    below = document.resolve(document.root, "#/x-unknown/a/b")
    assert document.resolve(below, "#here").value["title"] == "anchored"
    target = document.resolve(document.root, "#/x-unknown/a")
    assert target.resource.uri == "http://y/"


def test_identifiers_inside_constants_are_none() -> None:
    """Constants may look like schemas of any dialect, well-formed or not."""
    odd = {"$id": "http://[", "$schema": "http://nope", "id": "x", "$ref": "#/nope"}
    for draft in ("2020-12", "04", "03"):
        uri = f"{BASE}{draft}/schema#" if draft < "2" else "https://json-schema.org/draft/2020-12/schema"
        assert verdicts({"$schema": uri, "enum": [odd, [odd]]}, [json.dumps([odd]), "[]"]) == [True, False]
    schema = {"$ref": "x", "$defs": {"a": {"const": {"$id": "x", "type": "null"}}, "b": {"$id": "x", "type": "string"}}}
    assert verdicts(schema, ['"a"', "null"]) == [True, False]


@pytest.mark.parametrize("first", ["#inner", "http://x/b"])
def test_the_order_of_references_does_not_matter(first: str) -> None:
    """An anchor that is asked for inside an embedded resource does not hide the resources elsewhere."""
    schema = {
        "$id": "http://x/",
        "items": {"$id": "a", "allOf": [{"$ref": first}], "$defs": {"i": {"$anchor": "inner", "maxLength": 3}}},
        "$defs": {"b": {"$id": "b", "type": "string"}},
        "allOf": [{"items": {"$ref": "a#inner"}}, {"items": {"$ref": "b"}}],
    }
    assert verdicts(schema, ['["abc"]', '["abcd"]', "[1]"]) == [True, False, False]


def test_a_registry_that_fails_is_told() -> None:
    """What a ``retrieve`` function raises becomes the reason, with the place of the reference."""

    def retrieve(uri: str) -> Any:
        raise OSError("no network")

    registry: Any = referencing.Registry(retrieve=retrieve)  # type: ignore[call-arg]
    with pytest.raises(UnsupportedError, match="no network") as caught:
        verdicts({"items": {"$ref": "http://x/a"}}, [], registry=registry)
    assert caught.value.problems[0].place == "#/items"


def test_a_registry_may_retrieve() -> None:
    """A ``retrieve`` function is asked once for a document, and only for what the schema does not hold."""
    asked: list[str] = []

    def retrieve(uri: str) -> Any:
        asked.append(uri)
        contents = {"$defs": {"n": {"type": "null"}}}
        return referencing.jsonschema.DRAFT202012.create_resource(contents)

    registry: Any = referencing.Registry(retrieve=retrieve)  # type: ignore[call-arg]
    schema = {
        "$id": "http://x/",
        "prefixItems": [{"$ref": "http://x/a#/$defs/n"}, {"$ref": "a#/$defs/n"}, {"$ref": "b"}],
        "$defs": {"b": {"$id": "b"}},
    }
    assert verdicts(schema, ["[null, null, 1]", "[null, 1]"], registry=registry) == [True, False]
    assert asked == ["http://x/a"]


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
