"""What every endpoint stands on: the settings, the engine, compiled constraints, and what is counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from starlette.requests import Request

from maskwright.decode.runtime import Runtime
from maskwright.errors import LimitError, RequestError, excerpt
from maskwright.guide import Guide
from maskwright.server.bodies import parse_json, read_body, unpack
from maskwright.server.engine import Engine
from maskwright.server.guides import Guides
from maskwright.server.jobs import Job
from maskwright.server.metrics import Counts
from maskwright.server.settings import Settings
from maskwright.server.texts import Spelling
from maskwright.server.tickets import Ticket
from maskwright.server.workers import Workers
from maskwright.wire.generation import Generation

__all__ = ["Service"]

_Made = TypeVar("_Made")
#: Threads share one interpreter, so more of them read no faster; but one slow request leaves the others their share.
_THREADS: Final = 8


class Service:
    """One server's state; the event loop's thread alone changes it."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.runtime: Runtime = engine.runtime
        self.counts = Counts()
        self.guides = Guides(settings, self.runtime.vocabulary, self.counts)
        self.spelling = Spelling(self.runtime.vocabulary)
        #: The Unix time at which the model was loaded.
        self.created = int(time.time())
        self.is_closing = False
        #: Parsing and tokenizing take seconds for megabytes, planning how a large schema ends in few tokens takes one:
        #: too long for the loop's own thread, and none waits for the other.
        self._readers = Workers(_THREADS, queue=settings.connections, seconds=settings.request_seconds, name="reading")
        self._planners = Workers(
            _THREADS, queue=settings.connections, seconds=settings.request_seconds, name="planning"
        )

    def start(self) -> None:
        """Begin to run jobs."""
        self.engine.start()

    async def close(self, grace: float) -> None:
        """Refuse what is new, let what runs end within ``grace`` seconds. Nothing happens the second time."""
        if self.is_closing:
            return
        self.is_closing = True
        await self.engine.close(grace)
        self.guides.close()
        self._readers.close()
        self._planners.close()

    async def read(self, request: Request, make: Callable[[dict[str, Any]], _Made]) -> _Made:
        """What ``make`` makes of a request's JSON, in a thread beside the loop.

        Raises :class:`RequestError` for bodies that cannot be read, and what ``make`` raises.
        """
        self.check_open()
        body = await read_body(request, self.settings)

        def work() -> _Made:
            return make(parse_json(unpack(body, request.headers, self.settings), self.settings))

        return await self._readers.run(work)

    async def submit(self, jobs: Sequence[Job], guides: Sequence[Guide | None]) -> Ticket:
        """Hand jobs to the engine; planning how constraints end in time may take a while, so that is done apart.

        Raises :class:`RequestError`: the queue is full, the server ends, or a job cannot be run.
        """
        self.check_open()
        if any(guide is not None for guide in guides):
            try:
                jobs = await self._planners.run(lambda: self.engine.prepare(jobs))
            except LimitError:
                for guide in filter(None, guides):
                    self.guides.forget(guide)
                raise
        return self.engine.submit(jobs)

    def check_open(self) -> None:
        """Raise :class:`RequestError` (503) while the server ends."""
        if self.is_closing:
            reason = "The server is shutting down."
            raise RequestError(reason, status=503, type="server_error", code="shutting_down", retry_after=2.0)

    def check(self, asked: Generation, choices: int) -> None:
        """Raise :class:`RequestError` for another model's name (404), too many choices, or what was left out (400)."""
        self.check_model(asked.model)
        if choices > self.settings.choices:
            reason = f"{choices} choices are asked for; one request may have {self.settings.choices}."
            raise RequestError(reason, param="n", code="too_many_choices")
        if "native" in self.settings.without and asked.asked is not None:
            reason = f"'{asked.asked.param}' is not supported by this model."
            raise RequestError(reason, param=asked.asked.param, code="unsupported_parameter")

    def check_model(self, name: str) -> None:
        """Raise :class:`RequestError` (404) unless the model is ours."""
        if not self.settings.answers_to(name):
            reason = f"The model {excerpt(name, 100)} does not exist here; this server has {self.settings.model!r}."
            kind = "not_found_error" if self.settings.compat == "cerebras" else "invalid_request_error"
            raise RequestError(reason, status=404, type=kind, param="model", code="model_not_found")

    def encode(self, text: str) -> list[int]:
        """The ids of a text.

        Raises :class:`RequestError` (400), before it is read, for one that no number of tokens of the context can hold.
        """
        size, most = len(text.encode()), self.runtime.context * self.runtime.vocabulary.longest
        if size > most:
            reason = (
                f"The prompt has {size} bytes; a context of {self.runtime.context} tokens holds {most} at the most."
            )
            raise RequestError(reason, param="prompt", code="context_length_exceeded")
        return self.runtime.encode(text)

    def headers(self, asked: Generation) -> dict[str, str]:
        """Headers of an answer: which fields had no effect."""
        if not asked.ignored:
            return {}
        names = ", ".join(name for name in asked.ignored if name.isascii() and name.isprintable())
        return {"x-maskwright-ignored": names[:1_000]}
