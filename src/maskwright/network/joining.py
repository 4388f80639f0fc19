"""Networks within a network: their nodes under new names, which no other node can have.

Whoever builds a network out of others asks :class:`Joined` for the root of a part and hands it every node that is an
:class:`Inner`; all other nodes are his own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from maskwright.network.nodes import Call, Capture, Lex, Network, NodeKey, Production, Switch, Symbol

__all__ = ["Inner", "Joined"]

#: In every Inner: equal to nothing but itself, so that no tuple of a front end is an Inner by accident.
_OURS: Final = object()


class Inner(NamedTuple):
    """The node of a part."""

    part: int
    node: NodeKey
    ours: object = _OURS


class _Targets:
    """The targets of a switch of a part, renamed when they are asked for: 100,000 words would cost as many names."""

    __slots__ = ("_part", "_targets")

    def __init__(self, part: int, targets: Sequence[NodeKey]) -> None:
        self._part = part
        self._targets = targets

    def __getitem__(self, label: int) -> Inner:
        return Inner(self._part, self._targets[label])


class Joined:
    """The parts of a network that are networks themselves, by number."""

    __slots__ = ("_enough", "_parts")

    def __init__(self, parts: Sequence[Network]) -> None:
        """A part is looked up when one of its nodes is first asked about, so the sequence may make parts on demand."""
        self._parts = parts
        self._enough: dict[int, Callable[[NodeKey], int] | None] = {}

    def root(self, part: int) -> Inner:
        """The node that reads all of a part."""
        return Inner(part, self._parts[part].root)

    def expand(self, key: Inner) -> list[Production]:
        """The productions of a part's node."""
        part = key.part
        return [
            tuple([_renamed(symbol, part) for symbol in production])
            for production in self._parts[part].expand(key.node)
        ]

    def realize(self, key: Inner, text: str) -> Inner:
        """The node that stands for a part's node after a capture has read a text."""
        return Inner(key.part, self._parts[key.part].realize(key.node, text))

    def describe(self, key: Inner) -> str:
        """What is read at a part's node, in words for people."""
        return self._parts[key.part].describe(key.node)

    def enough(self, key: Inner) -> int:
        """The words of the node's switch that suffice for a shortest text, as bits; 0 if all may be needed."""
        part = key.part
        if part not in self._enough:
            self._enough[part] = getattr(self._parts[part], "enough", None)
        enough = self._enough[part]
        return enough(key.node) if enough is not None else 0


def _renamed(symbol: Symbol, part: int) -> Symbol:
    if isinstance(symbol, Lex):
        return symbol
    if isinstance(symbol, Call):
        return Call(Inner(part, symbol.node))
    if isinstance(symbol, Capture):
        return symbol._replace(node=Inner(part, symbol.node))
    return Switch(symbol.term, _Targets(part, symbol.targets), symbol.live)  # type: ignore[arg-type]
