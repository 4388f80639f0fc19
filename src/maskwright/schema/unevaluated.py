"""``unevaluatedProperties`` and ``unevaluatedItems``: what no subschema that holds in place has looked at.

Which members were evaluated depends on which branches hold. A schema is therefore split into *cases*: some branches
are asked to hold, and what they evaluate is free of the keyword. A case may leave a branch out that holds as well; that
only asks for more, and the case with the branch is there too, so the union of all cases is exact.
"""
# ruff: noqa: N802

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from maskwright.errors import LimitError, Problem
from maskwright.regex.compile import search_term
from maskwright.schema.combinations import absent
from maskwright.schema.document import is_writable
from maskwright.schema.elements import Row
from maskwright.schema.members import Source
from maskwright.schema.negation import Choice
from maskwright.schema.reading import Reading
from maskwright.schema.references import REFERENCES, Document, Subschema
from maskwright.schema.residual import TRUE, Formula

__all__ = ["unevaluatedItems", "unevaluatedProperties"]

#: Cases of one schema; ten branches of an ``anyOf`` that all evaluate something have as many.
_MOST_CASES: Final = 1_024


class _Seen(NamedTuple):
    """What is evaluated in a case; keys and counts as the annotations of the specification collect them."""

    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    #: All members are evaluated.
    members: bool = False
    #: Elements up to here are evaluated.
    prefix: int = 0
    #: All elements are evaluated.
    elements: bool = False
    #: Elements that meet one of these are evaluated.
    contained: frozenset[Subschema] = frozenset()

    def union(self, other: _Seen) -> _Seen:
        return _Seen(
            self.names | other.names,
            self.patterns | other.patterns,
            self.members or other.members,
            max(self.prefix, other.prefix),
            self.elements or other.elements,
            self.contained | other.contained,
        )


class _Case(NamedTuple):
    """Branches that must hold, as formulas of arrays and objects, and what is evaluated then."""

    array: Formula
    object: Formula
    seen: _Seen


_Cases = tuple[_Case, ...]
_NOTHING: Final = _Seen()


class _Rest(Row):
    """The elements that nothing has evaluated."""

    __slots__ = ("after",)

    #: What the keyword says of the elements after the prefix.
    after: Subschema | None

    def below(self, document: Document, index: int) -> Subschema | None:
        """What the keyword says of the element at an index; ``None`` where there can be none."""
        if index < len(self.prefix):
            return document.child(self.owner, True, "items")
        return self.after


class _Splitting:
    """The cases of one schema and of what applies in place below it."""

    def __init__(self, reading: Reading, keyword: str) -> None:
        self._reading = reading
        self._keyword = keyword
        self._stores = reading.stores
        self._conjoin = reading.stores.formulas.conjoin
        self._known: dict[Subschema, _Cases] = {}

    def cases(self) -> _Cases:
        """The cases of the schema itself; subschemas first, without recursion."""
        root = self._reading.subschema
        stack = [root]
        while stack:
            here = stack[-1]
            missing = [s for _, s, _ in self._applied(here) if s not in self._known]
            if missing:
                stack.extend(missing)
                continue
            if here not in self._known:
                self._known[here] = self._of(here, is_root=here is root)
            stack.pop()
        return self._known[root]

    def _applied(self, here: Subschema) -> list[tuple[str, Subschema, str]]:
        """The subschemas that apply in place and may evaluate something."""
        return [found for found in _applied(self._stores.document, here) if isinstance(found[1].value, dict)]

    def _of(self, here: Subschema, *, is_root: bool) -> _Cases:
        cases: _Cases = (_Case(TRUE, TRUE, self._own(here, is_root=is_root)),)
        exclusive: list[_Case] = []
        for keyword, below, name in self._applied(here):
            known = self._known[below]
            if keyword in REFERENCES or keyword == "allOf":
                cases = self._product(cases, known)
            elif keyword == "oneOf":
                exclusive.extend(self._holding(below, known))
            elif keyword in {"anyOf", "if"}:
                cases = self._product(cases, self._optional(self._holding(below, known)))
            elif keyword in {"then", "else"}:
                cases = self._product(cases, self._optional(self._following(here, keyword, known)))
            elif keyword == "dependentSchemas":
                cases = self._product(cases, self._optional(self._depending(name, known)))
        return self._product(cases, self._optional(exclusive)) if exclusive else cases

    def _own(self, here: Subschema, *, is_root: bool) -> _Seen:
        """What the keywords of a schema evaluate themselves."""
        schema, known = here.value, here.resource.draft.keywords
        given = {name: schema[name] for name in schema if name in known}
        items, prefix = given.get("items"), len(given.get("prefixItems", ()))
        if isinstance(items, list):
            prefix, items = len(items), given.get("additionalItems")
        contained: frozenset[Subschema] = frozenset()
        if "contains" in given and "prefixItems" in known:
            contained = frozenset([self._stores.document.child(here, given["contains"], "contains")])
        return _Seen(
            frozenset(given.get("properties", ())),
            frozenset(given.get("patternProperties", ())),
            "additionalProperties" in given or ("unevaluatedProperties" in given and not is_root),
            prefix,
            items is not None or ("unevaluatedItems" in given and not is_root),
            contained,
        )

    def _product(self, left: _Cases, right: Iterable[_Case]) -> _Cases:
        right = tuple(right)
        if len(left) * len(right) > _MOST_CASES:
            reason = f"more than {_MOST_CASES} ways in which branches can evaluate something"
            place = f"{self._reading.subschema.place}/{self._keyword}"
            raise LimitError(Problem(reason, place, self._keyword, "use fewer branches beside it"))
        made = [
            _Case(self._conjoin((a.array, b.array)), self._conjoin((a.object, b.object)), a.seen.union(b.seen))
            for a in left
            for b in right
        ]
        return tuple(dict.fromkeys(made))

    @staticmethod
    def _optional(cases: Iterable[_Case]) -> _Cases:
        """The cases, and the one that asks for nothing; those that evaluate nothing are no help."""
        return (_Case(TRUE, TRUE, _NOTHING), *(case for case in cases if case.seen != _NOTHING))

    def _holding(self, below: Subschema, cases: _Cases) -> _Cases:
        """The cases, with the subschema asked to hold."""
        shape = self._reading.shape_of(below)
        return tuple(
            _Case(self._conjoin((shape.array, c.array)), self._conjoin((shape.object, c.object)), c.seen) for c in cases
        )

    def _following(self, here: Subschema, keyword: str, cases: _Cases) -> _Cases:
        """``then`` where ``if`` holds, ``else`` where it does not."""
        if "if" not in here.value:
            return ()
        test = self._reading.shape_of(self._stores.document.child(here, here.value["if"], "if"))
        if keyword == "else":
            test = self._stores.shapes.complement(test)
        return tuple(
            _Case(self._conjoin((test.array, c.array)), self._conjoin((test.object, c.object)), c.seen) for c in cases
        )

    def _depending(self, name: str, cases: _Cases) -> _Cases:
        """The cases of a subschema where the key that it hangs on is there."""
        if not is_writable(name):
            return ()
        there = self._stores.formulas.negate(absent(self._reading, name))
        return tuple(_Case(c.array, self._conjoin((there, c.object)), c.seen) for c in cases)


def _applied(document: Document, here: Subschema) -> Iterable[tuple[str, Subschema, str]]:
    """The subschemas that apply in place and whose annotations count, with their keywords and keys."""
    schema = here.value
    known = here.resource.draft.keywords
    for keyword in schema:
        if keyword not in known:
            continue
        value = schema[keyword]
        if keyword in REFERENCES:
            yield keyword, document.resolve(here, value, keyword), ""
        elif keyword in {"allOf", "anyOf", "oneOf"}:
            yield from ((keyword, document.child(here, one, keyword, place), "") for place, one in enumerate(value))
        elif keyword in {"if", "then", "else"}:
            yield keyword, document.child(here, value, keyword), ""
        elif keyword == "dependentSchemas":
            yield from ((keyword, document.child(here, one, keyword, name), name) for name, one in value.items())


def unevaluatedProperties(value: Any, reading: Reading) -> None:
    """The schema of the members that nothing in place has evaluated."""
    if value is True or value == {}:
        return
    formulas = reading.stores.formulas
    found: list[Formula] = []
    for case in _Splitting(reading, "unevaluatedProperties").cases():
        rest: Formula = TRUE
        if not case.seen.members:
            source = Source(reading.subschema, dict.fromkeys(sorted(case.seen.names), True))
            source.patterns = tuple(
                (search_term(text, dialect="ecma"), text, True) for text in sorted(case.seen.patterns)
            )
            source.additional, source.keyword = value, "unevaluatedProperties"
            rest = reading.stores.members.one(source).initial.simple
        found.append(formulas.conjoin((case.object, rest)))
    reading.restrict(object_=formulas.disjoin(found))


def unevaluatedItems(value: Any, reading: Reading) -> None:
    """The schema of the elements that nothing in place has evaluated."""
    if value is True or value == {}:
        return
    formulas = reading.stores.formulas
    found: list[Formula] = []
    for case in _Splitting(reading, "unevaluatedItems").cases():
        rest: Formula = TRUE
        if not case.seen.elements:
            row = _Rest(reading.subschema)
            row.prefix, row.rest = (True,) * case.seen.prefix, value
            row.after = _unless(sorted(case.seen.contained, key=lambda s: s.place), value, reading)
            rest = reading.stores.elements.elements((row,)).initial.simple
        found.append(formulas.conjoin((case.array, rest)))
    reading.restrict(array=formulas.disjoin(found))


def _unless(contained: list[Subschema], value: Any, reading: Reading) -> Subschema | None:
    """What holds of an element that was not evaluated, or that ``contains`` has."""
    own = [] if value is False else [reading.child(value, "unevaluatedItems")]
    options = [*contained, *own]
    return None if not options else options[0] if len(options) == 1 else Choice(options)
