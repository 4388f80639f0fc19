"""Objects in a dialect: properties of several schemas met, the object closed, optional keys made nullable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwright.dialects.gathering import Part
from maskwright.dialects.meeting import OBJECT, matches
from maskwright.dialects.nulls import admits_null, with_null
from maskwright.dialects.rules import step
from maskwright.dialects.steps import Steps

if TYPE_CHECKING:
    from maskwright.dialects.leaves import Leaf

__all__ = ["object_schema"]

Schema = dict[str, Any]


def object_schema(leaf: Leaf) -> Steps[Schema | None]:
    """The keywords of an object (with its type, where objects are closed); ``None`` if there is none."""
    made: Schema | None
    if leaf.dialect.closed:
        made = yield _closed(leaf)
    else:
        made = yield _open(leaf)
    return made


def _names(leaf: Leaf) -> dict[str, bool]:
    """Every key that is named -> whether it is required; properties first, in their order."""
    names = {name: False for _, own in leaf.meeting.facts for name in own.get("properties", ())}
    for _, own in leaf.meeting.facts:
        names |= dict.fromkeys(own.get("required", ()), True)
    return names


def _parts(leaf: Leaf, name: str) -> tuple[Part, ...]:
    """The schemas that apply to the value under a key."""
    document, parts = leaf.engine.taken.document, []
    for here, own in leaf.meeting.facts:
        is_named = name in own.get("properties", ())
        if is_named:
            parts.append((document.child(here, own["properties"][name], "properties", name), False))
        for pattern, schema in own.get("patternProperties", {}).items():
            fits = matches(pattern, name)
            is_named = is_named or fits is not False
            place = step(f"{here.place}/patternProperties", pattern)
            if fits:
                parts.append((document.child(here, schema, "patternProperties", pattern), False))
            elif fits is None:
                leaf.lose(
                    "patternProperties", {pattern: schema}, place, f"whether it is found in {name!r} is not decided"
                )
        if not is_named and "additionalProperties" in own:
            parts.append((document.child(here, own["additionalProperties"], "additionalProperties"), False))
    return tuple(parts)


def _closed(leaf: Leaf) -> Steps[Schema | None]:
    engine, dialect, place = leaf.engine, leaf.dialect, leaf.meeting.place
    names = _names(leaf)
    properties: Schema = {}
    absent: set[str] = set()
    for name, is_required in names.items():
        parts = _parts(leaf, name)
        made = yield engine.schema(parts, step(f"{place}/properties", name))
        if made is False:
            if is_required:
                return None
            engine.note(step(f"{place}/properties", name), "properties", "dropped", "no value is possible", "equal")
            continue
        if not is_required and dialect.all_required:
            is_null = yield admits_null(parts, engine.taken)
            made = with_null(made, lists=dialect.single_type is None)
            absent |= set() if is_null else {name}
            what = f"{name!r} is always there" + ("" if is_null else ", and null where it was absent")
            where = step(f"{place}/properties", name)
            engine.note(
                where, "required", "added", what, "narrower" if is_null else "equal", why=str(dialect.all_required)
            )
        properties[name] = made
    if absent:
        engine.absent[id(properties)] = (properties, absent)
    _close(leaf)
    required = list(properties) if dialect.all_required else [name for name in properties if names[name]]
    result: Schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    for keyword in OBJECT[4:]:
        if keyword in leaf.meeting.keywords and not _is_settled(leaf, keyword, names) and leaf.keeps(keyword):
            result[keyword] = leaf.meeting.keywords[keyword][0]
    return result


def _close(leaf: Leaf) -> None:
    """Note that keys without a name are no longer possible."""
    if not any(own.get("additionalProperties") is False for _, own in leaf.meeting.facts):
        what, place = "keys that are not named are refused", leaf.meeting.place
        leaf.engine.note(place, "additionalProperties", "added", what, "narrower", why=str(leaf.dialect.closed))
    for here, own in leaf.meeting.facts:
        if own.get("patternProperties"):
            what = "keys that only match a pattern are refused"
            leaf.engine.note(f"{here.place}/patternProperties", "patternProperties", "dropped", what, "narrower")


def _is_settled(leaf: Leaf, keyword: str, names: dict[str, bool]) -> bool:
    """Whether the named and required keys of a closed object imply a keyword already."""
    value, here = leaf.meeting.keywords[keyword]
    place = f"{here.place}/{keyword}"
    if keyword == "minProperties":
        settled = bool(value <= sum(names.values()))
    elif keyword == "maxProperties":
        settled = bool(value >= len(names))
    elif keyword in ("dependentRequired", "dependencies", "dependentSchemas"):
        settled = names.keys().isdisjoint(value)
    else:
        settled = keyword == "unevaluatedProperties" and here is leaf.meeting.facts[0][0]
    if settled:
        leaf.engine.note(place, keyword, "dropped", "the closed object implies it", "equal")
    return settled


def _open(leaf: Leaf) -> Steps[Schema | None]:
    engine, meeting, document = leaf.engine, leaf.meeting, leaf.engine.taken.document
    made: Schema = {}
    names = _names(leaf)
    described = [name for _, own in meeting.facts for name in own.get("properties", ())]
    properties: Schema = {}
    for name in dict.fromkeys(described):
        properties[name] = yield engine.schema(_parts(leaf, name), step(f"{meeting.place}/properties", name))
    if properties:
        made["properties"] = properties
    if any(names.values()):
        made["required"] = [name for name, is_required in names.items() if is_required]
    if "patternProperties" in meeting.keywords:
        made["patternProperties"] = yield _patterns(leaf)
    others: list[Part] = [
        (document.child(here, own["additionalProperties"], "additionalProperties"), False)
        for here, own in meeting.facts
        if "additionalProperties" in own
    ]
    if others:
        made["additionalProperties"] = yield engine.schema(tuple(others), f"{meeting.place}/additionalProperties")
    for keyword in OBJECT[4:]:
        if keyword in meeting.keywords and leaf.keeps(keyword):
            value, here = meeting.keywords[keyword]
            if keyword == "propertyNames":
                value = yield engine.schema(((document.child(here, value, keyword), False),), f"{here.place}/{keyword}")
            made[keyword] = value
    return made


def _patterns(leaf: Leaf) -> Steps[Schema]:
    """``patternProperties`` of all schemas; what others say about additional keys is lost for those that match."""
    meeting, document = leaf.meeting, leaf.engine.taken.document
    patterns: dict[str, list[Part]] = {}
    for here, own in meeting.facts:
        for pattern, schema in own.get("patternProperties", {}).items():
            patterns.setdefault(pattern, []).append((document.child(here, schema, "patternProperties", pattern), False))
    made: Schema = {}
    for pattern, parts in patterns.items():
        made[pattern] = yield leaf.engine.schema(tuple(parts), step(f"{meeting.place}/patternProperties", pattern))
    speaking = [own for _, own in meeting.facts if "patternProperties" in own or "additionalProperties" in own]
    if patterns and len(speaking) > 1:
        what = "keys that match are no longer additional to the schemas beside it"
        leaf.engine.note(meeting.place, "patternProperties", "changed", what, "wider")
    return made
