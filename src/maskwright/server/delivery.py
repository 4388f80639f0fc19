"""How an answer reaches its client: whole, or event by event; whoever leaves frees the work that was done for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp

from maskwright.server.answering import Answering
from maskwright.server.replies import json_reply
from maskwright.server.service import Service
from maskwright.server.streams import EventStream, attended
from maskwright.wire.generation import Generation

__all__ = ["deliver"]


async def deliver(
    request: Request,
    service: Service,
    asked: Generation,
    answering: Answering[Any],
    *,
    whole: Callable[[], Mapping[str, Any]],
    chunks: Callable[[], AsyncIterator[Mapping[str, Any]]],
) -> ASGIApp:
    """What is sent for one request whose jobs are under way.

    Args:
        request: Where the client is.
        service: Where disconnects are counted.
        asked: What the client wants; a stream, or not.
        answering: The jobs.
        whole: The answer, called when all jobs are done.
        chunks: Its pieces, called when the first event is there.

    Raises:
        RequestError: what is refused before the first event of a stream.

    """
    headers = service.headers(asked)
    try:
        await attended(request.receive, answering.begin() if asked.stream else answering.gather())
    except BaseException:
        answering.ticket.cancel()
        raise
    notes: dict[str, Any] = request.state.notes
    if not asked.stream:
        notes.update(answering.usage())
        return json_reply(whole(), headers=headers)

    def finish(has_left: bool) -> None:  # noqa: FBT001 - called by the stream alone
        answering.ticket.cancel()
        service.counts.disconnects += has_left
        notes.update(answering.usage(), left=has_left)

    return EventStream(chunks(), headers=headers, request_id=request.state.request_id, finish=finish)
