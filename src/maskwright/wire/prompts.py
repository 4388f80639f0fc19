"""The field ``prompt`` in its four forms."""

from __future__ import annotations

from typing import Any, Final

from maskwright.wire.kinds import Kind, integer, wrong_type
from maskwright.wire.refusals import invalid

__all__ = ["PROMPT"]

#: Prompts of one request.
_PROMPTS: Final = 128
#: The largest id that an array of 32-bit integers holds.
_LAST_ID: Final = 2**31 - 1
_ID: Final = integer(0, _LAST_ID)
_FORMS: Final = "a string, a list of strings, a list of token ids, or a list of such lists"


def _prompt(value: Any, param: str) -> tuple[str | tuple[int, ...], ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise wrong_type(param, _FORMS, value)
    if not value:
        raise invalid(param, "the list is empty; an empty prompt is an empty string")
    if not isinstance(value[0], (str, list)):
        return (_ids(value, param),)
    if len(value) > _PROMPTS:
        raise invalid(param, f"there are at most {_PROMPTS} prompts, not {len(value)}")
    return tuple(_one(one, f"{param}[{i}]", type(value[0])) for i, one in enumerate(value))


def _one(value: Any, param: str, form: type[Any]) -> str | tuple[int, ...]:
    if not isinstance(value, form):
        raise invalid(param, f"the list is mixed: {_FORMS} are taken", code="invalid_type")
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        raise invalid(param, "the list is empty; an empty prompt is an empty string")
    return _ids(value, param)


def _ids(value: list[Any], param: str) -> tuple[int, ...]:
    # All at once if nothing is wrong: 22 ms for 130,000 ids instead of 110.
    if all(type(one) is int and 0 <= one <= _LAST_ID for one in value):
        return tuple(value)
    return tuple(_ID.read(one, f"{param}[{i}]") for i, one in enumerate(value))


def _schema() -> dict[str, Any]:
    ids = {"type": "array", "minItems": 1, "items": dict(_ID.schema)}
    texts = {"type": "array", "minItems": 1, "maxItems": _PROMPTS, "items": {"type": "string"}}
    lists = {"type": "array", "minItems": 1, "maxItems": _PROMPTS, "items": ids}
    return {"anyOf": [{"type": "string"}, texts, ids, lists]}


PROMPT: Final = Kind(_prompt, _schema(), "string, strings, token ids, or lists of token ids; up to 128 prompts")
