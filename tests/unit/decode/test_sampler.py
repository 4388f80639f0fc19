"""The laws of drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.decode.sampler import Sampler
from maskwright.errors import PolicyError

scores = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=60).map(lambda x: np.array(x, np.float32))


@given(scores)
def test_greedy_takes_the_highest(row: np.ndarray) -> None:
    """At temperature 0 the first of the highest scores is drawn."""
    assert Sampler().draw(row) == max(range(len(row)), key=lambda i: (row[i], -i))


@given(scores, st.floats(0.01, 5), st.floats(0.05, 1), st.integers(0, 2**32))
def test_equal_seeds_draw_equally(row: np.ndarray, temperature: float, top_p: float, seed: int) -> None:
    """The same seed and scores give the same draws, one after the other."""
    one, two = (Sampler(temperature=temperature, top_p=top_p, seed=seed) for _ in range(2))
    assert [one.draw(row) for _ in range(5)] == [two.draw(row) for _ in range(5)]


@given(scores, st.floats(0.1, 3), st.floats(0.05, 0.999), st.integers(0, 1000))
def test_the_nucleus_is_the_smallest_set_that_reaches_top_p(
    row: np.ndarray, temperature: float, top_p: float, seed: int
) -> None:
    """A drawn token is among the likeliest whose shares, without the token itself, stay below ``top_p``."""
    place = Sampler(temperature=temperature, top_p=top_p, seed=seed).draw(row)
    shares = [math.exp((float(x) - float(row.max())) / temperature) for x in row]
    better = math.fsum(s for s in shares if s > shares[place]) / math.fsum(shares)
    assert better < top_p + 1e-9


@pytest.mark.parametrize("top_p", [1.0, 0.75])
def test_frequencies_follow_the_shares(top_p: float) -> None:
    """Of 20,000 draws each token has its renormalised share, within five standard deviations."""
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    kept = shares if top_p == 1 else np.array([0.5, 0.3, 0, 0])
    sampler = Sampler(temperature=0.7, top_p=top_p, seed=3)
    row = (np.log(shares) * 0.7).astype(np.float32)
    count = 20_000
    seen = np.bincount([sampler.draw(row) for _ in range(count)], minlength=4)
    wanted = kept / kept.sum()
    assert (np.abs(seen - wanted * count) <= 5 * np.sqrt(count * wanted * (1 - wanted))).all()


@pytest.mark.parametrize(
    ("law", "name"),
    [
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"temperature": math.inf}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"top_p": 1.01}, "top_p"),
        ({"top_p": math.nan}, "top_p"),
        ({"seed": -1}, "seed"),
    ],
)
def test_numbers_without_a_meaning_are_refused(law: dict[str, float], name: str) -> None:
    """Every argument out of its range is a PolicyError that names it."""
    with pytest.raises(PolicyError, match=name):
        Sampler(**law)


def test_a_tiny_temperature_is_greedy_without_overflow() -> None:
    """Scores far apart at the least temperature draw the highest and warn of nothing."""
    assert Sampler(temperature=5e-324, seed=0).draw(np.array([-1e4, 1e4, 0], np.float32)) == 1
