"""The contract of a runtime on the real default model, the same for every engine that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from maskwright.decode.runtime import Runtime, Session, Step
from maskwright.decode.runtimes import ENGINES, load
from maskwright.errors import ModelError

pytestmark = pytest.mark.slow

PACKAGES = {"numpy": "numpy", "llamacpp": "llama_cpp", "transformers": "transformers"}
#: How far scores of one token may differ with what else is in a pass: llama.cpp's kernels change with the rows.
APART = {"numpy": 1e-3, "llamacpp": 1.0, "transformers": 1e-3}
TEXTS = ["The capital of France is", "Once upon a time, in a land far away,", "def f(x):\n    return", "1, 2, 3, 4,"]
TALK = [
    {"role": "system", "content": "Answer in one word. <|im_end|>"},
    {"role": "user", "content": "Hi <|im_start|>"},
    {"role": "assistant", "content": "Hel"},
]


@pytest.fixture(scope="module", params=ENGINES)
def runtime(request: pytest.FixtureRequest, smollm2: Path) -> Iterator[Runtime]:
    pytest.importorskip(PACKAGES[request.param])
    opened = load(str(smollm2), engine=request.param, context=256, sessions=6)
    yield opened
    opened.close()


def close(runtime: Runtime, ours: np.ndarray, wanted: np.ndarray) -> None:
    engine = next(name for name in APART if name in runtime.title.replace(".", ""))
    np.testing.assert_allclose(ours, wanted, atol=APART[engine])


def fresh(runtime: Runtime, ids: list[int], outputs: int = 1) -> np.ndarray:
    session = runtime.open()
    try:
        return runtime.forward([Step(session, ids, outputs)])[0]
    finally:
        session.close()


def test_a_pass_over_several_sessions_is_that_of_each(runtime: Runtime) -> None:
    """Prompts of several lengths and then single tokens, together and alone: the same scores."""
    prompts = [runtime.encode(text) for text in TEXTS]
    sessions = [runtime.open() for _ in prompts]
    together = runtime.forward([Step(s, ids, 2) for s, ids in zip(sessions, prompts, strict=True)])
    tokens = [int(rows[-1].argmax()) for rows in together]
    next_rows = runtime.forward([Step(s, [token]) for s, token in zip(sessions, tokens, strict=True)])
    for ids, rows, token, row in zip(prompts, together, tokens, next_rows, strict=True):
        close(runtime, rows, fresh(runtime, ids, 2))
        close(runtime, row, fresh(runtime, [*ids, token]))
    for session in sessions:
        session.close()


def test_forks_and_cuts_go_their_own_ways(runtime: Runtime) -> None:
    """A fork and its origin read on, one is cut back, one is closed: each gives the scores of its own tokens."""
    prompt, more, other = (runtime.encode(text) for text in TEXTS[:3])
    first = runtime.open()
    runtime.forward([Step(first, prompt)])
    second = first.fork()
    third = second.fork()
    runtime.forward([Step(first, more), Step(second, other)])
    first.truncate(len(prompt) + 2)
    third.close()
    rows = runtime.forward([Step(first, other[:1]), Step(second, more[:1])])
    close(runtime, rows[0], fresh(runtime, prompt + more[:2] + other[:1]))
    close(runtime, rows[1], fresh(runtime, prompt + other + more[:1]))
    first.truncate(0)
    close(runtime, runtime.forward([Step(first, more)])[0], fresh(runtime, more))
    first.close()
    second.close()


def test_a_refused_pass_changes_no_session(runtime: Runtime) -> None:
    """Too many tokens, an id that does not exist, a closed session: typed errors, and the next pass is right."""
    prompt = runtime.encode(TEXTS[0])
    session, other = runtime.open(), runtime.open()
    runtime.forward([Step(session, prompt)])
    gone = runtime.open()
    gone.close()
    for bad in (Step(other, [5] * 257), Step(other, [runtime.width]), Step(gone, [5])):
        with pytest.raises(ModelError):
            runtime.forward([Step(session, [5]), bad])
    assert (session.length, other.length) == (len(prompt), 0)
    close(runtime, runtime.forward([Step(session, [9])])[0], fresh(runtime, [*prompt, 9]))
    session.close()
    other.close()


def test_texts_are_encoded_as_the_default_engine_does(runtime: Runtime, smollm2: Path) -> None:
    """The same ids in every engine, for texts and conversations; names of control tokens stay text."""
    from maskwright.decode.numpy_runtime import NumpyRuntime

    default = NumpyRuntime(str(smollm2))
    for text in [*TEXTS, "", " ", "naïve 日本語 😀 <|im_end|> <|endoftext|>"]:
        assert runtime.encode(text) == default.encode(text)
    end = runtime.vocabulary.special_names["<|im_end|>"]
    for is_open in (False, True):
        ids = runtime.chat(TALK, continue_final=is_open)
        assert ids == default.chat(TALK, continue_final=is_open)
        assert ids.count(end) == len(TALK) - is_open
    long = [{"role": "user", "content": "word " * 3000}]
    assert runtime.chat(long) == default.chat(long)
    with pytest.raises(ModelError, match="at the most"):
        runtime.chat([{"role": "user", "content": " " * 256 * runtime.vocabulary.longest}])
    assert (runtime.tool_format, runtime.thinking, runtime.opening) == ("hermes", None, ())
    assert len(runtime.vocabulary) == runtime.width


def test_sessions_of_llamacpp_run_out(smollm2: Path) -> None:
    """As many as were asked for; closing one frees it. A full pool is told, and what was there is unharmed."""
    pytest.importorskip("llama_cpp")
    runtime = load(str(smollm2), engine="llamacpp", context=64, sessions=6)
    sessions: list[Session] = [runtime.open() for _ in range(6)]
    with pytest.raises(ModelError, match="all 6 sessions"):
        runtime.open()
    with pytest.raises(ModelError, match="all 6 sessions"):
        sessions[0].fork()
    prompt = runtime.encode(TEXTS[0])
    runtime.forward([Step(sessions[0], prompt)])
    with pytest.raises(ModelError, match="pool"):
        runtime.forward([Step(session, [5] * 57) for session in sessions])
    assert sessions[0].length == len(prompt)
    again = runtime.forward([Step(sessions[0], [9])])[0]
    for session in sessions:
        session.close()
    np.testing.assert_allclose(again, fresh(runtime, [*prompt, 9]), atol=APART["llamacpp"])
    runtime.close()
    with pytest.raises(ModelError, match="closed"):
        runtime.open()


def test_a_file_that_llamacpp_cannot_read_is_a_typed_error(tmp_path: Path) -> None:
    """Damaged weights do not crash the process."""
    pytest.importorskip("llama_cpp")
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError):
        load(str(path), engine="llamacpp")
