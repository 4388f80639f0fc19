"""OpenAI's structured outputs (``"strict": true``), with the limits that were raised in July 2025.

Sources: the structured outputs guide; reports name the repository and number of an issue on GitHub.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from maskwright.dialects.dialect import Dialect, Limit, LongEnum, Rule

__all__ = ["OPENAI"]

_GUIDE: Final = "OpenAI, structured outputs guide"
_NOT_SUPPORTED: Final = Rule("this keyword is not supported", _GUIDE)
_NOT_PERMITTED: Final = Rule("this keyword is answered with \"'...' is not permitted\"", "reports of error messages")
_NOT_LISTED: Final = Rule(
    "only listed keywords are supported, and this one is not listed", f"{_GUIDE}; read as refused"
)

OPENAI: Final = Dialect(
    name="openai",
    title="OpenAI structured outputs, strict (July 2025)",
    supported=frozenset(
        {
            "$ref", "type", "enum", "const", "anyOf", "properties", "required", "additionalProperties", "items",
            "minItems", "maxItems", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "multipleOf",
        }
    ),
    refused=MappingProxyType(
        dict.fromkeys(
            ("allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"), _NOT_SUPPORTED
        )
        | dict.fromkeys(
            (
                "oneOf", "patternProperties", "propertyNames", "contains", "uniqueItems", "minProperties",
                "maxProperties", "unevaluatedProperties", "unevaluatedItems", "default",
            ),
            _NOT_PERMITTED,
        )
    ),
    unlisted=_NOT_LISTED,
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    other_formats=Rule("only nine formats are supported", _GUIDE),
    latest_forms=Rule("keywords have their latest form", "no other draft is named; read as a demand"),
    no_lookaround=Rule("patterns have no lookahead or lookbehind", "reports of error messages"),
    object_root=Rule("the root is an object and not anyOf", _GUIDE),
    closed=Rule("additionalProperties is required to be supplied and to be false", _GUIDE),
    all_required=Rule("required is an array that includes every key in properties, and no other", _GUIDE),
    typed=Rule("a schema must have a 'type' key (or anyOf, or $ref)", "error message in can1357/oh-my-pi#211"),
    item_schemas=Rule("an array must say what its items are", "error message in garrytan/gbrain#1103"),
    lone_reference=Rule("$ref cannot have keywords beside it", "reports of error messages"),
    references=("#", "#/$defs/", "#/definitions/"),
    other_references=Rule("$ref is # or #/$defs/NAME", _GUIDE),
    first_keys=Rule("objects provided via anyOf must not share identical first keys", "openai/openai-python#2193"),
    name_pattern=r"[A-Za-z0-9_-]{1,64}",
    name_rule=Rule("a name is 1 to 64 of the characters A-Z a-z 0-9 _ -", _GUIDE),
    long_enum=LongEnum(250, 15_000, Rule("an enum of more than 250 strings has at most 15,000 characters", _GUIDE)),
    limits=(
        Limit("properties", 5_000, Rule("a schema has at most 5,000 properties in total", _GUIDE)),
        Limit("level", 10, Rule("a schema has at most 10 levels of nesting; $ref is not followed", _GUIDE)),
        Limit("enum values", 1_000, Rule("a schema has at most 1,000 enum values in total", _GUIDE)),
        Limit(
            "names",
            120_000,
            Rule("names of properties and definitions, enum and const values have at most 120,000 characters", _GUIDE),
        ),
    ),
)  # fmt: skip
