"""Identifiers: which URI a schema has, wherever it is embedded, and what leads to it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.validators import validator_for

from maskwright.errors import SchemaError
from maskwright.schema.identifiers import children, is_below, joined, list_index
from tests.unit.schema.schemas import verdicts

ROOT = "http://host/folder/root.json"
DRAFTS = {
    "http://json-schema.org/draft-04/schema#": ("id", "definitions"),
    "http://json-schema.org/draft-07/schema#": ("$id", "definitions"),
    "https://json-schema.org/draft/2019-09/schema": ("$id", "$defs"),
    "https://json-schema.org/draft/2020-12/schema": ("$id", "$defs"),
}
LEAVES = ("null", "string", "integer", "boolean")
ADDRESSES = ("{}.json", "sub/{}.json", "/top/{}", "urn:example:{}", "http://other/{}/", "?{}")
INSTANCES = [None, "a", 1, True, [None], ["a"], [1], [True]]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Schemas that embed each other, some with a URI or an anchor of their own, and a reference to one of them."""
    uri, (identifier, container) = draw(st.sampled_from(sorted(DRAFTS.items())))
    root: dict[str, Any] = {"$schema": uri, identifier: ROOT, container: {}}
    places: list[tuple[dict[str, Any], str]] = [(root, ROOT)]
    targets: list[str] = []
    for index in range(draw(st.integers(1, 4))):
        parent, base = draw(st.sampled_from(places))
        node: dict[str, Any] = {"type": draw(st.sampled_from(LEAVES))}
        parent.setdefault(container, {})[f"k{index}"] = node
        kind = draw(st.sampled_from(["plain", "anchor", "resource"]))
        own = base
        if kind == "resource":
            # Nothing is relative to a URN.
            addresses = [one for one in ADDRESSES if ":" in one or base.startswith("http")]
            node[identifier] = draw(st.sampled_from(addresses)).format(index)
            own = urljoin(base, node[identifier])
            targets.append(own)
        elif kind == "anchor":
            node |= {"$anchor": f"a{index}"} if container == "$defs" else {identifier: f"#a{index}"}
            targets.append(f"{base}#a{index}")
        if parent is root or (identifier in parent and not parent[identifier].startswith("#")):
            targets.append(f"{base}#/{container}/k{index}")
        places.append((node, own))
    root["items"] = {"$ref": draw(st.sampled_from(targets))}
    return root


@settings(max_examples=150, deadline=None)
@given(documents())
def test_references_lead_where_a_validator_goes(schema: dict[str, Any]) -> None:
    """Whatever embeds what, under whatever URI: verdicts are those of a validator."""
    validator = validator_for(schema)(schema)
    expected = [validator.is_valid([value]) for value in INSTANCES]
    assert verdicts(schema, [json.dumps([value]) for value in INSTANCES]) == expected


@pytest.mark.parametrize(
    ("base", "reference", "uri"),
    [
        ("http://x/a/b", "c", "http://x/a/c"),
        ("http://x/a/b", "/c#d", "http://x/c"),
        ("", "c", "c"),
        ("urn:a:b", "#c", "urn:a:b"),
        ("urn:a:b", "", "urn:a:b"),
        ("app://x/a/b", "../c?d#e", "app://x/c?d"),
        ("app://x/a/b", "tag:c", "tag:c"),
        ("app://x/a/b", "//y/c", "app://y/c"),
        ("http://x/a", "urn:a:b", "urn:a:b"),
    ],
)
def test_joining(base: str, reference: str, uri: str) -> None:
    """A reference is resolved against its base (RFC 3986), and loses its fragment."""
    assert joined(base, reference, "#", "$ref") == uri


def test_what_is_no_uri() -> None:
    """It is refused with the place of the schema."""
    with pytest.raises(SchemaError) as caught:
        joined("http://x/", "http://[", "#/a", "$id")
    assert (caught.value.problems[0].place, caught.value.problems[0].keyword) == ("#/a", "$id")


@pytest.mark.parametrize(
    ("step", "index"), [("0", 0), ("10", 10), ("01", None), ("", None), ("-", None), ("٣", None), ("9" * 30, None)]
)
def test_indices(step: str, index: int | None) -> None:
    """RFC 6901: ASCII digits without leading zeros."""
    assert list_index(step) == index


def test_where_schemas_stand() -> None:
    """Children are where the steps lead to a schema, and constants and unknown keywords have none."""
    schema = {
        "properties": {"a": {}},
        "items": [{}, {}],
        "not": {},
        "anyOf": [{}],
        "enum": [{}],
        "default": {},
        "unknown": {"a": {}},
    }
    found = {tokens for tokens, value in children(schema) if isinstance(value, dict)}
    assert found == {("properties", "a"), ("items", 0), ("items", 1), ("not",), ("anyOf", 0)}
    assert all(map(is_below, found))
    assert not any(map(is_below, [("enum", 0), ("default",), ("unknown", "a"), ("properties",)]))
