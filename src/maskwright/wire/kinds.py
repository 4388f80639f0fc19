"""Kinds of values: each reads a value, describes it as JSON Schema, and says in words what it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from maskwright.errors import excerpt
from maskwright.wire.refusals import invalid

__all__ = [
    "Kind",
    "anything",
    "boolean",
    "choice_of",
    "integer",
    "limit",
    "mapping",
    "number",
    "text",
    "wrong_type",
]

#: The largest integer that every JSON parser keeps exactly, RFC 8259, section 6.
_LARGEST: Final = 2**53 - 1


@dataclass(frozen=True)
class Kind:
    """One kind of value."""

    #: Takes a value that is not null, and the path to it; gives what the request holds. Raises ``RequestError``.
    read: Callable[[Any, str], Any]
    #: What is accepted, as JSON Schema 2020-12, without null.
    schema: Mapping[str, Any]
    #: The same for people.
    words: str


def wrong_type(param: str, wanted: str, value: object) -> Exception:
    """A value of another type than the field has."""
    return invalid(param, f"it is {wanted}, not {excerpt(value, 80)}", code="invalid_type")


def anything(words: str = "anything") -> Kind:
    """Any value, as it is."""
    return Kind(lambda value, _: value, {}, words)


def boolean() -> Kind:
    """``true`` or ``false``."""

    def read(value: Any, param: str) -> bool:
        if not isinstance(value, bool):
            raise wrong_type(param, "a boolean", value)
        return value

    return Kind(read, {"type": "boolean"}, "boolean")


def integer(least: int = 0, most: int = _LARGEST) -> Kind:
    """A whole number; ``1.0`` is one, as in JSON Schema."""
    bounds = f"an integer of at least {least}" if most == _LARGEST else f"an integer from {least} to {most}"

    def read(value: Any, param: str) -> int:
        whole = isinstance(value, (int, float)) and not isinstance(value, bool)
        whole = whole and (isinstance(value, int) or math.isfinite(value))  # of 10**400 it raises
        if not whole or value != int(value):
            raise wrong_type(param, bounds, value)
        if not least <= value <= most:
            raise invalid(param, f"it is {bounds}, not {excerpt(value)}")
        return int(value)

    return Kind(read, {"type": "integer", "minimum": least, "maximum": most}, bounds.removeprefix("an "))


def limit(least: int) -> Kind:
    """A number of tokens of at least ``least``, or -1 for no limit."""
    bounds = f"an integer of at least {least}, or -1 for no limit"
    whole = integer(least)

    def read(value: Any, param: str) -> int | None:
        if value == -1:
            return None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or (isinstance(value, float) and not value.is_integer()):
            raise wrong_type(param, bounds, value)
        if value < least:
            raise invalid(param, f"it is {bounds}, not {excerpt(value)}")
        found: int = whole.read(value, param)
        return found

    return Kind(read, {"anyOf": [{"const": -1}, dict(whole.schema)]}, bounds.removeprefix("an "))


def number(least: float, most: float) -> Kind:
    """A number from ``least`` to ``most``."""
    bounds = f"a number from {least:g} to {most:g}"

    def read(value: Any, param: str) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise wrong_type(param, bounds, value)
        # Not the other way round: a comparison with NaN is false.
        if not least <= value <= most:
            raise invalid(param, f"it is {bounds}, not {excerpt(value)}")
        return float(value)

    return Kind(read, {"type": "number", "minimum": least, "maximum": most}, bounds.removeprefix("a "))


def text(least: int = 0, most: int | None = None) -> Kind:
    """A string of at least ``least`` characters."""
    bounds = "a string" if least == 0 else "a string that is not empty"

    def read(value: Any, param: str) -> str:
        if not isinstance(value, str):
            raise wrong_type(param, bounds, value)
        if len(value) < least or (most is not None and len(value) > most):
            raise invalid(param, f"it is {bounds}" + ("" if most is None else f" of at most {most} characters"))
        return value

    schema: dict[str, Any] = {"type": "string"} | ({"minLength": least} if least else {})
    return Kind(read, schema | ({"maxLength": most} if most is not None else {}), bounds.removeprefix("a "))


def choice_of(*words: str) -> Kind:
    """One of some words."""
    listed = ", ".join(words)

    def read(value: Any, param: str) -> str:
        if not isinstance(value, str):
            raise wrong_type(param, f"one of {listed}", value)
        if value not in words:
            raise invalid(param, f"it is one of {listed}, not {excerpt(value, 80)}")
        return value

    return Kind(read, {"type": "string", "enum": list(words)}, " \\| ".join(f"`{word}`" for word in words))


def mapping(words: str, schema: Mapping[str, Any]) -> Kind:
    """An object; whoever asks for the field reads what is in it."""

    def read(value: Any, param: str) -> Any:
        if not isinstance(value, dict):
            raise wrong_type(param, "an object", value)
        return value

    return Kind(read, {"type": "object", **schema}, words)
