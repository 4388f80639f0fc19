from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maskwright.errors import ModelError, PolicyError
from maskwright.server.jobs import Job
from maskwright.server.sampling import Chooser
from maskwright.server.writing import Writing
from tests.unit.server.scripted import PAD, VOCABULARY, WIDTH, ScriptedRuntime

WRITING = Writing(ScriptedRuntime())


def chooser(**settings: Any) -> Chooser:
    return Chooser(Job(prompt=(4,), **settings), WRITING)


def row(**places: float) -> Any:
    logits = np.zeros(WIDTH, np.float32)
    for place, number in places.items():
        logits[int(place[1:])] = number
    return logits


def test_penalties_are_openais_formula() -> None:
    """``logit - count * frequency - (count > 0) * presence``; the bias is added after."""
    choose = chooser(frequency_penalty=0.5, presence_penalty=0.25, logit_bias={10: 2.0, 12: -100.0})
    choose.note([10, 10, 10, 11])
    logits = row(_10=4, _11=4, _12=4)
    before = logits.copy()
    adjusted = choose.adjust(logits)
    assert adjusted[[10, 11, 12, 13]].tolist() == [4 - 1.5 - 0.25 + 2, 4 - 0.5 - 0.25, -96, 0]
    assert (logits == before).all()


def test_without_penalties_and_bias_the_row_is_the_model_s_own() -> None:
    logits = row()
    assert chooser().adjust(logits) is logits


@pytest.mark.parametrize(
    ("open_ids", "may_end", "wanted"),
    [
        (None, True, 0),
        (None, False, 20),
        ([0, 20, 21], False, 20),
        ([0, 1], False, 0),
        ([20, 21], True, 20),
        ([21], True, 21),
    ],
)
def test_end_tokens_are_closed_unless_nothing_else_is_open(
    open_ids: list[int] | None, may_end: bool, wanted: int
) -> None:
    ids = None if open_ids is None else np.array(open_ids, np.intp)
    assert chooser(temperature=0).choose(row(_0=9, _20=8), ids, may_end=may_end) == wanted


def test_padding_is_never_written() -> None:
    logits = row(_20=1)
    logits[[PAD, *range(len(VOCABULARY), WIDTH)]] = 99
    assert chooser(temperature=0).choose(logits, None, may_end=True) == 20


def test_a_share_of_nothing_is_the_likeliest_token() -> None:
    assert {
        chooser(top_p=0.0, temperature=2, seed=seed).choose(row(_20=1), None, may_end=True) for seed in range(9)
    } == {20}


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_an_error(number: float) -> None:
    with pytest.raises(ModelError):
        chooser().choose(np.full(WIDTH, number, np.float32), None, may_end=True)


@pytest.mark.parametrize("settings", [{"temperature": -1.0}, {"temperature": float("nan")}, {"top_p": 1.5}])
def test_laws_without_meaning_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(PolicyError):
        chooser(**settings)


def test_draws_follow_the_shares() -> None:
    """20 and 21 have odds of e to 1 at temperature 1; 2,000 draws lie within four standard deviations."""
    choose, ids = chooser(seed=1), np.array([20, 21], np.intp)
    share = sum(choose.choose(row(_20=1), ids, may_end=True) == 20 for _ in range(2_000)) / 2_000
    assert share == pytest.approx(np.e / (1 + np.e), abs=4 * 0.01)
