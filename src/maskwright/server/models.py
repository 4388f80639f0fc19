"""``/v1/models``, and the paths that tell how the server is: ``/health``, ``/metrics``, ``/openapi.json``, warming."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from maskwright.server.metrics import exposition
from maskwright.server.replies import json_reply
from maskwright.server.service import Service
from maskwright.wire.answers import model_card, model_list
from maskwright.wire.openapi import openapi

__all__ = ["Status"]


class Status:
    """The endpoints that write nothing."""

    def __init__(self, service: Service, version: str) -> None:
        self._service = service
        self._version = version

    async def models(self, request: Request) -> Response:
        """The one model."""
        del request
        return json_reply(model_list([self._card(self._service.settings.model)]))

    async def model(self, request: Request) -> Response:
        """One model. Raises :class:`maskwright.errors.RequestError` (404) for a name that is not ours."""
        name: str = request.path_params["name"]
        self._service.check_model(name)
        return json_reply(self._card(name))

    async def warming(self, request: Request) -> Response:
        """What the clients of Cerebras ask first, to open a connection early."""
        del request
        return json_reply({})

    async def health(self, request: Request) -> Response:
        """Whether requests are taken: 503 while the server ends."""
        del request
        stats = self._service.engine.stats()
        told = {
            "status": "closing" if self._service.is_closing else "ok",
            "model": self._service.settings.model,
            "running": stats.running,
            "queued": stats.queued,
        }
        return json_reply(told, status=503 if self._service.is_closing else 200)

    async def metrics(self, request: Request) -> Response:
        """All counters, for Prometheus."""
        del request
        text = exposition(self._service.counts, asdict(self._service.engine.stats()))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def description(self, request: Request) -> Response:
        """The description of all this in OpenAPI."""
        del request
        names = (self._service.settings.model, *sorted(self._service.settings.aliases))
        return json_reply(openapi(version=self._version, models=() if self._service.settings.any_model else names))

    def _card(self, name: str) -> dict[str, Any]:
        runtime = self._service.runtime
        more: dict[str, Any] = {
            "title": runtime.title,
            "max_model_len": runtime.context,
            "vocabulary_size": len(runtime.vocabulary),
            "vocabulary_fingerprint": runtime.vocabulary.fingerprint,
        }
        return model_card(name, created=self._service.created, **more)
