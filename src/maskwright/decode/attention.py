"""Attention of one pass: rotary positions for all its rows at once, then each sequence over its own cache.

Sources: Vaswani et al., "Attention Is All You Need" (arXiv 1706.03762); Ainslie et al., "GQA" (arXiv 2305.13245); Su et
al., "RoFormer" (arXiv 2104.09864). Neighbouring numbers of a head are a pair that the position turns, so turning is one
multiplication of complex numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.cache import Cache
from maskwright.decode.dimensions import Dimensions
from maskwright.decode.weights import Weights

__all__ = ["Attention"]

#: Up to so many queries of a head, and from so many keys on, products are quicker the other way round (500 keys, in
#: microseconds: 3 queries 50, not 105; 24 queries 105, not 139; 96 queries 902, not 286; at 100 keys 6, not 4).
_FEW_QUERIES: Final = 24
_MANY_KEYS: Final = 128


@dataclass(slots=True)
class _Sequence:
    """The rows ``first..last`` of a pass, which become the positions ``start..stop`` of a cache."""

    first: int
    last: int
    start: int
    stop: int
    cache: Cache
    #: Minus infinity where a token would look at a later one, ``None`` for one token.
    later: Weights | None


class Attention:
    """The places of one pass, the same in every layer."""

    def __init__(self, size: Dimensions, frequencies: NDArray[np.float64], parts: Sequence[tuple[int, Cache]]) -> None:
        """Make room in every cache for its count of tokens; the rows of the pass follow the order of ``parts``."""
        self._size = size
        self._sequences: list[_Sequence] = []
        first = 0
        for count, cache in parts:
            start, stop = cache.length, cache.length + count
            cache.reserve(count)
            later = np.triu(np.full((count, stop), -np.inf, np.float32), start + 1) if count > 1 else None
            self._sequences.append(_Sequence(first, first + count, start, stop, cache, later))
            first += count
        positions = np.concatenate([np.arange(one.start, one.stop) for one in self._sequences])
        self._turn = np.exp(1j * positions[:, None] * frequencies).astype(np.complex64)[:, None, :]

    def gather(self, layer: int, qkv: Weights) -> Weights:
        """Store the new keys and values of a layer and return what the queries gather, ``[rows, heads * head]``."""
        size = self._size
        turning = size.heads + size.kv_heads
        heads = qkv.reshape(len(qkv), -1, size.head)
        turned = (heads[:, :turning].view(np.complex64) * self._turn).view(np.float32)
        queries = turned[:, : size.heads] * np.float32(size.head**-0.5)
        out = np.empty((len(qkv), size.heads, size.head), np.float32)
        for one in self._sequences:
            rows = slice(one.first, one.last)
            keys, values = one.cache.keys[layer], one.cache.values[layer]
            keys[:, one.start : one.stop] = turned[rows, size.heads :].swapaxes(0, 1)
            values[:, one.start : one.stop] = heads[rows, turning:].swapaxes(0, 1)
            out[rows] = self._weigh(queries[rows], keys[:, : one.stop], values[:, : one.stop], one.later)
        return out.reshape(len(qkv), -1)

    def finish(self) -> None:
        """Count the new tokens, once every layer has them."""
        for one in self._sequences:
            one.cache.length = one.stop

    def _weigh(self, queries: Weights, keys: Weights, values: Weights, later: Weights | None) -> Weights:
        """The values of one sequence, weighted for each of its queries, ``[count, heads, head]``."""
        size, count = self._size, len(queries)
        group = size.heads // size.kv_heads
        stacked = queries.reshape(count, size.kv_heads, group, size.head).transpose(1, 2, 0, 3)
        scores = _scores(stacked.reshape(size.kv_heads, group * count, size.head), keys)
        if later is not None:
            by_query = scores.reshape(size.kv_heads, group, count, -1)
            by_query += later
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        total = scores.sum(-1, keepdims=True)
        gathered: Weights = (scores @ values) / total
        return gathered.reshape(size.heads, count, size.head).swapaxes(0, 1)


def _scores(queries: Weights, keys: Weights) -> Weights:
    """Every query with every key of its head, ``[heads, queries, keys]``."""
    if queries.shape[1] <= _FEW_QUERIES and keys.shape[1] > _MANY_KEYS:
        return np.ascontiguousarray((keys @ queries.swapaxes(1, 2)).swapaxes(1, 2))
    scores: Weights = queries @ keys.swapaxes(1, 2)
    return scores
