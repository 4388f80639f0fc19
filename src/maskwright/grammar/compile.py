"""Rules to a network that reads them exactly: a text is accepted if the grammar derives it, by whatever derivation.

Nodes are made on demand. A node is a key: a rule or a repetition as it is, the same less its empty text (``some``), the
rest of an alternative, a corner of a left-recursive circle (:mod:`maskwright.grammar.corners`), or a node of another
network. Counted repetitions are keys with counts, never copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast

from maskwright.errors import UnsupportedError
from maskwright.grammar.corners import Circles, Split
from maskwright.grammar.folding import fold
from maskwright.grammar.forms import FOREIGN, REPEAT, RULE, Body, Forms, Key
from maskwright.grammar.nullable import is_nullable, without_empty
from maskwright.grammar.rules import Grammar
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import EPSILON, NEVER, Term, concatenate, encode, words
from maskwright.network.nodes import Call, Capture, Lex, Network, NodeKey, Production, Switch, Symbol

__all__ = ["GrammarNetwork", "compile_grammar"]

#: More kinds of keys: (SOME, key), (REST, owner, number of its body, place), (CORNER, top, at), (AFTER, key, rests of
#: productions).
SOME: Final = "some"
REST: Final = "rest"
CORNER: Final = "corner"
AFTER: Final = "after"
#: Symbols of an alternative up to which its rest is written out, where it is needed several times.
_SHORT: Final = 24
#: Productions from which on those that begin with a word are read as one switch: its words are walked along the trie.
_MANY: Final = 24


class GrammarNetwork:
    """The network of a grammar: implements :class:`maskwright.network.nodes.Network`."""

    def __init__(self, grammar: Grammar, *, is_empty: Callable[[Term], bool], limits: Limits) -> None:
        """See :func:`compile_grammar`."""
        self._foreign = grammar.foreign
        self._steps = limits.satisfiability_steps
        self._nullable_foreign: dict[tuple[int, NodeKey], bool] = {}
        self._forms = Forms(fold(grammar), is_empty, lambda i: self._is_foreign_nullable(i, grammar.foreign[i].root))
        self._circles = Circles(self._forms)
        self._root: Key = (RULE, grammar.start)
        self._expanders: dict[str, Callable[..., Iterable[Production]]] = {
            RULE: self._whole,
            REPEAT: self._whole,
            SOME: self._some,
            REST: self._rest,
            CORNER: self._corner,
            AFTER: _after_word,
            FOREIGN: self._inside,
        }

    @property
    def root(self) -> NodeKey:
        """The start rule."""
        return self._root

    def expand(self, key: NodeKey) -> Iterable[Production]:
        """The productions of a node: linear in the alternatives that they are made of."""
        tagged = cast("Key", key)
        productions = list(self._expanders[tagged[0]](tagged))
        # A node of another network may have a switch of its own, and what is ``enough`` is told by node.
        return productions if len(productions) < _MANY or FOREIGN in tagged else _by_word(tagged, productions)

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        """The node of another network that stands for ``key`` after it has captured a text."""
        tag, which, inner = cast("Key", key)
        return tag, which, self._foreign[which].realize(inner, text)

    def enough(self, key: NodeKey) -> int:
        """The words of a node's switch that suffice for a shortest text, as bits; 0 if all may be needed."""
        tagged = cast("Key", key)
        ask = getattr(self._foreign[tagged[1]], "enough", None) if tagged[0] == FOREIGN else None
        return ask(tagged[2]) if ask is not None else 0

    def describe(self, key: NodeKey) -> str:
        """What is read at a node: its rule."""
        tagged = cast("Key", key)
        while tagged[0] in (SOME, REST, AFTER):
            tagged = tagged[1]
        if tagged[0] == FOREIGN:
            return self._foreign[tagged[1]].describe(tagged[2])
        if tagged[0] == CORNER:
            return f"what continues {self.describe(tagged[1])}"
        name = self._forms.names[tagged[1]]
        return f"rule {name}" if tagged[0] == RULE else f"repetitions of rule {name}"

    def _whole(self, key: Key) -> Iterator[Production]:
        """A rule or a repetition."""
        empty = self._forms.is_nullable(key)
        if key in self._circles:
            if empty:
                yield ()
            yield (Call((SOME, key)),)
        elif key[0] == RULE:
            for body in self._forms.bodies[key[1]]:
                yield _production(body)
        else:
            if empty:
                yield ()
            for body in self._circles.bodies(key):
                yield (self._some_symbol(body[0]), *_production(body[1:]))

    def _some(self, key: Key) -> Iterator[Production]:
        """The same without the empty text; of the rest of an alternative and of nodes of other networks, too."""
        inner = key[1]
        if inner in self._circles:
            for split in self._circles.bases(inner):
                yield from self._closed(split, inner)
        elif inner[0] == FOREIGN:
            yield from self._some_inside(inner[1], inner[2])
        elif inner[0] == REST:
            yield from self._some_body(inner[1], inner[2], inner[3])
        else:
            for number in range(len(self._circles.bodies(inner))):
                yield from self._some_body(inner, number, 0)

    def _some_body(self, owner: Key, number: int, at: int) -> Iterator[Production]:
        """The rest of an alternative without the empty text: one production for each symbol that may be the first."""
        body = self._circles.bodies(owner)[number]
        for first in range(at, len(body)):
            yield (self._some_symbol(body[first]), *self._tail(owner, number, body, first + 1))
            # What is repeated is never empty: another repetition in its place is the same.
            if owner[0] == REPEAT or not self._forms.is_nullable(body[first]):
                return

    def _rest(self, key: Key) -> Iterator[Production]:
        _, owner, number, at = key
        yield _production(self._circles.bodies(owner)[number][at:])

    def _tail(self, owner: Key, number: int, body: Body, at: int) -> Production:
        """The rest of an alternative: written out, or called where it is long."""
        if len(body) - at <= _SHORT:
            return _production(body[at:])
        return (Call((REST, owner, number, at)),)

    def _corner(self, key: Key) -> Iterator[Production]:
        _, top, at = key
        if top in self._circles.level(at):
            yield ()
        for other in self._circles.onward(at):
            yield (Call(self._circles.corner(top, other)),)
        for split in self._circles.ups(at):
            yield from self._above(split, top)

    def _above(self, split: Split, top: Key) -> Iterator[Production]:
        """What follows the first symbol of a split, not empty, and the corner above."""
        body = split.body
        for first in range(split.at + 1, len(body)):
            yield from self._closed(split._replace(at=first), top)
            if not self._forms.is_nullable(body[first]):
                return

    def _closed(self, split: Split, top: Key) -> Iterator[Production]:
        """The first symbol of a split, not empty, the rest of its alternative, and the corner up to the top.

        Whatever a rule A reads may be followed by what ``corner(A, A)`` reads: then it is still an A. So after a call
        of A that corner says nothing new, and is left out: ambiguous rules (``e = e "+" e``) need no stack either.
        """
        corner = self._circles.corner(top, split.owner)
        first, rest = split.body[split.at], self._tail(split.owner, split.number, split.body, split.at + 1)
        production = (self._some_symbol(first), *rest)
        last = production[-1]
        if type(last) is Call and corner == self._circles.corner(top, top):
            if last.node == (SOME, top) or (last.node == top and not self._forms.is_nullable(top)):
                yield production
                return
            if last.node == top:
                yield (*production[:-1], Call((SOME, top)))
                production = production[:-1]
        yield (*production, Call(corner))

    def _some_symbol(self, symbol: Term | Key) -> Symbol:
        if type(symbol) is Term:
            return Lex(without_empty(symbol))
        key = cast("Key", symbol)
        return Call((SOME, key) if self._forms.is_nullable(key) or key in self._circles else key)

    def _inside(self, key: Key) -> Iterator[Production]:
        """A node of another network."""
        _, which, inner = key
        for production in self._foreign[which].expand(inner):
            yield tuple(_wrapped(symbol, which) for symbol in production)

    def _some_inside(self, which: int, inner: NodeKey) -> Iterator[Production]:
        for production in self._foreign[which].expand(inner):
            for at, symbol in enumerate(production):
                rest = tuple(_wrapped(other, which) for other in production[at + 1 :])
                if not self._passes(which, symbol):
                    yield (_wrapped(symbol, which), *rest)
                    break
                if isinstance(symbol, Call):
                    yield (Call((SOME, (FOREIGN, which, symbol.node))), *rest)
                elif isinstance(symbol, Lex):
                    yield (symbol._replace(term=without_empty(symbol.term)), *rest)
                else:
                    raise UnsupportedError(
                        "an embedded constraint that may be empty here cannot stand in a left recursion"
                    )

    def _passes(self, which: int, symbol: Symbol) -> bool:
        """Whether a symbol of another network may read nothing."""
        if isinstance(symbol, Call):
            return self._is_foreign_nullable(which, symbol.node)
        return is_nullable(symbol.term)

    def _is_foreign_nullable(self, which: int, key: NodeKey) -> bool:
        """Whether a node of another network may read nothing: a least fixpoint over what can be called first."""
        found = self._nullable_foreign.get((which, key))
        if found is None:
            for node, empty in _nullable_nodes(self._foreign[which], key, self._steps).items():
                self._nullable_foreign[which, node] = empty
            found = self._nullable_foreign[which, key]
        return found


class _Targets:
    """The targets of a switch of another network, wrapped when they are asked for."""

    def __init__(self, targets: Any, which: int) -> None:
        self._targets = targets
        self._which = which

    def __getitem__(self, label: int) -> Key:
        return FOREIGN, self._which, self._targets[label]

    def __len__(self) -> int:
        return len(self._targets)


def _wrapped(symbol: Symbol, which: int) -> Symbol:
    """A symbol of another network, whose nodes get keys of their own."""
    if isinstance(symbol, Call):
        return Call((FOREIGN, which, symbol.node))
    if isinstance(symbol, Capture):
        return symbol._replace(node=(FOREIGN, which, symbol.node))
    if isinstance(symbol, Switch):
        return symbol._replace(targets=cast("Any", _Targets(symbol.targets, which)))
    return symbol


def _by_word(key: Key, productions: list[Production]) -> Iterator[Production]:
    """The same productions, of which those that begin with a word are one switch."""
    rests: dict[str, list[Production]] = {}
    for production in productions:
        word, rest = _leading_word(production)
        if word:
            rests.setdefault(word, []).append(rest)
        else:
            yield production
    if rests:
        targets: list[NodeKey] = [(AFTER, key, tuple(rest)) for rest in rests.values()]
        yield (Switch(encode(words(rests, labelled=True)), targets),)


def _leading_word(production: Production) -> tuple[str, Production]:
    """The word that a production begins with, and what follows it; no word if it begins otherwise."""
    first = production[0] if production else None
    if not isinstance(first, Lex) or first.term.op != "encode":
        return "", production
    text = cast("Term", first.term.args[0])
    parts = cast("tuple[Term, ...]", text.args) if text.op == "concatenate" else (text,)
    if parts[0].op != "words":
        return "", production
    options = cast("tuple[str, ...]", parts[0].args[0])
    if len(options) > 1:
        return "", production
    rest = encode(concatenate(*parts[1:]))
    return options[0], (*(() if rest is EPSILON else (Lex(rest),)), *production[1:])


def _after_word(key: Key) -> Iterable[Production]:
    return cast("tuple[Production, ...]", key[2])


def _production(body: Body) -> Production:
    return tuple([Lex(symbol) if type(symbol) is Term else Call(symbol) for symbol in body])


def _nullable_nodes(network: Network, start: NodeKey, steps: int) -> dict[NodeKey, bool]:
    """Whether nodes may read nothing, for those that matter to the first; at most ``steps`` of them are expanded."""
    productions: dict[NodeKey, list[Production]] = {}
    nullable: dict[NodeKey, bool] = {}
    todo = [start]
    changed = True
    while changed:
        changed = False
        while todo:
            node = todo.pop()
            if node not in productions and len(productions) < steps:
                productions[node] = list(network.expand(node))
                nullable[node] = False
                changed = True
        for node, options in productions.items():
            if not nullable[node]:
                for production in options:
                    blocked = next((symbol for symbol in production if not _is_skipped(symbol, nullable)), None)
                    if blocked is None:
                        nullable[node] = changed = True
                        break
                    if isinstance(blocked, Call) and blocked.node not in nullable:
                        todo.append(blocked.node)
                        changed = True
    return nullable


def _is_skipped(symbol: Symbol, nullable: dict[NodeKey, bool]) -> bool:
    return nullable.get(symbol.node, False) if isinstance(symbol, Call) else is_nullable(symbol.term)


def _is_never(term: Term) -> bool:
    return term is NEVER


def compile_grammar(
    grammar: Grammar, *, is_empty: Callable[[Term], bool] = _is_never, limits: Limits = DEFAULT_LIMITS
) -> GrammarNetwork:
    """The network of a grammar under its exact reading; linear in the size of the grammar.

    ``is_empty`` decides whether a text term holds no string, where its form does not tell: the default knows only
    ``NEVER``, so give a better one if terms may be intersections or complements.

    Raises:
        UnsatisfiableError: no text can be written, with the rule that stands in the way.
        LimitError: a count that no text can reach.
    """
    return GrammarNetwork(grammar, is_empty=is_empty, limits=limits)
