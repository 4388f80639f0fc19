"""Why no value meets a schema: the keywords that exclude each other, with their places.

Found only after the fact, by following what a value needs (a required member, an element below ``minItems``) down to
the schemas whose keywords leave nothing; every type that the schemas allow is accounted for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from maskwright.errors import Problem
from maskwright.schema.drafts import ALL_TYPES, TYPES
from maskwright.schema.elements import ElementRest
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import MemberRest
from maskwright.schema.reader import Reader, in_place
from maskwright.schema.references import Subschema
from maskwright.schema.residual import FALSE, Formula
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["explain"]

_LISTED: Final = 20
_KINDS: Final = ("null", "boolean", "number", "string", "array", "object")
_NEED: Final = "change one of them"


def explain(value: Value, stores: Stores, reader: Reader, liveness: Liveness) -> tuple[Problem, ...]:
    """The reasons, outermost first; each dead value is explained once."""
    return tuple(_Explanation(stores, reader, liveness).problems(value))[:_LISTED]


class _Explanation:
    """One walk down from a dead value."""

    def __init__(self, stores: Stores, reader: Reader, liveness: Liveness) -> None:
        self._stores = stores
        self._reader = reader
        self._liveness = liveness
        #: Values that were reached and how, in the order in which they are explained.
        self._todo: list[tuple[Value, str]] = []
        self._seen: set[Value] = set()

    def problems(self, value: Value) -> Iterator[Problem]:
        self._todo.append((value, ""))
        while self._todo:
            top, need = self._todo.pop(0)
            if top in self._seen:
                yield Problem(f"{need} needs itself for ever", _places(top), "required", "make it optional")
                continue
            self._seen.add(top)
            yield from self._one(top, need)

    def _one(self, value: Value, need: str) -> Iterator[Problem]:
        lead = f"{need} cannot be written: " if need else ""
        if value is self._stores.values.nothing:
            yield Problem(f"{need} is forbidden")
            return
        schemas = list(self._conjuncts(value))
        closed = [schema for schema in schemas if schema.value is False]
        if closed:
            yield Problem(f"{lead}the schema is false", closed[0].place)
            return
        types, typed = _types(schemas)
        if not types:
            listed = ", ".join(f"{place} ({names})" for place, names in typed)
            yield Problem(f"{lead}no type is allowed by all of {listed}", typed[0][0], "type", _NEED)
            return
        for kind in _KINDS:
            if types & TYPES[kind]:
                yield from self._kind(kind, value, schemas, lead)

    def _conjuncts(self, value: Value) -> Iterator[Subschema]:
        """The schemas that must all hold: those of the value, and what they refer to or list in ``allOf``."""
        stack = list(reversed(value.subschemas))
        seen = set(stack)
        while stack:
            here = stack.pop()
            yield here
            if not isinstance(here.value, dict):
                continue
            either = {id(one) for name in ("anyOf", "oneOf") for one in _branches(here.value, name)}
            below = [s for s in in_place(self._stores.document, here) if id(s.value) not in either]
            new = [
                s
                for s in below
                if s not in seen and "dependen" not in str(s.tokens[:1]) and s.tokens[:1] != ("propertyNames",)
            ]
            seen.update(new)
            stack.extend(reversed(new))

    def _kind(self, kind: str, value: Value, schemas: list[Subschema], lead: str) -> Iterator[Problem]:
        shape = self._reader.shape(value)
        formula: Formula = {"array": shape.array, "object": shape.object}.get(kind, FALSE)
        if formula is not FALSE:
            yield from self._needs(formula, lead)
            return
        places = list(_asserting(schemas, TYPES[kind]))
        listed = ", ".join(f"`{keyword}` at {place}" for place, keyword in places)
        first = places[0] if places else (schemas[0].place if schemas else "#", "")
        article = "an" if kind in {"array", "object"} else "a"
        yield Problem(f"{lead}{article} {kind} cannot meet {listed} together", first[0], first[1], _NEED)

    def _needs(self, formula: Formula, lead: str) -> Iterator[Problem]:
        """What the array or object needs and cannot get; disjunctions are explained by each branch."""
        for rest in self._stores.formulas.disjuncts(formula):
            if isinstance(rest, MemberRest):
                yield from self._member_needs(rest, lead)
            elif isinstance(rest, ElementRest):
                yield from self._element_needs(rest, lead)
            if len(self._seen) + len(self._todo) > _LISTED:
                return

    def _member_needs(self, rest: MemberRest, lead: str) -> Iterator[Problem]:
        place = rest.members.sources[0].owner.place if rest.members.sources else "#"
        dead = [name for name in rest.required_names if not self._liveness.value(rest.members.value(name))]
        for name in dead:
            below = rest.members.value(name)
            need = f'the required member "{name}"'
            if below is self._stores.values.nothing:
                where = ", ".join(f"{source.owner.place}" for source in rest.members.sources)
                yield Problem(f"{lead}{need} is forbidden by the schemas at {where}", place, "required", _NEED)
            else:
                self._todo.append((below, need))
        if dead:
            return
        most, needed = rest.most, rest.required.bit_count()
        if most is not None and max(needed, rest.least) > most:
            reason = f"at least {max(needed, rest.least)} members are asked for and at most {most} allowed"
            yield Problem(f"{lead}{reason}", place, "maxProperties", _NEED)
        else:
            reason = f"`minProperties` asks for {rest.least} members and fewer are possible"
            yield Problem(f"{lead}{reason}", place, "minProperties", _NEED)

    def _element_needs(self, rest: ElementRest, lead: str) -> Iterator[Problem]:
        place = rest.elements.rows[0].owner.place if rest.elements.rows else "#"
        if rest.most is not None and rest.least > rest.most:
            reason = f"at least {rest.least} elements are asked for and at most {rest.most} allowed"
            yield Problem(f"{lead}{reason}", place, "maxItems", _NEED)
            return
        for index in range(min(rest.least, rest.elements.prefix + 1)):
            below = rest.elements.value(index)
            if not self._liveness.value(below):
                self._todo.append((below, f"element {index} of the array at {place}"))
                return


def _branches(schema: dict[str, Any], keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _places(value: Value) -> str:
    return ", ".join(subschema.place for subschema in value.subschemas)


def _types(schemas: list[Subschema]) -> tuple[int, list[tuple[str, str]]]:
    """The types that all schemas allow, and where each says so."""
    mask, typed = ALL_TYPES, []
    for schema in schemas:
        given = schema.value.get("type") if isinstance(schema.value, dict) else None
        if given is None or (schema.resource.draft.lone_reference and "$ref" in schema.value):
            continue
        names = [given] if isinstance(given, str) else given
        allowed = 0
        for name in names:
            allowed |= TYPES[name]
        mask &= allowed
        typed.append((schema.place, " or ".join(names)))
    return mask, typed


def _asserting(schemas: list[Subschema], bit: int) -> Iterator[tuple[str, str]]:
    """The keywords that say something about a type, with their places."""
    for schema in schemas:
        if not isinstance(schema.value, dict):
            continue
        draft = schema.resource.draft
        for name in schema.value:
            keyword = draft.keywords.get(name)
            if keyword is not None and keyword.types & bit and name not in {"$ref", "allOf", "type"}:
                yield f"{schema.place}/{name}", name
