"""Nodes in words, for errors and for people who look at a mask."""

from __future__ import annotations

from typing import Any

from maskwright.schema.elements import ElementRest
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
from maskwright.schema.residual import Formula

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
    if not isinstance(residual, MemberRest):
        return ""
    notes: list[str] = []
    if residual.required:
        names = residual.required_names
        listed = ", ".join(f'"{name}"' for name in names[:_LISTED])
        notes.append(
            f"still required: {listed}" + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
        )
    if residual.least > 0:
        notes.append(f"`minProperties` asks for {residual.least} more")
    if residual.most is not None:
        notes.append(f"`maxProperties` allows {residual.most} more" if residual.most else "`maxProperties` is reached")
    return f": {'; '.join(notes)}" if notes else ""


def _array(residual: Formula) -> str:
    if not isinstance(residual, ElementRest):
        return "an array"
    places = dict.fromkeys(row.owner.place for row in residual.elements.rows)
    notes: list[str] = []
    if residual.least > 0:
        notes.append(f"`minItems` asks for {residual.least} more")
    if residual.most is not None:
        notes.append(f"`maxItems` allows {residual.most} more" if residual.most else "`maxItems` is reached")
    where = f"the array at {', '.join(places)}" if places else "an array"
    return f"{where}: {'; '.join(notes)}" if notes else where
