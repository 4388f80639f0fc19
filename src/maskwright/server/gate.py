"""The gate that every request passes: an id, the key, the origin, the log, and an answer whatever happens."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable
from typing import Any, Final
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maskwright.errors import RequestError
from maskwright.server.keys import Keys
from maskwright.server.metrics import Counts
from maskwright.server.replies import failure_of, refusal
from maskwright.server.settings import Settings
from maskwright.server.streams import GoneError

__all__ = ["Gate"]

#: Paths that need no key: what monitors ask, the clients' first contact, and the page, whose requests carry one.
_OPEN: Final = frozenset({"/", "/health", "/metrics", "/openapi.json", "/v1/tcp_warming"})
_OPEN_BELOW: Final = "/page/"
#: What is counted for clients that left; nobody is sent it (nginx's number).
_GONE: Final = 499
_log: Final = logging.getLogger("maskwright.server")


class Gate:
    """An ASGI application around another one. It raises nothing: a server goes on whatever one request does."""

    def __init__(self, app: ASGIApp, *, settings: Settings, counts: Counts, routes: Iterable[str]) -> None:
        self._app = app
        self._settings = settings
        self._keys = Keys(settings.keys)
        self._counts = counts
        #: Paths that are counted by their name; strangers' paths would grow the table.
        self._routes = frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        passage = _Passage(scope, send)
        self._counts.active += 1
        try:
            self._check(scope)
            await self._app(scope, receive, passage.send)
        except (GoneError, ClientDisconnect):
            self._counts.disconnects += 1
            passage.status = _GONE
        except Exception as error:  # noqa: BLE001 - whatever an endpoint raises, the client gets an answer
            await self._refuse(error, passage, scope, receive)
        finally:
            self._counts.active -= 1
            self._count(passage, scope)

    def _check(self, scope: Scope) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        self._check_origin(headers)
        path: str = scope["path"]
        if path not in _OPEN and not path.startswith(_OPEN_BELOW) and scope["method"] != "OPTIONS":
            self._keys.check(headers.get(b"authorization"))

    def _check_origin(self, headers: dict[bytes, bytes]) -> None:
        """Refuse pages of other sites: a browser would let any of them ask a server on this machine."""
        origin = headers.get(b"origin")
        if origin is None or "*" in self._settings.origins:
            return
        given = origin.decode("latin-1")
        own = headers.get(b"host", b"").decode("latin-1")
        if given in self._settings.origins or given.partition("://")[2] == own:
            return
        reason = "Pages of other sites may not ask this server; its owner can allow an origin."
        raise RequestError(reason, status=403, type="permission_error", code="origin_not_allowed")

    async def _refuse(self, error: Exception, passage: _Passage, scope: Scope, receive: Receive) -> None:
        told = failure_of(error, passage.id)
        if not passage.has_begun:
            await refusal(told, self._settings)(scope, receive, passage.send)

    def _count(self, passage: _Passage, scope: Scope) -> None:
        seconds = time.monotonic() - passage.begun
        route = getattr(scope.get("route"), "path", passage.path)
        self._counts.record(route if route in self._routes else "other", passage.status, seconds)
        if self._settings.access_log:
            _log.info("%s", json.dumps(passage.record(seconds)))


class _Passage:
    """One request on its way through."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.id = f"req_{uuid4().hex}"
        self.begun = time.monotonic()
        self.status = 0
        self.has_begun = False
        self.path: str = scope["path"]
        self._method: str = scope["method"]
        self._client = scope.get("client")
        self._send = send
        #: What endpoints tell for the log: tokens, the model. Never texts, never keys.
        self.notes: dict[str, Any] = {}
        state = scope.setdefault("state", {})
        state["request_id"] = self.id
        state["notes"] = self.notes

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            self.status = message["status"]
            MutableHeaders(scope=message)["x-request-id"] = self.id
        await self._send(message)

    def record(self, seconds: float) -> dict[str, Any]:
        """One line of the log."""
        return {
            "time": round(time.time(), 3),
            "id": self.id,
            "client": self._client[0] if self._client else None,
            "method": self._method,
            "path": self.path[:200],
            "status": self.status,
            "seconds": round(seconds, 4),
            **self.notes,
        }
