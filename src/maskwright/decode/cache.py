"""The cache of keys and values: what attention needs of the tokens that were read before."""

from __future__ import annotations

from typing import Final

import numpy as np

from maskwright.decode.dimensions import Dimensions
from maskwright.decode.weights import Weights
from maskwright.errors import ModelError

__all__ = ["Cache"]

#: Positions that a cache grows by at least.
_GROWTH: Final = 256


class Cache:
    """Keys and values of the tokens read so far. ``length`` is their number; cutting it back is free."""

    def __init__(self, dimensions: Dimensions) -> None:
        self._context = dimensions.context
        self._shape = (dimensions.layers, dimensions.kv_heads, 0, dimensions.head)
        self.length = 0
        #: ``keys[layer, kv_head, position, :]``, already turned by their position.
        self.keys: Weights = np.empty(self._shape, np.float32)
        self.values: Weights = np.empty(self._shape, np.float32)

    def truncate(self, length: int) -> None:
        """Forget every token from position ``length`` on."""
        if not 0 <= length <= self.length:
            raise ValueError(f"a cache of {self.length} tokens cannot be cut to {length}")
        self.length = length

    def reserve(self, count: int) -> None:
        """Make room for ``count`` more tokens.

        Raises:
            ModelError: the model's context is exceeded.

        """
        wanted = self.length + count
        if wanted > self._context:
            raise ModelError(f"{wanted} tokens exceed the model's context of {self._context}")
        room = self.keys.shape[2]
        if wanted > room:
            room = min(max(wanted, room + room // 2, room + _GROWTH), self._context)
            self.keys, self.values = (
                self._grown(self.keys, room),
                self._grown(self.values, room),
            )

    def _grown(self, old: Weights, room: int) -> Weights:
        layers, heads, _, width = self._shape
        new = np.empty((layers, heads, room, width), np.float32)
        new[:, :, : self.length] = old[:, :, : self.length]
        return new
