"""The lazy recursive transition network: nodes named by keys, productions made only when the walk needs them.

A node is named by a hashable key. :meth:`Network.expand` gives its *productions*; each is a sequence of symbols that is
read from left to right. ``Lex`` reads bytes of a lexeme, ``Switch`` reads one of several words and goes on by which
word it was, ``Capture`` reads a lexeme whose very text decides what follows, ``Call`` runs another node to its end.
The last symbol of a production, if it is a call, costs no stack (right recursion is free). Left recursion is forbidden:
a node must not reach itself before a byte is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, Protocol

from maskwright.network.lexeme import Term

__all__ = ["Call", "Capture", "Lex", "Network", "NodeKey", "Production", "Switch", "Symbol"]

NodeKey = Hashable


class Lex(NamedTuple):
    """Read bytes of a byte term."""

    term: Term
    #: It ends what an open recall began: a token that reads the recall and all of it is decided with the text.
    is_crossing: bool = False


class Switch(NamedTuple):
    """Read one of the words of a ``quote(words(..., labelled=True))`` term, then call the target of that word."""

    term: Term
    #: ``targets[i]`` is the node called after word ``i``; asked for only when the word is read.
    targets: Sequence[NodeKey]
    #: Bit ``i`` set: word ``i`` may be read (all by default, at least one). One term then serves every subset of its
    #: words, and so do the states that the kernel learns for it.
    live: int = -1


class Capture(NamedTuple):
    """Read a ``quote(...)`` term, then call a node that depends on the string that was written.

    Inside a mask the text in progress is not known: there ``node`` is called as it is. When a real token ends the
    string, ``Network.realize(node, string)`` names the node that is called instead. ``node`` must allow at least what
    the realised node allows up to the next capture. After a *recall* it must only allow more, and the realised node may
    have no productions: tokens that read the separator are never decided without the text.
    """

    term: Term
    node: NodeKey
    #: The text that decides is not what the term reads, but the JSON value before it: the term is a separator.
    is_recall: bool = False
    #: A recall after which every beginning that ``node`` allows can be gone on with, whatever was written before: only
    #: what reads on to the end of a crossing, or to another capture, is to be decided with the text.
    is_open: bool = False


class Call(NamedTuple):
    """Run another node to its end, then go on."""

    node: NodeKey


Symbol = Lex | Switch | Capture | Call
Production = tuple[Symbol, ...]


class Network(Protocol):
    """What a front end hands to the kernel. Frozen: the same key always has the same productions."""

    @property
    def root(self) -> NodeKey:
        """The node that the whole output is read by."""
        ...

    def expand(self, key: NodeKey) -> Iterable[Production]:
        """The productions of a node. All of them can reach their end: unproductive ones are never created."""
        ...

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        """The node that stands for ``key`` after a capture has read ``text``."""
        ...

    def describe(self, key: NodeKey) -> str:
        """What is read at a node, in words for people."""
        ...
