"""Every field of both endpoints with values that it takes and values that it refuses.

Written from the vendors' pages and from ``shared/wire.md``, not from the tables that are tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

INF: Final = float("inf")
NAN: Final = float("nan")
TOOL: Final = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
OTHER: Final = {"type": "function", "function": {"name": "g"}}
NO_NUMBERS: Final = ("1", True, [1], {}, NAN, INF, -INF)
NO_INTEGERS: Final = (*NO_NUMBERS, 1.5)
NO_BOOLEANS: Final = (0, 1, "true", [], {})
NO_STRINGS: Final = (1, True, [], {})
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"a": {"type": "integer"}}}
FORMAT: Final[dict[str, Any]] = {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}


class Case(NamedTuple):
    """Values of one field, each with what beside it is needed for the request to have a meaning."""

    accepted: tuple[Any, ...]
    refused: tuple[Any, ...] = ()
    beside: Mapping[str, Any] = MappingProxyType({})
    #: What asks for something that is not offered: 400 under every compat.
    unsupported: tuple[Any, ...] = ()
    #: Answered by ``--compat cerebras`` as a field that it does not know.
    is_unknown_there: bool = False


def _part(kind: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": kind, kind: {"url": "x"}}]}]


BOTH: Final[dict[str, Case]] = {
    "model": Case(("m", "a/b:c"), (*NO_STRINGS, "")),
    "temperature": Case((0, 0.0, 1.5, 2), (*NO_NUMBERS, -0.1, 2.01, 10**400)),
    "top_p": Case((1, 0.1, 1e-9, 0), (*NO_NUMBERS, -0.1, -1, 1.01)),
    "seed": Case((0, -1, 7.0, 2**63 - 1, -(2**63)), (*NO_INTEGERS, 2**63)),
    "stop": Case(
        ("a", ["a"], ["a", "b", "c", "d"], [], ["a", "a"]),
        (1, True, {}, "", [""], ["a", "b", "c", "d", "e"], [1], [None], [["a"]]),
    ),
    "frequency_penalty": Case((0, -2, 2, 0.5), (*NO_NUMBERS, -2.1, 2.1)),
    "presence_penalty": Case((0, -2, 2, 0.5), (*NO_NUMBERS, -2.1, 2.1)),
    "logit_bias": Case(
        ({}, {"0": 100}, {"17": -100.0, "9": 0.5}, {str(i): 1 for i in range(100)}),
        (
            1,
            [],
            "x",
            {"a": 1},
            {"-1": 1},
            {"01": 1},
            {" 1": 1},
            {"1.0": 1},
            {"\u0661": 1},
            {"1": 100.5},
            {"1": "x"},
            {"1": None},
            {"1": True},
            {"1": NAN},
            {"99999999999": 1},
            {str(i): 1 for i in range(1025)},
        ),
    ),
    "n": Case((1, 2, 128, 1.0), (*NO_INTEGERS, 0, -1, 129)),
    "stream": Case((True, False), NO_BOOLEANS),
    "stream_options": Case(
        ({}, {"include_usage": True}, {"include_usage": None}, {"include_obfuscation": False}),
        (1, True, [], {"include_usage": 1}, {"more": True}),
    ),
    "reasoning_format": Case(("none", "parsed", "text_parsed", "raw", "hidden"), (*NO_STRINGS, "", "Parsed", "x")),
    "return_token_ids": Case((True, False), NO_BOOLEANS),
    "response_format": Case(
        (
            {"type": "text"},
            {"type": "text", "json_schema": None},
            {"type": "json_object"},
            FORMAT,
            {"type": "json_schema", "json_schema": {**FORMAT["json_schema"], "strict": True, "description": "d"}},
            {"type": "json_schema", "json_schema": {**FORMAT["json_schema"], "strict": None, "description": None}},
            {"type": "structural_tag", "format": {"type": "any_text"}},
            {"type": "regex", "pattern": "a+"},
            {"type": "grammar", "grammar": 'root ::= "a"'},
        ),
        (
            1,
            "json_object",
            [],
            {},
            {"type": "xml"},
            {"type": 1},
            {"type": None},
            {"type": "json_schema", "json_schema": {"schema": SCHEMA}},
            {"type": "json_schema", "json_schema": {"name": "n"}},
        ),
    ),
    "grammar_root": Case(("root", "value", "ws", "insidevalue"), (*NO_STRINGS, "", "Value", "json")),
    "structured_outputs": Case(
        (
            {"json": SCHEMA},
            {"json": "{}"},
            {"regex": "a+", "json": None},
            {"choice": ["a", "b"]},
            {"grammar": 'root ::= "a"'},
            {"json_object": True},
            {"json_object": False, "regex": "a"},
            {"structural_tag": {"type": "any_text"}},
            {"json": {}, "disable_any_whitespace": True, "disable_additional_properties": True},
        ),
        (
            1,
            [],
            {},
            {"json": None},
            {"json_object": False},
            {"json": {}, "regex": "a"},
            {"regex": 1},
            {"choice": []},
            {"choice": "a"},
            {"choice": [1]},
            {"json": 1},
            {"more": 1, "regex": "a"},
            {"regex": "a", "disable_any_whitespace": 1},
        ),
        unsupported=({"json": {}, "whitespace_pattern": " "},),
    ),
    "grammar": Case(('root ::= "a"', ""), NO_STRINGS),
    "json_schema": Case((SCHEMA, {}), (1, True, [], "{}")),
    "regex": Case(("a+", ""), NO_STRINGS),
    "ebnf": Case(('root ::= "a"', ""), NO_STRINGS),
    "guided_json": Case((), unsupported=({}, SCHEMA, "{}")),
    "guided_regex": Case((), unsupported=("a",)),
    "guided_choice": Case((), unsupported=(["a"], [])),
    "guided_grammar": Case((), unsupported=("a",)),
    "guided_json_object": Case((False,), unsupported=(True, 0)),
    "guided_whitespace_pattern": Case((), unsupported=(" ",)),
    "guided_decoding_backend": Case(("xgrammar",)),
    "user": Case(("", "somebody"), (1, True, [], {})),
    "safety_identifier": Case(("somebody",), is_unknown_there=True),
    "prompt_cache_key": Case(("", "k"), (1, True, [], {})),
    "prompt_cache_retention": Case(("24h",), is_unknown_there=True),
    "cache_prompt": Case((True, False)),
    "metadata": Case(({}, {"a": "b"}), is_unknown_there=True),
    "stop_sequence": Case((), unsupported=("a", [])),
    "extra_body": Case((), unsupported=({}, {"grammar_root": "value"})),
    "top_k": Case((0, -1, 0.0), unsupported=(1, 40, "0", False)),
    "min_p": Case((0, 0.0), unsupported=(0.1, False)),
    "typical_p": Case((1, 1.0), unsupported=(0.1, True)),
    "repetition_penalty": Case((1, 1.0), unsupported=(1.1, True)),
    "repeat_penalty": Case((1, 1.0), unsupported=(1.1,)),
    "length_penalty": Case((1, 1.0), unsupported=(0.5,)),
    "use_beam_search": Case((False,), unsupported=(True, 0)),
    "ignore_eos": Case((False,), unsupported=(True,)),
    "stop_token_ids": Case(([],), unsupported=([1],)),
    "include_stop_str_in_output": Case((False,), unsupported=(True,)),
    "bad_words": Case(([],), unsupported=(["a"],)),
    "allowed_token_ids": Case((), unsupported=([1], [])),
    "skip_special_tokens": Case((True,), unsupported=(False,)),
    "spaces_between_special_tokens": Case((True, False), unsupported=("x",)),
    "prompt_logprobs": Case((0,), unsupported=(1, False)),
    "truncate_prompt_tokens": Case((), unsupported=(1,)),
    "n_predict": Case((-1,), unsupported=(5,)),
    "n_probs": Case((0,), unsupported=(5,)),
}
_LENGTHS: Final = (*NO_INTEGERS, -2, 2**60)
COMPLETIONS: Final[dict[str, Case]] = {
    **BOTH,
    "prompt": Case(
        ("", "a", ["a"], ["", "b"], [1, 2], [[1], [2, 3]], [0], ["a"] * 128),
        (
            1,
            True,
            {},
            [],
            [[]],
            [[1], []],
            ["a", 1],
            [1, "a"],
            [[1], "a"],
            ["a", [1]],
            [True],
            [1, True],
            [-1],
            [[-1]],
            [1.5],
            [2**31],
            [None],
            [[["a"]]],
            [{}],
            ["a"] * 129,
        ),
    ),
    "max_tokens": Case((0, 1, -1, 100, 7.0), _LENGTHS),
    "min_tokens": Case((0, -1, 5), _LENGTHS),
    "logprobs": Case((0, 5, 20), (*NO_INTEGERS, -1, 21, False)),
    "echo": Case((True, False), NO_BOOLEANS),
    "best_of": Case((1, 5, 128), (*NO_INTEGERS, 0, 129)),
    "return_raw_tokens": Case((True, False), NO_BOOLEANS),
    "suffix": Case(("",), unsupported=("x", [])),
    "add_special_tokens": Case((True,), unsupported=(False,)),
}
CHAT: Final[dict[str, Case]] = {
    **BOTH,
    "messages": Case(
        (
            [{"role": "user", "content": "a"}],
            [{"role": "user", "content": ""}],
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
            [{"role": "system", "content": "a"}, {"role": "developer", "content": "b", "name": "n"}],
            [{"role": "user", "content": "a", "name": None, "more": None}],
            [{"role": "user", "content": "a"}, {"role": "assistant", "content": None}],
            [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "reasoning": "r"}],
            [
                {"role": "user", "content": "a"},
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": None,
                    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
                },
                {"role": "tool", "tool_call_id": "1", "content": "b"},
            ],
        ),
        (
            1,
            "a",
            {},
            [],
            ["a"],
            [{}],
            [{"role": "user"}],
            [{"content": "a"}],
            [{"role": "bot", "content": "a"}],
            [{"role": 1, "content": "a"}],
            [{"role": "user", "content": None}],
            [{"role": "user", "content": 1}],
            [{"role": "user", "content": []}],
            [{"role": "user", "content": ["a"]}],
            [{"role": "user", "content": [{"type": "text"}]}],
            [{"role": "user", "content": [{"text": "a"}]}],
            [{"role": "user", "content": [{"type": "text", "text": 1}]}],
            [{"role": "user", "content": "a", "name": 1}],
            [{"role": "user", "content": "a", "name": ""}],
            [{"role": "tool", "content": "a"}],
            [{"role": "tool", "content": "a", "tool_call_id": 1}],
            [{"role": "assistant", "content": "a", "tool_calls": {}}],
            [{"role": "assistant", "content": "a", "tool_calls": [1]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": 1}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": 1}}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "type": "function"}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}],
            [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{"}}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "[]"}}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"a": NaN}'}}]}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "[" * 9999}}]}],
            [{"role": "user", "content": "a", "prefix": True}, {"role": "assistant", "content": "a", "prefix": 1}],
        ),
        unsupported=(
            _part("image_url"),
            _part("input_audio"),
            _part("file"),
            [{"role": "function", "name": "f", "content": "a"}],
            [{"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}],
            [{"role": "assistant", "tool_calls": [{"id": "1", "type": "custom", "custom": {}}]}],
        ),
    ),
    "max_completion_tokens": Case((1, -1, 100), (*_LENGTHS, 0)),
    "max_tokens": Case((1, -1, 100), (*_LENGTHS, 0)),
    "min_completion_tokens": Case((0, -1, 5), _LENGTHS),
    "min_tokens": Case((0, -1, 5), _LENGTHS),
    "logprobs": Case((True, False), NO_BOOLEANS),
    "top_logprobs": Case((0, 5, 20), (*NO_INTEGERS, -1, 21), {"logprobs": True}),
    "tools": Case(
        ([], [TOOL], [TOOL, OTHER], [{"type": "function", "function": {"name": "f", "strict": None}}]),
        (
            1,
            {},
            "f",
            [1],
            [{}],
            [{"type": "function", "function": {}}],
            [{"type": "function", "function": 1}],
            [{"type": "function", "function": {"name": "a b"}}],
            [{"type": "function", "function": {"name": "x" * 65}}],
            [{"type": "function", "function": {"name": ""}}],
            [TOOL, TOOL],
            [{"type": "function", "function": {"name": "f", "parameters": 1}}],
            [{"type": "function", "function": {"name": "f", "parameters": {"type": "string"}}}],
            [{"type": "function", "function": {"name": "f", "strict": 1}}],
            [{"type": "function", "function": {"name": "f", "more": 1}}],
            [{"type": "function", "function": {"name": f"f{i}"}} for i in range(129)],
        ),
        unsupported=([{"type": "custom", "custom": {"name": "f"}}], [{"type": "web_search"}]),
    ),
    "tool_choice": Case(
        (
            "none",
            "auto",
            "required",
            {"type": "function", "function": {"name": "f"}},
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [OTHER]}},
        ),
        (
            1,
            "any",
            "f",
            [],
            {},
            {"type": "function"},
            {"type": "function", "function": {"name": "h"}},
            {"type": "function", "function": {"name": 1}},
            {"type": "allowed_tools", "allowed_tools": {"mode": "x", "tools": [OTHER]}},
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"name": "h"}]}},
        ),
        {"tools": [TOOL, OTHER]},
    ),
    "parallel_tool_calls": Case((True, False), NO_BOOLEANS),
    "functions": Case(([],), unsupported=([{"name": "f"}],)),
    "function_call": Case(("none", "auto"), unsupported=({"name": "f"},)),
    "reasoning_effort": Case(("none", "minimal", "low", "medium", "high"), (*NO_STRINGS, "", "max")),
    "disable_reasoning": Case((True, False), NO_BOOLEANS),
    "clear_thinking": Case((True, False), NO_BOOLEANS),
    "reasoning": Case(({},), unsupported=({"effort": "low"},)),
    "chat_template_kwargs": Case(
        ({}, {"enable_thinking": False}, {"thinking": True}, {"enable_thinking": None}),
        (1, [], "x", {"enable_thinking": 1}),
        unsupported=({"more": 1},),
    ),
    "prediction": Case(
        (
            {"type": "content", "content": ""},
            {"type": "content", "content": "a"},
            {"type": "content", "content": [{"type": "text", "text": "a"}]},
        ),
        (
            1,
            "a",
            [],
            {},
            {"content": "a"},
            {"type": "content"},
            {"type": "text", "content": "a"},
            {"type": "content", "content": 1},
            {"type": "content", "content": []},
        ),
    ),
    "continue_final_message": Case(
        (True, False),
        NO_BOOLEANS,
        {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
    ),
    "add_generation_prompt": Case(
        (True, False),
        NO_BOOLEANS,
        {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
    ),
    "service_tier": Case(("auto", "default", "flex", "priority"), (*NO_STRINGS, "fast")),
    "model_parameters": Case(({},), unsupported=({"a": 1},)),
    "store": Case((True, False), is_unknown_there=True),
    "modalities": Case((["text"],), unsupported=(["audio"], []), is_unknown_there=True),
    "audio": Case((), unsupported=({"voice": "x"},), is_unknown_there=True),
    "verbosity": Case(("medium",), unsupported=("low",), is_unknown_there=True),
    "web_search_options": Case((), unsupported=({},), is_unknown_there=True),
    "moderation": Case((), unsupported=({},), is_unknown_there=True),
    "chat_template": Case((), unsupported=("x",)),
    "documents": Case(([],), unsupported=([{}],)),
    "best_of": Case((1,), unsupported=(2,)),
    "echo": Case((False,), unsupported=(True,)),
    "suffix": Case(("",), unsupported=("x",)),
}
CASES: Final = {"completions": COMPLETIONS, "chat": CHAT}
