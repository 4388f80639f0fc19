"""``check``: everything in a schema that a provider's strict mode would refuse, at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from maskwright.dialects.constants import constants_of
from maskwright.dialects.dialect import Dialect, Measure
from maskwright.dialects.findings import Finding
from maskwright.dialects.intake import DEFINITIONS, MEMBERS, Taken, below, take
from maskwright.dialects.rules import CHECKS
from maskwright.dialects.table import find_dialect
from maskwright.dialects.texts import json_text
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.schema.drafts import EVERY_KEYWORD
from maskwright.schema.references import Subschema

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["check", "find", "levels"]

#: Keywords that a rewriting takes apart instead of dropping, so what is below them is checked too.
_TAKEN_APART: Final = frozenset({"allOf", "oneOf", "prefixItems", *DEFINITIONS})
_LIMITED: Final[dict[Measure, tuple[str, str]]] = {
    "properties": ("properties", "split the schema, or drop properties"),
    "level": ("levels of nesting", "flatten it, or move deep parts to $defs where references are not followed"),
    "enum values": ("enum values", "drop values, or write only their type"),
    "names": ("characters of names and values", "shorten names, or write only the types of values"),
    "text": ("characters", "shorten or drop descriptions, or split the schema"),
}


def check(
    source: object,
    dialect: str,
    *,
    name: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    registry: Registry[Any] | None = None,
) -> tuple[Finding, ...]:
    """Everything that a dialect would refuse in a schema, in the order of the schema; empty if it is accepted.

    ``source`` is JSON text (``str``, ``bytes``) or the value (``dict``, ``bool``); ``dialect`` a name of ``DIALECTS``;
    ``name`` the one that the request will give the schema, if that is to be checked too; ``registry`` holds other
    documents that references lead to. Time and memory grow linearly with the schema.

    Raises:
        PolicyError: no dialect has this name.
        SchemaError: the source is not JSON or not a schema.
        LimitError: it is larger than ``limits`` allow.

    """
    found = find_dialect(dialect)
    findings = list(find(take(source, limits, registry), found))
    if name is not None and found.name_rule and not re.fullmatch(found.name_pattern, name):
        mend = "choose another name"
        findings.append(Finding(found.name, "", "name", f"the name is {name!r}", found.name_rule, mend))
    return tuple(findings)


def find(taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """The findings of a schema that was taken in."""
    for keyword, here in _relevant(taken, dialect):
        if isinstance(here.value, bool):
            yield from _boolean(keyword, here, taken, dialect)
            continue
        for one in CHECKS:
            yield from one(here, taken, dialect)
    yield from _recursion(taken, dialect)
    yield from _excess(taken, dialect)


def _relevant(taken: Taken, dialect: Dialect) -> Iterator[tuple[str, Subschema]]:
    """The subschemas that stay where refused keywords are dropped, in the order of the text; then those referred to."""
    seen: set[Subschema] = set()
    todo = [(keyword, here) for keyword, here in reversed(taken.nodes) if here in taken.targets.values()]
    todo.append(("", taken.root))
    while todo:
        keyword, here = todo.pop()
        if here in seen:
            continue
        seen.add(here)
        yield keyword, here
        if isinstance(here.value, dict):
            inner = list(below(taken.document, here))
            todo += [(name, one) for name, one in reversed(inner) if _stays(name, dialect)]


def _stays(keyword: str, dialect: Dialect) -> bool:
    if dialect.closed and keyword == "additionalProperties":
        return False
    return keyword in _TAKEN_APART or dialect.accepts(keyword)


def _boolean(keyword: str, here: Subschema, taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    if here is taken.root and dialect.object_root:
        mend = "describe an object"
        yield Finding(dialect.name, "#", "", "the root is a boolean", dialect.object_root, mend)
    elif dialect.closed and dialect.typed and not (keyword == "items" and (here.value or dialect.closed_tuples)):
        mend = "name the types" if here.value else "drop what it belongs to"
        reason = f"the schema is {'true' if here.value else 'false'}"
        yield Finding(dialect.name, here.place, keyword, reason, dialect.typed, mend)


def levels(taken: Taken) -> Iterator[tuple[int, Subschema]]:
    """Every subschema with the steps through members to it from the root of its part."""
    todo = [(0, taken.root)]
    while todo:
        level, here = todo.pop()
        yield level, here
        if isinstance(here.value, dict):
            todo += [
                (0 if keyword in DEFINITIONS else level + (keyword in MEMBERS), one)
                for keyword, one in below(taken.document, here)
                if not (keyword in ("additionalProperties", "items") and isinstance(one.value, bool))
            ]


def _recursion(taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """References that lead back to what holds them."""
    if dialect.no_recursion is None:
        return
    done: set[Subschema] = set()
    for _, start in taken.nodes:
        path: dict[Subschema, Iterator[Subschema]] = {} if start in done else {start: _onward(start, taken)}
        while path:
            here, onward = next(reversed(path.items()))
            following = next(onward, None)
            if following is None:
                del path[here]
                done.add(here)
            elif following in path:
                mend = "write out as many levels as are needed"
                reason = f"it leads back to {following.place}"
                yield Finding(dialect.name, f"{here.place}/$ref", "$ref", reason, dialect.no_recursion, mend)
            elif following not in done:
                path[following] = _onward(following, taken)


def _onward(here: Subschema, taken: Taken) -> Iterator[Subschema]:
    """What a schema applies, to its value or to members."""
    if isinstance(here.value, dict):
        found = taken.targets.get(here)
        if found is not None:
            yield found
        yield from (one for keyword, one in below(taken.document, here) if keyword not in DEFINITIONS)


def _excess(taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """The limits on the whole schema."""
    for limit in dialect.limits:
        if limit.measure not in _MEASURES:
            continue
        number, place = _MEASURES[limit.measure](taken)
        if number > limit.most:
            noun, mend = _LIMITED[limit.measure]
            yield Finding(dialect.name, place, "", f"{number:,} {noun}", limit.rule, mend)


def _properties(taken: Taken) -> tuple[int, str]:
    return sum(len(schema.get("properties", ())) for schema in _schemas(taken)), "#"


def _level(taken: Taken) -> tuple[int, str]:
    level, deepest = max(levels(taken), key=lambda pair: pair[0])
    return level, deepest.place


def _values(taken: Taken) -> tuple[int, str]:
    return sum(len(schema.get("enum", ())) for schema in _schemas(taken)), "#"


def _names(taken: Taken) -> tuple[int, str]:
    total = 0
    for schema in _schemas(taken):
        total += sum(len(name) for keyword in ("properties", *DEFINITIONS) for name in schema.get(keyword, ()))
        if not EVERY_KEYWORD.isdisjoint(schema):
            total += sum(_length(value) for value in constants_of(schema) or ())
    return total, "#"


def _length(value: object) -> int:
    return len(value) if isinstance(value, str) else len(json_text(value))


def _text(taken: Taken) -> tuple[int, str]:
    return len(json_text(taken.source)), "#"


def _schemas(taken: Taken) -> Iterator[dict[str, Any]]:
    return (here.value for _, here in taken.nodes if isinstance(here.value, dict))


_MEASURES: Final[dict[Measure, Callable[[Taken], tuple[int, str]]]] = {
    "properties": _properties,
    "level": _level,
    "enum values": _values,
    "names": _names,
    "text": _text,
}
