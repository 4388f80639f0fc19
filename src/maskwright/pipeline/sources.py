"""Where rows come from: a file, standard input, or a program's own list."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol, cast

from maskwright.errors import InputError
from maskwright.pipeline.lines import Readable
from maskwright.pipeline.rows import Reading, Row, read_rows

__all__ = ["FileSource", "ListSource", "Source", "source_of"]

_CHUNK: Final = 1 << 20
#: Most bytes whose lines are counted beforehand: 0.3 s a gigabyte.
_COUNTED: Final = 4 << 30


class Source(Protocol):
    """Rows, and what is known of them before they are read."""

    #: The file, ``None`` if there is none.
    path: Path | None
    #: Whether ``rows`` can be called again, to read the same from its beginning.
    is_repeatable: bool

    @property
    def size(self) -> int | None:
        """Bytes, if they are known."""
        ...

    def count(self) -> int | None:
        """Return how many lines there are, blank ones too, if that can be told quickly."""
        ...

    def rows(self) -> Iterator[Row]:
        """Read from the beginning.

        Raises:
            InputError: the file cannot be opened or read.
        """
        ...


def source_of(given: str | os.PathLike[str] | Iterable[str | Mapping[str, Any]], reading: Reading) -> Source:
    """Return the rows of a path, of ``-`` for standard input, or of texts and objects themselves."""
    if isinstance(given, (str, os.PathLike)):
        return FileSource(given, reading)
    return ListSource(given, reading)


class FileSource:
    """A file, pipe or terminal."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading) -> None:
        """Look the file up; ``-`` is standard input.

        Raises:
            InputError: it is not there, or is a folder.
        """
        self.path = None if path == "-" else Path(path)
        self._name = "standard input" if path == "-" else os.fspath(path).encode("utf-8", "backslashreplace").decode()
        self._reading = reading
        try:
            self._status = os.fstat(0) if self.path is None else self.path.stat()
            # A folder can be opened, and read it cannot be.
            if stat.S_ISDIR(self._status.st_mode):
                raise IsADirectoryError(0, "Is a directory")
        except (OSError, ValueError) as cause:
            raise self._refusal(cause) from cause
        self.is_repeatable = self.path is not None and stat.S_ISREG(self._status.st_mode)

    def _refusal(self, cause: Exception) -> InputError:
        reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
        return InputError(f"cannot read {self._name}: {reason}")

    @property
    def size(self) -> int | None:
        """Bytes of a file; of a pipe nothing is known."""
        return self._status.st_size if stat.S_ISREG(self._status.st_mode) else None

    def count(self) -> int | None:
        """Count the lines of a file of at most some gigabytes."""
        if not self.is_repeatable or self._status.st_size > _COUNTED:
            return None
        lines, last = 0, b"\n"
        with self._told(), self._open() as stream:
            while chunk := stream.read(_CHUNK):
                lines += chunk.count(b"\n")
                last = chunk[-1:]
        return lines + (last != b"\n")

    def rows(self) -> Iterator[Row]:
        """Read from the beginning; of a pipe what is left."""
        with self._told(), self._open() as stream:
            yield from read_rows(cast("Readable", stream), self._reading)

    def _open(self) -> Any:
        if self.path is None:
            return open(0, "rb", buffering=0, closefd=False)
        return self.path.open("rb", buffering=0)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the system refuses, as an error that names the file."""
        try:
            yield
        except OSError as cause:
            raise self._refusal(cause) from cause


class ListSource:
    """Texts, or objects as they would stand in a file; they are gone through once, and not kept."""

    path: Path | None = None
    is_repeatable = False
    size: int | None = None

    def __init__(self, given: Iterable[str | Mapping[str, Any]], reading: Reading) -> None:
        """Take what is given; nothing is read yet."""
        self._given = given
        self._reading = replace(reading, format="jsonl")

    def count(self) -> int | None:
        """The length, of what has one."""
        try:
            return len(self._given)  # type: ignore[arg-type]
        except TypeError:
            return None

    def rows(self) -> Iterator[Row]:
        """Go through what is given; an iterator is then used up."""
        lines = (json.dumps(item if isinstance(item, str) else dict(item)).encode() + b"\n" for item in self._given)
        return read_rows(_Lines(lines), self._reading)


class _Lines:
    """Lines as a stream."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    def read(self, size: int) -> bytes:
        del size
        return next(self._lines, b"")
