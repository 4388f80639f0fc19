"""Server-sent events (WHATWG HTML, section 9.2.6), as far as ``data`` goes: writing, and reading in any cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["DONE", "EventReader", "encode_event"]

#: The event that ends a stream.
DONE: Final = b"data: [DONE]\n\n"


def encode_event(data: Any) -> bytes:
    """One event with a JSON value. ASCII only, so no line break but ours can stand in it."""
    return b"data: " + json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n\n"


class EventReader:
    """Bytes in any cut, events out: the ``data`` of each, as a text (``"[DONE]"`` is one as any other).

    ``feed`` gives the events that are complete, ``close`` checks that none was cut off.
    """

    def __init__(self, *, most: int = 8_000_000) -> None:
        self._most = most

    def feed(self, data: bytes) -> Iterator[str]:
        """The events that end in these bytes; all of them are read, whether or not the iterator is used up.

        Raises:
            ProtocolError: an event is longer than ``most`` bytes, or it is not UTF-8.
        """
        raise NotImplementedError

    def close(self) -> None:
        """The connection has ended.

        Raises:
            ProtocolError: in the middle of an event.
        """
        raise NotImplementedError
