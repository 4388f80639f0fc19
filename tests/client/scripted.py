"""A server that plays scripts on real sockets: any bytes with any delays, resets, half bodies, silence.

Every request that comes in takes the next script; the last one goes on for ever. Threads, since a script is a list of
blocking steps; all end when the server is left.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

__all__ = ["CLOSE", "HOLD", "RESET", "Heard", "Script", "Scripted", "chat", "events", "json_answer", "response"]

#: Steps besides bytes (sent as they are) and numbers (seconds of silence).
CLOSE = "close"
RESET = "reset"
#: Say nothing more, until the client hangs up.
HOLD = "hold"
Step = bytes | float | str
Script = list[Step]

_PATIENCE = 10.0


@dataclass
class Heard:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    #: Which connection it came over, counted from 0.
    connection: int

    @property
    def payload(self) -> Any:
        """The JSON in it."""
        return json.loads(self.body)


@dataclass
class Scripted:
    """The server; a context manager."""

    scripts: list[Script]
    heard: list[Heard] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._open: dict[int, socket.socket] = {}
        #: Connections that the client closed.
        self._changed = threading.Condition()
        self._count = 0

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        # Closing alone does not wake accept().
        with socket.create_connection(self._listener.getsockname()):
            self._threads[0].join(_PATIENCE)
        self._listener.close()
        with self._changed:
            for connection in self._open.values():
                with contextlib.suppress(OSError):  # closed meanwhile
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(_PATIENCE)
            assert not thread.is_alive(), "a script did not end"

    def wait_until_open(self, least: int, most: int | None = None) -> None:
        """Wait until so many connections are open: the server sees a hang-up some time after the client does."""
        most = least if most is None else most
        with self._changed:
            assert self._changed.wait_for(lambda: least <= len(self._open) <= most, _PATIENCE), len(self._open)

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self._stopped.is_set():
                connection.close()
                return
            connection.settimeout(_PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._changed:
                number = self._count
                self._count += 1
                self._open[number] = connection
                self._changed.notify_all()
            thread = threading.Thread(target=self._serve, args=(number, connection), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, number: int, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while (heard := _read(stream, number)) is not None:
                    with self._lock:
                        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
                        self.heard.append(heard)
                    if not self._play(script, connection):
                        return
        except OSError:
            pass  # the client hung up, which is what some tests are about
        finally:
            with self._changed:
                del self._open[number]
                self._changed.notify_all()

    def _play(self, script: Script, connection: socket.socket) -> bool:
        """Whether the connection stays open."""
        for step in script:
            if isinstance(step, bytes):
                connection.sendall(step)
            elif isinstance(step, (int, float)):
                if self._stopped.wait(step):
                    return False
            elif step == HOLD:
                return bool(connection.recv(1)) and False
            elif step == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            else:
                return False
        return True


def _read(stream: Any, number: int) -> Heard | None:
    line = stream.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ")
    headers = {}
    while line := stream.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return Heard(method, path, headers, stream.read(int(headers.get("content-length", "0"))), number)


def response(
    body: bytes | str, status: int = 200, headers: Mapping[str, str] | None = None, *, length: int | None = None
) -> bytes:
    """A whole response; with ``length`` one that promises another length than it has."""
    octets = body.encode() if isinstance(body, str) else body
    told = {"content-type": "application/json", "content-length": str(len(octets) if length is None else length)}
    told.update(headers or {})
    lines = [f"HTTP/1.1 {status} Words", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + octets


def json_answer(value: object, status: int = 200, **headers: str) -> bytes:
    """A whole response with JSON."""
    return response(json.dumps(value), status, {name.replace("_", "-"): text for name, text in headers.items()})


def chat(text: str, *, finish: str = "stop", prompt: int = 7, completion: int = 3) -> dict[str, Any]:
    """The body of an answer to a chat."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    choices = [{"index": 0, "finish_reason": finish, "message": message, "logprobs": None}]
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage}


def events(*data: str | Mapping[str, Any], kind: str = "text/event-stream") -> list[Step]:
    """A stream that has no end yet: its head, then each event by itself, chunked."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nx-request-id: r-1\r\n\r\n"
    return [head.encode(), *(chunked(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n") for one in data)]


def chunked(text: str | bytes) -> bytes:
    """One chunk of a chunked body; the empty one ends it."""
    octets = text.encode() if isinstance(text, str) else text
    return f"{len(octets):x}\r\n".encode() + octets + b"\r\n"


def delta(text: str | None, finish: str | None = None) -> dict[str, Any]:
    """A chunk of a streamed chat."""
    content = {} if text is None else {"content": text}
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": content, "finish_reason": finish}]}


def streamed(texts: Iterable[str]) -> list[Step]:
    """A whole streamed chat."""
    said = [delta(text) for text in texts]
    return [*events(*said, delta(None, "stop"), "[DONE]"), chunked("")]
