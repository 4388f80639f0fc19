"""uvicorn with bounds that it lacks: connections that never speak or never listen, and an end that lets work finish."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from maskwright.server.service import Service
from maskwright.server.settings import Settings

__all__ = ["Connection", "HttpServer", "make_server"]

#: Bytes of a request's head; more is a 400.
_HEAD_BYTES = 32_768


class _Heads(h11.Connection):
    """h11's connection with two more refusals of heads.

    h11 bounds heads only while they are incomplete, and where a request has both ``Transfer-Encoding`` and
    ``Content-Length`` it passes over the second one; a proxy before us may pass over the first, and would then take a
    part of the body for the next request (RFC 9112, 6.1 and 11.2).
    """

    def next_event(self) -> Any:
        """As h11's. Raises ``h11.RemoteProtocolError`` for such a head, which uvicorn answers with a 400."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"transfer-encoding", b"content-length"} <= names:
                raise h11.RemoteProtocolError("a body has one length")
            size = len(event.target) + sum(len(name) + len(value) + 4 for name, value in event.headers)
            if size > _HEAD_BYTES:
                raise h11.RemoteProtocolError("the head is too long", error_status_hint=431)
        return event


class Connection(H11Protocol):
    """One connection.

    uvicorn waits for the head of a request without end, and for a client that takes nothing of what it is sent.
    """

    settings: Settings

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _Heads(h11.SERVER, _HEAD_BYTES)
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close connections beyond the bound at once."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections:
            transport.abort()
            return
        # Head and body are written one after the other: without this a body waits 40 ms for the head's acknowledgement.
        # asyncio sets it itself only for sockets that were made with the number of the protocol.
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in {socket.AF_INET, socket.AF_INET6}:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Watch how long a head takes."""
        super().data_received(data)
        self._await_head()

    def on_response_complete(self) -> None:
        """The next head may have begun already."""
        super().on_response_complete()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        for timer in (self._head_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client takes nothing: it may do so for a while."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self.settings.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client goes on."""
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        super().resume_writing()

    def _await_head(self) -> None:
        """Run the timer exactly while a head has not come, or has come in part; uvicorn's own runs between requests.

        It also runs while the rest of a body comes that was refused already: uvicorn reads and drops it.
        """
        is_first = self.cycle is None
        is_partial = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        is_rest = self.conn.their_state is h11.SEND_BODY and self.conn.our_state in {h11.DONE, h11.MUST_CLOSE}
        if not (is_first or is_partial or is_rest):
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.settings.head_seconds, self.transport.abort)


class HttpServer(uvicorn.Server):
    """A server that ends in order: while running requests finish, new ones get 503; then it stops listening."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell when requests are taken."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let what runs finish within the grace, or until a second Ctrl-C."""
        ending = asyncio.ensure_future(self._service.close(self._service.settings.grace))
        while not ending.done() and not self.force_exit:
            await asyncio.wait({ending}, timeout=0.1)
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)
        await super().shutdown(sockets)


def make_server(app: Starlette, ready: Callable[[], None]) -> HttpServer:
    """A server of an application; its ``run([socket])`` serves until SIGINT or SIGTERM, and raises the signal again.

    ``app`` is one of :func:`maskwright.server.app.create_app`; ``ready`` is called when requests are taken.
    """
    service: Service = app.state.service
    settings = service.settings
    protocol = type("Connection", (Connection,), {"settings": settings})
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, int(settings.idle_seconds)),
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=_HEAD_BYTES,
    )
    return HttpServer(config, service, ready)
