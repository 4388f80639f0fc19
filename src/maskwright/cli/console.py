"""Writing for people and programs: results on standard output, all else on standard error."""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import Final

from maskwright.errors import InputError

__all__ = ["Progress", "say", "write"]

_CLEAR: Final = "\r\x1b[K"
#: Seconds between two drawings of the progress line.
_PAUSE: Final = 0.1


def write(text: str | bytes) -> None:
    """Write a result to standard output, as UTF-8 whatever the locale says, and flush it.

    Raises:
        InputError: standard output is closed or cannot be written.
        BrokenPipeError: its reader went away.

    """
    if sys.stdout is None:
        raise InputError("standard output is closed")
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    try:
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(data.decode(errors="replace"))
            sys.stdout.flush()
        else:
            stream.write(data)
            stream.flush()
    except BrokenPipeError:
        # What is left in the buffer must not be tried again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
    except OSError as cause:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError(f"standard output cannot be written: {cause.strerror}") from cause


def say(text: str) -> None:
    """Write a line to standard error; where that is closed or broken, the line is lost and nothing else happens."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
        sys.stderr.flush()
    except (OSError, UnicodeError):
        return


class Progress:
    """One line on standard error that is drawn again and again, only where that is a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._next = 0.0

    def draw(self, text: str, *, at_once: bool = False) -> None:
        """Show a line in place of the one before; quick successions are thinned out."""
        if not self._is_shown or (monotonic() < self._next and not at_once):
            return
        self._next = monotonic() + _PAUSE
        self._put(_CLEAR + text)

    def clear(self) -> None:
        """Remove the line."""
        if self._is_shown:
            self._put(_CLEAR)

    def _put(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, UnicodeError):
            self._is_shown = False
