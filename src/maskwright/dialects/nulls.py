"""Whether ``null`` is valid for a schema, and schemas that allow it beside their own values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maskwright.dialects.constants import constants_of
from maskwright.dialects.gathering import Part
from maskwright.dialects.intake import Taken
from maskwright.dialects.steps import Steps
from maskwright.schema.references import Subschema

__all__ = ["admits_null", "says_null", "with_null"]

#: Combinator -> whether so many valid branches of so many are enough.
_COMBINATORS: Final[dict[str, Callable[[int, int], bool]]] = {
    "allOf": lambda count, all_: count == all_,
    "anyOf": lambda count, _: count > 0,
    "oneOf": lambda count, _: count == 1,
}
_ASIDE: Final = ("title", "description")


def admits_null(parts: tuple[Part, ...], taken: Taken) -> Steps[bool]:
    """Whether ``null`` is valid for all of some schemas."""
    for here, _ in parts:
        if not (yield _null_is_valid(here, taken, frozenset())):
            return False
    return True


def _null_is_valid(here: Subschema, taken: Taken, above: frozenset[Subschema]) -> Steps[bool]:
    """By the keywords that speak about null; a schema that applies to itself says nothing new the second time."""
    value = here.value
    if isinstance(value, bool) or here in above:
        return value is not False
    above |= {here}
    keywords = here.resource.draft.keywords
    if "$ref" in value:
        found = taken.targets.get(here)
        if found is not None and not (yield _null_is_valid(found, taken, above)):
            return False
        if here.resource.draft.lone_reference:
            return True
    if not _is_named(value):
        return False
    for name, is_enough in _COMBINATORS.items():
        if name in value and name in keywords:
            count = 0
            for index, one in enumerate(value[name]):
                count += yield _null_is_valid(taken.document.child(here, one, name, index), taken, above)
            if not is_enough(count, len(value[name])):
                return False
    if "not" in value and (yield _null_is_valid(taken.document.child(here, value["not"], "not"), taken, above)):
        return False
    if "if" in value and "if" in keywords:
        holds = yield _null_is_valid(taken.document.child(here, value["if"], "if"), taken, above)
        name = "then" if holds else "else"
        return name not in value or (yield _null_is_valid(taken.document.child(here, value[name], name), taken, above))
    return True


def _is_named(schema: dict[str, Any]) -> bool:
    """Whether the type and the constants of a schema include null."""
    kind, constants = schema.get("type", "null"), constants_of(schema)
    return (kind == "null" or (isinstance(kind, list) and "null" in kind)) and (constants is None or None in constants)


def says_null(schema: dict[str, Any]) -> bool:
    """Whether a rewritten schema allows null at its own level; references are not followed."""
    kind = schema.get("type", ())
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return "enum" not in schema or None in schema["enum"]
    return any(isinstance(branch, dict) and says_null(branch) for branch in schema.get("anyOf", ()))


def with_null(schema: dict[str, Any], *, lists: bool) -> dict[str, Any]:
    """A schema for the values of ``schema``, and null; ``lists``: a list of types may stand in ``type``."""
    if says_null(schema):
        return schema
    kind = schema.get("type")
    names = [kind] if isinstance(kind, str) else kind
    if lists and names and not {"array", "object"}.intersection(names):
        more = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return schema | {"type": [*names, "null"]} | more
    aside: dict[str, Any] = {name: schema[name] for name in _ASIDE if name in schema}
    rest = {name: value for name, value in schema.items() if name not in aside}
    branches = rest["anyOf"] if set(rest) == {"anyOf"} else [rest]
    return aside | {"anyOf": [*branches, {"type": "null"}]}
