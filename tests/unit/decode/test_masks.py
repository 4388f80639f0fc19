"""Bits and ids: the same set, whatever the widths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.decode.masks import allowed, allowed_ids, close, packed
from maskwright.errors import VocabularyError

sets = st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1))))


@given(sets, st.integers(0, 70))
def test_packing_and_reading_is_the_identity(case: tuple[int, set[int]], more: int) -> None:
    """A set of ids survives packing, in rows as wide as the vocabulary or wider."""
    width, ids = case
    mask = packed(ids, width)
    assert mask.shape == (-(-width // 32),)
    assert mask.dtype == np.uint32
    assert allowed_ids(mask, width + more).tolist() == sorted(ids)


@given(sets, st.integers(1, 70))
def test_ids_beyond_the_mask_are_closed(case: tuple[int, set[int]], more: int) -> None:
    """Padded logits: every id from the mask's width on is closed, in batches too."""
    width, ids = case
    row = packed(ids, width)
    opened = allowed(np.stack([row, np.zeros_like(row)]), width + more)
    assert opened.shape == (2, width + more)
    assert set(np.flatnonzero(opened[0])) == ids
    assert not opened[1].any()


@given(sets)
def test_closing_keeps_allowed_scores_and_drops_the_others(case: tuple[int, set[int]]) -> None:
    """Allowed scores are untouched; all others become minus infinity."""
    width, ids = case
    logits = np.arange(width, dtype=np.float32)
    close(packed(ids, width), logits)
    assert all(logits[i] == (i if i in ids else -np.inf) for i in range(width))


def test_an_allowed_id_without_a_score_is_an_error() -> None:
    """Logits that are too few for the mask are never cut off in silence."""
    with pytest.raises(VocabularyError, match="only 40 logits"):
        allowed(packed({3, 40}, 64), 40)
    assert allowed_ids(packed({3, 39}, 64), 40).tolist() == [3, 39]
