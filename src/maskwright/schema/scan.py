"""One pass over every subschema that the root can reach, before anything is compiled.

It finds all that must be refused at once: keyword values of the wrong kind, references to nowhere or in a circle,
patterns that cannot be read, keywords that are not enforced. Each subschema is visited once, without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from maskwright.errors import ConstraintError, LimitError, Problem, SchemaError, UnsupportedError, excerpt
from maskwright.limits import Limits
from maskwright.regex.compile import search_term
from maskwright.schema.document import exact_number, json_kind, shown
from maskwright.schema.draft3 import meaningless
from maskwright.schema.drafts import ALL_TYPES, DRAFT_3, EVERY_KEYWORD, TYPES, Draft, Keyword, drafts_of, odd_key
from maskwright.schema.formats import format_term
from maskwright.schema.policies import Policies
from maskwright.schema.reader import IN_PLACE, in_place
from maskwright.schema.references import Document, Subschema

__all__ = ["scan"]

_SCALARS = frozenset({str, int, bool, type(None)})
#: ``type`` and what only tells people something.
_LEAF = frozenset(
    {"type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)
_NO_TEXT = "the keys of a JSON object are texts, not {}"
#: Forms of keywords in other drafts.
_OLD_FORMS = {
    ("items", list): "a list is `prefixItems` from 2020-12 on; use that, or name an earlier draft in `$schema`",
    ("exclusiveMinimum", bool): "a boolean is draft 4; give the bound itself, or name draft 4 in `$schema`",
    ("exclusiveMaximum", bool): "a boolean is draft 4; give the bound itself, or name draft 4 in `$schema`",
    ("exclusiveMinimum", int): "a bound is draft 6 and later; name one in `$schema`",
    ("exclusiveMaximum", int): "a bound is draft 6 and later; name one in `$schema`",
    ("required", bool): "list the names of required members beside `properties`",
}
#: What took the place of keywords that a later draft dropped.
_SUCCESSORS = {
    "additionalItems": "use `items` beside `prefixItems`, or name 2019-09 in `$schema`",
    "$recursiveRef": "use `$dynamicRef`, or name 2019-09 in `$schema`",
    "divisibleBy": "use `multipleOf`, or name draft-03 in `$schema`",
    "disallow": "use `not`, or name draft-03 in `$schema`",
    "extends": "use `allOf`, or name draft-03 in `$schema`",
}


def scan(document: Document, policies: Policies, limits: Limits) -> tuple[Problem, ...]:
    """The warnings of a document that can be compiled.

    Raises :class:`maskwright.errors.SchemaError`, ``UnsupportedError`` or ``PatternError`` with every problem of the
    schema, and :class:`maskwright.errors.LimitError` beyond ``subschemas`` and ``schema_depth``.
    """
    return _Scan(document, policies, limits).run()


class _Scan:
    """The problems found so far."""

    def __init__(self, document: Document, policies: Policies, limits: Limits) -> None:
        self._document = document
        self._policies = policies
        self._limits = limits
        self._errors: dict[type[ConstraintError], list[Problem]] = {}
        #: By keyword, and for formats by ``format:`` and their name.
        self._warnings: dict[str, Problem] = {}
        #: Schemas that apply others in place.
        self._layered: list[Subschema] = []
        #: Invariant: every subschema of the stack is in ``_seen``.
        self._stack: list[Subschema] = []
        self._seen: set[Subschema] = set()
        #: Subschemas that need no visit.
        self._leaves = 0
        #: Whether some reference depends on its dynamic scope.
        self._is_dynamic = False

    def run(self) -> tuple[Problem, ...]:
        most, deepest = self._limits.subschemas, self._limits.schema_depth
        stack, seen = self._stack, self._seen
        self._reach(self._document.root)
        while stack:
            here = stack.pop()
            if len(seen) + self._leaves > most or here.depth > deepest:
                raise LimitError(_too_large(here, self._limits))
            self._visit(here)
            if self._is_dynamic and not self._document.is_scoped:
                self._document.track_scopes()
                return scan(self._document, self._policies, self._limits)
        if len(seen) + self._leaves > most:
            raise LimitError(_too_large(self._document.root, self._limits))
        self._raise()
        self._find_cycles()
        return tuple(self._warnings.values())

    def _raise(self) -> None:
        """One error for everything found; its class is the gravest one."""
        if self._errors:
            gravest = next((k for k in (SchemaError, LimitError, UnsupportedError) if k in self._errors), None)
            kind = gravest or next(iter(self._errors))
            raise kind(*(problem for problems in self._errors.values() for problem in problems))

    def _note(self, kind: type[ConstraintError], problem: Problem) -> None:
        self._errors.setdefault(kind, []).append(problem)

    def _reach(self, subschema: Subschema) -> None:
        if subschema not in self._seen and subschema.value is not True and subschema.value is not False:
            self._seen.add(subschema)
            self._stack.append(subschema)

    def _visit(self, here: Subschema) -> None:
        schema = here.value
        if not isinstance(schema, dict):
            reason = f"a schema is an object or a boolean, not {json_kind(schema)}"
            self._note(SchemaError, Problem(reason, here.place))
            return
        if not IN_PLACE.isdisjoint(schema):
            self._layered.append(here)
        draft = here.resource.draft
        keywords = draft.keywords
        if draft.lone_reference:
            schema = self._without_hidden(here, draft)
        for name, value in schema.items():
            keyword = keywords.get(name)
            if keyword is None:
                if name in EVERY_KEYWORD:
                    self._tell_foreign(here, name, draft)
                elif not isinstance(name, str):
                    self._note(SchemaError, Problem(_NO_TEXT.format(excerpt(name)), here.place))
                continue
            if keyword.check(value):
                if name in _CHECKS:
                    self._check(here, name, value)
                if keyword.holds:
                    self._below(here, name, value, keyword.holds)
            else:
                self._refuse(here, name, value, keyword)

    def _without_hidden(self, here: Subschema, draft: Draft) -> dict[str, Any]:
        """The keywords that an old draft hears; with a warning of the others, such as those beside ``$ref``."""
        schema: dict[str, Any] = here.value
        if draft is DRAFT_3:
            for name in meaningless(self._document.written(here)):
                self._tell_foreign(here, name, draft)
        if "$ref" not in schema:
            return schema
        for name in schema:
            if name in draft.keywords and name != "$ref" and name not in self._warnings:
                reason = f"`{name}` is ignored: in {draft.name} `$ref` hides what stands beside it"
                remedy = "put both into `allOf`, or name a later draft in `$schema`"
                self._warnings[name] = Problem(reason, f"{here.place}/{name}", name, remedy)
        return {"$ref": schema["$ref"]}

    def _tell_foreign(self, here: Subschema, name: str, draft: Draft) -> None:
        """Warn of a keyword that only other drafts know; once for each."""
        if name not in self._warnings:
            reason = f"`{name}` is ignored: it is no keyword of {draft.dialect or draft.name}"
            remedy = _SUCCESSORS.get(name, f"name one of its drafts in `$schema`: {', '.join(drafts_of(name))}")
            self._warnings[name] = Problem(reason, f"{here.place}/{name}", name, remedy)

    def _refuse(self, here: Subschema, name: str, value: Any, keyword: Keyword) -> None:
        place = f"{here.place}/{name}"
        if isinstance(value, dict) and odd_key(value):
            self._note(SchemaError, Problem(_NO_TEXT.format(*map(excerpt, odd_key(value))), place, name))
        else:
            reason = f"`{name}` must be {keyword.form}, not {shown(value)}"
            self._note(SchemaError, Problem(reason, place, name, _OLD_FORMS.get((name, type(value)), "")))

    def _check(self, here: Subschema, name: str, value: Any) -> None:
        try:
            _CHECKS[name](self, here, value)
        except ConstraintError as error:
            self._note_at(error, f"{here.place}/{name}", name)

    def _refer(self, here: Subschema, name: str, value: str) -> None:
        if name != "$ref":
            self._is_dynamic = True
        try:
            self._reach(self._document.resolve(here, value, name))
        except LimitError:
            raise
        except ConstraintError as error:
            self._note_at(error, f"{here.place}/{name}", name)

    def _below(self, here: Subschema, name: str, value: Any, holds: str) -> None:
        child, reach = self._document.child, self._reach
        if holds == "map":
            for key, schema in value.items():
                if _is_leaf(schema):
                    self._leaves += 1
                else:
                    reach(child(here, schema, name, key))
        elif holds == "reference":
            self._refer(here, name, value)
        elif holds == "dependencies":
            for key, demand in value.items():
                if not isinstance(demand, list):
                    reach(child(here, demand, name, key))
        elif isinstance(value, list):
            for place, schema in enumerate(value):
                reach(child(here, schema, name, place))
        elif not _is_leaf(value):
            reach(child(here, value, name))

    def _note_at(self, error: ConstraintError, place: str, keyword: str) -> None:
        for problem in error.problems:
            placed = (
                problem if problem.place.startswith("#") else Problem(problem.reason, place, keyword, problem.remedy)
            )
            self._note(type(error), placed)

    def check_pattern(self, _here: Subschema, value: str) -> None:
        search_term(value, dialect="ecma")

    def check_patterns(self, here: Subschema, value: dict[str, Any]) -> None:
        for pattern in value:
            try:
                search_term(pattern, dialect="ecma")
            except ConstraintError as error:
                self._note_at(error, f"{here.place}/patternProperties/{pattern}", "patternProperties")

    def check_number(self, _here: Subschema, value: Any) -> None:
        if not isinstance(value, (bool, int)):
            exact_number(value)

    def check_constants(self, _here: Subschema, value: Any) -> None:
        """Every part of the constants is JSON."""
        if isinstance(value, list) and _SCALARS.issuperset(map(type, value)):
            return
        layer = list(self._parts([value]))
        seen: set[int] = set()
        for _ in range(self._limits.schema_depth):
            if not layer:
                return
            new = {id(part): part for part in layer if id(part) not in seen and isinstance(part, (dict, list))}
            for part in layer:
                if isinstance(part, dict):
                    if odd_key(part):
                        raise SchemaError(Problem(_NO_TEXT.format(*map(excerpt, odd_key(part)))))
                elif not isinstance(part, (str, int, list)) and part is not None:
                    exact_number(part)
            seen.update(new)
            layer = [part for whole in new.values() for part in self._parts(whole)]
        raise LimitError(Problem("the constant nests too deeply", remedy="see Limits.schema_depth"))

    @staticmethod
    def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
        return value.values() if isinstance(value, dict) else value

    def check_format(self, here: Subschema, value: str) -> None:
        if self._policies.formats == "annotate" or not _applies(here.value, TYPES["string"]):
            return
        if format_term(value) is None:
            problem = Problem(f"the format {value!r} is not known", f"{here.place}/format", "format")
            if self._policies.formats == "strict":
                self._note(UnsupportedError, problem)
            else:
                self._warnings.setdefault(f"format:{value}", problem)

    def _find_cycles(self) -> None:
        """Refuse schemas that apply to themselves at one and the same value."""
        done: set[Subschema] = set()
        for start in self._layered:
            if start in done:
                continue
            path: dict[Subschema, Iterator[Subschema]] = {start: in_place(self._document, start)}
            while path:
                here, below = next(reversed(path.items()))
                following = next(below, None)
                if following is None:
                    del path[here]
                    done.add(here)
                elif following in path:
                    raise SchemaError(_cycle(list(path), following))
                elif following not in done:
                    path[following] = in_place(self._document, following)


_CHECKS: dict[str, Callable[[_Scan, Subschema, Any], None]] = {
    "pattern": _Scan.check_pattern,
    "patternProperties": _Scan.check_patterns,
    "format": _Scan.check_format,
    "enum": _Scan.check_constants,
    "const": _Scan.check_constants,
    "minimum": _Scan.check_number,
    "maximum": _Scan.check_number,
    "exclusiveMinimum": _Scan.check_number,
    "exclusiveMaximum": _Scan.check_number,
    "multipleOf": _Scan.check_number,
}


def _is_leaf(schema: Any) -> bool:
    """Whether a schema says no more than a type, as most schemas do; it need not be visited."""
    if type(schema) is not dict:
        return schema is True or schema is False
    kind = schema.get("type", "null")
    return _LEAF.issuperset(schema) and type(kind) is str and kind in TYPES


def _applies(schema: dict[str, Any], types: int) -> bool:
    """Whether a keyword can say anything beside the declared types."""
    given = schema.get("type")
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, (tuple, list)):
        return True
    mask = 0
    for name in names:
        mask |= TYPES.get(name, ALL_TYPES) if isinstance(name, str) else ALL_TYPES
    return bool(mask & types)


def _cycle(path: list[Subschema], back: Subschema) -> Problem:
    places = [s.place for s in path[path.index(back) :]] + [back.place]
    reason = f"the schema applies to itself in place: {' -> '.join(places)}"
    return Problem(reason, places[0], "$ref", "put the reference below a property or item")


def _too_large(here: Subschema, limits: Limits) -> Problem:
    if here.depth > limits.schema_depth:
        return Problem("the schema nests too deeply", "", "", f"Limits.schema_depth is {limits.schema_depth}")
    return Problem("the schema has too many subschemas", "", "", f"Limits.subschemas is {limits.subschemas}")
