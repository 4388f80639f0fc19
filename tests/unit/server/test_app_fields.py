# ruff: noqa: ARG005  (every check is called with the same values)
"""Every field of both endpoints, one case each: what it does to the jobs of the engine and to the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from maskwright.server.jobs import Job
from maskwright.wire.tables import CHAT_FIELDS, COMPLETION_FIELDS
from tests.unit.server.asking import events, make, post
from tests.unit.server.fakes import BYTES, END, FakeEngine, FakeRuntime

SCHEMA: Final = {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": False}
FORMAT: Final = {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}
TOOL: Final = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
THINKS: Final = ("<think>", "</think>")


@dataclass
class Case:
    """A body, what the engine writes, and what must come of it."""

    body: dict[str, Any]
    check: Callable[[list[Job], dict[str, Any], FakeEngine], bool]
    writes: tuple[Any, ...] = ("Hello",)
    runtime: FakeRuntime = field(default_factory=FakeRuntime)


def _text(answer: dict[str, Any], index: int = 0) -> Any:
    choice = answer["choices"][index]
    return choice["message"]["content"] if "message" in choice else choice["text"]


def _job(name: str, value: Any) -> Callable[[list[Job], dict[str, Any], FakeEngine], bool]:
    return lambda jobs, answer, engine: getattr(jobs[0], name) == value


def _writes(text: str) -> Callable[[list[Job], dict[str, Any], FakeEngine], bool]:
    """What the engine writes under the guide is the text, blanks aside."""
    return lambda jobs, answer, engine: str(_text(answer)).replace(" ", "") == text and jobs[0].guide is not None


_ONE: Final = '{"a":1}'
#: Fields that both endpoints have.
BOTH: Final[dict[str, Case]] = {
    "model": Case({"model": "m"}, lambda jobs, answer, engine: answer["model"] == "m"),
    "max_tokens": Case(
        {"max_tokens": 3},
        lambda jobs, answer, engine: _text(answer) == "Hel" and answer["choices"][0]["finish_reason"] == "length",
    ),
    "min_tokens": Case({"min_tokens": -1}, _job("min_tokens", FakeRuntime.context)),
    "temperature": Case({"temperature": 0.25}, _job("temperature", 0.25)),
    "top_p": Case({"top_p": 0.5}, _job("top_p", 0.5)),
    "seed": Case({"seed": 7, "n": 3}, lambda jobs, answer, engine: [job.seed for job in jobs] == [7, 8, 9]),
    "stop": Case(
        {"stop": ["ll", "zz"]},
        lambda jobs, answer, engine: jobs[0].stop == (b"ll", b"zz") and _text(answer) == "He",
    ),
    "frequency_penalty": Case({"frequency_penalty": 1.5}, _job("frequency_penalty", 1.5)),
    "presence_penalty": Case({"presence_penalty": -2}, _job("presence_penalty", -2.0)),
    "logit_bias": Case({"logit_bias": {"65": -100, "66": 1.5}}, _job("logit_bias", {65: -100.0, 66: 1.5})),
    "n": Case(
        {"n": 3},
        lambda jobs, answer, engine: (
            [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
            and [_text(answer, index) for index in range(3)] == ["one", "two", "three"]
            and answer["usage"]["prompt_tokens"] == len(jobs[0].prompt)
            and answer["usage"]["completion_tokens"] == 4 + 4 + 6
        ),
        writes=("one", "two", "three"),
    ),
    "stream": Case({"stream": False}, lambda jobs, answer, engine: _text(answer) == "Hello"),
    "stream_options": Case(
        {"stream_options": {"include_usage": True}, "stream": True},
        lambda jobs, answer, engine: (
            answer["chunks"][-1]["choices"] == []
            and answer["chunks"][-1]["usage"]["completion_tokens"] == 6
            and "time_info" in answer["chunks"][-1]
            and not any("usage" in chunk for chunk in answer["chunks"][:-1])
        ),
    ),
    "return_token_ids": Case(
        {"return_token_ids": True},
        lambda jobs, answer, engine: (
            answer["choices"][0]["token_ids"] == list(b"Hello")
            and answer.get("prompt_token_ids", answer["choices"][0].get("prompt_token_ids")) == list(jobs[0].prompt)
        ),
    ),
    "response_format": Case({"response_format": FORMAT}, _writes(_ONE)),
    "grammar_root": Case({"grammar_root": "array"}, _writes("[]")),
    "structured_outputs": Case({"structured_outputs": {"choice": ["yes"]}}, _writes("yes")),
    "grammar": Case({"grammar": 'root ::= "yes"'}, _writes("yes")),
    "json_schema": Case({"json_schema": SCHEMA}, _writes(_ONE)),
    "regex": Case({"regex": "[7]{3}"}, _writes("777")),
    "ebnf": Case({"ebnf": 'root ::= "yes"'}, _writes("yes")),
}

COMPLETIONS: Final[dict[str, Case]] = {
    **BOTH,
    "prompt": Case(
        {"prompt": ["ab", "c"], "n": 2},
        lambda jobs, answer, engine: (
            [job.prompt for job in jobs] == [(97, 98), (97, 98), (99,), (99,)]
            and [_text(answer, index) for index in range(4)] == ["w", "x", "y", "z"]
            and [choice["index"] for choice in answer["choices"]] == [0, 1, 2, 3]
            and answer["usage"]["prompt_tokens"] == 3
            and answer["usage"]["prompt_tokens_details"]["cached_tokens"] == 2
        ),
        writes=("w", "x", "y", "z"),
    ),
    "reasoning_format": Case(
        {"reasoning_format": "raw"},
        lambda jobs, answer, engine: _text(answer) == "Hello",
        runtime=FakeRuntime(thinking=THINKS),
    ),
    "logprobs": Case(
        {"prompt": "äb", "logprobs": 2},
        lambda jobs, answer, engine: (
            answer["choices"][0]["logprobs"]
            == {
                "tokens": ["H", "i"],
                "token_logprobs": [-0.72, -1.05],
                "top_logprobs": [{"I": -1.5, "J": -2.5, "H": -0.72}, {"j": -1.5, "k": -2.5, "i": -1.05}],
                "text_offset": [2, 3],
            }
        ),
        writes=("Hi",),
    ),
    "echo": Case(
        {"prompt": "äb", "echo": True, "logprobs": 0, "max_tokens": 1},
        lambda jobs, answer, engine: (
            _text(answer) == "äbH"
            and jobs[0].echo_logprobs
            and answer["choices"][0]["logprobs"]
            == {
                "tokens": ["bytes:\\xc3", "bytes:\\xa4", "b", "H"],
                "token_logprobs": [None, -1.64, -0.98, -0.72],
                "top_logprobs": None,
                "text_offset": [0, 0, 1, 2],
            }
        ),
    ),
    # The fake finds a token the likelier, the lower its id.
    "best_of": Case(
        {"best_of": 4, "n": 2},
        lambda jobs, answer, engine: (
            len(jobs) == 4
            and [_text(answer, index) for index in range(2)] == ["AAAA", "BB"]
            and [choice["index"] for choice in answer["choices"]] == [0, 1]
            and answer["choices"][0]["logprobs"] is None
            and answer["usage"]["completion_tokens"] == 5 + 3 + 2 + 3
        ),
        writes=("z", "BB", "AAAA", "yy"),
    ),
    "return_raw_tokens": Case(
        {"return_raw_tokens": True},
        lambda jobs, answer, engine: (
            _text(answer) is None
            and answer["choices"][0]["tokens"] == list(b"Hello")
            and END not in answer["choices"][0]["tokens"]
        ),
    ),
}

CHAT: Final[dict[str, Case]] = {
    **BOTH,
    "messages": Case(
        {
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": [{"type": "text", "text": "u"}]},
            ]
        },
        lambda jobs, answer, engine: (
            [(one["role"], one["content"]) for one in engine.runtime.chats[0]["messages"]]
            == [("system", "s"), ("user", "u")]
        ),
    ),
    "max_completion_tokens": Case({"max_completion_tokens": 2}, lambda jobs, answer, engine: _text(answer) == "He"),
    "min_completion_tokens": Case({"min_completion_tokens": 9}, _job("min_tokens", 9)),
    "logprobs": Case(
        {"logprobs": True},
        lambda jobs, answer, engine: (
            answer["choices"][0]["logprobs"]
            == {"content": [{"token": "i", "logprob": -1.05, "bytes": [105], "top_logprobs": []}], "refusal": None}
        ),
        writes=("i",),
    ),
    "top_logprobs": Case(
        {"logprobs": True, "top_logprobs": 2},
        lambda jobs, answer, engine: (
            [(one["token"], one["bytes"]) for one in answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]]
            == [("j", [106]), ("k", [107])]
        ),
        writes=("i",),
    ),
    "tools": Case(
        {"tools": [TOOL], "tool_choice": "required"},
        lambda jobs, answer, engine: (
            answer["choices"][0]["finish_reason"] == "tool_calls"
            and answer["choices"][0]["message"]["content"] is None
            and json.loads(answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]) == {"a": 1}
            and answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "f"
            and answer["choices"][0]["message"]["tool_calls"][0]["type"] == "function"
            and answer["choices"][0]["message"]["tool_calls"][0]["id"].startswith("call_")
            and engine.runtime.chats[0]["tools"][0]["function"]["name"] == "f"
        ),
    ),
    "tool_choice": Case(
        {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        lambda jobs, answer, engine: not jobs[0].guide.matches("text") and jobs[0].guide is not None,  # type: ignore[union-attr]
    ),
    "parallel_tool_calls": Case(
        {"tools": [TOOL], "tool_choice": "required", "parallel_tool_calls": False},
        lambda jobs, answer, engine: not jobs[0].guide.matches("\n".join([_CALL] * 2)) and jobs[0].guide.matches(_CALL),  # type: ignore[union-attr]
    ),
    "reasoning_format": Case(
        {"reasoning_format": "raw"},
        lambda jobs, answer, engine: str(_text(answer)).replace("<think>", "", 1) == "hm</think>Hi",
        writes=([*b"hm", 259, *b"Hi"],),
        runtime=FakeRuntime(thinking=THINKS),
    ),
    "reasoning_effort": Case(
        {"reasoning_effort": "none"},
        lambda jobs, answer, engine: (
            engine.runtime.chats[0]["thinking"] is False and "reasoning" not in answer["choices"][0]["message"]
        ),
        runtime=FakeRuntime(thinking=THINKS),
    ),
    "disable_reasoning": Case(
        {"disable_reasoning": True},
        lambda jobs, answer, engine: engine.runtime.chats[0]["thinking"] is False,
        runtime=FakeRuntime(thinking=THINKS),
    ),
    "clear_thinking": Case(
        {
            "clear_thinking": True,
            "messages": [
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b", "reasoning": "c"},
                {"role": "user", "content": "d"},
            ],
        },
        lambda jobs, answer, engine: "reasoning_content" not in engine.runtime.chats[0]["messages"][1],
    ),
    "chat_template_kwargs": Case(
        {"chat_template_kwargs": {"enable_thinking": True}},
        lambda jobs, answer, engine: engine.runtime.chats[0]["thinking"] is True,
        writes=([*b"hm", 259, *b"Hi"],),
        runtime=FakeRuntime(thinking=THINKS),
    ),
    "prediction": Case(
        {"prediction": {"type": "content", "content": "Hello"}},
        lambda jobs, answer, engine: (
            jobs[0].prediction == tuple(b"Hello")
            and answer["usage"]["completion_tokens_details"]["accepted_prediction_tokens"] == 2
            and answer["usage"]["completion_tokens_details"]["rejected_prediction_tokens"] == 3
        ),
    ),
    "continue_final_message": Case(
        {
            "continue_final_message": True,
            "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
        },
        lambda jobs, answer, engine: engine.runtime.chats[0]["continue"] is True and _text(answer) == "Hello",
    ),
    "add_generation_prompt": Case(
        {
            "add_generation_prompt": False,
            "continue_final_message": True,
            "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
        },
        lambda jobs, answer, engine: engine.runtime.chats[0]["continue"] is True,
    ),
}
_CALL: Final = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
ENDPOINTS: Final[dict[str, Any]] = {
    "completions": (COMPLETION_FIELDS, COMPLETIONS, {"prompt": "ab"}),
    "chat/completions": (CHAT_FIELDS, CHAT, {"messages": [{"role": "user", "content": "ab"}]}),
}
HONOURED: Final = [(path, name) for path, (_, cases, _) in ENDPOINTS.items() for name in cases]
OTHERS: Final = [
    pytest.param(path, one, id=f"{path}-{one.name}")
    for path, (table, _, _) in ENDPOINTS.items()
    for one in table
    if one.effect != "honoured"
]


@pytest.mark.parametrize("path", ENDPOINTS)
def test_each_field_has_a_case(path: str) -> None:
    """A field that the table says is honoured has a case here; a new one fails until it has."""
    table, cases, _ = ENDPOINTS[path]
    assert {one.name for one in table if one.effect == "honoured"} == set(cases)


@pytest.mark.parametrize(("path", "name"), HONOURED)
def test_field(path: str, name: str) -> None:
    """The field does what the table says."""
    _, cases, least = ENDPOINTS[path]
    case: Case = cases[name]
    case.runtime.chats.clear()
    engine = FakeEngine(*case.writes, runtime=case.runtime)
    response = post(make(engine), path, {**least, **case.body})
    assert response.status_code == 200, response.text
    answer = {"chunks": events(response)} if case.body.get("stream") else response.json()
    assert case.check(engine.jobs, answer, engine), answer


@pytest.mark.parametrize(("path", "name"), HONOURED)
def test_null_is_absence(path: str, name: str) -> None:
    """Clients write null for what they do not mean; the engine is asked for the same."""
    _, _, least = ENDPOINTS[path]
    if name in {"model", "messages", "prompt"}:
        return
    engine = FakeEngine()
    assert post(make(engine), path, {**least, name: None}).status_code == 200
    assert post(make(engine), path, least).status_code == 200
    first, second = engine.jobs
    assert (first.prompt, first.temperature, first.stop) == (second.prompt, second.temperature, second.stop)


@pytest.mark.parametrize(("path", "one"), OTHERS)
def test_other_fields(path: str, one: Any) -> None:
    """What has no effect is taken; what would be lost is refused, but for values that ask for nothing."""
    _, _, least = ENDPOINTS[path]
    app = make()
    if one.effect == "ignored":
        response = post(app, path, {**least, one.name: "default" if one.name == "service_tier" else "x"})
        assert response.status_code == 200
        assert response.json()["choices"]
        return
    response = post(app, path, {**least, one.name: "something"})
    assert response.status_code == 400
    assert response.json()["error"]["param"] == one.name
    for value in (None, *one.neutral):
        assert post(app, path, {**least, one.name: value}).status_code == 200


@pytest.mark.parametrize(("compat", "status"), [("lenient", 200), ("openai", 400), ("cerebras", 422)])
@pytest.mark.parametrize("path", ENDPOINTS)
def test_unknown_fields(path: str, compat: str, status: int) -> None:
    """Each API treats a field that it does not know in its own way."""
    response = post(make(compat=compat), path, {**ENDPOINTS[path][2], "no_such_field": 1})
    assert response.status_code == status
    if status == 200:
        assert response.headers["x-maskwright-ignored"] == "no_such_field"


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("stream", [False, True])
def test_what_every_answer_has(path: str, stream: bool) -> None:
    """The clients of Cerebras misread chunks that lack one of these."""
    response = post(make(), path, {**ENDPOINTS[path][2], "stream": stream})
    for told in events(response) if stream else [response.json()]:
        assert told["system_fingerprint"] == "fp_fake"
        assert isinstance(told["created"], int)
        assert told["id"]
        assert told["model"] == "m"
    assert response.headers["x-request-id"].startswith("req_")
    if not stream:
        times = response.json()["time_info"]
        assert set(times) == {"queue_time", "prompt_time", "completion_time", "total_time", "created"}
        assert all(value >= 0 for value in times.values())


CRIPPLED: Final[dict[str, tuple[dict[str, Any], Callable[[Job, dict[str, Any]], bool]]]] = {
    "constraints": ({"response_format": FORMAT}, lambda job, choice: job.guide is None),
    "logit_bias": ({"logit_bias": {"65": 100}}, lambda job, choice: not job.logit_bias),
    "logprobs": ({"logprobs": 3}, lambda job, choice: choice["logprobs"] is None),
}


@pytest.mark.parametrize("part", CRIPPLED)
def test_parts_that_are_left_out(part: str) -> None:
    """A server that is crippled on purpose drops them silently, as others do."""
    body, check = CRIPPLED[part]
    engine = FakeEngine()
    response = post(make(engine, without=frozenset({part})), "completions", {"prompt": "a", **body})
    assert response.status_code == 200
    assert check(engine.jobs[0], response.json()["choices"][0])


@pytest.mark.parametrize(
    "name", ["response_format", "structured_outputs", "grammar", "json_schema", "regex", "grammar_root"]
)
def test_constraints_that_are_refused(name: str) -> None:
    """Without native constraints the fields are refused, as models do that lack them."""
    body = {"prompt": "a", **COMPLETIONS[name].body}
    response = post(make(without=frozenset({"native"})), "completions", body)
    assert response.status_code == 400
    assert name in response.json()["error"]["param"]
    assert post(make(without=frozenset({"native"})), "completions", {"prompt": "a"}).status_code == 200


def test_the_vocabulary_of_the_fakes() -> None:
    """Bytes are their own ids, which the cases rely on."""
    assert BYTES.tokens[65] == b"A"
