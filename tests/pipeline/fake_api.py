"""An API on loopback that answers chats with JSON made from the question, and fails as it is told to."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["GARBAGE", "GONE", "HALF", "Api", "serving"]

GONE, HALF, GARBAGE = 1, 2, 3


class Api:
    """What the server does, and what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        #: Statuses of the requests to come; 200 when they are used up. ``GONE``: the connection ends without an answer;
        #: ``HALF``: in the middle of one; ``GARBAGE``: what comes is no JSON.
        self.plan: Iterator[int] = iter(())
        self.key: str | None = None
        self.models = ["m"]
        self.delay = 0.0
        #: Names that are not answered: 400.
        self.refused: set[str] = set()
        self.asked: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def status(self, headers: Any) -> int:
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            return 401
        with self._lock:
            return next(self.plan, 200)

    def answer(self, body: dict[str, Any]) -> str | None:
        """The name in the question as a JSON object; ``None`` if it is refused."""
        question = body["messages"][-1]["content"]
        match = re.search(r"name (\w+)", question)
        name = match[1] if match else "nobody"
        with self._lock:
            self.asked[name] += 1
            self.bodies.append(body)
        return None if name in self.refused else json.dumps({"name": name, "length": len(name)})


def _handler(api: Api) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one packet: two of them wait 40 ms for each other.
        wbufsize = 1 << 16

        def do_GET(self) -> None:
            listed = [{"id": name, "object": "model", "owned_by": "nobody"} for name in api.models]
            self._send(200, {"object": "list", "data": listed})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status = api.status(self.headers)
            if status in {GONE, HALF, GARBAGE}:
                self._break(status)
                return
            text = api.answer(body) if status == 200 else None
            if text is None:
                status = 400 if status == 200 else status
                self._send(status, {"error": {"message": f"status {status}", "type": "t", "param": None, "code": None}})
                return
            time.sleep(api.delay)
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            self._send(200, {**answer, "usage": usage})

        def _break(self, how: int) -> None:
            self.close_connection = True
            if how == GONE:
                return
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "20" if how == GARBAGE else "2000")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"inde')
            self.wfile.write(b"x" if how == GARBAGE else b"")

        def _send(self, status: int, body: object) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            if status == 429:
                self.send_header("retry-after-ms", "5")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def serving() -> Iterator[Api]:
    """A server for the time of a test."""
    api = Api()

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: object, address: object) -> None:
            """Clients that go away in the middle are what is tested."""

    server = Server(("127.0.0.1", 0), _handler(api))
    api.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
