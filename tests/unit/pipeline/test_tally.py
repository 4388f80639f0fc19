"""Counts, prices, budgets."""

from __future__ import annotations

import math

import pytest

from maskwright.errors import PolicyError
from maskwright.pipeline.outcomes import Cost
from maskwright.pipeline.tally import Prices, Spending, Tally


def test_prices_are_of_a_million_tokens() -> None:
    """Those of prompts and answers."""
    assert Prices(prompt=2.0, completion=8.0).of(Cost(prompt_tokens=500_000, completion_tokens=250_000)) == 3.0
    for wrong in (-1.0, math.inf, math.nan):
        with pytest.raises(PolicyError):
            Prices(prompt=wrong)


def test_budgets() -> None:
    """Each names what is used up, when it is reached."""
    tally = Tally(cost=Cost(calls=3, prompt_tokens=70, completion_tokens=30), began=5.0, ended=7.0)
    assert Spending().exceeded(tally) == ""
    assert Spending(calls=4, tokens=101, seconds=2.5).exceeded(tally) == ""
    assert Spending(calls=3).exceeded(tally) == "the budget of 3 calls is used up"
    assert Spending(tokens=100).exceeded(tally) == "the budget of 100 tokens is used up"
    assert Spending(seconds=2.0).exceeded(tally) == "the budget of 2.0 seconds is used up"
    for wrong in (0, -1, math.nan):
        with pytest.raises(PolicyError):
            Spending(calls=wrong)


def test_what_is_left() -> None:
    """Rows and time, from what was done before and now; unknown stays unknown."""
    tally = Tally(total=100, made_before=40, failed_before=10, began=0.0, ended=10.0)
    assert (tally.done, tally.left, tally.rate, tally.remaining) == (50, 50, 0.0, None)
    tally.made, tally.failed = 15, 5
    tally._moments.extend(0.5 * number for number in range(1, 21))
    assert (tally.done, tally.left, tally.rate, tally.remaining) == (70, 30, 2.0, 15.0)
    assert Tally().left is None
    half = Tally(size=1000, read=500, made=10, began=0.0, ended=10.0)
    half._moments.extend(range(1, 11))
    assert half.remaining == 10.0


def test_the_rate_is_that_of_the_last_half_minute() -> None:
    """Or of the last thousand rows, where those came in less; a rest in between counts."""
    tally = Tally(began=0.0, ended=100.0)
    tally._moments.extend([10.0] * 50 + [float(second) for second in range(71, 101)])
    assert tally.rate == 1.0
    tally._moments.extend(99.0 + number / 2000 for number in range(1, 2001))
    assert 1990 < tally.rate < 2010
