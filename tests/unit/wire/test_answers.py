"""Answers have the shapes that the references show; the OpenAPI document describes them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from maskwright.errors import (
    GrammarError,
    LimitError,
    MaskwrightError,
    ModelError,
    PolicyError,
    Problem,
    RequestError,
    SchemaError,
    TokenError,
)
from maskwright.wire.answers import (
    Scored,
    chat_choice,
    chat_chunk,
    chat_chunk_choice,
    chat_completion,
    chat_delta,
    chat_logprobs,
    chat_message,
    completion,
    completion_choice,
    completion_logprobs,
    model_card,
    model_list,
    time_info,
    tool_call,
    tool_delta,
    usage,
)
from maskwright.wire.faults import fault_body, fault_event, fault_of
from maskwright.wire.openapi import openapi

USAGE = usage(prompt_tokens=8, completion_tokens=6, cached_tokens=2, reasoning_tokens=1)
TIMES = time_info(queue_time=0.1, prompt_time=0.2, completion_time=0.3, total_time=0.7, created=1769297019.26)
HEAD: dict[str, Any] = {"id": "i", "created": 1769297019, "model": "m", "system_fingerprint": "fp"}
TOKENS = [
    Scored(b" and", -3.25, ((b".", -1.0), (b",", -1.5))),
    Scored(b" there", -0.5, ((b" there", -0.5), (b" I", -2.0))),
]


def meets(name: str, answer: Any) -> list[str]:
    """What is wrong with an answer by the description of the interface."""
    document = openapi()
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    return [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(json.dumps(answer)))]


def test_a_completion_of_the_reference() -> None:
    """The answer that Cerebras' page shows, member by member."""
    logprobs = completion_logprobs(TOKENS, offset=30, top=2)
    made = completion(
        **HEAD,
        choices=[completion_choice(0, text=" and there", finish_reason="length", logprobs=logprobs)],
        usage=USAGE,
        time_info=TIMES,
    )
    assert made == {
        "id": "i",
        "object": "text_completion",
        "created": 1769297019,
        "model": "m",
        "system_fingerprint": "fp",
        "choices": [
            {
                "index": 0,
                "finish_reason": "length",
                "logprobs": {
                    "text_offset": [30, 34],
                    "token_logprobs": [-3.25, -0.5],
                    "tokens": [" and", " there"],
                    "top_logprobs": [{".": -1.0, ",": -1.5, " and": -3.25}, {" there": -0.5, " I": -2.0}],
                },
                "text": " and there",
                "tokens": None,
            }
        ],
        "usage": {
            "prompt_tokens": 8,
            "completion_tokens": 6,
            "total_tokens": 14,
            "prompt_tokens_details": {"cached_tokens": 2},
            "completion_tokens_details": {
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
                "reasoning_tokens": 1,
            },
        },
        "time_info": TIMES,
    }
    assert meets("Completion", made) == []


def test_a_chat_completion() -> None:
    """Content or calls, never both null; what there is none of is left out, but for what clients' types demand."""
    calls = [tool_call("c1", "f", '{"a": 1}')]
    made = chat_completion(
        **HEAD,
        choices=[
            chat_choice(
                0,
                message=chat_message(content="a", reasoning="r"),
                finish_reason="stop",
                logprobs=chat_logprobs(TOKENS),
            ),
            chat_choice(1, message=chat_message(content=None, tool_calls=calls), finish_reason="tool_calls"),
        ],
        usage=USAGE,
        time_info=TIMES,
        service_tier="default",
    )
    first, second = made["choices"]
    assert (made["object"], made["service_tier"]) == ("chat.completion", "default")
    assert first["message"] == {"role": "assistant", "content": "a", "refusal": None, "reasoning": "r"}
    assert second["message"] == {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}
    assert (second["logprobs"], second["finish_reason"]) == (None, "tool_calls")
    assert first["logprobs"]["content"][0] == {
        "token": " and",
        "logprob": -3.25,
        "bytes": [32, 97, 110, 100],
        "top_logprobs": [
            {"token": ".", "logprob": -1.0, "bytes": [46]},
            {"token": ",", "logprob": -1.5, "bytes": [44]},
        ],
    }
    assert meets("ChatCompletion", made) == []


def test_chunks() -> None:
    """A fingerprint in each, null reasons in between; the last has only the usage; deltas hold what is new."""
    made = chat_chunk(**HEAD, choices=[chat_chunk_choice(0, delta=chat_delta(role="assistant", content=""))])
    assert made == {
        **HEAD,
        "object": "chat.completion.chunk",
        "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None, "logprobs": None}
        ],
        "service_tier": None,
    }
    assert chat_delta() == {}
    assert tool_delta(0, id="c", name="f", arguments="") == {
        "index": 0,
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": ""},
    }
    assert tool_delta(1, arguments="{") == {"index": 1, "type": "function", "function": {"arguments": "{"}}
    last = chat_chunk(**HEAD, choices=[], usage=USAGE, time_info=TIMES)
    assert (last["choices"], last["usage"], last["time_info"]) == ([], USAGE, TIMES)
    piece = completion(**HEAD, choices=[completion_choice(0, text="a")])
    assert (piece["object"], piece["choices"][0]["finish_reason"]) == ("text_completion", None)
    assert "usage" not in piece


def test_ids() -> None:
    """Raw tokens stand where the text would; ids beside it where they were asked for."""
    raw = completion_choice(0, text=None, tokens=(1, 2))
    assert (raw["text"], raw["tokens"]) == (None, [1, 2])
    assert "token_ids" not in raw
    both = completion_choice(0, text="a", token_ids=(1,), prompt_token_ids=[2])
    assert (both["tokens"], both["token_ids"], both["prompt_token_ids"]) == (None, [1], [2])
    assert chat_choice(0, message={}, finish_reason="stop", token_ids=[1])["token_ids"] == [1]
    made = chat_completion(**HEAD, choices=[], usage=USAGE, time_info=TIMES, prompt_token_ids=[3])
    assert made["prompt_token_ids"] == [3]


def test_logprobs_of_an_echo() -> None:
    """The first token of a prompt follows nothing: null in both lists. Without a number of others there is no list."""
    tokens = [Scored(b"a", None), Scored(b"b", -1.0, ((b"c", -0.5),))]
    made = completion_logprobs(tokens, offset=0, top=1)
    assert made["token_logprobs"] == [None, -1.0]
    assert made["top_logprobs"] == [None, {"c": -0.5, "b": -1.0}]
    assert completion_logprobs(tokens, offset=0, top=0)["top_logprobs"] is None


def test_tokens_that_split_a_character() -> None:
    """Distinct in the older form, exact bytes in the newer one, and never broken UTF-8."""
    emoji = "😀".encode()
    tokens = [
        Scored(b"a" + emoji[:1], -1.0),
        Scored(emoji[1:3], -1.0),
        Scored(emoji[3:] + b"b", -1.0),
        Scored(b"c", 0.0),
    ]
    made = completion_logprobs(tokens, offset=5, top=3)
    assert made["tokens"] == ["bytes:\\x61\\xf0", "bytes:\\x9f\\x98", "bytes:\\x80\\x62", "c"]
    assert made["text_offset"] == [5, 6, 6, 8]
    newer = chat_logprobs(tokens)
    assert b"".join(bytes(one["bytes"]) for one in newer["content"]) == b"a" + emoji + b"bc"
    json.dumps(newer).encode()


def test_numbers_that_json_lacks() -> None:
    """A probability of nothing is -9999, as OpenAI writes it."""
    tokens = [Scored(b"a", float("-inf"), ((b"b", float("-inf")),))]
    assert completion_logprobs(tokens, offset=0, top=1)["token_logprobs"] == [-9999.0]
    assert chat_logprobs(tokens)["content"][0]["top_logprobs"][0]["logprob"] == -9999.0


@given(st.lists(st.binary(max_size=4), max_size=8), st.integers(0, 20))
def test_any_bytes_have_logprobs(datas: list[bytes], top: int) -> None:
    """Whatever tokens are: as many entries as tokens, offsets that do not fall, texts that UTF-8 carries."""
    tokens = [Scored(data, -1.0, ((data, -1.0), (b"\xff", -2.0))) for data in datas]
    made = completion_logprobs(tokens, offset=3, top=top)
    assert [len(made[name]) for name in ("tokens", "token_logprobs", "text_offset")] == [len(datas)] * 3
    assert made["text_offset"] == sorted(made["text_offset"])
    json.dumps([made, chat_logprobs(tokens)], ensure_ascii=False).encode()


def test_models() -> None:
    """The list and its members."""
    card = model_card("m", created=1, context=2)
    assert card == {"id": "m", "object": "model", "created": 1, "owned_by": "maskwright", "context": 2}
    assert model_list([card]) == {"object": "list", "data": [card]}
    assert meets("ModelList", model_list([card])) == []


@pytest.mark.parametrize("compat", ["lenient", "cerebras", "openai"])
def test_faults(compat: str) -> None:
    """Flat for Cerebras, nested for the others; in a stream nested with the status beside it."""
    error = RequestError("m", param="p", code="c", status=422)
    told = {"message": "m", "type": "invalid_request_error", "param": "p", "code": "c"}
    assert fault_body(error, compat) == (told if compat == "cerebras" else {"error": told})
    assert meets("Fault", fault_body(error, compat)) == []
    assert fault_event(error, "i") == {"error": {**told, "id": "i"}, "status_code": 422}


@pytest.mark.parametrize(
    ("error", "status", "param", "code", "said"),
    [
        (
            SchemaError(Problem("wrong", place="#/a", remedy="mend")),
            400,
            "p#/a",
            "invalid_json_schema",
            "p#/a: wrong (mend)",
        ),
        (SchemaError(Problem("one", place="#"), "two"), 400, "p", "invalid_json_schema", "p: one\np: two"),
        (SchemaError(Problem("wrong", place="p.b#/c")), 400, "p.b#/c", "invalid_json_schema", "p.b#/c: wrong"),
        (GrammarError(Problem("wrong", place="3:7")), 400, "p", "invalid_grammar", "p at 3:7: wrong"),
        (GrammarError(Problem("wrong", place="p.b3:7")), 400, "p.b", "invalid_grammar", "p.b at 3:7: wrong"),
        (SchemaError(), 400, "p", "invalid_json_schema", "p: "),
        (PolicyError("wrong"), 400, "p", "invalid_value", "p: wrong"),
        (ModelError("wrong"), 500, None, "internal_error", "ModelError"),
        (TokenError("wrong"), 500, None, "internal_error", "TokenError"),
        (RequestError("m", status=418), 418, None, None, "m"),
    ],
)
def test_our_errors_as_faults(error: Any, status: int, param: str | None, code: str | None, said: str) -> None:
    """What a client did is 400 with a place, what we did is 500."""
    made = fault_of(error, param="p")
    assert (made.status, made.param, made.code) == (status, param, code)
    assert said in made.message


def test_a_thousand_problems() -> None:
    """A message has an end."""
    made = fault_of(SchemaError(*(Problem("wrong" * 10, place=f"#/{i}") for i in range(1000))), param="p")
    assert len(made.message) < 2_100


@pytest.mark.parametrize("error", [LimitError(Problem("too much", remedy="ask for less")), PolicyError("too much")])
def test_an_error_of_no_field(error: MaskwrightError) -> None:
    """What no field is to blame for begins with its reason."""
    made = fault_of(error, param="")
    assert made.param is None
    assert str(made).startswith("too much")
