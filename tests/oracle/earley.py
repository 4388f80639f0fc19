"""A slow, obvious recogniser of grammars: what rules derive, as sets that grow until nothing changes.

What Earley's chart (1970) holds, without its order: for every rule and every place, the places where a text of the rule
that begins there may end. Left recursion, cycles, ambiguity and empty rules need no care.
"""

from __future__ import annotations

from maskwright.grammar.rules import Foreign, Grammar, Reference, Repeat, Symbol, Text
from maskwright.network.lexeme import Term
from tests.oracle import recogniser

__all__ = ["accepts"]

Ends = dict[tuple[int, int], frozenset[int]]


def accepts(grammar: Grammar, text: str) -> bool:
    """Whether the start rule derives a text."""
    ends: Ends = {}
    changed = True
    while changed:
        changed = False
        for rule, (_, alternatives, _) in enumerate(grammar.rules):
            for at in range(len(text) + 1):
                before = ends.get((rule, at), frozenset())
                after = before.union(*(_sequence(body, text, at, ends) for body in alternatives))
                if after != before:
                    ends[rule, at] = after
                    changed = True
    return len(text) in ends.get((grammar.start, 0), frozenset())


def _sequence(body: tuple[Symbol, ...], text: str, at: int, ends: Ends) -> frozenset[int]:
    places = frozenset([at])
    for symbol in body:
        places = frozenset().union(*(_symbol(symbol, text, place, ends) for place in places))
    return places


def _symbol(symbol: Symbol, text: str, at: int, ends: Ends) -> frozenset[int]:
    if isinstance(symbol, Text):
        return _term(symbol.term, text, at)
    if isinstance(symbol, Reference):
        return ends.get((symbol.rule, at), frozenset())
    if isinstance(symbol, Repeat):
        return _repeat(symbol, at, ends)
    assert not isinstance(symbol, Foreign)
    return frozenset()


def _repeat(symbol: Repeat, at: int, ends: Ends) -> frozenset[int]:
    found: set[int] = set()
    places = frozenset([at])
    count = 0
    seen: set[tuple[int, frozenset[int]]] = set()
    while places and (symbol.most is None or count <= symbol.most):
        if count >= symbol.least:
            found |= places
        state = (min(count, symbol.least), places)
        if state in seen and count > symbol.least:
            break
        seen.add(state)
        places = frozenset().union(*(ends.get((symbol.rule, place), frozenset()) for place in places))
        count += 1
    return frozenset(found)


def _term(term: Term, text: str, at: int) -> frozenset[int]:
    rest = recogniser.text(term)
    found = set()
    for place in range(at, len(text) + 1):
        if recogniser.nullable(rest):
            found.add(place)
        if place < len(text):
            rest = recogniser.derive(rest, ord(text[place]))
    return frozenset(found)
