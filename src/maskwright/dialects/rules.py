"""The checks: one small function for each kind of rule, all in one signature; the dialect says which of them apply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from maskwright.dialects.constants import constants_of, json_equal
from maskwright.dialects.dialect import Dialect, Rule
from maskwright.dialects.disjoint import are_disjoint
from maskwright.dialects.findings import Finding
from maskwright.dialects.intake import Taken, target
from maskwright.schema.drafts import DRAFT_3, EVERY_KEYWORD
from maskwright.schema.references import Subschema

__all__ = ["CHECKS", "Check", "has_lookaround", "is_object", "is_refused", "step"]

Check = Callable[[Subschema, Taken, Dialect], Iterator[Finding]]
_ASIDE: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
_LOOK: Final = re.compile(r"\(\?<?[=!]")
#: Names that assert nothing and that the drafts define.
_DEFINED: Final = frozenset({"$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "definitions", "id"})
_MENDS: Final = {
    "allOf": "merge the branches into one schema",
    "const": "write an enum of one value",
    "definitions": "move the definitions to $defs",
    "oneOf": "write anyOf and check locally that one branch alone fits",
    "nullable": 'write anyOf with {"type": "null"}',
    "prefixItems": "write items with anyOf",
}  # fmt: skip


def has_lookaround(pattern: str) -> bool:
    """Whether a pattern looks ahead or behind; brackets and escapes are passed over."""
    return _LOOK.search(_ASIDE.sub("", pattern)) is not None


def is_object(schema: dict[str, Any]) -> bool:
    """Whether a schema describes objects: by its type, or by its keywords where it has none."""
    kind = schema.get("type")
    names = kind if isinstance(kind, list) else [kind]
    return "object" in names or (kind is None and "properties" in schema)


def is_array(schema: dict[str, Any]) -> bool:
    """Whether a schema may describe arrays by its type."""
    kind = schema.get("type")
    return "array" in (kind if isinstance(kind, list) else [kind])


def is_refused(name: str, dialect: Dialect) -> Rule | None:
    """The rule that refuses a name beside the values of a schema."""
    if name in dialect.refused:
        return dialect.refused[name]
    if name in dialect.supported:
        return None
    if name in EVERY_KEYWORD:
        return dialect.unlisted
    return dialect.unknown if dialect.annotations is not None and name not in dialect.annotations else None


def step(place: str, name: str) -> str:
    """A JSON pointer one step further."""
    return f"{place}/{name.replace('~', '~0').replace('/', '~1')}"


def _find(dialect: Dialect, place: str, keyword: str, reason: str, rule: Rule, *, mend: str) -> Finding:
    return Finding(dialect.name, place, keyword, reason, rule, mend)


def _asserts(schema: dict[str, Any]) -> bool:
    return not EVERY_KEYWORD.isdisjoint(schema)


def check_names(here: Subschema, taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """Every name is a keyword that the dialect enforces or an annotation that it accepts."""
    draft = here.resource.draft
    hidden = draft.lone_reference and "$ref" in here.value
    for name in here.value:
        rule = is_refused(name, dialect)
        if rule is None or (hidden and name != "$ref"):
            continue
        if name == "oneOf" and dialect.disjoint_one_of and _is_disjoint(here, taken):
            continue
        says = name in draft.keywords or name in _DEFINED
        mend = _MENDS.get(name, "drop it and check it locally" if says else "drop it; it asserts nothing")
        reason = f"`{name}` is used" if name in EVERY_KEYWORD or name in _DEFINED else f"`{name}` is no keyword"
        yield _find(dialect, step(here.place, name), name, reason, rule, mend=mend)


def _is_disjoint(here: Subschema, taken: Taken) -> bool:
    return are_disjoint(
        [taken.document.child(here, one, "oneOf", i) for i, one in enumerate(here.value["oneOf"])], taken
    )


def check_forms(here: Subschema, taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """Keywords that changed their form have the latest one; draft 3 is refused as a whole."""
    rule, mend = dialect.latest_forms, "write it as draft 2020-12 does"
    if rule is None:
        return
    if here is taken.root and here.resource.draft is DRAFT_3:
        yield _find(dialect, "#/$schema", "$schema", "the schema is of draft 3", rule, mend=mend)
    for name, form in (("exclusiveMinimum", bool), ("exclusiveMaximum", bool), ("items", list)):
        if name in dialect.supported and isinstance(here.value.get(name), form):
            reason = "the bound is a boolean" if form is bool else "items is a list"
            yield _find(dialect, f"{here.place}/{name}", name, reason, rule, mend=mend)


def check_format(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """The format is one of those that are enforced."""
    name = here.value.get("format")
    if dialect.formats is None or dialect.other_formats is None or name is None or name in dialect.formats:
        return
    known = ", ".join(sorted(dialect.formats))
    reason = f"the format {name!r} is not one of {known}"
    yield _find(
        dialect, f"{here.place}/format", "format", reason, dialect.other_formats, mend="drop it and check it locally"
    )


def check_pattern(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """The pattern has no lookaround."""
    pattern = here.value.get("pattern")
    if (
        dialect.no_lookaround
        and "pattern" in dialect.supported
        and isinstance(pattern, str)
        and has_lookaround(pattern)
    ):
        mend = "rewrite it without, or drop it and check it locally"
        yield _find(dialect, f"{here.place}/pattern", "pattern", "it looks around", dialect.no_lookaround, mend=mend)


def check_closed(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """An object names every key that it may have."""
    if dialect.closed and is_object(here.value) and here.value.get("additionalProperties") is not False:
        has = "is not false" if "additionalProperties" in here.value else "is missing"
        reason = f"additionalProperties {has}"
        place = f"{here.place}/additionalProperties" if "additionalProperties" in here.value else here.place
        mend = 'write "additionalProperties": false'
        if isinstance(here.value.get("additionalProperties"), dict):
            mend += "; a map can be an array of objects with a key and a value"
        yield _find(dialect, place, "additionalProperties", reason, dialect.closed, mend=mend)


def check_required(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """An object requires all its properties and no others."""
    if dialect.all_required is None or not is_object(here.value):
        return
    required, properties = dict.fromkeys(here.value.get("required", ())), here.value.get("properties", {})
    for name in properties:
        if name not in required:
            place, mend = step(f"{here.place}/properties", name), "require it, and let it be null where it was left out"
            yield _find(dialect, place, "required", f"{name!r} is optional", dialect.all_required, mend=mend)
    for name in required:
        if name not in properties:
            reason, mend = f"{name!r} is required and is no property", "describe it under properties"
            yield _find(dialect, f"{here.place}/required", "required", reason, dialect.all_required, mend=mend)


def check_type(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """A schema says its type, and one alone where lists are refused."""
    schema = here.value
    if dialect.typed and dialect.typed_by.isdisjoint(schema) and (dialect.closed or _asserts(schema)):
        yield _find(
            dialect, here.place, "type", "no type is given", dialect.typed, mend="name the type, or anyOf the types"
        )
    if dialect.single_type and isinstance(schema.get("type"), list):
        reason = f"type is a list of {len(schema['type'])}"
        yield _find(
            dialect,
            f"{here.place}/type",
            "type",
            reason,
            dialect.single_type,
            mend="write anyOf, a branch for each type",
        )


def check_items(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """An array says what its items are."""
    schema = here.value
    if dialect.item_schemas and is_array(schema) and schema.get("items", True) is True and "prefixItems" not in schema:
        has = "is true" if "items" in schema else "is missing"
        yield _find(
            dialect, here.place, "items", f"items {has}", dialect.item_schemas, mend="write the schema of the items"
        )
    if dialect.closed_tuples and ("prefixItems" in schema) != (schema.get("items", True) is False):
        reason = 'prefixItems stands without "items": false' if "prefixItems" in schema else "items is false"
        mend = 'write "items": false beside prefixItems, or items alone with anyOf'
        yield _find(dialect, here.place, "items", reason, dialect.closed_tuples, mend=mend)  # fmt: skip


def check_reference(here: Subschema, taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """A reference stands alone and leads where references may lead."""
    reference = here.value.get("$ref")
    if not isinstance(reference, str):
        return
    beside = [name for name in here.value if name != "$ref" and name not in ("$defs", "definitions")]
    if dialect.lone_reference and beside and not (here.parent is None and beside == ["$schema"]):
        reason = f"{', '.join(f'`{name}`' for name in beside)} beside $ref"
        mend = 'write {"anyOf": [{"$ref": ...}]} and put them beside anyOf, or merge what it refers to'
        yield _find(dialect, f"{here.place}/$ref", "$ref", reason, dialect.lone_reference, mend=mend)
    if dialect.references is None or dialect.other_references is None:
        return
    if target(taken, here) is None or not _is_reference(reference, dialect.references):
        mend = "move what it refers to into $defs"
        yield _find(
            dialect, f"{here.place}/$ref", "$ref", f"$ref is {reference!r}", dialect.other_references, mend=mend
        )  # fmt: skip


def _is_reference(reference: str, forms: tuple[str, ...]) -> bool:
    for form in forms:
        if reference == form == "#" or (form == "#" and len(forms) == 1 and reference.startswith("#/")):
            return True
        name = reference.removeprefix(form)
        if form != "#" and name != reference and name and "/" not in name:
            return True
    return False


def check_branches(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """``anyOf`` has not too many branches."""
    limit = dialect.limit("branches")
    branches = here.value.get("anyOf", ())
    if limit is not None and len(branches) > limit.most:
        reason = f"{len(branches)} branches"
        yield _find(
            dialect, f"{here.place}/anyOf", "anyOf", reason, limit.rule, mend="put groups of branches into anyOf again"
        )


def check_first_keys(here: Subschema, taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """Objects under ``anyOf`` are told apart by their first keys, or by constants under the same one."""
    branches = here.value.get("anyOf")
    if dialect.first_keys is None or branches is None:
        return
    first: dict[str, list[Any]] = {}
    for index, branch in enumerate(branches):
        schema = _object_of(taken.document.child(here, branch, "anyOf", index), taken)
        if not schema:
            continue
        name, below = next(iter(schema["properties"].items()))
        constants = constants_of(below)
        others = first.get(name)
        if others is not None and (constants is None or any(json_equal(a, b) for a in others for b in constants)):
            mend = "put a key first that no other branch begins with"
            place, reason = f"{here.place}/anyOf/{index}", f"another branch begins with {name!r} too"
            yield _find(dialect, place, "anyOf", reason, dialect.first_keys, mend=mend)
        first.setdefault(name, []).extend(constants or ())


def _object_of(branch: Subschema, taken: Taken) -> dict[str, Any]:
    """The object schema that a branch is, or refers to; empty if it is none."""
    seen: set[Subschema] = set()
    while branch not in seen and isinstance(branch.value, dict) and "$ref" in branch.value:
        seen.add(branch)
        found = target(taken, branch)
        if found is None:
            return {}
        branch = found
    schema = branch.value
    return schema if isinstance(schema, dict) and is_object(schema) and schema.get("properties") else {}


def check_long_enum(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """A long enumeration of strings is not too long in all."""
    bound, values = dialect.long_enum, here.value.get("enum", ())
    if bound is None or len(values) <= bound.above or not all(isinstance(value, str) for value in values):
        return
    total = sum(map(len, values))
    if total > bound.most:
        reason = f"{len(values)} strings of {total} characters in all"
        yield _find(
            dialect, f"{here.place}/enum", "enum", reason, bound.rule, mend="drop values, or write only the type"
        )


def check_sole(here: Subschema, _taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """Nothing stands beside a keyword that makes all others void."""
    winner = next((name for name in dialect.sole if name in here.value), None)
    if winner is None or dialect.sole_rule is None:
        return
    lost = [name for name in here.value if name in EVERY_KEYWORD and name not in (winner, "type")]
    if lost and not is_refused(winner, dialect):
        reason = f"{', '.join(f'`{name}`' for name in lost)} beside `{winner}`"
        mend = "merge them into one schema, or into each branch"
        yield _find(dialect, step(here.place, winner), winner, reason, dialect.sole_rule, mend=mend)


def check_root(here: Subschema, taken: Taken, dialect: Dialect) -> Iterator[Finding]:
    """The root is an object."""
    if dialect.object_root is None or here is not taken.root:
        return
    mend = 'put it under a property of an object, {"properties": {"value": ...}}'
    if here.value.get("type") != "object":
        yield _find(dialect, "#", "type", "the root is not of type object", dialect.object_root, mend=mend)
    elif "anyOf" in here.value:
        yield _find(dialect, "#/anyOf", "anyOf", "the root is anyOf", dialect.object_root, mend=mend)


CHECKS: Final[tuple[Check, ...]] = (
    check_root, check_names, check_type, check_closed, check_required, check_items, check_forms, check_format,
    check_pattern, check_reference, check_sole, check_branches, check_first_keys, check_long_enum,
)  # fmt: skip
