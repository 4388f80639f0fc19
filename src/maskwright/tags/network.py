"""Networks put together out of literals, free text and other networks: tool calls and structural tags become such."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, cast

from maskwright.errors import Problem, UnsupportedError
from maskwright.network.joining import Inner, Joined
from maskwright.network.lexeme import EPSILON, NEVER, Term, automaton, encode, literal, marker, subtract
from maskwright.network.nodes import Call, Lex, Network, NodeKey, Production, Switch, Symbol
from maskwright.tags.formats import split_markers
from maskwright.tags.freetext import Names

__all__ = ["TagNetwork", "Times", "Tree", "markers_in", "read", "spelled"]

#: What looks like the name of a control token: ``<|tool_call|>``, ``<think>``, ``[TOOL_CALLS]``.
_SHAPE: Final = re.compile(r"<[^<>\s]+>|\[/?[A-Z_]+\]")
#: Literals whose symbols are kept.
_KEPT: Final = 1024
#: Nodes of a part that are looked at to decide whether it may be empty.
_MOST_NODES: Final = 10_000


class Times(NamedTuple):
    """The node that reads another one ``least`` to ``most`` times (``None``: no bound), each time at least a byte."""

    node: int
    least: int
    most: int | None


class _Some(NamedTuple):
    """The node that reads what another one reads, but not the empty text."""

    some: int


def markers_in(text: str) -> tuple[str, ...]:
    """The parts of a literal that may be the name of a control token.

    Only a vocabulary knows whether they are, so taking ordinary text for one does no harm.
    """
    return tuple(dict.fromkeys(_SHAPE.findall(text)))


@lru_cache(maxsize=_KEPT)
def read(text: str, markers: tuple[str, ...] | None = None) -> Production:
    """Symbols that read a literal, its markers (by default what looks like one) as control tokens if there are such."""
    parts = split_markers(text, markers_in(text) if markers is None else markers)
    return tuple(Lex(marker(part) if is_marker else encode(literal(part))) for part, is_marker in parts)


def spelled(term: Term) -> Production:
    """Symbols that read a text term, which holds more than the empty text if it is not ``EPSILON``."""
    return (Lex(encode(term)),) if term is not EPSILON else ()


@lru_cache(maxsize=_KEPT)
def _may_be_empty(term: Term) -> bool:
    """Whether a term holds the empty string; by the form of the term, innermost first."""
    known: dict[Term, bool] = {}
    todo = [term]
    while todo:
        at = todo[-1]
        below = [x for x in at.args if isinstance(x, Term)]
        waiting = [x for x in below if x not in known]
        if waiting:
            todo.extend(waiting)
            continue
        todo.pop()
        known[at] = _is_nullable(at, [known[x] for x in below])
    return known[term]


def _is_nullable(term: Term, below: list[bool]) -> bool:
    match term.op:
        case "epsilon":
            return True
        case "words" | "labelled":
            return "" in cast("tuple[str, ...]", term.args[0])
        case "automaton":
            machine = term.args[0]
            return bool(machine.accepts(machine.start))  # type: ignore[attr-defined]
        case "concatenate" | "intersect" | "encode":
            return all(below)
        case "unite":
            return any(below)
        case "complement":
            return not below[0]
        case "repeat":
            return below[0] or term.args[1] == 0
    return False


def _is_empty_lexeme(symbol: Symbol) -> bool:
    if not isinstance(symbol, Lex) or symbol.term is NEVER:
        return False
    # A literal, of which there may be many. Not every term has arguments: the empty text has none.
    inner = symbol.term.args[0] if symbol.term.op == "encode" else None
    if isinstance(inner, Term) and inner.op == "words":
        return "" in cast("tuple[str, ...]", inner.args[0])
    return _may_be_empty(symbol.term)


def _network_may_be_empty(network: Network) -> bool:
    """Whether a network accepts the empty text; where that is not seen soon, it is assumed."""
    empty: set[NodeKey] = set()
    #: For every node that was seen: what its productions call that read nothing else.
    calls: dict[NodeKey, list[list[NodeKey]]] = {}
    todo = [network.root]
    while todo:
        key = todo.pop()
        if key in calls:
            continue
        if len(calls) > _MOST_NODES:
            return True
        calls[key] = []
        for production in network.expand(key):
            if all(isinstance(symbol, Call) or _is_empty_lexeme(symbol) for symbol in production):
                called = [symbol.node for symbol in production if isinstance(symbol, Call)]
                calls[key].append(called)
                todo.extend(called)
    size = -1
    while size < len(empty):
        size = len(empty)
        empty.update(key for key, ways in calls.items() if any(empty.issuperset(way) for way in ways))
    return network.root in empty


class TagNetwork:
    """The network of a finished :class:`Tree`; implements :class:`maskwright.network.nodes.Network`.

    Own nodes are numbers, :class:`Times` and :class:`_Some`; all others are of the parts.
    """

    def __init__(self, tree: Tree, root: NodeKey) -> None:
        """Use :meth:`Tree.finish`."""
        self._root = root
        self._tree = tree
        self._joined = Joined(tree.parts)

    @property
    def root(self) -> NodeKey:
        """The node of the whole output."""
        return self._root

    def expand(self, key: NodeKey) -> Iterable[Production]:
        """The productions of a node."""
        if isinstance(key, Inner):
            return self._joined.expand(key)
        if isinstance(key, Times):
            return self._times(key)
        if isinstance(key, _Some):
            return self._some(key.some)
        return self._tree.productions[cast("int", key)]

    def _times(self, key: Times) -> Iterable[Production]:
        if key.most == 0:
            return ((),)
        again = Times(key.node, max(key.least - 1, 0), None if key.most is None else key.most - 1)
        once = Call(_Some(key.node) if self._tree.may_be_empty[key.node] else key.node)
        return ((once, Call(again)), ()) if key.least == 0 else ((once, Call(again)),)

    def _some(self, node: int) -> Iterable[Production]:
        for production in self._tree.productions[node]:
            if not all(map(self._tree.reads_nothing, production)):
                yield production
                continue
            for place, symbol in enumerate(production):
                some = self._without_empty(symbol)
                if some is not None:
                    yield (some, *production[place + 1 :])

    def _without_empty(self, symbol: Symbol) -> Symbol | None:
        """What a symbol that may read nothing reads else; None if that is all."""
        if isinstance(symbol, Lex):
            return Lex(encode(subtract(cast("Term", symbol.term.args[0]), EPSILON)))
        key = cast("Call", symbol).node
        if not self._tree.reads_something(symbol):
            return None
        return Call(key._replace(least=1) if isinstance(key, Times) else _Some(cast("int", key)))

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        """Only parts have captures."""
        return self._joined.realize(key, text) if isinstance(key, Inner) else key

    def enough(self, key: NodeKey) -> int:
        """The words of a node's switch that suffice for a shortest text, as bits; 0 if all may be needed."""
        return self._joined.enough(key) if isinstance(key, Inner) else 0

    def describe(self, key: NodeKey) -> str:
        """What is read at a node, in words."""
        if isinstance(key, Inner):
            return self._joined.describe(key)
        own = key.node if isinstance(key, Times) else key.some if isinstance(key, _Some) else key
        return self._tree.about[cast("int", own)]


class Tree:
    """A network in the making: nodes are added from the leaves up, loops through nodes that are reserved first."""

    def __init__(self) -> None:
        self.productions: list[tuple[Production, ...]] = []
        #: What is read at a node, in words for people.
        self.about: list[str] = []
        #: Whether a node may read nothing; of a reserved node not before it is defined.
        self.may_be_empty: list[bool] = []
        #: Whether a node may read more than nothing.
        self.may_be_some: list[bool] = []
        self.parts: list[Network] = []
        self._part_may_be_empty: list[bool] = []
        self._numbers: dict[int, int] = {}

    def reserve(self, about: str) -> int:
        """A node whose productions are given later; it must not reach itself before a byte is read."""
        self.productions.append(())
        self.about.append(about)
        self.may_be_empty.append(False)
        self.may_be_some.append(True)
        return len(self.productions) - 1

    def define(self, node: int, productions: Iterable[Production]) -> int:
        """The productions of a reserved node."""
        made = tuple(productions)
        self.productions[node] = made
        self.may_be_empty[node] = any(all(map(self.reads_nothing, production)) for production in made)
        self.may_be_some[node] = any(any(map(self.reads_something, production)) for production in made)
        return node

    def node(self, productions: Iterable[Production], about: str) -> int:
        """A new node."""
        return self.define(self.reserve(about), productions)

    def part(self, network: Network, *, is_value: bool = False) -> Call:
        """A call of another network, from its root; a JSON value is known not to be empty."""
        number = self._numbers.get(id(network))
        if number is None:
            number = self._numbers[id(network)] = len(self.parts)
            self.parts.append(network)
            self._part_may_be_empty.append(not is_value and _network_may_be_empty(network))
        return Call(Inner(number, network.root))

    def reads_nothing(self, symbol: Symbol) -> bool:
        """Whether a symbol may read the empty text."""
        if not isinstance(symbol, Call):
            return _is_empty_lexeme(symbol)
        key = symbol.node
        if isinstance(key, Inner):
            return self._part_may_be_empty[key.part]
        if isinstance(key, Times):
            return key.least == 0 or self.may_be_empty[key.node]
        return self.may_be_empty[cast("int", key)]

    def reads_something(self, symbol: Symbol) -> bool:
        """Whether a symbol may read more than the empty text; every lexeme and every part does."""
        key = symbol.node if isinstance(symbol, Call) else None
        if isinstance(key, Times):
            return key.most != 0 and self.may_be_some[key.node]
        return self.may_be_some[key] if isinstance(key, int) else True

    def times(self, node: int, least: int, most: int | None, place: str = "") -> Call:
        """A call that repeats a node.

        Raises:
            UnsupportedError: the node may read nothing because another network may.
        """
        if not self.may_be_some[node]:
            return Call(node)
        if not self.may_be_empty[node]:
            return Call(Times(node, least, most))
        if self._is_empty_by_part(node):
            reason, remedy = "what may be empty is repeated", "take the empty text out of it: the repetition has it"
            raise UnsupportedError(Problem(reason, place=place, remedy=remedy))
        return Call(Times(node, 0, most))

    def _is_empty_by_part(self, node: int) -> bool:
        seen = {node}
        todo = [node]
        while todo:
            productions = self.productions[todo.pop()]
            empty = [production for production in productions if all(map(self.reads_nothing, production))]
            for key in [symbol.node for production in empty for symbol in production if isinstance(symbol, Call)]:
                if isinstance(key, Inner):
                    return True
                inner = cast("int", key.node if isinstance(key, Times) else key)
                if inner not in seen:
                    seen.add(inner)
                    todo.append(inner)
        return False

    def one_of(self, literals: Sequence[tuple[str, int]], about: str) -> int:
        """The node that reads one of some literals and then the node that goes with it."""
        nodes: dict[str, list[int]] = {}
        for text, node in literals:
            nodes.setdefault(text, []).append(node)
        after = {text: self._any_of(list(dict.fromkeys(those)), about) for text, those in nodes.items()}
        if len(after) == 1 or "" in after or any(map(markers_in, after)):
            return self.node([(*read(text), Call(node)) for text, node in after.items()], about)
        return self.node([(Switch(encode(automaton(Names(tuple(after)))), tuple(after.values())),)], about)

    def _any_of(self, nodes: list[int], about: str) -> int:
        return nodes[0] if len(nodes) == 1 else self.node([(Call(node),) for node in nodes], about)

    def finish(self, root: NodeKey) -> TagNetwork:
        """The network; nothing may be added any more."""
        return TagNetwork(self, root)
