"""Tickets: the events of the jobs of one request, carried from the engine's thread to an event loop."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from maskwright.server.jobs import Event, Failed, Finish, Job, Prompted, Token

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Ticket"]


class Ticket:
    """The jobs of one request: an async iterator of ``(index of the job, event)``, for one reader on one event loop.

    Made by ``Engine.submit``. The iteration ends after the last event of the last job, or after :meth:`cancel`.
    """

    def __init__(
        self, jobs: Sequence[Job], loop: asyncio.AbstractEventLoop, on_cancel: Callable[[Ticket], None]
    ) -> None:
        """Belong to an event loop."""
        self.jobs = tuple(jobs)
        #: Instants of ``time.monotonic``; None for what did not happen yet. Started: the first job left the queue.
        self.queued_at: float = time.monotonic()
        self.started_at: float | None = None
        #: The last prompt was read.
        self.prompt_done_at: float | None = None
        self.finished_at: float | None = None
        #: Set by :meth:`cancel`, read by the engine between two steps.
        self.is_cancelled = False
        self._loop = loop
        self._on_cancel = on_cancel
        self._lock = Lock()
        #: Events that were not read, and their weight: one for each token and each score.
        self._events: deque[tuple[int, Event]] = deque()
        self._unread = 0
        self._unprompted = self._unfinished = len(self.jobs)
        #: Whether the loop was told of events that it did not look at yet.
        self._is_told = False
        self._waiter: asyncio.Future[None] | None = None

    @property
    def unread(self) -> int:
        """What waits to be read, in tokens and scores."""
        return self._unread

    def cancel(self) -> None:
        """Give the jobs up; safe from any thread and at any time, also twice. Their slots are free at the next step."""
        if not self.is_cancelled:
            self.is_cancelled = True
            self._on_cancel(self)
            with self._lock:
                self._events.clear()
                self._unread = 0
            self._tell()

    def begin(self) -> None:
        """A job left the queue; called by the engine."""
        if self.started_at is None:
            self.started_at = time.monotonic()

    def deliver(self, events: Sequence[tuple[int, Event]]) -> None:
        """Hand events to the reader; called by the engine, with all events of a step at once."""
        with self._lock:
            for index, event in events:
                if not self.is_cancelled:
                    self._events.append((index, event))
                    self._unread += _weight(event)
                self._note(event)
        self._tell()

    def _note(self, event: Event) -> None:
        if isinstance(event, Prompted):
            self._unprompted -= 1
            if self._unprompted == 0:
                self.prompt_done_at = time.monotonic()
        elif isinstance(event, Finish | Failed):
            self._unfinished -= 1
            if self._unfinished == 0:
                self.finished_at = time.monotonic()

    def _tell(self) -> None:
        """Wake the reader, once until it looks."""
        with self._lock:
            if self._is_told:
                return
            self._is_told = True
        try:
            self._loop.call_soon_threadsafe(self._look)
        except RuntimeError:  # the loop is closed, so nobody will read
            if not self.is_cancelled:
                self.is_cancelled = True
                self._on_cancel(self)

    def _look(self) -> None:
        self._is_told = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[int, Event]:
        """The next event.

        Raises:
            StopAsyncIteration: every job ended, or the ticket was cancelled.
        """
        while True:
            with self._lock:
                if self._events:
                    found = self._events.popleft()
                    self._unread -= _weight(found[1])
                    return found
                if self._unfinished == 0 or self.is_cancelled:
                    raise StopAsyncIteration
            # Events that come after the look above leave a call of _look, which cannot run before this one waits.
            self._waiter = self._loop.create_future()
            await self._waiter


def _weight(event: Event) -> int:
    """A prompt counts once however long it is: its scores come in one piece, which no reader can be too slow for."""
    return 1 + len(event.top) if isinstance(event, Token) else 1
