from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.decode.runtime import Step
from maskwright.server.prefixes import LEAST, Prefixes, shared
from tests.unit.server.scripted import ScriptedRuntime, _Session


def session(runtime: ScriptedRuntime, ids: list[int]) -> _Session:
    opened = runtime.open()
    runtime.forward([Step(opened, ids, 0)])
    return opened


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_shared_is_the_length_of_the_common_beginning(one: list[int], other: list[int]) -> None:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    assert shared(ids(*one), ids(*other)) == length


@given(st.integers(0, 2**32), st.booleans())
def test_what_is_taken_has_read_a_beginning_and_nothing_else(seed: int, forgets: bool) -> None:
    """Among random prompts: a session has read the longest known beginning; bounds hold; no session is lost."""
    dice = random.Random(seed)
    runtime = ScriptedRuntime(forgets=forgets)
    prefixes, known = Prefixes(60, 4), 0
    for _ in range(30):
        prompt = [4 + dice.randrange(2) for _ in range(dice.randrange(1, 20))]
        best = prefixes.best(np.array(prompt))
        taken = prefixes.take(np.array(prompt))
        if taken is not None:
            assert isinstance(taken, _Session)
            assert taken.ids == prompt[: taken.length]
            assert taken.length == best >= LEAST
            known += 1
        elif forgets:
            assert best < LEAST
        opened = taken or runtime.open()
        rest = prompt[opened.length :]
        if rest:
            runtime.forward([Step(opened, rest, 0)])
        prefixes.keep(np.array(prompt), opened)
        assert prefixes.tokens <= 60
        assert len(prefixes) <= 4
        assert runtime.opened == len(prefixes)
    prefixes.clear()
    assert (runtime.opened, len(prefixes), prefixes.tokens) == (0, 0, 0)


def test_a_long_conversation_keeps_its_end_after_a_short_question() -> None:
    runtime, prefixes = ScriptedRuntime(), Prefixes(1_000, 4)
    long = list(range(4, 44))
    prefixes.keep(np.array(long), session(runtime, long))
    fork = prefixes.take(ids(*long[:10], 90, 90))
    assert fork is not None
    assert fork.length == 10
    assert prefixes.best(np.array(long)) == 40


def test_where_there_is_no_room_for_a_fork_the_oldest_others_go_first() -> None:
    runtime, prefixes = ScriptedRuntime(sessions=2), Prefixes(1_000, 4)
    long = list(range(4, 44))
    prefixes.keep(np.array(long), session(runtime, long))
    prefixes.keep(ids(*[90] * 9), session(runtime, [90] * 9))
    fork = prefixes.take(ids(*long[:10], 90, 90))
    assert fork is not None
    assert (fork.length, prefixes.best(np.array(long)), runtime.opened) == (10, 40, 2)
    last = prefixes.take(ids(*long[:10], 90, 90))
    assert last is not None
    assert (last.length, len(prefixes), runtime.opened) == (10, 0, 2)


def test_the_session_itself_goes_on_where_most_is_shared() -> None:
    runtime, prefixes = ScriptedRuntime(), Prefixes(1_000, 4)
    long = list(range(4, 44))
    opened = session(runtime, long)
    prefixes.keep(np.array(long), opened)
    assert prefixes.take(ids(*long, 90)) is opened
    assert len(prefixes) == 0


@pytest.mark.parametrize(("tokens", "sessions"), [(0, 4), (100, 0), (5, 4)])
def test_what_may_not_be_kept_is_closed(tokens: int, sessions: int) -> None:
    runtime, prefixes = ScriptedRuntime(), Prefixes(tokens, sessions)
    prefixes.keep(ids(*range(4, 14)), session(runtime, list(range(4, 14))))
    assert (runtime.opened, len(prefixes)) == (0, 0)


def test_what_was_not_used_longest_goes_first() -> None:
    runtime, prefixes = ScriptedRuntime(), Prefixes(1_000, 2)
    for first in (10, 20, 30):
        prompt = [first] * 8
        prefixes.keep(np.array(prompt), session(runtime, prompt))
        prefixes.keep(ids(*[10] * 8), session(runtime, [10] * 8))
    assert [prefixes.best(ids(*[first] * 8)) for first in (10, 20, 30)] == [8, 0, 8]
    assert runtime.opened == 2


def test_a_session_that_another_one_goes_on_from_is_not_kept_twice() -> None:
    runtime, prefixes = ScriptedRuntime(), Prefixes(1_000, 4)
    prefixes.keep(ids(*range(4, 14)), session(runtime, list(range(4, 14))))
    prefixes.keep(ids(*range(4, 24)), session(runtime, list(range(4, 24))))
    prefixes.keep(ids(*range(4, 19)), session(runtime, list(range(4, 19))))
    assert (len(prefixes), prefixes.tokens, runtime.opened) == (1, 20, 1)
