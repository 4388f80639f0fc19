"""Cerebras' structured outputs (``"strict": true``): the present rules, and the narrower ones of its earlier texts.

API version 2 (default since 2026-07-21) changes no rule for schemas; it says that a property that is not in
``required`` is left out, not written as null. Sources: the structured outputs page (mid-2026 and early-2026 texts);
reports name the repository and number of an issue on GitHub.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from maskwright.dialects.dialect import Dialect, Limit, LongEnum, Rule

__all__ = ["CEREBRAS", "CEREBRAS_2025"]

_PAGE: Final = "Cerebras, structured outputs page, mid-2026"
_EARLY: Final = "Cerebras, structured outputs page, earlier texts"
_NOT_SUPPORTED: Final = Rule("this keyword is not supported", _PAGE)
_NOT_LISTED: Final = Rule("only listed keywords are supported, and this one is not listed", f"{_PAGE}; read as refused")
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")

CEREBRAS: Final = Dialect(
    name="cerebras",
    title="Cerebras structured outputs, strict (API version 2, mid-2026)",
    supported=frozenset(
        {
            "$ref", "type", "enum", "anyOf", "properties", "required", "additionalProperties", "items", "prefixItems",
            *_NUMBERS,
        }
    ),
    refused=MappingProxyType(
        dict.fromkeys(("minItems", "maxItems", "pattern", "format", "$anchor"), _NOT_SUPPORTED)
        | {
            "definitions": Rule("'definitions' is not supported; use '$defs'", "error message, HTTP 400"),
            "nullable": Rule("'nullable' is an unsupported field", "musistudio/claude-code-router#708"),
        }
    ),
    unlisted=_NOT_LISTED,
    annotations=frozenset({"title", "description", "default", "examples", "$schema", "$comment", "$defs"}),
    unknown=Rule("informational fields that are not used in validation are not supported", _PAGE),
    latest_forms=Rule("keywords have their latest form", "no other draft is named; read as a demand"),
    object_root=Rule("the root must be of type object", _PAGE),
    closed=Rule("additionalProperties must be present and false on every object", _PAGE),
    typed=Rule("a schema is of a type, an enum, anyOf, or a $ref", f"{_PAGE}; read as a demand"),
    typed_by=frozenset({"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}),
    single_type=Rule("lists of types are not supported; use anyOf with a null type", "error message, HTTP 400"),
    item_schemas=Rule("arrays require 'items' or 'prefixItems'; \"items\": true is not supported", _PAGE),
    closed_tuples=Rule('a tuple is prefixItems with "items": false', _PAGE),
    references=("#/$defs/",),
    other_references=Rule("$ref is #/$defs/NAME", _PAGE),
    no_recursion=Rule("recursive schemas are not supported", _PAGE),
    name_pattern=r"[A-Za-z0-9_-]{1,64}",
    name_rule=Rule("a name is 1 to 64 of the characters A-Z a-z 0-9 _ -", "Cerebras, API reference, functions"),
    long_enum=LongEnum(250, 7_500, Rule("an enum of more than 250 strings has at most 7,500 characters", _PAGE)),
    limits=(
        Limit("properties", 500, Rule("a schema has at most 500 properties", _PAGE)),
        Limit("level", 10, Rule("a schema has at most 10 levels of nesting", _PAGE)),
        Limit("enum values", 500, Rule("a schema has at most 500 enum values in total", _PAGE)),
        Limit("text", 5_000, Rule("the text of a schema has at most 5,000 characters", _PAGE)),
    ),
)  # fmt: skip

CEREBRAS_2025: Final = replace(
    CEREBRAS,
    name="cerebras-2025",
    title="Cerebras structured outputs, strict (API version 1: the narrowest of the earlier texts)",
    supported=CEREBRAS.supported.difference(_NUMBERS),
    refused=MappingProxyType(
        {**CEREBRAS.refused}
        | dict.fromkeys(_NUMBERS, Rule("bounds of numbers were rejected in 2025", "musistudio/claude-code-router#338"))
    ),
    all_required=Rule("every property is in required", _EARLY),
    limits=(
        *(limit for limit in CEREBRAS.limits if limit.measure != "level"),
        Limit("level", 5, Rule("a schema has at most 5 levels of nesting", _EARLY)),
        Limit("branches", 5, Rule("anyOf has at most 5 branches", _EARLY)),
    ),
)
