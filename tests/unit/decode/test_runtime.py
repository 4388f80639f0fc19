"""The NumPy runtime: passes over several sessions are the passes of each alone, and a refused pass changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maskwright.decode.numpy_runtime import NumpyRuntime
from maskwright.decode.runtime import Session, Step
from maskwright.decode.runtimes import ENGINES, load
from maskwright.errors import ModelError, PolicyError

TOKENS = st.lists(st.integers(2, 96), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory, file_writer: Callable[..., Path]) -> NumpyRuntime:
    from tests.unit.decode.conftest import toy_metadata, toy_tensors

    path = file_writer(tmp_path_factory.mktemp("toy") / "toy.gguf", toy_metadata(), toy_tensors())
    return NumpyRuntime(str(path))


def scores(runtime: NumpyRuntime, ids: list[int], outputs: int = 1) -> np.ndarray:
    """What a fresh session gives, one token at a time."""
    session = runtime.open()
    rows = [runtime.forward([Step(session, [token])])[0][0] for token in ids]
    return np.array(rows[len(rows) - outputs :])


def close(ours: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(ours, wanted, rtol=1e-4, atol=1e-4)


@given(
    parts=st.lists(st.tuples(TOKENS, TOKENS, st.integers(0, 5)), min_size=1, max_size=6),
)
def test_a_pass_over_several_sessions_is_that_of_each(
    runtime: NumpyRuntime, parts: list[tuple[list[int], list[int], int]]
) -> None:
    """Prompts and single tokens in one pass, any number of outputs: the scores of each session alone."""
    sessions = [runtime.open() for _ in parts]
    for session, (prompt, _, _) in zip(sessions, parts, strict=True):
        runtime.forward([Step(session, prompt)])
    steps = [
        Step(session, more, min(outputs, len(more)))
        for session, (_, more, outputs) in zip(sessions, parts, strict=True)
    ]
    for out, step, (prompt, more, _) in zip(runtime.forward(steps), steps, parts, strict=True):
        assert out.shape == (step.outputs, runtime.width)
        close(out, scores(runtime, prompt + more, step.outputs)) if step.outputs else None
        assert step.session.length == len(prompt + more)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=30)
@given(data=st.data())
def test_forks_and_cuts_go_their_own_ways(runtime: NumpyRuntime, data: st.DataObject) -> None:
    """Whatever is forked, cut, read on and closed: each session gives the scores of its own tokens read afresh."""
    live: list[tuple[Session, list[int]]] = [(runtime.open(), [])]
    for _ in range(data.draw(st.integers(1, 10))):
        place = data.draw(st.integers(0, len(live) - 1))
        session, ids = live[place]
        action = data.draw(st.sampled_from(["read", "read", "fork", "cut", "close"]))
        if action == "read":
            more = data.draw(TOKENS)
            (out,) = runtime.forward([Step(session, more)])
            live[place] = (session, ids + more)
            close(out, scores(runtime, ids + more))
        elif action == "fork":
            live.append((session.fork(), list(ids)))
        elif action == "cut":
            kept = data.draw(st.integers(0, len(ids)))
            session.truncate(kept)
            live[place] = (session, ids[:kept])
        elif len(live) > 1:
            session.close()
            live.pop(place)
    last = runtime.forward([Step(session, [5]) for session, _ in live])
    for rows, (_, ids) in zip(last, live, strict=True):
        close(rows, scores(runtime, [*ids, 5]))


def test_a_long_prompt_does_not_mix_with_its_neighbours(runtime: NumpyRuntime) -> None:
    """More tokens than one pass over the weights reads, beside others that are cut at other places."""
    prompts = [[2 + i * k % 90 for i in range(n)] for k, n in ((1, 300), (3, 1), (5, 270))]
    out = runtime.forward([Step(runtime.open(), ids, 1) for ids in prompts])
    for row, ids in zip(out, prompts, strict=True):
        np.testing.assert_allclose(row, scores(runtime, ids), rtol=1e-3, atol=1e-3)


def test_scores_stay_after_further_passes(runtime: NumpyRuntime) -> None:
    """What a pass gave is not overwritten by the next one."""
    session = runtime.open()
    first = runtime.forward([Step(session, [5, 6])])[0]
    copy = first.copy()
    runtime.forward([Step(session, [7])])
    np.testing.assert_array_equal(first, copy)


@pytest.mark.parametrize(
    ("tokens", "outputs", "reason"),
    [
        ([], 0, "0 tokens"),
        ([5], 2, "2 outputs"),
        ([5], -1, "outputs"),
        ([5, -1], 1, "outside"),
        ([5, 10**6], 1, "outside"),
        ([5] * 601, 1, "context of 600"),
    ],
)
def test_a_refused_pass_changes_no_session(runtime: NumpyRuntime, tokens: list[int], outputs: int, reason: str) -> None:
    """One bad step among good ones: an error, and every session is as it was."""
    good, bad = runtime.open(), runtime.open()
    runtime.forward([Step(good, [9, 8]), Step(bad, [7])])
    with pytest.raises(ModelError, match=reason):
        runtime.forward([Step(good, [5]), Step(bad, tokens, outputs)])
    assert (good.length, bad.length) == (2, 1)
    close(runtime.forward([Step(good, [5])])[0], scores(runtime, [9, 8, 5]))


def test_a_session_in_two_steps_is_refused(runtime: NumpyRuntime) -> None:
    """Two steps of one session have no order."""
    session = runtime.open()
    with pytest.raises(ModelError, match="two steps"):
        runtime.forward([Step(session, [5]), Step(session, [6])])


def test_closed_things_say_so(toy_gguf: Path) -> None:
    """A closed session or runtime is an error, not a crash; closing twice does nothing."""
    runtime = NumpyRuntime(str(toy_gguf))
    session, other = runtime.open(), runtime.open()
    session.close()
    session.close()
    with pytest.raises(ModelError, match="closed"):
        runtime.forward([Step(other, [5]), Step(session, [5])])
    assert other.length == 0
    runtime.close()
    runtime.close()
    with pytest.raises(ModelError, match="closed"):
        runtime.forward([Step(other, [5])])


@pytest.mark.parametrize("length", [-1, 3])
def test_a_session_cannot_be_cut_longer(runtime: NumpyRuntime, length: int) -> None:
    """Beyond what was read there is nothing to keep."""
    session = runtime.open()
    runtime.forward([Step(session, [5, 6])])
    with pytest.raises(ValueError, match="cannot be cut"):
        session.truncate(length)


def test_the_context_can_be_made_smaller_only(toy_gguf: Path) -> None:
    """``context`` bounds what a session holds; more than the model's own is not given."""
    assert load(str(toy_gguf), context=10_000).context == 600
    small = load(str(toy_gguf), context=3)
    session = small.open()
    small.forward([Step(session, [5, 6, 7])])
    with pytest.raises(ModelError, match="context of 3"):
        small.forward([Step(session, [8])])


def test_a_conversation_that_cannot_fit_is_refused_unread(toy_gguf: Path) -> None:
    """More bytes than the longest tokens of a whole context have; one byte less may still fit."""
    runtime = load(str(toy_gguf), context=100)
    most = 100 * runtime.vocabulary.longest
    head = len("system\nBe brief." + "\n" + "user\n" + "\n" + "assistant\n")
    with pytest.raises(ModelError, match=f"holds {most} at the most"):
        runtime.chat([{"role": "user", "content": "a" * (most - head + 1)}])
    assert runtime.chat([{"role": "user", "content": "a" * (most - head)}])


def test_fingerprints_tell_weights_apart(gguf_writer: Callable[..., Path]) -> None:
    """Equal files have equal names, other weights another one."""
    first, again, other = gguf_writer(), gguf_writer(), gguf_writer(seed=1)
    names = [load(str(path)).fingerprint for path in (first, again, other)]
    assert names[0] == names[1] != names[2]
    assert names[0].startswith("fp_")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"engine": "vllm"}, "numpy, llamacpp, transformers"),
        ({"threads": 0}, "threads is 0"),
        ({"sessions": 0}, "sessions is 0"),
        ({"context": -5}, "context is -5"),
        ({"tool_format": "smoke signals"}, "format is one of"),
        ({"thinking": ("a", "")}, "thinking is a pair"),
    ],
)
def test_arguments_without_meaning_are_refused(toy_gguf: Path, changes: dict[str, object], reason: str) -> None:
    """Each with what would have one."""
    with pytest.raises(PolicyError, match=reason):
        load(str(toy_gguf), **changes)


@pytest.mark.parametrize(
    ("engine", "missing", "remedy"),
    [
        ("llamacpp", "llama_cpp", r"maskwright\[llamacpp\]"),
        ("transformers", "torch", r"maskwright\[transformers\]"),
    ],
)
def test_a_missing_package_is_told_with_its_command(
    toy_gguf: Path, monkeypatch: pytest.MonkeyPatch, engine: str, missing: str, remedy: str
) -> None:
    """What pip would install."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(PolicyError, match=remedy):
        load(str(toy_gguf), engine=engine)


@pytest.mark.parametrize("name", ["nobody", "/", __file__])
def test_files_that_are_no_models_are_refused(name: str) -> None:
    """An unknown name, a folder, a text."""
    with pytest.raises(ModelError):
        load(name)


def test_engines_are_modules_that_exist() -> None:
    """Every entry of the table names a function."""
    from importlib import import_module

    for entry in ENGINES.values():
        module, function = entry.split(":")
        assert callable(getattr(import_module(module), function))
