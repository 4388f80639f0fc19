"""The exit codes of every command."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """What the process ends with."""

    #: The output is complete.
    OK = 0
    #: A constraint, text or model was refused, or a row failed; the reason is on standard error.
    REFUSED = 1
    #: The arguments have no meaning, or a file cannot be read or written.
    USAGE = 2
    #: No output fits in ``--max-tokens``; nothing was generated.
    TRUNCATED = 3
    #: A run over many rows ended early: a budget is used up, the service fails, the disk is full. The same command goes
    #: on from there.
    STOPPED = 4
    #: Ended by Ctrl-C.
    INTERRUPTED = 130
    #: The reader of standard output went away (the code that a shell gives for SIGPIPE).
    PIPE = 141
