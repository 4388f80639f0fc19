"""A stream of bytes as lines, numbered, of bounded length, whatever their endings.

Reading is unbuffered on purpose: a thread that waits for a pipe holds no lock of Python's streams, so a program that is
told to stop can end at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Protocol

__all__ = ["Line", "Readable", "read_lines"]

_CHUNK: Final = 1 << 16
_BOM: Final = b"\xef\xbb\xbf"


class Readable(Protocol):
    """A raw binary stream."""

    def read(self, size: int, /) -> bytes | None:
        """Return at most ``size`` bytes, none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an input."""

    #: From 1.
    number: int
    #: Without its ending; of a line that is too long only the beginning.
    data: bytes
    #: Bytes of the input before its end.
    end: int
    #: Of a line that is too long, a digest of all of it; ``b""`` of any other.
    digest: bytes = b""

    @property
    def is_too_long(self) -> bool:
        """Whether ``data`` is only its beginning."""
        return bool(self.digest)


def read_lines(stream: Readable, *, longest: int) -> Iterator[Line]:
    """Give the lines of a stream, which end in LF or CR LF; a byte order mark before the first is dropped.

    Of a line with more than ``longest`` bytes only a kilobyte is kept while the rest is read, so no input takes more
    memory than that.
    """
    gathering = _Gathering(longest)
    number, end = 1, 0
    while chunk := stream.read(_CHUNK):
        start = 0
        while (place := chunk.find(b"\n", start)) >= 0:
            gathering.add(chunk[start:place])
            yield gathering.line(number, end + place + 1)
            number += 1
            start = place + 1
        gathering.add(chunk[start:])
        end += len(chunk)
    if gathering.is_begun:
        yield gathering.line(number, end)


class _Gathering:
    """The parts of the line that is being read."""

    _KEPT: Final = 1024

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._begin()

    def _begin(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._digest = blake2b(digest_size=16)

    @property
    def is_begun(self) -> bool:
        return self._size > 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        self._digest.update(part)
        if part:
            self._parts.append(part)
        if self._size > self._longest:
            self._parts = [b"".join(self._parts)[: self._KEPT]]

    def line(self, number: int, end: int) -> Line:
        data = b"".join(self._parts)
        digest = self._digest.digest() if self._size > self._longest else b""
        self._begin()
        data = data.removesuffix(b"\r")
        return Line(number, data.removeprefix(_BOM) if number == 1 else data, end, digest)
