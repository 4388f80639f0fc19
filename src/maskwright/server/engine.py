"""The engine: one thread that owns a model and advances several sequences at once.

It takes jobs in the order they came, reads prompts in pieces so that running sequences do not stall, makes one pass of
the model for all sequences, and hands tokens to the event loops that wait for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from maskwright.decode.runtime import Runtime
from maskwright.server.counts import EngineStats
from maskwright.server.jobs import Job
from maskwright.server.tickets import Ticket

__all__ = ["Engine"]


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
        chunk: int = 128,
    ) -> None:
        """Own a runtime from now on; :meth:`close` closes it.

        Args:
            runtime: The model. Needs room for ``batch + cache_sessions`` sessions; with fewer the cache keeps less.
            batch: Sequences under way at most.
            queue: Jobs that wait at most; more are refused.
            cache_tokens: Tokens of finished sequences that are kept for prompts to come (46 kB each for SmolLM2).
            cache_sessions: Finished sequences that are kept.
            chunk: Tokens of prompts that one step reads at most while other sequences write.

        Raises:
            PolicyError: a number is below what it can be.
        """
        raise NotImplementedError

    def start(self) -> None:
        """Start the thread."""
        raise NotImplementedError

    def prepare(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        """Check jobs and plan how each output is closed in time; blocks, so call it in a worker thread.

        A plan for a large schema and few tokens is a search that may take a second. ``submit`` does this for jobs that
        were not prepared, in its own thread.

        Raises:
            RequestError: 400: a prompt is empty or does not fit in the context, an id is out of range, or no output of
                the guide has so few tokens (``param`` is ``prompt``, ``logit_bias`` or ``max_tokens``).
        """
        raise NotImplementedError

    def submit(self, jobs: Sequence[Job]) -> Ticket:
        """Queue the jobs of one request; call it on the event loop that will read the ticket.

        Raises:
            RequestError: 429 with ``retry_after`` if the queue is full, 503 while closing, 400 as in :meth:`prepare`.
        """
        raise NotImplementedError

    def stats(self) -> EngineStats:
        """The present counts; cheap, from any thread."""
        raise NotImplementedError

    async def close(self, grace: float) -> None:
        """Take no new jobs, let those that were taken finish within ``grace`` seconds, give up the rest, end the thread."""
        raise NotImplementedError
