"""The application: routes, the gate before them, and the life of the engine behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from maskwright.server.chat import Chat
from maskwright.server.completions import Completions
from maskwright.server.engine import Engine
from maskwright.server.gate import Gate
from maskwright.server.models import Status
from maskwright.server.playground import routes as page_routes
from maskwright.server.replies import refusal, refusal_of
from maskwright.server.service import Service
from maskwright.server.settings import Settings

__all__ = ["create_app"]


def create_app(settings: Settings, engine: Engine, *, version: str = "") -> Starlette:
    """The server as an ASGI application; ``app.state.service`` is its :class:`maskwright.server.service.Service`.

    Its lifespan starts the engine and closes it.

    Args:
        settings: How it answers, and what it refuses.
        engine: What runs the jobs; the application owns it from now on.
        version: Of this package, for the description.

    """
    service = Service(settings, engine)
    status = Status(service, version)
    routes = [
        *_both("/completions", Completions(service).answer, ["POST"]),
        *_both("/chat/completions", Chat(service).answer, ["POST"]),
        *_both("/models", status.models, ["GET"]),
        *_both("/models/{name:path}", status.model, ["GET"]),
        *_both("/tcp_warming", status.warming, ["GET"]),
        Route("/health", status.health, methods=["GET"]),
        Route("/metrics", status.metrics, methods=["GET"]),
        Route("/openapi.json", status.description, methods=["GET"]),
        *page_routes(settings, engine),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        service.start()
        try:
            yield
        finally:
            await service.close(settings.grace)

    async def on_route(request: Request, error: Exception) -> Response:
        del request
        response = refusal(refusal_of(error), settings)
        allowed = (error.headers or {}).get("Allow") if isinstance(error, HTTPException) else None
        if allowed is not None:
            response.headers["allow"] = allowed
        return response

    paths = [route.path for route in routes if isinstance(route, Route)]
    gate = Middleware(Gate, settings=settings, counts=service.counts, routes=paths)
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={HTTPException: on_route},
        middleware=[*_cors(settings), gate],
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def _both(path: str, endpoint: Callable[..., Any], methods: list[str]) -> list[Route]:
    """A path as the clients of both vendors ask it: some are told a base with ``/v1``, some write it themselves."""
    return [Route(prefix + path, endpoint, methods=methods) for prefix in ("/v1", "")]


def _cors(settings: Settings) -> list[Middleware]:
    """What lets pages of other origins ask, where the settings name them."""
    if not settings.origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["*"],
            expose_headers=["x-request-id", "x-maskwright-ignored", "retry-after"],
            max_age=600,
        )
    ]
