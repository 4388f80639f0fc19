"""Reading schemas: from subschemas to shapes, each once, in-place subschemas first and without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from maskwright.errors import Problem, SchemaError
from maskwright.schema.differences import Constant, differing
from maskwright.schema.drafts import TYPES
from maskwright.schema.keywords import KEYWORDS
from maskwright.schema.negation import Choice, Listed, Names, Negation
from maskwright.schema.reading import Reading
from maskwright.schema.references import REFERENCES, Document, Subschema
from maskwright.schema.residual import FALSE
from maskwright.schema.shape import Shape
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["IN_PLACE", "Reader", "in_place"]

#: Keywords whose subschemas are read together with the schema that holds them.
IN_PLACE: Final = frozenset(
    {
        *REFERENCES, "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependencies", "dependentSchemas",
        "propertyNames",
    },
)  # fmt: skip
#: Those that hold one schema.
_SINGLE: Final = frozenset({"not", "if", "then", "else"})
_NAMES: Final = "propertyNames"


def in_place(document: Document, subschema: Subschema) -> Iterator[Subschema]:
    """The subschemas that apply to the same value as a schema, in the order of its keywords."""
    schema = subschema.value
    if not isinstance(schema, dict) or IN_PLACE.isdisjoint(schema):
        return
    if isinstance(subschema, (Negation, Choice)):
        yield from (subschema.of,) if isinstance(subschema, Negation) else subschema.options
        return
    draft = subschema.resource.draft
    if draft.lone_reference and "$ref" in schema:
        yield document.resolve(subschema, schema["$ref"])
        return
    for keyword in schema:
        if keyword in IN_PLACE and keyword != _NAMES and keyword in draft.keywords:
            yield from _applied(document, subschema, keyword, schema[keyword])


def _applied(document: Document, subschema: Subschema, keyword: str, value: Any) -> Iterator[Subschema]:
    if keyword in REFERENCES:
        yield document.resolve(subschema, value, keyword)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield document.child(subschema, one, keyword, place)
    elif keyword in _SINGLE:
        yield document.child(subschema, value, keyword)
    else:
        for name, one in value.items():
            if not isinstance(one, list):
                yield document.child(subschema, one, keyword, name)


class Reader:
    """The shapes of one network, read on demand."""

    def __init__(self, stores: Stores) -> None:
        """Nothing is read yet."""
        self._stores = stores
        self._shapes: dict[Subschema, Shape] = {}
        self._names: dict[Subschema, Names] = {}
        stores.formulas.is_dead = self.is_dead

    def names(self, subschema: Subschema) -> Names:
        """A subschema as one of keys; one for each."""
        found = self._names.get(subschema)
        if found is None:
            found = self._names[subschema] = Names(subschema)
        return found

    def _below(self, subschema: Subschema) -> list[Subschema]:
        """The subschemas that must be read before another one."""
        document = self._stores.document
        if isinstance(subschema, Names):
            return [self.names(below) for below in in_place(document, subschema.of)]
        found = list(in_place(document, subschema))
        if type(subschema.value) is dict and _NAMES in subschema.value:
            found.append(self.names(document.child(subschema, subschema.value[_NAMES], _NAMES)))
        return found

    def shape(self, value: Value) -> Shape:
        """The shape of a value: the meet of its subschemas."""
        if value.shape is None:
            shapes, subschemas = self._stores.shapes, value.subschemas
            if value.halves is not None and all(half.shape or len(half.subschemas) == 1 for half in value.halves):
                left, right = value.halves
                value.shape = shapes.meet(self.shape(left), self.shape(right))
                value.halves = None
                return value.shape
            if len(subschemas) == 1:
                value.shape = self._read(subschemas[0])
                return value.shape
            shape = shapes.nothing if value is self._stores.values.nothing else shapes.anything
            for subschema in subschemas:
                shape = shapes.meet(shape, self._read(subschema))
            value.shape = shape
        return value.shape

    def _read(self, subschema: Subschema) -> Shape:
        found = self._shapes.get(subschema)
        if found is not None:
            return found
        if subschema.value is True or subschema.value is False or IN_PLACE.isdisjoint(subschema.value):
            found = self._shapes[subschema] = self._one(subschema)
            return found
        stack = [subschema]
        waiting: set[Subschema] = set()
        while stack:
            top = stack[-1]
            if top in self._shapes:
                stack.pop()
                continue
            missing = [s for s in self._below(top) if s.value not in (True, False) and s not in self._shapes]
            if not missing:
                self._shapes[top] = self._one(top)
                stack.pop()
                continue
            if top in waiting:
                raise SchemaError(Problem("the schema applies to itself in place", top.place, "$ref"))
            waiting.add(top)
            stack.extend(missing)
        return self._shapes[subschema]

    def is_dead(self, value: Value) -> bool:
        """Whether it shows without reading other schemas in place that a value cannot exist."""
        if value.live is not None:
            return not value.live
        for subschema in value.subschemas:
            below = subschema.value
            if below not in (True, False) and not IN_PLACE.isdisjoint(below) and subschema not in self._shapes:
                return False
        shape = self.shape(value)
        if shape.literals or shape.numbers or shape.array is not FALSE or shape.object is not FALSE:
            return False
        return not self._stores.shapes.has_strings(shape)

    def _known(self, subschema: Subschema) -> Shape:
        found = self._shapes.get(subschema)
        return self._one(subschema) if found is None else found

    def _one(self, subschema: Subschema) -> Shape:
        schema, shapes = subschema.value, self._stores.shapes
        if schema is True or schema is False:
            return shapes.anything if schema else shapes.nothing
        if isinstance(subschema, Negation):
            if isinstance(subschema.of, Listed):
                return self._unlike(subschema.of)
            return shapes.complement(self._known(subschema.of))
        if isinstance(subschema, Choice):
            return shapes.join(*map(self._known, subschema.options))
        if isinstance(subschema, Names):
            return self._of_names(subschema.of)
        reading = Reading(subschema, self._stores, self._known, self._known_names)
        draft = subschema.resource.draft
        if draft.lone_reference and "$ref" in schema:
            KEYWORDS["$ref"](schema["$ref"], reading)
        else:
            known = draft.keywords
            for keyword, value in schema.items():
                if keyword in known:
                    function = KEYWORDS.get(keyword)
                    if function is not None:
                        function(value, reading)
        return reading.shape()

    def _known_names(self, subschema: Subschema) -> Shape:
        return self._known(subschema if subschema.value in (True, False) else self.names(subschema))

    def _of_names(self, subschema: Subschema) -> Shape:
        """The shape that a schema has for strings."""
        reading = Reading(subschema, self._stores, self._known_names, self._known_names)
        draft, schema = subschema.resource.draft, subschema.value
        lone = draft.lone_reference and "$ref" in schema
        for keyword in ("$ref",) if lone else schema:
            known = draft.keywords.get(keyword)
            if known is not None and known.types & TYPES["string"] and keyword in KEYWORDS:
                KEYWORDS[keyword](schema[keyword], reading)
        return reading.shape()

    def _unlike(self, listed: Listed) -> Shape:
        """Everything but the values of a list."""
        stores = self._stores
        scalars = tuple([value for value in listed.values if not isinstance(value, (list, dict))])
        shape = stores.shapes.complement(self._known(stores.values.listed(scalars)))
        arrays = differing(stores.formulas, [Constant(value) for value in listed.values if isinstance(value, list)])
        objects = differing(stores.formulas, [Constant(value) for value in listed.values if isinstance(value, dict)])
        return stores.shapes.make(shape.literals, shape.numbers, shape.string, arrays, objects)
