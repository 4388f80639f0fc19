"""Why no value meets a schema: the keywords that exclude each other, with their places.

Found only after the fact, by following what a value needs (a required member, an element below ``minItems``) down to
the schemas whose keywords leave nothing; every type that the schemas allow is accounted for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from maskwright.errors import Problem
from maskwright.network.lexeme import ANYTHING
from maskwright.schema.document import is_writable, json_type
from maskwright.schema.drafts import ALL_TYPES, TYPES
from maskwright.schema.elements import ElementRest
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import MemberRest, Source
from maskwright.schema.reader import Reader, in_place
from maskwright.schema.references import REFERENCES, Subschema
from maskwright.schema.residual import FALSE, Formula
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["explain"]

_LISTED: Final = 20
_KINDS: Final = ("null", "boolean", "number", "string", "array", "object")
_NEED: Final = "change one of them"


def explain(value: Value, stores: Stores, reader: Reader, liveness: Liveness) -> tuple[Problem, ...]:
    """The reasons, outermost first; each dead value is explained once."""
    found = tuple(_Explanation(stores, reader, liveness).problems(value))[:_LISTED]
    if found:
        return found
    place = value.subschemas[0].place if value.subschemas else "#"
    return (Problem("no value meets all keywords of the schema", place, "", _NEED),)


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
                # Branches that say the same are one value, which needs nothing of itself.
                if not need.startswith("branch"):
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
        constants = next((pair for schema in schemas for pair in _constants(schema)), None)
        if constants is not None:
            yield self._constant(*constants, schemas, types, lead)
            return
        dead = [branch for schema in schemas for branch in self._dead_branches(schema)]
        if dead:
            self._todo.extend(dead)
            return
        kinds = [kind for kind in _KINDS if types & TYPES[kind]]
        yield from self._kinds(kinds, value, schemas, lead)

    def _constant(self, owner: Subschema, keyword: str, schemas: list[Subschema], types: int, lead: str) -> Problem:
        """Why none of some constants may be written."""
        place, values = f"{owner.place}/{keyword}", owner.value[keyword]
        listed = [values] if keyword == "const" else values
        if not listed:
            return Problem(f"{lead}`enum` lists no value", place, keyword, "list at least one")
        if all(isinstance(value, str) and not is_writable(value) for value in listed):
            reason = f"{lead}`{keyword}` holds half of a surrogate pair, which no JSON text in UTF-8 can carry"
            return Problem(reason, place, keyword, "write both halves")
        bits = 0
        for value in listed:
            bits |= TYPES[json_type(value)]
        what = f"the value of `const` at {place}" if keyword == "const" else f"no value of `enum` at {place}"
        verb = "does not meet" if keyword == "const" else "meets"
        others = [(k, p) for p, k in _asserting(schemas, bits) if p != place]
        if not bits & types or not others:
            others = [("type", f"{p}/type") for p, _ in _types(schemas)[1]] + others
        if not others:
            return Problem(f"{lead}`{keyword}` holds no value that can be written", place, keyword)
        return Problem(f"{lead}{what} {verb} {_listed(others)}", place, keyword, _NEED)

    def _dead_branches(self, schema: Subschema) -> Iterator[tuple[Value, str]]:
        """The branches of an ``anyOf`` or ``oneOf`` that has no other."""
        if not isinstance(schema.value, dict) or _is_hidden(schema):
            return
        for keyword in ("anyOf", "oneOf"):
            child, single = self._stores.document.child, self._stores.values.single
            branches = enumerate(_branches(schema.value, keyword))
            values = [single(child(schema, branch, keyword, place)) for place, branch in branches]
            if values and not any(map(self._liveness.value, values)):
                where = f"`{keyword}` at {schema.place}"
                yield from ((value, f"branch {place} of {where}") for place, value in enumerate(values))

    def _conjuncts(self, value: Value) -> Iterator[Subschema]:
        """The schemas that must all hold: those of the value, and what they refer to or list in ``allOf``."""
        stack = list(reversed(value.subschemas))
        seen = set(stack)
        while stack:
            here = stack.pop()
            yield here
            if not isinstance(here.value, dict):
                continue
            aside = {id(one) for name in ("anyOf", "oneOf") for one in _branches(here.value, name)}
            aside.update(id(here.value[name]) for name in ("not", "if", "then", "else") if name in here.value)
            below = [s for s in in_place(self._stores.document, here) if id(s.value) not in aside]
            new = [s for s in below if s not in seen and "dependen" not in str(s.tokens[:1])]
            seen.update(new)
            stack.extend(reversed(new))

    def _kinds(self, kinds: list[str], value: Value, schemas: list[Subschema], lead: str) -> Iterator[Problem]:
        """Why no value of the types that are allowed exists; types that the same keywords exclude come together."""
        shape = self._reader.shape(value)
        formulas: dict[str, Formula] = {"array": shape.array, "object": shape.object}
        alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for kind in kinds:
            formula = formulas.get(kind, FALSE)
            told = len(self._todo)
            needs = list(self._needs(formula, lead)) if formula is not FALSE else []
            yield from needs
            if not needs and len(self._todo) == told:
                places = tuple((keyword, place) for place, keyword in _asserting(schemas, TYPES[kind]))
                alike.setdefault(places, []).append(kind)
        for places, excluded in alike.items():
            keyword, place = places[0] if places else ("", schemas[0].place if schemas else "#")
            what = "nothing" if len(excluded) == len(_KINDS) else f"no {' or '.join(excluded)}"
            if excluded == ["number"] and shape.numbers:
                what += f" of {self._stores.policies.digits} digits (the policy `digits`)"
            remedy = _NEED if len(places) > 1 else ""
            yield Problem(f"{lead}{what} can meet {_listed(places)}", place, keyword, remedy)

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
                where = " and ".join(self._forbidding(source, name) for source in rest.members.sources)
                remedy = f'declare "{name}" in `properties`, or do not require it'
                yield Problem(f"{lead}{need} is forbidden{where and ' by ' + where}", place, "required", remedy)
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

    @staticmethod
    def _forbidding(source: Source, name: str) -> str:
        """The keyword of a source that may forbid a member."""
        place = source.owner.place
        if source.names is not ANYTHING:
            return f"`propertyNames` at {place}/propertyNames"
        if source.additional is False and name not in source.properties:
            return f"`additionalProperties` at {place}/additionalProperties"
        return f"the schema at {place}"

    def _element_needs(self, rest: ElementRest, lead: str) -> Iterator[Problem]:
        place = rest.elements.rows[0].owner.place if rest.elements.rows else "#"
        if rest.most is not None and rest.least > rest.most:
            reason = f"at least {rest.least} elements are asked for and at most {rest.most} allowed"
            yield Problem(f"{lead}{reason}", place, "maxItems", _NEED)
            return
        for index in range(min(rest.least, rest.elements.prefix + 1)):
            below = rest.elements.value(index)
            if below is self._stores.values.nothing:
                reason = f"`minItems` asks for element {index} of the array, which is forbidden"
                yield Problem(f"{lead}{reason}", place, "minItems", _NEED)
                return
            if not self._liveness.value(below):
                self._todo.append((below, f"element {index} of the array at {place}"))
                return


def _listed(places: Iterable[tuple[str, str]]) -> str:
    """Keywords with their places."""
    listed = [f"`{keyword}` at {place}" for keyword, place in places]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]} together"


def _is_hidden(schema: Subschema) -> bool:
    """Whether ``$ref`` hides the other keywords."""
    return schema.resource.draft.lone_reference and "$ref" in schema.value


def _constants(schema: Subschema) -> Iterator[tuple[Subschema, str]]:
    """The keywords of a schema that list its values."""
    if isinstance(schema.value, dict) and not _is_hidden(schema):
        known = schema.resource.draft.keywords
        yield from ((schema, name) for name in ("const", "enum") if name in schema.value and name in known)


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
        if given is None or _is_hidden(schema):
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
        if not isinstance(schema.value, dict) or _is_hidden(schema):
            continue
        known = schema.resource.draft.keywords
        for name in schema.value:
            keyword = known.get(name)
            if keyword is not None and keyword.types & bit and name not in {*REFERENCES, "allOf", "type"}:
                yield f"{schema.place}/{name}", name
