"""When a request is sent again, and after how long."""

from __future__ import annotations

import math
from collections.abc import Mapping
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.client.retries import Retries, is_transient, waiting_asked
from maskwright.errors import PolicyError

SENT = 1_800_000_000.0


def wrong_clock() -> float:
    raise AssertionError("the clock of this side was asked")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "20", "retry-after": "9"}, 0.02),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_what_is_asked_in_seconds(headers: Mapping[str, str], seconds: float | None) -> None:
    """``retry-after-ms`` comes first; what cannot be read counts as not said. No clock is needed."""
    assert waiting_asked(headers, wrong_clock) == seconds


@pytest.mark.parametrize("jump", [0.0, 86_400.0 * 365, -86_400.0 * 365])
def test_a_date_is_compared_with_the_date_of_the_response(jump: float) -> None:
    """So a clock that jumped, here by ``jump`` seconds, changes nothing."""
    headers = {"retry-after": formatdate(SENT + 30, usegmt=True), "date": formatdate(SENT, usegmt=True)}
    assert waiting_asked(headers, lambda: SENT + jump) == 30.0


@pytest.mark.parametrize(("ahead", "seconds"), [(45.0, 45.0), (-45.0, 0.0)])
def test_a_date_without_a_date_of_the_response(ahead: float, seconds: float) -> None:
    """Then the clock of this side has to do; what lies in the past is now."""
    assert waiting_asked({"retry-after": formatdate(SENT + ahead, usegmt=True)}, lambda: SENT) == seconds


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        *((status, {}, True) for status in (408, 409, 429, 500, 502, 503, 504, 529, 599)),
        *((status, {}, False) for status in (400, 401, 402, 403, 404, 405, 413, 422, 501, 505)),
        (429, {"x-should-retry": "false"}, False),
        (503, {"x-should-retry": "False"}, False),
        (400, {"x-should-retry": "true"}, True),
        (400, {"x-should-retry": "perhaps"}, False),
    ],
)
def test_statuses(status: int, headers: Mapping[str, str], *, expected: bool) -> None:
    """408, 409, 429 and from 500 on, if ``x-should-retry`` says nothing else."""
    assert is_transient(status, headers) is expected


def test_waits_double_up_to_eight_seconds() -> None:
    """Half a second, doubled, capped; and after ``most`` repetitions none."""
    policy = Retries(most=7, jitter=lambda: 0.0)
    assert [policy.wait(attempt) for attempt in range(1, 9)] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, None]


@given(attempt=st.integers(1, 5000), jitter=st.floats(0, 1))
def test_jitter_only_shortens(attempt: int, jitter: float) -> None:
    """By a quarter at most, however many attempts there were."""
    plain = Retries(most=5000, jitter=lambda: 0.0).wait(attempt)
    found = Retries(most=5000, jitter=lambda: jitter).wait(attempt)
    assert plain is not None
    assert found is not None
    assert 0.75 * plain <= found <= plain <= 8.0


def test_what_is_asked_is_waited_for_without_jitter() -> None:
    """To the second, up to ``patience``; whoever asks for more is not asked again."""
    policy = Retries(most=1, jitter=lambda: 1.0, patience=60.0)
    assert policy.wait(1, {"retry-after": "60"}) == 60.0
    assert policy.wait(1, {"retry-after": "61"}) is None
    assert policy.wait(2, {"retry-after": "1"}) is None


@pytest.mark.parametrize(
    "arguments",
    [{"most": -1}, {"most": True}, {"most": 2.0}, {"first": -1}, {"longest": math.nan}, {"patience": math.inf}],
)
def test_numbers_are_checked(arguments: Mapping[str, Any]) -> None:
    """Retries are whole, seconds are finite."""
    with pytest.raises(PolicyError):
        Retries(**arguments)
