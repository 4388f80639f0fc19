"""Whether two subschemas say the same, as far as that shows from their text.

Branches of ``oneOf`` repeat the same few members again and again. Where a value must meet one copy and violate another,
nothing is left, and it is found here by comparing, long before a search would find it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from maskwright.schema.references import Subschema

__all__ = ["content_of"]

#: Keywords that assert nothing.
_SILENT: Final = frozenset(
    {"title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"}
)
#: Nesting up to which texts are compared.
_DEEPEST: Final = 4
#: Keywords whose meaning hangs on where they stand.
_LOCAL: Final = frozenset({"$id", "id", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$schema"})
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
)
_VALUES: Final = frozenset({"enum", "const"})
_Content = Hashable


def content_of(subschema: Subschema) -> _Content:
    """A value that subschemas share only if they admit the same values; the subschema itself if that does not show."""
    found = _schema(subschema.value, 0)
    return subschema if found is None else (id(subschema.resource), found)


def _schema(value: Any, depth: int) -> _Content | None:
    """A hashable copy of a schema, or of a list of schemas, without what is silent; ``None`` for what is too deep."""
    if type(value) is not dict:
        return _list(value, depth) if type(value) is list else (type(value), value)
    if depth == _DEEPEST or not _LOCAL.isdisjoint(value):
        return None
    pairs = []
    for name, below in value.items():
        if name in _SILENT:
            continue
        if name in _MAPS and type(below) is dict:
            members = [(key, _schema(one, depth + 1)) for key, one in below.items()]
            drawn: _Content | None = None if None in [one for _, one in members] else tuple(members)
        elif name in _VALUES:
            drawn = _constant(below)
        else:
            drawn = _schema(below, depth + 1)
        if drawn is None:
            return None
        pairs.append((name, drawn))
    return tuple(pairs)


def _list(value: list[Any], depth: int) -> _Content | None:
    parts = tuple([_schema(one, depth + 1) for one in value])
    return None if None in parts else parts


def _constant(value: Any) -> _Content | None:
    """Scalars and lists of scalars."""
    listed = value if type(value) is list else [value]
    if any(type(one) in (dict, list) for one in listed):
        return None
    return (type(value) is list, *((type(one), one) for one in listed))
