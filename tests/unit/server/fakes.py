"""A model of bytes and an engine that writes what it is told to: the application is tested without either."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from maskwright.errors import MaskwrightError, RequestError
from maskwright.server.counts import EngineStats
from maskwright.server.jobs import Event, Failed, Finish, Job, Prompted, Score, Token
from maskwright.server.tickets import Ticket
from maskwright.vocabulary import Vocabulary

__all__ = ["BYTES", "END", "FakeEngine", "FakeRuntime"]

END: Final = 256
#: Ids 0 to 255 are bytes, 256 ends a turn, 257 begins one, 258 and 259 are marks of thinking.
BYTES: Final = Vocabulary.from_tokens(
    [*(bytes([number]) for number in range(256)), b"", b"", b"", b""],
    end_ids=[END],
    special_names={"<|end|>": END, "<|turn|>": 257, "<think>": 258, "</think>": 259},
)


class FakeRuntime:
    """The text side of a model whose tokens are bytes."""

    name = "fake"
    title = "Fake of bytes"
    vocabulary = BYTES
    context = 4_096
    width = len(BYTES)
    sessions = None
    fingerprint = "fp_fake"
    tool_format = "hermes"

    def __init__(self, *, thinking: tuple[str, str] | None = None, opening: tuple[int, ...] = ()) -> None:
        self.thinking = thinking
        self.opening = opening
        #: What ``chat`` was called with.
        self.chats: list[dict[str, Any]] = []

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        continue_final: bool = False,
        thinking: bool | None = None,
    ) -> list[int]:
        self.chats.append(
            {"messages": list(messages), "tools": list(tools), "continue": continue_final, "thinking": thinking}
        )
        told = [257, *json.dumps([dict(message) for message in messages]).encode()]
        return told if self.thinking is None or thinking is False else [*told, 258]


class FakeEngine:
    """Writes ``texts``, one for each job in turn; a job with a guide writes the shortest output of it instead.

    A text may hold names of control tokens as ids: ``[72, 105, 259]`` is a text, too.
    """

    def __init__(self, *texts: str | bytes | Sequence[int], runtime: FakeRuntime | None = None) -> None:
        self.runtime = runtime or FakeRuntime()
        self.texts = texts or ("Hello, wörld",)
        self.jobs: list[Job] = []
        self.tickets: list[Ticket] = []
        #: Raised by ``submit``, and told instead of the token of this number.
        self.refuses: RequestError | None = None
        self.fails: tuple[int, MaskwrightError] | None = None
        #: Whether outputs of guides are written; else the texts are, guide or not.
        self.obeys = True
        #: What ends of outputs say of the tokens that were left.
        self.is_early = False
        #: Seconds between two tokens; None hands out all at once.
        self.pause: float | None = None
        self.is_started = False
        self.closed: float | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self.is_started = True

    def prepare(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        return tuple(jobs)

    def submit(self, jobs: Sequence[Job]) -> Ticket:
        if self.refuses is not None:
            raise self.refuses
        ticket = Ticket(jobs, asyncio.get_running_loop(), lambda _: None)
        self.tickets.append(ticket)
        first = len(self.jobs)
        self.jobs += jobs
        written = [self._events(job, self.texts[(first + place) % len(self.texts)]) for place, job in enumerate(jobs)]
        task = asyncio.ensure_future(self._deliver(ticket, written))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return ticket

    def stats(self) -> EngineStats:
        return EngineStats(queued=1, running=2, tokens=3)

    async def close(self, grace: float) -> None:
        self.closed = grace

    async def _deliver(self, ticket: Ticket, written: list[list[Event]]) -> None:
        """All events, those of several jobs in turn."""
        ticket.begin()
        for place in range(max(map(len, written))):
            for index, events in enumerate(written):
                if place < len(events):
                    ticket.deliver([(index, events[place])])
            if self.pause is not None:
                await asyncio.sleep(self.pause)
            if ticket.is_cancelled:
                return

    def _events(self, job: Job, text: str | bytes | Sequence[int]) -> list[Event]:
        if job.guide is not None and self.obeys:
            text = job.guide.complete("")
        ids = list(text.encode() if isinstance(text, str) else text)
        ids, reason, matched = self._end(job, ids)
        scores = tuple(_score(token, job) for token in job.prompt) if job.echo_logprobs else ()
        if scores:
            scores = (Score(None), *scores[1:])
        events: list[Event] = [Prompted(prompt_tokens=len(job.prompt), cached_tokens=1, scores=scores)]
        for token in ids:
            data = BYTES.tokens[token]
            score = _score(token, job)
            events.append(Token(id=token, data=data, logprob=score.logprob, top=score.top))
        events.append(
            Finish(
                reason=reason,  # type: ignore[arg-type]
                matched=matched,
                completion_tokens=len(ids),
                accepted_prediction_tokens=len(job.prediction[:2]),
                rejected_prediction_tokens=len(job.prediction[2:]),
                closed_early=self.is_early,
            )
        )
        if self.fails is not None:
            place, error = self.fails
            events = [*events[:place], Failed(error)]
        return events

    def _end(self, job: Job, ids: list[int]) -> tuple[list[int], str, bytes | None]:
        for stop in job.stop:
            at = bytes(token for token in ids if token < 256).find(stop)
            if at >= 0:
                return ids[:at], "stop", stop
        if job.max_tokens is not None and len(ids) > job.max_tokens:
            return ids[: job.max_tokens], "length", None
        return [*ids, END], "stop", None


def _score(token: int, job: Job) -> Score:
    """Every token has the probability of its id, so that texts differ; the likeliest are the next ids."""
    if job.logprobs is None:
        return Score(None)
    top = tuple(((token + step) % 256, -0.5 - step) for step in range(1, job.logprobs + 1))
    return Score(-token / 100, top)
