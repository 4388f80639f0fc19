"""The keywords that combine schemas at one value: references, boolean operations, conditions, dependencies."""
# ruff: noqa: N802

from __future__ import annotations

from typing import Any

from maskwright.schema.document import is_writable
from maskwright.schema.members import Source
from maskwright.schema.reading import Reading
from maskwright.schema.residual import Formula

__all__ = [
    "absent",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "dynamicRef",
    "if_",
    "not_",
    "oneOf",
    "recursiveRef",
    "ref",
]


def ref(value: Any, reading: Reading) -> None:
    """Another schema holds as well."""
    reading.met.append(reading.shape_of(reading.stores.document.resolve(reading.subschema, value)))


def dynamicRef(value: Any, reading: Reading) -> None:
    """A schema that the dynamic scope chooses holds as well (2020-12)."""
    target = reading.stores.document.resolve(reading.subschema, value, "$dynamicRef")
    reading.met.append(reading.shape_of(target))


def recursiveRef(value: Any, reading: Reading) -> None:
    """The root that the dynamic scope chooses holds as well (2019-09)."""
    target = reading.stores.document.resolve(reading.subschema, value, "$recursiveRef")
    reading.met.append(reading.shape_of(target))


def allOf(value: Any, reading: Reading) -> None:
    """All of the schemas hold."""
    reading.met.extend(reading.shape_of(reading.child(one, "allOf", place)) for place, one in enumerate(value))


def anyOf(value: Any, reading: Reading) -> None:
    """At least one of the schemas holds."""
    shapes = [reading.shape_of(reading.child(one, "anyOf", place)) for place, one in enumerate(value)]
    reading.met.append(reading.stores.shapes.join(*shapes))


def oneOf(value: Any, reading: Reading) -> None:
    """Exactly one of the schemas holds."""
    branches = [reading.shape_of(reading.child(one, "oneOf", place)) for place, one in enumerate(value)]
    reading.met.append(reading.stores.shapes.exactly_one(branches))


def not_(value: Any, reading: Reading) -> None:
    """The schema does not hold."""
    reading.met.append(reading.stores.shapes.complement(reading.shape_of(reading.child(value, "not"))))


def if_(value: Any, reading: Reading) -> None:
    """The schema and ``then`` hold, or the schema does not and ``else`` holds."""
    shapes = reading.stores.shapes
    if not reading.knows("then") and not reading.knows("else"):
        return
    test = reading.shape_of(reading.child(value, "if"))
    then, otherwise = (
        reading.shape_of(reading.child(reading.schema[name], name)) if reading.knows(name) else shapes.anything
        for name in ("then", "else")
    )
    reading.met.append(shapes.join(shapes.meet(test, then), shapes.meet(shapes.complement(test), otherwise)))


def absent(reading: Reading, name: str) -> Formula:
    """Objects without the key."""
    source = Source(reading.subschema, {name: False})
    return reading.stores.members.one(source).initial.simple


def _implied(reading: Reading, name: str, consequence: Formula) -> None:
    """Objects that lack the key or meet the consequence."""
    reading.restrict(object_=reading.stores.formulas.disjoin((absent(reading, name), consequence)))


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
