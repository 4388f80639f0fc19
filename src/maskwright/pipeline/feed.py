"""Rows from a file or pipe, read by a thread of its own so that a slow pipe stops nothing else."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from typing import Final

from maskwright.pipeline.rows import Row

__all__ = ["Feed"]


class Feed:
    """An asynchronous iterator over rows that reads at most ``ahead`` of them before they are wanted.

    The thread is a daemon: it may wait for a pipe that nobody writes to, and no program should wait for that to end.
    """

    def __init__(self, rows: Iterator[Row], *, ahead: int) -> None:
        """Begin to read; to be called where an event loop runs."""
        self._rows = rows
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Row | BaseException | None] = deque()
        self._is_ready = asyncio.Event()
        self._room = threading.Semaphore(ahead)
        self._is_closed = False
        self._thread: Final = threading.Thread(target=self._read, name="maskwright-rows", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        end: BaseException | None = None
        try:
            for row in self._rows:
                self._room.acquire()
                if self._is_closed:
                    return
                self._hand(row)
        except Exception as cause:  # noqa: BLE001  (whatever it is, it is raised where the rows are wanted)
            end = cause
        self._hand(end)

    def _hand(self, item: Row | BaseException | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._put, item)
        except RuntimeError:
            # The loop has ended: nobody wants rows any more.
            self._is_closed = True

    def _put(self, item: Row | BaseException | None) -> None:
        self._ready.append(item)
        self._is_ready.set()

    async def next(self) -> Row | None:
        """Return the next row, ``None`` at the end and ever after.

        Raises:
            InputError: the input cannot be read.
        """
        while not self._ready:
            self._is_ready.clear()
            await self._is_ready.wait()
        item = self._ready[0]
        if not isinstance(item, Row):
            # The end stays, for every task that asks.
            if item is not None:
                raise item
            return None
        self._ready.popleft()
        self._room.release()
        return item

    def close(self) -> None:
        """Read no more rows."""
        self._is_closed = True
        self._room.release()
