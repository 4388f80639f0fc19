"""Bodies of requests: JSON text to values that nothing behind this file has to be afraid of."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from maskwright.errors import RequestError, excerpt
from maskwright.wire.refusals import invalid

__all__ = ["check_values", "read_body"]

#: Arrays and objects within each other. Tools with deep schemas reach 40; Python's own parser gives up near 1,000.
_DEPTH: Final = 400
#: Bits of the longest integer that Python writes as decimal digits (4,300 of them) without being told to.
_BITS: Final = 14_280
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MESSAGE: Final = "the body is not JSON"


def read_body(body: bytes) -> Any:
    """The value of a body.

    Raises:
        RequestError: it is not UTF-8, not JSON (``NaN`` and ``Infinity`` are none), or :func:`check_values` refuses it.
    """
    try:
        data = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise invalid("", f"the body is not UTF-8 at byte {error.start}", code="invalid_json") from error
    except json.JSONDecodeError as error:
        reason = f"{_MESSAGE}: {error.msg} at line {error.lineno}, column {error.colno}"
        raise invalid("", reason, code="invalid_json") from error
    except RecursionError as error:
        raise _too_deep("") from error
    except ValueError as error:
        raise invalid("", f"{_MESSAGE}: a number has too many digits", code="invalid_json") from error
    check_values(data)
    return data


def _refuse_constant(name: str) -> object:
    raise invalid("", f"{_MESSAGE}: {name} is not a number there", code="invalid_json")


def _too_deep(param: str) -> RequestError:
    return invalid(param, f"arrays and objects nest deeper than {_DEPTH} levels")


def check_values(data: object) -> None:
    """Refuse what is no JSON value, or one that cannot be written again.

    That is: numbers that are not finite or have more than 4,300 digits, lone surrogates in texts and names, nesting of
    more than 400 levels. Each value is looked at once; nothing recurses.
    """
    todo: list[tuple[object, str, int]] = [(data, "", 0)]
    while todo:
        value, path, depth = todo.pop()
        if depth > _DEPTH:
            raise _too_deep(_root(path))
        if isinstance(value, dict):
            for name, below in value.items():
                _check_text(name, path)
                todo.append((below, f"{path}.{name}" if path and depth < 4 else path or name, depth + 1))
        elif isinstance(value, list):
            todo.extend((below, f"{path}[{i}]" if depth < 4 else path, depth + 1) for i, below in enumerate(value))
        else:
            _check_leaf(value, path)


def _root(path: str) -> str:
    """The field of the request that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _check_leaf(value: object, path: str) -> None:
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise invalid(path, f"{value} is not a JSON number")
    elif isinstance(value, int):
        if value.bit_length() > _BITS:
            raise invalid(path, "a number has too many digits")
    elif value is not None:
        raise invalid(path, f"{excerpt(type(value).__name__)} is not a JSON value", code="invalid_type")


def _check_text(text: object, path: str) -> None:
    if not isinstance(text, str):
        raise invalid(path, f"a name of a member is a string, not {excerpt(text)}", code="invalid_type")
    found = _SURROGATE.search(text)
    if found is not None:
        raise invalid(path, f"half a surrogate pair at character {found.start()}: UTF-8 cannot carry it")
