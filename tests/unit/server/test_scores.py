from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.server.jobs import LEAST_LOGPROB
from maskwright.server.scores import Distribution

ROWS = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=40).map(lambda row: np.array(row, np.float32))


@given(ROWS, st.integers(0, 45))
def test_logarithms_are_those_of_the_softmax(row: np.ndarray, count: int) -> None:
    distribution = Distribution(row)
    shares = np.exp(row.astype(np.float64) - row.max())
    shares /= shares.sum()
    assert [np.exp(distribution.logprob(token)) for token in range(len(row))] == pytest.approx(shares, abs=1e-6)
    wanted = sorted(range(len(row)), key=lambda token: (-row[token], token))[:count]
    assert distribution.likeliest(count) == wanted
    score = distribution.score(0, count)
    assert score.top == tuple((token, distribution.logprob(token)) for token in wanted)


def test_no_logarithm_is_infinite() -> None:
    row = np.array([0, -np.inf, -30_000], np.float32)
    assert [Distribution(row).logprob(token) for token in range(3)] == [0.0, LEAST_LOGPROB, LEAST_LOGPROB]


def test_candidates_tell_what_a_mask_allows() -> None:
    row = np.zeros(40, np.float32)
    row[[3, 35]] = 5, 9
    mask = np.array([1 << 3 | 1 << 4, 0], np.uint32)
    seen = Distribution(row).observation(2, mask, 40)
    assert seen.allowed_count == 2
    assert [(candidate.id, candidate.allowed) for candidate in seen.candidates] == [(35, False), (3, True)]
    assert Distribution(row).observation(1, None, 38).allowed_count == 38
