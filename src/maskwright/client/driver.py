"""Carries out the commands of flows with ``httpx.Client``, in the thread that asks."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import httpx

from maskwright.client.connection import Connection, Tally
from maskwright.client.encodings import Unpacking
from maskwright.client.flow import Call, Command, Emit, Flow, Hangup, More, Now, Pause, Reply
from maskwright.client.transport import (
    Incoming,
    headers_of,
    is_events,
    is_secure,
    limits_of,
    out_of_time,
    request_of,
    translated,
)
from maskwright.errors import PolicyError, ServiceError

__all__ = ["Driver"]

T = TypeVar("T")
_FAILURES = (httpx.HTTPError, httpx.StreamError, OSError)
_CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete")


class Driver:
    """Runs flows; threads may share it. A deadline in the middle of a body is kept by closing the socket."""

    def __init__(
        self,
        connection: Connection,
        tally: Tally,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Open no connection yet."""
        self._connection = connection
        self._tally = tally
        self._clock = clock
        self._sleep = sleep
        self._http = httpx.Client(limits=limits_of(connection), verify=is_secure(connection), follow_redirects=False)

    def with_connection(self, connection: Connection) -> Driver:
        """The same pool of connections, for requests with other headers and times."""
        other = object.__new__(Driver)
        other.__dict__.update(self.__dict__, _connection=connection)
        return other

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def run(self, flow: Flow[T]) -> T:
        """The result of a flow; what it emits is dropped."""
        items = self.items(flow)
        while True:
            try:
                next(items)
            except StopIteration as end:
                result: T = end.value
                return result

    def items(self, flow: Flow[T]) -> Generator[Any, None, T]:
        """What a flow emits, one after the other; its result is returned. Closing it closes the connection."""
        line = _Line(self._http, self._connection, self._tally, self._clock)
        try:
            command = next(flow)
            while True:
                if isinstance(command, Emit):
                    yield command.item
                try:
                    result = self._result(line, command)
                except ServiceError as error:
                    command = flow.throw(error)
                else:
                    command = flow.send(result)
        except StopIteration as end:
            finished: T = end.value
            return finished
        finally:
            line.close()
            flow.close()

    def _result(self, line: _Line, command: Command) -> Any:
        if isinstance(command, Call):
            return line.call(command)
        if isinstance(command, More):
            return line.more(keep=command.keep)
        if isinstance(command, Now):
            return self._clock()
        if isinstance(command, Pause):
            self._sleep(command.seconds)
        elif isinstance(command, Hangup):
            line.close()
        return None


class _Line:
    """At most one open response, and what came in of it."""

    def __init__(self, http: httpx.Client, connection: Connection, tally: Tally, clock: Callable[[], float]) -> None:
        self._http = http
        self._connection = connection
        self._tally = tally
        self._clock = clock
        self._open = contextlib.ExitStack()
        self._incoming: Incoming | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._deadline: float | None = None

    def call(self, call: Call) -> Reply:
        """Send a request and read its answer, or its beginning."""
        self.close()
        if self._http.is_closed:
            raise PolicyError("the client is closed")
        self._deadline = call.deadline
        request = request_of(self._http, self._connection, call, self._clock())
        self._connection.pass_gate(call.method)
        self._tally.add(calls=1, retries=int(call.attempt > 1))
        guard = self._guard(request)
        try:
            response = self._http.send(request, stream=True)
        except _FAILURES as error:
            fault = self._translated(error, None)
            self.close()
            raise fault from error
        self._open.callback(response.close)
        guard.see(response.extensions.get("network_stream"))
        reply = Reply(response.status_code, headers_of(response), attempts=call.attempt, url=str(request.url))
        self._incoming = Incoming(reply, self._connection.pool.most_bytes)
        unpacking = Unpacking(reply.headers.get("content-encoding", ""))
        self._chunks = (piece for data in response.iter_raw() for piece in unpacking.pieces(data))
        if is_events(call, reply):
            return replace(reply, is_stream=True)
        return self._whole(self._incoming)

    def more(self, *, keep: bool) -> str | None:
        """The next event, or ``None`` at the end."""
        incoming = self._incoming
        if incoming is None:
            return None
        while (event := incoming.next(keep=keep)) is None:
            data = self._chunk(incoming)
            if data is None:
                self.close()
                incoming.finish()
                return None
            incoming.feed(data)
        return event

    def close(self) -> None:
        """Close the response, if there is one: the connection is free again, or closed if more would have come."""
        self._incoming = None
        self._chunks = iter(())
        with contextlib.suppress(*_FAILURES):
            self._open.close()

    def _whole(self, incoming: Incoming) -> Reply:
        reply = incoming.reply
        try:
            while (data := self._chunk(incoming)) is not None:
                if not incoming.keep(data):
                    break
        except ServiceError:
            if reply.status < 400:  # of a refusal, what was read is enough
                raise
        finally:
            self.close()
        return replace(reply, data=incoming.whole)

    def _chunk(self, incoming: Incoming) -> bytes | None:
        if self._is_late():
            self.close()
            raise out_of_time()
        try:
            data = next(self._chunks, None)
        except _FAILURES as error:
            fault = self._translated(error, incoming)
            self.close()
            raise fault from error
        if data is None and self._is_late():
            self.close()
            raise out_of_time()
        return data

    def _translated(self, error: Exception, incoming: Incoming | None) -> ServiceError:
        reply = None
        if incoming is not None:
            reply = replace(incoming.reply, data=incoming.whole)
        address = self._connection.endpoint.versioned
        return translated(error, reply, expired=self._is_late(), address=address)

    def _is_late(self) -> bool:
        return self._deadline is not None and self._clock() >= self._deadline

    def _guard(self, request: httpx.Request) -> _Guard:
        if self._deadline is None:
            return _Guard(None)
        guard = _Guard(max(0.0, self._deadline - self._clock()))
        self._open.callback(guard.cancel)
        request.extensions["trace"] = guard.trace
        return guard


class _Guard:
    """Shuts a socket down when the time is up: a read of httpx waits for as long as it was told when it began.

    A new connection is seen as soon as it is made, one that is used again with the head of the response.
    """

    def __init__(self, seconds: float | None) -> None:
        self._socket: Any = None
        self._is_over = False
        self._timer = None if seconds is None else threading.Timer(seconds, self._end)
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """An event of httpcore, see its documentation of extensions."""
        if event in _CONNECTED:
            self.see(info.get("return_value"))

    def see(self, stream: Any) -> None:
        """The stream over which all goes."""
        if self._timer is not None and stream is not None:
            self._socket = stream.get_extra_info("socket")
            if self._is_over:
                self._end()

    def cancel(self) -> None:
        """All went well."""
        if self._timer is not None:
            self._timer.cancel()

    def _end(self) -> None:
        self._is_over = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
