"""What the constraint engines behind vLLM and SGLang enforce: llguidance refuses the rest, xgrammar drops it silently.

Sources: measurements of the wheels on 11,305 schemas (November 2026), and llguidance's documentation.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from maskwright.dialects.dialect import Dialect, Rule

__all__ = ["LLGUIDANCE", "XGRAMMAR"]

_LLGUIDANCE: Final = "llguidance 1.9.1, measured"
_REFUSED: Final = Rule("this keyword is an error", _LLGUIDANCE)
LLGUIDANCE: Final = Dialect(
    name="llguidance",
    title="llguidance 1.9.1, strict (a backend of vLLM and SGLang)",
    supported=frozenset(
        {
            "$ref", "type", "enum", "const", "anyOf", "allOf", "properties", "required", "additionalProperties",
            "patternProperties", "items", "prefixItems", "additionalItems", "minItems", "maxItems", "minLength",
            "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "multipleOf", "minProperties", "maxProperties",
        }
    ),
    refused=MappingProxyType(
        dict.fromkeys(
            (
                "not", "dependencies", "dependentRequired", "dependentSchemas", "uniqueItems", "if", "then", "else",
                "propertyNames", "contains", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems",
                "$dynamicRef", "$recursiveRef",
            ),
            _REFUSED,
        )
        | {"oneOf": Rule("oneOf is an error unless its branches are provably disjoint", _LLGUIDANCE)}
    ),
    disjoint_one_of=True,
    no_lookaround=Rule("lookahead and lookbehind are errors", _LLGUIDANCE),
)  # fmt: skip

_XGRAMMAR: Final = "xgrammar 0.2.9, measured"
_IGNORED: Final = Rule("this keyword is ignored", _XGRAMMAR)
XGRAMMAR: Final = Dialect(
    name="xgrammar",
    title="xgrammar 0.2.9 (the default of vLLM and SGLang)",
    supported=frozenset(
        {
            "$ref", "type", "enum", "const", "anyOf", "properties", "required", "additionalProperties",
            "patternProperties", "propertyNames", "items", "prefixItems", "minItems", "maxItems", "minLength",
            "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "minProperties", "maxProperties",
        }
    ),
    refused=MappingProxyType(
        dict.fromkeys(
            (
                "not", "dependencies", "dependentRequired", "dependentSchemas", "uniqueItems", "if", "then", "else",
                "contains", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems", "$anchor",
                "$dynamicRef", "$recursiveRef",
            ),
            _IGNORED,
        )
        | {
            "allOf": Rule("allOf of more than one branch is read as any JSON", _XGRAMMAR),
            "oneOf": Rule("oneOf is read as anyOf unless its branches are provably disjoint", _XGRAMMAR),
            "multipleOf": Rule("multipleOf is ignored for numbers and beside half-open bounds", _XGRAMMAR),
        }
    ),
    disjoint_one_of=True,
    latest_forms=Rule("boolean bounds and lists in items are errors", _XGRAMMAR),
    typed=Rule("keywords without type are ignored", _XGRAMMAR),
    typed_by=frozenset({"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}),
    references=("#",),
    other_references=Rule("anchors, identifiers and other documents are read as any JSON", _XGRAMMAR),
    sole=("$ref", "const", "enum", "anyOf", "oneOf", "allOf"),
    sole_rule=Rule("one keyword wins, in the order $ref const enum anyOf oneOf allOf; others are dropped", _XGRAMMAR),
)  # fmt: skip
