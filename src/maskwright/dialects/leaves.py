"""Schemas without alternatives: what is left when references and combinators are opened, written in a dialect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

from maskwright.dialects.arrays import array_schema
from maskwright.dialects.constants import unique
from maskwright.dialects.dialect import Dialect
from maskwright.dialects.disjoint import ALL_KINDS, KINDS, kind_of
from maskwright.dialects.findings import Effect, Written
from maskwright.dialects.gathering import Part
from maskwright.dialects.intake import Taken
from maskwright.dialects.meeting import SPECIFIC, Meeting, names_of, trivial
from maskwright.dialects.objects import object_schema
from maskwright.dialects.rules import has_lookaround
from maskwright.dialects.steps import Steps
from maskwright.dialects.words import in_words
from maskwright.schema.references import Subschema

__all__ = ["Engine", "Leaf"]

Schema = dict[str, Any]
_SCALARS: Final = ALL_KINDS - {"array", "object"}


class Engine(Protocol):
    """What a leaf needs of the rewriting that it is part of."""

    taken: Taken
    dialect: Dialect
    absent: dict[int, tuple[Schema, set[str]]]

    def note(self, place: str, keyword: str, kind: Any, what: str, effect: Effect, *, why: str = "") -> None:
        """Record a change."""

    def schema(self, parts: tuple[Part, ...], place: str) -> Steps[Written]:
        """The schema of a conjunction of subschemas; ``place`` is that of the value if there are none."""


class Leaf:
    """One conjunction of keywords while it is written."""

    def __init__(self, engine: Engine, facts: Iterable[Subschema], place: str) -> None:
        """Meet the keywords of some schemas."""
        self.engine = engine
        self.dialect = engine.dialect
        self.meeting = Meeting(facts, engine.note, place)
        #: What was dropped, in words.
        self.sentences: tuple[str, ...] = ()

    def schema(self) -> Steps[Written]:
        """The schema, or ``False`` if nothing meets the keywords."""
        meeting = self.meeting
        if meeting.constants is not None:
            made: Written = yield self._constants()
            return made
        self._choose_types()
        if not meeting.kinds or self._is_negated():
            return False
        if not self.dialect.closed:
            made = yield self._open()
            return made
        variants: list[Schema] = [
            {"type": group[0] if len(group) == 1 else group, **self._scalar_keywords(group)}
            for group in self._groups(meeting.kinds & _SCALARS)
        ]
        if "array" in meeting.kinds:
            array = yield array_schema(self)
            variants += [array] if array is not None else []
        if "object" in meeting.kinds:
            closed = yield object_schema(self)
            variants += [closed] if closed is not None else []
        return _any_of(variants)

    def _is_negated(self) -> bool:
        """Whether ``not`` refuses everything; what else speaks about all types is noted as dropped."""
        everything = False
        for keyword, (value, _) in self.meeting.keywords.items():
            if keyword not in SPECIFIC:
                everything = everything or (keyword == "not" and (value is True or value == {}))
                self.keeps(keyword)
        return everything

    # ------------------------------------------------------------------------------------------------------- types

    def _choose_types(self) -> None:
        """Give a type where the dialect wants one and the schema names none."""
        meeting, rule = self.meeting, self.dialect.typed
        if not meeting.is_typeless or rule is None:
            return
        spoken = frozenset().union(*(SPECIFIC.get(name, frozenset()) for name in meeting.keywords))
        if not self.dialect.closed:
            if spoken:
                meeting.is_typeless = False
                self.engine.note(meeting.place, "type", "added", "all types", "equal", why=str(rule))
            return
        meeting.kinds = spoken or _SCALARS
        meeting.is_typeless = False
        what = f"values are {', '.join(names_of(meeting.kinds))} alone"
        self.engine.note(meeting.place, "type", "added", what, "narrower", why=str(rule))

    def _groups(self, kinds: Iterable[str]) -> list[list[str]]:
        """The names of types that stand in one schema."""
        names = names_of(kinds)
        if self.dialect.single_type and len(names) > 1:
            self.engine.note(
                self.meeting.place, "type", "changed", "anyOf of its types", "equal", why=str(self.dialect.single_type)
            )
            return [[name] for name in names]
        return [names] if names else []

    # ---------------------------------------------------------------------------------------------------- keywords

    def keeps(self, keyword: str) -> bool:
        """Whether a keyword stays as it is; if not, that it is dropped is noted."""
        value, here = self.meeting.keywords[keyword]
        place = f"{here.place}/{keyword}"
        rule = None
        if keyword == "pattern" and has_lookaround(value):
            rule = self.dialect.no_lookaround
        elif keyword == "format" and self.dialect.formats is not None and value not in self.dialect.formats:
            rule = self.dialect.other_formats
        if self.dialect.accepts(keyword) and rule is None:
            return True
        if trivial(keyword, value, self.meeting.keywords):
            self.engine.note(place, keyword, "dropped", "it asserts nothing", "equal", why=str(rule or ""))
        else:
            self.lose(keyword, value, place, str(rule or ""))
        return False

    def lose(self, keyword: str, value: Any, place: str, why: str = "") -> None:
        """Note that a keyword is no longer enforced."""
        self.engine.note(place, keyword, "dropped", in_words(keyword, value), "wider", why=why)
        self.sentences += (in_words(keyword, value),)

    def _scalar_keywords(self, names: list[str]) -> Schema:
        kinds = frozenset().union(*(KINDS[name] for name in names))
        return {
            keyword: value
            for keyword, (value, _) in self.meeting.keywords.items()
            if keyword in _SCALAR_KEYWORDS and not SPECIFIC[keyword].isdisjoint(kinds) and self.keeps(keyword)
        }

    def _open(self) -> Steps[Written]:
        """Everything in one schema, where objects are open."""
        meeting = self.meeting
        made = self._scalar_keywords([*KINDS])
        for kind, write in (("array", array_schema), ("object", object_schema)):
            more = (yield write(self)) if kind in meeting.kinds else {}
            if more is None:
                meeting.kinds -= {kind}
                meeting.is_typeless = False
            else:
                made |= more
        names = names_of(meeting.kinds)
        given = {} if meeting.is_typeless else {"type": names[0] if len(names) == 1 else names}
        return {**given, **made} if names else False

    # --------------------------------------------------------------------------------------------------- constants

    def _constants(self) -> Steps[Written]:
        """The constants by type; other keywords were tested against them, or are dropped."""
        meeting = self.meeting
        for keyword, (value, here) in meeting.keywords.items():
            if not meeting.is_tested(keyword):
                self.lose(keyword, value, f"{here.place}/{keyword}", "enum lists the values")
        values = meeting.constants or []
        if any("const" in own for _, own in meeting.facts):
            self.engine.note(meeting.place, "const", "changed", "an enum of one value", "equal")
        if not self.dialect.closed:
            return {"enum": values} if values else False
        scalars = [value for value in values if kind_of(value) in _SCALARS]
        variants: list[Schema] = []
        for group in self._groups(map(kind_of, scalars)):
            kinds = frozenset().union(*(KINDS[name] for name in group))
            chosen = [value for value in scalars if kind_of(value) in kinds]
            variants.append({"type": group[0] if len(group) == 1 else group, "enum": chosen})
        for value in values:
            if kind_of(value) not in _SCALARS:
                what = "a constant object or array is described by its members"
                self.engine.note(
                    meeting.place, "enum", "changed", what, "equal", why="objects are closed and arrays have items"
                )
                made = yield self._constant(value)
                variants.append(made)
        return _any_of(variants)

    def _constant(self, value: Any) -> Steps[Schema]:
        """A schema of one constant value."""
        if isinstance(value, dict):
            properties = {}
            for name, one in value.items():
                properties[name] = yield self._constant(one)
            return {
                "type": "object", "properties": properties, "required": list(value), "additionalProperties": False
            }  # fmt: skip
        if not isinstance(value, list):
            return {"type": names_of([kind_of(value)])[0], "enum": [value]}
        made: Schema = {"type": "array"}
        rows = []
        for one in value:
            row = yield self._constant(one)
            rows.append(row)
        place, bound = self.meeting.place, "the items of a constant array"
        if rows and self.dialect.accepts("prefixItems") and self.dialect.closed_tuples:
            self.engine.note(
                place, "enum", "changed", f"{bound} may be fewer", "wider", why="bounds on items are not supported"
            )
            return made | {"prefixItems": rows, "items": False}
        kinds = unique(rows)
        made["items"] = {"type": "null"} if not kinds else kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        if self.dialect.accepts("minItems"):
            made |= {"minItems": len(rows), "maxItems": len(rows)}
        if len(kinds) > 1 or not self.dialect.accepts("minItems"):
            self.engine.note(
                place, "enum", "changed", f"{bound} may be in any order or number", "wider", why="no tuples"
            )
        return made


_SCALAR_KEYWORDS: Final = frozenset(name for name, kinds in SPECIFIC.items() if kinds <= _SCALARS)


def _any_of(variants: list[Schema]) -> Written:
    if not variants:
        return False
    return variants[0] if len(variants) == 1 else {"anyOf": variants}
