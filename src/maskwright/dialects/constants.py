"""Constants in schemas: equality as JSON defines it, and the values that ``enum`` and ``const`` name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from maskwright.schema.document import exact_number, is_number

__all__ = ["constants_of", "json_equal", "json_key", "unique"]


def json_key(value: Any) -> tuple[Any, ...]:
    """A hashable key that equal JSON values share: 1 and 1.0, objects in any order of keys. Iterative."""
    tokens: list[Any] = []
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, _Mark):
            tokens.append(part.key)
        elif isinstance(part, dict):
            tokens.append(("object", len(part)))
            for name in sorted(part, reverse=True):
                todo += [part[name], _Mark(("key", name))]
        elif isinstance(part, list):
            tokens.append(("array", len(part)))
            todo += reversed(part)
        elif is_number(part):
            tokens.append(("number", exact_number(part)))
        else:
            tokens.append((type(part).__name__, part))
    return tuple(tokens)


class _Mark:
    """A token among the values that are still to be read."""

    __slots__ = ("key",)

    def __init__(self, key: tuple[str, str]) -> None:
        self.key = key


def json_equal(left: Any, right: Any) -> bool:
    """Equality of JSON values."""
    return json_key(left) == json_key(right)


def unique(values: Iterable[Any]) -> list[Any]:
    """The values without repetitions, in their order."""
    found: dict[tuple[Any, ...], Any] = {}
    for value in values:
        found.setdefault(json_key(value), value)
    return list(found.values())


def constants_of(schema: Any) -> list[Any] | None:
    """The values that a schema's ``const`` or ``enum`` names; ``None`` if it has neither."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None
