"""The place in a JSON text: line, column, and the pointer of what is being read, from bytes in pieces of any size."""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from typing import Final

__all__ = ["Cursor", "State"]

BLANKS: Final = b" \t\r\n"
#: Whole strings, the beginning of one that the piece does not end, and punctuation.
_MARK: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\],:]', re.DOTALL)
_STRING_END: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
#: Bytes that are kept of a value, for messages.
_KEPT: Final = 65_536


class State(Enum):
    """What the text stands before or in."""

    VALUE = auto()
    SCALAR = auto()
    AFTER_VALUE = auto()
    KEY = auto()
    IN_KEY = auto()
    AFTER_KEY = auto()


class Cursor:
    """Follows bytes that are a beginning of JSON; what is no JSON leads to nonsense, but to no error."""

    def __init__(self) -> None:
        """Stand at the beginning."""
        self.offset = 0
        self.line = 1
        #: Characters that began in the present line.
        self._characters = 0
        #: For each open array the index of its element, for each open object the literal of its key (``None`` before).
        self.path: list[int | bytes | None] = []
        #: For each open object the literals of its keys, for each open array ``None``.
        self._names: list[set[bytes] | None] = []
        #: The last punctuation or string that was read whole, ``b""`` at the beginning.
        self.last = b""
        self._after_key = False
        #: What was read of the string that is open, from its quote on; empty outside of strings.
        self.literal = bytearray()
        #: Whether that ends with a backslash that escapes what comes next.
        self.is_escaped = False
        #: What was read since the last mark.
        self._rest = b""

    def skip(self, data: bytes) -> None:
        """Read bytes that are no part of the value."""
        self.offset += len(data)
        lines = data.count(b"\n")
        if lines:
            self.line += lines
            self._characters = 0
            data = data[data.rindex(b"\n") + 1 :]
        self._characters += len(data.translate(None, _CONTINUATION))

    def column(self, byte: int | None) -> int:
        """The column of a byte that comes next; one inside a character has that of the character."""
        return self._characters + (byte is None or not 0x80 <= byte < 0xC0)

    def read(self, data: bytes) -> int:
        """Read bytes and return how many: all, or those before the quote that ends a key that stands there already.

        O(len(data)), and one turn of a loop for each string and each punctuation mark.
        """
        stop = self._follow(data)
        self.skip(data if stop == len(data) else data[:stop])
        return stop

    def _follow(self, data: bytes) -> int:
        start = 0
        if self.literal:
            found = _STRING_END.match(data, 1 if self.is_escaped else 0)
            if found is None:
                return self._open(data)
            start = found.end()
            text = bytes(self.literal + data[:start])
            if not self._take(text):
                return self._open(data[: start - 1])
            self.literal.clear()
            self.is_escaped = False
            self._rest = b""
        end = start
        for mark in _MARK.finditer(data, start):
            text = mark.group()
            end = mark.end()
            if text == b'"' or not self._take(text):
                self._rest = b""
                self._open(text[:-1] or data[mark.start() :])
                return len(data) if text == b'"' else end - 1
        if end > start:
            self._rest = b""
        if len(self._rest) < _KEPT:
            self._rest += data[end:]
        return len(data)

    def _open(self, data: bytes) -> int:
        """Go on with a string that does not end here; of a long value only the beginning is kept."""
        if len(self.literal) < _KEPT or self.state is State.IN_KEY:
            self.literal += data
        backslashes = len(data) - len(data.rstrip(b"\\"))
        self.is_escaped = (backslashes + (self.is_escaped and backslashes == len(data))) % 2 == 1
        return len(data)

    def _take(self, text: bytes) -> bool:
        """Go past a mark or a string; ``False``, and nothing changes, if it is a key that stands there already."""
        path = self.path
        if text[0] == 0x22:
            is_key = bool(path) and path[-1] is None
            if is_key and not self._add_name(text):
                return False
            self._after_key = is_key
            self.last = text
            return True
        self.last = text
        self._after_key = False
        if text == b",":
            top = path[-1] if path else 0
            if path:
                path[-1] = top + 1 if isinstance(top, int) else None
        elif text == b"{":
            path.append(None)
            self._names.append(set())
        elif text == b"[":
            path.append(0)
            self._names.append(None)
        elif path and text != b":":
            path.pop()
            self._names.pop()
        return True

    def _add_name(self, literal: bytes) -> bool:
        names = self._names[-1]
        plain = _canonical(literal) if b"\\" in literal else literal
        if names is None or plain in names:
            return False
        names.add(plain)
        self.path[-1] = literal
        return True

    @property
    def scalar(self) -> bytes:
        """What was read of the value in progress, an array or object excepted."""
        return bytes(self.literal) if self.literal else self._rest.strip(BLANKS)

    @property
    def state(self) -> State:
        """What the text stands before or in."""
        at_key = bool(self.path) and self.path[-1] is None
        if self.literal:
            return State.IN_KEY if at_key else State.SCALAR
        rest = self._rest.lstrip(BLANKS)
        if rest:
            return State.SCALAR if rest[-1] not in BLANKS else State.AFTER_VALUE
        if self.last in (b"", b",", b":", b"{", b"["):
            return State.KEY if at_key else State.VALUE
        return State.AFTER_KEY if self._after_key else State.AFTER_VALUE

    @property
    def names(self) -> set[str]:
        """The keys that were read of the innermost open object, without the one in progress."""
        literals = (self._names[-1] if self._names else None) or ()
        return {json.loads(literal) for literal in literals}

    def container(self) -> tuple[str | int, ...]:
        """The steps to the innermost open array or object."""
        return _steps(self.path[:-1])

    def value(self) -> tuple[str | int, ...]:
        """The steps to the value in it that is being read or comes next."""
        return _steps(self.path)


def _steps(path: list[int | bytes | None]) -> tuple[str | int, ...]:
    return tuple(json.loads(step) if isinstance(step, bytes) else step for step in path if step is not None)


def _canonical(literal: bytes) -> bytes:
    """The spelling without escapes, as far as JSON can do without."""
    return json.dumps(json.loads(literal), ensure_ascii=False).encode("utf-8", "surrogatepass")
