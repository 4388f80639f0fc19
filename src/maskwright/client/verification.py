"""Whether a whole text is what its constraint asks for; and if it is so but for its spelling, the text that is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from maskwright.client.forms import WRAPPED, Forms, chosen_in
from maskwright.client.writing import byte_vocabulary, valid_prefix
from maskwright.constraint import Constraint
from maskwright.dialects import Rewriting
from maskwright.errors import MaskwrightError, PolicyError
from maskwright.guide import compile_guide
from maskwright.schema.layout import Whitespace
from maskwright.validation.validator import Validator

__all__ = ["Verdict", "matches", "refusal", "verify"]

#: Places in prose at which a JSON value is looked for.
_PLACES: Final = 8
_FENCE: Final = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_QUOTES: Final = "\"'`"
#: Nesting of values that are spelled anew; ``json`` reads no deeper by itself.
_DEEPEST: Final = 500


@dataclass(frozen=True)
class Verdict:
    """A text that meets the constraint, or why there is none."""

    text: str | None
    #: What was done to the text that came, in words; ``""`` if nothing.
    note: str = ""
    reason: str = ""
    #: A JSON pointer or ``line:column``.
    place: str = ""


def matches(constraint: Constraint, text: str) -> bool:
    """Whether a text is an output of the constraint, exactly as it is."""
    return compile_guide(constraint, byte_vocabulary()).matches(text)


def verify(
    constraint: Constraint, forms: Forms, text: str, rewriting: Rewriting | None, *, is_wrapped: bool
) -> Verdict:
    """The text if it meets the constraint; else what it says, spelled so that it does; else why not.

    Args:
        constraint: What the answer must be.
        forms: What it was sent as.
        text: What came.
        rewriting: What was sent in place of the schema: the value is put back into the shape of the original.
        is_wrapped: Whether it was sent as a property of an object: then its text is taken out.
    """
    if not is_wrapped and (rewriting is None or _is_plain(rewriting)) and matches(constraint, text):
        return Verdict(text)
    for candidate, note in _candidates(text, forms, is_json=forms.is_json or is_wrapped):
        for spelling, what in _spellings(constraint, forms, candidate, rewriting, is_wrapped=is_wrapped):
            if matches(constraint, spelling):
                return Verdict(spelling, "; ".join(filter(None, (note, what))))
    return refusal(constraint, text)


def _is_plain(rewriting: Rewriting) -> bool:
    return rewriting.wrapped is None and not rewriting.absent


def refusal(constraint: Constraint, text: str) -> Verdict:
    """Why a text does not meet its constraint."""
    if constraint.kind in ("json_schema", "response_format"):
        try:
            found = Validator(constraint).check(text.strip())
        except MaskwrightError as error:
            return Verdict(None, reason=str(error))
        if found is not None:
            return Verdict(None, reason=found.reason, place=found.pointer or f"{found.line}:{found.column}")
    matcher = compile_guide(constraint, byte_vocabulary()).matcher()
    octets = text.encode("utf-8", "replace")
    length = valid_prefix(matcher, octets)
    matcher.advance_bytes(octets[:length])
    return Verdict(None, reason=matcher.explain_bytes(octets[length : length + 16]), place=f"1:{length + 1}")


# ---- what may have been meant ----------------------------------------------------------------------------------------


def _candidates(text: str, forms: Forms, *, is_json: bool) -> Iterator[tuple[str, str]]:
    """Texts within a text that may be the answer, and what was done to find them."""
    yield text, ""
    stripped = text.strip()
    yield stripped, "blanks around the answer were removed"
    for fence in _FENCE.finditer(text):
        yield fence[1].strip(), "the answer stood in a code fence"
    named = chosen_in(text, forms.choices or ())
    if named is not None:
        yield named, "the choice stood in other text"
    if not is_json:
        if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in _QUOTES:
            yield stripped[1:-1], "the answer stood in quotes"
        return
    decoder = json.JSONDecoder()
    for place in [found.start() for found in re.finditer(r"[{\[]", text)][:_PLACES]:
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        yield text[place:end], "the answer stood in other text"


def _spellings(
    constraint: Constraint, forms: Forms, text: str, rewriting: Rewriting | None, *, is_wrapped: bool
) -> Iterator[tuple[str, str]]:
    """The text, and its value as the constraint may want it spelled."""
    if is_wrapped:
        value = _parsed(text, plain=True)
        if isinstance(value, dict) and isinstance(value.get(WRAPPED), str):
            yield value[WRAPPED], ""
        return
    if rewriting is not None and not _is_plain(rewriting):
        value = _parsed(text, plain=True)
        if value is _NONE:
            return
        try:
            value = rewriting.unwrap(value)
        except PolicyError:
            return
        yield from _spelled(constraint, forms, value, "")
        return
    yield text, ""
    if forms.is_json:
        value = _parsed(text, plain=False)
        if value is not _NONE:
            yield from _spelled(constraint, forms, value, "the same value was spelled in another way")


_NONE: Final = object()


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


def _parsed(text: str, *, plain: bool) -> Any:
    try:
        if plain:
            return json.loads(text)
        return json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_refused, object_pairs_hook=_once
        )
    except (ValueError, RecursionError):
        return _NONE


def _refused(constant: str) -> Any:
    raise ValueError(constant)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object, if no key comes twice: what that means nobody knows."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _spelled(constraint: Constraint, forms: Forms, value: Any, note: str) -> Iterator[tuple[str, str]]:
    orders = list(_orders(forms.schema))
    whitespace = constraint.policies.get("whitespace")
    marks = (whitespace.comma, whitespace.colon) if isinstance(whitespace, Whitespace) else (", ", ": ")
    for comma, colon in dict.fromkeys([marks, (",", ":")]):
        for number in (str, _fixed):
            text = _written(value, orders, comma, colon, number)
            if text is not None:
                yield text, note


def _orders(schema: Any) -> Iterator[tuple[str, ...]]:
    """The keys of every ``properties``, in order."""
    todo = [schema]
    while todo:
        at = todo.pop()
        if isinstance(at, dict):
            properties = at.get("properties")
            if isinstance(properties, dict):
                yield tuple(properties)
            todo.extend(at.values())
        elif isinstance(at, list):
            todo.extend(at)


def _written(value: Any, orders: list[tuple[str, ...]], comma: str, colon: str, number: Any) -> str | None:
    """A value as JSON text with keys in the schema's order; ``None`` if it is too deep."""
    pieces: list[str] = []
    todo: list[tuple[str, Any, int]] = [("value", value, 0)]
    while todo:
        what, at, depth = todo.pop()
        if what == "text":
            pieces.append(at)
        elif depth > _DEEPEST:
            return None
        elif isinstance(at, dict):
            members = [(key, at[key]) for key in _ordered(at, orders)]
            parts = [[("text", _quoted(key) + colon, 0), ("value", below, depth + 1)] for key, below in members]
            todo.extend(reversed(_joined("{", parts, comma, "}")))
        elif isinstance(at, list):
            todo.extend(reversed(_joined("[", [[("value", below, depth + 1)] for below in at], comma, "]")))
        else:
            pieces.append(_scalar(at, number))
    return "".join(pieces)


def _joined(
    opening: str, parts: list[list[tuple[str, Any, int]]], comma: str, closing: str
) -> list[tuple[str, Any, int]]:
    found: list[tuple[str, Any, int]] = [("text", opening, 0)]
    for place, part in enumerate(parts):
        if place:
            found.append(("text", comma, 0))
        found.extend(part)
    return [*found, ("text", closing, 0)]


def _scalar(value: Any, number: Any) -> str:
    if isinstance(value, _Number):
        text: str = number(value)
        return text
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _fixed(number: str) -> str:
    """A number without exponent, a whole one without fraction."""
    try:
        value = Decimal(number)
        if abs(value.adjusted()) > _DEEPEST:
            return number
        return format(value.to_integral_value(), "f") if value == value.to_integral_value() else format(value, "f")
    except (InvalidOperation, ValueError):
        return number


def _ordered(keys: Iterable[str], orders: list[tuple[str, ...]]) -> list[str]:
    """Keys in the order of the ``properties`` that know most of them, the others behind."""
    given = list(keys)
    known = set(given)
    best = max(orders, key=lambda order: len(known.intersection(order)), default=())
    places = {key: place for place, key in enumerate(best)}
    return sorted(given, key=lambda key: places.get(key, len(places)))
