"""The output of a sequence: what was written after the prompt, what is forced, and where it ends."""

from __future__ import annotations

from time import perf_counter, thread_time
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.masks import Mask, allowed_ids
from maskwright.errors import LimitError, Problem
from maskwright.matcher import Matcher
from maskwright.server.counts import Counts
from maskwright.server.jobs import Job
from maskwright.server.outlet import Outlet
from maskwright.server.writing import Writing

__all__ = ["Output"]


class Output:
    """Grows by one choice at a time, and by all that the guide forces behind it."""

    def __init__(self, job: Job, matcher: Matcher | None, writing: Writing, counts: Counts, outlet: Outlet) -> None:
        """Begin with nothing written.

        Args:
            job: What is asked for; checked.
            matcher: The guide's, at its beginning, with the budget of the job; nobody else uses it.
            writing: What all sequences of a runtime know of its vocabulary.
            counts: Where work is counted.
            outlet: Where written tokens go.
        """
        self._job, self._matcher, self._writing, self._counts, self._outlet = job, matcher, writing, counts, outlet
        #: The prompt, and what was written.
        self.ids = list(job.prompt)
        self._start = len(job.prompt)
        room = writing.context - self._start
        self._budget = room if job.max_tokens is None else min(job.max_tokens, room)
        #: Why it ended; None as long as it did not.
        self.ending: Literal["stop", "length"] | None = None
        #: Ids that may be written next, ascending; None without a guide. Known after :meth:`settle`.
        self.open_ids: NDArray[np.intp] | None = None
        #: Whether the budget took a choice that the guide left; see :class:`maskwright.server.jobs.Finish`.
        self.is_closed_early = False
        #: The masks that tokens were written under, by their place in ``ids``, if the job wants to see them.
        self._masks: dict[int, Mask] = {}
        #: Processor seconds of masks so far.
        self._seconds = 0.0

    @property
    def written(self) -> int:
        """Tokens written."""
        return len(self.ids) - self._start

    @property
    def left(self) -> int:
        """Tokens that may still be written."""
        return self._budget - self.written

    @property
    def may_end(self) -> bool:
        """Whether an end token is open, as far as ``min_tokens`` is concerned."""
        return self.written >= self._job.min_tokens or (self._matcher is not None and not self._matcher.is_accepting)

    def settle(self) -> None:
        """Write what is forced, until there is a choice or the output has ended.

        Raises:
            LimitError: the masks of this output took too long, all together: everybody waited for them.
        """
        start, begun = perf_counter(), thread_time()
        while self.ending is None:
            if self._matcher is not None and (self._matcher.is_finished or self._matcher.must_end):
                self.ending = self._end(self._matcher)
            elif self.left <= 0:
                self.ending = "length"
            elif self._matcher is None or not self._force(self._matcher):
                break
        if self.ending is not None:
            self._outlet.finish()
        if self._matcher is not None:
            self._counts.note_masks(perf_counter() - start)
            self._bound(thread_time() - begun)

    def _end(self, matcher: Matcher) -> Literal["stop", "length"]:
        """Why nothing can follow: the guide has come to its end, or only the tokens have."""
        if matcher.is_finished or not matcher.withheld().any():
            return "stop"
        self.is_closed_early = True
        return "length"

    def _force(self, matcher: Matcher) -> bool:
        """Write forced tokens; whether there were any. If not, the ids that are open are known."""
        tokens = matcher.forced_tokens()[: self.left]
        if not tokens:
            self.open_ids = allowed_ids(matcher.mask(), self._writing.width)
            if len(self.open_ids) > 1 or int(self.open_ids[0]) in self._writing.vocabulary.end_ids:
                return False
            tokens = [int(self.open_ids[0])]
            self.is_closed_early |= bool(matcher.withheld().any())
        for token in tokens:
            if self.ending is None:
                self.write(token, forced=True)
        return True

    def _bound(self, seconds: float) -> None:
        self._seconds += seconds
        if self._seconds > self._writing.mask_seconds and self.ending is None:
            reason = f"{self.written} tokens took more than {self._writing.mask_seconds:g} s of masks"
            raise LimitError(Problem(reason, remedy="simplify the constraint, or ask for fewer tokens"))

    def write(self, token: int, *, forced: bool) -> None:
        """Write a token, and see whether it ended the output."""
        if self._job.observe and self._matcher is not None:
            self._masks[len(self.ids)] = self._matcher.mask()
        data = self._read(token)
        self.ids.append(token)
        self._counts.tokens += 1
        self._counts.forced_tokens += forced
        self._outlet.write(token, data, forced=forced, counts=self.written >= self._job.min_tokens)
        if self._outlet.matched is not None:
            self.ending = "stop"

    def _read(self, token: int) -> bytes:
        """Let the matcher read a token; what the token adds to the output."""
        data = self._writing.vocabulary.tokens[token]
        if self._matcher is None:
            if token in self._writing.vocabulary.end_ids:
                self.ending = "stop"
            return data
        if data:
            self._matcher.advance(token)
            return data
        before = len(self._matcher.text)
        self._matcher.advance(token)
        return self._matcher.text[before:]

    def note_favourite(self, favourite: int) -> None:
        """See whether the tokens left keep the model from its likeliest token, which the guide would allow."""
        matcher = self._matcher
        if matcher is None or self.is_closed_early or matcher.allows(favourite):
            return
        row = matcher.withheld()
        self.is_closed_early = favourite >> 5 < len(row) and bool(row[favourite >> 5] >> np.uint32(favourite & 31) & 1)

    def ends_before(self, favourite: int) -> bool:
        """Whether it is complete because the model wants to go where the guide does not; sets ``ending``.

        Base models rarely write an end token behind a number, and would be made to write digits for ever. The first
        token is asked for in any case: that the model would begin otherwise does not make nothing its answer.
        """
        matcher = self._matcher
        if matcher is None or self.written < max(1, self._job.min_tokens):
            return False
        if matcher.is_accepting and not matcher.allows(favourite):
            self.ending = "stop"
        return self.ending is not None

    def readable_part(self, draft: list[int]) -> list[int]:
        """As much of a draft as may be written: text that the guide allows."""
        draft = self._writing.text_part(draft)
        if self._matcher is None or not draft:
            return draft
        start = perf_counter()
        draft = draft[: self._matcher.validate_tokens(draft)]
        self._counts.note_masks(perf_counter() - start)
        return draft

    def take_mask(self, place: int) -> Mask | None:
        """The mask that a token was written under, once."""
        return self._masks.pop(place, None)
