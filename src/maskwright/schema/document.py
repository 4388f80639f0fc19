"""JSON text to values, with exact numbers and without recursion that a stranger controls (RFC 8259)."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import accumulate
from typing import Final, cast

from maskwright.errors import LimitError, Problem, SchemaError, excerpt
from maskwright.limits import Limits

__all__ = [
    "EXPONENT_LIMIT",
    "equal_key",
    "exact_number",
    "is_number",
    "is_writable",
    "json_kind",
    "json_type",
    "read_json",
    "read_value",
    "shown",
]

_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_NO_BRACKETS: Final = re.compile(r"[^\[\]{}]+")
#: Largest exponent of a number in a schema: 1e10000 written out is 10 kB, 1e999999999 would be a gigabyte.
EXPONENT_LIMIT: Final = 10_000


def _refuse_constant(name: str) -> object:
    raise SchemaError(Problem(f"{name} is not a JSON number", remedy="write a number of RFC 8259"))


def _read_decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise LimitError(Problem(f"the exponent of {text[:40]} is beyond {EXPONENT_LIMIT}")) from error


_decoder: Final = json.JSONDecoder(parse_float=_read_decimal, parse_constant=_refuse_constant)


def _depth_problem(limits: Limits) -> LimitError:
    return LimitError(
        Problem(
            "the schema nests too deeply", remedy=f"Limits.schema_depth is {limits.schema_depth}; flatten it with $ref"
        )
    )


def _guard_depth(text: str, limits: Limits) -> None:
    """Refuse deep nesting before the recursive parser of the standard library meets it."""
    if text.count("[") + text.count("{") <= limits.schema_depth:
        return
    marks = _NO_BRACKETS.sub("", _STRING.sub("", text))
    if max(accumulate(1 if mark in "[{" else -1 for mark in marks), default=0) > limits.schema_depth:
        raise _depth_problem(limits)


def read_json(source: str | bytes, limits: Limits) -> object:
    """The value of a JSON text; numbers with a fraction or exponent become ``Decimal``.

    Of duplicate keys the last one counts. Raises :class:`maskwright.errors.SchemaError` for text that is not JSON and
    :class:`maskwright.errors.LimitError` beyond ``source_bytes`` and ``schema_depth``.
    """
    if len(source) > limits.source_bytes:
        raise LimitError(
            Problem(f"the schema is longer than {limits.source_bytes} bytes", remedy="see Limits.source_bytes")
        )
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source.removeprefix("\ufeff")
        _guard_depth(text, limits)
        return _decoder.decode(text)
    except UnicodeDecodeError as error:
        raise SchemaError(Problem(f"the schema is not UTF-8: {error.reason} at byte {error.start}")) from error
    except json.JSONDecodeError as error:
        place = f"{error.lineno}:{error.colno}"
        raise SchemaError(Problem(f"the schema is not JSON: {error.msg}", place=place)) from error
    except RecursionError as error:
        reason = "the text of the schema nests deeper than Python's parser reads"
        raise LimitError(Problem(reason, remedy="pass the parsed value, or flatten it with $ref")) from error
    except ValueError as error:
        raise LimitError(Problem(f"a number of the schema is too long: {error}")) from error


_value_decoder: Final = json.JSONDecoder(parse_float=_read_decimal, parse_int=_read_decimal)


def read_value(text: str) -> object:
    """A JSON value that was written, with all numbers as ``Decimal``, so that equal ones look alike.

    Raises :class:`maskwright.errors.LimitError` for a value that nests too deeply to be compared.
    """
    try:
        return _value_decoder.decode(text)
    except RecursionError as error:
        raise LimitError(Problem("an element nests too deeply to be compared", keyword="uniqueItems")) from error


def equal_key(value: object) -> str:
    """A text that two values of :func:`read_value` share if and only if they are equal JSON (1 is 1.0)."""
    try:
        return json.dumps(value, sort_keys=True, default=_number_key)
    except RecursionError as error:
        raise LimitError(Problem("an element nests too deeply to be compared", keyword="uniqueItems")) from error


def _decimal(number: Fraction) -> Decimal:
    """A fraction that a decimal can write, exactly."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    digits = tuple(map(int, format(Decimal(abs(int(number * 10**places))), "f")))
    return Decimal((int(number < 0), digits, -places))


def _number_key(number: object) -> list[object]:
    """Sign, digits without trailing zeros, exponent: a number of a thousand digits is not multiplied out."""
    decimal = _decimal(number) if isinstance(number, Fraction) else cast("Decimal", number)
    sign, digits, exponent = decimal.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    bare = text.rstrip("0")
    return ["\0", sign, bare, int(exponent) + len(text) - len(bare)] if bare else ["\0"]


def is_number(value: object) -> bool:
    """Whether a value is a JSON number (``True`` is none)."""
    return isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool)


def exact_number(value: object, place: str = "") -> Fraction:
    """The number exactly as written; a ``float`` counts as its shortest decimal spelling.

    Raises :class:`maskwright.errors.SchemaError` for NaN and infinities, :class:`maskwright.errors.LimitError` for
    exponents beyond 10,000.
    """
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    number = Decimal(repr(value)) if isinstance(value, float) else value
    if not isinstance(number, Decimal) or not number.is_finite():
        raise SchemaError(Problem(f"{excerpt(value)} is not a JSON number", place=place))
    if number and abs(number.adjusted()) > EXPONENT_LIMIT:
        raise LimitError(Problem(f"the exponent of {value} is beyond {EXPONENT_LIMIT}", place=place))
    return Fraction(number)


def is_writable(text: str) -> bool:
    """Whether a string can be written as UTF-8 and with paired escapes: it holds no lone surrogate."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


_TYPES: Final = {type(None): "null", bool: "boolean", str: "string", list: "array", dict: "object"}
_ARTICLES: Final = {"null": "null", "array": "an array", "object": "an object"}
#: Characters and elements of a value that are shown.
_SHOWN: Final = 60
_SHOWN_ELEMENTS: Final = 8


def json_type(value: object) -> str:
    """The JSON type of a value; ``""`` for what is no JSON."""
    return "number" if is_number(value) else _TYPES.get(type(value), "")


def json_kind(value: object) -> str:
    """The JSON type of a value in words; for other values the Python type."""
    kind = json_type(value)
    return _ARTICLES.get(kind, f"a {kind}") if kind else f"a Python {type(value).__name__}"


def shown(value: object) -> str:
    """A value as JSON if it is short, its type in words otherwise."""
    parts = value if isinstance(value, list) else [value]
    if len(parts) > _SHOWN_ELEMENTS or any(json_type(part) in {"", "array", "object"} for part in parts):
        return json_kind(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # whole numbers of more than 4,300 digits
        return json_kind(value)
    return text if len(text) <= _SHOWN else json_kind(value)
