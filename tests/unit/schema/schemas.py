"""Strategies of small schemas and instances that are close enough to meet, and the network as the oracle reads it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from maskwright.schema.compile import SchemaNetwork, compile_schema
from tests.oracle.recogniser import accepts, is_empty

NAMES = ("a", "b", "c", "ab")

scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.sampled_from(["", "a", "b", "ab", "ba"]), st.just(0.5)
)
instances: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(NAMES), below, max_size=3),
    max_leaves=6,
)
_small = st.integers(0, 3)
_types = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def _map(below: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(NAMES), below, max_size=3)


def _keywords(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(below, min_size=1, max_size=3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": _types | st.lists(_types, min_size=1, max_size=3, unique=True),
        "properties": _map(below),
        "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        "additionalProperties": below,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$", "b"]), below, max_size=2),
        "propertyNames": below,
        "dependentRequired": st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=1)),
        "dependentSchemas": st.dictionaries(st.sampled_from(NAMES), below, max_size=1),
        "minProperties": _small,
        "maxProperties": _small,
        "items": below,
        "prefixItems": several,
        "minItems": _small,
        "maxItems": _small,
        "minLength": _small,
        "maxLength": _small,
        "pattern": st.sampled_from(["^a", "b$", "^(ab|b)*$", "a"]),
        "minimum": st.integers(-2, 2),
        "exclusiveMaximum": st.integers(-1, 3),
        "multipleOf": st.sampled_from([2, 0.5]),
        "enum": st.lists(instances, min_size=1, max_size=3),
        "const": instances,
        "anyOf": several,
        "allOf": several,
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y"]),
    }
    chosen = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: keywords[name] for name in names}))


_leaves = st.booleans() | _keywords(st.booleans())
_bodies = st.recursive(_leaves, _keywords, max_leaves=6)
schemas: st.SearchStrategy[dict[str, Any]] = st.builds(
    lambda body, x, y: {**(body if isinstance(body, dict) else {"allOf": [body]}), "$defs": {"x": x, "y": y}},
    _bodies,
    _bodies,
    _bodies,
)


def network(schema: Any, **policies: Any) -> SchemaNetwork:
    """The network with the oracle's decision on empty terms."""
    return compile_schema(schema, **policies, is_empty=is_empty)


def verdicts(schema: Any, texts: list[str], **policies: Any) -> list[bool]:
    """Which texts a schema accepts."""
    made = network(schema, **policies)
    return [accepts(made, text.encode()) for text in texts]
