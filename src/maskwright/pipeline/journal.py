"""A file of finished rows that is its own journal: one whole line a row, only ever appended to.

What survives what:

* A process that is killed, at any moment: every row whose line was written. A line is one ``write`` to a file opened
  for appending, straight to the system; what the kernel has, the death of a process does not take back.
* A machine that loses power: every row up to the last ``sync``.
* A full disk: a line that was written in part is cut off again at once, or, if even that fails, at the next start.

So a line without its newline is no finished row, and is cut off when the file is opened again. Nothing else is ever
removed: a file with lines of another kind is refused, not mended.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from maskwright.errors import InputError, excerpt
from maskwright.pipeline.identity import KEY
from maskwright.pipeline.locks import lock

__all__ = ["Entry", "Journal"]

_BEGINNING: Final = b'{"row": '
_LINE: Final = re.compile(rb'\{"row": ?([0-9]{1,15}), ?"key": ?"(' + KEY.pattern + rb')", ?"')
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
#: Most bytes of an unfinished end that are looked at.
_TAIL: Final = 64 << 20
#: How often a file may be replaced between being opened and being locked before that is called an error.
_ATTEMPTS: Final = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished row in a journal."""

    row: int
    key: str
    #: Where its line begins, and its bytes with the newline.
    offset: int
    length: int


class Journal:
    """An open, locked file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open or create a file and lock it.

        Raises:
            InputError: it cannot be opened for writing, is no file, or another run has it.
        """
        self.path = Path(path)
        self._descriptor = self._open()
        self._size = os.fstat(self._descriptor).st_size

    def _open(self) -> int:
        for _ in range(_ATTEMPTS):
            with self._told("opened"):
                descriptor = os.open(self.path, _FLAGS, 0o666)
            try:
                self._take(descriptor)
                if self._is_at(descriptor):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            # Another run put a sorted file in its place while this one was between opening and locking.
            os.close(descriptor)
        raise InputError(f"{self._name} is replaced again and again by another program")

    def _take(self, descriptor: int) -> None:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError(f"{self._name} is no file: a run can only be resumed from a file that can be read again")
        with self._told("locked"):
            is_free = lock(descriptor)
        if not is_free:
            raise InputError(f"{self._name} is being written by another run; wait for it, or name another file")

    @property
    def _name(self) -> str:
        return str(self.path).encode("utf-8", "backslashreplace").decode()

    def _told(self, action: str) -> _Told:
        return _Told(self._name, action)

    def _is_at(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except OSError:
            return False

    @property
    def size(self) -> int:
        """Bytes of all finished lines."""
        return self._size

    @property
    def place(self) -> Path:
        """Where the file itself lies, behind all links."""
        return Path(os.path.realpath(self.path))

    @property
    def is_in_place(self) -> bool:
        """Whether the path still names this file; it does not if somebody removed, moved or replaced it."""
        return self._is_at(self._descriptor)

    def is_file(self, path: str | os.PathLike[str]) -> bool:
        """Whether another path names this file."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), Path(path).stat())
        except OSError:
            return False

    def entries(self) -> Iterator[Entry]:
        """Read all finished rows and, at the end, cut off what is not finished. Only for a file that is not written to.

        Raises:
            InputError: it cannot be read, or holds lines that no run of this program wrote.
        """
        offset = 0
        for number, line in enumerate(self._lines(), 1):
            entry = _entry(line, offset)
            if entry is None:
                self._mend(number, offset)
                return
            yield entry
            offset += len(line)

    def _lines(self) -> Iterator[bytes]:
        with self._told("read"), open(self.path, "rb", opener=lambda *_: os.dup(self._descriptor)) as stream:
            stream.seek(0)
            yield from stream

    def _mend(self, number: int, offset: int) -> None:
        """Cut the file at ``offset`` if all behind it is what an interrupted write leaves; else refuse it."""
        with self._told("read"):
            tail = os.pread(self._descriptor, min(self._size - offset, _TAIL), offset)
        # Blocks that had not reached the disk when the power failed are read as zeros.
        first = tail.partition(b"\n")[0].partition(b"\0")[0]
        is_ours = first.startswith(_BEGINNING[: len(first)]) and (b"\0" in tail or b"\n" not in tail)
        if not is_ours:
            reason = f"{excerpt(first.decode(errors='replace'))} is no row that maskwright extract wrote"
            remedy = "name another file, or remove the line (its row is made again)"
            raise InputError(f"{self._name}: line {number}: {reason}; {remedy}")
        if _is_whole(tail):
            self._write(b"\n", self._size)
        else:
            self._cut(offset)

    def append(self, line: bytes) -> None:
        """Add one line, with its newline; when this returns no death of the process can lose it.

        Raises:
            InputError: it cannot be written; the file then ends with the line before it.
        """
        self._write(line, self._size)

    def _write(self, data: bytes, size: int) -> None:
        with self._told("written"):
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                os.ftruncate(self._descriptor, size)
                raise
        self._size = size + len(data)

    def _cut(self, size: int) -> None:
        with self._told("shortened"):
            os.ftruncate(self._descriptor, size)
            os.fsync(self._descriptor)
        self._size = size

    def clear(self) -> None:
        """Forget all rows; on disk when this returns.

        Raises:
            InputError: the file cannot be changed.
        """
        if self._size:
            self._cut(0)

    def sync(self) -> None:
        """Wait until all lines are on disk.

        Raises:
            InputError: they cannot be written.
        """
        with self._told("written"):
            os.fsync(self._descriptor)

    def replace(self, temporary: Path) -> None:
        """Put another file in the place of this one, locked, in one step that a crash does or does not see.

        Raises:
            InputError: it cannot be put there; this file is then still in place.
        """
        with self._told("replaced"):
            descriptor = os.open(temporary, _FLAGS)
            try:
                lock(descriptor)
                os.fchmod(descriptor, stat.S_IMODE(os.fstat(self._descriptor).st_mode))
                os.fsync(descriptor)
                temporary.replace(self.place)
            except BaseException:
                os.close(descriptor)
                raise
        os.close(self._descriptor)
        self._descriptor = descriptor
        self.sync_folder()

    def sync_folder(self) -> None:
        """Put the file's name on disk as well; where folders cannot be synced nothing happens."""
        try:
            folder = os.open(self.place.parent, os.O_RDONLY)
        except OSError:
            return
        try:
            os.fsync(folder)
        except OSError:
            return
        finally:
            os.close(folder)

    def close(self) -> None:
        """Close and unlock the file; again is no error."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _Told:
    """What the system refuses, as an error that names the file."""

    def __init__(self, name: str, action: str) -> None:
        self._name = name
        self._action = action

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (OSError, ValueError)):
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise InputError(f"{self._name} cannot be {self._action}: {reason}") from error


def _entry(line: bytes, offset: int) -> Entry | None:
    """The row of a whole line, ``None`` if it is none."""
    match = _LINE.match(line)
    if match is None or not line.endswith(b"}\n") or b"\0" in line:
        return None
    return Entry(int(match[1]), match[2].decode(), offset, len(line))


def _is_whole(tail: bytes) -> bool:
    """Whether only the newline is missing, as after an editor that removes it: its last brace closes a row."""
    if _entry(tail + b"\n", 0) is None:
        return False
    try:
        json.loads(tail)
    except (ValueError, RecursionError):
        return False
    return True
