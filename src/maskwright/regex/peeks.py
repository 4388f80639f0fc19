"""Assertions that look at one character, or at the edge of the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maskwright.regex.languages import ALL_TEXTS, EMPTY_TEXT, Language, chain, either, one
from maskwright.regex.ranges import NONE, Ranges, union
from maskwright.regex.syntax import Anchor, Characters, Choice, Look, Node, Repeat, Sequence, Text, sequence

__all__ = [
    "PEEKS",
    "assertions",
    "beginning",
    "edge_conditions",
    "ending",
    "looks_both_ways",
    "needs_past",
    "peek",
    "touches_edges_only",
]

_NEWLINE: Final[Ranges] = ((0x0A, 0x0A),)
#: Anchor to the side it looks at (ahead?), whether the edge of the text will do, and which characters will.
PEEKS: Final[dict[str, tuple[bool, Ranges]]] = {
    "start": (False, NONE),
    "line start": (False, _NEWLINE),
    "end": (True, NONE),
    "line end": (True, _NEWLINE),
}


def assertions(root: Node) -> Iterator[Node]:
    """All nodes with an assertion at or below them."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.plain:
            continue
        yield node
        if type(node) is Repeat or type(node) is Look:
            todo.append(node.part)
        elif type(node) is Sequence or type(node) is Choice:
            todo.extend(node.parts)


def _single(node: Node) -> tuple[bool | None, Ranges] | None:
    """A look's body that asks for one character or an edge: side of the edge (ahead?), characters; else ``None``."""
    edge: bool | None = None
    ranges: list[Ranges] = []
    for part in node.parts if type(node) is Choice else (node,):
        if type(part) is Characters:
            ranges.append(part.ranges)
        elif type(part) is Text and len(part.text) == 1:
            ranges.append(((ord(part.text), ord(part.text)),))
        elif type(part) is Anchor and part.kind in {"start", "end"} and edge in {None, part.kind == "end"}:
            edge = part.kind == "end"
        else:
            return None
    return edge, union(*ranges)


def peek(node: Look) -> tuple[bool, Ranges] | None:
    """Whether the edge of the text satisfies a look, and which characters do; ``None`` if it looks further."""
    found = _single(node.part)
    if found is None or found[0] not in {None, node.ahead}:
        return None
    return found[0] is not None, found[1]


def looks_both_ways(tree: Node) -> bool:
    """Whether one assertion looks further ahead than one character and another one further behind."""
    far = [node.ahead for node in assertions(tree) if type(node) is Look and peek(node) is None]
    return any(far) and not all(far)


def needs_past(tree: Node) -> bool:
    """Whether a lookbehind of more than one character can be read neither from left to right nor in a mirror."""
    nodes = list(assertions(tree))
    if not any(type(node) is Look and not node.ahead and peek(node) is None for node in nodes):
        return False
    return looks_both_ways(tree) or any(type(node) is Repeat and node.most is None for node in nodes)


def edge_conditions(tree: Node, *, anchored: bool) -> tuple[list[Look], Node]:
    """Lookaheads at the beginning of the text and lookbehinds at its end, and the tree without them.

    There a look is a condition on the whole text that has nothing to do with the rest. If ``anchored`` the place must
    be fixed by ``^`` or ``$`` (search), else the outermost parts are at the edges anyway (full match).
    """
    parts = list(tree.parts) if type(tree) is Sequence else [tree]
    conditions: list[Look] = []
    for ahead, kind in ((True, "start"), (False, "end")):
        parts.reverse()
        # Now the edge is at the end of the list.
        edge = parts[-1] if parts else None
        fixed = type(edge) is Anchor and edge.kind == kind
        at = len(parts) - 1 - fixed
        while (fixed or not anchored) and at >= 0:
            part = parts[at]
            if type(part) is not Look or part.ahead != ahead:
                break
            conditions.append(part)
            del parts[at]
            at -= 1
    return conditions, sequence(parts)


def touches_edges_only(body: Node) -> bool:
    """Whether all assertions of a tree are ``^`` and ``$`` for the edges of the text."""
    return all(
        type(node) is not Look and (type(node) is not Anchor or node.kind in {"start", "end"})
        for node in assertions(body)
    )


def beginning(edge: bool, ranges: Ranges) -> Language:  # noqa: FBT001  (the edge is a value of the algebra)
    """The empty text if ``edge``, and all texts that begin with a character of the set."""
    begun = chain(one(ranges), ALL_TEXTS)
    return either(EMPTY_TEXT, begun) if edge else begun


def ending(edge: bool, ranges: Ranges) -> Language:  # noqa: FBT001
    """The empty text if ``edge``, and all texts that end with a character of the set."""
    ended = chain(ALL_TEXTS, one(ranges))
    return either(EMPTY_TEXT, ended) if edge else ended
