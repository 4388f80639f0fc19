"""A lock on an open file that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import errno
import sys

if sys.platform != "win32":
    import fcntl

__all__ = ["lock"]


def lock(descriptor: int) -> bool:
    """Lock a file for this process alone, without waiting; return False if another process has it (``flock(2)``).

    Raises:
        OSError: there are no such locks, on this system or for this file.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOTSUP, "files cannot be locked on this system")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
