"""Text that comes in pieces of any size, as characters or bytes, with its lines counted."""

from __future__ import annotations

import codecs
from typing import Final

from maskwright.errors import OutputError, PolicyError

__all__ = ["Pieces"]

_new_decoder: Final = codecs.getincrementaldecoder("utf-8")


class Pieces:
    """The pieces of one text: bytes that are part of a character are held back until it is whole."""

    __slots__ = ("_decoder", "_line", "_line_start", "_piece", "_start")

    def __init__(self) -> None:
        """Nothing was read."""
        self._decoder = _new_decoder()
        #: The last piece and the characters before it; lines that ended before it and where the present one began.
        self._piece = ""
        self._start = 0
        self._line = 1
        self._line_start = 0

    def take(self, delta: str | bytes) -> tuple[str, OutputError | None]:
        """The characters that a piece completes, and the error of what follows them.

        Whatever comes after bytes that are no UTF-8 must not be read. Raises
        :class:`maskwright.errors.PolicyError` for anything but text and bytes.
        """
        self._turn()
        if isinstance(delta, str):
            held = self._decoder.getstate()[0]
            self._piece = "" if held else delta
            return self._piece, self._broken() if held and delta else None
        if not isinstance(delta, (bytes, bytearray, memoryview)):
            raise PolicyError(f"a parser reads str or bytes, not {type(delta).__name__}")
        try:
            self._piece = self._decoder.decode(bytes(delta))
        except UnicodeDecodeError as error:
            self._piece = error.object[: error.start].decode()
            return self._piece, self._broken()
        return self._piece, None

    def end(self) -> OutputError | None:
        """The error of a text that ends here, if it ends inside a character."""
        self._turn()
        return self._broken() if self._decoder.getstate()[0] else None

    def error(self, reason: str, index: int) -> OutputError:
        """An error at a character of the last piece; at its length, after it."""
        before = self._piece[:index]
        line, start = self._line + before.count("\n"), self._line_start
        if line > self._line:
            start = self._start + before.rindex("\n") + 1
        offset = self._start + index
        return OutputError(reason, offset=offset, line=line, column=offset - start + 1)

    def _broken(self) -> OutputError:
        return self.error("bytes that are no UTF-8", len(self._piece))

    def _turn(self) -> None:
        """Count the last piece."""
        lines = self._piece.count("\n")
        if lines:
            self._line += lines
            self._line_start = self._start + self._piece.rindex("\n") + 1
        self._start += len(self._piece)
        self._piece = ""
