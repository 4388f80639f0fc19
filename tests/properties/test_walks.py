"""Random walks: whatever allowed tokens are chosen, the output ends and ``jsonschema`` accepts it."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import UnsatisfiableError
from tests.oracle.json_text import accepts, parse_strictly
from tests.oracle.masks import SINGLES, make_vocabulary
from tests.properties.terms import pieces, schemas
from tests.properties.walks import names_of, walk

TOKENS = (
    b'":',
    b'{"',
    b'"}',
    b'","',
    b'": "',
    b'"]',
    b"[]",
    b"{}",
    b"null",
    b" a",
    b"\xc3\xa9",
    b"\\u00",
    b",\n",
    b"\n  ",
)
POLICIES = [
    dict(zip(("whitespace", "escapes", "property_order", "numbers"), choice, strict=True))
    for choice in itertools.product(
        ("compact", "spaced", "flexible", "any"), ("all", "minimal"), ("declared", "any"), ("canonical", "exact")
    )
]
#: One of each kind of thing that real schemas hold.
SCHEMAS: list[Any] = [
    {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "name": {"type": "string", "minLength": 1, "maxLength": 12},
            "tags": {"type": "array", "items": {"enum": ["a", 'b"', "\u00e9"]}, "maxItems": 3},
            "price": {"type": "number", "multipleOf": 0.01, "exclusiveMinimum": 0},
        },
        "required": ["id", "price"],
    },
    {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"value": {}, "next": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]}},
                "required": ["next"],
                "additionalProperties": False,
            }
        },
    },
    {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[a-c]+$"}, "minProperties": 1},
    {
        "type": "array",
        "prefixItems": [{"type": "boolean"}, {"format": "date", "type": "string"}],
        "items": {"type": "null"},
    },
    {
        "anyOf": [
            {"type": "string", "format": "uuid"},
            {"type": "object", "properties": {"k": {"const": 1}}, "required": ["k"]},
        ]
    },
]


def check(schema: Any, guide: mw.Guide, chance: random.Random) -> None:
    text = walk(guide, chance, budget=chance.choice([0, 5, 40]), patience=4_000, hints=names_of(schema))
    assert accepts(schema)(parse_strictly(text)), text


@pytest.mark.parametrize("policies", POLICIES, ids=lambda policies: "-".join(policies.values()))
@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_walks_in_every_policy(schema: Any, policies: dict[str, str]) -> None:
    """Every combination of policies writes valid documents only."""
    guide = mw.compile(mw.json_schema(schema, **policies), make_vocabulary((*SINGLES, *TOKENS)))
    for seed in range(3):
        check(schema, guide, random.Random(seed))


@given(schemas, pieces, st.sampled_from(POLICIES), st.randoms(use_true_random=False))
def test_walks_of_generated_schemas(
    schema: Any, tokens: list[bytes], policies: dict[str, str], chance: random.Random
) -> None:
    """The same for schemas and vocabularies that nobody thought of."""
    try:
        guide = mw.compile(mw.json_schema(schema, **policies), make_vocabulary((*SINGLES, *tokens)))
    except UnsatisfiableError:
        assume(False)
    check(schema, guide, chance)
