"""Misspelt keywords of a schema: unknown names that are nearly the name of a keyword.

JSON Schema lets unknown keywords stand, so a constraint says nothing about ``requred``. Who checks a schema wants to
know.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Final

from maskwright.errors import Problem
from maskwright.limits import DEFAULT_LIMITS
from maskwright.schema.document import read_json
from maskwright.schema.drafts import DRAFTS, Keyword

__all__ = ["find_misspelt"]

_ANNOTATIONS: Final = (
    "$anchor", "$comment", "$defs", "$id", "$schema", "$vocabulary", "contentEncoding", "contentMediaType",
    "contentSchema", "default", "definitions", "deprecated", "description", "example", "examples", "id", "name",
    "nullable", "readOnly", "title", "writeOnly",
)  # fmt: skip
_KEYWORDS: Final[dict[str, Keyword]] = {
    name: keyword for draft in DRAFTS.values() for name, keyword in draft.keywords.items()
}
_KNOWN: Final = sorted({*_KEYWORDS, *_ANNOTATIONS})
#: Likeness above which a name is taken for a keyword with a slip in it.
_LIKENESS: Final = 0.8


def find_misspelt(data: str | bytes) -> list[Problem]:
    """One problem for each unknown name that is nearly a keyword, by place. Iterative."""
    found: list[Problem] = []
    todo: list[tuple[str, Any]] = [("#", read_json(data, DEFAULT_LIMITS))]
    while todo:
        place, schema = todo.pop()
        if not isinstance(schema, dict):
            continue
        for name, value in schema.items():
            keyword = f"{place}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in ("$defs", "definitions") or name in _KEYWORDS:
                todo.extend(_below(name, keyword, value))
            elif name not in _KNOWN:
                meant = get_close_matches(name, _KNOWN, 1, _LIKENESS)
                if meant:
                    reason = f"`{name}` is no keyword, so it says nothing"
                    found.append(Problem(reason, place=keyword, keyword=name, remedy=f"did you mean `{meant[0]}`?"))
    return sorted(found, key=lambda problem: problem.place)


def _below(name: str, place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The subschemas of a keyword."""
    holds = "map" if name in ("$defs", "definitions") else _KEYWORDS[name].holds
    if holds in ("map", "dependencies") and isinstance(value, dict):
        yield from ((f"{place}/{key}", below) for key, below in value.items())
    elif holds in ("list", "either") and isinstance(value, list):
        yield from ((f"{place}/{index}", below) for index, below in enumerate(value))
    elif holds in ("schema", "either"):
        yield place, value
