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

from maskwright.network.lexeme import ANYTHING, NEVER, Term, words
from maskwright.regex.compile import search_term
from maskwright.schema.document import exact_number, is_number, is_writable
from maskwright.schema.drafts import ALL_TYPES, TYPES
from maskwright.schema.elements import ConstantRow, Row
from maskwright.schema.formats import format_term
from maskwright.schema.members import ConstantSource, Source
from maskwright.schema.number import Numbers
from maskwright.schema.references import Subschema
from maskwright.schema.residual import FALSE, TRUE, Formula
from maskwright.schema.shape import (
    ALL_NUMBERS,
    FALSE_LITERAL,
    NO_NUMBERS,
    NULL_LITERAL,
    TRUE_LITERAL,
    NumberLiteral,
    NumberSet,
    Shape,
    length_term,
    meet_texts,
)
from maskwright.schema.stores import Stores

__all__ = ["KEYWORDS", "Reading"]

_NULL, _BOOLEAN, _NUMBER, _STRING, _ARRAY, _OBJECT = (
    TYPES[name] for name in ("null", "boolean", "number", "string", "array", "object")
)


class Reading:
    """One schema while its keywords are read."""

    __slots__ = (
        "_source", "integer", "least_length", "lower", "lower_open", "met", "most_length", "multiples", "row", "schema",
        "shape_of", "stores", "subschema", "text", "types", "upper", "upper_open",
    )  # fmt: skip

    def __init__(self, subschema: Subschema, stores: Stores, shape_of: Callable[[Subschema], Shape]) -> None:
        """Any value at all; ``shape_of`` gives the shapes of subschemas that apply in place (already read)."""
        self.subschema = subschema
        self.schema: dict[str, Any] = subschema.value
        self.stores = stores
        self.shape_of = shape_of
        self.types = ALL_TYPES
        self.integer = False
        self.text: Term = ANYTHING
        self.least_length = 0
        self.most_length: int | None = None
        self.lower: Fraction | None = None
        self.lower_open = False
        self.upper: Fraction | None = None
        self.upper_open = False
        self.multiples: tuple[Fraction, ...] = ()
        self._source: Source | None = None
        self.row: Row | None = None
        #: Shapes that hold as well.
        self.met: list[Shape] = []

    @property
    def source(self) -> Source:
        """What the object keywords say; one for all of them."""
        if self._source is None:
            self._source = Source(self.subschema)
        return self._source

    def child(self, value: Any, *tokens: str | int) -> Subschema:
        """A subschema of this schema."""
        return self.stores.document.child(self.subschema, value, *tokens)

    def shape(self) -> Shape:
        """The shape of everything noted."""
        types, shapes = self.types, self.stores.shapes
        literals = (NULL_LITERAL if types & _NULL else 0) | (FALSE_LITERAL | TRUE_LITERAL if types & _BOOLEAN else 0)
        shape = shapes.make(
            literals,
            self._numbers() if types & _NUMBER else NO_NUMBERS,
            self._texts() if types & _STRING else NEVER,
            self._arrays() if types & _ARRAY else FALSE,
            self._objects() if types & _OBJECT else FALSE,
        )
        for other in self.met:
            shape = shapes.meet(shape, other)
        return shape

    def _numbers(self) -> NumberSet:
        lower, upper = self.lower, self.upper
        if not self.integer and lower is None and upper is None and not self.multiples:
            return ALL_NUMBERS
        numbers = Numbers(self.integer, lower, self.lower_open, upper, self.upper_open, self.multiples)
        return NO_NUMBERS if numbers.is_empty else (numbers,)

    def _texts(self) -> Term:
        if not self.least_length and self.most_length is None:
            return self.text
        return meet_texts(length_term(self.least_length, self.most_length), self.text)

    def _arrays(self) -> Formula:
        row = self.row
        if row is None:
            return TRUE
        if row.most is not None and row.least > row.most:
            return FALSE
        return self.stores.elements.elements((row,)).initial.simple

    def _objects(self) -> Formula:
        source = self._source
        if source is None:
            return TRUE
        if source.most is not None and max(source.least, len(set(source.required))) > source.most:
            return FALSE
        return self.stores.members.one(source).initial.simple


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
    if reading.stores.policies.formats != "annotate":
        term = format_term(value)
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
    reading.source.names = reading.shape_of(reading.child(value, "propertyNames")).string


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
            owner = stores.document.child(reading.subschema, value, *tokens)
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


def ref(value: Any, reading: Reading) -> None:
    """Another schema holds as well."""
    reading.met.append(reading.shape_of(reading.stores.document.resolve(reading.subschema, value)))


def allOf(value: Any, reading: Reading) -> None:
    """All of the schemas hold."""
    reading.met.extend(reading.shape_of(reading.child(one, "allOf", place)) for place, one in enumerate(value))


def anyOf(value: Any, reading: Reading) -> None:
    """At least one of the schemas holds."""
    shapes = [reading.shape_of(reading.child(one, "anyOf", place)) for place, one in enumerate(value)]
    reading.met.append(reading.stores.shapes.join(*shapes))


def oneOf(value: Any, reading: Reading) -> None:
    """Exactly one of the schemas holds; enforced where that is the same as any of them."""
    shapes = [reading.shape_of(reading.child(one, "oneOf", place)) for place, one in enumerate(value)]
    reading.met.append(reading.stores.shapes.join(*shapes))


def not_(value: Any, reading: Reading) -> None:
    """The schema does not hold; enforced for schemas that always or never hold."""
    if value is not False:
        reading.met.append(reading.stores.shapes.nothing)


def _absent(reading: Reading, name: str) -> Formula:
    """Objects without the key."""
    source = Source(reading.subschema, {name: False})
    return reading.stores.members.one(source).initial.simple


def _implied(reading: Reading, name: str, consequence: Formula) -> None:
    """Objects that lack the key or meet the consequence."""
    anything = reading.stores.shapes.anything
    formula = reading.stores.formulas.disjoin((_absent(reading, name), consequence))
    make = reading.stores.shapes.make
    reading.met.append(make(anything.literals, anything.numbers, anything.string, anything.array, formula))


def dependentRequired(value: Any, reading: Reading) -> None:
    """Keys that demand other keys."""
    for name, names in value.items():
        source = Source(reading.subschema)
        source.required = tuple(names)
        if not all(map(is_writable, names)):
            source.most = 0
        if is_writable(name):
            _implied(reading, name, reading.stores.members.one(source).initial.simple)


def dependentSchemas(value: Any, reading: Reading) -> None:
    """Keys that demand that the object meets another schema."""
    for name, schema in value.items():
        if is_writable(name):
            _implied(reading, name, reading.shape_of(reading.child(schema, "dependentSchemas", name)).object)


def dependencies(value: Any, reading: Reading) -> None:
    """Both kinds of demand in one keyword (up to draft 7)."""
    for name, demand in value.items():
        if isinstance(demand, list):
            dependentRequired({name: demand}, reading)
        elif is_writable(name):
            _implied(reading, name, reading.shape_of(reading.child(demand, "dependencies", name)).object)


KEYWORDS: Final[dict[str, Callable[[Any, Reading], None]]] = {
    function.__name__.strip("_"): function
    for function in (
        type_, minLength, maxLength, pattern, format_, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf,
        properties, patternProperties, additionalProperties, propertyNames, required, minProperties, maxProperties,
        items, prefixItems, minItems, maxItems, const, enum, allOf, anyOf, oneOf, not_, dependentRequired,
        dependentSchemas, dependencies,
    )
} | {"$ref": ref}  # fmt: skip
