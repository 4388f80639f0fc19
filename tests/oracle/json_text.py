"""JSON texts for the tests: parsed strictly, spelled with every digit of their source, judged by ``jsonschema``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import jsonschema
from jsonschema.validators import validator_for

__all__ = ["Number", "accepts", "parse", "parse_strictly", "spell", "spellings"]

_SURROGATE = re.compile("[\ud800-\udfff]")


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


def parse(text: str) -> Any:
    """The value of a JSON text, its numbers as :class:`Number`."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def spell(value: Any, *, blank: str = "") -> str:
    """A text of a value, with ``blank`` after every comma and colon; numbers as they were written."""
    match value:
        case Number():
            return str(value)
        case dict():
            members = [f"{json.dumps(k, ensure_ascii=False)}:{blank}{spell(v, blank=blank)}" for k, v in value.items()]
            return "{" + f",{blank}".join(members) + "}"
        case list():
            return "[" + f",{blank}".join([spell(item, blank=blank) for item in value]) + "]"
    return json.dumps(value, ensure_ascii=False)


def spellings(value: Any) -> list[str]:
    """Four texts of one value: compact, spaced, with keys turned round, with every character escaped."""
    return [spell(value), spell(value, blank=" "), spell(_turned(value)), _escaped(value)]


def _turned(value: Any) -> Any:
    match value:
        case dict():
            return {key: _turned(below) for key, below in reversed(value.items())}
        case list():
            return [_turned(item) for item in value]
    return value


def _escaped(value: Any) -> str:
    r"""Strings and keys wholly in ``\u`` escapes, characters beyond U+FFFF as pairs."""
    match value:
        case Number():
            return str(value)
        case str():
            units = value.encode("utf-16-be", "surrogatepass").hex()
            return '"' + "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) + '"'
        case dict():
            return "{" + ",".join(f"{_escaped(key)}:{_escaped(below)}" for key, below in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_escaped, value)) + "]"
    return json.dumps(value)


def parse_strictly(text: bytes) -> Any:
    """The value of a text that is JSON by RFC 8259, has no key twice in an object, and no lone surrogate.

    Raises:
        ValueError: it is not.
    """
    value = json.loads(
        text.decode(),
        parse_float=Decimal,
        parse_constant=_refuse,
        object_pairs_hook=_distinct,
    )
    for string in _strings(value):
        if _SURROGATE.search(string):
            raise ValueError(f"a lone surrogate: {string!r}")
    return value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"a key occurs twice: {[key for key, _ in pairs]}")
    return members


def _strings(value: Any) -> list[str]:
    found: list[str] = []
    todo = [value]
    while todo:
        at = todo.pop()
        if isinstance(at, str):
            found.append(at)
        elif isinstance(at, list):
            todo.extend(at)
        elif isinstance(at, dict):
            todo.extend((*at.keys(), *at.values()))
    return found


@cache
def _numbers(*, whole: bool) -> jsonschema.TypeChecker:
    """Decimals are numbers, and integers if they are whole, but not in draft 4."""
    checker: jsonschema.TypeChecker = jsonschema.Draft202012Validator.TYPE_CHECKER
    return checker.redefine_many(
        {
            "number": lambda _, value: isinstance(value, int | Decimal) and not isinstance(value, bool),
            "integer": lambda _, value: (
                (isinstance(value, int) and not isinstance(value, bool))
                or (whole and isinstance(value, Decimal) and value == value.to_integral_value())
            ),
        }
    )


#: ECMA-262 classes in the words of Python's ``re``, outside and inside of brackets.
_CLASSES = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": "\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff",
}


def _ecma(pattern: str) -> str:
    """A pattern of ECMA-262 for Python's ``re``: other classes, another dot, an end that is the end."""
    out: list[str] = []
    inside, at = False, 0
    while at < len(pattern):
        one = pattern[at]
        if one == "\\":
            letter = pattern[at + 1 : at + 2]
            if letter.lower() in _CLASSES and (letter.islower() or not inside):
                members = _CLASSES[letter.lower()]
                out.append(members if inside else f"[{'' if letter.islower() else '^'}{members}]")
            else:
                out.append(
                    one + letter if letter == "/" or not letter.isalpha() or letter in "bBfnrtvxuDWS" else letter
                )
            at += 2
            continue
        inside = one == "[" or (inside and one != "]")
        out.append({"$": r"\Z", ".": "[^\\n\\r\\u2028\\u2029]"}.get(one, one) if not inside else one)
        at += 1
    return "".join(out)


@cache
def search(pattern: str) -> Callable[[str], Any]:
    """The search of a pattern of ECMA-262."""
    return re.compile(_ecma(pattern)).search


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Any:
    if isinstance(value, str) and not search(pattern)(value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], value: Any, _: Any) -> Any:
    for pattern, schema in patterns.items() if isinstance(value, dict) else ():
        for key, member in value.items():
            if search(pattern)(key):
                yield from validator.descend(member, schema, path=key, schema_path=pattern)


def _multiple(_: Any, factor: Any, value: Any, __: Any) -> Any:
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and Decimal(value) % Decimal(str(factor)):
        yield jsonschema.ValidationError(f"{value} is no multiple of {factor}")


def accepts(schema: Any, *, default: Any = jsonschema.Draft202012Validator) -> Callable[[Any], bool]:
    """What ``jsonschema`` says of values, formats included; numbers exact, whatever their size."""
    kind = validator_for(schema, default=default)
    keywords = {"multipleOf": _multiple, "pattern": _pattern, "patternProperties": _pattern_properties}
    numbers = _numbers(whole=kind is not jsonschema.Draft4Validator)
    extended = jsonschema.validators.extend(kind, keywords, type_checker=numbers)
    if isinstance(schema, dict):
        # Where a reference meets ``$schema`` again, jsonschema goes on with its own class instead of this one.
        schema = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
    validator = extended(schema, format_checker=kind.FORMAT_CHECKER)
    return lambda value: bool(validator.is_valid(value))
