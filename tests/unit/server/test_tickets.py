from __future__ import annotations

import asyncio
import threading

import pytest

from maskwright.errors import ModelError
from maskwright.server.jobs import Failed, Finish, Job, Prompted, Token
from maskwright.server.tickets import Ticket

JOB = Job(prompt=(1,))
PROMPTED = Prompted(prompt_tokens=1, cached_tokens=0)
FINISH = Finish(reason="stop", completion_tokens=0)


def scene(body: object) -> None:
    asyncio.run(asyncio.wait_for(body(), 20))  # type: ignore[operator]


def ticket(jobs: int = 1, left: list[Ticket] | None = None) -> Ticket:
    return Ticket([JOB] * jobs, asyncio.get_running_loop(), (left if left is not None else []).append)


def test_events_come_in_order_from_another_thread_each_once() -> None:
    async def body() -> None:
        waiting = ticket(2)
        events = [(0, PROMPTED), (1, PROMPTED), *((place % 2, Token(id=place, data=b"")) for place in range(3_000))]
        events += [(0, FINISH), (1, Failed(ModelError("x")))]

        def work() -> None:
            for start in range(0, len(events), 7):
                waiting.deliver(events[start : start + 7])

        thread = threading.Thread(target=work)
        thread.start()
        assert [event async for event in waiting] == events
        thread.join()
        assert waiting.finished_at is not None
        assert waiting.unread == 0

    scene(body)


def test_a_reader_that_waits_is_woken_once_for_many_events() -> None:
    """One call of the loop for all that came before it looked."""

    async def body() -> None:
        waiting, calls = ticket(), []
        original = waiting._look
        waiting._look = lambda: (calls.append(1), original())  # type: ignore[method-assign, assignment, func-returns-value]
        reader = asyncio.ensure_future(anext(waiting))
        await asyncio.sleep(0)
        for _ in range(50):
            waiting.deliver([(0, PROMPTED)])
        assert await reader == (0, PROMPTED)
        assert len(calls) == 1

    scene(body)


@pytest.mark.parametrize("reads", [True, False])
def test_cancelling_ends_the_iteration_and_forgets_what_waits(reads: bool) -> None:
    async def body() -> None:
        left: list[Ticket] = []
        waiting = ticket(1, left)
        reader = asyncio.ensure_future(anext(waiting, None)) if reads else None
        await asyncio.sleep(0)
        waiting.cancel()
        waiting.cancel()
        waiting.deliver([(0, PROMPTED), (0, FINISH)])
        assert left == [waiting]
        assert waiting.unread == 0
        assert reader is None or await reader is None
        assert [event async for event in waiting] == []

    scene(body)


def test_unread_counts_tokens_and_scores() -> None:
    async def body() -> None:
        waiting = ticket()
        waiting.deliver([(0, PROMPTED), (0, Token(id=1, data=b"", logprob=0.0, top=((1, 0.0), (2, -1.0))))])
        assert waiting.unread == 4
        await anext(waiting)
        assert waiting.unread == 3

    scene(body)


def test_instants_are_those_of_the_last_job() -> None:
    async def body() -> None:
        waiting = ticket(2)
        waiting.begin()
        waiting.deliver([(0, PROMPTED), (0, FINISH)])
        assert waiting.started_at is not None
        assert (waiting.prompt_done_at, waiting.finished_at) == (None, None)
        waiting.deliver([(1, PROMPTED), (1, FINISH)])
        assert waiting.prompt_done_at is not None
        assert waiting.finished_at is not None

    scene(body)


def test_a_closed_loop_counts_as_leaving() -> None:
    left: list[Ticket] = []

    async def body() -> Ticket:
        return ticket(1, left)

    waiting = asyncio.run(body())
    waiting.deliver([(0, PROMPTED)])
    assert left == [waiting]
    assert waiting.is_cancelled
