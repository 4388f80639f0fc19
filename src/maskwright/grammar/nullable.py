"""Whether a lexical term holds the empty string, and the term without it; by form, never by a search."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, cast

from maskwright.network.lexeme import (
    EPSILON,
    NEVER,
    Term,
    complement,
    concatenate,
    encode,
    intersect,
    repeat,
    unite,
    words,
)

__all__ = ["is_nullable", "without_empty"]

#: Constructors whose terms never hold the empty string, and those that always do.
_SOLID: Final = frozenset({"never", "characters", "quote", "token", "other_tokens", "marker", "token_ids"})
#: Constructors of terms that have no parts, or whose parts do not matter.
_LEAVES: Final = _SOLID | {"words", "labelled", "epsilon"}
#: Constructors that hold it if all of their terms do, and if any does.
_ALL: Final = frozenset({"concatenate", "intersect", "encode"})


@lru_cache(maxsize=8192)
def is_nullable(term: Term) -> bool:
    """Whether the empty string (of characters or bytes) is in a term; linear in its size, iterative.

    Cached: two hundred schemas in one grammar ask 1,500 times about a dozen marks of JSON.
    """
    if term.op in _LEAVES:
        return _holds_empty(term, [])
    known: dict[Term, bool] = {}
    todo = [term]
    while todo:
        at = todo[-1]
        if at in known:
            todo.pop()
            continue
        below = () if at.op in _SOLID else tuple(part for part in at.args if type(part) is Term)
        missing = [part for part in below if part not in known]
        if missing:
            todo.extend(missing)
            continue
        known[at] = _holds_empty(at, [known[part] for part in below])
        todo.pop()
    return known[term]


def _holds_empty(term: Term, below: list[bool]) -> bool:
    """The same for one term, of whose parts it is known."""
    op = term.op
    if op in _SOLID:
        return False
    if op in _ALL:
        return all(below)
    if op == "unite":
        return any(below)
    if op == "repeat":
        return term.args[1] == 0 or below[0]
    if op == "complement":
        return not below[0]
    if op in ("words", "labelled"):
        return "" in cast("tuple[str, ...]", term.args[0])
    if op == "automaton":
        machine: object = term.args[0]
        return bool(machine.accepts(machine.start))  # type: ignore[attr-defined]
    return op == "epsilon"


def without_empty(term: Term) -> Term:
    """What a text term, or a byte term that is the encoding of one, holds besides the empty string."""
    if not is_nullable(term):
        return term
    op, args = term.op, term.args
    if op == "encode":
        return encode(without_empty(cast("Term", args[0])))
    if op == "epsilon":
        return NEVER
    if op == "words":
        return words(filter(None, cast("tuple[str, ...]", args[0])))
    if op == "repeat":
        part, least, most = cast("tuple[Term, int, int | None]", args)
        if not is_nullable(part):
            return repeat(part, max(least, 1), most)
    if op == "unite" and term.depth == 2:
        return unite(*(without_empty(part) for part in cast("tuple[Term, ...]", args)))
    return _subtracted(term)


def _subtracted(term: Term) -> Term:
    if term.op == "concatenate" and any(part.op == "encode" for part in cast("tuple[Term, ...]", term.args)):
        # Byte terms have no complement: what is read first is made not empty, one part after the other.
        parts = cast("tuple[Term, ...]", term.args)
        return unite(*(concatenate(without_empty(parts[i]), *parts[i + 1 :]) for i in range(len(parts))))
    return intersect(term, complement(EPSILON))
