"""The keywords of JSON Schema: one function each, named as the keyword, one signature.

Each function notes into a :class:`Reading` what its keyword says; :meth:`Reading.shape` makes the shape of the schema.
Values were checked by :mod:`maskwright.schema.scan` before, so the functions trust them.
"""
# ruff: noqa: N802

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from maskwright.network.lexeme import words
from maskwright.regex.compile import search_term
from maskwright.schema.combinations import (
    allOf,
    anyOf,
    dependencies,
    dependentRequired,
    dependentSchemas,
    dynamicRef,
    if_,
    not_,
    oneOf,
    recursiveRef,
    ref,
)
from maskwright.schema.counts import contains, uniqueItems
from maskwright.schema.document import exact_number, is_number, is_writable
from maskwright.schema.drafts import TYPES
from maskwright.schema.elements import ConstantRow, Row
from maskwright.schema.formats import format_term
from maskwright.schema.members import ConstantSource
from maskwright.schema.number_sets import NumberLiteral
from maskwright.schema.reading import Reading
from maskwright.schema.residual import Formula
from maskwright.schema.shape import FALSE_LITERAL, NULL_LITERAL, TRUE_LITERAL, Shape, meet_texts
from maskwright.schema.unevaluated import unevaluatedItems, unevaluatedProperties

__all__ = ["KEYWORDS"]


def type_(value: Any, reading: Reading) -> None:
    """The types that are allowed; ``integer`` beside ``number`` adds nothing."""
    names = (value,) if isinstance(value, str) else value
    mask = 0
    for name in names:
        mask |= TYPES[name]
    reading.types &= mask
    reading.integer = "integer" in names and "number" not in names


def minLength(value: Any, reading: Reading) -> None:
    """At least so many characters."""
    reading.least_length = int(value)


def maxLength(value: Any, reading: Reading) -> None:
    """At most so many characters."""
    reading.most_length = int(value)


def pattern(value: Any, reading: Reading) -> None:
    """A regular expression that matches somewhere in the text (ECMA-262)."""
    reading.text = meet_texts(reading.text, search_term(value, dialect="ecma"))


def format_(value: Any, reading: Reading) -> None:
    """A named format, unless formats only annotate or the name is unknown."""
    draft = reading.subschema.resource.draft
    if reading.stores.policies.formats != "annotate" or draft.asserts_formats:
        term = format_term(value, draft=draft.name)
        if term is not None:
            reading.text = meet_texts(reading.text, term)


def _raise_lower(reading: Reading, bound: Fraction, *, is_open: bool) -> None:
    if reading.lower is None or (bound, is_open) > (reading.lower, reading.lower_open):
        reading.lower, reading.lower_open = bound, is_open


def _cut_upper(reading: Reading, bound: Fraction, *, is_open: bool) -> None:
    if reading.upper is None or (-bound, is_open) > (-reading.upper, reading.upper_open):
        reading.upper, reading.upper_open = bound, is_open


def minimum(value: Any, reading: Reading) -> None:
    """A lower bound; open if draft 4 says so beside it."""
    _raise_lower(reading, exact_number(value), is_open=reading.schema.get("exclusiveMinimum") is True)


def maximum(value: Any, reading: Reading) -> None:
    """An upper bound; open if draft 4 says so beside it."""
    _cut_upper(reading, exact_number(value), is_open=reading.schema.get("exclusiveMaximum") is True)


def exclusiveMinimum(value: Any, reading: Reading) -> None:
    """An open lower bound (from draft 6 on)."""
    if is_number(value):
        _raise_lower(reading, exact_number(value), is_open=True)


def exclusiveMaximum(value: Any, reading: Reading) -> None:
    """An open upper bound (from draft 6 on)."""
    if is_number(value):
        _cut_upper(reading, exact_number(value), is_open=True)


def multipleOf(value: Any, reading: Reading) -> None:
    """A whole multiple of the number."""
    reading.multiples = (exact_number(value),)


def properties(value: Any, reading: Reading) -> None:
    """Schemas of named members."""
    reading.source.properties = value
    if reading.stores.policies.objects == "closed" and "additionalProperties" not in reading.schema:
        reading.source.sealed = True


def patternProperties(value: Any, reading: Reading) -> None:
    """Schemas of the members whose key a pattern matches."""
    found = tuple((search_term(text, dialect="ecma"), text, schema) for text, schema in value.items())
    reading.source.patterns = found


def additionalProperties(value: Any, reading: Reading) -> None:
    """The schema of the members that the two keywords beside it do not name."""
    reading.source.additional = True if value == {} else value


def propertyNames(value: Any, reading: Reading) -> None:
    """The keys, as strings."""
    reading.source.names = reading.names_of(reading.child(value, "propertyNames")).string


def required(value: Any, reading: Reading) -> None:
    """Members that must be present; a key that cannot be written admits no object."""
    reading.source.required = tuple(value)
    if not all(map(is_writable, value)):
        reading.source.most = 0


def minProperties(value: Any, reading: Reading) -> None:
    """At least so many members."""
    reading.source.least = int(value)


def maxProperties(value: Any, reading: Reading) -> None:
    """At most so many members."""
    most = reading.source.most
    reading.source.most = int(value) if most is None else most


def _row(reading: Reading) -> Row:
    if reading.row is None:
        reading.row = Row(reading.subschema)
    return reading.row


def items(value: Any, reading: Reading) -> None:
    """The schema of the elements (of those after ``prefixItems``); a list of schemas up to 2019-09."""
    row = _row(reading)
    if not isinstance(value, list):
        row.rest = True if value == {} else value
        return
    row.prefix, row.prefix_keyword, row.rest_keyword = value, "items", "additionalItems"
    row.rest = reading.schema.get("additionalItems", True)


def prefixItems(value: Any, reading: Reading) -> None:
    """The schemas of the first elements."""
    _row(reading).prefix = value


def minItems(value: Any, reading: Reading) -> None:
    """At least so many elements."""
    _row(reading).least = int(value)


def maxItems(value: Any, reading: Reading) -> None:
    """At most so many elements."""
    _row(reading).most = int(value)


def const(value: Any, reading: Reading) -> None:
    """Exactly one value."""
    reading.met.append(constants(reading, (value,), "const"))


def enum(value: Any, reading: Reading) -> None:
    """One of the values."""
    reading.met.append(constants(reading, value, "enum"))


def constants(reading: Reading, values: Sequence[Any], keyword: str) -> Shape:
    """The shape of some constants: numbers are equal by value, objects in any order of their keys."""
    stores = reading.stores
    literals = 0
    numbers: list[NumberLiteral] = []
    texts: list[str] = []
    arrays: list[Formula] = []
    objects: list[Formula] = []
    for place, value in enumerate(values):
        if value is None:
            literals |= NULL_LITERAL
        elif isinstance(value, bool):
            literals |= TRUE_LITERAL if value else FALSE_LITERAL
        elif isinstance(value, str):
            if is_writable(value):
                texts.append(value)
        elif is_number(value):
            spelling = Decimal(repr(value)) if isinstance(value, float) else value
            numbers.append(NumberLiteral(exact_number(value), spelling))
        else:
            tokens = ("const",) if keyword == "const" else ("enum", place)
            owner = stores.document.constant(reading.subschema, value, *tokens)
            if isinstance(value, list):
                arrays.append(stores.elements.elements((ConstantRow(owner, value),)).initial.simple)
            else:
                objects.append(stores.members.one(ConstantSource(owner, value)).initial.simple)
    distinct = {number.value: number for number in reversed(numbers)}
    return stores.shapes.make(
        literals,
        tuple(reversed(distinct.values())),
        words(texts),
        stores.formulas.disjoin(arrays),
        stores.formulas.disjoin(objects),
    )


KEYWORDS: Final[dict[str, Callable[[Any, Reading], None]]] = {
    function.__name__.strip("_"): function
    for function in (
        type_, minLength, maxLength, pattern, format_, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf,
        properties, patternProperties, additionalProperties, propertyNames, required, minProperties, maxProperties,
        items, prefixItems, minItems, maxItems, contains, uniqueItems, const, enum, allOf, anyOf, oneOf, not_, if_,
        dependentRequired, dependentSchemas, dependencies, unevaluatedProperties, unevaluatedItems,
    )
} | {"$ref": ref, "$dynamicRef": dynamicRef, "$recursiveRef": recursiveRef}  # fmt: skip
