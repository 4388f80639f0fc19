"""An engine for tests of the page: it recites a text, as far as the masks let it, instead of thinking one up."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

import maskwright as mw
from maskwright.errors import RequestError, UnspellableError
from maskwright.server.counts import EngineStats
from maskwright.server.jobs import Candidate, Event, Finish, Job, Observation, Prompted, Token
from maskwright.server.tickets import Ticket

__all__ = ["END", "MARKUP", "ScriptedEngine", "ToyRuntime", "toy_vocabulary"]

END = 0
_WORDS = (
    "the",
    " the",
    "name",
    '"name"',
    '":',
    '": "',
    "Ada",
    "Bob",
    " and",
    "true",
    "false",
    "yes",
    "no",
    "maybe",
    "<b>",
)
#: What a page that reads text as markup would run.
MARKUP = "<img src=x onerror=alert(1)>"


def toy_vocabulary() -> mw.Vocabulary:
    """One end token, every byte, some words, and one token that is markup."""
    tokens = [b"", *(bytes([byte]) for byte in range(256)), *(word.encode() for word in (*_WORDS, MARKUP))]
    return mw.Vocabulary.from_tokens(tokens, end_ids=[END])


class ToyRuntime:
    """The text side of a model; it never computes."""

    name = "toy"
    title = "Toy, a model that recites"
    context = 2_000
    sessions = None
    fingerprint = "toy"
    tool_format = "hermes"
    thinking = None
    opening: tuple[int, ...] = ()

    def __init__(self) -> None:
        self.vocabulary = toy_vocabulary()
        self.width = len(self.vocabulary)

    def encode(self, text: str) -> list[int]:
        return [byte + 1 for byte in text.encode()]

    def chat(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        told = "".join(f"tool: {tool['function']['name']}\n" for tool in tools)
        return self.encode(told + "".join(f"{message['role']}: {message['content']}\n" for message in messages))

    def close(self) -> None:
        pass


class ScriptedEngine:
    """Wants to write ``script``, whatever the prompt; the masks of a job decide, as in the real one."""

    def __init__(self, script: str, *, pause: float = 0.0) -> None:
        self.runtime = ToyRuntime()
        self.script = script.encode()
        self.pause = pause
        self.cancelled = 0
        self._passes = 0

    def start(self) -> None:
        pass

    async def close(self, grace: float) -> None:
        pass

    def stats(self) -> EngineStats:
        none = dict.fromkeys((field.name for field in fields(EngineStats)), 0)
        return EngineStats(**{**none, "steps": self._passes, "seconds_model": self._passes * 0.001})

    def prepare(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        try:
            return tuple(
                job if job.guide is None else replace(job, matcher=job.guide.matcher(max_tokens=job.max_tokens))
                for job in jobs
            )
        except UnspellableError as error:
            raise RequestError(str(error), param="max_tokens") from error

    def submit(self, jobs: Sequence[Job]) -> Ticket:
        ticket = Ticket(jobs, asyncio.get_running_loop(), self._on_cancel)
        threading.Thread(target=self._recite, args=(ticket, jobs[0]), daemon=True).start()
        return ticket

    def _on_cancel(self, _: Ticket) -> None:
        self.cancelled += 1

    def _recite(self, ticket: Ticket, job: Job) -> None:
        ticket.deliver([(0, Prompted(prompt_tokens=len(job.prompt), cached_tokens=0))])
        for event in self._events(job):
            if ticket.is_cancelled:
                return
            time.sleep(self.pause)
            ticket.deliver([(0, event)])

    def _events(self, job: Job) -> Iterator[Event]:
        tokens, matcher, count, is_early = self.runtime.vocabulary.tokens, job.matcher, 0, False
        done = b"" if matcher is None else matcher.text
        while job.max_tokens is None or count < job.max_tokens:
            rest = self.script[len(done) :] if self.script.startswith(done) else b""
            liked = sorted((len(data), -token) for token, data in enumerate(tokens) if data and rest.startswith(data))
            ids = [-token for _, token in reversed(liked)][:5] or [END]
            open_ids = np.arange(len(tokens)) if matcher is None else _open(matcher)
            allowed = set(open_ids.tolist())
            is_early |= matcher is not None and ids[0] in _set_in(matcher.withheld())
            observed = tuple(Candidate(token, 0.5**place, token in allowed) for place, token in enumerate(ids, 1))
            chosen = next((token for token in ids if token in allowed), int(open_ids[-1]))
            forced = len(allowed) == 1 and chosen != END
            self._passes += not forced
            count += 1
            if matcher is not None:
                matcher.advance(chosen)
            done += tokens[chosen]
            yield Token(
                id=chosen,
                data=tokens[chosen],
                forced=forced,
                observed=None if forced else Observation(len(allowed), observed),
            )
            if chosen == END:
                yield Finish(reason="stop", completion_tokens=count, closed_early=is_early)
                return
        is_whole = matcher is not None and not matcher.withheld().any()
        yield Finish(reason="stop" if is_whole else "length", completion_tokens=count, closed_early=is_early)


def _open(matcher: mw.Matcher) -> Any:
    return _set_in(matcher.mask())


def _set_in(mask: Any) -> Any:
    return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
