"""Values of requests: what passes here, nothing behind it has to be afraid of."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from maskwright.errors import RequestError, excerpt
from maskwright.wire.refusals import invalid

__all__ = ["check_values"]

#: Arrays and objects within each other. Tools with deep schemas reach 40; Python's own parser gives up near 1,000.
_DEPTH: Final = 400
#: Bits of the longest integer that Python writes as decimal digits (4,300 of them) without being told to.
_BITS: Final = 14_280
_SMALL: Final = 2**63
#: Characters of a path.
_LONGEST: Final = 200
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _too_deep(param: str) -> RequestError:
    return invalid(param, f"arrays and objects nest deeper than {_DEPTH} levels")


#: The steps to a value, the last one first: a name or an index, and the steps before it; None at the root.
_Steps = tuple[Any, "str | int"] | None


def check_values(data: object) -> None:
    """Refuse what is no JSON value, or one that cannot be written again.

    That is: numbers that are not finite or have more than 4,300 digits, lone surrogates in texts and names, nesting of
    more than 400 levels. Each value is looked at once, 130,000 token ids take 25 ms; nothing recurses.
    """
    todo: list[tuple[object, _Steps, int]] = [(data, None, 0)]
    while todo:
        value, steps, depth = todo.pop()
        if depth > _DEPTH:
            raise _too_deep(_root(_path(steps)))
        if isinstance(value, dict):
            for name, below in value.items():
                _check_text(name, steps)
                todo.append((below, (steps, name), depth + 1))
        elif isinstance(value, list):
            # Token ids, of which lists are long, are passed over at once.
            todo += [
                (below, (steps, i), depth + 1)
                for i, below in enumerate(value)
                if type(below) is not int or not -_SMALL <= below < _SMALL
            ]
        else:
            _check_leaf(value, steps)


def _path(steps: _Steps) -> str:
    """Steps as they stand in ``param``: ``messages[0].content``."""
    known: list[str] = []
    while steps is not None:
        steps, step = steps
        known.append(f"[{step}]" if isinstance(step, int) else f".{step}")
    return "".join(reversed(known)).removeprefix(".")[:_LONGEST]


def _root(path: str) -> str:
    """The field of the request that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _check_leaf(value: object, steps: _Steps) -> None:
    if isinstance(value, str):
        _check_text(value, steps)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise invalid(_path(steps), f"{value} is not a JSON number")
    elif isinstance(value, int):
        if value.bit_length() > _BITS:
            raise invalid(_path(steps), "a number has too many digits")
    elif value is not None:
        raise invalid(_path(steps), f"{excerpt(type(value).__name__)} is not a JSON value", code="invalid_type")


def _check_text(text: object, steps: _Steps) -> None:
    if not isinstance(text, str):
        raise invalid(_path(steps), f"a name of a member is a string, not {excerpt(text)}", code="invalid_type")
    if text.isascii():
        return
    found = _SURROGATE.search(text)
    if found is not None:
        reason = f"half a surrogate pair at character {found.start()}: UTF-8 cannot carry it"
        raise invalid(_path(steps), reason)
