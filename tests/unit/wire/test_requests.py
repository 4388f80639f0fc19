"""What fields demand of each other, and what becomes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.wire.asking import chat, completion, refusal
from tests.unit.wire.values import FORMAT, OTHER, SCHEMA, TOOL

CONTINUED = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


CALL: dict[str, Any] = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER: dict[str, Any] = {"role": "user", "content": "a"}
PART: dict[str, Any] = {"type": "text", "text": "a"}
CHOICE: dict[str, Any] = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("fields", "ignored"),
    [
        ({"messages": [USER, {**USER, "foo": 1}]}, ["messages[1].foo"]),
        ({"messages": [{**USER, "foo": None, "name": "b"}]}, []),
        ({"messages": [{**USER, "tool_call_id": "1"}]}, ["messages[0].tool_call_id"]),
        ({"messages": [{**USER, "prefix": True, "a": 1}]}, ["messages[0].prefix", "messages[0].a"]),
        ({"messages": [{**USER, "content": [PART, {**PART, "cache": {}}]}]}, ["messages[0].content[1].cache"]),
        # What answers of APIs hold, and is sent back with them, is known.
        ({"messages": [USER, {"role": "assistant", "content": "a", "refusal": "no", "annotations": []}, USER]}, []),
        ({"messages": [USER, {"role": "assistant", "tool_calls": [{**CALL, "index": 0}]}]}, []),
        ({"messages": [{"role": "assistant", "tool_calls": [{**CALL, "x": 1}]}]}, ["messages[0].tool_calls[0].x"]),
        (
            {"messages": [USER, {"role": "assistant", "tool_calls": [{**CALL, "function": {"name": "f", "y": 1}}]}]},
            ["messages[1].tool_calls[0].function.y"],
        ),
        ({"tools": [{**TOOL, "cache_control": {"type": "x"}}]}, ["tools[0].cache_control"]),
        ({"tools": [TOOL["function"]]}, []),
        ({"tools": [TOOL], "tool_choice": {**CHOICE, "why": 1}}, ["tool_choice.why"]),
        ({"prediction": {"type": "content", "content": "a", "k": 1}}, ["prediction.k"]),
        ({"prediction": {"type": "content", "content": [{**PART, "z": 0}]}}, ["prediction.content[0].z"]),
        ({"messages": [{**USER, "foo": 1}] * 50}, [f"messages[{i}].foo" for i in range(20)]),
    ],
)  # fmt: skip
def test_members_that_nobody_reads(fields: dict[str, Any], ignored: list[str]) -> None:
    """They are listed with their paths as fields are, or refused in the words of an API; null of one says nothing."""
    fields = json.loads(json.dumps(fields).replace('"name": "f"', f'"name": "{TOOL["function"]["name"]}"'))
    assert list(chat(**fields).ignored) == ignored
    answered = fields.get("messages", [USER])[-1]["role"] != "assistant" or "tool_calls" not in fields["messages"][-1]
    for compat, status in (("openai", 400), ("cerebras", 422)):
        told = refusal("chat", compat, **fields)
        if not ignored:
            assert told is None or not answered, str(told)
            continue
        assert told is not None
        assert (told.param, told.status) == (ignored[0], status)
        assert ignored[0].rpartition(".")[2] in told.message


@pytest.mark.parametrize("name", ["bad name!", "", "x" * 65, 1])
def test_names_of_tools_say_what_a_name_is(name: Any) -> None:
    told = refusal("chat", tools=[{"type": "function", "function": {"name": name}}])
    assert told is not None
    assert told.param == "tools[0].function.name"
    assert "1 to 64 of letters, digits, underscores and hyphens" in told.message


@pytest.mark.parametrize("value", ["5", -2, 1.5, True, []])
@pytest.mark.parametrize(("endpoint", "field"), [("completions", "max_tokens"), ("chat", "max_completion_tokens")])
def test_limits_that_are_none_say_all_that_is_one(endpoint: str, field: str, value: Any) -> None:
    told = refusal(endpoint, **{field: value})
    assert told is not None
    assert "or -1 for no limit" in told.message


@pytest.mark.parametrize(
    ("endpoint", "fields", "param"),
    [
        ("completions", {"echo": True, "return_raw_tokens": True}, "echo"),
        ("completions", {"n": 3, "best_of": 2}, "best_of"),
        ("completions", {"best_of": 2, "stream": True}, "best_of"),
        ("completions", {"max_tokens": 3, "min_tokens": 4}, "min_tokens"),
        ("completions", {"response_format": {"type": "json_object"}, "grammar_root": "value"}, "grammar_root"),
        ("completions", {"grammar": "a", "json_schema": {}}, "json_schema"),
        ("completions", {"structured_outputs": {"regex": "a"}, "regex": "a"}, "regex"),
        ("chat", {"response_format": FORMAT, "structured_outputs": {"regex": "a"}}, "structured_outputs.regex"),
        ("chat", {"max_tokens": 3, "max_completion_tokens": 4}, "max_tokens"),
        ("chat", {"max_tokens": 3, "max_completion_tokens": -1}, None),
        ("chat", {"max_tokens": 3, "max_completion_tokens": 3}, None),
        ("chat", {"min_tokens": 3, "min_completion_tokens": 4}, "min_tokens"),
        ("chat", {"max_tokens": 3, "min_completion_tokens": 4}, "min_completion_tokens"),
        ("chat", {"top_logprobs": 3}, "top_logprobs"),
        ("chat", {"top_logprobs": 3, "logprobs": False}, "top_logprobs"),
        ("chat", {"top_logprobs": 0, "logprobs": False}, None),
        ("chat", {"tool_choice": "required"}, "tool_choice"),
        ("chat", {"tool_choice": "required", "tools": []}, "tool_choice"),
        ("chat", {"tool_choice": "auto"}, None),
        ("chat", {"parallel_tool_calls": False}, None),
        ("chat", {"continue_final_message": True}, "continue_final_message"),
        ("chat", {"messages": CONTINUED, "continue_final_message": True, "add_generation_prompt": True}, "add_"),
        ("chat", {"messages": CONTINUED, "continue_final_message": True, "add_generation_prompt": False}, None),
        ("chat", {"add_generation_prompt": False}, "add_generation_prompt"),
        ("chat", {"messages": [{"role": "assistant", "content": "", "prefix": True}, CONTINUED[0]]}, None),
        ("chat", {"tools": [TOOL], "response_format": FORMAT}, None),
        ("chat", {"tools": [TOOL], "response_format": FORMAT, "tool_choice": "none"}, None),
        ("chat", {"tools": [TOOL], "response_format": {"type": "text"}}, None),
        ("chat", {"tools": [TOOL], "regex": "a"}, "regex"),
        ("chat", {"tools": [TOOL], "regex": "a", "tool_choice": "none"}, None),
    ],
)
def test_fields_that_do_not_go_together(endpoint: str, fields: dict[str, Any], param: str | None) -> None:
    """The later of two is at fault; no param: they do."""
    told = refusal(endpoint, **fields)
    if param is None:
        assert told is None, str(told)
    else:
        assert told is not None
        assert told.param is not None
        assert told.param.startswith(param)
        assert told.status == 400


@pytest.mark.parametrize(
    ("fields", "compats"),
    [
        ({"tool_choice": "auto"}, ("cerebras", "openai")),
        ({"tools": [TOOL], "response_format": FORMAT}, ("cerebras",)),
        (
            {"tools": [{"type": "function", "function": {"name": "s", "strict": True}}, OTHER]},
            ("cerebras",),
        ),
        ({"tools": [{"type": "function", "function": {"name": "s", "strict": False}}, OTHER]}, ()),
        ({"logit_bias": {str(i): 1 for i in range(101)}}, ("cerebras",)),
        ({"logit_bias": {str(i): 1 for i in range(301)}}, ("cerebras", "openai")),
    ],
)
def test_what_only_an_api_refuses(fields: dict[str, Any], compats: tuple[str, ...]) -> None:
    """The rules of API version 2 of Cerebras, and of OpenAI; nobody is stricter where it is not asked for."""
    for compat in ("lenient", "cerebras", "openai"):
        told = refusal("chat", compat, **fields)
        assert (told is not None) == (compat in compats), (compat, str(told))


def _call(*ids: str) -> dict[str, Any]:
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _tool(name: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": "x"}


USER = {"role": "user", "content": "a"}


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        ([USER, _call("1"), _tool("1")], None),
        ([USER, _call("1", "2"), _tool("2"), _tool("1"), USER], None),
        ([USER, _call("1"), _tool("1"), _call("2"), _tool("2")], None),
        ([USER, _call("1")], "messages[1].tool_calls"),
        ([USER, _call("1"), USER], "messages[1].tool_calls"),
        ([USER, _call("1", "2"), _tool("1"), USER, _tool("2")], "messages[1].tool_calls"),
        ([USER, _call("1"), USER, _tool("1")], "messages[1].tool_calls"),
        ([USER, _call("1"), _tool("1"), _tool("1")], "messages[3].tool_call_id"),
        ([USER, _tool("1")], "messages[1].tool_call_id"),
        ([USER, _call("1"), _tool("2")], "messages[2].tool_call_id"),
        ([USER, _call("1", "1"), _tool("1")], "messages[1].tool_calls[1].id"),
        ([USER, _call("1"), _tool("1"), _call("1"), _tool("1")], "messages[3].tool_calls[0].id"),
    ],
)
def test_calls_have_results(messages: list[dict[str, Any]], param: str | None) -> None:
    """Each call is answered right behind it, ids are used once (Cerebras, version 2): 422 there, 400 for OpenAI."""
    assert refusal("chat", messages=messages) is None
    for compat, status in (("cerebras", 422), ("openai", 400)):
        told = refusal("chat", compat, messages=messages)
        assert (told and (told.param, told.status)) == (param and (param, status))


def test_the_example_of_the_reference() -> None:
    """The request that Cerebras' OpenAPI document shows is taken as it is, under every compat."""
    body = {
        "max_completion_tokens": -1,
        "messages": [
            {"content": "You are a helpful assistant.", "role": "system"},
            {"content": "What is Generative AI?", "role": "user"},
        ],
        "min_tokens": 1000,
        "model": "llama3.1-8b",
        "seed": 0,
        "stop_sequence": None,
        "stream": False,
        "temperature": 0,
        "top_p": 1,
    }
    for compat in ("lenient", "cerebras", "openai"):
        made = chat(compat, **body)
        assert (made.max_tokens, made.min_tokens, made.seed, made.temperature) == (None, 1000, 0, 0.0)
        assert [message.role for message in made.messages] == ["system", "user"]


def test_what_langchain_sends() -> None:
    """Neutral values of everything; its older class sends prompts as a list, and nulls."""
    made = completion(
        prompt=["a"],
        frequency_penalty=0,
        presence_penalty=0,
        n=1,
        logprobs=None,
        seed=None,
        max_tokens=256,
        top_p=1,
        temperature=0.7,
        logit_bias=None,
        best_of=1,
        suffix=None,
        user=None,
        stop=None,
        stream_options=None,
    )
    assert (made.prompts, made.max_tokens, made.best_of, made.logprobs) == (("a",), 256, 1, None)


def test_defaults() -> None:
    """What a request means that says nothing."""
    made = completion()
    assert (made.prompts, made.max_tokens, made.min_tokens, made.n, made.best_of) == (("",), None, 0, 1, 1)
    assert (made.temperature, made.top_p, made.seed, made.stop, dict(made.logit_bias)) == (1.0, 1.0, None, (), {})
    assert (made.logprobs, made.stream, made.include_usage, made.asked, made.ignored) == (None, False, False, None, ())
    asked = chat()
    assert (asked.tools, asked.tool_choice, asked.parallel_tool_calls, asked.thinks) == ((), "auto", True, None)
    assert (asked.prediction, asked.continue_final, asked.response_format) == (None, False, None)


@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"max_tokens": -1}, "max_tokens", None),
        ({"max_tokens": 0}, "max_tokens", 0),
        ({"min_tokens": -1}, "min_tokens", -1),
        ({"min_tokens": -1, "max_tokens": 7}, "min_tokens", 7),
        ({"n": 3}, "best_of", 3),
        ({"n": 2, "best_of": 5}, "best_of", 5),
        ({"n": 2, "best_of": 2, "stream": True}, "best_of", 2),
        ({"prompt": [1, 2]}, "prompts", ((1, 2),)),
        ({"prompt": [[1], [2]]}, "prompts", ((1,), (2,))),
        ({"prompt": ["a", ""]}, "prompts", ("a", "")),
        ({"stop": "a"}, "stop", ("a",)),
        ({"stop": ["a", "b", "a"]}, "stop", ("a", "b")),
        ({"logit_bias": {"5": -100}}, "logit_bias", {5: -100.0}),
        ({"logprobs": 0}, "logprobs", 0),
        ({"stream": True, "stream_options": {"include_usage": True}}, "include_usage", True),
        ({"user": "u"}, "user", "u"),
        ({"prompt_cache_key": "k"}, "prompt_cache_key", "k"),
    ],
)
def test_what_becomes_of_fields_of_completions(fields: dict[str, Any], name: str, value: object) -> None:
    """Other spellings of a value are made one."""
    assert getattr(completion(**fields), name) == value


@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"max_completion_tokens": 5}, "max_tokens", 5),
        ({"max_tokens": 5}, "max_tokens", 5),
        ({"min_completion_tokens": 5}, "min_tokens", 5),
        ({"logprobs": True}, "logprobs", 0),
        ({"logprobs": True, "top_logprobs": 5}, "logprobs", 5),
        ({"reasoning_effort": "none"}, "thinks", False),
        ({"reasoning_effort": "low"}, "thinks", True),
        ({"disable_reasoning": True}, "thinks", False),
        ({"disable_reasoning": False}, "thinks", None),
        ({"disable_reasoning": True, "reasoning_effort": "high"}, "thinks", False),
        ({"chat_template_kwargs": {"enable_thinking": False}}, "thinks", False),
        ({"chat_template_kwargs": {"enable_thinking": True}}, "thinks", True),
        (
            {"prediction": {"type": "content", "content": [{"type": "text", "text": t} for t in "ab"]}},
            "prediction",
            "ab",
        ),
        ({"messages": CONTINUED}, "continue_final", True),
        ({"messages": CONTINUED, "continue_final_message": False}, "continue_final", False),
        ({"messages": CONTINUED, "add_generation_prompt": True}, "continue_final", False),
        ({"messages": [USER, {**CONTINUED[1], "prefix": False}]}, "continue_final", False),
        ({"messages": [USER, _call("1")]}, "continue_final", False),
        ({"response_format": {"type": "text"}}, "response_format", None),
        ({"tools": [{"name": "f", "type": "function"}]}, "tools", ({"type": "function", "function": {"name": "f"}},)),
    ],
)
def test_what_becomes_of_fields_of_chats(fields: dict[str, Any], name: str, value: object) -> None:
    """Other spellings of a value are made one."""
    assert getattr(chat(**fields), name) == value


def test_messages_as_templates_take_them() -> None:
    """Parts are joined, calls keep their texts, ``developer`` is ``system``, nothing is null."""
    made = chat(
        messages=[
            {"role": "developer", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "assistant", "content": "c", "reasoning": "r", "tool_calls": []},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "f", "arguments": ""}},
                    {"id": "2", "function": {"name": "g", "arguments": {"a": 1}}},
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "d"},
        ]
    )
    calls = [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "2", "type": "function", "function": {"name": "g", "arguments": '{"a": 1}'}},
    ]
    assert [message.plain() for message in made.messages] == [
        {"role": "system", "content": "ab"},
        {"role": "assistant", "content": "c", "reasoning_content": "r"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "d", "tool_call_id": "1"},
    ]


@pytest.mark.parametrize(
    ("fields", "kind", "param"),
    [
        ({"response_format": FORMAT}, "response_format", "response_format"),
        ({"grammar_root": "value"}, "grammar_root", "grammar_root"),
        ({"structured_outputs": {"regex": "a"}}, "regex", "structured_outputs.regex"),
        ({"structured_outputs": {"choice": ["a"]}}, "choice", "structured_outputs.choice"),
        ({"grammar": 'root ::= "a"'}, "gbnf", "grammar"),
        ({"json_schema": SCHEMA}, "json", "json_schema"),
        ({"regex": "a"}, "regex", "regex"),
        ({"ebnf": 'root ::= "a"'}, "ebnf", "ebnf"),
        ({"grammar": ""}, None, None),
        ({"response_format": {"type": "text"}}, None, None),
    ],
)
def test_the_one_constraint(fields: dict[str, Any], kind: str | None, param: str | None) -> None:
    """Wherever a constraint stands, the request says which one it is."""
    for made in (chat(**fields), completion(**fields)):
        assert (made.asked and (made.asked.kind, made.asked.param)) == (kind and (kind, param))


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        (
            {"messages": [USER, {"role": "user", "content": [{"type": "text", "text": 1}]}]},
            "messages[1].content[0].text",
        ),
        ({"messages": [USER, {"role": "user", "content": [{"type": "image_url"}]}]}, "messages[1].content[0].type"),
        ({"messages": [USER, {"role": "user"}]}, "messages[1].content"),
        (
            {"messages": [_call("1") | {"tool_calls": [{"id": "1", "function": {"name": 1}}]}]},
            "messages[0].tool_calls[0].function.name",
        ),
        ({"tools": [TOOL, {"type": "function", "function": {"name": "a b"}}]}, "tools[1].function.name"),
        ({"tools": [TOOL, TOOL]}, "tools[1]"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "x"}}}]},
            "tools[0].function.parameters#/type",
        ),
        ({"stop": ["a", ""]}, "stop[1]"),
        ({"logit_bias": {"5": 101}}, "logit_bias.5"),
        ({"structured_outputs": {"regex": 1}}, "structured_outputs.regex"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
            "response_format.json_schema.name",
        ),
        ({"prediction": {"type": "content"}}, "prediction.content"),
        ({"chat_template_kwargs": {"x": 1}}, "chat_template_kwargs.x"),
    ],
)
def test_the_place_is_exact(fields: dict[str, Any], param: str) -> None:
    """``param`` leads to the very member at fault."""
    told = refusal("chat", **fields)
    assert told is not None
    assert told.param == param
