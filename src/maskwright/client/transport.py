"""What the two drivers share: requests for httpx, its exceptions as ours, bounded bodies, events. No I/O."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import Any, Final

import httpx

from maskwright.client.connection import Connection
from maskwright.client.encodings import ACCEPTED
from maskwright.client.flow import Call, Reply, shown
from maskwright.errors import (
    ConnectionFailedError,
    PolicyError,
    ProtocolError,
    ServiceError,
    ServiceTimeoutError,
)
from maskwright.wire.events import EventReader

__all__ = [
    "Incoming",
    "headers_of",
    "is_events",
    "is_secure",
    "limits_of",
    "out_of_time",
    "request_of",
    "timeout_of",
    "translated",
]

#: Most bytes that are read of the body of a refusal.
FAULT_BYTES: Final = 1_000_000
#: Bytes of a stream that are kept for messages.
_KEPT: Final = 65_536
_OK: Final = range(200, 300)
#: What asyncio puts before the words of the system.
_SYSTEM: Final = re.compile(r"^Connect call failed.*")
#: How httpx words that a peer closed the connection; what else it calls a protocol error is no HTTP at all.
_CLOSED: Final = ("disconnected", "closed connection", "ConnectionTerminated", "StreamReset", "connection closed")


def limits_of(connection: Connection) -> httpx.Limits:
    """The pool, as httpx has it."""
    pool = connection.pool
    return httpx.Limits(
        max_connections=pool.connections,
        max_keepalive_connections=pool.idle,
        keepalive_expiry=pool.idle_seconds,
    )


def is_secure(connection: Connection) -> bool:
    """Whether certificates are to be loaded, which takes a tenth of a second; no redirect leads from http to https."""
    return connection.endpoint.root.startswith("https:")


def request_of(http: httpx.Client | httpx.AsyncClient, connection: Connection, call: Call, now: float) -> httpx.Request:
    """The request of a call.

    Raises:
        PolicyError: the payload cannot be written as JSON.
        ServiceTimeoutError: no time is left.
    """
    headers = {
        "accept-encoding": ACCEPTED,
        **connection.all_headers(),
        **{name.lower(): value for name, value in call.headers.items()},
    }
    if call.attempt > 1:
        # The name that the SDKs of OpenAI, Cerebras and others use, so that operators can tell.
        headers["x-stainless-retry-count"] = str(call.attempt - 1)
    if call.payload is None:
        headers.pop("content-type", None)
    content = None if call.payload is None else _body(call.payload)
    timeout = timeout_of(connection, call, now)
    url = connection.endpoint.url(call.path)
    try:
        return http.build_request(call.method, url, content=content, headers=headers, timeout=timeout)
    except (httpx.InvalidURL, UnicodeError) as cause:
        raise PolicyError(f"base_url is no address that can be asked: {cause}") from cause


def _body(payload: Any) -> bytes:
    try:
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except UnicodeEncodeError as cause:
        raise PolicyError("a text of the request has half of a surrogate pair, which UTF-8 cannot write") from cause
    except (TypeError, ValueError, RecursionError) as cause:
        raise PolicyError(f"the request cannot be written as JSON: {cause}") from cause


def timeout_of(connection: Connection, call: Call, now: float) -> httpx.Timeout:
    """How long httpx may wait for each thing; raises ``ServiceTimeoutError`` if no time is left at all."""
    silent = connection.timeout if call.timeout is None else call.timeout
    connect = connection.connect_timeout
    if call.deadline is not None:
        left = call.deadline - now
        if left <= 0:
            raise out_of_time()
        silent, connect = min(silent, left), min(connect, left)
    return httpx.Timeout(silent, connect=connect)


def out_of_time() -> ServiceTimeoutError:
    """The error that says that the whole took too long."""
    return ServiceTimeoutError("the time for the whole answer is over; raise Budget.seconds")


def headers_of(response: httpx.Response) -> dict[str, str]:
    """Headers with names in lower case; of several with one name, the last."""
    return {name.lower(): value for name, value in response.headers.multi_items()}


def is_events(call: Call, reply: Reply) -> bool:
    """Whether a response is a stream of events: what was asked for, and what is no JSON and no page."""
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    return call.stream and reply.status in _OK and kind not in {"application/json", "text/html"}


def translated(error: Exception, reply: Reply | None, *, expired: bool, address: str = "the API") -> ServiceError:
    """An exception of httpx as one of ours.

    Args:
        error: A child of ``httpx.HTTPError`` or ``httpx.StreamError``, or an ``OSError``.
        reply: The response that was being read, if there was one.
        expired: Whether the deadline of the call has passed, whatever httpx says.
        address: Where the API is.
    """
    kind, reason = _kind(error, address)
    if expired:
        kind, reason = ServiceTimeoutError, out_of_time().message
    if reply is None:
        return kind(reason)
    return kind(reason, status=reply.status, body=reply.text, request_id=reply.request_id, attempts=reply.attempts)


def _kind(error: Exception, address: str) -> tuple[type[ServiceError], str]:
    words = str(error) or type(error).__name__
    if isinstance(error, httpx.ConnectTimeout):
        return ServiceTimeoutError, f"no connection to {address} in time (connect_timeout)"
    if isinstance(error, httpx.PoolTimeout):
        return ServiceTimeoutError, "no connection was free in time (Pool.connections)"
    if isinstance(error, httpx.TimeoutException):
        return ServiceTimeoutError, f"the server at {address} was silent for too long (timeout)"
    if isinstance(error, httpx.ConnectError):
        return ConnectionFailedError, f"no connection to {address}: {_cause(error) or words}"
    if isinstance(error, httpx.RemoteProtocolError) and not any(mark in words for mark in _CLOSED):
        return ProtocolError, f"what {address} answers is no HTTP: {words}"
    if isinstance(error, httpx.DecodingError):
        return ProtocolError, f"the body is not encoded as its header says: {words}"
    if isinstance(error, httpx.ReadError) and not str(error):
        words = "it was reset"
    return ConnectionFailedError, f"the connection to {address} broke off: {words}"


def _cause(error: BaseException) -> str:
    """What the operating system said, which what is built upon it says in general words, or with all addresses."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, OSError) and found.strerror and found.errno is not None:
            return f"[Errno {found.errno}] {_SYSTEM.sub('', found.strerror)}"
        waiting += [found.__context__, found.__cause__]
        waiting += found.exceptions if isinstance(found, BaseExceptionGroup) else []
    return ""


class Incoming:
    """The body of a response as it comes in: a bounded number of bytes, whole or as events."""

    def __init__(self, reply: Reply, most: int) -> None:
        self.reply = reply
        self._most = most
        self._read = 0
        self._data = bytearray()
        self._reader = EventReader()
        self._events: deque[str] = deque()

    @property
    def whole(self) -> bytes:
        """What was kept of the body."""
        return bytes(self._data)

    def keep(self, data: bytes) -> bool:
        """Add to the body; whether more is wanted, which is not so where a refusal is already long enough.

        Raises:
            ProtocolError: the body is too long.
        """
        if self.reply.status not in _OK:
            self._data += data[: FAULT_BYTES - len(self._data)]
            return len(self._data) < FAULT_BYTES
        self._count(data)
        self._data += data
        return True

    def feed(self, data: bytes) -> None:
        """Read events out of a piece.

        Raises:
            ProtocolError: an event is malformed, or the stream is too long.
        """
        self._count(data)
        if self._read <= _KEPT:
            self._data += data[: _KEPT - len(self._data)]
        try:
            self._events.extend(self._reader.feed(data))
        except ProtocolError as error:
            raise self._told(ProtocolError, error.message, data) from error

    def finish(self) -> None:
        """The stream has ended; raises ``ConnectionFailedError`` if that was in the middle of an event."""
        try:
            self._reader.close()
        except ProtocolError as error:
            raise self._told(ConnectionFailedError, error.message, self.whole) from error

    def next(self, *, keep: bool) -> str | None:
        """The next event that is known, which stays if ``keep``; ``None`` if there is none yet."""
        if not self._events:
            return None
        return self._events[0] if keep else self._events.popleft()

    def _count(self, data: bytes) -> None:
        self._read += len(data)
        if self._read > self._most:
            reason = f"the answer is longer than {self._most} bytes (Pool.most_bytes)"
            raise self._told(ProtocolError, reason, self.whole or data)

    def _told(self, kind: type[ServiceError], reason: str, data: bytes) -> ServiceError:
        reply = self.reply
        return kind(reason, status=reply.status, body=shown(data), request_id=reply.request_id, attempts=reply.attempts)
