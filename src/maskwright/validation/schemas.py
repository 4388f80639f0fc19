"""The schemas that speak of a place in an instance, found by its pointer, for words only: none of them decides."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from maskwright.schema.references import Document, Subschema

__all__ = ["Schemas", "is_scoped", "knows", "may_remember"]

#: Schemas that are looked at for one place; more alternatives than a person wants to read.
_MOST: Final = 200
#: A reference to another document.
_REMOTE: Final = re.compile(r'[rR]ef"\s*:\s*"[^#"]')
_DYNAMIC: Final = ("$dynamicRef", "$recursiveRef")
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("then", "else")
_MAPS: Final = ("dependentSchemas", "dependencies")


def knows(schema: Subschema, keyword: str) -> bool:
    """Whether a schema has a keyword that its draft knows and that no ``$ref`` hides."""
    value, draft = schema.value, schema.resource.draft
    return (
        isinstance(value, dict)
        and keyword in value
        and keyword in draft.keywords
        and (keyword == "$ref" or not (draft.lone_reference and "$ref" in value))
    )


class Schemas:
    """Places of an instance to schemas of one document."""

    def __init__(self, document: Document, is_named: Callable[[Subschema, str, str], bool]) -> None:
        """``is_named`` tells whether a pattern of ``patternProperties`` (of that schema) finds a key."""
        self._document = document
        self._is_named = is_named

    def at(self, steps: Iterable[str | int]) -> list[Subschema]:
        """All schemas that may apply there, those of alternatives among them."""
        found = self._spread([self._document.root])
        for step in steps:
            found = self._spread(below for schema in found for below in self._below(schema, step))
        return found

    def spread(self, schema: Subschema, keyword: str) -> list[Subschema]:
        """The schemas of a keyword that holds one."""
        return self._spread([self._document.child(schema, schema.value[keyword], keyword)])

    def _spread(self, schemas: Iterable[Subschema]) -> list[Subschema]:
        """The same with all that applies in place; at most so many that a person may read of."""
        found: dict[Subschema, None] = {}
        stack = list(schemas)[::-1]
        while stack and len(found) < _MOST:
            here = stack.pop()
            if here not in found:
                found[here] = None
                stack.extend(list(self._in_place(here))[::-1])
        return list(found)

    def _in_place(self, schema: Subschema) -> Iterator[Subschema]:
        value, child = schema.value, self._document.child
        if knows(schema, "$ref"):
            yield self._document.resolve(schema, value["$ref"])
        for keyword in _DYNAMIC:
            if knows(schema, keyword):
                yield self._document.resolve(schema, value[keyword], keyword)
        for keyword in _LISTS:
            if knows(schema, keyword):
                yield from (child(schema, one, keyword, place) for place, one in enumerate(value[keyword]))
        for keyword in _SINGLE:
            if knows(schema, keyword):
                yield child(schema, value[keyword], keyword)
        for keyword in _MAPS:
            if knows(schema, keyword):
                pairs = value[keyword].items()
                yield from (child(schema, one, keyword, name) for name, one in pairs if isinstance(one, (dict, bool)))

    def _below(self, schema: Subschema, step: str | int) -> Iterator[Subschema]:
        yield from self._element(schema, step) if isinstance(step, int) else self._member(schema, step)

    def _member(self, schema: Subschema, name: str) -> Iterator[Subschema]:
        value, child = schema.value, self._document.child
        is_named = False
        if knows(schema, "properties") and name in value["properties"]:
            is_named = True
            yield child(schema, value["properties"][name], "properties", name)
        if knows(schema, "patternProperties"):
            for pattern, one in value["patternProperties"].items():
                if self._is_named(schema, pattern, name):
                    is_named = True
                    yield child(schema, one, "patternProperties", pattern)
        for keyword in () if is_named else ("additionalProperties", "unevaluatedProperties"):
            if knows(schema, keyword):
                yield child(schema, value[keyword], keyword)

    def _element(self, schema: Subschema, index: int) -> Iterator[Subschema]:
        value, child = schema.value, self._document.child
        items: Any = value.get("items") if knows(schema, "items") else None
        listed, keyword = (items, "items") if isinstance(items, list) else (None, "")
        if knows(schema, "prefixItems"):
            listed, keyword = value["prefixItems"], "prefixItems"
        if listed is not None and index < len(listed):
            yield child(schema, listed[index], keyword, index)
            return
        if items is not None and not isinstance(items, list):
            yield child(schema, items, "items")
        for rest in ("additionalItems",) if isinstance(items, list) else ("unevaluatedItems",):
            if knows(schema, rest):
                yield child(schema, value[rest], rest)


def text_of(schema: object) -> str | None:
    """A schema as text in which words can be looked for; ``None`` if it nests too deeply for that."""
    if isinstance(schema, bytes):
        return schema.decode(errors="replace")
    try:
        return schema if isinstance(schema, str) else json.dumps(schema, default=str)
    except RecursionError:
        return None


def may_remember(schema: object) -> bool:
    """Whether an element of an array may depend on those before it; in doubt, as with remote references, yes."""
    text = text_of(schema)
    return text is None or "uniqueItems" in text or "\\u" in text or _REMOTE.search(text) is not None


def is_scoped(schema: object) -> bool:
    """Whether what a reference means may depend on the way to it; in doubt, yes."""
    text = text_of(schema)
    return text is None or "ynamicRef" in text or "ecursiveRef" in text or _REMOTE.search(text) is not None
