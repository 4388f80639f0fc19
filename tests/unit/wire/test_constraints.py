"""What the output of a request must be: each way to ask for a constraint, and each way to ask for none that works."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.tags.parsing import parser_of
from maskwright.wire.constraints import constraint_key, constraint_of
from tests.conformance.verdicts import BYTES
from tests.unit.wire.asking import chat, completion

NUMBER = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
OPEN = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "n", "schema": NUMBER}}
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "f", "parameters": NUMBER}}
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
BAD_CALL = '<tool_call>\n{"name": "f", "arguments": {"x": "1"}}\n</tool_call>'
BOTH = f"{CALL}\n{CALL}"


def matches(made: mw.Constraint | None, text: str) -> bool:
    assert made is not None
    return mw.compile(made, BYTES).matches(text)


def check(made: mw.Constraint | None, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not matches(made, text)] == []
    assert [text for text in bad if matches(made, text)] == []


ASKED: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"response_format": FORMAT}, ['{"x": 1}', '{"x":1}'], ["{}", '{"x": "1"}', "1"]),
    ({"response_format": {"type": "json_object"}}, ["{}", '{"a": [1]}'], ["1", "[]", "{"]),
    (  # JSON has no escapes but those it demands: a small model spells whole words with the others
        {"response_format": {"type": "json_object", "schema": {"type": "object"}}},
        ['{"a": "b\\n\\""}', '{"\\u0000": "é"}'],
        ['{"\\u0061": 1}', '{"a": "\\u0062"}', '{"a": "\\/"}'],
    ),
    ({"response_format": {"type": "regex", "pattern": "a+"}}, ["a", "aa"], ["", "b"]),
    ({"response_format": {"type": "grammar", "grammar": 'root ::= "a" | "b"'}}, ["a", "b"], ["c"]),
    ({"response_format": {"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}}, ["a"], ["b"]),
    ({"structured_outputs": {"json": NUMBER}}, ['{"x": 1}'], ["{}"]),
    ({"structured_outputs": {"json": '{"type": "integer"}'}}, ["1"], ["{}"]),
    ({"structured_outputs": {"json": NUMBER, "disable_any_whitespace": True}}, ['{"x":1}'], ['{"x": 1}']),
    ({"structured_outputs": {"json": OPEN}}, ['{"x": 1, "y": 2}'], []),
    ({"structured_outputs": {"json": OPEN, "disable_additional_properties": True}}, ['{"x": 1}'], ['{"x": 1, "y": 2}']),
    ({"structured_outputs": {"regex": "[ab]"}}, ["a", "b"], ["c", "ab"]),
    ({"structured_outputs": {"choice": ["yes", "no"]}}, ["yes", "no"], ["y", "yesno"]),
    ({"structured_outputs": {"grammar": 'root ::= "a" "b"'}}, ["ab"], ["a"]),
    ({"structured_outputs": {"grammar": 'start: "a" "b"'}}, ["ab"], ["a"]),
    ({"structured_outputs": {"grammar": 'start: "::=" x\nx: "b"'}}, ["::=b"], ["a"]),
    ({"structured_outputs": {"json_object": True}}, ["{}"], ["1"]),
    (
        {
            "structured_outputs": {
                "structural_tag": {"type": "structural_tag", "format": {"type": "regex", "pattern": "a"}}
            }
        },
        ["a"],
        ["b"],
    ),
    ({"grammar": "root ::= [0-9]+"}, ["1", "12"], ["", "a"]),
    ({"json_schema": {"type": "boolean"}}, ["true"], ["1"]),
    ({"regex": "a|b"}, ["a"], ["c"]),
    ({"ebnf": "root ::= 'a' | 'b'"}, ["a"], ["c"]),
    ({"grammar_root": "value"}, ["1", "{}", '"a"'], ["", "a"]),
    ({"grammar_root": "object"}, ["{}"], ["1"]),
    ({"grammar_root": "number"}, ["-1.5e3"], ["01", "x"]),
]


@pytest.mark.parametrize(("fields", "good", "bad"), ASKED)
def test_every_way_to_ask(fields: dict[str, Any], good: list[str], bad: list[str]) -> None:
    """On both endpoints; the constraint pickles."""
    for request in (chat(**fields), completion(**fields)):
        made = constraint_of(request, Limits())
        check(made, good, bad)
        check(pickle.loads(pickle.dumps(made)), good, bad)


@pytest.mark.parametrize("fields", [{}, {"response_format": {"type": "text"}}, {"grammar": ""}])
def test_free_text(fields: dict[str, Any]) -> None:
    """No constraint, and no key."""
    for request in (chat(**fields), completion(**fields)):
        assert constraint_of(request, Limits()) is None
        assert constraint_key(request) is None
    assert constraint_of(chat(tools=[]), Limits()) is None


@pytest.mark.parametrize(
    ("fields", "good", "bad"),
    [
        ({}, ["text", CALL, f"text {CALL}", BOTH, ""], [BAD_CALL]),
        ({"tool_choice": "auto", "parallel_tool_calls": False}, ["text", CALL], [BOTH, BAD_CALL]),
        ({"tool_choice": "none"}, ["text"], [CALL]),
        ({"tool_choice": "required"}, [CALL, BOTH], ["text", "", BAD_CALL]),
        ({"tool_choice": "required", "parallel_tool_calls": False}, [CALL], ["text", BOTH]),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, [CALL], ["text", BOTH]),
        ({"response_format": FORMAT}, ['{"x": 1}', CALL, BOTH], ["text", "{}", BAD_CALL, '{"x": 1}' + CALL]),
        ({"response_format": FORMAT, "parallel_tool_calls": False}, ['{"x": 1}', CALL], [BOTH]),
        ({"response_format": FORMAT, "tool_choice": "none"}, ['{"x": 1}'], [CALL, "text"]),
        ({"response_format": FORMAT, "tool_choice": "required"}, [CALL, BOTH], ['{"x": 1}', "text"]),
    ],
)
def test_tools(fields: dict[str, Any], good: list[str], bad: list[str]) -> None:
    """Each choice, with a response_format beside it as the other way to answer."""
    made = constraint_of(chat(tools=[TOOL], **fields), Limits(), tool_format="hermes")
    check(made, good, bad)
    check(pickle.loads(pickle.dumps(made)), good, bad)


def test_an_answer_beside_calls_is_read_as_text() -> None:
    """What is written under a response_format beside tools is content, and a call is a call."""
    made = constraint_of(chat(tools=[TOOL], response_format=FORMAT), Limits())
    assert made is not None
    for text, content, calls in (('{"x": 1}', '{"x": 1}', []), (CALL, "", ["f"])):
        parser = parser_of(made)
        parser.feed(text)
        parsed: Any = parser.close()
        assert (parsed.content or "", [call.name for call in parsed.calls]) == (content, calls)


def test_bare_calls_cannot_stand_beside_answers() -> None:
    """Nobody could tell a call without a mark from an answer in JSON."""
    with pytest.raises(RequestError, match="bare JSON") as told:
        constraint_of(chat(tools=[TOOL], response_format=FORMAT), Limits(), tool_format="json")
    assert (told.value.status, told.value.param, told.value.code) == (400, "response_format", "unsupported_constraint")


def test_tools_that_are_not_strict() -> None:
    """``strict: false`` means any object; without a word the schema holds."""
    for strict, accepts in ((False, True), (None, False), (True, False)):
        tool = {"type": "function", "function": {**TOOL["function"], "strict": strict}}
        made = constraint_of(chat(tools=[tool], tool_choice="required"), Limits())
        assert matches(made, BAD_CALL) is accepts


def test_roots_with_tools() -> None:
    """The roots that make calls know the tools; the others do not go with them."""
    func = '{"name": "f", "arguments": {"x": 1}}'
    made = constraint_of(chat(grammar_root="func", tools=[TOOL]), Limits())
    check(made, [func], ['{"name": "g", "arguments": {}}', '{"name": "f", "arguments": {}}'])
    made = constraint_of(chat(grammar_root="funcarray", tools=[TOOL], parallel_tool_calls=False), Limits())
    check(made, [f"[{func}]"], [f"[{func}, {func}]"])
    with pytest.raises(RequestError) as told:
        constraint_of(chat(grammar_root="value", tools=[TOOL]), Limits())
    assert told.value.param == "grammar_root"


@pytest.mark.parametrize(
    ("request_of", "prompt", "good", "bad"),
    [
        (lambda: completion(grammar_root="insidevalue", prompt='JSON: {"a": 1, "b": [2,'), None, [" 3]}"], ["3"]),
        (lambda: completion(grammar_root="insidevalue", prompt='Say "hi'), None, ['"', ' you"'], ["", "x"]),
        (lambda: completion(grammar_root="insidevalue", prompt="Done."), None, ["1", "{}"], ["x"]),
        (lambda: completion(grammar_root="insidevalue", prompt=[1, 2]), '{"a": ', ["1}"], ["1"]),
        (lambda: completion(grammar_root="insidevalue", prompt=[1, 2]), None, ["1"], ["1}"]),
        (lambda: completion(grammar_root="insidevalue", prompt="x"), "[1", ["]", ", 2]"], ["x", "1"]),
        (
            lambda: chat(
                grammar_root="insidevalue",
                messages=[{"role": "user", "content": '{"'}, {"role": "assistant", "content": "[1,"}],
            ),
            None,
            [" 2]"],
            ["2"],
        ),
        (lambda: chat(grammar_root="insidevalue"), None, ["[]"], ["x"]),
    ],
)
def test_the_value_that_a_prompt_left_open(
    request_of: Any, prompt: str | None, good: list[str], bad: list[str]
) -> None:
    """The root ``insidevalue`` goes on with the end of the prompt, or with what is named."""
    check(constraint_of(request_of(), Limits(), prompt=prompt), good, bad)


@pytest.mark.parametrize(
    ("fields", "good", "bad"),
    [
        ({"response_format": FORMAT}, ['<think>\nhm</think>\n\n{"x": 1}'], ['{"x": 1}', "<think></think>x"]),
        ({"response_format": FORMAT, "disable_reasoning": True}, ['{"x": 1}'], ['<think></think>{"x": 1}']),
        ({"response_format": FORMAT, "reasoning_effort": "none"}, ['{"x": 1}'], ['<think></think>{"x": 1}']),
        ({"regex": "a", "reasoning_effort": "high"}, ["<think>x</think>a"], ["a"]),
        ({"tools": [TOOL], "tool_choice": "required"}, [f"<think>x</think>{CALL}"], [CALL, "<think>x</think>a"]),
        ({"tools": [TOOL], "response_format": FORMAT}, ['<think>x</think>{"x": 1}', f"<think>x</think>{CALL}"], [CALL]),
    ],
)
def test_thinking_comes_first(fields: dict[str, Any], good: list[str], bad: list[str]) -> None:
    """The constraint begins where the thinking ends; not where it is switched off."""
    check(constraint_of(chat(**fields), Limits(), thinking=("<think>", "</think>")), good, bad)


def test_thinking_that_the_prompt_began() -> None:
    """An empty first mark: only the end is written."""
    made = constraint_of(chat(regex="a"), Limits(), thinking=("", "</think>"))
    check(made, ["x</think>a", "</think>a"], ["a"])


def test_the_policy_for_blanks() -> None:
    """What the server was told holds, where the request says nothing else."""
    made = constraint_of(chat(response_format=FORMAT), Limits(), whitespace="compact")
    check(made, ['{"x":1}'], ['{"x": 1}'])


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "x"}}}},
            "response_format.json_schema.schema#/type",
            "invalid_json_schema",
        ),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {"properties": {"a/b": {"type": 1}}}},
                }
            },
            "response_format.json_schema.schema#/properties/a~1b/type",
            "invalid_json_schema",
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}},
            "response_format.json_schema.name",
            "invalid_json_schema",
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": False}}},
            None,
            "unsatisfiable_constraint",
        ),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {"$dynamicRef": "http://x"}},
                }
            },
            None,
            None,
        ),
        ({"response_format": {"type": "json_object", "more": 1}}, "response_format.more", "invalid_json_schema"),
        ({"response_format": {"type": "regex", "pattern": "a("}}, "response_format.pattern", "invalid_pattern"),
        ({"response_format": {"type": "regex"}}, "response_format.pattern", "invalid_json_schema"),
        (
            {"response_format": {"type": "grammar", "grammar": "root ::= ("}},
            "response_format.grammar",
            "invalid_grammar",
        ),
        (
            {"response_format": {"type": "structural_tag", "format": {"type": "x"}}},
            "response_format#/format/type",
            "invalid_json_schema",
        ),
        ({"structured_outputs": {"regex": "[a"}}, "structured_outputs.regex", "invalid_pattern"),
        ({"structured_outputs": {"json": "{"}}, "structured_outputs.json", "invalid_json_schema"),
        ({"structured_outputs": {"grammar": "start: b"}}, "structured_outputs.grammar", "invalid_grammar"),
        ({"grammar": "root ::= b"}, "grammar", "invalid_grammar"),
        ({"ebnf": "root ::= b"}, "ebnf", "invalid_grammar"),
        ({"regex": "a{2,1}"}, "regex", "invalid_pattern"),
        ({"regex": "(a)\\1"}, "regex", None),
        ({"json_schema": {"type": "object", "minProperties": 2, "maxProperties": 1}}, None, "unsatisfiable_constraint"),
        (
            {
                "tools": [
                    {"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {"type": 1}}}}}
                ]
            },
            "tools[0].function.parameters#/properties/a/type",
            "invalid_function_parameters",
        ),
        (
            {
                "tools": [
                    TOOL,
                    {
                        "type": "function",
                        "function": {"name": "g", "parameters": {"required": ["a"], "additionalProperties": False}},
                    },
                ]
            },
            "tools[1].function.parameters",
            "unsatisfiable_constraint",
        ),
    ],
)
def test_constraints_that_do_not_work(fields: dict[str, Any], param: str | None, code: str | None) -> None:
    """400 with the place in ``param`` and in the message, before anything is generated."""
    with pytest.raises(RequestError) as told:
        constraint_of(chat(**fields), Limits())
    assert told.value.status == 400
    if param is not None:
        assert told.value.param is not None
        assert told.value.param.startswith(param)
        assert told.value.param in told.value.message
    if code is not None:
        assert told.value.code == code


def test_caps_hold() -> None:
    """A limit of the server is a 400, too."""
    with pytest.raises(RequestError) as told:
        constraint_of(chat(regex="a" * 100), Limits(pattern_length=10))
    assert (told.value.status, told.value.param, told.value.code) == (400, "regex", "limit_exceeded")


def test_keys_tell_constraints_apart() -> None:
    """Equal for the same constraint, whatever else is asked; different for any other."""
    every = [fields for fields, _, _ in ASKED] + [
        {"tools": [TOOL]},
        {"tools": [TOOL], "tool_choice": "none"},
        {"tools": [TOOL], "parallel_tool_calls": False},
        {"tools": [TOOL], "response_format": FORMAT},
        {"tools": [TOOL], "disable_reasoning": True},
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": {"properties": {"a": {}, "b": {}}}},
            }
        },
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": {"properties": {"b": {}, "a": {}}}},
            }
        },
    ]
    keys = [constraint_key(chat(**fields)) for fields in every]
    assert len(set(keys)) == len(keys)
    assert keys == [constraint_key(chat(**fields, temperature=0.5, seed=3, stream=True)) for fields in every]
    one, other = (completion(grammar_root="insidevalue", prompt=prompt) for prompt in ("[", "{"))
    assert constraint_key(one) != constraint_key(other)
    assert constraint_key(one, prompt="x") == constraint_key(other, prompt="x")
    one, other = (completion(grammar_root="value", prompt=prompt) for prompt in ("[", "{"))
    assert constraint_key(one) == constraint_key(other)
