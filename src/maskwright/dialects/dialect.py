"""What a provider's strict mode accepts, as data: one frozen value for each provider, every rule with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

__all__ = ["Dialect", "Limit", "LongEnum", "Measure", "Rule"]

#: What a limit counts. ``level``: steps through properties and items from the root of a part (the schema, or one entry
#: of ``$defs``); references are not followed and ``anyOf`` is no step. ``names``: characters of the names of
#: properties and definitions and of the values of ``enum`` and ``const``. ``text``: characters of the schema as compact
#: JSON. ``branches``: of one ``anyOf``.
Measure = Literal["properties", "level", "enum values", "names", "text", "branches"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a provider."""

    text: str
    #: Where it is said: documentation, a report, or our own reading of those where they are silent ("read as").
    source: str

    def __str__(self) -> str:
        """The rule and its source."""
        return f"{self.text} [{self.source}]"


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that a schema must not exceed."""

    measure: Measure
    most: int
    rule: Rule


@dataclass(frozen=True, slots=True)
class LongEnum:
    """A bound on the characters of one ``enum`` of strings that has more than ``above`` values."""

    above: int
    most: int
    rule: Rule


@dataclass(frozen=True, kw_only=True, eq=False)
class Dialect:
    """One provider's subset of JSON Schema.

    A field of type :class:`Rule` is a demand if it is there and no demand if it is ``None``.
    """

    name: str
    #: Who it is, and which state of the provider's rules this is.
    title: str
    #: Keywords that are enforced.
    supported: frozenset[str]
    #: Keywords that are refused by name.
    refused: Mapping[str, Rule] = field(default_factory=lambda: MappingProxyType({}))
    #: Why any other keyword that asserts something is refused; ``None``: it is accepted.
    unlisted: Rule | None = None
    #: ``oneOf``, though refused, stands where its branches are seen to exclude each other.
    disjoint_one_of: bool = False
    #: Names beside the keywords that are accepted; ``None``: all are.
    annotations: frozenset[str] | None = None
    #: Why other names are refused.
    unknown: Rule | None = None
    formats: frozenset[str] | None = None
    other_formats: Rule | None = None
    #: Patterns have no lookahead and lookbehind.
    no_lookaround: Rule | None = None
    #: Keywords have the form of draft 2020-12: no boolean bounds (draft 4), no lists in ``items`` (up to 2019-09).
    latest_forms: Rule | None = None
    #: The root has ``"type": "object"`` and no ``anyOf``.
    object_root: Rule | None = None
    #: Every object says ``"additionalProperties": false``.
    closed: Rule | None = None
    #: ``required`` lists every property, and nothing else.
    all_required: Rule | None = None
    #: Every schema that asserts something (where objects are closed: every schema) has one of ``typed_by``.
    typed: Rule | None = None
    typed_by: frozenset[str] = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf"})
    #: ``type`` is one name.
    single_type: Rule | None = None
    #: Every array says what its items are.
    item_schemas: Rule | None = None
    #: ``prefixItems`` and ``"items": false`` stand only together.
    closed_tuples: Rule | None = None
    #: ``$ref`` has no keywords beside it.
    lone_reference: Rule | None = None
    #: How a reference may begin; ``#`` stands for the root alone.
    references: tuple[str, ...] | None = None
    other_references: Rule | None = None
    no_recursion: Rule | None = None
    #: The branches of ``anyOf`` that are objects begin with different keys.
    first_keys: Rule | None = None
    #: Keywords beside which all others are dropped, the strongest first.
    sole: tuple[str, ...] = ()
    sole_rule: Rule | None = None
    #: Of the name that a request gives a schema.
    name_pattern: str = ""
    name_rule: Rule | None = None
    long_enum: LongEnum | None = None
    limits: tuple[Limit, ...] = ()

    def limit(self, measure: Measure) -> Limit | None:
        """The limit on a measure, if there is one."""
        return next((limit for limit in self.limits if limit.measure == measure), None)

    def accepts(self, keyword: str) -> bool:
        """Whether a keyword that asserts something may stand in a schema."""
        return keyword in self.supported or (keyword not in self.refused and self.unlisted is None)
