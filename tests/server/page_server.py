"""What the page's tests stand on: a server on loopback, for as long as a block runs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from maskwright.server.app import create_app
from maskwright.server.settings import Settings

__all__ = ["serve"]


@contextmanager
def serve(engine: Any, **settings: Any) -> Iterator[str]:
    """A server on a port of its own while the block runs; gives its address."""
    app = create_app(Settings(**{"model": "toy", "grace": 1.0, **settings}), engine)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        assert server.started
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
