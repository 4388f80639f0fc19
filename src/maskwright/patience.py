"""Patience: how many seconds the work of a thread may take, and that other threads run meanwhile.

Compiled loops hold the interpreter's lock, so that nothing else of the process runs, and nothing else could end them.
Who asks for work says how long it may take (:class:`Patience`); who does it calls :func:`rest` every millisecond or so.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from threading import RLock, local
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from maskwright.errors import LimitError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = ["LateError", "Patience", "rest", "turn"]

#: Seconds of work after which other threads may run; what the interpreter itself grants those that wait for its lock.
_SLICE: Final = 0.005
#: Seconds that a lock can be waited for.
_LONGEST: Final = 1e6


class LateError(LimitError):
    """Work took longer than it may. What is remembered of it must not depend on that: the next one may be quicker."""


class _Thread(local):
    """What the present work of a thread may take."""

    patience: Patience | None = None
    #: When other threads may run next.
    next: float = 0.0


_own = _Thread()


class Patience:
    """Seconds that what is done ``with`` it may take, counted from its beginning; one within another ends no later."""

    __slots__ = ("_ends", "_outer", "_reason", "_remedy", "_seconds")

    def __init__(self, seconds: float, reason: str, remedy: str) -> None:
        """``reason`` says what was not done in time, as "... within 3 seconds"."""
        self._seconds = seconds
        self._reason = reason
        self._remedy = remedy

    def __enter__(self) -> None:
        """Begin to count."""
        self._outer = _own.patience
        self._ends = monotonic() + self._seconds
        if self._outer is None or self._seconds < self._outer.left():
            _own.patience = self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Go on with what was begun before."""
        _own.patience = self._outer

    def left(self) -> float:
        """Seconds."""
        return self._ends - monotonic()

    def look(self, now: float) -> None:
        """Raise :class:`LateError` if the time is up."""
        if now >= self._ends:
            raise LateError(Problem(f"{self._reason} within {self._seconds:g} seconds", remedy=self._remedy))


def rest() -> None:
    """Let other threads run if they did not for some milliseconds.

    Raises:
        LateError: the work took longer than it may.
    """
    now = monotonic()
    if now > _own.next:
        sleep(0)
        _own.next = now + _SLICE
    if _own.patience is not None:
        _own.patience.look(now)


@contextmanager
def turn(lock: RLock, waiting: Patience | None = None) -> Iterator[None]:
    """Hold a lock, which may be waited for as long as ``waiting``, and the present work, may take.

    Raises:
        LateError: others held it for longer.
    """
    with nullcontext() if waiting is None else waiting:
        _acquire(lock)
    try:
        yield
    finally:
        lock.release()


def _acquire(lock: RLock) -> None:
    patience = _own.patience
    if patience is None:
        lock.acquire()
        return
    while not lock.acquire(timeout=min(max(patience.left(), 0.0), _LONGEST)):
        patience.look(monotonic())
