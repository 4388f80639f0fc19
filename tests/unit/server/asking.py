"""Requests to an application, without sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from starlette.applications import Starlette

from maskwright.server.app import create_app
from maskwright.server.settings import Settings
from tests.unit.server.fakes import FakeEngine

__all__ = ["ask", "events", "make", "post", "post_all", "streamed"]


def make(engine: FakeEngine | None = None, **settings: Any) -> Starlette:
    """An application for a model called ``m``."""
    return create_app(Settings(model="m", **settings), engine or FakeEngine())  # type: ignore[arg-type]


def ask(app: Starlette, method: str, path: str, **options: Any) -> httpx.Response:
    """One request."""

    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            return await client.request(method, path, **options)

    return asyncio.run(run())


def post_all(app: Starlette, path: str, bodies: Sequence[bytes]) -> list[httpx.Response]:
    """Many bodies, one after the other."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            return [await client.post(f"/v1/{path}", content=body) for body in bodies]

    return asyncio.run(run())


def post(app: Starlette, path: str, body: Mapping[str, Any] | bytes, **headers: str) -> httpx.Response:
    """A body to a path below ``/v1``."""
    data = body if isinstance(body, bytes) else json.dumps({"model": "m", **body}).encode()
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask(app, "POST", f"/v1/{path}", content=data, headers={"content-type": "application/json", **told})


def events(response: httpx.Response) -> list[dict[str, Any]]:
    """The events of a stream, which ends with ``[DONE]``."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    parts = response.content.split(b"\n\n")
    assert parts[-2:] == [b"data: [DONE]", b""]
    return [json.loads(part.removeprefix(b"data: ")) for part in parts[:-2]]


def streamed(app: Starlette, path: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The events of the answer to a body."""
    return events(post(app, path, {"stream": True, **body}))
