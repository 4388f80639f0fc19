"""When a run ends by itself, and what becomes of the rows that it then failed with."""

from __future__ import annotations

import pytest

from maskwright.errors import (
    AnswerError,
    CapabilityError,
    ConnectionFailedError,
    CredentialsError,
    LimitError,
    PolicyError,
    RejectedError,
    ServerFailedError,
    UnsupportedError,
)
from maskwright.pipeline.breaker import Breaker

DOWN = ServerFailedError("down", status=500)
GONE = ConnectionFailedError("nobody there")


class Run:
    """A breaker, and the rows that were written as failures."""

    def __init__(self, most: int = 10) -> None:
        self.breaker = Breaker(most)
        self.written: list[int] = []
        self.count = 0

    def failed(self, *errors: Exception) -> Run:
        for error in errors:
            self.count += 1
            self.breaker.failed(error, self.breaker.mark(), lambda row=self.count: self.written.append(row))
        return self

    def passed(self) -> Run:
        self.breaker.passed(self.breaker.mark())
        return self


def test_failures_of_rows_are_written_at_once() -> None:
    """However many there are."""
    run = Run().failed(*[AnswerError("no")] * 50)
    assert run.written == list(range(1, 51))
    assert run.breaker.error is None


def test_failures_of_the_service_wait_for_an_answer() -> None:
    """With one they were single rows' failures."""
    run = Run().passed().failed(*[DOWN] * 9)
    assert (run.written, run.breaker.held) == ([], 9)
    run.passed()
    assert run.written == list(range(1, 10))
    assert run.failed(DOWN, AnswerError("no")).written == list(range(1, 12))
    assert run.breaker.error is None


def test_an_answer_tells_nothing_of_later_failures() -> None:
    """One that was asked for before them came from the time before the outage."""
    run = Run()
    early = run.breaker.mark()
    run.failed(DOWN)
    late = run.breaker.mark()
    run.failed(DOWN)
    run.breaker.passed(early)
    assert (run.written, run.breaker.held) == ([], 2)
    run.breaker.passed(late)
    assert (run.written, run.breaker.held) == ([1], 1)


def test_too_many_in_a_row_end_the_run() -> None:
    """And none of them is written."""
    run = Run().passed().failed(*[DOWN] * 10)
    assert run.breaker.error is DOWN
    assert run.written == []
    assert run.breaker.held == 0


def test_who_is_not_there_is_not_asked_long() -> None:
    """Three rows suffice, if there never was an answer; a refusal is one."""
    assert Run().failed(GONE, GONE).breaker.error is None
    assert Run().failed(GONE, GONE, GONE).breaker.error is GONE
    assert Run().failed(RejectedError("no", status=400), GONE, GONE, GONE).breaker.error is None
    assert Run(2).failed(GONE, GONE).breaker.error is GONE


@pytest.mark.parametrize(
    "error",
    [
        CredentialsError("who?"),
        CapabilityError("not here"),
        RejectedError("no such model", status=404),
        RejectedError("no such model", status=400, code="model_not_found"),
        PolicyError("what?"),
        UnsupportedError("so?"),
    ],
)
def test_the_jobs_own_mistakes_end_the_run_at_once(error: Exception) -> None:
    """No other row can change them. What one row exceeds is its own."""
    assert Run().passed().failed(error).breaker.error is error
    assert Run().failed(LimitError("large")).breaker.error is None
    assert Run().failed(LimitError("large")).written == [1]


def test_the_end_of_the_rows() -> None:
    """A service that never answered was not there: its rows are left. Others have failed."""
    run = Run().failed(GONE)
    run.breaker.finished(GONE)
    assert (run.breaker.error, run.written) == (GONE, [])
    run = Run().passed().failed(GONE)
    run.breaker.finished(GONE)
    assert (run.breaker.error, run.written) == (None, [1])
    run = Run().failed(RejectedError("no"))
    run.breaker.finished(RejectedError("no"))
    assert (run.breaker.error, run.written) == (None, [1])


def test_it_can_be_told_never_to_give_up() -> None:
    """Then every failure is written."""
    run = Run(0).failed(*[DOWN] * 50, CredentialsError("who?"))
    run.breaker.finished(DOWN)
    assert run.breaker.error is None
    assert len(run.written) == 51
