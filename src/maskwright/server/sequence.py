"""One job under way: what was read and written, what is to be read next, and what the scores that come back mean.

Two numbers order everything. ``ids`` are the tokens of the prompt and those written, and the session has read the first
``session.length`` of them. The row of scores at position ``p`` is about ``ids[p + 1]``: it scores that token if it was
written already (forced text, and the prompt where it is echoed), and chooses it if it was not.

A turn is: :meth:`Sequence.settle` writes what is forced until there is a choice, :meth:`Sequence.step` says what the
model should read, :meth:`Sequence.take` gets the rows.
"""

from __future__ import annotations

from time import perf_counter, thread_time
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.masks import Mask, allowed_ids
from maskwright.decode.runtime import Session, Step
from maskwright.errors import LimitError, ModelError, Problem
from maskwright.matcher import Matcher
from maskwright.server.counts import Counts
from maskwright.server.jobs import Event, Finish, Job, Prompted, Score
from maskwright.server.outlet import Outlet
from maskwright.server.prediction import Prediction
from maskwright.server.sampling import Chooser
from maskwright.server.scores import Distribution
from maskwright.server.writing import Writing

__all__ = ["Sequence"]

Rows = NDArray[np.float32]


class Sequence:
    """The state of a job. Every method but ``close`` may raise: the job then failed, and nothing else did."""

    def __init__(self, job: Job, matcher: Matcher | None, writing: Writing, counts: Counts) -> None:
        """Begin a job.

        Args:
            job: What is asked for; checked.
            matcher: The guide's, at its beginning, with the budget of the job; nobody else uses it.
            writing: What all sequences of a runtime know of its vocabulary.
            counts: Where work is counted.
        """
        self.job = job
        self.ids = list(job.prompt)
        self.prompt = np.array(job.prompt, np.int64)
        #: Opened before the first pass; None before that and after :meth:`release`.
        self.session: Session | None = None
        #: Tokens of the prompt that another sequence had read.
        self.cached = 0
        self.ending: Literal["stop", "length"] | None = None
        self._matcher, self._writing, self._counts = matcher, writing, counts
        room = writing.context - len(job.prompt)
        #: Tokens that may be written.
        self._budget = room if job.max_tokens is None else min(job.max_tokens, room)
        self._chooser = Chooser(job, writing)
        self._is_scored = job.logprobs is not None or job.observe > 0
        #: Whether every token of the prompt must be read, whoever read it before.
        self.is_echoed = job.echo_logprobs and job.logprobs is not None
        self._outlet = Outlet(job.stop, waits_for_scores=self._is_scored)
        self._prediction = Prediction(job.prediction) if job.prediction else None
        self._draft: list[int] = []
        #: The next id that waits for a score; beyond all ids if none is wanted.
        self._unscored = (1 if self.is_echoed else len(self.ids)) if self._is_scored else 1 << 62
        self._echo: list[Score] = [Score(None)] if self.is_echoed else []
        #: Ids of the present mask; None without a guide.
        self._open: NDArray[np.intp] | None = None
        #: The masks that written tokens were chosen under, by their place in ``ids``, as long as they wait to be shown.
        self._masks: dict[int, Mask] = {}
        #: Ids before this place are counted for the penalties, where they were written.
        self._noted = 0
        #: Processor seconds of masks so far.
        self._mask_seconds = 0.0
        #: Whether drafts are proposed; not to a model that cannot forget them.
        self._proposes = True
        #: Whether the first event was made, and the last.
        self._is_prompted = self._is_told = False

    @property
    def written(self) -> int:
        """Tokens written."""
        return len(self.ids) - len(self.prompt)

    @property
    def has_ended(self) -> bool:
        """Whether nothing is to be read any more: the output ended, and what should be scored is."""
        return self.ending is not None and self._unscored >= len(self.ids)

    # ------------------------------------------------------------------------------------------------- what is written

    def settle(self) -> None:
        """Write what is forced, until there is a choice or the output has ended.

        Raises:
            LimitError: the masks of this sequence took too long, all together: everybody waited for them.
        """
        start, begun = perf_counter(), thread_time()
        while self.ending is None:
            if self._matcher is not None and (self._matcher.is_finished or self._matcher.must_end):
                self.ending = "stop"
            elif self.written >= self._budget:
                self.ending = "length"
            elif self._matcher is None or not self._force(self._matcher):
                break
        if self.ending is not None:
            self._outlet.finish()
        if self._matcher is None:
            return
        self._counts.note_masks(perf_counter() - start)
        self._mask_seconds += thread_time() - begun
        if self._mask_seconds > self._writing.mask_seconds and self.ending is None:
            reason = f"{self.written} tokens took more than {self._writing.mask_seconds:g} s of masks"
            raise LimitError(Problem(reason, remedy="simplify the constraint, or ask for fewer tokens"))

    def _force(self, matcher: Matcher) -> bool:
        """Write forced tokens; whether there were any. If not, the ids that are open are known."""
        tokens = matcher.forced_tokens()[: self._budget - self.written]
        if not tokens:
            self._open = allowed_ids(matcher.mask(), self._writing.width)
            if len(self._open) > 1 or int(self._open[0]) in self._writing.vocabulary.end_ids:
                return False
            tokens = [int(self._open[0])]
        for token in tokens:
            self._write(token, forced=True)
            if self.ending is not None:
                break
        return True

    def _write(self, token: int, *, forced: bool) -> None:
        """Write a token, and see whether it ended the output."""
        if self.job.observe and self._matcher is not None:
            self._masks[len(self.ids)] = self._matcher.mask()
        data = self._read(token)
        self.ids.append(token)
        self._counts.tokens += 1
        self._counts.forced_tokens += forced
        if self._prediction is not None:
            self._prediction.read(token)
        self._outlet.write(token, data, forced=forced, counts=self.written >= self.job.min_tokens)
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

    # ----------------------------------------------------------------------------------------------- what is read next

    @property
    def unread(self) -> int:
        """Tokens that the model has to read before something is chosen or scored; a draft not counted."""
        return self._target - self._length

    @property
    def _length(self) -> int:
        return 0 if self.session is None else self.session.length

    @property
    def _target(self) -> int:
        """How many ids are to be read: all before a choice, all but the last if the rest only waits for scores."""
        return len(self.ids) if self.ending is None else len(self.ids) - 1

    def step(self, most: int) -> Step:
        """What the model should read now: ``most`` tokens at most, and a draft behind the last one."""
        assert self.session is not None  # noqa: S101  (the batch opens it before)
        length = self.session.length
        stop = min(self._target, length + most)
        tokens = self.ids[length:stop]
        self._draft = self._propose() if self.ending is None and stop == len(self.ids) else []
        first = min(self._unscored - 1, len(self.ids) - 1 if self.ending is None else 1 << 62)
        outputs = max(0, stop - max(length, first)) + len(self._draft)
        return Step(self.session, [*tokens, *self._draft], outputs)

    def _propose(self) -> list[int]:
        """What the prediction expects next, as far as it is allowed and has room."""
        if self._prediction is None or not self._proposes:
            return []
        draft = self._writing.text_part(self._prediction.draft(self._budget - self.written - 1))
        if self._matcher is not None and draft:
            start = perf_counter()
            draft = draft[: self._matcher.validate_tokens(draft)]
            self._counts.note_masks(perf_counter() - start)
        return draft

    def take(self, step: Step, rows: Rows) -> None:
        """Get the scores of a step: score what waited for it and choose what comes next, as far as the draft was right.

        Afterwards the session holds nothing that is not part of ``ids``.
        """
        assert self.session is not None  # noqa: S101  (it made the step)
        base = self.session.length - len(step.tokens)
        for place, row in enumerate(rows, self.session.length - len(rows) + 1):
            self._use(place, row)
            read = step.tokens[place - base : place - base + 1]
            if not read or self.ids[place : place + 1] != read:
                break
        self._keep(step, base)

    def _use(self, place: int, row: Rows) -> None:
        """Use the row about ``ids[place]``: choose that token if it is not there, score it if that is asked for."""
        is_choice = place == len(self.ids)
        if self.ending is not None if is_choice else place < self._unscored:
            return
        start = perf_counter()
        self._chooser.note(self.ids[max(len(self.prompt), self._noted) : place])
        self._noted = place
        logits = self._chooser.adjust(row)
        if is_choice:
            self._choose(logits)
        if place == self._unscored and place < len(self.ids):
            self._score(place, Distribution(logits))
            self._unscored = place + 1
        self._counts.seconds_sampling += perf_counter() - start
        if is_choice:
            self.settle()

    def _choose(self, logits: Rows) -> None:
        may_end = self.written >= self.job.min_tokens
        if self._matcher is None:
            self._write(self._chooser.choose(logits, None, may_end=may_end), forced=False)
            return
        is_accepting = self._matcher.is_accepting
        if is_accepting and may_end and self.written and not self._matcher.allows(int(logits.argmax())):
            # The output may end here, and the model wants to go where the constraint does not: it is done. Base models
            # rarely write an end token behind a number, and would be made to write digits for ever.
            self.ending = "stop"
            return
        token = self._chooser.choose(logits, self._open, may_end=may_end or not is_accepting)
        self._write(token, forced=False)

    def _score(self, place: int, distribution: Distribution) -> None:
        score = None
        if self.job.logprobs is not None:
            score = distribution.score(self.ids[place], self.job.logprobs)
        if place < len(self.prompt):
            self._echo.append(score or Score(None))
            return
        observed = None
        if self.job.observe:
            mask = self._masks.pop(place, None)
            observed = distribution.observation(self.job.observe, mask, self._writing.writable_count)
        self._outlet.score(score, observed)

    def _keep(self, step: Step, base: int) -> None:
        """Take back what was proposed and not written."""
        proposed = len(self._draft)
        certain = right = len(step.tokens) - proposed
        while right < len(step.tokens) and self.ids[base + right : base + right + 1] == [step.tokens[right]]:
            right += 1
        if self._prediction is not None and proposed:
            self._prediction.judge(proposed, right - certain)
        if right < len(step.tokens):
            self._rewind(base + right)

    def _rewind(self, length: int) -> None:
        """Forget what was read from ``length`` on. A model that cannot forget reads all again, without drafts."""
        assert self.session is not None  # noqa: S101
        try:
            self.session.truncate(length)
        except ModelError:
            self._proposes = False
            self.close()

    # --------------------------------------------------------------------------------------------------- what is told

    def events(self) -> list[Event]:
        """What can be told since the last call; the last event comes with ``has_ended``, once."""
        events: list[Event] = []
        if self._is_told:
            return events
        if not self._is_prompted and (self.has_ended or self._length >= len(self.prompt)):
            self._is_prompted = True
            self._counts.prompt_tokens += len(self.prompt)
            self._counts.cached_tokens += self.cached
            events.append(Prompted(prompt_tokens=len(self.prompt), cached_tokens=self.cached, scores=tuple(self._echo)))
        if self._is_prompted:
            events += self._outlet.take()
        if self.has_ended:
            self._is_told = True
            events.append(self._finish())
        return events

    def _finish(self) -> Finish:
        accepted = rejected = 0
        if self._prediction is not None:
            accepted, rejected = self._prediction.accepted, self._prediction.rejected
        self._counts.accepted_prediction_tokens += accepted
        self._counts.rejected_prediction_tokens += rejected
        return Finish(
            reason=self.ending or "length",
            matched=self._outlet.matched,
            completion_tokens=self.written,
            accepted_prediction_tokens=accepted,
            rejected_prediction_tokens=rejected,
        )

    # ------------------------------------------------------------------------------------------------------ its session

    def release(self) -> tuple[NDArray[np.int64], Session] | None:
        """Hand over the session and the tokens that it has read; None if there is none."""
        session, self.session = self.session, None
        return None if session is None else (np.array(self.ids[: session.length], np.int64), session)

    def close(self) -> None:
        """Close the session."""
        session, self.session = self.session, None
        if session is not None:
            session.close()
