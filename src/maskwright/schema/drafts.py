"""The drafts of JSON Schema as data: which keywords each one knows, what they hold and what they apply to.

Sources: draft-fge-json-schema-validation-00 (draft 4), draft-wright-json-schema-validation-01 (6),
draft-handrews-json-schema-validation-01 (7), the 2019-09 and 2020-12 specifications.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from maskwright.schema.document import EXPONENT_LIMIT, is_number

__all__ = [
    "ALL_TYPES",
    "DRAFTS",
    "EVERY_KEYWORD",
    "LATEST",
    "TYPES",
    "Draft",
    "Keyword",
    "drafts_of",
    "find_draft",
    "odd_key",
]

#: The JSON types as bits; ``integer`` is the bit of ``number``, restricted elsewhere.
TYPES: Final = {"null": 1, "boolean": 2, "number": 4, "integer": 4, "string": 8, "array": 16, "object": 32}
ALL_TYPES: Final = 63
_NUMBER, _STRING, _ARRAY, _OBJECT = 4, 8, 16, 32

Form = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class Keyword:
    """What a draft says about one keyword."""

    #: What its value must be, in words, and the test for it.
    form: str
    check: Form
    #: How the value holds subschemas: ``""``, ``"schema"``, ``"list"``, ``"map"``, ``"either"``, ``"reference"``,
    #: ``"dependencies"`` (map of schemas or lists of names).
    holds: str = ""
    #: The types it asserts something about.
    types: int = ALL_TYPES
    #: Subschemas apply to the value itself, not to its members.
    in_place: bool = False
    #: Which values, beside which siblings, are enforced; the others are refused at compile time.
    enforced: Callable[[object, dict[str, object]], bool] | None = None


def _is_schema(value: object) -> bool:
    return isinstance(value, (dict, bool))


def odd_key(mapping: dict[Any, object]) -> tuple[object, ...]:
    """The first key that is no text, in a tuple; empty for a JSON object. Joining tests all keys in C."""
    try:
        "".join(mapping)
    except TypeError:
        return next((key,) for key in mapping if not isinstance(key, str))
    return ()


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_filled_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_map(value: object) -> bool:
    return isinstance(value, dict) and not odd_key(value)


def _is_either(value: object) -> bool:
    return isinstance(value, (dict, bool, list))


def _is_natural(value: object) -> bool:
    if isinstance(value, float):
        return value >= 0 and value.is_integer()
    if isinstance(value, Decimal):
        # What is checked last would write out all digits of 1e999999999.
        return value.is_finite() and value >= 0 and value.adjusted() <= EXPONENT_LIMIT and value == int(value)
    return is_number(value) and value >= 0 and value == int(value)  # type: ignore[operator, call-overload]


def _is_positive(value: object) -> bool:
    return is_number(value) and not (isinstance(value, Decimal) and value.is_nan()) and value > 0  # type: ignore[operator]


def _is_bound(value: object) -> bool:
    return is_number(value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_name_lists(value: object) -> bool:
    return isinstance(value, dict) and not odd_key(value) and all(map(_is_names, value.values()))


def _is_dependencies(value: object) -> bool:
    return isinstance(value, dict) and not odd_key(value) and all(_is_schema(v) or _is_names(v) for v in value.values())


def _is_type(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(name, str) and name in TYPES for name in value)
    return isinstance(value, str) and value in TYPES


def _anything(_value: object) -> bool:
    return True


def _never(_value: object, _siblings: dict[str, object]) -> bool:
    return False


def _if_false(value: object, _siblings: dict[str, object]) -> bool:
    return value is False


def _if_open(value: object, _siblings: dict[str, object]) -> bool:
    return value is True or value == {}


def _if_trivial(value: object, _siblings: dict[str, object]) -> bool:
    return isinstance(value, bool) or value == {}


def _if_single(value: object, _siblings: dict[str, object]) -> bool:
    return isinstance(value, list) and len(value) == 1


def _if_alone(_value: object, siblings: dict[str, object]) -> bool:
    return "then" not in siblings and "else" not in siblings


_NATURAL = ("a whole number of at least 0", _is_natural)
_SCHEMA = ("a schema (an object or a boolean)", _is_schema)
_SCHEMAS = ("a list of schemas that is not empty", _is_filled_list)
_SCHEMA_MAP = ("an object of schemas", _is_map)

_DRAFT_4: Final[dict[str, Keyword]] = {
    "$ref": Keyword("a text", _is_text, "reference", in_place=True),
    "type": Keyword(f"one of {', '.join(TYPES)}, or a list of them", _is_type),
    "enum": Keyword("a list", _is_list),
    "multipleOf": Keyword("a number above 0", _is_positive, types=_NUMBER),
    "minimum": Keyword("a number", _is_bound, types=_NUMBER),
    "maximum": Keyword("a number", _is_bound, types=_NUMBER),
    "exclusiveMinimum": Keyword("a boolean in draft 4", _is_flag, types=_NUMBER),
    "exclusiveMaximum": Keyword("a boolean in draft 4", _is_flag, types=_NUMBER),
    "minLength": Keyword(*_NATURAL, types=_STRING),
    "maxLength": Keyword(*_NATURAL, types=_STRING),
    "pattern": Keyword("a text", _is_text, types=_STRING),
    "format": Keyword("a text", _is_text, types=_STRING),
    "items": Keyword("a schema or a list of schemas", _is_either, "either", types=_ARRAY),
    "additionalItems": Keyword(*_SCHEMA, "schema", types=_ARRAY),
    "minItems": Keyword(*_NATURAL, types=_ARRAY),
    "maxItems": Keyword(*_NATURAL, types=_ARRAY),
    "uniqueItems": Keyword("a boolean", _is_flag, types=_ARRAY, enforced=_if_false),
    "properties": Keyword(*_SCHEMA_MAP, "map", types=_OBJECT),
    "patternProperties": Keyword(*_SCHEMA_MAP, "map", types=_OBJECT),
    "additionalProperties": Keyword(*_SCHEMA, "schema", types=_OBJECT),
    "required": Keyword("a list of texts", _is_names, types=_OBJECT),
    "minProperties": Keyword(*_NATURAL, types=_OBJECT),
    "maxProperties": Keyword(*_NATURAL, types=_OBJECT),
    "dependencies": Keyword(
        "an object of schemas or lists of names", _is_dependencies, "dependencies", types=_OBJECT, in_place=True
    ),
    "allOf": Keyword(*_SCHEMAS, "list", in_place=True),
    "anyOf": Keyword(*_SCHEMAS, "list", in_place=True),
    "oneOf": Keyword(*_SCHEMAS, "list", in_place=True, enforced=_if_single),
    "not": Keyword(*_SCHEMA, in_place=True, enforced=_if_trivial),
}
_DRAFT_6: Final[dict[str, Keyword]] = {
    **_DRAFT_4,
    "const": Keyword("any value", _anything),
    "exclusiveMinimum": Keyword("a number", _is_bound, types=_NUMBER),
    "exclusiveMaximum": Keyword("a number", _is_bound, types=_NUMBER),
    "contains": Keyword(*_SCHEMA, types=_ARRAY, enforced=_never),
    "propertyNames": Keyword(*_SCHEMA, "schema", types=_OBJECT),
}
_DRAFT_7: Final[dict[str, Keyword]] = {
    **_DRAFT_6,
    "if": Keyword(*_SCHEMA, in_place=True, enforced=_if_alone),
    "then": Keyword(*_SCHEMA),
    "else": Keyword(*_SCHEMA),
}
_DRAFT_2019: Final[dict[str, Keyword]] = {
    **{name: keyword for name, keyword in _DRAFT_7.items() if name != "dependencies"},
    "dependentRequired": Keyword("an object of lists of names", _is_name_lists, types=_OBJECT),
    "dependentSchemas": Keyword(*_SCHEMA_MAP, "map", types=_OBJECT, in_place=True),
    "minContains": Keyword(*_NATURAL, types=_ARRAY),
    "maxContains": Keyword(*_NATURAL, types=_ARRAY),
    "unevaluatedItems": Keyword(*_SCHEMA, types=_ARRAY, enforced=_if_open),
    "unevaluatedProperties": Keyword(*_SCHEMA, types=_OBJECT, enforced=_if_open),
    "$recursiveRef": Keyword("a text", _is_text, in_place=True, enforced=_never),
}
_DRAFT_2020: Final[dict[str, Keyword]] = {
    **{name: keyword for name, keyword in _DRAFT_2019.items() if name not in {"additionalItems", "$recursiveRef"}},
    "items": Keyword(*_SCHEMA, "schema", types=_ARRAY),
    "prefixItems": Keyword(*_SCHEMAS, "list", types=_ARRAY),
    "$dynamicRef": Keyword("a text", _is_text, in_place=True, enforced=_never),
}


@dataclass(frozen=True)
class Draft:
    """One draft: its keywords and the three rules in which drafts differ beyond them."""

    name: str
    keywords: dict[str, Keyword]
    #: The keyword that gives a subschema its URI.
    identifier: str = "$id"
    #: ``$ref`` hides every keyword beside it (up to draft 7).
    lone_reference: bool = False
    #: Anchors are separate keywords, not fragments of the identifier (from 2019-09 on).
    anchors: tuple[str, ...] = ()
    #: ``1.0`` is an integer (from draft 6 on).
    whole_floats: bool = True


LATEST: Final = Draft("2020-12", _DRAFT_2020, anchors=("$anchor", "$dynamicAnchor"))
#: By identifying URI, without the empty fragment and the scheme.
DRAFTS: Final[dict[str, Draft]] = {
    "json-schema.org/draft/2020-12/schema": LATEST,
    "json-schema.org/draft/2019-09/schema": Draft("2019-09", _DRAFT_2019, anchors=("$anchor",)),
    "json-schema.org/draft-07/schema": Draft("draft-07", _DRAFT_7, lone_reference=True),
    "json-schema.org/draft-06/schema": Draft("draft-06", _DRAFT_6, lone_reference=True),
    "json-schema.org/draft-04/schema": Draft(
        "draft-04", _DRAFT_4, identifier="id", lone_reference=True, whole_floats=False
    ),
    "json-schema.org/schema": LATEST,
}
#: Every keyword that asserts something in some draft.
EVERY_KEYWORD: Final = frozenset().union(*(draft.keywords for draft in DRAFTS.values()))


def drafts_of(keyword: str) -> list[str]:
    """The names of the drafts that know a keyword, oldest first."""
    known = {draft.name: draft.keywords for draft in DRAFTS.values()}
    return [name for name in reversed(known) if keyword in known[name]]


def find_draft(uri: str) -> Draft | None:
    """The draft that a ``$schema`` URI names; ``None`` if it names none that is known."""
    return DRAFTS.get(uri.removesuffix("#").removeprefix("http://").removeprefix("https://"))
