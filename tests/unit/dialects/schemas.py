"""Random schemas with every keyword, and random values of a schema, for the laws of the dialects."""

from __future__ import annotations

import random
from typing import Any, Final

from hypothesis import strategies as st

NAMES: Final = ("a", "b", "c")
SCALARS: Final = (None, True, False, 0, 1, 2, 5, 1.5, "", "a", "ab", "abc")
TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


def schemas() -> st.SearchStrategy[dict[str, Any]]:
    """A schema with definitions; references to them may be recursive below members, never in place."""
    body = st.recursive(_flat(), _deeper, max_leaves=6)
    closed = st.recursive(_flat(references=False), _deeper, max_leaves=3)
    return st.builds(_with_definitions, body, st.dictionaries(st.sampled_from(("d", "e")), closed, max_size=2))


def _with_definitions(body: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    defined = {
        "d": {"type": "string"},
        "e": {"type": "object", "properties": {"a": {"$ref": "#/$defs/e"}}},
    } | definitions
    return {**body, "$defs": defined}


def _flat(*, references: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    kind, small, bound = st.sampled_from(TYPES), st.integers(0, 3), st.sampled_from((0, 1, 2, 1.5))
    keywords = {
        "type": st.one_of(kind, st.lists(kind, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(st.sampled_from((*SCALARS, {}, {"a": 1}, [], [1, "a"])), min_size=1, max_size=4),
        "const": st.sampled_from((*SCALARS, {"a": None}, ["a"])),
        "minLength": small, "maxLength": small, "pattern": st.sampled_from(("^a", "b$", "^(?=a)", ".")),
        "minimum": bound, "maximum": bound, "exclusiveMinimum": bound, "multipleOf": st.sampled_from((1, 2, 0.5)),
        "minItems": small, "maxItems": small, "uniqueItems": st.booleans(),
        "minProperties": small, "maxProperties": small,
        "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        "additionalProperties": st.booleans(), "dependentRequired": st.just({"a": ["b"]}),
        "description": st.just("words"), "default": st.just(1), "nullable": st.just(True),
    }  # fmt: skip
    if references:
        keywords["$ref"] = st.sampled_from(("#/$defs/d", "#/$defs/e"))
    return st.sets(st.sampled_from(sorted(keywords)), max_size=3).flatmap(
        lambda names: st.fixed_dictionaries({name: keywords[name] for name in sorted(names)})
    )


def _deeper(below: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    rows = st.lists(below, min_size=1, max_size=3)
    keywords = {
        "properties": st.dictionaries(st.sampled_from(NAMES), st.one_of(below, st.booleans()), min_size=1, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(("^a", "[bc]")), below, min_size=1, max_size=1),
        "additionalProperties": below, "propertyNames": below, "prefixItems": rows,
        "items": st.one_of(below, st.booleans()),
        "contains": below, "anyOf": rows, "oneOf": rows, "allOf": rows, "not": below, "if": below, "then": below,
        "else": below, "unevaluatedProperties": st.booleans(), "unevaluatedItems": st.booleans(),
    }  # fmt: skip
    chosen = st.sets(st.sampled_from(sorted(keywords)), min_size=1, max_size=2)
    deep = chosen.flatmap(lambda names: st.fixed_dictionaries({name: keywords[name] for name in sorted(names)}))
    return st.builds(lambda one, other: {**one, **other}, _flat(references=False), deep)


def draw_value(schema: Any, root: Any, dice: random.Random, depth: int = 0) -> Any:
    """A value that mostly fits a rewritten schema: its oracle decides."""
    if not isinstance(schema, dict) or dice.random() < 0.03:
        return dice.choice([*SCALARS, [], {}, {"a": 1}, {"b": "a", "x": 2}, [1, "a"]])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return draw_value(root if schema["$ref"] == "#" else root["$defs"][name], root, dice, depth)
    if "anyOf" in schema:
        return draw_value(dice.choice(schema["anyOf"][-1:] if depth > 5 else schema["anyOf"]), root, dice, depth)
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kinds = schema.get("type", dice.choice(TYPES))
    kind = dice.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "object":
        required = schema.get("required", ())
        made = {
            name: draw_value(below, root, dice, depth + 1)
            for name, below in schema.get("properties", {}).items()
            if name in required or (depth < 6 and dice.random() < 0.5)
        }
        if schema.get("additionalProperties") is not False and dice.random() < 0.3:
            made[dice.choice([*NAMES, "x"])] = draw_value(schema.get("additionalProperties"), root, dice, depth + 1)
        return made
    if kind == "array":
        rows = [*schema.get("prefixItems", ())]
        size = dice.randint(schema.get("minItems", 0), max(schema.get("minItems", 0), schema.get("maxItems", 3)))
        rows += [schema.get("items")] * (size - len(rows) if schema.get("items") is not False else 0)
        return [draw_value(row, root, dice, depth + 1) for row in rows[: size if "prefixItems" not in schema else None]]
    same = {"null": [None], "boolean": [True, False], "integer": [0, 1, 2, 3, 5], "number": [0, 1, 1.5, 2, 2.5, 6]}
    return dice.choice(same.get(kind, ["", "a", "b", "ab", "abc", "xb", "aab"]))
