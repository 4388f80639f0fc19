from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maskwright.server.prediction import Prediction

IDS = st.lists(st.integers(0, 9), max_size=60)


@given(IDS, st.integers(1, 40))
def test_an_output_as_predicted_is_always_proposed(ids: list[int], most: int) -> None:
    prediction = Prediction(ids)
    place = 0
    while place < len(ids):
        draft = prediction.draft(most)
        assert draft
        assert draft == ids[place : place + len(draft)]
        assert len(draft) <= most
        for token in draft:
            prediction.read(token)
        prediction.judge(len(draft), len(draft))
        place += len(draft)
    assert prediction.draft(most) == []
    assert (prediction.accepted, prediction.rejected) == (len(ids), 0)


@given(IDS, IDS)
def test_a_draft_is_always_a_part_of_the_prediction(ids: list[int], written: list[int]) -> None:
    """And it stands behind the two tokens written last, or where the output followed the prediction all along."""
    prediction = Prediction(ids)
    for place, token in enumerate(written, 1):
        prediction.read(token)
        draft = prediction.draft(3)
        places = [start for start in range(len(ids) + 1) if ids[start : start + len(draft)] == draft]
        assert places
        if draft and written[:place] != ids[:place]:
            assert any(ids[start - 2 : start] == written[place - 2 : place] for start in places if start >= 2)


def test_after_a_change_the_prediction_is_found_again_behind_it() -> None:
    """Tokens are replaced, left out or put in; two tokens later the rest is proposed, not an earlier likeness."""
    text = [1, 2, 3, 4, 5, 1, 2, 9, 8, 7, 6]
    for written in ([1, 2, 3, 0, 5, 1], [1, 2, 3, 4, 0, 0, 0, 5, 1], [1, 2, 3, 5, 1]):
        prediction = Prediction(text)
        for token in written:
            prediction.read(token)
        assert prediction.draft(2) == [2, 9]


def test_wrong_drafts_get_shorter_and_right_ones_longer() -> None:
    prediction = Prediction([1] * 200)
    first = len(prediction.draft(100))
    prediction.judge(first, first)
    longer = len(prediction.draft(100))
    assert longer > first
    prediction.judge(longer, 0)
    assert 0 < len(prediction.draft(100)) < first
    assert (prediction.accepted, prediction.rejected) == (first, longer)
