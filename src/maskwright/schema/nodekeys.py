"""The names of nodes: small tuples whose first field tells their kind, so that equal states are one node.

An object state is ``(residual, frame, free, seen, level)``: the formula for the members still to come, the description
that numbers all names, the names that may still come, the keys written that nobody names, and the nesting
under an indenting layout (0 otherwise). Names passed or written are not free, so no key is ever written twice.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from maskwright.schema.members import Cell, Members
from maskwright.schema.order import Free
from maskwright.schema.residual import Alternative, Formula
from maskwright.schema.seen import Seen
from maskwright.schema.shape import Shape

__all__ = [
    "AFTER_ELEMENT",
    "AFTER_MEMBER",
    "AT_ELEMENT",
    "AT_KEY",
    "AT_MEMBER",
    "AT_VALUE",
    "AfterElement",
    "AfterMember",
    "AtElement",
    "AtKey",
    "AtMember",
    "AtValue",
]

AT_VALUE: Final = 0
AT_KEY: Final = 1
AT_MEMBER: Final = 2
AFTER_MEMBER: Final = 3
AT_ELEMENT: Final = 4
AFTER_ELEMENT: Final = 5


class AtValue(NamedTuple):
    """Before a value."""

    tag: int
    shape: Shape
    level: int


class AtKey(NamedTuple):
    """Before a key."""

    tag: int
    residual: Formula
    frame: Members
    free: Free
    seen: Seen
    level: int


class AtMember(NamedTuple):
    """After a key: a colon, a value, and what follows by the choice of the value."""

    tag: int
    alternatives: tuple[Alternative, ...]
    frame: Members
    free: Free
    seen: Seen
    level: int
    #: The cell of a key that nobody names.
    cell: Cell | None = None


class AfterMember(NamedTuple):
    """After a value in an object: a comma or the end."""

    tag: int
    residual: Formula
    frame: Members
    free: Free
    seen: Seen
    level: int


class AtElement(NamedTuple):
    """Before an element."""

    tag: int
    residual: Formula
    level: int
    #: The whitespace after the comma is still to come.
    has_gap: bool = False
    #: The residual that does not know the element before yet; ``residual`` allows whatever that may be.
    known: Formula | None = None


class AfterElement(NamedTuple):
    """After an element: a comma or the end."""

    tag: int
    residual: Formula
    level: int
