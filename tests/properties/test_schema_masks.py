"""Masks of real vocabularies where a schema remembers, counts or negates: right for every id at each place."""

from __future__ import annotations

from typing import Any, Final

import pytest

import maskwright as mw
from tests.oracle.masks import by_reading, in_mask
from tests.registry import fetch

#: Schemas, and beginnings after which the mask is compared for every id.
PLACES: Final[dict[str, tuple[Any, list[bytes]]]] = {
    "unique strings": (
        {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
        [b"[", b'["', b'["a","', b'["a","a', b'["ab","a', b'["a","b", "', b'["The","The'],
    ),
    "unique numbers": (
        {"type": "array", "uniqueItems": True, "items": {"type": "integer"}},
        [b"[1", b"[1,", b"[1,1", b"[12, 1", b"[10,100,1"],
    ),
    "unique values": (
        {"uniqueItems": True},
        [b"[true,", b'[{"a":1},{"a":', b"[[1],[1", b'["a",["a"'],
    ),
    "unique enum": (
        {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b", "ab", "The"]}, "minItems": 3},
        [b'["', b'["a","', b'["a", "b', b'["ab","The","'],
    ),
    "contains": (
        {"type": "array", "items": {"type": "string"}, "contains": {"pattern": "^x"}, "maxItems": 2},
        [b"[", b'["', b'["a', b'["a","', b'["a","x', b'["x'],
    ),
    "oneOf of strings": (
        {"type": "string", "oneOf": [{"pattern": "^the"}, {"pattern": "s$"}, {"maxLength": 2}]},
        [b'"', b'"the', b'"as', b'"thes', b'"a'],
    ),
    "not": (
        {"type": "string", "not": {"anyOf": [{"const": "the"}, {"pattern": "ing$"}, {"maxLength": 1}]}},
        [b'"', b'"the', b'"go', b'"goin', b'"going'],
    ),
    "not of members": (
        {"type": "object", "not": {"properties": {"the": {"type": "string"}}}, "maxProperties": 2},
        [b"{", b'{"', b'{"the', b'{"the":', b'{"a":1,"', b'{"a":1,"the":'],
    ),
    "patterns of keys": (
        {"type": "object", "patternProperties": {"^a": {"type": "integer"}, "s$": {"maximum": 9}}, "minProperties": 2},
        [b'{"', b'{"a', b'{"as', b'{"as":', b'{"as":9', b'{"b":', b'{"a":1,"a'],
    ),
    "discriminator last": (
        {
            "type": "object",
            "properties": {"v": {}, "kind": {"enum": ["text", "number"]}},
            "required": ["v", "kind"],
            "additionalProperties": False,
            "if": {"properties": {"kind": {"const": "text"}}},
            "then": {"properties": {"v": {"type": "string"}}},
            "else": {"properties": {"v": {"type": "number"}}},
        },
        [b'{"v":', b'{"v":1', b'{"v":"a', b'{"v":1,"kind":"', b'{"v":"a","kind":"'],
    ),
    "unevaluated members": (
        {
            "anyOf": [{"properties": {"a": {"type": "null"}}, "required": ["a"]}, {"properties": {"the": True}}],
            "unevaluatedProperties": False,
            "type": "object",
        },
        [b"{", b'{"', b'{"a":', b'{"the":', b'{"a":null,"', b'{"the":1,"'],
    ),
    "dependent members": (
        {
            "type": "object",
            "dependentRequired": {"a": ["the"]},
            "dependentSchemas": {"b": {"propertyNames": {"maxLength": 1}}},
        },
        [b'{"a":1', b'{"a":1,"', b'{"b":1,"', b'{"the":1,"', b'{"b":1,"c"'],
    ),
}


@pytest.fixture(scope="module", params=["llama3", "smollm2"])
def real(request: pytest.FixtureRequest) -> mw.Vocabulary:
    if request.param == "smollm2":
        return mw.Vocabulary.from_gguf(fetch("smollm2.gguf"))
    return mw.Vocabulary.from_huggingface(str(fetch("llama3/tokenizer.json")))


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_masks_of_real_vocabularies(real: mw.Vocabulary, name: str) -> None:
    """At each place, asked once or twice, the mask holds exactly the tokens that can be read."""
    schema, beginnings = PLACES[name]
    guide = mw.compile(mw.json_schema(schema, property_order="any"), real)
    for beginning in beginnings:
        matcher = guide.matcher()
        matcher.advance_bytes(beginning)
        expected = by_reading(matcher)
        assert in_mask(matcher) == expected, beginning
        again = guide.matcher()
        again.advance_bytes(beginning)
        assert in_mask(again) == expected, beginning
