"""Server-sent events (WHATWG HTML, section 9.2.6), as far as ``data`` goes: writing, and reading in any cut."""

from __future__ import annotations

import json
from typing import Any, Final

from maskwright.errors import ProtocolError

__all__ = ["DONE", "EventReader", "encode_event"]

#: The event that ends a stream.
DONE: Final = b"data: [DONE]\n\n"
_BOM: Final = b"\xef\xbb\xbf"
_LAST: Final = b"[DONE]"


def encode_event(data: Any) -> bytes:
    """One event with a JSON value. ASCII only, so no line break but ours can stand in it."""
    return b"data: " + json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n\n"


class EventReader:
    """Bytes in any cut, events out: the ``data`` of each, as a text (``"[DONE]"`` is one as any other).

    Lines end with CR, LF or CRLF; lines of one event are joined by LF; comments and other fields (``event``, ``id``,
    ``retry``) are passed over, and so are events without data. Reading takes time linear in the bytes, however they
    are cut. Bytes that are no UTF-8 become U+FFFD, as the specification says.
    """

    def __init__(self, *, most: int = 8_000_000) -> None:
        self._most = most
        #: The line in progress, in the pieces that came.
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        #: Bytes of ``_line`` and ``_data``.
        self._size = 0
        #: The last byte was a CR, so that an LF at the beginning of the next piece ends no line.
        self._after_cr = False
        #: What has come, as long as it could be the beginning of a byte order mark; None after that.
        self._start: bytes | None = b""

    def feed(self, data: bytes) -> list[str]:
        """The events that end in these bytes.

        Raises:
            ProtocolError: an event is longer than ``most`` bytes.
        """
        data = self._without_bom(data)
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if data.endswith(b"\r"):
            self._after_cr = True
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        events: list[str] = []
        for line in lines[:-1]:
            self._add(line)
            self._end_line(events)
        self._add(lines[-1])
        return events

    def close(self) -> list[str]:
        """The connection has ended. Gives the ``[DONE]`` that a server has left without its last line break.

        Raises:
            ProtocolError: in the middle of an event.
        """
        events: list[str] = []
        if any(self._line):
            self._end_line(events)
        rest = b"\n".join(self._data)
        self._data.clear()
        if rest == _LAST:
            return [rest.decode()]
        if rest or self._start:
            raise ProtocolError("the stream broke off in the middle of an event")
        return events

    def _without_bom(self, data: bytes) -> bytes:
        if self._start is None:
            return data
        data = self._start + data
        self._start = None
        if len(data) < len(_BOM) and _BOM.startswith(data):
            self._start = data
            return b""
        return data.removeprefix(_BOM)

    def _add(self, piece: bytes) -> None:
        if piece:
            self._line.append(piece)
            self._size += len(piece)
            if self._size > self._most:
                raise ProtocolError(f"an event of the stream is longer than {self._most} bytes")

    def _end_line(self, events: list[str]) -> None:
        line = b"".join(self._line)
        self._line.clear()
        if not line:
            if self._data:
                events.append(b"\n".join(self._data).decode("utf-8", "replace"))
                self._data.clear()
            self._size = 0
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        else:
            self._size -= len(line)
