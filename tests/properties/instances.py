"""Values near a schema: drawn from its own words, changed a little, and spelled in many ways."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import Any, Final

from hypothesis import strategies as st

from tests.properties.schemas import KEYS, STRINGS, make_constant

__all__ = ["instances", "make_instance", "mutate", "respell", "spellings"]

_BLANKS: Final = ("", " ", "\n", "\t", "  ", "\r\n ")
_MOST: Final = 4


class _Sampler:
    """Values that are likely to meet a schema document: each keyword pulls its way, none is obeyed for certain."""

    def __init__(self, document: Any, chance: random.Random) -> None:
        self.document = document
        self.chance = chance

    def value(self, schema: Any, depth: int) -> Any:
        chance = self.chance
        for _ in range(8):
            if not isinstance(schema, dict) or not schema:
                return make_constant(chance, min(depth, 2))
            ways = [*self._in_place(schema)]
            if "const" in schema:
                ways.append(None)
            if "enum" in schema:
                ways.append(None)
            if not ways or chance.random() < 0.35:
                break
            way = chance.choice(ways)
            if way is None:
                return chance.choice([schema["const"]] if "const" in schema else schema["enum"])
            schema = way
        return self._of_kind(schema, depth)

    def _in_place(self, schema: dict[str, Any]) -> Iterable[Any]:
        for name in ("allOf", "anyOf", "oneOf"):
            yield from schema.get(name, ())
        for name in ("then", "else", "if"):
            if name in schema:
                yield schema[name]
        for name in ("$ref", "$dynamicRef", "$recursiveRef"):
            if name in schema:
                yield self._target(schema[name])

    def _target(self, reference: str) -> Any:
        at = self.document
        if reference[1:2].isalpha():
            return at["$defs"][reference[1:]]
        for token in reference.split("/")[1:]:
            at = at[token]
        return at

    def _of_kind(self, schema: dict[str, Any], depth: int) -> Any:
        kinds = schema.get("type") or _kinds_of(schema) or ["null", "boolean", "number", "string", "array", "object"]
        kind = kinds if isinstance(kinds, str) else self.chance.choice(kinds)
        match kind:
            case "null":
                return None
            case "boolean":
                return self.chance.random() < 0.5
            case "integer" | "number":
                return self._number(schema)
            case "string":
                return self.chance.choice(STRINGS)
            case "array":
                return self._array(schema, depth)
        return self._object(schema, depth)

    def _number(self, schema: dict[str, Any]) -> Any:
        factor = schema.get("multipleOf", 1)
        named = [schema[name] for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
                 if isinstance(schema.get(name), int | float) and not isinstance(schema[name], bool)]  # fmt: skip
        base = self.chance.choice([0, 1, *named])
        moved = base + self.chance.choice((0, 1, -1, 0.5)) * self.chance.choice((1, factor))
        return int(moved) if moved == int(moved) and self.chance.random() < 0.8 else moved

    def _array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        if depth <= 0:
            return []
        items = schema.get("items", True)
        prefix = items if isinstance(items, list) else schema.get("prefixItems", [])
        rest = schema.get("additionalItems", True) if isinstance(items, list) else items
        wanted = [one for one in (rest, schema.get("contains"), schema.get("unevaluatedItems")) if one is not None]
        low = min(schema.get("minItems", 0), _MOST)
        size = self.chance.randint(low, max(low, min(schema.get("maxItems", _MOST), _MOST)))
        return [
            self.value(prefix[place] if place < len(prefix) else self.chance.choice(wanted), depth - 1)
            for place in range(size)
        ]

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        keys = [*schema.get("required", ())]
        if depth <= 0:
            return dict.fromkeys(keys)
        keys += self.chance.sample(KEYS, self.chance.randrange(3))
        if self.chance.random() < 0.2:
            keys.append(self.chance.choice(STRINGS))
        self.chance.shuffle(keys)
        return {key: self.value(self.chance.choice(self._members(schema, key)), depth - 1) for key in keys}

    def _members(self, schema: dict[str, Any], key: str) -> list[Any]:
        """The schemas that may have a say about a member."""
        found = [one["properties"][key] for one in (schema, *self._in_place(schema))
                 if isinstance(one, dict) and key in one.get("properties", ())]  # fmt: skip
        found += schema.get("patternProperties", {}).values()
        found += [schema[name] for name in ("additionalProperties", "unevaluatedProperties") if name in schema]
        return found or [True]


def _kinds_of(schema: dict[str, Any]) -> list[str]:
    """The types that the keywords are about."""
    found = []
    for kind, names in (
        ("object", ("properties", "required", "patternProperties", "additionalProperties", "propertyNames")),
        ("object", ("minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies")),
        ("object", ("unevaluatedProperties",)),
        ("array", ("items", "prefixItems", "contains", "uniqueItems", "unevaluatedItems", "minItems", "maxItems")),
        ("number", ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")),
        ("string", ("minLength", "maxLength", "pattern")),
    ):
        found += [kind for name in names if name in schema]
    return found


def make_instance(chance: random.Random, schema: Any) -> Any:
    """A value near a schema; seldom one that has nothing to do with it."""
    if chance.random() < 0.05:
        return make_constant(chance)
    value = _Sampler(schema, chance).value(schema, 3)
    while chance.random() < 0.3:
        value = mutate(value, chance)
    return value


def mutate(value: Any, chance: random.Random) -> Any:
    """A value in which one place is changed."""
    if isinstance(value, list) and value and chance.random() < 0.7:
        place = chance.randrange(len(value))
        inner = [mutate(value[place], chance)]
        return value[:place] + chance.choice((inner, [], [value[place]] * 2)) + value[place + 1 :]
    if isinstance(value, dict) and value and chance.random() < 0.7:
        key = chance.choice(list(value))
        rest = {k: v for k, v in value.items() if k != key}
        way = chance.randrange(4)
        if way == 0:
            return rest
        if way == 1:
            return {**rest, chance.choice(STRINGS): value[key]}
        return {**value, (key if way == 2 else chance.choice(KEYS)): mutate(value[key], chance)}
    if isinstance(value, bool) or value is None:
        return chance.choice((True, False, None, 1, 0))
    if isinstance(value, int | float):
        return chance.choice((value + 1, value - 1, value / 2, float(value), value == 1))
    return make_constant(chance, 1)


# ---- texts -------------------------------------------------------------------------------------------------------


def respell(value: Any, chance: random.Random) -> str:
    """A text of a value: keys in any order, blanks anywhere, characters escaped, numbers with other digits."""
    match value:
        case dict():
            pairs = list(value.items())
            chance.shuffle(pairs)
            members = [f"{_quote(k, chance)}{_blank(chance)}:{_blank(chance)}{respell(v, chance)}" for k, v in pairs]
            return "{" + _join(members, chance) + "}"
        case list():
            return "[" + _join([respell(one, chance) for one in value], chance) + "]"
        case str():
            return _quote(value, chance)
        case bool() | None:
            return json.dumps(value)
    return _digits(value, chance)


def _join(parts: list[str], chance: random.Random) -> str:
    return _blank(chance) + f"{_blank(chance)},{_blank(chance)}".join(parts) + _blank(chance)


def _blank(chance: random.Random) -> str:
    return chance.choice(_BLANKS) if chance.random() < 0.3 else ""


def _quote(text: str, chance: random.Random) -> str:
    parts = []
    for one in text:
        escaped = json.dumps(one)[1:-1]
        if one < "\x80" and chance.random() < 0.4:
            escaped = f"\\u{ord(one):04{chance.choice('xX')}}"
        parts.append(escaped if chance.random() < 0.5 or one in '"\\' else one)
    return f'"{"".join(parts)}"'


def _digits(value: float, chance: random.Random) -> str:
    plain = json.dumps(value)
    ways = [plain, plain]
    if "e" not in plain:
        ways += [f"{plain}0" if "." in plain else f"{plain}.0", f"{plain}e0", f"{plain}E+00"]
    if isinstance(value, int) or value == int(value):
        ways += [f"{int(value) * 10}e-1", str(int(value)) if value or plain[0] != "-" else "-0"]
    return chance.choice(ways)


def spellings(value: Any, chance: random.Random) -> list[str]:
    """A value as compact, spaced and freely spelled text."""
    return [
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        json.dumps(value),
        respell(value, chance),
    ]


def instances(schema: Any) -> st.SearchStrategy[Any]:
    """Values near a schema."""
    return st.randoms(use_true_random=False).map(lambda chance: make_instance(chance, schema))
