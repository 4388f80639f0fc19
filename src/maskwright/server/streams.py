"""Streams of events, and clients that go away: whoever leaves frees the work that was done for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeVar

from starlette.types import Receive, Scope, Send

from maskwright.errors import MaskwrightError
from maskwright.server.replies import failure_of
from maskwright.wire.events import DONE, encode_event
from maskwright.wire.faults import fault_event

__all__ = ["EventStream", "GoneError", "attended"]

_Made = TypeVar("_Made")
_HEADERS: Final = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    # nginx would collect the events otherwise.
    "x-accel-buffering": "no",
}


class GoneError(MaskwrightError):
    """The client went away before its answer was ready; nobody reads what would be said."""


async def attended(receive: Receive, work: Awaitable[_Made]) -> _Made:
    """The result of some work, which ends at once when the client leaves.

    Raises :class:`GoneError` then, and whatever the work raises.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise GoneError("the client went away")
    finally:
        for task in (working, leaving):
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task


class EventStream:
    """A response of server-sent events, an ASGI application.

    The stream ends with ``[DONE]``, also after an event that tells what went wrong. When the client leaves, or the
    stream ends in whatever way, ``finish`` is called.
    """

    def __init__(
        self,
        chunks: AsyncIterator[Mapping[str, Any]],
        *,
        headers: Mapping[str, str],
        request_id: str,
        finish: Callable[[bool], None],
    ) -> None:
        """Args: ``finish`` is told whether the client left early."""
        self._chunks = chunks
        self._headers = {**_HEADERS, **headers}
        self._id = request_id
        self._finish = finish

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything."""
        del scope
        has_left = True
        try:
            headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in self._headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await attended(receive, self._pass_on(send))
            has_left = False
        except GoneError:
            return
        finally:
            self._finish(has_left)

    async def _pass_on(self, send: Send) -> None:
        try:
            async for chunk in self._chunks:
                await send({"type": "http.response.body", "body": encode_event(chunk), "more_body": True})
                # Neither the ticket nor the connection need wait, so nobody else would have a turn.
                await asyncio.sleep(0)
        except Exception as error:  # noqa: BLE001 - the status was sent; what is left is to tell it as an event
            told = encode_event(fault_event(failure_of(error, self._id), self._id))
            await send({"type": "http.response.body", "body": told, "more_body": True})
        await send({"type": "http.response.body", "body": DONE, "more_body": False})


async def _left(receive: Receive) -> None:
    """Return when the client has left; what it sends before that is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass
