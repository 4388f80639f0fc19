"""JSON values to compact text, of any depth and with every digit of a ``Decimal``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

__all__ = ["json_text"]

_END: Final = object()


def json_text(value: Any, indent: int = 0) -> str:
    """A value as JSON: on one line without blanks, or indented by so many blanks a level. Iterative."""
    pieces: list[str] = []
    open_: list[tuple[Iterator[Any], str]] = []
    item: Any = value
    while True:
        if isinstance(item, dict) and item:
            pieces.append("{")
            open_.append((iter(item.items()), "}"))
        elif isinstance(item, list) and item:
            pieces.append("[")
            open_.append((iter(item), "]"))
        else:
            pieces.append(_scalar(item))
        item = _END
        while open_ and item is _END:
            members, bracket = open_[-1]
            item = next(members, _END)
            break_ = "\n" + " " * (indent * len(open_)) if indent else ""
            if item is _END:
                open_.pop()
                pieces.append((break_[:-indent] if indent else "") + bracket)
            else:
                pieces.append(("" if pieces[-1] in "{[" else ",") + break_)
                if bracket == "}":
                    name, item = item
                    pieces.append(_scalar(name) + (": " if indent else ":"))
        if item is _END:
            return "".join(pieces)


def _scalar(value: Any) -> str:
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
