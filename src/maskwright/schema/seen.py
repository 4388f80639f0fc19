"""The keys of an object that were written and that no schema names, so that none comes twice.

They are part of the name of a node, so an output with ``n`` of them would hold ``n`` sets of up to ``n`` keys. Each set
is therefore a small one and a few large ones that it shares with the sets before it: full sets are merged as binary
counters carry (O'Neil and others, "The log-structured merge-tree", 1996), each key ``log n`` times in all. Sets are
kept by the cell that their keys belong to: keys of one cell leave the others as they were.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from maskwright.network.lexeme import Term, complement, intersect, words
from maskwright.schema.members import Cell

__all__ = ["NOTHING", "Keys", "Seen", "keys_of", "with_key", "without"]

#: Keys of the small set: with 8 to 64 an output of 4,000 keys takes the same time and 5 to 20 per cent more memory.
_FEW: Final = 16


class Keys(NamedTuple):
    """Keys of one cell."""

    few: frozenset[str]
    #: Terms of words, each of at least twice as many as the next; terms are interned, so equal sets are one object.
    chunks: tuple[Term, ...]


#: By cell, in the order of their places; cells without a key are left out.
Seen = tuple[tuple[Cell, Keys], ...]
NOTHING: Final[Seen] = ()
_NO_KEYS: Final = Keys(frozenset(), ())


def keys_of(seen: Seen, cell: Cell) -> Keys:
    """The keys of one cell."""
    for other, keys in seen:
        if other is cell:
            return keys
    return _NO_KEYS


def with_key(seen: Seen, cell: Cell, text: str) -> Seen:
    """One key more."""
    found = [pair for pair in seen if pair[0] is not cell]
    found.append((cell, _added(keys_of(seen, cell), text)))
    found.sort(key=lambda pair: pair[0].place)
    return tuple(found)


def _added(keys: Keys, text: str) -> Keys:
    few = keys.few | {text}
    if len(few) < _FEW:
        return Keys(few, keys.chunks)
    chunk, chunks = words(few), list(keys.chunks)
    while chunks and _count(chunks[-1]) < 2 * _count(chunk):
        chunk = words((*_texts(chunks.pop()), *_texts(chunk)))
    return Keys(frozenset(), (*chunks, chunk))


def _texts(chunk: Term) -> tuple[str, ...]:
    return chunk.args[0]  # type: ignore[return-value]


def _count(chunk: Term) -> int:
    return len(_texts(chunk))


def without(term: Term, names: tuple[str, ...], keys: Keys) -> Term:
    """The texts of a term that are neither a name nor one of the keys."""
    if len(names) <= _FEW or not keys.few:
        taken = [words((*names, *keys.few)), *keys.chunks]
    else:
        taken = [words(names), words(keys.few), *keys.chunks]
    return intersect(term, *map(complement, taken))
