"""The page for people at ``/`` and the routes behind it: check a constraint, watch a run, ask why.

===========================  =======================================================================================
``GET /``, ``GET /page/*``   the page and its files, with a Content-Security-Policy that admits nothing from elsewhere
``GET /playground/info``     the model, its vocabulary, what can be asked for
``POST /playground/check``   a constraint to the policies it has, or to every problem with its place
``POST /playground/run``     server-sent events: one for each token, with what was allowed and what the model wanted
``POST /playground/explain`` what is allowed after some tokens, and why a token or text is not, in words
===========================  =======================================================================================

The page itself may be read by anyone; all that it asks for needs a key where the server has keys.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from maskwright.errors import MaskwrightError, RequestError, TokenError
from maskwright.grammar.roots import ROOTS
from maskwright.guide import Guide
from maskwright.server.assets import HEADERS, page_routes
from maskwright.server.bodies import parse_json, read_body, unpack
from maskwright.server.forms import KINDS, Form, read_form
from maskwright.server.guides import Guides
from maskwright.server.jobs import Failed, Job, Prompted, Token
from maskwright.server.metrics import Counts
from maskwright.server.places import problems_of
from maskwright.server.replies import json_reply
from maskwright.server.runs import LONGEST, Resumed, Run, job_of, read_budget, read_prefix, read_run
from maskwright.server.settings import Settings
from maskwright.server.streams import EventStream
from maskwright.server.traces import Trace, costs, explained, verdict
from maskwright.tags.formats import FORMATS

if TYPE_CHECKING:
    from maskwright.server.engine import Engine
    from maskwright.server.tickets import Ticket

__all__ = ["routes"]

_Handler = Callable[["_Playground", Request], Awaitable[ASGIApp]]


def routes(settings: Settings, engine: Engine) -> list[Route]:
    """Everything under ``/`` and ``/playground``, for ``create_app`` to mount beside the API.

    Keys are checked, and what the handlers raise is answered, by the gate before them.

    Args:
        settings: What ``maskwright serve`` was started with.
        engine: The engine that runs the jobs.
    """
    playground = _Playground(settings, engine)
    return [
        *page_routes(),
        Route("/playground/info", playground.route(_info), methods=["GET"]),
        Route("/playground/check", playground.route(_check), methods=["POST"]),
        Route("/playground/run", playground.route(_run), methods=["POST"]),
        Route("/playground/explain", playground.route(_explain), methods=["POST"]),
    ]


class _Playground:
    """What the handlers share."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.runtime = engine.runtime
        self.vocabulary = engine.runtime.vocabulary
        #: A few threads of its own: what people try here never waits for the API, nor the API for it.
        self.guides = Guides(
            replace(settings, compilers=2, compile_queue=16, kept_guides=16), self.vocabulary, Counts()
        )

    def route(self, handler: _Handler) -> Callable[[Request], Awaitable[ASGIApp]]:
        """A handler with all that it needs."""

        async def respond(request: Request) -> ASGIApp:
            return await handler(self, request)

        return respond

    async def body(self, request: Request) -> dict[str, Any]:
        """The parsed body."""
        settings = self.settings
        return parse_json(unpack(await read_body(request, settings), request.headers, settings), settings)

    async def guide(self, form: Form | None) -> Guide | None:
        """The guide of a form.

        Raises:
            MaskwrightError: it is refused.
        """
        if form is None:
            return None
        limits, tool_format = self.settings.limits, self.runtime.tool_format
        return await self.guides.guide(form.key, lambda: form.compile(limits, tool_format=tool_format))


def _refused(error: MaskwrightError, form: Form | None) -> Response:
    """The answer for a constraint that cannot be used, with all its problems."""
    if isinstance(error, RequestError):
        raise error
    told = {"message": str(error), "type": "invalid_request_error", "param": "constraint", "code": "invalid_constraint"}
    problems = problems_of(error, "" if form is None else form.source)
    return json_reply({"error": {**told, "problems": problems}}, status=400, headers=HEADERS)


async def _info(playground: _Playground, request: Request) -> Response:
    del request
    runtime = playground.runtime
    told = {
        "needs_key": bool(playground.settings.keys),
        "model": playground.settings.model,
        "title": runtime.title,
        "vocabulary": len(runtime.vocabulary),
        "context": runtime.context,
        "longest": LONGEST,
        "kinds": list(KINDS),
        "roots": list(ROOTS),
        "tool_format": runtime.tool_format,
        "tool_formats": sorted(FORMATS),
    }
    return json_reply(told, headers=HEADERS)


async def _check(playground: _Playground, request: Request) -> Response:
    """``{"ok": true, ..}``, or ``{"ok": false, "problems": [..]}``: a text in the making is no fault of a request."""
    data = await playground.body(request)
    form = _form(data)
    start = monotonic()
    try:
        guide = await playground.guide(form)
    except RequestError:
        raise
    except MaskwrightError as error:
        return json_reply({"ok": False, "problems": problems_of(error, form.source)}, headers=HEADERS)
    assert guide is not None  # noqa: S101  (there is a form)
    told = {
        "ok": True,
        "seconds": round(monotonic() - start, 6),
        "policies": {name: _plain(value) for name, value in guide.constraint.policies.items()},
        "warnings": [str(warning) for warning in guide.constraint.warnings],
    }
    return json_reply(told, headers=HEADERS)


def _form(data: Mapping[str, Any]) -> Form:
    prompt = data.get("prompt")
    return read_form(data.get("constraint"), prompt=prompt if isinstance(prompt, str) else None)


def _plain(value: object) -> Any:
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


async def _explain(playground: _Playground, request: Request) -> Response:
    data = await playground.body(request)
    form = _form(data)
    tokens = read_prefix(data, playground.vocabulary, "tokens")
    asked, budget = _asked(data), read_budget(data)
    find = data.get("find", "")
    if not isinstance(find, str):
        raise RequestError("find must be a text", param="find")

    try:
        guide = await playground.guide(form)
        assert guide is not None  # noqa: S101  (there is a form)
        told = await playground.guides.apart(lambda: explained(guide, tokens, asked, max_tokens=budget, find=find))
        return json_reply(told, headers=HEADERS)
    except TokenError as error:
        raise RequestError(str(error), param="tokens") from error
    except MaskwrightError as error:
        return _refused(error, form)


def _asked(data: Mapping[str, Any]) -> int | str | None:
    """The token or the text that is asked about."""
    token, text = data.get("token"), data.get("text")
    if token is not None:
        if isinstance(token, bool) or not isinstance(token, int):
            raise RequestError("token must be a token id", param="token")
        return token
    if text is not None and not isinstance(text, str):
        raise RequestError("text must be a text", param="text")
    return text


async def _run(playground: _Playground, request: Request) -> ASGIApp:
    run = read_run(await playground.body(request), playground.vocabulary)
    try:
        guide = await playground.guide(run.form)
        job, trace = await playground.guides.apart(lambda: _prepared(playground, run, guide))
        ticket = playground.engine.submit([job])
    except MaskwrightError as error:
        return _refused(error, run.form)

    def finish(has_left: bool) -> None:  # noqa: FBT001 - the stream's word
        del has_left
        ticket.cancel()

    name = str(getattr(request.state, "request_id", "req"))
    events = _events(playground, run, guide, trace, ticket)
    return EventStream(events, headers=HEADERS, request_id=name, finish=finish)


def _prepared(playground: _Playground, run: Run, guide: Guide | None) -> tuple[Job, Trace]:
    """The job of a run, and what follows it: with the engine's masks, or with those that free text is judged by."""
    deadline = monotonic() + playground.settings.request_seconds
    (job,) = playground.engine.prepare([job_of(run, guide, playground.runtime, deadline)])
    matcher = None
    if job.matcher is not None:
        matcher = job.matcher.fork()
    elif guide is not None:
        matcher = Resumed(guide, run.prefix).matcher()
    return job, Trace(playground.vocabulary, matcher, run.prefix)


async def _events(
    playground: _Playground, run: Run, guide: Guide | None, trace: Trace, ticket: Ticket
) -> AsyncIterator[dict[str, Any]]:
    """Each event of the engine as one of the page's; the last one judges the output and tells what it took."""
    start, before = monotonic(), playground.engine.stats()
    count = forced = 0
    async for _, event in ticket:
        if isinstance(event, Failed):
            raise event.error
        if isinstance(event, Prompted):
            told = {"event": "start", "prompt_tokens": event.prompt_tokens, "cached_tokens": event.cached_tokens}
        elif isinstance(event, Token):
            count, forced = count + 1, forced + event.forced
            # A mask may be new to the guide and take its time: never in the event loop.
            told = await asyncio.to_thread(trace.step, event)
        else:
            told = {"event": "end", "reason": event.reason, "tokens": count, "forced": forced, "verdict": None}
            told["closed_early"] = event.closed_early
            told["text"] = trace.data.decode(errors="replace")
            if guide is not None and run.form is not None:
                told["verdict"] = await asyncio.to_thread(verdict, run.form, guide, trace.data)
            told["costs"] = costs(before, playground.engine.stats())
        yield {**told, "at": round(monotonic() - start, 4)}
