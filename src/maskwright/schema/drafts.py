"""The drafts of JSON Schema as data: which keywords each one knows, what they hold and what they apply to.

Sources: draft-zyp-json-schema-03 (draft 3), draft-fge-json-schema-validation-00 (4),
draft-wright-json-schema-validation-01 (6), draft-handrews-json-schema-validation-01 (7), the 2019-09 and 2020-12
specifications.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from maskwright.schema.document import EXPONENT_LIMIT, is_number

__all__ = [
    "ALL_TYPES",
    "DRAFTS",
    "DRAFT_3",
    "DRAFT_3_FORMS",
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


def _is_hash(value: object) -> bool:
    return value == "#"


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


def _is_any_type(value: object) -> bool:
    """Names of types, ``any`` and schemas: draft 3."""
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(
        isinstance(n, dict) or (isinstance(n, str) and (n in TYPES or n == "any")) for n in names
    )


def _is_extension(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(one, dict) for one in value))


def _anything(_value: object) -> bool:
    return True


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
    "uniqueItems": Keyword("a boolean", _is_flag, types=_ARRAY),
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
    "oneOf": Keyword(*_SCHEMAS, "list", in_place=True),
    "not": Keyword(*_SCHEMA, "schema", in_place=True),
}
#: What draft 3 says in its own way; :mod:`maskwright.schema.draft3` reads it as what draft 4 says.
DRAFT_3_FORMS: Final[dict[str, Keyword]] = {
    "type": Keyword(f'"any", one of {", ".join(TYPES)}, a schema, or a list of them', _is_any_type),
    "disallow": Keyword(f'"any", one of {", ".join(TYPES)}, a schema, or a list of them', _is_any_type),
    "extends": Keyword("a schema or a list of schemas", _is_extension),
    "divisibleBy": Keyword("a number above 0", _is_positive, types=_NUMBER),
    "required": Keyword("a boolean in draft 3", _is_flag),
}
#: What it is read as, and no author may write.
_DRAFT_3_MEANS: Final = ("allOf", "anyOf", "not", "multipleOf")
_DRAFT_3: Final[dict[str, Keyword]] = {
    **DRAFT_3_FORMS,
    **{name: keyword for name, keyword in _DRAFT_4.items() if name not in {"oneOf", "minProperties", "maxProperties"}},
    # The reasons for a refusal name what was written.
    **{name: replace(_DRAFT_4[name], types=0) for name in _DRAFT_3_MEANS},
}
_DRAFT_6: Final[dict[str, Keyword]] = {
    **_DRAFT_4,
    "const": Keyword("any value", _anything),
    "exclusiveMinimum": Keyword("a number", _is_bound, types=_NUMBER),
    "exclusiveMaximum": Keyword("a number", _is_bound, types=_NUMBER),
    "contains": Keyword(*_SCHEMA, "schema", types=_ARRAY),
    "propertyNames": Keyword(*_SCHEMA, "schema", types=_OBJECT),
}
_DRAFT_7: Final[dict[str, Keyword]] = {
    **_DRAFT_6,
    "if": Keyword(*_SCHEMA, "schema", in_place=True),
    "then": Keyword(*_SCHEMA, "schema", in_place=True),
    "else": Keyword(*_SCHEMA, "schema", in_place=True),
}
_DRAFT_2019: Final[dict[str, Keyword]] = {
    # `dependencies` too: the specification split it and lets an implementation keep it.
    **_DRAFT_7,
    "dependentRequired": Keyword("an object of lists of names", _is_name_lists, types=_OBJECT),
    "dependentSchemas": Keyword(*_SCHEMA_MAP, "map", types=_OBJECT, in_place=True),
    "minContains": Keyword(*_NATURAL, types=_ARRAY),
    "maxContains": Keyword(*_NATURAL, types=_ARRAY),
    "unevaluatedItems": Keyword(*_SCHEMA, "schema", types=_ARRAY),
    "unevaluatedProperties": Keyword(*_SCHEMA, "schema", types=_OBJECT),
    "$recursiveRef": Keyword('the text "#"', _is_hash, "reference", in_place=True),
}
_DRAFT_2020: Final[dict[str, Keyword]] = {
    **{name: keyword for name, keyword in _DRAFT_2019.items() if name not in {"additionalItems", "$recursiveRef"}},
    "items": Keyword(*_SCHEMA, "schema", types=_ARRAY),
    "prefixItems": Keyword(*_SCHEMAS, "list", types=_ARRAY),
    "$dynamicRef": Keyword("a text", _is_text, "reference", in_place=True),
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
    #: Its metaschemas say by ``$vocabulary`` which keywords count (from 2019-09 on).
    has_vocabularies: bool = False
    #: Formats are asserted, whatever the policy: the metaschema says so.
    asserts_formats: bool = False
    #: What messages call it, where that is not its name.
    dialect: str = ""


LATEST: Final = Draft("2020-12", _DRAFT_2020, anchors=("$anchor", "$dynamicAnchor"), has_vocabularies=True)
DRAFT_3: Final = Draft("draft-03", _DRAFT_3, identifier="id", lone_reference=True, whole_floats=False)
#: By identifying URI, without the empty fragment and the scheme.
DRAFTS: Final[dict[str, Draft]] = {
    "json-schema.org/draft/2020-12/schema": LATEST,
    "json-schema.org/draft/2019-09/schema": Draft("2019-09", _DRAFT_2019, anchors=("$anchor",), has_vocabularies=True),
    "json-schema.org/draft-07/schema": Draft("draft-07", _DRAFT_7, lone_reference=True),
    "json-schema.org/draft-06/schema": Draft("draft-06", _DRAFT_6, lone_reference=True),
    "json-schema.org/draft-04/schema": Draft(
        "draft-04", _DRAFT_4, identifier="id", lone_reference=True, whole_floats=False
    ),
    "json-schema.org/draft-03/schema": DRAFT_3,
    "json-schema.org/schema": LATEST,
}
#: Every keyword that asserts something in some draft.
EVERY_KEYWORD: Final = frozenset().union(*(draft.keywords for draft in DRAFTS.values()))


def drafts_of(keyword: str) -> list[str]:
    """The names of the drafts that know a keyword, oldest first."""
    known = {draft.name: draft.keywords for draft in DRAFTS.values()}
    unsaid = {"draft-03"} if keyword in _DRAFT_3_MEANS else set[str]()
    return [name for name in reversed(known) if keyword in known[name] and name not in unsaid]


def find_draft(uri: str) -> Draft | None:
    """The draft that a ``$schema`` URI names; ``None`` if it names none that is known.

    A hyper-schema asserts what the schema of its draft does: its own keywords describe links.
    """
    address = uri.removesuffix("#").removeprefix("http://").removeprefix("https://")
    return DRAFTS.get(address.replace("/hyper-schema", "/schema"))
