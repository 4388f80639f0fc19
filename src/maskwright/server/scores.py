"""Scores: what a model thought of the tokens at one place, for ``logprobs`` and for people who watch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.masks import Mask
from maskwright.server.jobs import LEAST_LOGPROB, Candidate, Observation, Score

__all__ = ["Distribution"]

Logits = NDArray[np.float32]


class Distribution:
    """The softmax of a row of logits, as it stands: no mask, no temperature."""

    def __init__(self, logits: Logits) -> None:
        """Sum a row once: 0.1 ms for 49,152 logits."""
        self._logits = logits
        highest = np.float64(logits.max())
        #: Logarithm of the sum of all exponentials.
        self._total = highest + np.log(np.exp(logits - np.float32(highest)).sum(dtype=np.float64))

    def logprob(self, token: int) -> float:
        """The natural logarithm of a token's share, at least :data:`maskwright.server.jobs.LEAST_LOGPROB`."""
        return max(float(self._logits[token] - self._total), LEAST_LOGPROB)

    def score(self, token: int, count: int) -> Score:
        """A token's logarithm, and the ``count`` likeliest tokens with theirs."""
        return Score(self.logprob(token), tuple((other, self.logprob(other)) for other in self.likeliest(count)))

    def likeliest(self, count: int) -> list[int]:
        """The ids of the highest logits, highest first, equal ones by id."""
        if count < 1:
            return []
        count = min(count, len(self._logits))
        least = np.partition(self._logits, -count)[-count]
        ids = np.flatnonzero(self._logits >= least)
        found: list[int] = ids[np.argsort(-self._logits[ids], kind="stable")][:count].tolist()
        return found

    def observation(self, count: int, mask: Mask | None, writable: int) -> Observation:
        """What the model would have written, and whether a mask allows it; without one ``writable`` ids are allowed."""
        candidates = tuple(
            Candidate(token, float(np.exp(self._logits[token] - self._total)), _allows(mask, token))
            for token in self.likeliest(count)
        )
        allowed = writable if mask is None else int(np.unpackbits(mask.view(np.uint8)).sum())
        return Observation(allowed, candidates)


def _allows(mask: Mask | None, token: int) -> bool:
    if mask is None:
        return True
    return token >> 5 < len(mask) and bool(mask[token >> 5] >> np.uint32(token & 31) & 1)
