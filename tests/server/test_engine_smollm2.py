"""The engine before a real model: several sequences at once, against the loop that writes one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

import maskwright as mw
from maskwright.decode.local import LocalModel
from maskwright.decode.loop import generate
from maskwright.decode.runtime import Runtime
from maskwright.decode.runtimes import load
from maskwright.server.counts import EngineStats
from maskwright.server.engine import Engine
from maskwright.server.jobs import Job
from tests.registry import fetch
from tests.unit.server.scripted import Outcome, collect

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 8},
        "age": {"type": "integer"},
        "kind": {"enum": ["a", "b"]},
    },
    "required": ["name", "age", "kind"],
    "additionalProperties": False,
}
QUESTIONS = ["Who was Ada Lovelace?", "Name a colour.", "Count to five.", "What is the capital of France?"]


class Lasting:
    """A runtime that outlives the engines of several tests."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    def __getattr__(self, name: str) -> Any:
        return getattr(self.runtime, name)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def runtime() -> Lasting:
    return Lasting(load(str(fetch("smollm2.gguf"))))


@pytest.fixture(scope="module")
def guide(runtime: Lasting) -> mw.Guide:
    return mw.compile(mw.json_schema(SCHEMA, whitespace="compact"), runtime.vocabulary)


def run(runtime: Any, *requests: Sequence[Job], **settings: Any) -> tuple[list[list[Outcome]], EngineStats]:
    async def scene() -> tuple[list[list[Outcome]], EngineStats]:
        engine = Engine(runtime, **settings)
        engine.start()
        outcomes = await asyncio.gather(*[collect(engine.submit(jobs)) for jobs in requests])
        stats = engine.stats()
        await engine.close(0)
        return outcomes, stats

    return asyncio.run(asyncio.wait_for(scene(), 120))


def asked(runtime: Lasting, question: str, **settings: Any) -> Job:
    return Job(prompt=tuple(runtime.chat([{"role": "user", "content": question}])), temperature=0.0, **settings)


def test_four_at_once_write_what_each_writes_alone(runtime: Lasting) -> None:
    """Greedy. Their prompts begin alike, so most of each is read once; long ones are cut."""
    jobs = [asked(runtime, question, max_tokens=8) for question in QUESTIONS]
    together, stats = run(runtime, *[[job] for job in jobs], chunk=16)
    assert stats.cached_tokens > 3 * 16
    for job, outcome in zip(jobs, together, strict=True):
        alone, _ = run(runtime, [job], cache_sessions=0)
        assert outcome[0].ids == alone[0][0].ids


def test_a_constrained_answer_is_that_of_the_loop(runtime: Lasting, guide: mw.Guide) -> None:
    """Another writer, with a cache of its own and scores of allowed tokens only, writes the same."""
    model = LocalModel.from_gguf(fetch("smollm2.gguf"))
    prompt = asked(runtime, "Tell of Ada, 36, as JSON.").prompt
    wanted = generate(model, prompt, guide, max_tokens=40)
    outcomes, _ = run(runtime, [Job(prompt=prompt, guide=guide, temperature=0.0, max_tokens=40)])
    assert outcomes[0][0].ids == list(wanted.tokens)
    assert outcomes[0][0].data == wanted.data


def test_every_drawn_answer_meets_its_schema(runtime: Lasting, guide: mw.Guide) -> None:
    job = replace(asked(runtime, "Invent a person, as JSON.", guide=guide, max_tokens=40), temperature=1.2)
    outcomes, stats = run(runtime, [replace(job, seed=seed) for seed in range(4)])
    for outcome in outcomes[0]:
        jsonschema.validate(json.loads(outcome.data), SCHEMA)
    assert stats.forced_tokens > 0
    assert stats.seconds_masks < stats.seconds_model


def test_scores_of_an_echo_are_those_of_the_writing(runtime: Lasting) -> None:
    """Read in one pass or written one by one, a token is as likely."""
    job = asked(runtime, QUESTIONS[0], max_tokens=6, logprobs=2)
    written, _ = run(runtime, [job])
    first = written[0][0]
    echo = replace(job, prompt=(*job.prompt, *first.ids), max_tokens=0, echo_logprobs=True)
    read, _ = run(runtime, [echo])
    assert read[0][0].prompted is not None
    scores = read[0][0].prompted.scores
    assert scores[0].logprob is None
    for token, score in zip(first.tokens, scores[len(job.prompt) :], strict=True):
        assert score.logprob == pytest.approx(token.logprob, abs=2e-3)
        assert score.top[0][0] == token.top[0][0] == token.id


def test_a_prediction_saves_passes_and_changes_nothing(runtime: Lasting) -> None:
    job = asked(runtime, QUESTIONS[2], max_tokens=20)
    (plain, before), (predicted, after) = (
        run(runtime, [job]),
        run(runtime, [replace(job, prediction=tuple(run(runtime, [job])[0][0][0].ids))]),
    )
    assert predicted[0][0].ids == plain[0][0].ids
    assert predicted[0][0].finish is not None
    assert predicted[0][0].finish.accepted_prediction_tokens >= 10
    assert 3 * after.steps < 2 * before.steps
