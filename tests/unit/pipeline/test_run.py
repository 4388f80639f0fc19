"""Runs with workers that are functions: what is written, what ends them, and what is left."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from maskwright.errors import (
    AnswerError,
    ConnectionFailedError,
    CredentialsError,
    InputError,
    PolicyError,
    RateLimitedError,
)
from maskwright.pipeline.identity import Job
from maskwright.pipeline.ledger import Ledger, default_failures
from maskwright.pipeline.outcomes import Cost, Made
from maskwright.pipeline.rows import Reading, Row
from maskwright.pipeline.run import Pace, Pipeline, Summary
from maskwright.pipeline.sources import source_of
from maskwright.pipeline.tally import Spending, Tally

JOB = Job.of("c", "p", "m")
Worker = Callable[[Row], Awaitable[Made]]


class Desk:
    """An input and its outputs."""

    def __init__(self, folder: Path, count: int) -> None:
        self.input, self.output = folder / "in.jsonl", folder / "out.jsonl"
        self.write([json.dumps({"id": number, "text": f"text {number}"}) for number in range(1, count + 1)])
        self.asked: list[int] = []
        self.pipeline: Pipeline

    def write(self, lines: list[str]) -> None:
        self.input.write_text("\n".join(lines) + "\n")

    def run(
        self,
        worker: Worker | None = None,
        *,
        observe: Callable[[Tally], None] = lambda _: None,
        retry: bool = False,
        beside: Callable[[Desk], Awaitable[None]] | None = None,
        **pace: object,
    ) -> Summary:
        """Run to the end; ``beside`` runs at the same time."""

        async def make(row: Row) -> Made:
            self.asked.append(row.number)
            await asyncio.sleep(0)
            return await worker(row) if worker else Made(json.dumps(row.text.upper()), cost=Cost(calls=1))

        async def all_of_it() -> Summary:
            ledger = Ledger(self.output, None, JOB, retry_failures=retry)
            other = None
            try:
                source = source_of(self.input, Reading())
                self.pipeline = Pipeline(source, ledger, Pace(**{"concurrency": 3, **pace}), observe)
                other = asyncio.create_task(beside(self)) if beside else None
                return await self.pipeline.run(make)
            finally:
                if other:
                    other.cancel()
                ledger.close()

        return asyncio.run(all_of_it())

    def made(self) -> dict[int, object]:
        return self._lines(self.output, "value")

    def failed(self) -> dict[int, object]:
        return {row: error["type"] for row, error in self._lines(default_failures(self.output), "error").items()}

    def _lines(self, path: Path, member: str) -> dict[int, object]:
        parsed = [json.loads(line) for line in path.read_text().splitlines()]
        assert len({line["row"] for line in parsed}) == len(parsed)
        return {line["row"]: line[member] for line in parsed}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, 20)


async def forever(row: Row) -> Made:
    await asyncio.sleep(3600)
    raise AssertionError(row)


def test_every_row_is_made(desk: Desk) -> None:
    """Its value is written, nothing is failed or left, the costs add up."""
    summary = desk.run()
    assert desk.made() == {number: f"TEXT {number}" for number in range(1, 21)}
    assert desk.failed() == {}
    tally = summary.tally
    assert summary.is_complete
    assert (tally.made, tally.failed, tally.total, tally.left, tally.cost) == (20, 0, 20, 0, Cost(calls=20))


def test_the_clock_on_the_wall_does_not_matter(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may jump by years at every look: budgets, rates and pauses are measured by another."""
    years = itertools.cycle([1e10, -1e10, 0.0])
    monkeypatch.setattr(time, "time", lambda: next(years))

    async def worker(row: Row) -> Made:
        await asyncio.sleep(0.01)
        return Made("1")

    summary = desk.run(worker, spending=Spending(seconds=3600.0), sync=0.01)
    assert summary.is_complete
    assert 0 < summary.tally.seconds < 60


def test_rows_that_fail_are_kept_apart(desk: Desk) -> None:
    """With the type of their error, be it one of ours or a bug of the worker; a second run leaves them alone."""

    async def worker(row: Row) -> Made:
        if row.number == 5:
            raise AnswerError("no", report=Cost(calls=4))
        if row.number == 6:
            raise ZeroDivisionError
        return Made("{" if row.number == 7 else "1")

    summary = desk.run(worker)
    assert desk.failed() == {5: "AnswerError", 6: "ZeroDivisionError", 7: "OutputError"}
    assert len(desk.made()) == 17
    assert (summary.tally.failed, summary.tally.cost.calls) == (3, 4)
    desk.asked.clear()
    assert desk.run().tally.failed_before == 3
    assert desk.asked == []
    desk.run(retry=True)
    assert sorted(desk.asked) == [5, 6, 7]
    assert (len(desk.made()), desk.failed()) == (20, {})


def test_broken_and_blank_lines(desk: Desk) -> None:
    """Broken ones have failed without being asked about; blank ones are no rows, and not counted."""
    desk.write(['"a"', "", "{", '"b"', "", ""])
    summary = desk.run()
    assert (desk.made(), desk.failed()) == ({1: "A", 4: "B"}, {3: "InputError"})
    assert sorted(desk.asked) == [1, 4]
    assert (summary.tally.total, summary.tally.done) == (3, 3)


def test_no_more_rows_are_under_way_than_wanted(desk: Desk) -> None:
    """Nor fewer, while there are enough."""
    most = []

    async def worker(row: Row) -> Made:
        most.append(desk.pipeline.tally.active)
        await asyncio.sleep(0.001)
        return Made("1")

    desk.run(worker, concurrency=7)
    assert max(most) == 7


def test_values_are_sorted_when_all_are_done(desk: Desk) -> None:
    """Whatever finished first."""

    async def worker(row: Row) -> Made:
        await asyncio.sleep(0.001 * (row.number % 3))
        return Made("1")

    desk.run(worker, ordered=True)
    assert list(desk.made()) == list(range(1, 21))


def test_a_wrong_key_ends_the_run_at_once(desk: Desk) -> None:
    """No row is marked as failed, so the right key finds them all."""

    async def worker(row: Row) -> Made:
        raise CredentialsError("who?", status=401)

    summary = desk.run(worker)
    assert (summary.stopped, summary.reason) == ("error", "who?")
    assert len(desk.asked) <= 3
    assert desk.run().tally.made == 20


def test_an_outage_ends_the_run_and_the_next_goes_on(desk: Desk) -> None:
    """What was made is kept, what the outage took is tried again; a single bad row in good times is a failure."""

    async def worker(row: Row) -> Made:
        if row.number == 2:
            raise RateLimitedError("slow", status=429)
        if row.number > 8:
            raise ConnectionFailedError("gone", attempts=3)
        return Made("1")

    summary = desk.run(worker, concurrency=1, give_up=4)
    assert isinstance(summary.error, ConnectionFailedError)
    assert (list(desk.made()), desk.failed()) == ([1, 3, 4, 5, 6, 7, 8], {2: "RateLimitedError"})
    assert summary.tally.cost.calls == 4 * 3 + 1
    assert desk.run().tally.made == 12


def test_budgets_end_a_run(desk: Desk) -> None:
    """When they are reached; what is under way is finished, and a run that needs no more is complete."""
    summary = desk.run(spending=Spending(calls=5))
    assert (summary.stopped, summary.reason) == ("budget", "the budget of 5 calls is used up")
    assert 5 <= summary.tally.made <= 5 + 2
    assert desk.run(spending=Spending(calls=20 - summary.tally.made)).is_complete
    assert len(desk.made()) == 20


def test_a_budget_of_seconds_ends_a_run_that_hangs(desk: Desk) -> None:
    """Rows under way are waited for, so they must have a limit of their own."""

    async def slow(row: Row) -> Made:
        await asyncio.sleep(0.5)
        return Made("1")

    summary = desk.run(slow, spending=Spending(seconds=0.1))
    assert summary.stopped == "budget"
    assert summary.tally.made == 3


def test_an_interrupted_run_finishes_what_is_under_way(desk: Desk) -> None:
    """And takes no more; the rest is for the next one."""

    async def worker(row: Row) -> Made:
        if row.number == 4:
            desk.pipeline.interrupt()
        await asyncio.sleep(0.01)
        return Made("1")

    summary = desk.run(worker)
    assert summary.stopped == "interrupted"
    assert set(desk.made()) == set(desk.asked)
    assert 4 <= len(desk.asked) <= 6
    assert desk.run().tally.made == 20 - summary.tally.made
    assert len(desk.made()) == 20


def test_a_run_that_is_interrupted_at_its_end_is_complete(desk: Desk) -> None:
    """There is nothing to go on with."""

    async def worker(row: Row) -> Made:
        if row.number == 20:
            desk.pipeline.interrupt()
        return Made("1")

    assert desk.run(worker).is_complete
    assert len(desk.made()) == 20


def test_rows_that_do_not_end_are_dropped(desk: Desk) -> None:
    """After some time, or when it is asked for twice; they are not marked as failed."""

    async def once(desk: Desk) -> None:
        await asyncio.sleep(0.01)
        desk.pipeline.interrupt()

    async def twice(desk: Desk) -> None:
        await once(desk)
        await once(desk)

    assert desk.run(forever, beside=once, grace=0.05).stopped == "interrupted"
    assert desk.run(forever, beside=twice, grace=3600.0).stopped == "interrupted"
    assert (desk.made(), desk.failed()) == ({}, {})
    assert desk.run().tally.made == 20


def test_a_run_that_is_interrupted_before_it_begins(desk: Desk) -> None:
    """As often as anybody likes: it begins nothing."""

    async def at_once(desk: Desk) -> None:
        while desk.pipeline.tally.ended is None:
            desk.pipeline.interrupt()
            await asyncio.sleep(0)

    assert desk.run(forever, beside=at_once).stopped == "interrupted"
    assert desk.run().tally.made == 20


def test_a_cancelled_run_keeps_what_is_done(desk: Desk) -> None:
    """Cancelling is how programs end what they do not want any more."""

    async def worker(row: Row) -> Made:
        return await forever(row) if row.number > 10 else Made("1")

    async def all_of_it() -> None:
        ledger = Ledger(desk.output, None, JOB)
        run = Pipeline(source_of(desk.input, Reading()), ledger).run(worker)
        try:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(run, 0.2)
        finally:
            ledger.close()

    asyncio.run(all_of_it())
    assert list(desk.made()) == list(range(1, 11))


def test_an_input_that_changes_is_refused(desk: Desk) -> None:
    """Before anything is made."""
    desk.run(spending=Spending(calls=5))
    lines = desk.input.read_text().splitlines()
    before = desk.output.read_bytes()
    desk.write(['"other"', *lines[1:]])
    with pytest.raises(InputError, match="row 1 is another one"):
        desk.run()
    assert desk.output.read_bytes() == before
    desk.write([*lines, '"more"'])
    assert desk.run().tally.total == 21


def test_a_file_that_goes_away_ends_the_run(desk: Desk) -> None:
    """It would be written for nobody."""

    async def worker(row: Row) -> Made:
        if row.number == 1:
            desk.output.unlink()
        return await forever(row)

    summary = desk.run(worker, sync=0.01)
    assert summary.stopped == "error"
    assert "was removed or replaced" in summary.reason


def test_a_lack_of_memory_is_nobodys_failure(desk: Desk) -> None:
    """It ends the run as what it is."""

    async def worker(row: Row) -> Made:
        raise MemoryError

    with pytest.raises(MemoryError):
        desk.run(worker)
    assert desk.failed() == {}


def test_paces_have_a_meaning() -> None:
    """Numbers below what they can be are refused."""
    for wrong in ({"concurrency": 0}, {"give_up": -1}, {"sync": -0.1}, {"grace": -1.0}):
        with pytest.raises(PolicyError):
            Pace(**wrong)
