"""Whether the branches of a ``oneOf`` exclude each other, as far as types, constants and discriminators tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from maskwright.dialects.constants import constants_of, json_key
from maskwright.dialects.intake import Taken
from maskwright.schema.document import exact_number, is_number, json_type
from maskwright.schema.references import Subschema

__all__ = ["ALL_KINDS", "KINDS", "are_disjoint", "kind_of"]

#: The JSON types as sets that are disjoint: ``number`` is integers and fractions.
KINDS: Final[dict[str, frozenset[str]]] = {
    "null": frozenset({"null"}),
    "boolean": frozenset({"boolean"}),
    "integer": frozenset({"integer"}),
    "number": frozenset({"integer", "fraction"}),
    "string": frozenset({"string"}),
    "array": frozenset({"array"}),
    "object": frozenset({"object"}),
}
ALL_KINDS: Final = frozenset().union(*KINDS.values())
#: Branches beyond which pairs are not compared (124,750 pairs).
_BRANCHES: Final = 500

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is easily seen of a branch: every value that it accepts is of these kinds, and among the constants."""

    kinds: frozenset[str]
    constants: frozenset[Key] | None
    #: Required key -> the constants that are possible under it.
    keys: dict[str, frozenset[Key]]


def kind_of(value: object) -> str:
    """The kind of a JSON value."""
    if is_number(value):
        return "integer" if exact_number(value).denominator == 1 else "fraction"
    return json_type(value)


def are_disjoint(branches: Sequence[Subschema], taken: Taken) -> bool:
    """Whether no value can be valid for two branches; ``False`` where that is not easily seen."""
    if len(branches) > _BRANCHES:
        return False
    facts = [_facts(branch, taken) for branch in branches]
    return all(_exclude(one, other) for one, other in combinations(facts, 2))


def _exclude(one: _Facts, other: _Facts) -> bool:
    if one.kinds.isdisjoint(other.kinds):
        return True
    if one.constants is not None and other.constants is not None:
        return one.constants.isdisjoint(other.constants)
    if one.kinds == other.kinds == {"object"}:
        return any(name in other.keys and one.keys[name].isdisjoint(other.keys[name]) for name in one.keys)
    return False


def _facts(here: Subschema, taken: Taken) -> _Facts:
    here = _resolved(here, taken)
    schema = here.value
    if schema is False:
        return _Facts(frozenset(), frozenset(), {})
    if schema is True:
        return _Facts(ALL_KINDS, None, {})
    given = schema.get("type")
    names = [given] if isinstance(given, str) else given
    kinds = ALL_KINDS if names is None else frozenset().union(*(KINDS[name] for name in names))
    values = constants_of(schema)
    if values is not None:
        values = [value for value in values if kind_of(value) in kinds]
        kinds = frozenset(map(kind_of, values))
    keys = {}
    for name in schema.get("required", ()):
        below = schema.get("properties", {}).get(name)
        if isinstance(below, dict):
            inner = constants_of(_resolved(taken.document.child(here, below, "properties", name), taken).value)
            if inner is not None:
                keys[name] = frozenset(map(json_key, inner))
    return _Facts(kinds, None if values is None else frozenset(map(json_key, values)), keys)


def _resolved(here: Subschema, taken: Taken) -> Subschema:
    """What a reference that stands alone leads to."""
    seen: set[Subschema] = set()
    while here not in seen and isinstance(here.value, dict) and set(here.value) == {"$ref"}:
        seen.add(here)
        found = taken.targets.get(here)
        if found is None:
            return here
        here = found
    return here
