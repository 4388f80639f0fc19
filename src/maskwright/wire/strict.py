"""Schemas with ``"strict": true``: what a provider refuses in them, told in its own words.

The messages of Cerebras and OpenAI are those that reports of both interfaces quote; where no report is known the reason
and the rule stand in their form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from maskwright.dialects import DIALECTS, Finding, check
from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.wire.places import path_of
from maskwright.wire.refusals import CEREBRAS_CODE

__all__ = ["check_strict"]


def check_strict(schema: Any, dialect: str, *, what: str, param: str, code: str, limits: Limits) -> None:
    """Refuse a strict schema that a provider would refuse.

    Args:
        schema: A JSON Schema, or its text.
        dialect: A name of :data:`maskwright.dialects.DIALECTS`.
        what: Whose schema it is, as OpenAI's messages say it: ``response_format 'a_name'``, ``function 'f'``.
        param: The field that it stands in.
        code: The code of the refusal.
        limits: Caps on sizes and depths.

    Raises:
        RequestError: with the first thing that is refused; the JSON pointer to it stands behind ``param``.
        ConstraintError: it is no schema at all.
    """
    findings = check(schema, dialect, limits=limits)
    if not findings:
        return
    first = findings[0]
    words = _of_openai if dialect == "openai" else _of_cerebras
    message, status = words(findings, what)
    code = code if dialect == "openai" else CEREBRAS_CODE
    raise RequestError(message, status=status, param=path_of(param, first.place), code=code)


_LISTS: Final = (
    "Lists of types are not supported in JSON schema. If you are trying to make a field Optional, use anyOf with a "
    "null type"
)
#: Field of :class:`maskwright.dialects.Dialect` with the rule, to what Cerebras says of it, and with which status.
_CEREBRAS: Final[dict[str, tuple[str, int]]] = {
    "closed": ("'additionalProperties' is required to be supplied and set to false.", 422),
    "single_type": (_LISTS, 400),
    "item_schemas": ("Array fields require at least one of 'items' or 'prefixItems'.", 400),
}


def _of_cerebras(findings: Sequence[Finding], what: str) -> tuple[str, int]:
    del what
    first = findings[0]
    at = first.place or "#"
    known = _CEREBRAS.get(_rule_name(first))
    if known is not None:
        return f"{known[0]} (at {at})", known[1]
    if first.keyword == "definitions":
        return f"'definitions' is not supported in JSON schema. Use '$defs' instead (at {at})", 400
    if _is_name(first):
        here = first.place.rpartition("/")[0]
        names = sorted({one.keyword for one in findings if _is_name(one) and one.place.rpartition("/")[0] == here})
        listed = ", ".join(repr(name) for name in names)
        return f"Unsupported JSON schema fields: {{{listed}}} (at {here or '#'})", 400
    return f"Invalid JSON schema: {first.reason}; {first.rule.text} (at {at})", 400


def _of_openai(findings: Sequence[Finding], what: str) -> tuple[str, int]:
    first = findings[0]
    if _rule_name(first) == "limit":
        return f"Invalid schema for {what}: {first.reason} exceeds limit: {first.rule.text}.", 400
    known = _OPENAI.get(_rule_name(first))
    if known is not None:
        said = known(first)
    elif _is_name(first):
        said = f"'{first.keyword}' is not permitted."
    else:
        said = f"{first.reason}; {first.rule.text}."
    return f"Invalid schema for {what}: In context={_context(first)}, {said}", 400


def _is_missing(finding: Finding) -> bool:
    """Whether a name is absent from ``required``, or one too many in it; the place is that of the name then."""
    return finding.reason.endswith(" is optional")


def _of_required(finding: Finding) -> str:
    if not _is_missing(finding):
        name = finding.reason.removesuffix(" is required and is no property")
        return f"'required' is required to be supplied and to be an array. Extra required key {name} supplied."
    name = finding.reason.removesuffix(" is optional")
    return (
        f"'required' is required to be supplied and to be an array including every key in properties. Missing {name}."
    )


def _beside(finding: Finding) -> str:
    names = ", ".join(f"'{name}'" for name in finding.reason.partition(" beside ")[0].replace("`", "").split(", "))
    return f"$ref cannot have keywords {{{names}}}."


_OPENAI: Final[dict[str, Callable[[Finding], str]]] = {
    "closed": lambda _: "'additionalProperties' is required to be supplied and to be false.",
    "all_required": _of_required,
    "lone_reference": _beside,
    "typed": lambda _: "schema must have a 'type' key.",
    "item_schemas": lambda _: "array schema missing items.",
    "first_keys": lambda _: (
        "Objects provided via 'anyOf' must not share identical first keys. Consider adding a discriminator key or "
        "rearranging the properties to ensure the first key is unique."
    ),
    "object_root": lambda _: "schema must be of type 'object' and not 'anyOf' at its root.",
}
#: Rules whose findings have the place of the schema; others have that of a keyword in it.
_AT_SCHEMA: Final = ("typed", "item_schemas")
_RULES: Final = (*dict.fromkeys((*_OPENAI, *_CEREBRAS)),)


def _rule_name(finding: Finding) -> str:
    """The field of the dialect that holds the rule of a finding; ``limit`` for limits, ``""`` for any other."""
    dialect = DIALECTS[finding.dialect]
    if any(finding.rule is limit.rule for limit in dialect.limits):
        return "limit"
    return next((name for name in _RULES if getattr(dialect, name) is finding.rule), "")


def _is_name(finding: Finding) -> bool:
    """Whether a keyword is refused by its name."""
    dialect = DIALECTS[finding.dialect]
    return any(finding.rule is rule for rule in (*dialect.refused.values(), dialect.unlisted, dialect.unknown))


def _context(finding: Finding) -> str:
    """The schema at fault, as OpenAI writes a place: a tuple of the steps to it."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in finding.place.split("/")[1:]]
    rule = _rule_name(finding)
    if rule == "all_required" and _is_missing(finding):
        del steps[-2:]
    elif rule not in _AT_SCHEMA and not (rule == "closed" and finding.reason.endswith(" is missing")):
        del steps[-1:]
    return repr(tuple(steps))
