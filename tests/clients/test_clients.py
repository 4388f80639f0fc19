"""The real clients, in their newest releases, over real sockets to a real server with a real model.

Each program of ``programs/`` uses a client as a person would, and prints what it saw; what it should have seen is said
here, by the documentation of the client or by the schema that it sent.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from tests.clients.environments import interpreter

PROGRAMS: Final = Path(__file__).parent / "programs"
#: What the programs ask for: `City` is written as pydantic writes it, `DESCRIBED` as they send it.
CITY: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "population": {"type": "integer", "minimum": 1, "maximum": 100_000_000},
    },
    "required": ["name", "population"],
    "additionalProperties": False,
}
DESCRIBED: Final = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "population": {"type": "integer", "minimum": 1}},
    "required": ["city", "population"],
    "additionalProperties": False,
}
CONTINENTS: Final = ("Africa", "America", "Asia", "Europe")

Seen = dict[str, Any]


@pytest.fixture(scope="module")
def seen(server: str, keyed_server: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Seen]:
    """What a program of an environment printed; each runs once, whichever worker asks first."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def run(program: str, environment: str) -> Seen:
        kept = folder / f"{program}.json"
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                command = [str(interpreter(environment)), str(PROGRAMS / program), server, keyed_server]
                ended = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
                assert ended.returncode == 0, ended.stderr[-4_000:]
                kept.write_text(ended.stdout.splitlines()[-1])
        report: Seen = json.loads(kept.read_text())
        return report

    return run


def check(value: Any, schema: Any) -> None:
    jsonschema.validate(value, schema)


def test_openai_answers_are_typed_and_valid(seen: Callable[[str, str], Seen]) -> None:
    here = seen("openai_client.py", "together")
    assert "smollm2" in here["models"]
    check(here["chat"]["value"], DESCRIBED)
    assert here["chat"]["finish"] == "stop"
    assert here["chat"]["usage"]
    assert here["chat"]["fingerprint"]
    assert set(here["chat"]["time_info"]) >= {"queue_time", "prompt_time", "completion_time", "total_time", "created"}
    assert here["parsed"]["continent"] in CONTINENTS
    assert here["helper"]["parsed"]["continent"] in CONTINENTS
    assert {"chunk", "content.delta", "content.done"} <= set(here["helper"]["kinds"])
    for value in here["async"]:
        check(value, DESCRIBED)
    check(here["async_stream"], DESCRIBED)


def test_openai_streams_end_with_their_usage(seen: Callable[[str, str], Seen]) -> None:
    stream = seen("openai_client.py", "together")["stream"]
    check(stream["value"], DESCRIBED)
    assert stream["usage"]
    assert stream["role"] == "assistant"


def test_openai_tools(seen: Callable[[str, str], Seen]) -> None:
    here = seen("openai_client.py", "together")
    tools = here["tools"]
    assert (tools["finish"], tools["content"], tools["name"], tools["id"]) == ("tool_calls", None, "describe", True)
    check(tools["arguments"], DESCRIBED)
    assert here["tool_answer"]["calls"] is None
    assert here["tool_stream"]["name"] == "City"
    assert here["tool_stream"]["parsed"]["continent"] in CONTINENTS


def test_openai_scores_and_legacy_completions(seen: Callable[[str, str], Seen]) -> None:
    here = seen("openai_client.py", "together")
    assert here["logprobs"]["choices"] == 2
    assert set(here["logprobs"]["top"]) == {3}
    assert here["logprobs"]["bytes"]
    assert here["legacy"] == {"index": [0, 1], "echo": [True, True], "offsets": 0, "first": None}
    assert isinstance(here["grammar_root"], dict)
    assert here["legacy_stream"]


@pytest.mark.parametrize(
    ("case", "name", "status"),
    [
        ("model", "NotFoundError", 404),
        ("schema", "BadRequestError", 400),
        ("field", "BadRequestError", 400),
        ("suffix", "BadRequestError", 400),
        ("fits", "BadRequestError", 400),
        ("key", "AuthenticationError", 401),
        ("no_server", "APIConnectionError", None),
    ],
)
def test_openai_errors(case: str, name: str, status: int | None, seen: Callable[[str, str], Seen]) -> None:
    error = seen("openai_client.py", "together")["errors"][case]
    assert (error["class"], error["status_code"]) == (name, status)


def test_openai_errors_name_the_field(seen: Callable[[str, str], Seen]) -> None:
    errors = seen("openai_client.py", "together")["errors"]
    assert errors["model"]["code"] == "model_not_found"
    assert errors["field"]["param"] == "temperature"
    assert errors["suffix"]["param"] == "suffix"
    assert "response_format" in errors["schema"]["param"]
    assert "strin" in errors["schema"]["message"]


def test_cerebras_answers(seen: Callable[[str, str], Seen]) -> None:
    here = seen("cerebras_client.py", "together")
    assert here["model"] == "smollm2"
    assert here["chat"]["is_whole"]
    assert here["chat"]["total_time"]
    assert here["chat"]["cached"]
    check(here["chat"]["value"], DESCRIBED)
    assert here["stream"]["classes"] == [True]
    check(here["stream"]["value"], DESCRIBED)
    for value in [*here["async"], here["async_stream"]]:
        check(value, DESCRIBED)


def test_cerebras_tools(seen: Callable[[str, str], Seen]) -> None:
    here = seen("cerebras_client.py", "together")
    assert here["tools"]["count"] == 1
    check(here["tools"]["arguments"], DESCRIBED)
    assert here["tool_stream"]["types"] == ["function"]
    assert len(here["tool_stream"]["arguments"]) == 1
    check(here["tool_stream"]["arguments"][0], DESCRIBED)


def test_cerebras_completions(seen: Callable[[str, str], Seen]) -> None:
    here = seen("cerebras_client.py", "together")
    completion = here["completion"]
    assert completion["offset"] == len("It was a dark and stormy night")
    assert completion["tokens"]
    assert all(completion["top"])
    assert all(completion["chosen"])
    assert isinstance(here["grammar_root"], list)
    assert here["raw"] == {"text": None, "tokens": 4}
    assert here["logit_bias"]
    assert here["completion_stream"]
    assert here["prediction"] == {"same": True, "counted": True}


@pytest.mark.parametrize(
    ("case", "name", "status"),
    [
        ("model", "NotFoundError", 404),
        ("schema", "BadRequestError", 400),
        ("root", "BadRequestError", 400),
        ("key", "AuthenticationError", 401),
    ],
)
def test_cerebras_errors(case: str, name: str, status: int, seen: Callable[[str, str], Seen]) -> None:
    error = seen("cerebras_client.py", "together")["errors"][case]
    assert (error["class"], error["status_code"]) == (name, status)
    assert {"message", "type", "param", "code"} <= set(error["body"])


@pytest.mark.parametrize("way", ["openai", "cerebras"])
def test_litellm(way: str, seen: Callable[[str, str], Seen]) -> None:
    here = seen("litellm_client.py", "together")[way]
    check(here["value"], CITY)
    check(here["stream"], CITY)
    assert here["finish"] == "stop"
    assert here["usage"]
    assert set(here["tool"]) == {"city"}
    for arguments in here["arguments"]:
        check(arguments, CITY | {"additionalProperties": True})


def test_litellm_more(seen: Callable[[str, str], Seen]) -> None:
    here = seen("litellm_client.py", "together")
    check(here["async"], CITY)
    check(here["async_stream"], CITY)
    assert here["text"]
    assert [here["errors"][case]["class"] for case in ("model", "schema", "key")] == [
        "NotFoundError",
        "BadRequestError",
        "AuthenticationError",
    ]


def test_langchain(seen: Callable[[str, str], Seen]) -> None:
    here = seen("langchain_client.py", "together")
    values = [here["json_schema"], here["function_calling"], here["stream"], here["async_stream"]]
    for value in [*values, *here["tools"], *here["async"]]:
        check(value, CITY)
    assert here["tools"]
    assert here["json_mode"]
    assert here["usage"]
    assert here["logprobs"] == 4
    assert here["legacy"]
    assert here["legacy_stream"]
    assert isinstance(here["grammar_root"], dict)
    assert here["key"] == 401


def test_pydantic_ai(seen: Callable[[str, str], Seen]) -> None:
    here = seen("pydantic_ai_client.py", "together")
    for name in ("tool", "native"):
        assert here[name].pop("requests") == 1, "an answer was asked for again"
        check(here[name], CITY)
    for value in [here["stream"], here["native_stream"], here["sync"], *here["async"]]:
        check(value, CITY)
    assert here["key"] == 401
    assert here["prompted"].get("class", "UnexpectedModelBehavior") == "UnexpectedModelBehavior"


@pytest.mark.parametrize("mode", ["TOOLS", "TOOLS_STRICT", "JSON_SCHEMA"])
def test_instructor(mode: str, seen: Callable[[str, str], Seen]) -> None:
    here = seen("instructor_client.py", "apart")
    finish = here[mode].pop("finish")
    check(here[mode], CITY)
    check(here[mode + "_partial"], CITY)
    assert finish == ("stop" if mode == "JSON_SCHEMA" else "tool_calls")


def test_instructor_more(seen: Callable[[str, str], Seen]) -> None:
    here = seen("instructor_client.py", "apart")
    check(here["async"], CITY)
    assert "401" in here["key"]["message"]
