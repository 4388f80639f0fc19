"""Places of problems inside a field of a request."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["line_of", "path_of"]

#: A line and a column of a text, behind the field that holds it.
_LINE: Final = re.compile(r"[0-9]+:[0-9]+$")
_STEP: Final = re.compile(r"/([^/]*)")
#: Members of a tool that are the request's own; what is below is a JSON Schema.
_OWN: Final = ("function", "parameters", "name", "type", "strict")


def line_of(place: str) -> str:
    """The line and column that a place ends with, ``3:7``; ``""`` for JSON pointers."""
    found = None if "#" in place else _LINE.search(place)
    return "" if found is None else found[0]


def path_of(param: str, place: str) -> str:
    """The path to a place of :class:`maskwright.errors.Problem` in a field.

    ``tools`` and ``#/0/function/parameters/properties/a`` give ``tools[0].function.parameters#/properties/a``:
    what is a schema has its own JSON pointer. Places that are no pointers into a list (``#/properties/a``, ``3:7``)
    are put behind the field.
    """
    if place.startswith(param):
        return place.removesuffix(line_of(place))
    if not place.startswith("#"):
        return param
    path, rest = param, place[1:]
    while rest:
        step = _STEP.match(rest)
        if step is None or not (step[1].isdigit() if path == param else step[1] in _OWN):
            break
        path += f"[{step[1]}]" if step[1].isdigit() else f".{step[1]}"
        rest = rest[step.end() :]
        if step[1] == "parameters":
            break
    return f"{path}#{rest}" if rest else path
