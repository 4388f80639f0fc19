"""Vocabularies: which keywords a metaschema of 2019-09 or 2020-12 makes its schemas mean (``$vocabulary``).

Sources: JSON Schema Core 2019-09 and 2020-12, section 8.1.2, and the lists of the standard vocabularies in sections 8
to 11 of both and in JSON Schema Validation, sections 6 to 9.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from maskwright.errors import Problem, SchemaError, UnsupportedError
from maskwright.schema.document import shown
from maskwright.schema.drafts import DRAFTS, Draft

__all__ = ["restricted"]

_CORE: Final = {"$ref", "$dynamicRef", "$recursiveRef"}
_UNEVALUATED: Final = {"unevaluatedItems", "unevaluatedProperties"}
_APPLICATOR: Final = {
    "prefixItems", "items", "additionalItems", "contains", "additionalProperties", "properties", "patternProperties",
    "dependentSchemas", "propertyNames", "if", "then", "else", "allOf", "anyOf", "oneOf", "not",
}  # fmt: skip
_VALIDATION: Final = {
    "type", "const", "enum", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
    "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties",
    "minProperties", "required", "dependentRequired",
}  # fmt: skip
_OLD: Final = DRAFTS["json-schema.org/draft/2019-09/schema"]
_NEW: Final = DRAFTS["json-schema.org/draft/2020-12/schema"]
#: Address of a vocabulary to its draft and keywords.
_VOCABULARIES: Final[dict[str, tuple[Draft, set[str]]]] = {
    **{
        f"https://json-schema.org/draft/2019-09/vocab/{name}": (_OLD, keywords)
        for name, keywords in {
            "core": _CORE,
            "applicator": _APPLICATOR | _UNEVALUATED,
            "validation": _VALIDATION,
            "meta-data": set[str](),
            "format": {"format"},
            "content": set[str](),
        }.items()
    },
    **{
        f"https://json-schema.org/draft/2020-12/vocab/{name}": (_NEW, keywords)
        for name, keywords in {
            "core": _CORE,
            "applicator": _APPLICATOR,
            "unevaluated": _UNEVALUATED,
            "validation": _VALIDATION,
            "meta-data": set[str](),
            "format-annotation": {"format"},
            "format-assertion": {"format"},
            "content": set[str](),
        }.items()
    },
}


def restricted(draft: Draft, vocabularies: Any, name: str) -> Draft:
    """The draft with only the keywords of the vocabularies that the metaschema ``name`` lists.

    A vocabulary that nobody here knows is ignored if the metaschema calls it optional (``false``). Raises
    :class:`maskwright.errors.UnsupportedError` naming each that it calls required, and ``SchemaError`` for a
    ``$vocabulary`` that is no object of booleans.
    """
    if not isinstance(vocabularies, dict) or not all(isinstance(needed, bool) for needed in vocabularies.values()):
        reason = f"`$vocabulary` of the metaschema {name!r} must be an object of booleans, not {shown(vocabularies)}"
        raise SchemaError(Problem(reason, keyword="$schema"))
    unknown = [uri for uri, needed in vocabularies.items() if needed and uri not in _VOCABULARIES]
    if unknown:
        remedy = "the metaschema may list it with `false` if schemas keep their meaning without it"
        reasons = [f"the metaschema {name!r} requires the vocabulary {uri!r}, which is not known" for uri in unknown]
        raise UnsupportedError(*(Problem(reason, "", "$schema", remedy) for reason in reasons))
    listed = [(uri, *_VOCABULARIES[uri]) for uri in vocabularies if uri in _VOCABULARIES]
    base = next((source for uri, source, _ in listed if uri.endswith("/core")), draft)
    found = {word: source.keywords[word] for _, source, words in listed for word in words if word in source.keywords}
    core = {word: base.keywords[word] for word in _CORE if word in base.keywords}
    asserts = any(uri.endswith("/format-assertion") for uri, _, _ in listed)
    return replace(base, dialect=f"the dialect {name!r}", keywords={**core, **found}, asserts_formats=asserts)
