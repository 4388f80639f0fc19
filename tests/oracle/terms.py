"""A slow, obvious recogniser of text terms: from each place, the set of places at which a match may end.

It shares nothing with the library but the names of the constructors: no derivatives, no automata, no normal forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["matches"]

_Ends = Callable[[Any, int], frozenset[int]]


def matches(term: Any, text: str) -> bool:
    """Whether the whole text is in the language of a text term."""
    size = len(text)
    known: dict[tuple[Any, int], frozenset[int]] = {}

    def ends(part: Any, start: int) -> frozenset[int]:
        if (part, start) not in known:
            known[part, start] = rules[part.op](part, start)
        return known[part, start]

    def characters(part: Any, start: int) -> frozenset[int]:
        inside = start < size and any(first <= ord(text[start]) <= last for first, last in part.args[0])
        return frozenset({start + 1} if inside else ())

    def words(part: Any, start: int) -> frozenset[int]:
        return frozenset(start + len(word) for word in part.args[0] if text.startswith(word, start))

    def automaton(part: Any, start: int) -> frozenset[int]:
        machine, found = part.args[0], set()
        state, at = machine.start, start
        while state is not None:
            if machine.accepts(state):
                found.add(at)
            moves = machine.moves(state) if at < size else ()
            state = next((then for first, last, then in moves if first <= ord(text[at]) <= last), None)
            at += 1
        return frozenset(found)

    def concatenate(part: Any, start: int) -> frozenset[int]:
        places = frozenset({start})
        for piece in part.args:
            places = frozenset(end for place in places for end in ends(piece, place))
        return places

    def unite(part: Any, start: int) -> frozenset[int]:
        return frozenset().union(*(ends(option, start) for option in part.args))

    def intersect(part: Any, start: int) -> frozenset[int]:
        return frozenset(range(start, size + 1)).intersection(*(ends(option, start) for option in part.args))

    def complement(part: Any, start: int) -> frozenset[int]:
        return frozenset(range(start, size + 1)) - ends(part.args[0], start)

    def repeat(part: Any, start: int) -> frozenset[int]:
        piece, least, most = part.args
        places, found, count = frozenset({start}), set(), 0
        while places and (most is None or count <= most):
            if count >= least:
                if places <= found:
                    break
                found |= places
            following = frozenset(end for place in places for end in ends(piece, place))
            if following == places:  # only the empty text is left to repeat
                found |= places
                break
            places, count = following, count + 1
        return frozenset(found)

    rules = {
        "never": lambda _, __: frozenset(),
        "epsilon": lambda _, start: frozenset({start}),
        "characters": characters,
        "words": words,
        "automaton": automaton,
        "concatenate": concatenate,
        "unite": unite,
        "intersect": intersect,
        "complement": complement,
        "repeat": repeat,
    }
    return size in ends(term, 0)
