"""The chunks of a streamed answer, out of events that may be broken in every way."""

from __future__ import annotations

import json
from typing import Any, Final

from maskwright.client.flow import Flow, Hangup, More, Reply, fault_in
from maskwright.errors import ConnectionFailedError, ProtocolError, ServiceError, ServiceTimeoutError, excerpt

__all__ = ["Chunks"]

_DONE: Final = "[DONE]"


class Chunks:
    """Reads the events of a reply as JSON objects.

    ``[DONE]`` ends them, and what comes after it is not read. Some servers send none: a stream may also end when a
    choice has its ``finish_reason``. Whatever breaks after that does no harm, since the text is whole by then.
    """

    def __init__(self, reply: Reply) -> None:
        """Stand before the first chunk."""
        self._reply = reply
        self._has_begun = False
        self._has_ended = False
        #: Whether a choice has told why it ended.
        self.is_finished = False

    def next(self) -> Flow[dict[str, Any] | None]:
        """The next chunk, ``None`` at the end.

        Raises:
            ConnectionFailedError: the connection broke off in the middle.
            ServiceTimeoutError: nothing came in time.
            ProtocolError: an event is no JSON object, or the stream ended before the answer did.
            ServiceError: its child for an error that the API told in the middle of the stream.
        """
        if self._has_ended:
            return None
        try:
            event: str | None = yield from self._event()
        except (ConnectionFailedError, ServiceTimeoutError, ProtocolError):
            if not self.is_finished:
                raise
            event = None
        if event is None or event.strip() == _DONE:
            yield from self._end(is_told=event is not None)
            return None
        chunk = yield from self._read(event)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            self._has_begun = True
            self.is_finished |= isinstance(choice, dict) and choice.get("finish_reason") is not None
        return chunk

    def _event(self) -> Flow[str | None]:
        """The next event that says anything."""
        while True:
            event: str | None = yield More()
            if event is None or event.strip():
                return event

    def _end(self, *, is_told: bool) -> Flow[None]:
        self._has_ended = True
        yield Hangup()
        if not (self.is_finished or (is_told and self._has_begun)):
            raise self._reply.fault("the stream ended before the answer did")

    def _read(self, event: str) -> Flow[dict[str, Any]]:
        error: ServiceError | None = fault_in(event, self._reply)
        if error is None:
            try:
                chunk = json.loads(event)
            except (ValueError, RecursionError):
                chunk = None
            if isinstance(chunk, dict):
                return chunk
            error = self._reply.fault(f"an event is no JSON object: {excerpt(event)}")
        self._has_ended = True
        yield Hangup()
        raise error
