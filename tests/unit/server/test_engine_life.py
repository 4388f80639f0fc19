"""What may go wrong, and whom it concerns."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.decode.runtime import Step
from maskwright.errors import LimitError, MaskwrightError, ModelError, PolicyError, RequestError, VocabularyError
from maskwright.matcher import Matcher
from maskwright.server import batch as batches
from maskwright.server.engine import Engine
from maskwright.server.jobs import Job, Prompted
from maskwright.server.output import Output
from maskwright.server.schedule import plan
from maskwright.vocabulary import Vocabulary
from tests.unit.server.scripted import VOCABULARY, ScriptedRuntime, collect, expected, run

#: Writes until it is stopped.
ENDLESS = {"min_tokens": 1_000, "temperature": 0.0}
POISON = 50


async def until(holds: Callable[[], object]) -> None:
    """Wait for what the engine's thread does; the caller's time limit is the end of patience."""
    while not holds():  # noqa: ASYNC110  (the engine has no events for tests)
        await asyncio.sleep(0.001)


def engines(body: Callable[[Engine], Coroutine[Any, Any, None]], runtime: ScriptedRuntime, **settings: Any) -> Engine:
    """Run a body with an engine; afterwards nothing is open."""

    async def scene() -> Engine:
        engine = Engine(runtime, **settings)
        engine.start()
        try:
            await body(engine)
        finally:
            await engine.close(0)
        return engine

    engine = asyncio.run(asyncio.wait_for(scene(), 30))
    assert runtime.opened == 0
    assert runtime.is_closed
    return engine


# ------------------------------------------------------------------------------------------------------------- failures


@pytest.mark.parametrize("damages", [False, True])
@pytest.mark.parametrize("error", [ModelError("poisoned"), MemoryError(), RuntimeError("x"), RecursionError()])
def test_a_pass_that_fails_fails_for_the_one_at_fault(damages: bool, error: Exception) -> None:
    """Whether or not the model read something before it failed, the others write what they would have written."""
    runtime = ScriptedRuntime()
    runtime.poison, runtime.damages, runtime.error = {POISON}, damages, lambda: error
    good = [Job(prompt=(5, 6, place), max_tokens=20, seed=place, logit_bias={POISON: -100.0}) for place in range(7, 12)]
    requests = [[good[0]], [Job(prompt=(5, POISON))], [good[1]], [Job(prompt=(6, POISON)), good[2]], good[3:]]
    outcomes = run(runtime, *requests)
    for request, several in zip(requests, outcomes, strict=True):
        for job, outcome in zip(request, several, strict=True):
            if POISON in job.prompt:
                assert isinstance(outcome.error, ModelError)
            else:
                assert outcome.ids == expected(runtime, job).ids


def test_a_pass_that_fails_for_many_is_made_for_each() -> None:
    """Memory, say, was enough for one and not for three: nobody fails, and everybody writes the same."""

    class Narrow(ScriptedRuntime):
        def forward(self, steps: Sequence[Step]) -> list[Any]:
            if len(steps) > 1:
                if len(self.passes) % 2:
                    super().forward(steps[:1])
                raise MemoryError
            return super().forward(steps)

    runtime = Narrow()
    jobs = [Job(prompt=(5, 6, place), max_tokens=20, seed=place) for place in range(7, 12)]
    for job, outcome in zip(jobs, run(runtime, jobs)[0], strict=True):
        assert outcome.ids == expected(runtime, job).ids


@pytest.mark.parametrize("sessions", [0, None])
def test_a_sequence_without_a_session_fails(sessions: int | None) -> None:
    """The runtime has none at all, or opening one fails in another way; who has one goes on."""

    class Closed(ScriptedRuntime):
        def open(self) -> Any:
            if self.opened:
                raise RuntimeError("x")
            return super().open()

    jobs = [Job(prompt=(5, 6, 7), max_tokens=5), Job(prompt=(8, 9, 10), max_tokens=5)]
    outcomes = run(Closed(sessions=sessions), jobs, cache_sessions=0)[0]
    assert isinstance(outcomes[1].error, ModelError)
    assert (outcomes[0].finish is None) == (sessions == 0)


def test_a_defect_of_the_engine_fails_what_runs_and_nothing_later(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def planned(*args: Any) -> Any:
        calls.append(args)
        if len(calls) == 2:
            raise AssertionError
        return plan(*args)

    monkeypatch.setattr(batches, "plan", planned)
    outcomes = run(ScriptedRuntime(), [Job(prompt=(5, place), max_tokens=9) for place in range(4, 8)], batch=2)[0]
    assert [outcome.error is None for outcome in outcomes] == [False, False, True, True]


def test_a_mask_that_fails_fails_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    guide = mw.compile(mw.regex("[a-c]{5,20}"), VOCABULARY)
    original, calls = Matcher.forced_tokens, []

    def failing(self: Matcher) -> list[int]:
        calls.append(self)
        if len(calls) % 7 == 6:
            raise LimitError("too much")
        return original(self)

    monkeypatch.setattr(Matcher, "forced_tokens", failing)
    jobs = [Job(prompt=(5,), guide=guide, seed=seed) for seed in range(4)]
    outcomes = run(ScriptedRuntime(), jobs, [Job(prompt=(5,), max_tokens=30, min_tokens=30)])
    assert any(isinstance(outcome.error, LimitError) for outcome in outcomes[0])
    assert outcomes[1][0].finish is not None


def test_who_takes_too_long_for_masks_is_given_up() -> None:
    guide = mw.compile(mw.regex("[a-c]{50,90}"), VOCABULARY)
    outcomes = run(ScriptedRuntime(), [Job(prompt=(5,), guide=guide), Job(prompt=(5,), max_tokens=5)], mask_seconds=0)
    assert isinstance(outcomes[0][0].error, LimitError)
    assert outcomes[0][1].finish is not None


def test_a_draft_that_cannot_be_checked_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guess is not worth a failure, least of all that of a pass for everybody."""

    def failing(self: Output, draft: list[int]) -> list[int]:
        raise LimitError("too much")

    monkeypatch.setattr(Output, "readable_part", failing)
    runtime = ScriptedRuntime()
    job = Job(prompt=(5, 6), max_tokens=10, seed=1)
    outcomes = run(runtime, [replace(job, prediction=(7, 8, 9)), job])[0]
    assert outcomes[0].ids == outcomes[1].ids == expected(runtime, job).ids


def test_a_model_without_numbers_is_told() -> None:
    def scores(ids: tuple[int, ...]) -> Any:
        return np.full(ScriptedRuntime.width, np.nan if 9 in ids else 0.0, np.float32)

    outcomes = run(ScriptedRuntime(scores=scores), [Job(prompt=(9,), max_tokens=3), Job(prompt=(8,), max_tokens=3)])
    assert isinstance(outcomes[0][0].error, ModelError)
    assert outcomes[0][1].finish is not None


def test_a_guide_of_another_vocabulary_is_refused() -> None:
    other = Vocabulary.from_tokens([b"a", b""], end_ids=[1])
    with pytest.raises(VocabularyError):
        run(ScriptedRuntime(), [Job(prompt=(5,), guide=mw.compile(mw.regex("a"), other))])


@pytest.mark.parametrize("name", ["batch", "queue", "chunk"])
def test_an_engine_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(PolicyError, match=name):
        Engine(ScriptedRuntime(), **{name: 0})


def test_a_job_whose_time_is_up_is_given_up_waiting_or_writing() -> None:
    async def body(engine: Engine) -> None:
        soon = time.monotonic() + 0.1
        tickets = [engine.submit([Job(prompt=(5,), deadline=soon, **ENDLESS)]) for _ in range(3)]
        for outcome in await asyncio.gather(*map(collect, tickets)):
            assert isinstance(outcome[0].error, RequestError)
            assert outcome[0].error.status == 504

    engines(body, ScriptedRuntime(delay=0.01), batch=1)


def test_who_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for a reader is bounded: tokens and scores."""
    monkeypatch.setattr(batches, "_UNREAD", 50)

    async def body(engine: Engine) -> None:
        ticket = engine.submit([Job(prompt=(5,), logprobs=5, **ENDLESS)])
        await until(lambda: engine.stats().failed)
        assert 50 < ticket.unread < 70
        error = (await collect(ticket))[0].error
        assert isinstance(error, RequestError)
        assert (error.status, error.code) == (408, "reader_too_slow")

    engines(body, ScriptedRuntime())


# -------------------------------------------------------------------------------------------------------------- leaving


@given(st.integers(0, 2**32), st.sampled_from([None, 4]))
def test_leaving_at_any_moment_leaks_nothing_and_disturbs_nobody(seed: int, sessions: int | None) -> None:
    dice = random.Random(seed)
    runtime = ScriptedRuntime(sessions=sessions)
    stayed = Job(prompt=(5, 6, 7, 8, 9), max_tokens=15, seed=1)

    async def leave(engine: Engine) -> None:
        ticket = engine.submit([Job(prompt=(5, 6, 7, 8, dice.randrange(4, 9)), **ENDLESS) for _ in range(3)])
        most = dice.randrange(30)
        async for _ in ticket:
            most -= 1
            if most <= 0:
                ticket.cancel()
                ticket.cancel()

    async def body(engine: Engine) -> None:
        leaving = [asyncio.ensure_future(leave(engine)) for _ in range(4)]
        outcomes = await collect(engine.submit([stayed]))
        await asyncio.gather(*leaving)
        assert outcomes[0].ids == expected(runtime, stayed).ids
        await until(lambda: not engine.stats().running and not engine.stats().queued)
        stats = engine.stats()
        assert stats.cancelled == 12
        assert stats.finished == 1
        assert runtime.opened == stats.kept_sessions

    engines(body, runtime, batch=3)


def test_a_closed_loop_frees_its_jobs() -> None:
    runtime = ScriptedRuntime()
    engine = Engine(runtime)
    engine.start()

    async def leave() -> None:
        engine.submit([Job(prompt=(5,), **ENDLESS)])
        await asyncio.sleep(0.02)

    asyncio.run(leave())
    stop = time.monotonic() + 10
    while engine.stats().running and time.monotonic() < stop:
        time.sleep(0.01)
    assert engine.stats().running == 0
    asyncio.run(engine.close(0))
    assert runtime.opened == 0


def test_several_loops_share_an_engine() -> None:
    runtime = ScriptedRuntime()
    engine = Engine(runtime, queue=100)
    engine.start()
    jobs = [Job(prompt=(5, place), max_tokens=20, seed=place) for place in range(4, 12)]
    got: dict[int, list[int]] = {}

    def one(place: int, job: Job) -> None:
        async def ask() -> None:
            got[place] = (await collect(engine.submit([job])))[0].ids

        asyncio.run(ask())

    threads = [threading.Thread(target=one, args=item) for item in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    asyncio.run(engine.close(5))
    assert [got[place] for place in range(len(jobs))] == [expected(runtime, job).ids for job in jobs]


# --------------------------------------------------------------------------------------------------------------- limits


def test_a_full_queue_refuses_and_says_when_to_come_back() -> None:
    async def body(engine: Engine) -> None:
        tickets = [engine.submit([Job(prompt=(5,), **ENDLESS)]) for _ in range(1)]
        await until(lambda: engine.stats().running)
        tickets.append(engine.submit([Job(prompt=(5,)), Job(prompt=(5,))]))
        with pytest.raises(RequestError) as refused:
            engine.submit([Job(prompt=(5,)), Job(prompt=(5,))])
        assert (refused.value.status, refused.value.code) == (429, "queue_full")
        assert refused.value.retry_after is not None
        assert 1 <= refused.value.retry_after <= 60
        with pytest.raises(RequestError) as impossible:
            engine.submit([Job(prompt=(5,))] * 4)
        assert (impossible.value.status, impossible.value.param) == (400, "n")
        tickets[1].cancel()
        assert engine.stats().queued == 0
        engine.submit([Job(prompt=(5,)), Job(prompt=(5,))]).cancel()

    stats = engines(body, ScriptedRuntime(delay=0.002), batch=1, queue=3).stats()
    assert stats.refused == 2
    assert stats.cancelled >= 4


@pytest.mark.parametrize("grace", [0.0, 30.0])
def test_closing_lets_jobs_finish_within_the_grace(grace: float) -> None:
    """Jobs that were taken finish if there is time, and are told that there is none if there is none."""

    async def body(engine: Engine) -> None:
        tickets = [engine.submit([Job(prompt=(5,), max_tokens=10, min_tokens=10)]) for _ in range(4)]
        await anext(tickets[0])
        closing = asyncio.ensure_future(engine.close(grace))
        await asyncio.sleep(0)
        with pytest.raises(RequestError) as refused:
            engine.submit([Job(prompt=(5,))])
        assert refused.value.status == 503
        for ticket in tickets:
            *_, (_, last) = [event async for event in ticket]
            if grace:
                assert getattr(last, "completion_tokens", None) == 10
            else:
                assert last.error.status == 503  # type: ignore[union-attr]
        await closing

    engines(body, ScriptedRuntime(delay=0.005), batch=2)


def test_an_engine_that_never_started_closes() -> None:
    runtime = ScriptedRuntime()

    async def body() -> None:
        engine = Engine(runtime)
        ticket = engine.submit([Job(prompt=(5,))])
        await engine.close(0)
        assert isinstance((await collect(ticket))[0].error, MaskwrightError)

    asyncio.run(body())
    assert runtime.is_closed


# --------------------------------------------------------------------------------------------------------------- counts


def test_the_counts_add_up() -> None:
    runtime = ScriptedRuntime()
    guide = mw.compile(mw.regex("abcabc: [0-9]{3}"), VOCABULARY)
    jobs = [Job(prompt=(5, 6, 7, 8, 9), guide=guide, seed=seed) for seed in range(3)]

    async def body(engine: Engine) -> None:
        ticket = engine.submit(jobs)
        outcomes = await collect(ticket)
        assert ticket.started_at is not None
        assert ticket.prompt_done_at is not None
        assert ticket.finished_at is not None
        assert ticket.queued_at <= ticket.started_at <= ticket.prompt_done_at <= ticket.finished_at
        stats = engine.stats()
        assert (stats.running, stats.finished) == (0, 3)
        assert stats.tokens == sum(len(outcome.ids) for outcome in outcomes)
        assert stats.forced_tokens == sum(token.forced for outcome in outcomes for token in outcome.tokens) > 0
        assert stats.prompt_tokens == 15
        assert stats.cached_tokens == 8
        assert stats.steps == len(runtime.passes)
        assert stats.read_tokens == sum(read for steps in runtime.passes for read, _ in steps)
        assert stats.seconds_masks > 0
        assert stats.kept_sessions == runtime.opened

    engines(body, runtime)


def test_the_first_event_comes_when_the_prompt_was_read() -> None:
    async def body(engine: Engine) -> None:
        ticket = engine.submit([Job(prompt=(5,), **ENDLESS)])
        _, first = await anext(ticket)
        assert first == Prompted(prompt_tokens=1, cached_tokens=0)
        ticket.cancel()
        with pytest.raises(StopAsyncIteration):
            await anext(ticket)

    engines(body, ScriptedRuntime())
