"""The cache of keys and values: what attention needs of the tokens that were read before.

Forks share their arrays. The arrays only ever grow at their end as long as they are shared: whoever would write over
positions that another one may still need takes a copy first. So a fork costs nothing, and of two that read on, the
first writes in place and the second copies what it uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from maskwright.decode.dimensions import Dimensions
from maskwright.decode.weights import Weights
from maskwright.errors import ModelError

__all__ = ["Cache"]

#: Free positions that a cache has after it grew, at least.
_GROWTH: Final = 256


@dataclass(slots=True)
class _Store:
    """The arrays of one cache, or of several."""

    keys: Weights
    values: Weights
    #: Caches that use it.
    owners: int = 1
    #: Positions that one of them has written.
    filled: int = 0


class Cache:
    """Keys and values of the tokens read so far. ``length`` is their number; cutting it back is free."""

    def __init__(self, dimensions: Dimensions) -> None:
        self._context = dimensions.context
        self._shape = (dimensions.layers, dimensions.kv_heads, 0, dimensions.head)
        self.length = 0
        self._store = _Store(np.empty(self._shape, np.float32), np.empty(self._shape, np.float32))

    @property
    def keys(self) -> Weights:
        """``keys[layer, kv_head, position, :]``, already turned by their position."""
        return self._store.keys

    @property
    def values(self) -> Weights:
        """``values[layer, kv_head, position, :]``."""
        return self._store.values

    def truncate(self, length: int) -> None:
        """Forget every token from position ``length`` on."""
        if not 0 <= length <= self.length:
            raise ValueError(f"a cache of {self.length} tokens cannot be cut to {length}")
        self.length = length

    def fork(self) -> Cache:
        """Return a cache of the same tokens; from then on each goes its own way."""
        other = object.__new__(Cache)
        other._context, other._shape, other.length = self._context, self._shape, self.length
        other._store = self._store
        self._store.owners += 1
        return other

    def release(self) -> None:
        """Forget all tokens and give the arrays back."""
        self._store.owners -= 1
        self.length = 0
        self._store = _Store(np.empty(self._shape, np.float32), np.empty(self._shape, np.float32))

    def check(self, count: int) -> None:
        """Refuse more tokens than fit.

        Raises:
            ModelError: ``count`` more would exceed the context.

        """
        wanted = self.length + count
        if wanted > self._context:
            raise ModelError(f"{wanted} tokens exceed the model's context of {self._context}")

    def reserve(self, count: int) -> None:
        """Make the positions after the present ones writable, for ``count`` more tokens.

        Raises:
            ModelError: the model's context is exceeded.

        """
        self.check(count)
        store, wanted = self._store, self.length + count
        is_free = store.owners == 1 or store.filled == self.length
        if wanted > store.keys.shape[2] or not is_free:
            self._move(min(max(wanted + _GROWTH, wanted * 3 // 2), self._context))
        self._store.filled = wanted

    def _move(self, room: int) -> None:
        """Copy the used part into arrays of its own."""
        layers, heads, _, width = self._shape
        old = self._store
        old.owners -= 1
        shape = (layers, heads, room, width)
        new = _Store(np.empty(shape, np.float32), np.empty(shape, np.float32))
        new.keys[:, :, : self.length] = old.keys[:, :, : self.length]
        new.values[:, :, : self.length] = old.values[:, :, : self.length]
        self._store = new
