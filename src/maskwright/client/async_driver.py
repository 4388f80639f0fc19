"""Carries out the commands of flows with ``httpx.AsyncClient``, in the event loop of asyncio that asks."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

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

__all__ = ["AsyncDriver", "Result"]

T = TypeVar("T")
_FAILURES = (httpx.HTTPError, httpx.StreamError, OSError)


class Result:
    """What a flow returned, as the last item of :meth:`AsyncDriver.items`: asynchronous generators return nothing."""

    def __init__(self, value: Any) -> None:
        self.value = value


class AsyncDriver:
    """Runs flows; tasks may share it. A task that is cancelled closes its connection at once."""

    def __init__(
        self,
        connection: Connection,
        tally: Tally,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Open no connection yet."""
        self._connection = connection
        self._tally = tally
        self._clock = clock
        self._sleep = sleep
        self._pools = _Pools(connection)

    def with_connection(self, connection: Connection) -> AsyncDriver:
        """The same pool of connections, for requests with other headers and times."""
        other = object.__new__(AsyncDriver)
        other.__dict__.update(self.__dict__, _connection=connection)
        return other

    async def close(self) -> None:
        """Close all connections."""
        await self._pools.close()

    async def run(self, flow: Flow[T]) -> T:
        """The result of a flow; what it emits is dropped."""
        async with contextlib.aclosing(self.items(flow)) as items:
            async for item in items:
                if isinstance(item, Result):
                    result: T = item.value
                    return result
        raise RuntimeError("unreachable: a flow ends with a result or an error")

    async def items(self, flow: Flow[T]) -> AsyncGenerator[Any, None]:
        """What a flow emits, one after the other, then its :class:`Result`. Closing it closes the connection."""
        line = _Line(self._pools.here(), self._connection, self._tally, self._clock)
        try:
            command = next(flow)
            while True:
                if isinstance(command, Emit):
                    yield command.item
                try:
                    result = await self._result(line, command)
                except ServiceError as error:
                    command = flow.throw(error)
                else:
                    command = flow.send(result)
        except StopIteration as end:
            result = Result(end.value)
        finally:
            await line.close()
            flow.close()
        yield result

    async def _result(self, line: _Line, command: Command) -> Any:
        if isinstance(command, Call):
            return await line.call(command)
        if isinstance(command, More):
            return await line.more(keep=command.keep)
        if isinstance(command, Now):
            return self._clock()
        if isinstance(command, Pause):
            await self._sleep(command.seconds)
        elif isinstance(command, Hangup):
            await line.close()
        return None


class _Pools:
    """The connections of each event loop: those of one can be used by no other, and programs may run several."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()
        self._is_closed = False

    def here(self) -> httpx.AsyncClient:
        """The pool of the running loop."""
        if self._is_closed:
            raise PolicyError("the client is closed")
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError as cause:
            raise PolicyError("an asynchronous client needs an event loop of asyncio, and none runs here") from cause
        pool = self._pools.get(loop)
        if pool is None:
            pool = self._pools[loop] = httpx.AsyncClient(
                limits=limits_of(self._connection), verify=is_secure(self._connection), follow_redirects=False
            )
        return pool

    async def close(self) -> None:
        """Close those of the running loop, and drop those of loops that have ended."""
        self._is_closed = True
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        self._pools.clear()
        if pool is not None:
            await pool.aclose()


class _Line:
    """At most one open response, and what came in of it."""

    def __init__(
        self, http: httpx.AsyncClient, connection: Connection, tally: Tally, clock: Callable[[], float]
    ) -> None:
        self._http = http
        self._connection = connection
        self._tally = tally
        self._clock = clock
        self._response: httpx.Response | None = None
        self._incoming: Incoming | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        self._deadline: float | None = None

    async def call(self, call: Call) -> Reply:
        """Send a request and read its answer, or its beginning."""
        await self.close()
        self._deadline = call.deadline
        request = request_of(self._http, self._connection, call, self._clock())
        self._connection.pass_gate(call.method)
        self._tally.add(calls=1, retries=int(call.attempt > 1))
        try:
            async with self._until():
                response = await self._http.send(request, stream=True)
        except _FAILURES as error:
            raise self._translated(error, None) from error
        self._response = response
        reply = Reply(response.status_code, headers_of(response), attempts=call.attempt, url=str(request.url))
        self._incoming = Incoming(reply, self._connection.pool.most_bytes)
        unpacking = Unpacking(reply.headers.get("content-encoding", ""))
        self._chunks = (piece async for data in response.aiter_raw() for piece in unpacking.pieces(data))
        if is_events(call, reply):
            return replace(reply, is_stream=True)
        return await self._whole(self._incoming)

    async def more(self, *, keep: bool) -> str | None:
        """The next event, or ``None`` at the end."""
        incoming = self._incoming
        if incoming is None:
            return None
        while (event := incoming.next(keep=keep)) is None:
            data = await self._chunk(incoming)
            if data is None:
                await self.close()
                incoming.finish()
                return None
            incoming.feed(data)
        return event

    async def close(self) -> None:
        """Close the response, if there is one: the connection is free again, or closed if more would have come."""
        response, self._response = self._response, None
        self._incoming = None
        self._chunks = None
        if response is not None:
            with contextlib.suppress(*_FAILURES):
                await response.aclose()

    async def _whole(self, incoming: Incoming) -> Reply:
        reply = incoming.reply
        try:
            while (data := await self._chunk(incoming)) is not None:
                if not incoming.keep(data):
                    break
        except ServiceError:
            if reply.status < 400:  # of a refusal, what was read is enough
                raise
        finally:
            await self.close()
        return replace(reply, data=incoming.whole)

    async def _chunk(self, incoming: Incoming) -> bytes | None:
        if self._is_late():
            await self.close()
            raise out_of_time()
        try:
            async with self._until():
                return None if self._chunks is None else await anext(self._chunks, None)
        except _FAILURES as error:
            fault = self._translated(error, incoming)
            await self.close()
            raise fault from error

    def _until(self) -> contextlib.AbstractAsyncContextManager[Any]:
        """``TimeoutError``, which is an ``OSError``, when the deadline comes."""
        if self._deadline is None:
            return contextlib.nullcontext()
        return asyncio.timeout(max(0.0, self._deadline - self._clock()))

    def _translated(self, error: Exception, incoming: Incoming | None) -> ServiceError:
        reply = None
        if incoming is not None:
            reply = replace(incoming.reply, data=incoming.whole)
        is_late = self._is_late() or isinstance(error, TimeoutError)
        return translated(error, reply, expired=is_late, address=self._connection.endpoint.versioned)

    def _is_late(self) -> bool:
        return self._deadline is not None and self._clock() >= self._deadline
