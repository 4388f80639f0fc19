"""Choosing a token: penalties, bias, the closed end and the draw of one sequence, in this order.

The penalties are those of OpenAI's API ("Frequency and presence penalties"): from the logit of a token that was written
``n > 0`` times, ``n * frequency_penalty + presence_penalty`` is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.sampler import Sampler
from maskwright.errors import ModelError
from maskwright.server.jobs import Job
from maskwright.server.writing import Writing

__all__ = ["Chooser"]

Logits = NDArray[np.float32]
Ids = NDArray[np.intp]
#: Seeds of the API are any whole numbers, those of the generator are not negative.
_SEEDS: Final = 1 << 64


class Chooser:
    """How one sequence chooses. Holds the generator and the counts of what was written."""

    def __init__(self, job: Job, writing: Writing) -> None:
        """Prepare the law of a job.

        Raises:
            PolicyError: ``temperature`` is negative or ``top_p`` is not in 0..1.
        """
        self._sampler = Sampler(
            temperature=job.temperature if job.top_p else 0.0,
            top_p=job.top_p or 1.0,
            seed=None if job.seed is None else job.seed % _SEEDS,
        )
        self._bias_ids = np.array(list(job.logit_bias), np.intp)
        self._bias = np.array(list(job.logit_bias.values()), np.float32)
        self._frequency, self._presence = job.frequency_penalty, job.presence_penalty
        self._writing = writing
        #: Id -> how often it was written.
        self._counts: dict[int, int] = {}

    def note(self, tokens: Iterable[int]) -> None:
        """Count written tokens for the penalties."""
        if self._frequency or self._presence:
            for token in tokens:
                self._counts[token] = self._counts.get(token, 0) + 1

    def adjust(self, logits: Logits) -> Logits:
        """The logits after penalties and bias; a new array unless there are none."""
        if not self._counts and not len(self._bias):
            return logits
        logits = logits.copy()
        if self._counts:
            counts = np.fromiter(self._counts.values(), np.float32, len(self._counts))
            ids = np.fromiter(self._counts, np.intp, len(self._counts))
            logits[ids] -= counts * np.float32(self._frequency) + np.float32(self._presence)
        if len(self._bias):
            logits[self._bias_ids] += self._bias
        return logits

    def choose(self, logits: Logits, open_ids: Ids | None, *, may_end: bool) -> int:
        """Draw a token from adjusted logits.

        Args:
            logits: A row that :meth:`adjust` gave.
            open_ids: The ids of the mask, ascending; None for every id that can be written.
            may_end: Whether end tokens are open; they are in any case where nothing else is.

        Raises:
            ModelError: the model gave no finite logit for any of them.
        """
        if open_ids is None:
            return self._draw(self._free(logits, may_end=may_end))
        if not may_end:
            others = open_ids[~np.isin(open_ids, self._writing.ends)]
            open_ids = others if len(others) else open_ids
        return int(open_ids[self._draw(logits[open_ids])])

    def _free(self, logits: Logits, *, may_end: bool) -> Logits:
        if may_end and not len(self._writing.closed):
            return logits
        logits = logits.copy()
        logits[self._writing.closed] = -np.inf
        if not may_end:
            logits[self._writing.ends] = -np.inf
        return logits

    def _draw(self, scores: Logits) -> int:
        if not np.isfinite(scores.max()):
            raise ModelError("the model gave no number for what may come next (its weights or the prompt are damaged)")
        return self._sampler.draw(scores)
