"""A model whose scores are a function of the tokens before, and the slow, obvious writer that the engine must equal."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.runtime import Step
from maskwright.decode.sampler import Sampler
from maskwright.errors import ModelError
from maskwright.server.engine import Engine
from maskwright.server.jobs import Event, Failed, Finish, Job, Prompted, Score, Token
from maskwright.vocabulary import Vocabulary

__all__ = ["PAD", "VOCABULARY", "Outcome", "ScriptedRuntime", "collect", "expected", "run", "write"]

#: Ids 0 and 1 end, 2 is a control token, 3 is padding, then ASCII, longer tokens, and halves of "é".
_TEXTS = [
    *(bytes([c]) for c in range(32, 127)),
    b"\n",
    b"ab",
    b"abc",
    b"bc",
    b'{"',
    b'": ',
    b'"}',
    b"  ",
    b"12",
    b"345",
]
VOCABULARY = Vocabulary.from_tokens(
    [b"", b"", b"", b"", *_TEXTS, b"\xc3", b"\xa9"],
    end_ids=[0, 1],
    special_names={"<|end|>": 0, "<|call|>": 2},
)
PAD = 3
WIDTH = len(VOCABULARY) + 5


@dataclass
class _Session:
    runtime: ScriptedRuntime
    ids: list[int] = field(default_factory=list)
    is_open: bool = True

    @property
    def length(self) -> int:
        assert self.is_open
        return len(self.ids)

    def truncate(self, n: int) -> None:
        assert self.is_open
        if not 0 <= n <= len(self.ids):
            raise ValueError(n)
        if not self.runtime.forgets and n < len(self.ids):
            raise ModelError("this model cannot forget")
        del self.ids[n:]

    def fork(self) -> _Session:
        assert self.is_open
        return self.runtime._new(self.ids.copy())

    def close(self) -> None:
        self.runtime.opened -= self.is_open
        self.is_open = False


class ScriptedRuntime:
    """Scores by a hash of the ids before. Counts what is open, and fails as it is told to."""

    name = title = "scripted"
    vocabulary = VOCABULARY
    context = 120
    width = WIDTH
    fingerprint = "scripted"
    tool_format = "hermes"
    thinking = None
    opening = ()

    def __init__(
        self,
        *,
        sessions: int | None = None,
        forgets: bool = True,
        ends: float = 0.0,
        delay: float = 0.0,
        scores: Callable[[tuple[int, ...]], NDArray[np.float32]] | None = None,
    ) -> None:
        self.sessions, self.forgets, self.ends, self.delay = sessions, forgets, ends, delay
        self._scores = scores
        self.opened = 0
        self.is_closed = False
        #: Every pass: how many tokens each step read, and how many rows it asked for.
        self.passes: list[list[tuple[int, int]]] = []
        #: Ids that no pass can read; ``damages`` says whether others were read before that is seen.
        self.poison: set[int] = set()
        self.damages = False
        self.error: Callable[[], Exception] = lambda: ModelError("poisoned")
        self.rows: dict[tuple[int, ...], NDArray[np.float32]] = {}

    def encode(self, text: str) -> list[int]:
        return [VOCABULARY.tokens.index(bytes([byte])) for byte in text.encode()]

    def chat(self, *_: Any, **__: Any) -> list[int]:
        raise NotImplementedError

    def _new(self, ids: list[int]) -> _Session:
        if self.sessions is not None and self.opened >= self.sessions:
            raise ModelError("no further session")
        self.opened += 1
        return _Session(self, ids)

    def open(self) -> _Session:
        return self._new([])

    def row(self, ids: Sequence[int]) -> NDArray[np.float32]:
        key = tuple(ids)
        if key not in self.rows:
            row = self._scores(key) if self._scores else self._random(key)
            row.flags.writeable = False
            self.rows[key] = row
        return self.rows[key]

    def _random(self, key: tuple[int, ...]) -> NDArray[np.float32]:
        row = np.random.default_rng([7, *key]).normal(0, 3, WIDTH).astype(np.float32)
        row[[0, 1]] += np.float32(self.ends)
        return row

    def forward(self, steps: Sequence[Step]) -> list[NDArray[np.float32]]:
        time.sleep(self.delay)
        assert not self.is_closed
        assert len({id(step.session) for step in steps}) == len(steps)
        self.passes.append([(len(step.tokens), step.outputs) for step in steps])
        if not self.damages:
            self._check(steps)
        return [self._read(step) for step in steps]

    def _check(self, steps: Sequence[Step]) -> None:
        if any(self.poison & set(step.tokens) for step in steps):
            raise self.error()

    def _read(self, step: Step) -> NDArray[np.float32]:
        session = step.session
        assert isinstance(session, _Session)
        assert session.is_open
        assert step.tokens
        assert 0 <= step.outputs <= len(step.tokens)
        assert len(session.ids) + len(step.tokens) <= self.context
        session.ids += step.tokens
        self._check([step])
        first = len(session.ids) - step.outputs
        rows = [self.row(session.ids[: first + place + 1]) for place in range(step.outputs)]
        return np.stack(rows) if rows else np.empty((0, WIDTH), np.float32)

    def close(self) -> None:
        self.is_closed = True


# ----------------------------------------------------------------------------------------------------------- the oracle


@dataclass
class Outcome:
    """What a reader got of a job."""

    prompted: Prompted | None = None
    tokens: list[Token] = field(default_factory=list)
    finish: Finish | None = None
    error: Exception | None = None

    @property
    def ids(self) -> list[int]:
        return [token.id for token in self.tokens]

    @property
    def data(self) -> bytes:
        return b"".join(token.data for token in self.tokens)

    def add(self, event: Event) -> None:
        assert self.finish is None
        assert self.error is None
        if isinstance(event, Prompted):
            assert self.prompted is None
            assert not self.tokens
            self.prompted = event
        elif isinstance(event, Token):
            assert self.prompted is not None
            self.tokens.append(event)
        elif isinstance(event, Finish):
            assert self.prompted is not None
            self.finish = event
        else:
            assert isinstance(event, Failed)
            self.error = event.error


async def collect(ticket: Any) -> list[Outcome]:
    outcomes = [Outcome() for _ in ticket.jobs]
    async for index, event in ticket:
        outcomes[index].add(event)
    return outcomes


def run(runtime: ScriptedRuntime, *requests: Sequence[Job], **settings: Any) -> list[list[Outcome]]:
    """Every request at once, on an engine of its own."""

    async def all_of_them() -> list[list[Outcome]]:
        engine = Engine(runtime, **{"queue": 1_000, **settings})
        tickets = [engine.submit(jobs) for jobs in requests]
        engine.start()
        outcomes = await asyncio.gather(*map(collect, tickets))
        await engine.close(10)
        return outcomes

    outcomes = asyncio.run(asyncio.wait_for(all_of_them(), 60))
    assert runtime.opened == 0
    assert runtime.is_closed
    return outcomes


def write(job: Job, **settings: Any) -> Outcome:
    """A job alone, on a fresh model."""
    return run(ScriptedRuntime(), [job], **settings)[0][0]


def expected(runtime: ScriptedRuntime, job: Job) -> Outcome:
    """The laws of a job, one after the other, a whole pass for every token; nothing is cached, batched or guessed."""
    sampler = Sampler(
        temperature=job.temperature if job.top_p else 0, top_p=job.top_p or 1, seed=(job.seed or 0) % 2**64
    )
    room = runtime.context - len(job.prompt)
    budget = room if job.max_tokens is None else min(room, job.max_tokens)
    matcher = None if job.guide is None else job.guide.matcher(max_tokens=budget)
    patient = None if job.guide is None else job.guide.matcher()
    is_early = False
    outcome = Outcome()
    ids: list[int] = []
    texts: list[bytes] = []
    reason, matched = None, None
    told: list[dict[str, Any]] = []

    def adjusted() -> NDArray[np.float32]:
        row = runtime.row([*job.prompt, *ids]).copy()
        for token, count in Counter(ids).items():
            row[token] -= np.float32(count * job.frequency_penalty + job.presence_penalty)
        for token, bias in job.logit_bias.items():
            row[token] += np.float32(bias)
        return row

    def put(token: int, *, forced: bool) -> None:
        nonlocal reason, matched
        score = _scored(adjusted(), token, job.logprobs)
        mask = None if matcher is None else matcher.mask()
        before = b"" if matcher is None else matcher.text
        if matcher is not None:
            matcher.advance(token)
        if patient is not None:
            patient.advance(token)
        told.append({"token": token, "score": score, "forced": forced, "mask": mask})
        ids.append(token)
        texts.append(VOCABULARY.tokens[token] if matcher is None else matcher.text[len(before) :])
        if matcher is None and token in VOCABULARY.end_ids:
            reason = "stop"
        if len(ids) >= job.min_tokens:
            matched = _stop(b"".join(texts[:-1]), texts[-1], job.stop)
            if matched is not None:
                reason = "stop"

    while reason is None:
        if matcher is not None and (matcher.is_finished or matcher.must_end):
            assert patient is not None
            is_cut = not patient.is_finished and not patient.must_end
            is_early, reason = is_early or is_cut, "length" if is_cut else "stop"
        elif len(ids) >= budget:
            reason = "length"
        elif matcher is not None and (forced := _forced(matcher)):
            assert patient is not None
            is_early = is_early or not (patient.forced_tokens() or _forced(patient))
            for token in forced[: budget - len(ids)]:
                if reason is None:
                    put(token, forced=True)
        else:
            row = adjusted()
            if matcher is not None and patient is not None:
                is_early |= patient.allows(int(row.argmax())) and not matcher.allows(int(row.argmax()))
            open_ids = _open(runtime, matcher)
            may_end = len(ids) >= job.min_tokens
            accepting = matcher is None or matcher.is_accepting
            if matcher is not None and accepting and may_end and ids and int(row.argmax()) not in open_ids:
                reason = "stop"
                continue
            if not may_end and accepting:
                open_ids = [i for i in open_ids if i not in VOCABULARY.end_ids] or open_ids
            put(open_ids[sampler.draw(row[open_ids])], forced=False)
    limit = len(b"".join(texts)) if matched is None else _limit(texts, matched, job)
    place = 0
    for entry, text in zip(told, texts, strict=True):
        data = text[: max(0, limit - place)]
        place += len(text)
        score = entry["score"]
        outcome.tokens.append(
            Token(id=entry["token"], data=data, logprob=score.logprob, top=score.top, forced=entry["forced"])
        )
    outcome.finish = Finish(reason=reason, matched=matched, completion_tokens=len(ids), closed_early=is_early)  # type: ignore[arg-type]
    return outcome


def _scored(row: NDArray[np.float32], token: int, count: int | None) -> Score:
    if count is None:
        return Score(None)
    exact = row.astype(np.float64)
    logs = exact - exact.max() - np.log(np.exp(exact - exact.max()).sum())
    likeliest = sorted(range(len(row)), key=lambda i: (-row[i], i))[:count]
    return Score(float(logs[token]), tuple((i, float(logs[i])) for i in likeliest))


def _forced(matcher: Any) -> list[int]:
    """The next tokens if there is no choice. Text that is forced is spelled as the matcher spells it."""
    forced: list[int] = matcher.forced_tokens()
    if forced:
        return forced
    bits = np.flatnonzero(np.unpackbits(matcher.mask().view(np.uint8), bitorder="little"))
    return [int(bits[0])] if len(bits) == 1 and bits[0] not in VOCABULARY.end_ids else []


def _open(runtime: ScriptedRuntime, matcher: Any) -> list[int]:
    if matcher is None:
        return [i for i in range(len(VOCABULARY)) if i != PAD]
    return [i for i in range(len(VOCABULARY)) if matcher.allows(i)]


def _stop(before: bytes, data: bytes, stops: Sequence[bytes]) -> bytes | None:
    """The stop text that is complete first within ``data``, the longest of several."""
    for length in range(1, len(data) + 1):
        text = before + data[:length]
        found = [stop for stop in stops if text.endswith(stop)]
        if found:
            return max(found, key=len)
    return None


def _limit(texts: Sequence[bytes], matched: bytes, job: Job) -> int:
    before, data = b"".join(texts[:-1]), texts[-1]
    for length in range(1, len(data) + 1):
        if any((before + data[:length]).endswith(stop) for stop in job.stop):
            return len(before) + length - len(matched)
    raise AssertionError
