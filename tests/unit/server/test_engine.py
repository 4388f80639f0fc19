from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import RequestError
from maskwright.guide import Guide
from maskwright.server.jobs import Job
from tests.unit.server.scripted import VOCABULARY, Outcome, ScriptedRuntime, expected, run, write

OBJECT = {
    "type": "object",
    "properties": {"a": {"enum": ["x", "abc"]}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
GUIDES: dict[str, Guide | None] = {
    "free": None,
    "object": mw.compile(mw.json_schema(OBJECT), VOCABULARY),
    "const": mw.compile(mw.regex("abcabc: 12345"), VOCABULARY),
    "number": mw.compile(mw.regex("-?[0-9]+"), VOCABULARY),
    "words": mw.compile(mw.regex("(ab|abc|b é|12345 )+"), VOCABULARY),
    "letters": mw.compile(mw.regex("[a-c]{0,30}"), VOCABULARY),
    "named": mw.compile(mw.lark('start: "ab" <|call|> /[0-9]+/ "x"'), VOCABULARY),
}
#: Tokens that a random free output is likely to hold, since few exist: every stop text is one character or two.
STOPS = [b"a", b"12", b"bc", b"}", b"\n", b"ab ", b"5 ", b"cab", b"\xa9"]
IDS = st.integers(4, len(VOCABULARY) - 1)


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    guide = draw(st.sampled_from(list(GUIDES.values())))
    logprobs = draw(st.sampled_from([None, None, 0, 3]))
    prompt = draw(st.lists(st.sampled_from([4, 40, 70]), min_size=1, max_size=30))
    return Job(
        prompt=tuple(prompt),
        guide=guide,
        max_tokens=draw(st.integers(20, 40)) if guide else draw(st.integers(0, 25) | st.none()),
        min_tokens=draw(st.sampled_from([0, 0, 3, 10])),
        temperature=draw(st.sampled_from([0.0, 0.7, 1.5])),
        top_p=draw(st.sampled_from([0.0, 0.5, 1.0])),
        seed=draw(st.integers(-5, 5)),
        frequency_penalty=draw(st.sampled_from([0.0, 0.0, 1.5])),
        presence_penalty=draw(st.sampled_from([0.0, 0.0, -1.5])),
        logit_bias=draw(st.dictionaries(IDS, st.sampled_from([-100.0, 2.5, 8.0]), max_size=3)),
        stop=tuple(draw(st.lists(st.sampled_from(STOPS), max_size=2))),
        logprobs=logprobs,
        echo_logprobs=draw(st.booleans()),
        prediction=tuple(draw(st.lists(IDS, max_size=20))),
        observe=draw(st.sampled_from([0, 0, 2])),
    )


def same(got: Outcome, wanted: Outcome) -> None:
    """Equal but for the last bits of logarithms, and for what a prediction cost."""
    assert got.error is None
    assert got.finish is not None
    assert wanted.finish is not None
    assert [(t.id, t.data, t.forced) for t in got.tokens] == [(t.id, t.data, t.forced) for t in wanted.tokens]
    assert replace(got.finish, accepted_prediction_tokens=0, rejected_prediction_tokens=0) == wanted.finish
    for one, other in zip(got.tokens, wanted.tokens, strict=True):
        assert one.logprob == pytest.approx(other.logprob, abs=1e-4)
        assert [i for i, _ in one.top] == [i for i, _ in other.top]
        assert [x for _, x in one.top] == pytest.approx([x for _, x in other.top], abs=1e-4)


def guessed(runtime: ScriptedRuntime, job: Job) -> Job:
    """A job of even seed with a prediction that is its output, changed in three places."""
    if job.seed is None or job.seed % 2:
        return job
    ids = expected(runtime, job).ids
    for place in (12, 8, 5):
        ids[place : place + place % 3] = [20]
    return replace(job, prediction=tuple(ids))


@given(
    st.lists(st.lists(jobs(), min_size=1, max_size=3), min_size=1, max_size=6),
    st.sampled_from([1, 3, 8]),
    st.sampled_from([4, 16, 128]),
    st.sampled_from([0, 2, 8]),
    st.booleans(),
    st.sampled_from([None, 1, 3]),
)
def test_a_job_is_written_as_if_it_were_alone(
    requests: list[list[Job]], batch: int, chunk: int, kept: int, forgets: bool, sessions: int | None
) -> None:
    """Whatever else runs, however prompts are cut, cached and predicted: a job equals the slow writer's output."""
    runtime = ScriptedRuntime(ends=2.0, forgets=forgets, sessions=sessions)
    requests = [[guessed(runtime, job) for job in request] for request in requests]
    outcomes = run(runtime, *requests, batch=batch, chunk=chunk, cache_sessions=kept)
    for request, several in zip(requests, outcomes, strict=True):
        for job, outcome in zip(request, several, strict=True):
            same(outcome, expected(runtime, job))
            assert outcome.prompted is not None
            assert outcome.prompted.prompt_tokens == len(job.prompt)
            is_echoed = job.echo_logprobs and job.logprobs is not None
            assert len(outcome.prompted.scores) == (len(job.prompt) if is_echoed else 0)


def test_equal_jobs_of_a_seed_are_equal_and_of_several_seeds_are_not() -> None:
    job = Job(prompt=(40, 41), max_tokens=30, seed=3)
    outcomes = run(ScriptedRuntime(), [job] * 3 + [replace(job, seed=4)])[0]
    assert outcomes[0].ids == outcomes[1].ids == outcomes[2].ids != outcomes[3].ids


def test_choices_of_one_prompt_are_read_once() -> None:
    """The first reads the prompt; the others read its last token again, which their first choice needs."""
    runtime = ScriptedRuntime()
    jobs = [Job(prompt=tuple(range(4, 104)), max_tokens=1, seed=seed) for seed in range(5)]
    outcomes = run(runtime, jobs)[0]
    assert [outcome.prompted and outcome.prompted.cached_tokens for outcome in outcomes] == [0, 99, 99, 99, 99]
    assert sum(read for steps in runtime.passes for read, _ in steps) == 100 + 4


def test_a_prompt_that_begins_alike_is_not_read_again() -> None:
    runtime = ScriptedRuntime()
    first, second = tuple(range(4, 64)), (*range(4, 54), *range(10, 40))
    outcomes = run(runtime, [Job(prompt=first, max_tokens=2)], [Job(prompt=second, max_tokens=2)], batch=1)
    assert [outcome[0].prompted and outcome[0].prompted.cached_tokens for outcome in outcomes] == [0, 50]


def test_long_prompts_do_not_stall_who_writes() -> None:
    """While one sequence writes, no pass reads more than ``chunk`` tokens of prompts, and each writes a token of it."""
    runtime = ScriptedRuntime(scores=None)
    short = Job(prompt=(5,), max_tokens=60, min_tokens=60, seed=0)
    long = Job(prompt=tuple(4 + place % 90 for place in range(110)), max_tokens=1)
    run(runtime, [short], [long], chunk=16)
    busy = [sum(read for read, _ in steps) for steps in runtime.passes if len(steps) > 1]
    assert len(busy) >= 7
    assert max(busy) <= 17


@pytest.mark.parametrize(
    ("name", "job", "reason", "data"),
    [
        ("const needs no pass", Job(prompt=(4,), guide=GUIDES["const"], temperature=0), "stop", b"abcabc: 12345"),
        ("named tokens by name", Job(prompt=(4,), guide=GUIDES["named"], temperature=0), "stop", b"ab<|call|>"),
        ("nothing to write", Job(prompt=(4,), max_tokens=0), "length", b""),
        ("a stop text in forced text", Job(prompt=(4,), guide=GUIDES["const"], stop=(b"ca",)), "stop", b"ab"),
    ],
)
def test_forced_text_and_ends(name: str, job: Job, reason: str, data: bytes) -> None:
    outcome = write(job)
    assert outcome.finish is not None
    assert (outcome.finish.reason, outcome.data[: len(data)]) == (reason, data)


def test_forced_text_needs_no_pass() -> None:
    runtime = ScriptedRuntime()
    run(runtime, [Job(prompt=(4,), guide=GUIDES["const"])])
    assert runtime.passes == []


def test_forced_text_is_scored_in_one_pass() -> None:
    runtime = ScriptedRuntime()
    outcome = run(runtime, [Job(prompt=(4, 5), guide=GUIDES["const"], logprobs=1)])[0][0]
    assert len(runtime.passes) == 1
    assert all(token.logprob is not None for token in outcome.tokens)


def test_where_the_output_may_end_and_the_model_leaves_the_language_it_ends() -> None:
    """Wire.md 2.2: a number goes on as long as the model wants digits most, and no longer."""
    digit, letter = VOCABULARY.tokens.index(b"7"), VOCABULARY.tokens.index(b"q")

    def scores(ids: tuple[int, ...]) -> Any:
        row = np.zeros(ScriptedRuntime.width, np.float32)
        row[digit if len(ids) < 6 else letter] = 9
        return row

    runtime = ScriptedRuntime(scores=scores)
    outcome = run(runtime, [Job(prompt=(4, 5), guide=GUIDES["number"], temperature=0)])[0][0]
    assert (outcome.data, outcome.finish and outcome.finish.reason) == (b"7777", "stop")


@pytest.mark.parametrize(
    ("pattern", "likes", "most", "reason", "is_early", "data"),
    [
        # Free text that more could follow is cut off, in a language of its own as well.
        ("[a-c]*", b"a", 4, "length", True, b"aaaa"),
        # As many as the constraint allows: nothing was kept from the model.
        ("[a-c]{0,4}", b"a", 4, "stop", False, b"aaaa"),
        ("[a-c]{0,4}", b"a", 9, "stop", False, b"aaaa"),
        # Closed in time: complete, and the tokens left were what closed it.
        ('"[a-c]*"', b"a", 4, "stop", True, b'"aa"'),
        # Forced by the tokens that are left alone, without a choice.
        ("x[a-c]*yz", b"a", 3, "stop", True, b"xyz"),
        # What the model wants never was allowed: not the fault of the tokens.
        ('"a{2}"', b"q", 4, "stop", False, b'"aa"'),
    ],
)
def test_who_closed_an_output(pattern: str, likes: bytes, most: int, reason: str, is_early: bool, data: bytes) -> None:
    """`length`: more could follow. `closed_early`: `max_tokens` took a choice from the model that the guide left."""
    row = np.zeros(ScriptedRuntime.width, np.float32)
    row[VOCABULARY.tokens.index(likes)] = 9
    guide = mw.compile(mw.regex(pattern), VOCABULARY)
    job = Job(prompt=(4, 5), guide=guide, temperature=0, max_tokens=most)
    outcome = run(ScriptedRuntime(scores=lambda _: row.copy()), [job])[0][0]
    assert outcome.finish is not None
    assert (outcome.data, outcome.finish.reason, outcome.finish.closed_early) == (data, reason, is_early)


def test_outputs_are_closed_within_max_tokens() -> None:
    for most in range(12, 30):
        outcome = write(Job(prompt=(4,), guide=GUIDES["object"], max_tokens=most, seed=most))
        assert outcome.finish is not None
        assert outcome.finish.reason == "stop"
        assert outcome.finish.completion_tokens <= most
        assert GUIDES["object"].matches(outcome.data)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("job", "param"),
    [
        (Job(prompt=()), "prompt"),
        (Job(prompt=(4,) * 120), "prompt"),
        (Job(prompt=(4, ScriptedRuntime.width)), "prompt"),
        (Job(prompt=(-1,)), "prompt"),
        (Job(prompt=(4,), logit_bias={1 << 40: 1.0}), "logit_bias"),
        (Job(prompt=(4,), guide=GUIDES["const"], max_tokens=2), "max_tokens"),
        (Job(prompt=(4,) * 118, guide=GUIDES["const"]), "prompt"),
        (Job(prompt=(4,), stop=(b"",)), "stop"),
        (Job(prompt=(4,), max_tokens=-1), "max_tokens"),
        (Job(prompt=(4,), min_tokens=-1), "min_tokens"),
    ],
)
def test_what_cannot_be_written_is_refused_before_it_waits(job: Job, param: str) -> None:
    with pytest.raises(RequestError) as refused:
        write(job)
    assert (refused.value.status, refused.value.param) == (400, param)
    assert refused.value.code


def test_ids_that_are_none_are_told_with_their_place() -> None:
    far, last = 987_654, ScriptedRuntime.width - 1
    for job, words in (
        (Job(prompt=(4, 5, far, far)), ("token 2 ", str(far), f"0 to {last}")),
        (Job(prompt=(4,), logit_bias={5: 1.0, far: 1.0}), (str(far), f"0 to {last}")),
    ):
        with pytest.raises(RequestError) as refused:
            write(job)
        assert refused.value.code == "invalid_value"
        assert all(word in refused.value.message for word in words)


def test_predictions_save_passes_and_change_nothing() -> None:
    """An output predicted in full is read in a few passes; both counts add up to what was proposed."""
    job = Job(prompt=(9, 8, 7), max_tokens=60, min_tokens=60, seed=1)
    plain, predicted = ScriptedRuntime(), ScriptedRuntime()
    text = run(plain, [job])[0][0]
    known = [token for token in text.ids if VOCABULARY.tokens[token]]
    guess = run(predicted, [replace(job, prediction=tuple(known))])[0][0]
    assert guess.ids == text.ids
    assert guess.finish is not None
    assert guess.finish.accepted_prediction_tokens > 40
    assert len(predicted.passes) * 3 < len(plain.passes)
    proposed = sum(read - 1 for steps in predicted.passes[1:] for read, _ in steps)
    first = predicted.passes[0][0][0] - len(job.prompt)
    counted = guess.finish.accepted_prediction_tokens + guess.finish.rejected_prediction_tokens
    assert counted == proposed + first


def test_every_candidate_is_shown_with_what_the_mask_says() -> None:
    outcome = write(Job(prompt=(4,), guide=GUIDES["object"], observe=5, seed=0))
    matcher = GUIDES["object"].matcher(max_tokens=119)  # type: ignore[union-attr]
    for token in outcome.tokens:
        assert token.observed is not None
        allowed = [i for i in range(len(VOCABULARY)) if matcher.allows(i)]
        assert token.observed.allowed_count == len(allowed)
        assert [c.allowed for c in token.observed.candidates] == [c.id in allowed for c in token.observed.candidates]
        shares = [candidate.probability for candidate in token.observed.candidates]
        assert shares == sorted(shares, reverse=True)
        matcher.advance(token.id)
