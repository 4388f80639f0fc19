"""One job under way: what the model has read, what it is to read next, and what the scores that come back mean.

Two numbers order everything. ``_ids`` are the tokens of the prompt and those written, and the session has read the
first ``session.length`` of them. The row of scores at position ``p`` is about ``_ids[p + 1]``: it scores that token if
it was written already (forced text, and the prompt where it is echoed), and chooses it if it was not.

A turn is: :meth:`Sequence.settle` writes what is forced until there is a choice, :meth:`Sequence.step` says what the
model should read, :meth:`Sequence.take` gets the rows.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.runtime import Session, Step
from maskwright.errors import ModelError
from maskwright.matcher import Matcher
from maskwright.server.counts import Counts
from maskwright.server.jobs import Event, Finish, Job, Prompted, Score
from maskwright.server.outlet import Outlet
from maskwright.server.output import Output
from maskwright.server.prediction import Prediction
from maskwright.server.sampling import Chooser
from maskwright.server.scores import Distribution
from maskwright.server.writing import Writing

__all__ = ["Sequence"]

Rows = NDArray[np.float32]
#: Beyond every place.
_NEVER: Final = 1 << 62


class Sequence:
    """The state of a job. Every method but ``close`` may raise: the job then failed, and nothing else did."""

    def __init__(self, job: Job, matcher: Matcher | None, writing: Writing, counts: Counts) -> None:
        """Begin a job; the arguments are those of :class:`maskwright.server.output.Output`."""
        self.job = job
        self.prompt = np.array(job.prompt, np.int64)
        #: Opened before the first pass; None before that and after :meth:`release`.
        self.session: Session | None = None
        #: Tokens of the prompt that another sequence had read.
        self.cached = 0
        #: Whether every token of the prompt must be read, whoever read it before.
        self.is_echoed = job.echo_logprobs and job.logprobs is not None
        is_scored = job.logprobs is not None or job.observe > 0
        self._writing, self._counts = writing, counts
        self._outlet = Outlet(job.stop, waits_for_scores=is_scored)
        self._output = Output(job, matcher, writing, counts, self._outlet)
        self._ids = self._output.ids
        self._chooser = Chooser(job, writing)
        #: The next id that waits for a score.
        self._unscored = (1 if self.is_echoed else len(self._ids)) if is_scored else _NEVER
        self._echo: list[Score] = [Score(None)] if self.is_echoed else []
        #: Ids before this place are counted for the penalties, where they were written.
        self._noted = len(self._ids)
        self._prediction = Prediction(job.prediction) if job.prediction else None
        #: Ids before this place were told to the prediction, where they were written.
        self._followed = len(self._ids)
        #: What was proposed in the present step.
        self._draft: list[int] = []
        #: Whether drafts are proposed; not to a model that cannot forget them.
        self._proposes = True
        #: Whether the first event was made.
        self._is_prompted = False

    @property
    def has_ended(self) -> bool:
        """Whether nothing is to be read any more: the output ended, and what should be scored is."""
        return self._output.ending is not None and self._unscored >= len(self._ids)

    def settle(self) -> None:
        """Write what is forced, until there is a choice or the output has ended."""
        self._output.settle()

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
        return len(self._ids) if self._output.ending is None else len(self._ids) - 1

    def step(self, most: int) -> Step:
        """What the model should read now: ``most`` tokens at most, and a draft behind the last one."""
        assert self.session is not None  # noqa: S101  (the batch opens it before)
        length = self.session.length
        stop = min(self._target, length + most)
        tokens = self._ids[length:stop]
        self._draft = self._propose() if self._output.ending is None and stop == len(self._ids) else []
        first = min(self._unscored - 1, len(self._ids) - 1 if self._output.ending is None else _NEVER)
        outputs = max(0, stop - max(length, first)) + len(self._draft)
        return Step(self.session, [*tokens, *self._draft], outputs)

    def _propose(self) -> list[int]:
        """What the prediction expects next, as far as it is allowed and has room."""
        if self._prediction is None or not self._proposes:
            return []
        for token in self._ids[self._followed :]:
            self._prediction.read(token)
        self._followed = len(self._ids)
        try:
            return self._output.readable_part(self._prediction.draft(self._output.left - 1))
        except Exception:  # noqa: BLE001  (a guess is not worth a failure; the masks that are needed will tell)
            return []

    def take(self, step: Step, rows: Rows) -> None:
        """Get the scores of a step: score what waited for it and choose what comes next, as far as the draft was right.

        Afterwards the session holds nothing that is not part of ``_ids``.
        """
        assert self.session is not None  # noqa: S101  (it made the step)
        base = self.session.length - len(step.tokens)
        for place, row in enumerate(rows, self.session.length - len(rows) + 1):
            self._use(place, row)
            read = step.tokens[place - base : place - base + 1]
            if not read or self._ids[place : place + 1] != read:
                break
        self._keep(step, base)

    def _use(self, place: int, row: Rows) -> None:
        """Use the row about ``ids[place]``: choose that token if it is not there, score it if that is asked for."""
        is_choice = place == len(self._ids)
        if self._output.ending is not None if is_choice else place < self._unscored:
            return
        start = perf_counter()
        self._chooser.note(self._ids[self._noted : place])
        self._noted = max(self._noted, place)
        logits = self._chooser.adjust(row)
        if is_choice:
            self._choose(logits)
        if place == self._unscored and place < len(self._ids):
            self._score(place, Distribution(logits))
            self._unscored = place + 1
        self._counts.seconds_sampling += perf_counter() - start
        if is_choice:
            self._output.settle()

    def _choose(self, logits: Rows) -> None:
        output, favourite = self._output, int(logits.argmax())
        output.note_favourite(favourite)
        if output.open_ids is None or not output.ends_before(favourite):
            output.write(self._chooser.choose(logits, output.open_ids, may_end=output.may_end), forced=False)

    def _score(self, place: int, distribution: Distribution) -> None:
        count = self.job.logprobs
        score = None if count is None else distribution.score(self._ids[place], count)
        if score is not None and place < len(self.prompt):
            self._echo.append(score)
            return
        observed = None
        if self.job.observe:
            mask = self._output.take_mask(place)
            observed = distribution.observation(self.job.observe, mask, self._writing.writable_count)
        self._outlet.score(score, observed)

    def _keep(self, step: Step, base: int) -> None:
        """Take back what was proposed and not written."""
        proposed = len(self._draft)
        certain = right = len(step.tokens) - proposed
        while right < len(step.tokens) and self._ids[base + right : base + right + 1] == [step.tokens[right]]:
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
        """What can be told since the last call; one with ``has_ended`` tells the end, and is the last."""
        events: list[Event] = []
        if not self._is_prompted and (self.has_ended or self._length >= len(self.prompt)):
            self._is_prompted = True
            self._counts.prompt_tokens += len(self.prompt)
            self._counts.cached_tokens += self.cached
            events.append(Prompted(prompt_tokens=len(self.prompt), cached_tokens=self.cached, scores=tuple(self._echo)))
        if self._is_prompted:
            events += self._outlet.take()
        if self.has_ended:
            events.append(self._finish())
        return events

    def _finish(self) -> Finish:
        accepted = rejected = 0
        if self._prediction is not None:
            accepted, rejected = self._prediction.accepted, self._prediction.rejected
        self._counts.accepted_prediction_tokens += accepted
        self._counts.rejected_prediction_tokens += rejected
        return Finish(
            reason=self._output.ending or "length",
            matched=self._outlet.matched,
            completion_tokens=self._output.written,
            accepted_prediction_tokens=accepted,
            rejected_prediction_tokens=rejected,
            closed_early=self._output.is_closed_early,
        )

    # ------------------------------------------------------------------------------------------------------ its session

    def release(self) -> tuple[NDArray[np.int64], Session] | None:
        """Hand over the session and the tokens that it has read; None if there is none."""
        session, self.session = self.session, None
        return None if session is None else (np.array(self._ids[: session.length], np.int64), session)

    def close(self) -> None:
        """Close the session."""
        session, self.session = self.session, None
        if session is not None:
            session.close()
