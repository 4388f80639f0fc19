"""Forks: locks that no thread holds in the middle of something when a process is copied.

A child has only the thread that forked. If another one held a lock at that moment, the child would wait for ever, and
what the lock guards would be half done; so a fork waits until all guarded locks are free.
"""

from __future__ import annotations

import os
from threading import RLock
from typing import Any
from weakref import WeakSet

__all__ = ["guarded_lock"]

_locks: WeakSet[Any] = WeakSet()
#: Those that the fork in progress holds.
_held: list[Any] = []


def guarded_lock() -> RLock:
    """A new re-entrant lock that a fork waits for."""
    lock = RLock()
    _locks.add(lock)
    return lock


def _acquire() -> None:
    for lock in list(_locks):
        lock.acquire()
        _held.append(lock)


def _release() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_acquire, after_in_parent=_release, after_in_child=_release)
