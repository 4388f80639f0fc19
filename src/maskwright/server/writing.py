"""What all sequences of a runtime know of its vocabulary."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.runtime import Runtime

__all__ = ["Writing"]


class Writing:
    """Which ids end an output, which ids can be written, and how many fit in a context. Frozen."""

    def __init__(self, runtime: Runtime, *, mask_seconds: float = math.inf) -> None:
        """Look at every id once."""
        #: Processor seconds that the masks of one sequence may take.
        self.mask_seconds = mask_seconds
        self.vocabulary = vocabulary = runtime.vocabulary
        self.context, self.width = runtime.context, runtime.width
        self.ends: NDArray[np.intp] = np.array(sorted(vocabulary.end_ids), np.intp)
        tokens, specials = vocabulary.tokens, vocabulary.special_ids
        padding = [token for token, data in enumerate(tokens) if not data and token not in specials]
        #: Ids that are neither text nor control tokens: padding, which nobody trained and which writes nothing.
        self.closed: NDArray[np.intp] = np.array([*padding, *range(len(tokens), self.width)], np.intp)
        #: How many ids can be written without a guide.
        self.writable_count = self.width - len(self.closed)

    def text_part(self, ids: Sequence[int]) -> list[int]:
        """The ids up to the first one that is not text."""
        tokens = self.vocabulary.tokens
        for place, token in enumerate(ids):
            if not (0 <= token < len(tokens) and tokens[token]):
                return list(ids[:place])
        return list(ids)
