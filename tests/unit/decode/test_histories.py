"""States by history: the same whatever was asked before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maskwright.decode.histories import Dead, Histories

WORDS = (b"aab", b"aba", b"b", b"abab")
A, B = 2 + ord("a") - 32, 2 + ord("b") - 32
histories = st.lists(st.sampled_from([A, B, 0, 1]), max_size=6).map(lambda ids: np.array(ids, np.int64))


def meaning(state: Any) -> object:
    return None if isinstance(state, Dead) else (state.text, state.is_finished)


def fresh(root: Any, history: np.ndarray) -> object:
    """The meaning of a history, by reading it into a new matcher."""
    for token in history.tolist():
        if root.is_finished:
            break
        if not root.mask()[token // 32] >> (token % 32) & 1:
            return None
        root.advance(token)
    return root.text, root.is_finished


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(batches=st.lists(st.lists(histories, min_size=1, max_size=4), max_size=8), capacity=st.integers(1, 12))
def test_a_state_depends_on_its_history_alone(
    language: Callable[..., Any], batches: list[list[np.ndarray]], capacity: int
) -> None:
    """In any order, with any repetition and any capacity, each state is that of a fresh matcher; memory is bounded."""
    guide = language(*WORDS)
    store = Histories(guide.matcher(), capacity)
    for batch in batches:
        states = store.states(batch)
        assert [meaning(s) for s in states] == [fresh(guide.matcher(), history) for history in batch]
        assert len(store) <= capacity


@pytest.mark.parametrize(
    ("asked", "then", "goes_on"),
    [
        ([[]], [], True),
        ([[]], [A], True),
        ([[], [A]], [A, B], True),
        ([[], [A], [A, B]], [A], True),
        ([[]], [A, B], False),
        ([[], [A]], [B, A], False),
        # A closed token right after its history was asked for: a dead beam or an unchecked draft.
        ([[], [A]], [A, 40], True),
        # The same when the run has gone on: no engine comes back with it, so it is another prompt.
        ([[], [A], [A, B]], [A, 40], False),
    ],
)
def test_what_an_engine_can_come_to(
    language: Callable[..., Any], asked: list[list[int]], then: list[int], *, goes_on: bool
) -> None:
    """A history goes on from those asked before, or belongs to another run."""
    store = Histories(language(*WORDS).matcher(), 100)
    for history in asked:
        store.states([np.array(history, np.int64)])
    assert store.goes_on(np.array(then, np.int64)) is goes_on
