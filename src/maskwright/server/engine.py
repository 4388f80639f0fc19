"""The engine: one thread that owns a model and advances several sequences at once.

It takes jobs in the order they came, reads prompts in pieces so that running sequences do not stall, makes one pass of
the model for all sequences, and hands tokens to the event loops that wait for them.

A job's output depends on nothing but the job: equal jobs with equal seeds give equal outputs, whatever else is running,
cached or predicted. The one way in which others reach it is the model's numbers, where a runtime computes otherwise for
another number of rows. NumPy's differ in their last bits (1e-4 in SmolLM2's logits, or not at all); llama.cpp rounds
activations for few rows and not for many (0.5 there). A draw between tokens of like odds may then fall otherwise.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from copy import copy
from threading import Condition, Thread
from typing import Final

from maskwright.decode.runtime import Runtime
from maskwright.errors import PolicyError, RequestError
from maskwright.server.admission import admitted
from maskwright.server.batch import Batch, is_late
from maskwright.server.counts import Counts, EngineStats
from maskwright.server.jobs import Failed, Job
from maskwright.server.prefixes import Prefixes
from maskwright.server.tickets import Ticket
from maskwright.server.writing import Writing

__all__ = ["Engine"]

#: Seconds that a refused client is asked to wait, at least and at most.
_LEAST_WAIT: Final = 1.0
_MOST_WAIT: Final = 60.0


class Engine:
    """Runs jobs on a runtime. ``submit`` is safe from several event loops at once."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        batch: int = 8,
        queue: int = 64,
        cache_tokens: int = 16_384,
        cache_sessions: int = 8,
        chunk: int = 64,
        mask_seconds: float = 20.0,
    ) -> None:
        """Own a runtime from now on; :meth:`close` closes it.

        Args:
            runtime: The model. Needs room for ``batch + cache_sessions`` sessions; with fewer the cache keeps less.
            batch: Sequences under way at most.
            queue: Jobs that wait at most; more are refused.
            cache_tokens: Tokens of finished sequences that are kept for prompts to come (46 kB each for SmolLM2).
            cache_sessions: Finished sequences that are kept.
            chunk: Tokens of prompts that one pass reads at most while other sequences write. Everybody waits for them;
                each takes the numpy decoder 3 ms with SmolLM2.
            mask_seconds: Processor seconds that the masks of one job may take before it is given up, since everybody
                waits for them. A thousand tokens of an ordinary schema take 0.2.

        Raises:
            PolicyError: a number is below what it can be.
        """
        for name, number, least in [
            ("batch", batch, 1),
            ("queue", queue, 1),
            ("chunk", chunk, 1),
            ("cache_tokens", cache_tokens, 0),
            ("cache_sessions", cache_sessions, 0),
        ]:
            if number < least:
                raise PolicyError(f"{name} is {number}, it must be at least {least}")
        self._runtime = runtime
        self._writing = Writing(runtime, mask_seconds=mask_seconds)
        self._most_running, self._most_queued = batch, queue
        self._prefixes = Prefixes(cache_tokens, cache_sessions)
        self._counts = Counts()
        self._batch = Batch(runtime, self._writing, self._prefixes, self._counts, chunk)
        #: Guards all below; notified when there is something to do.
        self._changed = Condition()
        self._queue: deque[tuple[Ticket, int, Job]] = deque()
        self._refused = self._left = 0
        #: Set by close: when what is left is given up.
        self._closes_at: float | None = None
        #: The counts after the last turn, the sessions kept and their tokens.
        self._published = (copy(self._counts), 0, 0)
        #: Jobs that left the queue and had not ended after the last turn.
        self._running = 0
        self._thread = Thread(target=self._run, name="maskwright-engine", daemon=True)
        self._is_started = False

    @property
    def runtime(self) -> Runtime:
        """The model; its codec is free for all, its passes are the engine's."""
        return self._runtime

    def start(self) -> None:
        """Start the thread; once."""
        self._is_started = True
        self._thread.start()

    def prepare(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        """Check jobs and plan how each output is closed in time; blocks, so call it in a worker thread.

        A plan for a large schema and few tokens is a search that may take a second. ``submit`` does this for jobs that
        were not prepared, in its own thread.

        Raises:
            RequestError: 400: a prompt is empty or does not fit in the context, an id is out of range, or no output of
                the guide has so few tokens (``param`` is ``prompt``, ``logit_bias`` or ``max_tokens``).
        """
        return admitted(jobs, self._writing)

    def submit(self, jobs: Sequence[Job]) -> Ticket:
        """Queue the jobs of one request; call it on the event loop that will read the ticket.

        Raises:
            RequestError: 429 with ``retry_after`` if the queue is full, 503 while closing, 400 as in :meth:`prepare`.
        """
        jobs = self.prepare(jobs)
        ticket = Ticket(jobs, asyncio.get_running_loop(), self._forget)
        with self._changed:
            self._check_room(len(jobs))
            self._queue.extend((ticket, index, job) for index, job in enumerate(jobs))
            self._changed.notify_all()
        return ticket

    def _check_room(self, count: int) -> None:
        if self._closes_at is not None:
            self._refused += count
            raise RequestError("the server is shutting down", status=503, type="server_error", code="shutting_down")
        if count > self._most_queued:
            reason = f"{count} choices are more than the {self._most_queued} that this server queues"
            raise RequestError(f"{reason} (ask for fewer at once)", param="n", code="too_many_choices")
        if len(self._queue) + count > self._most_queued:
            self._refused += count
            raise RequestError(
                f"{len(self._queue)} jobs are waiting already (try again later)",
                status=429,
                type="too_many_requests_error",
                param="queue",
                code="queue_full",
                retry_after=self._wait(),
            )

    def _wait(self) -> float:
        """About when the queue is half empty, in seconds."""
        seconds = self._batch.seconds_of_job * len(self._queue) / 2 / self._most_running
        return min(max(seconds, _LEAST_WAIT), _MOST_WAIT)

    def _forget(self, ticket: Ticket) -> None:
        """A ticket was cancelled: its jobs wait no longer, and those under way end at the next turn."""
        with self._changed:
            waiting = len(self._queue)
            self._queue = deque(entry for entry in self._queue if entry[0] is not ticket)
            self._left += waiting - len(self._queue)
            self._changed.notify_all()

    def stats(self) -> EngineStats:
        """The present counts; cheap, from any thread."""
        with self._changed:
            counts, kept, tokens = self._published
            counts = copy(counts)
            counts.cancelled += self._left
            return EngineStats.of(
                counts,
                queued=len(self._queue),
                queue=self._most_queued,
                running=self._running,
                batch=self._most_running,
                refused=self._refused,
                kept_sessions=kept,
                kept_tokens=tokens,
            )

    async def close(self, grace: float) -> None:
        """Take no new jobs, let those that were taken finish within ``grace`` seconds, give up the rest.

        Ends the thread and closes the runtime. Safe to call again; the shortest grace counts.
        """
        with self._changed:
            ends = time.monotonic() + grace
            self._closes_at = ends if self._closes_at is None else min(ends, self._closes_at)
            self._changed.notify_all()
        if not self._is_started:
            self.start()
        await asyncio.to_thread(self._thread.join)

    # ------------------------------------------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while self._wait_for_work():
            try:
                for ticket, index, job in self._taken():
                    self._batch.admit(ticket, index, job)
                self._batch.turn()
            except Exception as cause:  # noqa: BLE001  (a defect of ours must not silence the server)
                self._batch.give_up_all(cause)
            # First the counts, so that whoever reads an event finds it counted.
            self._publish()
            self._batch.deliver()
        self._give_up_rest()
        self._runtime.close()

    def _wait_for_work(self) -> bool:
        """Sleep until there is something to do; False if the thread is to end."""
        with self._changed:
            while not self._queue and not len(self._batch) and self._closes_at is None:
                self._changed.wait()
            if self._closes_at is None:
                return True
            return bool(self._queue or len(self._batch)) and time.monotonic() < self._closes_at

    def _taken(self) -> list[tuple[Ticket, int, Job]]:
        """Jobs that begin now, and those that waited too long."""
        now = time.monotonic()
        with self._changed:
            room = self._most_running - len(self._batch)
            taken = [self._queue.popleft() for _ in range(min(room, len(self._queue)))]
            late = [entry for entry in self._queue if is_late(entry[2], now)]
            if late:
                self._queue = deque(entry for entry in self._queue if not is_late(entry[2], now))
            self._running += len(taken) + len(late)
        return taken + late

    def _publish(self) -> None:
        with self._changed:
            self._published = (copy(self._counts), len(self._prefixes), self._prefixes.tokens)
            self._running = len(self._batch)

    def _give_up_rest(self) -> None:
        error = RequestError("the server is shutting down", status=503, type="server_error", code="shutting_down")
        self._batch.give_up_all(error)
        with self._changed:
            rest, self._queue = self._queue, deque()
        self._counts.failed += len(rest)
        self._prefixes.clear()
        self._publish()
        self._batch.deliver()
        for ticket, index, _ in rest:
            ticket.deliver([(index, Failed(error))])
