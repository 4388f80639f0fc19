"""The pattern tree: frozen nodes, built only through the smart constructors at the end.

Groups leave no trace (captures mean nothing to a mask), lazy quantifiers are their greedy twins (same language), and
character classes are resolved to code point ranges while reading. ``plain`` says that no assertion lies below.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from maskwright.regex.ranges import Ranges, union

__all__ = [
    "EMPTY",
    "NOWHERE",
    "Anchor",
    "AnchorKind",
    "Characters",
    "Choice",
    "Look",
    "Node",
    "Repeat",
    "Sequence",
    "Text",
    "choice",
    "fixed_width",
    "repetition",
    "sequence",
]

#: ``final line end`` is Python's ``$``: the end, or before a line feed that ends the text.
AnchorKind = Literal["start", "end", "final line end", "line start", "line end", "boundary", "no boundary"]


@dataclass(frozen=True, slots=True)
class Text:
    """Exactly this string, possibly empty."""

    text: str
    plain: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set; the empty set matches nothing."""

    ranges: Ranges
    plain: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other; at least two parts."""

    parts: tuple[Node, ...]
    plain: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Any of the parts; at least two parts."""

    parts: tuple[Node, ...]
    plain: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """``least`` to ``most`` times the part (``None`` = no bound)."""

    part: Node
    least: int
    most: int | None
    plain: bool
    #: Where in the pattern the quantifier stands: first and one past the last character.
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Anchor:
    r"""A condition on the characters at both sides of a position. ``word`` is the set behind ``\b``."""

    kind: AnchorKind
    span: tuple[int, int]
    word: Ranges = ()
    plain: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Look:
    """A condition on all that follows (``ahead``) or precedes a position."""

    part: Node
    ahead: bool
    negative: bool
    span: tuple[int, int]
    plain: ClassVar[bool] = False


Node = Text | Characters | Sequence | Choice | Repeat | Anchor | Look

EMPTY: Final = Text("")
#: Matches nothing.
NOWHERE: Final = Characters(())


def sequence(parts: Iterable[Node | str]) -> Node:
    """The parts in order; neighbouring strings become one :class:`Text`, nested sequences are spliced in."""
    flat: list[Node] = []
    run = ""
    for part in parts:
        if type(part) is str:
            run += part
            continue
        if type(part) is Text:
            run += part.text
            continue
        if run:
            flat.append(Text(run))
            run = ""
        if type(part) is Sequence:
            flat.extend(part.parts)
        else:
            flat.append(part)  # type: ignore[arg-type]  # a str never gets here
    if run:
        flat.append(Text(run))
    if len(flat) <= 1:
        return flat[0] if flat else EMPTY
    return Sequence(tuple(flat), all(part.plain for part in flat))


def choice(parts: Iterable[Node]) -> Node:
    """Any of the parts; single characters and classes become one :class:`Characters`."""
    flat: list[Node] = []
    single: list[Ranges] = []
    for part in parts:
        for branch in part.parts if type(part) is Choice else (part,):
            if type(branch) is Characters:
                single.append(branch.ranges)
            elif type(branch) is Text and len(branch.text) == 1:
                single.append(((ord(branch.text), ord(branch.text)),))
            else:
                flat.append(branch)
    if single:
        flat.insert(0, Characters(union(*single)))
    if len(flat) == 1:
        return flat[0]
    return Choice(tuple(flat), all(part.plain for part in flat))


def repetition(part: Node, least: int, most: int | None, span: tuple[int, int]) -> Node:
    """The part repeated; a string of one character counts as a class."""
    if most == 0 or part == EMPTY:
        return EMPTY
    if least == most == 1:
        return part
    if type(part) is Text and len(part.text) == 1:
        part = Characters(((ord(part.text), ord(part.text)),))
    return Repeat(part, least, most, part.plain, span)


def fixed_width(root: Node) -> int | None:
    """The length of the texts that a tree matches, ``None`` if they differ. No recursion."""
    done: list[int | None] = []
    #: A node in a 1-tuple has the widths of its parts on ``done``.
    todo: list[Node | tuple[Node]] = [root]
    while todo:
        node = todo.pop()
        if type(node) is tuple:
            done.append(_folded_width(node[0], done))
        elif type(node) is Repeat:
            todo += [(node,), node.part]
        elif type(node) is Sequence or type(node) is Choice:
            todo += [(node,), *node.parts]
        else:
            done.append(len(node.text) if type(node) is Text else int(type(node) is Characters))
    return done[0]


def _folded_width(node: Node, done: list[int | None]) -> int | None:
    """Take the widths of the parts off ``done``; the width of the node."""
    if type(node) is Repeat:
        width = done.pop()
        return 0 if width == 0 else None if width is None or node.least != node.most else width * node.least
    count = len(node.parts) if type(node) is Sequence or type(node) is Choice else 0
    widths = done[-count:]
    del done[-count:]
    known = [width for width in widths if width is not None]
    if len(known) < count or (type(node) is Choice and len(set(known)) > 1):
        return None
    return sum(known) if type(node) is Sequence else known[0]
