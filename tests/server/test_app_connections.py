"""Connections that never speak, never listen, or are too many: the HTTP server alone, with a fake engine."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import httpx
import pytest

from maskwright.server.app import create_app
from maskwright.server.connections import make_server
from maskwright.server.settings import Settings
from tests.unit.server.fakes import FakeEngine

HEAD: Final = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\n"


@contextmanager
def _served(engine: FakeEngine, **more: Any) -> Iterator[int]:
    """The port of an application that is served in a thread."""
    app = create_app(Settings(model="m", grace=1.0, **more), engine)  # type: ignore[arg-type]
    ready = threading.Event()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = make_server(app, ready.set)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        assert ready.wait(10)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()


def _is_closed(connection: socket.socket, seconds: float = 5.0) -> bool:
    """Whether the other side closes; what it still sends is read."""
    connection.settimeout(seconds)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize("said", [b"", b"POST", HEAD, HEAD[:-10]], ids=["nothing", "a word", "no end", "half a line"])
def test_heads_that_never_end(said: bytes) -> None:
    """A connection without a request is closed after a while, whether it is silent or slow."""
    with _served(FakeEngine(), head_seconds=0.3) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(said)
        assert _is_closed(connection)


def test_heads_that_drip() -> None:
    """One byte at a time does not start the time anew."""
    with _served(FakeEngine(), head_seconds=0.3) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        sent = 0
        with suppress(ConnectionError):
            for sent in range(250):  # noqa: B007 - what counts is how far it came
                connection.sendall(b"P")
                time.sleep(0.02)
        assert sent < 249


def test_the_second_head() -> None:
    """The same after an answered request on the same connection."""
    with _served(FakeEngine(), head_seconds=0.3) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in connection.recv(4096)
        connection.sendall(b"GET /health HTTP/1.1\r\n")
        assert _is_closed(connection)


def test_bodies_that_drip() -> None:
    """A body that comes too slowly is answered with 408, and the connection is closed."""
    with _served(FakeEngine(), body_seconds=0.3) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        connection.settimeout(5)
        assert connection.recv(4096).startswith(b"HTTP/1.1 408")
        assert _is_closed(connection)


def test_clients_that_never_listen() -> None:
    """A client that takes nothing of a long stream is dropped, and its work is freed."""
    engine = FakeEngine("x" * 200_000)
    body = json.dumps({"model": "m", "prompt": "a", "stream": True, "return_raw_tokens": True}).encode()
    with _served(engine, write_seconds=0.3) as port, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        until = time.monotonic() + 10
        while time.monotonic() < until and not (engine.tickets and engine.tickets[0].is_cancelled):
            time.sleep(0.05)
        assert engine.tickets[0].is_cancelled


def test_connections_are_bounded() -> None:
    """Connections beyond the bound are closed at once; the others are served."""
    with _served(FakeEngine(), connections=5) as port:
        kept = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
        try:
            with socket.create_connection(("127.0.0.1", port)) as more:
                assert _is_closed(more)
            kept[0].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            kept[0].settimeout(5)
            assert b"200 OK" in kept[0].recv(4096)
        finally:
            for connection in kept:
                connection.close()


def test_requests_in_a_row() -> None:
    """Requests that are sent before the answer to the first are answered in their order (RFC 9112, 9.3.2)."""
    with _served(FakeEngine()) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
        connection.settimeout(5)
        got = b""
        while got.count(b"HTTP/1.1 200 OK") < 2 or b'"object":"list"' not in got:
            got += connection.recv(4096)
        assert got.index(b'"status":"ok"') < got.index(b'"object":"list"')


@pytest.mark.parametrize(
    "request_line",
    [b"\x00\x01\x02", b"GET", b"GET /" + b"a" * 40_000 + b" HTTP/1.1", b"PRI * HTTP/2.0"],
    ids=["binary", "a word", "too long", "HTTP/2"],
)
def test_what_is_no_http(request_line: bytes) -> None:
    """It is refused, and the server goes on."""
    with _served(FakeEngine(), head_seconds=0.5) as port:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(request_line + b"\r\n\r\n")
            connection.settimeout(5)
            with suppress(ConnectionError):
                assert connection.recv(4096).startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")) or _is_closed(connection)
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
        HEAD + b"".join(b"X-%d: %s\r\n" % (i, b"a" * 1_000) for i in range(60)) + b"\r\n",
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ids=["a long field", "many fields", "a long target", "two lengths", "two lengths, turned round"],
)
def test_heads_that_are_refused(head: bytes) -> None:
    """Heads that are too long, in one packet or in many, and bodies with two lengths: 400, and the connection ends."""
    engine = FakeEngine()
    with _served(engine) as port:
        for pieces in ([head], [head[:5_000], head[5_000:]]):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                with suppress(ConnectionError):
                    for piece in pieces:
                        connection.sendall(piece)
                        time.sleep(0.01)
                connection.settimeout(5)
                with suppress(ConnectionError):
                    assert connection.recv(4096).startswith(b"HTTP/1.1 400")
                assert _is_closed(connection)
        assert httpx.get(f"http://127.0.0.1:{port}/health", headers={"x": "a" * 30_000}).status_code == 200
    assert not engine.jobs
