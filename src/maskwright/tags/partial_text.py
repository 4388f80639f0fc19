"""Text that comes in pieces of any size, as characters or bytes, with its lines counted."""

from __future__ import annotations

import codecs
from typing import Final, NamedTuple

from maskwright.errors import OutputError, PolicyError

__all__ = ["Mark", "Pieces"]

_new_decoder: Final = codecs.getincrementaldecoder("utf-8")


class Mark(NamedTuple):
    """A place in the whole text."""

    offset: int
    line: int
    column: int


class Pieces:
    """The text that was not read yet, and where it stands in the whole; bytes of half a character are held back."""

    __slots__ = ("_counted", "_decoder", "_line", "_line_start", "_start", "at", "is_broken", "is_ended", "text")

    def __init__(self) -> None:
        """Nothing has come."""
        #: What has come, from some place before the next character to read on, and the index of that character.
        self.text = ""
        self.at = 0
        #: Whether bytes that are no UTF-8 follow, and whether nothing does.
        self.is_broken = False
        self.is_ended = False
        self._decoder = _new_decoder()
        #: The offset of ``text[0]`` in the whole.
        self._start = 0
        #: The index in ``text`` up to which lines were counted; the line that it is in, from 1, and its offset.
        self._counted = 0
        self._line = 1
        self._line_start = 0

    def add(self, delta: str | bytes) -> None:
        """Put a piece after what was not read; O(that and the piece).

        Raises :class:`maskwright.errors.PolicyError` for anything but text and bytes.
        """
        fresh = self.decode(delta)
        self._drop()
        self.text += fresh

    def decode(self, delta: str | bytes) -> str:
        """The characters that a piece completes."""
        if isinstance(delta, str):
            if self._decoder.getstate()[0] and delta:
                self.is_broken = True
            return "" if self.is_broken else delta
        if not isinstance(delta, (bytes, bytearray, memoryview)):
            raise PolicyError(f"a parser reads str or bytes, not {type(delta).__name__}")
        try:
            return "" if self.is_broken else self._decoder.decode(bytes(delta))
        except UnicodeDecodeError as error:
            self.is_broken = True
            return bytes(error.object[: error.start]).decode()

    def end(self) -> None:
        """Nothing follows."""
        self.is_ended = True
        if self._decoder.getstate()[0]:
            self.is_broken = True

    def mark(self, index: int | None = None) -> Mark:
        """The place of a character of ``text``, by default of the next one; only of that or later ones."""
        self._count()
        index = self.at if index is None else index
        lines = self.text.count("\n", self.at, index)
        start = self._start + self.text.rindex("\n", self.at, index) + 1 if lines else self._line_start
        return Mark(self._start + index, self._line + lines, self._start + index - start + 1)

    def error(self, reason: str, place: int | Mark | None = None) -> OutputError:
        """An error at a character of ``text``, by default at the next one, or at a place that was marked."""
        mark = place if isinstance(place, Mark) else self.mark(place)
        return OutputError(reason, offset=mark.offset, line=mark.line, column=mark.column)

    def broken(self) -> OutputError:
        """The error of the bytes that follow."""
        return self.error("bytes that are no UTF-8", len(self.text))

    def _drop(self) -> None:
        """Forget what was read."""
        self._count()
        self._start += self.at
        self.text = self.text[self.at :]
        self.at = self._counted = 0

    def _count(self) -> None:
        """Count the lines of what was read."""
        lines = self.text.count("\n", self._counted, self.at)
        if lines:
            self._line += lines
            self._line_start = self._start + self.text.rindex("\n", self._counted, self.at) + 1
        self._counted = self.at
