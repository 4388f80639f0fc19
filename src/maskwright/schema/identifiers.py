"""Where the schemas inside a schema stand, and the URIs that they give themselves (RFC 3986).

Identifiers count only where a schema stands: not inside constants, and not below keywords that no draft knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urldefrag, urljoin, urlsplit, uses_relative

from maskwright.errors import Problem, SchemaError
from maskwright.schema.drafts import Draft

__all__ = ["children", "identifier", "is_below", "joined", "list_index"]

_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies")
_SINGLES: Final = (
    "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip
_HOLD_ONE: Final = frozenset(_SINGLES)
_HOLD_MANY: Final = frozenset({*_LISTS, *_MAPS, "items"})
#: Digits of an index that can exist.
_INDEX_DIGITS: Final = 18


def identifier(value: dict[str, Any], draft: Draft) -> str | None:
    """The identifier of a schema; up to draft 7 one beside ``$ref`` is ignored, as is any other sibling."""
    given = value.get(draft.identifier)
    if not isinstance(given, str) or (draft.lone_reference and isinstance(value.get("$ref"), str)):
        return None
    return given


def joined(base: str, reference: str, place: str, keyword: str) -> str:
    """The absolute URI of a reference, without its fragment.

    Raises :class:`maskwright.errors.SchemaError` for what no URI can look like.
    """
    try:
        if not reference or reference.startswith("#"):
            return base
        scheme, colon, rest = base.partition("://")
        if not colon or scheme in uses_relative or urlsplit(reference).scheme:
            return urldefrag(urljoin(base, reference))[0]
        # The standard library joins relative references only below the schemes that it knows.
        return scheme + urldefrag(urljoin(f"http://{rest}", reference))[0].removeprefix("http")
    except ValueError as error:
        raise SchemaError(Problem(f"`{keyword}` is no URI: {reference!r} ({error})", place, keyword)) from error


def children(value: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every subschema one level below, whether or not the draft applies it."""
    for name in _SINGLES:
        if name in value:
            yield (name,), value[name]
    for name in _MAPS:
        below = value.get(name)
        if isinstance(below, dict):
            yield from (((name, key), schema) for key, schema in below.items())
    for name in (*_LISTS, "items"):
        below = value.get(name)
        if isinstance(below, list):
            yield from (((name, index), schema) for index, schema in enumerate(below))


def is_below(tokens: tuple[str | int, ...]) -> bool:
    """Whether these steps down from a schema lead to a schema."""
    if len(tokens) == 1:
        return tokens[0] in _HOLD_ONE
    return len(tokens) == 2 and tokens[0] in _HOLD_MANY


def list_index(step: str) -> int | None:
    """The index that a step of a JSON pointer names (RFC 6901: digits without leading zeros)."""
    if not step.isascii() or not step.isdecimal() or len(step) > _INDEX_DIGITS:
        return None
    return int(step) if step == "0" or step[0] != "0" else None
