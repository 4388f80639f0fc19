"""Tool calls read again: what an independent renderer wrote comes back, and no cut of the stream changes anything."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import OutputError, PolicyError
from maskwright.tags.formats import FORMATS
from maskwright.tags.parsing import ToolParser, parse_tools
from maskwright.tags.parsing_events import (
    ArgumentsDelta,
    Call,
    CallBegin,
    CallEnd,
    ContentDelta,
    Parsed,
    ReasoningDelta,
)
from maskwright.tags.partial_place import Malformed
from tests.unit.tags.turns import RENDERERS, Wish, rendered

IDS = [f"{name}-{renderer.__name__.lstrip('_')}" for name, renderer in RENDERERS]
HAVE_IDS = {"mistral", "mistral_old"}
#: Formats whose text stands instead of calls, or whose arguments tell no strings from numbers.
INSTEAD = {"llama3", "json"}
UNTYPED = {"qwen3_coder", "glm"}

NAMES = st.sampled_from(["f", "get_weather", "a-b_C9", "all_of", "function", "name"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["</tool_call>", "<|end|>", ">>>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.lists(
    st.builds(Wish, NAMES, st.dictionaries(st.text(max_size=6), VALUES, max_size=3), st.none() | st.just("aB3dE6gH9")),
    max_size=3,
)
#: Text with everything that looks like the beginning of something.
TEXTS = st.text(st.sampled_from("hi \n<|>[/{}tol_caTOLCSfuncion=｜▁"), max_size=20) | st.sampled_from(
    ["", "Hello.", "Let me look.\n\n", "<tool_cal", "[TOOL_", "\n<|fro", "<function ", "a\n\n\n", "<|tool_calls_", ">>"]
)


def is_plain(form: str, text: str, calls: Sequence[Wish]) -> bool:
    """Whether a text can stand beside calls in a format and be told from them."""
    trigger = FORMATS[form].trigger
    if form in INSTEAD:
        return not text.lstrip(" \t\r\n").startswith(("{", "[")) and not (calls and text)
    if form == "harmony":
        return not any(marker in text for marker in FORMATS[form].markers)
    if (text + trigger).find(trigger) < len(text):
        return False
    return text.strip(" \t\r\n") != "" or not text or not calls


def cut(text: str | bytes, cuts: Iterable[int]) -> list[Any]:
    places = sorted({min(at, len(text)) for at in cuts})
    return [text[start:stop] for start, stop in zip([0, *places], [*places, len(text)], strict=True)]


def run(pieces: Iterable[str | bytes], form: str, **options: Any) -> tuple[list[Any], Any]:
    """Events with deltas joined, then what was parsed or the error."""
    parser = ToolParser(form, **options)
    joined: list[Any] = []
    for piece in pieces:
        for event in parser.feed(piece):
            if isinstance(event, (ContentDelta, ReasoningDelta, ArgumentsDelta)):
                assert event.text
                kind = (type(event).__name__, getattr(event, "index", None))
                if joined and joined[-1][0] == kind:
                    joined[-1][1] += event.text
                else:
                    joined.append([kind, event.text])
            else:
                joined.append([repr(event) if not isinstance(event, Malformed) else str(event.error)])
    try:
        return joined, parser.close()
    except OutputError as error:
        return joined, (str(error), error.offset, error.parsed)


@pytest.mark.parametrize(("form", "renderer"), RENDERERS, ids=IDS)
@settings(max_examples=25)
@given(data=st.data())
def test_what_was_rendered_comes_back_however_the_stream_is_cut(form: str, renderer: Any, data: st.DataObject) -> None:
    """Law: text and calls of a turn are those that were written, in one piece, in pieces, and in bytes."""
    calls = data.draw(CALLS)
    text = data.draw(TEXTS.filter(lambda text: is_plain(form, text, calls)))
    if form in UNTYPED:
        calls = [Wish(call.name, {"a": 1, "b": ["x", None], "c": f"say {text} </parameter"}) for call in calls]
    if form not in HAVE_IDS:
        calls = [call._replace(id=None) for call in calls]
    whole = rendered(renderer, text, calls)
    events, parsed = run([whole], form)
    assert not isinstance(parsed, tuple), parsed
    assert (parsed.content, parsed.reasoning, parsed.rest) == (text, "", "")
    assert [(call.name, call.value) for call in parsed.calls] == [(call.name, call.arguments) for call in calls]
    assert [json.loads(call.arguments) for call in parsed.calls] == [call.arguments for call in calls]
    if form in HAVE_IDS:
        assert [call.id for call in parsed.calls] == [call.id for call in calls]
    cuts = data.draw(st.lists(st.integers(0, len(whole))))
    assert run(cut(whole, cuts), form) == (events, parsed)
    assert run(cut(whole.encode(), cuts), form) == (events, parsed)
    assert run(list(whole), form) == (events, parsed)


@pytest.mark.parametrize(("form", "renderer"), RENDERERS, ids=IDS)
def test_spoiled_turns_go_wrong_at_one_place_however_they_are_cut(form: str, renderer: Any) -> None:
    """Law: nothing a model writes raises while it is fed; the error, its place and what is kept depend on no cut."""
    chance = random.Random(form)
    calls = [Wish("f", {"a": "x\u00e9\U0001f600", "b": [1, {"c": None}]}), Wish("g", {}), Wish("h", {"k": "v"})]
    whole = rendered(renderer, "" if form in INSTEAD else "Well: ", calls)
    for _ in range(60):
        at = chance.randrange(len(whole))
        spoiled = whole[:at] + chance.choice(["", "<", "{", '"', "}", "\n", "\x00", "<|", ":", "x"]) + whole[at + 1 :]
        expected = run([spoiled], form, tools=["f", "g", "h"])
        places = [chance.randrange(len(spoiled) + 1) for _ in range(8)]
        assert run(cut(spoiled, places), form, tools=["f", "g", "h"]) == expected
        assert run(cut(spoiled.encode(), places), form, tools=["f", "g", "h"]) == expected
        if isinstance(expected[1], tuple):
            _, offset, parsed = expected[1]
            assert 0 <= offset <= len(spoiled)
            assert spoiled.endswith(parsed.rest)
            assert [call.name for call in parsed.calls] == ["f", "g", "h"][: len(parsed.calls)]


@pytest.mark.parametrize(("form", "renderer"), RENDERERS, ids=IDS)
def test_a_turn_that_ends_too_early_keeps_the_calls_that_were_whole(form: str, renderer: Any) -> None:
    """Law: the calls of a beginning are a beginning of all calls; what was not read is told."""
    calls = [Wish("f", {"a": "x"}), Wish("g", {"b": [1]})]
    whole = rendered(renderer, "" if form in INSTEAD else "Well: ", calls)
    all_calls = parse_tools(whole, format=form).calls
    for stop in range(len(whole)):
        _, end = run([whole[:stop]], form)
        if isinstance(end, tuple):
            _, offset, end = end
            assert offset == stop
        assert end.calls == all_calls[: len(end.calls)]
        assert whole[:stop].endswith(end.rest)


@pytest.mark.parametrize(
    ("form", "text", "content", "calls"),
    [
        # Spellings that models write without a mask: other blanks, other orders, text in between and after.
        ("hermes", '<tool_call>{"name":"f","arguments":{}}</tool_call>', "", [("f", "{}", None)]),
        ("hermes", '<tool_call>\n{"arguments": {"a": 1}, "name": "f"}\n</tool_call>', "", [("f", '{"a": 1}', None)]),
        (
            "hermes",
            'A <tool_call>{"name":"f","arguments":{}}</tool_call> B\n'
            '<tool_call>{"name":"g","arguments":{}}</tool_call>\n',
            "A  B\n",
            [("f", "{}", None), ("g", "{}", None)],
        ),
        ("hermes", '{"name": "f"}', '{"name": "f"}', []),
        ("hermes", "<tool_cal", "<tool_cal", []),
        ("hermes", " \n", " \n", []),
        ("qwen3", '\n\n<tool_call>{"name":"f","arguments":{}}</tool_call>\n\n', "", [("f", "{}", None)]),
        (
            "hermes",
            '<tool_call>{"name":"f","arguments":{"x":"</tool_call>"}}</tool_call>',
            "",
            [("f", '{"x":"</tool_call>"}', None)],
        ),
        ("llama3", ' {"name": "f", "parameters": {}}', "", [("f", "{}", None)]),
        (
            "llama3",
            '<|python_tag|>{"name": "f", "parameters": {}};{"name": "g", "parameters": {}}',
            "",
            [("f", "{}", None), ("g", "{}", None)],
        ),
        ("llama3", "The set {1}", "The set {1}", []),
        ("llama3", "<|python_ta", "<|python_ta", []),
        ("json", '[{"name": "f", "arguments": {}}]', "", [("f", "{}", None)]),
        ("json", '{"name": "f", "parameters": {"a": [ ]}}', "", [("f", '{"a": [ ]}', None)]),
        ("mistral", "[TOOL_CALLS]f[ARGS]{}", "", [("f", "{}", None)]),
        ("mistral", "[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{}", "", [("f", "{}", "123456789")]),
        ("mistral_old", '[TOOL_CALLS] [{"name": "f", "arguments": {}}]', "", [("f", "{}", None)]),
        (
            "kimi",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:12<|tool_call_argument_begin|>{}<|tool_call_end|>"
            "<|tool_calls_section_end|>",
            "",
            [("f", "{}", "functions.f:12")],
        ),
        ("harmony", ' to=functions.f<|channel|>commentary json<|message|>{"a": 1}', "", [("f", '{"a": 1}', None)]),
        (
            "harmony",
            "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
            "",
            [("f", "{}", None)],
        ),
        (
            "harmony",
            "<|channel|>commentary to=functions.f<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>Ok",
            "Ok",
            [("f", "{}", None)],
        ),
        ("functionary_v3.2", "all\nHi\n>>>f\n{}", "Hi\n", [("f", "{}", None)]),
        ("functionary_v3.2", 'f\n{"a": ">>>"}>>>g\n{}\n', "", [("f", '{"a": ">>>"}', None), ("g", "{}", None)]),
        (
            "functionary_v2",
            "all\n<|content|>Hi\n\n<|from|>assistant\n<|recipient|>f\n<|content|>{}",
            "Hi\n",
            [("f", "{}", None)],
        ),
        ("qwen3_coder", "<tool_call>\n<function=f>\n</function>\n</tool_call>", "", [("f", "{}", None)]),
        (
            "qwen3_coder",
            "<tool_call>\n<function=f>\n<parameter=a>\n\n x\n\n</parameter>\n"
            "<parameter=b>\n 2\n</parameter>\n</function>\n</tool_call>",
            "",
            [("f", '{"a": "\\n x\\n", "b": 2}', None)],
        ),
        ("glm", "<tool_call>f</tool_call>", "", [("f", "{}", None)]),
        ("glm", "<tool_call>f<arg_key>a</arg_key><arg_value></arg_value></tool_call>", "", [("f", '{"a": ""}', None)]),
    ],
)
def test_turns_written_by_hand(form: str, text: str, content: str, calls: list[Any]) -> None:
    parsed = parse_tools(text, format=form)
    assert parsed.content == content
    assert [(call.name, call.arguments, call.id) for call in parsed.calls] == calls


HERMES = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("hermes", '<tool_call>{"name": "x", "arguments": {}}', "1:21: there is no tool 'x'"),
        ("hermes", '<tool_call>{"name": 1, "arguments": {}}', "1:21: expected the name of a tool"),
        ("hermes", '<tool_call>{"name": "", "arguments": {}}', "1:21: a call without a name"),
        ("hermes", '<tool_call>{"arguments": {}}</tool_call>', "1:29: a call without a name"),
        ("hermes", '<tool_call>{"name": "f"}</tool_call>', "1:25: a call without arguments"),
        ("hermes", '<tool_call>{"name": "f", "arguments": "{}"}', "1:39: the arguments must be a JSON object"),
        ("hermes", '<tool_call>{"name": "f", "arguments": [1]}', "1:39: the arguments must be a JSON object"),
        ("hermes", '<tool_call>\n{"name": "f",\n"arguments": {"a" 1}}', "3:19: expected :"),
        ("hermes", '<tool_call>{"name": "f", "parameters": {}}', "1:26: a call has no 'parameters'"),
        ("hermes", '<tool_call>{"name": "f", "name": "g"}', "1:26: the key 'name' stands there already"),
        ("hermes", '<tool_call>{"name": "f", "arguments": {}}\n</tool_cull>', "2:9: expected </tool_call>"),
        ("hermes", '<tool_call>{"name": "f", "arguments": {}}\n</tool_', "2:8: the text ends inside a call"),
        (
            "hermes",
            '<tool_call>{"name": "f", "arguments": {"a": ',
            "1:45: the text ends inside the arguments of a call",
        ),
        ("hermes", "<tool_call>", "1:12: the text ends inside a call"),
        ("hermes", "<tool_call>get it", "1:12: expected {"),
        ("llama3", '{"answer": 42}', "1:2: a call has no 'answer'"),
        ("llama3", "<|python_tag|>print(1)", "1:15: expected {"),
        ("llama3", "Sure: <|python_tag|>{}", "1:7: <|python_tag|> inside a text"),
        ("llama3", '{"name": "f", "parameters": {}} so', "1:33: expected ;"),
        ("json", '{"name": "f", "arguments": {}} so', "1:32: expected the end of the text after the calls"),
        ("json", "[]", "1:2: expected {"),
        ("mistral", "[TOOL_CALLS]f[ARGS]{} text", "1:23: expected [TOOL_CALLS]"),
        ("mistral", "[TOOL_CALLS]f[CALL_ID]12[ARGS]{}", "1:13: '12' is no id of a call"),
        ("mistral", "[TOOL_CALLS]f", "1:14: the text ends inside the name of a call"),
        (
            "kimi",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.f<|tool_call_argument_begin|>{}",
            "1:58: a call without an id",
        ),
        ("phi4", '<|tool_call|>[{"name": "f", "arguments": {}}', "1:45: the text ends inside the calls"),
        ("phi4", '<|tool_call|>[{"name": "f", "arguments": {}}]<|/tool_call|>!', "1:60: expected the end of the text"),
        ("harmony", "Hello", "1:1: expected the header of a message"),
        ("harmony", "<|channel|>musing<|message|>x", "1:1: there is no channel 'musing'"),
        ("harmony", "<|channel|>analysis to=python<|message|>1+1", "1:1: the recipient 'python' is no function"),
        ("harmony", "<|channel|>final", "1:17: the text ends inside the header of a message"),
        ("harmony", "<|start|>user<|channel|>final<|message|>", "1:1: what stands before <|message|> is no header"),
        ("harmony", "<|channel|>final<|message|>a<|end|>b", "1:36: expected the header of a message"),
        ("qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n1", "4:2: the text ends inside a parameter"),
        (
            "qwen3_coder",
            "<tool_call><function=f>\n<parameter=a>1</parameter><parameter=a>",
            "2:38: the parameter 'a' stands there",
        ),
        ("functionary_v3.2", "f\n{}>>>", "2:6: the text ends inside the name of a call"),
    ],
)
def test_errors_tell_what_is_wrong_and_where(form: str, text: str, message: str) -> None:
    with pytest.raises(OutputError) as caught:
        parse_tools(text, format=form, tools=["f", "g"])
    assert str(caught.value).startswith(message)


PICTURE = {"type": "function", "function": {"name": "draw", "parameters": {"type": "object"}}}
SCHEMA = {"name": "x", "schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("constraint", "text", "content", "calls"),
    [
        (lambda: mw.tools([PICTURE]), HERMES.replace('"f"', '"draw"'), "", ["draw"]),
        (lambda: mw.tools([PICTURE], choice="none"), "Hi.", "Hi.", []),
        (lambda: mw.tools([PICTURE], format="phi4", thinking=True), "Hm</think>\n\nHi.", "Hi.", []),
        (lambda: mw.response_format({"type": "text"}), "<tool_call>", "<tool_call>", []),
        (lambda: mw.response_format({"type": "json_object"}, thinking=True), "Hm</think>{}", "{}", []),
        (lambda: mw.choice(["a", "b"]), "a", "a", []),
        (lambda: mw.regex("[a-c]+"), "abc", "abc", []),
        (lambda: mw.grammar_root("root"), ' {"name": "f", "arguments": {}}', "", ["f"]),
        (lambda: mw.grammar_root("root"), " Hi {", " Hi {", []),
        (lambda: mw.grammar_root("funcarray"), '[{"name": "f", "parameters": {}}]', "", ["f"]),
        (lambda: mw.grammar_root("nofcall"), "Hi", "Hi", []),
    ],
)
def test_constraints_know_how_turns_are_read(constraint: Any, text: str, content: str, calls: list[str]) -> None:
    parser = mw.parser_of(constraint())
    parser.feed(text)
    parsed = parser.close()
    assert isinstance(parsed, Parsed)
    assert (parsed.content, [call.name for call in parsed.calls]) == (content, calls)


@pytest.mark.parametrize(
    ("constraint", "text", "value"),
    [
        (lambda: mw.json_schema({"type": "object"}), '{"a": 0.1}', {"a": Decimal("0.1")}),
        (lambda: mw.response_format({"type": "json_object"}), '{"a": [1]}', {"a": [1]}),
        (lambda: mw.response_format({"type": "json_schema", "json_schema": SCHEMA}), '{"a": [1]}', {"a": [1]}),
        (lambda: mw.grammar_root("number"), "12", 12),
        (lambda: mw.grammar_root("insidevalue", prefix='{"a": ["x'), 'y"]}', {"a": ["xy"]}),
        (lambda: mw.grammar_root("insidevalue", prompt='Answer: {"a": 1'), "2}", {"a": 12}),
    ],
)
def test_constraints_know_how_values_are_read(constraint: Any, text: str, value: Any) -> None:
    parser = mw.parser_of(constraint(), numbers="exact")
    parser.feed(text)
    assert parser.close() == value


@pytest.mark.parametrize("begin", ["", "<think>"])
@pytest.mark.parametrize("answer", ["Hi.", HERMES, "Hi.\n" + HERMES])
def test_thinking_comes_before_the_turn(begin: str, answer: str) -> None:
    """Law: what stands after the thinking is read as if there had been none."""
    for stop in ["", "\n", "\n\n"]:
        text = f"{begin}Is {HERMES} < </thin right?\n</think>{stop}{answer}"
        parsed = parse_tools(text, format="hermes", thinking=("</think>", begin))
        plain = parse_tools(answer, format="hermes")
        assert (parsed.content, parsed.calls) == (plain.content, plain.calls)
        assert parsed.reasoning == f"Is {HERMES} < </thin right?\n"
        assert run(list(text), "hermes", thinking=("</think>", begin))[1] == parsed


@pytest.mark.parametrize(
    ("form", "thinking", "text", "reasoning"),
    [
        ("hermes", True, "<think>\nHm</think>Hi", "\nHm"),
        ("hermes", "</think>", "\n Hm</think>\n\nHi", "\n Hm"),
        ("hermes", "</think>", "\n<think> Hm</think>Hi", " Hm"),
        ("mistral", True, "[THINK]Hm </think>[/THINK]Hi", "Hm </think>"),
        (None, ("</t>", "<t>"), "<t>Hm</t>Hi", "Hm"),
        ("hermes", False, "Hi", ""),
    ],
)
def test_thinking_is_asked_for_as_of_the_constraint(form: Any, thinking: Any, text: str, reasoning: str) -> None:
    parsed = parse_tools(text, format=form, thinking=thinking)
    assert (parsed.reasoning, parsed.content) == (reasoning, "Hi")


def test_thinking_that_was_not_begun_is_none() -> None:
    parsed = parse_tools(" \nHi <think>", format="hermes", thinking=("</think>", "<think>"))
    assert (parsed.content, parsed.reasoning) == (" \nHi <think>", "")


def test_thinking_that_does_not_end_is_an_error_that_keeps_it() -> None:
    with pytest.raises(OutputError, match="1:6: the text ends inside the thinking") as caught:
        parse_tools("Hm </", format="hermes", thinking=("</think>", ""))
    assert caught.value.parsed.reasoning == "Hm </"


def test_channels_of_harmony_are_thinking_and_text() -> None:
    text = (
        "<|channel|>analysis<|message|>Think.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
        "<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"
    )
    parsed = parse_tools(text, format="gpt-oss")
    assert (parsed.reasoning, parsed.content) == ("Think.", "I look.")
    assert [call.name for call in parsed.calls] == ["f"]


def test_events_come_as_soon_as_they_are_sure() -> None:
    """What a server streams: text at once but for what may begin a call, the name when it is whole, then arguments."""
    parser = ToolParser("hermes", tools=["get"])
    assert parser.feed("Hi <") == [ContentDelta("Hi ")]
    assert parser.feed("b> <tool_") == [ContentDelta("<b> ")]
    assert parser.feed('call>\n{"name": "ge') == []
    assert parser.feed('t", "arguments": {"a') == [CallBegin(0, "get", None), ArgumentsDelta(0, '{"a')]
    assert parser.feed('": "\\u00e9"}') == [ArgumentsDelta(0, '": "\\u00e9"}')]
    assert parser.feed("}\n</tool_call") == []
    call = Call("get", '{"a": "\\u00e9"}', {"a": "é"})
    assert parser.feed(">\n") == [CallEnd(0, call)]
    assert parser.feed(b"\xc3") == []
    assert parser.feed(b"\xa9") == [ContentDelta("\né")]
    assert parser.parsed == parser.close()
    assert parser.close().calls == (call,)


def test_arguments_before_the_name_are_told_once_it_is_known() -> None:
    parser = ToolParser("hermes")
    assert parser.feed('<tool_call>{"arguments": {"a": 1}, ') == []
    assert parser.feed('"name": "f"') == [CallBegin(0, "f", None), ArgumentsDelta(0, '{"a": 1}')]


def test_after_an_error_the_rest_is_kept_unread() -> None:
    """The caller may still show it: from the beginning of the call that went wrong to the end of the text."""
    parser = ToolParser("hermes", tools=["f"])
    bad = '<tool_call>{"name": "g", "arguments": {}}</tool_call>'
    events = parser.feed("A" + HERMES + "B" + bad[:30])
    assert isinstance(events[-1], Malformed)
    assert parser.feed(bad[30:].encode()) == []
    assert parser.feed(" C") == []
    with pytest.raises(OutputError) as caught:
        parser.close()
    parsed = caught.value.parsed
    assert (parsed.content, [call.name for call in parsed.calls], parsed.rest) == ("AB", ["f"], bad + " C")


def test_bytes_that_are_no_text_are_an_error() -> None:
    parser = ToolParser("hermes")
    events = parser.feed(b"ab\xffcd")
    assert events[0] == ContentDelta("ab")
    assert isinstance(events[1], Malformed)
    with pytest.raises(OutputError, match="1:3: bytes that are no UTF-8"):
        parser.close()
    with pytest.raises(OutputError, match="1:3: bytes that are no UTF-8"):
        parse_tools(b"ab\xe2\x82", format="hermes")


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(PolicyError, match="format is one of deepseek"):
        ToolParser("chatml")
    with pytest.raises(PolicyError, match="thinking"):
        ToolParser("hermes", thinking="")
    with pytest.raises(PolicyError, match="tools"):
        ToolParser("hermes", tools="f")
    with pytest.raises(PolicyError, match="numbers"):
        ToolParser("hermes", numbers="int")
    parser = ToolParser("hermes")
    parser.close()
    with pytest.raises(PolicyError, match="closed"):
        parser.feed("x")


@pytest.mark.parametrize(
    ("form", "piece"),
    [
        ("hermes", "<tool_call"),
        ("hermes", "<"),
        ("hermes", "\n "),
        ("hermes", HERMES),
        ("hermes", "<tool_call>"),
        ("functionary_v2", "\n<|from|"),
        ("functionary_v3.2", ">>"),
        ("mistral", "[TOOL_CALLS]f[ARGS]{}"),
        ("mistral", "[TOOL_CALLS][TOOL_CALLS]"),
        ("llama3", " "),
        ("llama3", '{"name": "f", "parameters": {}};\n'),
        ("harmony", "<|channel|>"),
        ("harmony", "<|start|>assistant<|channel|>final<|message|>x<|end|>"),
        ("glm", "<tool_call>f<arg_key>"),
        ("kimi", "<|tool_calls_section_begin|>"),
        ("harmony", "<|start|>" + 40_000 * " " + "<|message|>"),
        ("harmony", "<|channel|>final" + 40_000 * " " + "x<|message|>"),
        ("hermes", "<tool_call>" + 40_000 * " " + "{"),
    ],
)
@pytest.mark.parametrize("size", [1, 5, 1 << 30])
def test_hostile_repetition_is_read_in_linear_time(form: str, piece: str, size: int) -> None:
    """50 kB of what begins something, in small pieces: a quadratic reader would take minutes."""
    text = piece * (50_000 // len(piece))
    parser = ToolParser(form)
    for at in range(0, len(text), size):
        parser.feed(text[at : at + size])
    parsed = parser.parsed
    assert sum(map(len, [parsed.content, parsed.rest])) <= len(text)


def test_deep_arguments_cost_no_stack() -> None:
    depth = 100_000
    text = '<tool_call>{"name": "f", "arguments": {"a": ' + "[" * depth + "]" * depth + "}}</tool_call>"
    (call,) = parse_tools(text, format="hermes").calls
    assert call.arguments == text[38:-13]


@pytest.mark.parametrize(
    "text", ["x <", "x <tool_ca", "<", "plain", "x\n", '<tool_call>\n{"name": "f"', "x <tool_call>"]
)
@pytest.mark.parametrize("closes_first", [False, True])
def test_the_last_events_are_told(text: str, *, closes_first: bool) -> None:
    """Law: the events of feeding and finishing together are the turn; closing gives it, before or after."""
    parser = mw.parser_of(mw.tools([{"name": "f"}]))
    events = parser.feed(text)
    content, error = None, None

    def close() -> None:
        nonlocal content, error
        try:
            content = parser.close().content
        except OutputError as caught:
            content, error = caught.parsed.content, caught

    if closes_first:
        close()
    events += parser.finish()
    if not closes_first:
        close()
    assert "".join(event.text for event in events if isinstance(event, ContentDelta)) == content
    assert [event.error for event in events if isinstance(event, Malformed)] == ([error] if error else [])
    assert parser.finish() == []
    with pytest.raises(PolicyError):
        parser.feed("x")


TWICE = '{"a": 1, "b": {}, "\\u0061": 2}'


@pytest.mark.parametrize("made", [lambda: mw.json_schema({}), lambda: mw.response_format({"type": "json_object"})])
def test_keys_that_come_twice_are_malformed(made: Any) -> None:
    """Masks of schemas never let a key be written twice, so none is read."""
    parser = mw.parser_of(made())
    events = parser.feed(TWICE)
    assert isinstance(events[-1], Malformed)
    with pytest.raises(OutputError, match="stands there already"):
        parser.close()


@pytest.mark.parametrize("arguments", [TWICE, '{"a": [{"b": 1, "b": 1}]}'])
def test_arguments_have_every_key_once(arguments: str) -> None:
    """So do the arguments of calls, at any depth."""
    text = f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'
    with pytest.raises(OutputError, match="stands there already"):
        parse_tools(text, format="hermes")


def test_roots_read_what_they_let_be_written() -> None:
    """A grammar root admits a key twice, and then the last one counts."""
    for name in ("object", "value"):
        parser = mw.parser_of(mw.grammar_root(name))
        parser.feed(TWICE)
        assert parser.close() == {"a": 2, "b": {}}
    parser = mw.parser_of(mw.grammar_root("func"))
    parser.feed(f'{{"name": "f", "arguments": {TWICE}}}')
    assert parser.close().calls[0].value == {"a": 2, "b": {}}


def test_numbers_of_arguments_are_never_infinite() -> None:
    """What no float reaches is exact."""
    text = '<tool_call>\n{"name": "f", "arguments": {"a": 1e999, "b": -1E999}}\n</tool_call>'
    assert parse_tools(text, format="hermes").calls[0].value == {"a": Decimal("1e999"), "b": Decimal("-1e999")}


@pytest.mark.parametrize("given", [None, 1, "text", {}, mw.tools])
def test_only_constraints_have_parsers(given: object) -> None:
    """Anything else has no meaning."""
    with pytest.raises(PolicyError):
        mw.parser_of(given)  # type: ignore[arg-type]
