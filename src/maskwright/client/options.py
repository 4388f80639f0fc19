"""What can be said about one question, beyond what is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypedDict

from maskwright.client.connection import checked_seconds
from maskwright.client.spending import Budget
from maskwright.errors import PolicyError, excerpt

__all__ = ["Options", "checked_options"]


class Options(TypedDict, total=False):
    """Keyword arguments of every question; what is not given is left to the API, or to the client.

    Attributes:
        max_tokens: Most tokens of the answer.
        temperature: From 0 (always the likeliest token) to 2; what the API takes by itself is 1 almost
            everywhere.
        top_p: Draw from the likeliest tokens that have this probability together, from 0 to 1.
        seed: Equal seeds give equal answers, where the API can do that.
        stop: Texts that end the answer; only without a constraint.
        budget: What the answer may cost, in place of the client's budget.
        timeout: Seconds that the server may be silent, in place of the client's.
        schema_in_prompt: Whether the schema is shown to the model in the prompt; ``"auto"``: where the API does
            not show it by itself.
        prefer: Who enforces: the API (``native``), this side (``loop``), or what there is (``auto``).
        may_degrade: Whether, where all else fails, a step or the end of the answer may be chosen for the model,
            and be reported.
        attempts: How often an answer that a validator in Python refuses is asked for, each time with the
            reason; 1 by default.
        system: The system message of a chat.
        model: Another model than the client's.
        extra: Further fields of the request's body, as they are.
    """

    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    stop: str | Iterable[str] | None
    budget: Budget | None
    timeout: float | None
    schema_in_prompt: bool | Literal["auto"]
    prefer: Literal["auto", "native", "loop"]
    may_degrade: bool | None
    attempts: int
    system: str | None
    model: str | None
    extra: Mapping[str, Any]


def checked_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that say something, after a check; ``stop`` is a tuple.

    Raises:
        PolicyError: an option is unknown, or has no meaning.
    """
    unknown = sorted(set(given) - set(_CHECKS))
    if unknown:
        raise PolicyError(f"unknown option {', '.join(unknown)}; options are {', '.join(sorted(_CHECKS))}")
    return {name: _CHECKS[name](name, value) for name, value in given.items() if value is not None}


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise PolicyError(f"{name} is a whole number, not {excerpt(value)}")
    return value


def _count(name: str, value: object) -> int:
    if _whole(name, value) < 1:
        raise PolicyError(f"{name} is at least 1, not {excerpt(value)}")
    return _whole(name, value)


def _number(high: float, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= high:
        raise PolicyError(f"{name} is a number from 0 to {high:g}, not {excerpt(value)}")
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise PolicyError(f"{name} is a text, not {excerpt(value)}")
    return value


def _texts(name: str, value: object) -> tuple[str, ...]:
    given = (value,) if isinstance(value, str) else value if isinstance(value, Sequence) else (None,)
    found = tuple(text for text in given if isinstance(text, str) and text)
    if len(found) != len(given):
        raise PolicyError(f"{name} is a text or a list of texts that are not empty, not {excerpt(value)}")
    return found


def _budget(name: str, value: object) -> Budget:
    if not isinstance(value, Budget):
        raise PolicyError(f"{name} is a Budget, not {excerpt(value)}")
    return value


def _fields(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise PolicyError(f"{name} is fields of the request and their values, not {excerpt(value)}")
    return dict(value)


def _one_of(values: tuple[object, ...], name: str, value: object) -> object:
    if value not in values or isinstance(value, (int, float)) is not isinstance(value, bool):
        raise PolicyError(f"{name} is one of {', '.join(map(str, values))}, not {excerpt(value)}")
    return value


#: Option to what checks it, given its name and value.
_CHECKS: Final[dict[str, Callable[[str, Any], object]]] = {
    "max_tokens": _count,
    "temperature": partial(_number, 2.0),
    "top_p": partial(_number, 1.0),
    "seed": _whole,
    "stop": _texts,
    "budget": _budget,
    "timeout": checked_seconds,
    "schema_in_prompt": partial(_one_of, (True, False, "auto")),
    "prefer": partial(_one_of, ("auto", "native", "loop")),
    "may_degrade": partial(_one_of, (True, False)),
    "attempts": _count,
    "system": _text,
    "model": _text,
    "extra": _fields,
}
