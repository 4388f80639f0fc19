"""Threads beside the event loop, with bounds on how much waits for them and how long."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from maskwright.errors import RequestError

__all__ = ["Workers"]

_Made = TypeVar("_Made")


class Workers:
    """Some threads for one kind of work, so that one kind never waits for another."""

    def __init__(self, threads: int, *, queue: int, seconds: float, name: str) -> None:
        """Start idle.

        Args:
            threads: How many pieces of work run at a time.
            queue: How many more may wait; the next is refused.
            seconds: How long one may take, its waiting counted.
            name: What the work is called, in messages and names of threads.

        """
        self._most = threads + queue
        self._seconds = seconds
        self._name = name
        self._waiting = 0
        self._pool = ThreadPoolExecutor(threads, f"maskwright-{name}")

    async def run(self, work: Callable[[], _Made]) -> _Made:
        """What some work gives.

        Raises :class:`RequestError`, 503 where too much waits, 400 after too much time; and what the work raises.
        """
        if self._waiting >= self._most:
            reason = f"Too many requests wait for {self._name}; try again shortly."
            raise RequestError(reason, status=503, type="server_error", code="overloaded", retry_after=1.0)
        self._waiting += 1
        loop = asyncio.get_running_loop()
        running = self._pool.submit(_lightly, work)
        running.add_done_callback(lambda _: _tell(loop, self._finished))
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(running)), self._seconds)
        except TimeoutError as cause:
            # What has begun in a thread cannot be ended: it ends by its own limits, and counts as waiting until then.
            running.cancel()
            reason = f"The {self._name} of this request took more than {self._seconds:g} seconds."
            raise RequestError(reason, code="request_too_complex") from cause

    def close(self) -> None:
        """Take no more work; what runs ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _finished(self) -> None:
        self._waiting -= 1


def _lightly(work: Callable[[], _Made]) -> _Made:
    """Do some work; an error that it raises keeps nothing alive.

    The frames of a traceback hold what was half made of a constraint, up to some hundred megabytes, and who waits for
    the error holds it in cycles that the collector reaches only after many small objects.
    """
    try:
        return work()
    except BaseException as error:
        cause: BaseException | None = error
        while cause is not None:
            traceback.clear_frames(cause.__traceback__)
            cause = cause.__context__
        raise


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call something in the loop's thread, unless the loop has ended before the work did."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
