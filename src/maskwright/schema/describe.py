"""Nodes in words, for errors and for people who look at a mask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from maskwright.schema.elements import ElementRest
from maskwright.schema.exactly import Exactly
from maskwright.schema.leaves import Counted, Repeated, Unique
from maskwright.schema.members import MemberRest, Members
from maskwright.schema.nodekeys import (
    AFTER_ELEMENT,
    AFTER_MEMBER,
    AT_ELEMENT,
    AT_KEY,
    AT_MEMBER,
    AfterElement,
    AfterMember,
    AtElement,
    AtKey,
)
from maskwright.schema.residual import Atom, Formula, Not, Or, parts_of

__all__ = ["describe"]

#: Names listed before the rest is only counted.
_LISTED = 5


def describe(key: tuple[Any, ...]) -> str:
    """What is read at a node of a schema network."""
    tag = key[0]
    if tag == AT_KEY:
        node = AtKey(*key)
        return f"a member name of {_object(node.frame)}{_members(node.residual)}"
    if tag == AT_MEMBER:
        return f"`:` and the value of a member of {_object(key[2])}"
    if tag == AFTER_MEMBER:
        after = AfterMember(*key)
        return f"`,` or `}}` of {_object(after.frame)}{_members(after.residual)}"
    if tag == AT_ELEMENT:
        return f"an element of {_array(AtElement(*key).residual)}"
    if tag == AFTER_ELEMENT:
        return f"`,` or `]` of {_array(AfterElement(*key).residual)}"
    return "a JSON value"


def _object(frame: Members) -> str:
    places = dict.fromkeys(source.owner.place for source in frame.sources)
    return f"the object at {', '.join(places)}" if places else "an object"


def _members(residual: Formula) -> str:
    notes = [note for part in parts_of(residual) for note in _notes(part)]
    return f": {'; '.join(dict.fromkeys(notes))}" if notes else ""


def _array(residual: Formula) -> str:
    parts = parts_of(residual)
    rows = [row for part in parts if isinstance(part, ElementRest) for row in part.elements.rows]
    places = dict.fromkeys(row.owner.place for row in rows)
    where = f"the array at {', '.join(places)}" if places else "an array"
    return where + _members(residual)


def _notes(part: Formula) -> Iterator[str]:
    """What one conjunct still asks for."""
    if isinstance(part, MemberRest):
        yield from _required(part)
        yield from _counts(part.least, part.most, "minProperties", "maxProperties")
    elif isinstance(part, ElementRest):
        yield from _counts(part.least, part.most, "minItems", "maxItems")
    elif isinstance(part, Counted):
        place = f" (the schema at {part.subschema.place})"
        yield from (note + place for note in _counts(part.least, part.most, "contains", "contains"))
    elif isinstance(part, Unique):
        count = sum(len(listed.values) for listed in part.seen)
        yield f"`uniqueItems` forbids the {count} elements before" if count else "`uniqueItems` holds"
    elif isinstance(part, Repeated):
        yield "some element must come twice"
    elif isinstance(part, Exactly):
        yield f"just one of {len(part.rests)} branches may hold: {_places(part.rests)}"
    elif isinstance(part, Not):
        yield f"something must violate the schema at {_places((part.atom,))}"
    elif isinstance(part, Or):
        yield f"{len(part.parts)} branches are open"


def _required(rest: MemberRest) -> Iterator[str]:
    if rest.required:
        names = rest.required_names
        listed = ", ".join(f'"{name}"' for name in names[:_LISTED])
        yield f"still required: {listed}" + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _counts(least: int, most: int | None, lower: str, upper: str) -> Iterator[str]:
    if least > 0:
        yield f"`{lower}` asks for {least} more"
    if most is not None:
        yield f"`{upper}` allows {most} more" if most else f"`{upper}` is reached"


def _places(atoms: Iterable[Atom]) -> str:
    """Where the schemas of some conjunctions stand."""
    owners = [
        source.owner.place
        for atom in atoms
        for source in (
            atom.members.sources if isinstance(atom, MemberRest) else cast("ElementRest", atom).elements.rows
        )
    ]
    distinct = list(dict.fromkeys(owners))
    more = f" and {len(distinct) - _LISTED} more" if len(distinct) > _LISTED else ""
    return ", ".join(distinct[:_LISTED]) + more
