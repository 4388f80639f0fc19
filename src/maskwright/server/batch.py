"""The batch: the sequences under way, one pass of the model for all of them at a time.

Whatever goes wrong belongs to one sequence, and the others go on. A pass that fails for all of them is made again for
each alone, so the one at fault is found.
"""

from __future__ import annotations

import time
from collections.abc import Sequence as Several
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.runtime import Runtime, Session, Step
from maskwright.errors import MaskwrightError, ModelError, RequestError, excerpt
from maskwright.server.counts import Counts
from maskwright.server.jobs import Event, Failed, Job
from maskwright.server.prefixes import LEAST, Prefixes, cut, shared
from maskwright.server.schedule import plan
from maskwright.server.sequence import Sequence
from maskwright.server.tickets import Ticket
from maskwright.server.writing import Writing

__all__ = ["Batch", "is_late", "told"]

Rows = NDArray[np.float32]
#: Tokens and scores of a ticket that may wait for their reader: those of a whole context, or some megabytes.
_UNREAD: Final = 1 << 17
#: How much a new duration counts in the mean.
_NEWS: Final = 0.2


@dataclass(eq=False)
class _Lane:
    """A sequence, and who reads it."""

    ticket: Ticket
    index: int
    sequence: Sequence
    started_at: float = field(default_factory=time.monotonic)


class Batch:
    """The sequences under way, in the order they came. Used by the engine's thread only."""

    def __init__(self, runtime: Runtime, writing: Writing, prefixes: Prefixes, counts: Counts, chunk: int) -> None:
        """Begin without sequences."""
        self._runtime, self._writing, self._prefixes, self._counts = runtime, writing, prefixes, counts
        self._chunk = chunk
        self._lanes: list[_Lane] = []
        #: Events of this turn by ticket.
        self._events: dict[Ticket, list[tuple[int, Event]]] = {}
        #: Mean seconds that a job was under way, of late ones mostly.
        self.seconds_of_job = 1.0

    def __len__(self) -> int:
        return len(self._lanes)

    def admit(self, ticket: Ticket, index: int, job: Job) -> None:
        """Begin a job."""
        ticket.begin()
        if is_late(job, time.monotonic()):
            self._fail(ticket, index, _timeout())
            return
        try:
            matcher = None if job.matcher is None else job.matcher.fork()
            sequence = Sequence(job, matcher, self._writing, self._counts)
            sequence.settle()
        except Exception as cause:  # noqa: BLE001  (a job may fail in any way; the others go on)
            self._fail(ticket, index, cause)
        else:
            self._lanes.append(_Lane(ticket, index, sequence))

    def turn(self) -> None:
        """Make one pass; what came of it is told by :meth:`deliver`."""
        for lane in list(self._lanes):
            self._look_after(lane)
        lanes = {lane.sequence: lane for lane in self._lanes if lane.sequence.session is not None}
        ready = [sequence for sequence in lanes if not sequence.has_ended]
        for lane, step, rows in self._pass(lanes, ready):
            if isinstance(rows, Exception):
                self._give_up(lane, rows)
                continue
            try:
                lane.sequence.take(step, rows)
            except Exception as cause:  # noqa: BLE001  (as above)
                self._give_up(lane, cause)
        for lane in list(self._lanes):
            self._tell(lane)

    def give_up_all(self, error: Exception) -> None:
        """Fail every sequence."""
        for lane in list(self._lanes):
            self._give_up(lane, error)

    def deliver(self) -> None:
        """Hand the events of this turn to their readers."""
        events, self._events = self._events, {}
        for ticket, some in events.items():
            ticket.deliver(some)

    # ------------------------------------------------------------------------------------------------------- one lane

    def _look_after(self, lane: _Lane) -> None:
        """Before a pass: take out who left or is late, give a session to who has none."""
        job, ticket = lane.sequence.job, lane.ticket
        if ticket.is_cancelled:
            self._counts.cancelled += 1
            self._retire(lane)
        elif is_late(job, time.monotonic()):
            self._give_up(lane, _timeout())
        elif ticket.unread > _UNREAD:
            self._give_up(lane, RequestError("what was written is not read", status=408, code="reader_too_slow"))
        elif lane.sequence.session is None and not lane.sequence.has_ended:
            try:
                self._open(lane)
            except Exception as cause:  # noqa: BLE001  (as above)
                self._give_up(lane, cause)

    def _tell(self, lane: _Lane) -> None:
        """After a pass: what is new of a sequence, and whether it is done."""
        for event in lane.sequence.events():
            self._events.setdefault(lane.ticket, []).append((lane.index, event))
        if lane.sequence.has_ended:
            self._counts.finished += 1
            duration = time.monotonic() - lane.started_at
            self.seconds_of_job += _NEWS * (duration - self.seconds_of_job)
            self._retire(lane)

    def _retire(self, lane: _Lane) -> None:
        self._lanes.remove(lane)
        held = lane.sequence.release()
        if held is not None:
            self._prefixes.keep(*held)

    def _give_up(self, lane: _Lane, cause: Exception) -> None:
        self._lanes.remove(lane)
        lane.sequence.close()
        self._fail(lane.ticket, lane.index, cause)

    def _fail(self, ticket: Ticket, index: int, cause: Exception) -> None:
        self._counts.failed += 1
        self._events.setdefault(ticket, []).append((index, Failed(told(cause))))

    # ------------------------------------------------------------------------------------------------------- sessions

    def _open(self, lane: _Lane) -> None:
        """Give a sequence a session that has read as much of its prompt as possible.

        Where an earlier sequence is about to read most of the prompt, it waits for that one: choices of one request,
        and requests that share their instructions, are read once.
        """
        sequence = lane.sequence
        sequence.cached = 0
        if not sequence.is_echoed:
            wanted = sequence.prompt[:-1]
            kept = self._prefixes.best(wanted)
            other, length = self._sharing(lane, wanted)
            if other is not None and length > kept:
                if other.session is not None and other.session.length >= length:
                    forked = self._prefixes.fork(other.session)
                    sequence.session = None if forked is None else cut(forked, length)
                elif 2 * length >= len(wanted):
                    return
            if sequence.session is None and kept >= LEAST:
                sequence.session = self._prefixes.take(wanted)
        if sequence.session is None:
            sequence.session = self._opened()
        sequence.cached = _length(sequence)

    def _sharing(self, lane: _Lane, wanted: NDArray[np.int64]) -> tuple[Sequence | None, int]:
        """The sequence before this one whose prompt begins like it for longest, and for how long."""
        best: tuple[Sequence | None, int] = (None, LEAST - 1)
        for other in self._lanes:
            if other is lane:
                break
            length = shared(other.sequence.prompt, wanted)
            if length > best[1] and not other.sequence.has_ended:
                best = (other.sequence, length)
        return best

    def _opened(self) -> Session | None:
        """An empty session; None if one will be free when another sequence is done.

        Raises:
            ModelError: the runtime has none.
        """
        while True:
            try:
                return self._runtime.open()
            except ModelError:
                if self._prefixes.drop_oldest():
                    continue
                if any(lane.sequence.session is not None for lane in self._lanes):
                    return None
                raise

    # --------------------------------------------------------------------------------------------------------- passes

    def _pass(
        self, lanes: dict[Sequence, _Lane], ready: Several[Sequence]
    ) -> list[tuple[_Lane, Step, Rows | Exception]]:
        """Read what is to be read; for each sequence its scores, or why there are none."""
        if not ready:
            return []
        steps = plan(ready, self._chunk)
        start = perf_counter()
        rows = self._forward([step for _, step in steps])
        self._counts.seconds_model += perf_counter() - start
        self._counts.steps += 1
        self._counts.read_tokens += sum(len(step.tokens) for _, step in steps)
        return [(lanes[sequence], step, row) for (sequence, step), row in zip(steps, rows, strict=True)]

    def _forward(self, steps: Several[Step]) -> Several[Rows | Exception]:
        lengths = [step.session.length for step in steps]
        try:
            return self._runtime.forward(steps)
        except Exception as cause:  # noqa: BLE001  (as above)
            if len(steps) == 1 and not len(self._prefixes):
                return [cause]
            # Memory may be what is missing, so what is only kept goes first.
            self._prefixes.clear()
            return [self._alone(step, length) for step, length in zip(steps, lengths, strict=True)]

    def _alone(self, step: Step, length: int) -> Rows | Exception:
        """A step by itself, after a pass with others failed; that may have read it, or not."""
        try:
            if step.session.length != length:
                step.session.truncate(length)
            return self._runtime.forward([step])[0]
        except Exception as cause:  # noqa: BLE001  (as above)
            return cause


def _length(sequence: Sequence) -> int:
    return 0 if sequence.session is None else sequence.session.length


def is_late(job: Job, now: float) -> bool:
    """Whether the time of a job is up."""
    return job.deadline is not None and job.deadline < now


def _timeout() -> RequestError:
    return RequestError("the time is up (ask for fewer tokens)", status=504, type="timeout_error", code="timeout")


def told(cause: Exception) -> MaskwrightError:
    """An error as one of ours."""
    if isinstance(cause, MaskwrightError):
        return cause
    error = ModelError(f"the engine failed: {type(cause).__name__}: {excerpt(str(cause), 200)}")
    error.__cause__ = cause
    return error
