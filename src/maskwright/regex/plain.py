"""Pattern trees without assertions: tree to term, by an explicit stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maskwright.network.lexeme import literal
from maskwright.regex.languages import EMPTY_TEXT, NO_TEXT, Language, chain, either, one, repeated
from maskwright.regex.syntax import Anchor, Characters, Choice, Look, Node, Repeat, Sequence, Text

__all__ = ["compile_plain"]


def compile_plain(root: Node) -> Language:
    """The texts that the tree matches; an anchor, if there is one, matches nothing. Linear time, no recursion."""
    leaf = _LEAVES.get(type(root))
    if leaf is not None:
        return leaf(root)
    done: list[Language] = []
    #: Nodes to compile; a node in a 1-tuple has its parts on ``done``.
    todo: list[Node | tuple[Node]] = [root]
    while todo:
        node = todo.pop()
        if type(node) is tuple:
            _fold(node[0], done)
            continue
        leaf = _LEAVES.get(type(node))
        if leaf is not None:
            done.append(leaf(node))
            continue
        todo.append((node,))  # type: ignore[arg-type]
        if type(node) is Repeat:
            todo.append(node.part)
        else:
            todo.extend(reversed(node.parts))  # type: ignore[union-attr]
    return done[0]


def _fold(node: Node, done: list[Language]) -> None:
    """Replace the languages of the parts by the language of the node."""
    if type(node) is Repeat:
        done[-1] = repeated(done[-1], node.least, node.most)
    elif type(node) is Sequence or type(node) is Choice:
        count = len(node.parts)
        combine = chain if type(node) is Sequence else either
        done[-count:] = [combine(*done[-count:])]


def _text(node: Text) -> Language:
    return Language(literal(node.text), nullable=False) if node.text else EMPTY_TEXT


def _characters(node: Characters) -> Language:
    return one(node.ranges)


def _nothing(_: Anchor | Look) -> Language:
    return NO_TEXT


_LEAVES: Final[dict[type, Callable[[Any], Language]]] = {
    Text: _text,
    Characters: _characters,
    Anchor: _nothing,
    Look: _nothing,
}
