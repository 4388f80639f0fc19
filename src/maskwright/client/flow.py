"""Flows: what is done over HTTP as a generator that does no I/O itself.

A flow yields commands and is sent their results; a driver (:mod:`maskwright.client.sync`,
:mod:`maskwright.client.asynchronous`) carries them out. What goes wrong on the way is thrown into the flow as a
:class:`maskwright.errors.ServiceError`. So all that is decided is written, and tested, once, without sockets and
without waiting. A flow that is closed early must not yield any more; its driver closes the connection.

>>> flow = request(Call("/v1/models", method="GET"))
>>> next(flow).path
'/v1/models'
>>> try:
...     flow.send(Reply(200, {}, b"{}"))
... except StopIteration as end:
...     end.value.json()
{}
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from maskwright.client.retries import Retries, is_transient
from maskwright.errors import (
    CapabilityError,
    ConnectionFailedError,
    ProtocolError,
    ServiceError,
    ServiceTimeoutError,
    excerpt,
)
from maskwright.wire.faults import service_error

__all__ = [
    "Call",
    "Command",
    "Emit",
    "Flow",
    "Hangup",
    "More",
    "Now",
    "Pause",
    "Reply",
    "fault_in",
    "request",
    "shown",
]

T = TypeVar("T")

#: Most characters of a body that an error keeps.
_SHOWN = 4000
#: Names of the header that tells an API's operators which request it was.
_REQUEST_IDS = ("x-request-id", "request-id", "cf-ray", "x-amzn-requestid")
_OK = range(200, 300)
_REDIRECTS = range(300, 400)
_FAILURES = range(400, 600)
#: What is answered where there is nothing, or nothing of the kind.
_NOWHERE = (404, 405)


@dataclass(frozen=True, kw_only=True)
class _Sending:
    """What only :func:`request` fills in."""

    #: Which time the request is sent, from 1.
    attempt: int = 1
    #: When, by :class:`Now`, the whole of it must be over; a driver then raises ``ServiceTimeoutError``.
    deadline: float | None = None


@dataclass(frozen=True)
class Call(_Sending):
    """Send a request; the result is a :class:`Reply`, whatever its status. Flows use :func:`request` instead."""

    #: Below the address of the API, from its version on: ``/v1/chat/completions``.
    path: str
    #: The JSON object to send; ``None`` for no body.
    payload: Mapping[str, Any] | None = None
    #: Whether events are expected. If the server sends events, the reply comes before them; else it is whole.
    stream: bool = False
    method: str = "POST"
    #: Seconds that the server may be silent; ``None`` for what the client was told.
    timeout: float | None = None
    #: Further headers.
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class More:
    """The data of the next event of the open stream; the result is a ``str``, or ``None`` at its end."""

    #: Whether the event stays, so that the next ``More`` gives it again.
    keep: bool = False


@dataclass(frozen=True)
class Hangup:
    """Close the open stream, if there is one, without reading on; nothing is the result."""


@dataclass(frozen=True)
class Pause:
    """Wait; nothing is the result."""

    seconds: float


@dataclass(frozen=True)
class Now:
    """The seconds of a clock that never jumps; where it begins means nothing."""


@dataclass(frozen=True)
class Emit:
    """Hand something to whoever asked, before the end; nothing is the result."""

    item: Any


Command = Call | More | Hangup | Pause | Now | Emit

#: A generator of commands that returns a ``T``.
Flow = Generator[Command, Any, T]


@dataclass(frozen=True)
class Reply:
    """A response: whole, or its beginning while :class:`More` gives its events."""

    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    #: The body; empty where ``is_stream``.
    data: bytes = b""
    is_stream: bool = False
    #: How often the request was sent.
    attempts: int = 1
    #: Where to.
    url: str = ""

    @property
    def request_id(self) -> str | None:
        """What the API calls this request, if it says so."""
        return next((self.headers[name] for name in _REQUEST_IDS if name in self.headers), None)

    def json(self) -> Any:
        """The body, parsed.

        Raises:
            ProtocolError: it is no JSON; with the beginning of what it is.
        """
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError) as cause:
            kind = self.headers.get("content-type", "").partition(";")[0] or "no content type"
            raise self.fault(f"the answer is no JSON ({kind}): {excerpt(self.text)}") from cause

    def object(self) -> dict[str, Any]:
        """The body, parsed, which must be a JSON object; raises as :meth:`json`."""
        value = self.json()
        if not isinstance(value, dict):
            raise self.fault(f"the answer is no JSON object: {excerpt(self.text)}")
        return value

    def answer(self) -> dict[str, Any]:
        """The body, parsed, which must be an answer: an object with a choice in it; raises as :meth:`json`."""
        value = self.object()
        choices = value.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self.fault(f"the answer has no `choices`: {excerpt(self.text)}")
        return value

    @property
    def text(self) -> str:
        """The beginning of the body, for people."""
        return shown(self.data)

    def fault(self, reason: str) -> ProtocolError:
        """The error that says that this is no answer."""
        return ProtocolError(reason, **self._told())

    def broken(self, reason: str) -> ConnectionFailedError:
        """The error that says that the rest is missing."""
        return ConnectionFailedError(reason, **self._told())

    def _told(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "body": self.text,
            "request_id": self.request_id,
            "attempts": self.attempts,
        }


def shown(data: bytes) -> str:
    """The beginning of a foreign body as text: some thousand characters."""
    return data[: 4 * _SHOWN].decode("utf-8", "replace")[:_SHOWN]


def request(call: Call, policy: Retries | None = None, *, deadline: float | None = None) -> Flow[Reply]:
    """Send a request until it is answered, as ``policy`` allows.

    Of a stream the first event is waited for (and kept for :class:`More`): until then a broken stream is one more
    failed attempt, and so is a first event that tells a passing error.

    Args:
        call: What to send.
        policy: When to send it again; by default :class:`Retries`.
        deadline: When, by :class:`Now`, all must be over. No attempt is begun that had to wait beyond it.

    Raises:
        ServiceError: a child, after the last attempt; ``attempts`` tells how many there were.
    """
    policy = policy or Retries()
    attempt = 0
    while True:
        attempt += 1
        outcome = yield from _attempt(replace(call, attempt=attempt, deadline=deadline))
        if isinstance(outcome, Reply):
            return outcome
        error = outcome.error
        error.attempts = attempt
        seconds = policy.wait(attempt, outcome.headers) if outcome.is_passing else None
        if seconds is None or (deadline is not None and (yield Now()) + seconds >= deadline):
            raise error
        yield Pause(seconds)


@dataclass(frozen=True)
class _Failure:
    """An attempt that gave no answer."""

    error: ServiceError
    headers: Mapping[str, str]
    #: Whether it may be gone the next time.
    is_passing: bool


def _attempt(call: Call) -> Flow[Reply | _Failure]:
    try:
        reply: Reply = yield call
        if reply.status not in _OK:
            return _refused(reply)
        first = (yield More(keep=True)) if reply.is_stream else reply.data.decode("utf-8", "replace")
        if first is None:
            raise reply.broken("the stream ended before its first event")
    except ServiceError as error:
        return _Failure(error, {}, isinstance(error, (ConnectionFailedError, ServiceTimeoutError)))
    # Gateways tell errors of what is behind them with status 200, too.
    told = fault_in(first, reply)
    if told is None:
        return replace(reply, attempts=call.attempt)
    if reply.is_stream:
        yield Hangup()
    return _Failure(told, reply.headers, is_transient(told.status or reply.status, reply.headers))


def _refused(reply: Reply) -> _Failure:
    if reply.status in _REDIRECTS:
        to = excerpt(reply.headers.get("location", "nowhere"), 200)
        reason = f"redirected ({reply.status}) to {to}, which is not followed; give where the API is as base_url"
        return _Failure(reply.fault(reason), {}, is_passing=False)
    error = service_error(reply.status, reply.data, reply.headers)
    error.body = error.body or reply.text
    error.request_id = error.request_id or reply.request_id
    if isinstance(error, CapabilityError) and reply.status in _NOWHERE and reply.url:
        error.message = f"{error.message} (asked: {reply.url}; is base_url where the API is?)"
        error.args = (error.message,)
    return _Failure(error, reply.headers, is_transient(reply.status, reply.headers))


def fault_in(event: str, reply: Reply) -> ServiceError | None:
    """The error that an event of a stream, or a body, tells, if it does.

    Cerebras writes the status beside it (``status_code``), others a number as its ``code``; where there is none, what
    was told in the middle of an answer counts as a failure of the API.
    """
    if '"error"' not in event:
        return None
    try:
        data = json.loads(event)
    except (ValueError, RecursionError):
        return None
    told = data.get("error") if isinstance(data, dict) else None
    if not told:
        return None
    inner = told if isinstance(told, dict) else {}
    candidates = (data.get("status_code"), inner.get("status_code"), inner.get("code"), data.get("code"))
    status = next((code for code in candidates if isinstance(code, int) and code in _FAILURES), 500)
    error = service_error(status, event.encode("utf-8", "replace"), reply.headers)
    error.body = error.body or event[:_SHOWN]
    error.request_id = error.request_id or reply.request_id
    error.attempts = reply.attempts
    return error
