"""Streams: their pieces put together are the answer, whatever was written and however it was cut."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import chain
from typing import Any, Final

import pytest

from tests.unit.server.asking import make, post, streamed
from tests.unit.server.fakes import FakeEngine, FakeRuntime

USER: Final = {"messages": [{"role": "user", "content": "a"}]}
PARAMETERS: Final = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
TOOLS: Final = [{"type": "function", "function": {"name": name, "parameters": PARAMETERS}} for name in ("f", "g")]
CALLS: Final = (
    'Well.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>\n'
    '<tool_call>\n{"name": "g", "arguments": {"a": -22}}\n</tool_call>'
)
THINKING: Final = ("<think>", "</think>")
THOUGHTS: Final = [*"hm, ä".encode(), 259, *"\n\nHi 😀".encode()]


def joined(chunks: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The choices that the chunks of a chat are, as clients put them together."""
    made: dict[int, dict[str, Any]] = defaultdict(
        lambda: {"content": "", "reasoning": "", "calls": {}, "finish": None, "logprobs": [], "thought": [], "roles": 0}
    )
    for chunk in chunks:
        for choice in chunk["choices"]:
            one = made[choice["index"]]
            assert one["finish"] is None, "nothing comes after the finish"
            delta = choice["delta"]
            one["roles"] += delta.get("role") == "assistant"
            one["content"] += delta.get("content") or ""
            one["reasoning"] += delta.get("reasoning") or ""
            for call in delta.get("tool_calls") or ():
                known = one["calls"].setdefault(call["index"], {"id": None, "name": "", "arguments": ""})
                assert call["type"] == "function"
                known["id"] = call.get("id") or known["id"]
                known["name"] += call["function"].get("name") or ""
                known["arguments"] += call["function"].get("arguments") or ""
            one["logprobs"] += (choice["logprobs"] or {}).get("content") or []
            one["thought"] += (choice.get("reasoning_logprobs") or {}).get("content") or []
            one["finish"] = choice["finish_reason"]
    return made


def whole(answer: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """An answer in the same shape."""
    return {
        choice["index"]: {
            "content": choice["message"]["content"] or "",
            "reasoning": choice["message"].get("reasoning") or "",
            "calls": {
                place: {"id": call["id"], **call["function"]}
                for place, call in enumerate(choice["message"].get("tool_calls") or ())
            },
            "finish": choice["finish_reason"],
            "logprobs": (choice["logprobs"] or {}).get("content") or [],
            "thought": (choice.get("reasoning_logprobs") or {}).get("content") or [],
            "roles": 1,
        }
        for choice in answer["choices"]
    }


def _without_ids(choices: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Ids are made anew for each answer."""
    for choice in choices.values():
        for call in choice["calls"].values():
            assert call.pop("id").startswith("call_")
    return dict(choices)


WRITTEN: Final[dict[str, tuple[Any, dict[str, Any], tuple[str, str] | None]]] = {
    "text": ("Hello, wörld 😀", {}, None),
    "nothing": ("", {}, None),
    "half a character": ("Hi 😀".encode()[:-1], {}, None),
    "bytes that are no text": (b"a\xff\xfeb\xe2\x82", {}, None),
    "calls": (CALLS, {"tools": TOOLS}, None),
    "one call": (CALLS.split("\n", 1)[1].split("\n<tool_call>")[0], {"tools": TOOLS}, None),
    "calls that are not wanted": (CALLS, {}, None),
    "no calls": ("Just text < with <tool marks", {"tools": TOOLS}, None),
    "a broken call": ('Well <tool_call>\n{"nome": 1}', {"tools": TOOLS}, None),
    "a call that is cut off": ('<tool_call>\n{"name": "f", "arguments": {"a": 1', {"tools": TOOLS}, None),
    "thinking": (THOUGHTS, {}, THINKING),
    "thinking, hidden": (THOUGHTS, {"reasoning_format": "hidden"}, THINKING),
    "thinking, raw": (THOUGHTS, {"reasoning_format": "raw"}, THINKING),
    "thinking, one list": (THOUGHTS, {"reasoning_format": "text_parsed"}, THINKING),
    "thinking without end": ("hm and hm", {}, THINKING),
    "thinking and calls": ([*b"hm", 259, *CALLS.encode()], {"tools": TOOLS}, THINKING),
    "thinking that is off": ("Hi", {"reasoning_effort": "none"}, THINKING),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("scores", [{}, {"logprobs": True, "top_logprobs": 1}], ids=["", "logprobs"])
def test_pieces_are_the_answer(name: str, n: int, scores: dict[str, Any]) -> None:
    """What clients put together of a stream is what they get without one."""
    written, more, thinking = WRITTEN[name]

    def app() -> Any:
        engine = FakeEngine(written, runtime=FakeRuntime(thinking=thinking))
        engine.obeys = False
        return make(engine)

    body = {**USER, **more, **scores, "n": n}
    answer = post(app(), "chat/completions", body).json()
    chunks = streamed(app(), "chat/completions", body)
    assert _without_ids(joined(chunks)) == _without_ids(whole(answer))
    assert len(answer["choices"]) == n


def _message(written: Any, thinking: tuple[str, str] | None = None, **more: Any) -> dict[str, Any]:
    engine = FakeEngine(written, runtime=FakeRuntime(thinking=thinking))
    engine.obeys = False
    answer = post(make(engine), "chat/completions", {**USER, **more}).json()
    return {**answer["choices"][0], "usage": answer["usage"]}


def test_calls_are_read() -> None:
    """Text before calls is content; arguments are JSON text; every call has an id of its own."""
    choice = _message(CALLS, tools=TOOLS)
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"].strip() == "Well."
    calls = choice["message"]["tool_calls"]
    told = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
    assert told == [("f", {"a": 1}), ("g", {"a": -22})]
    assert len({call["id"] for call in calls}) == 2


ONE: Final = CALLS.split("\n", 1)[1].split("\n<tool_call>")[0]
CUT: Final = {
    "text": ("Well, well", 4, "length", 0),
    "text before a call": (CALLS, 3, "length", 0),
    "in a call": (CALLS, CALLS.index("</tool_call>") - 3, "length", 1),
    "behind a call": (f"{ONE}\n and", len(ONE), "tool_calls", 1),
    "behind the blank after a call": (f"{ONE}\n and", len(ONE) + 1, "tool_calls", 1),
    "in text behind a call": (f"{ONE}\nso there", len(ONE) + 3, "length", 1),
    "in the mark of a second call": (CALLS, CALLS.rindex("<tool_call>") + 4, "length", 1),
    "in a second call": (CALLS, CALLS.rindex("arguments"), "length", 2),
}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("stream", [False, True])
def test_cut_off_answers_say_so_unless_whole_calls_end_them(name: str, stream: bool) -> None:
    """`length` is said of text and of calls that lack their ends; calls that can be made are `tool_calls`."""
    written, most, reason, calls = CUT[name]
    engine = FakeEngine(written)
    engine.obeys = False
    body = {**USER, "tools": TOOLS, "max_tokens": most}
    if stream:
        choice = joined(streamed(make(engine), "chat/completions", body))[0]
    else:
        choice = whole(post(make(engine), "chat/completions", body).json())[0]
    assert (choice["finish"], len(choice["calls"])) == (reason, calls)


@pytest.mark.parametrize("is_early", [False, True])
@pytest.mark.parametrize("path", ["completions", "chat/completions"])
def test_outputs_that_were_closed_early_say_so(path: str, is_early: bool) -> None:
    """`closed_early` stands beside the reason, once in a stream, and nowhere else."""
    engine = FakeEngine("Hello")
    engine.is_early = is_early
    body = {**USER} if path.startswith("chat") else {"prompt": "a"}
    [choice] = post(make(engine), path, body).json()["choices"]
    assert choice.get("closed_early", False) is is_early
    told = [one for chunk in streamed(make(engine), path, body) for one in chunk["choices"]]
    assert [one.get("closed_early", False) for one in told] == [bool(one["finish_reason"] and is_early) for one in told]


def test_calls_alone_have_no_content() -> None:
    """Content is null beside calls, as clients expect."""
    choice = _message(CALLS[CALLS.index("<") :], tools=TOOLS)
    assert choice["message"]["content"] is None
    assert len(choice["message"]["tool_calls"]) == 2


def test_what_is_no_call_is_text() -> None:
    """A model that is not held to its format writes broken calls; they are shown as they are."""
    choice = _message('Well <tool_call>\n{"nome": 1}', tools=TOOLS)
    assert choice["message"]["content"] == 'Well <tool_call>\n{"nome": 1}'
    assert "tool_calls" not in choice["message"]
    assert choice["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("style", "reasoning", "content", "apart"),
    [
        ("none", "hm, ä", "Hi 😀", True),
        ("parsed", "hm, ä", "Hi 😀", True),
        ("text_parsed", "hm, ä", "Hi 😀", False),
        ("hidden", None, "Hi 😀", False),
    ],
)
def test_thinking(style: str, reasoning: str | None, content: str, apart: bool) -> None:
    """Thinking goes where the request says, and is counted wherever it goes."""
    choice = _message(THOUGHTS, THINKING, reasoning_format=style, logprobs=True)
    assert choice["message"].get("reasoning") == reasoning
    assert choice["message"]["content"] == content
    thought = len("hm, ä".encode()) + 1
    assert choice["usage"]["completion_tokens_details"]["reasoning_tokens"] == thought
    assert ("reasoning_logprobs" in choice) is apart
    if apart:
        assert len(choice["reasoning_logprobs"]["content"]) == thought
    shown = len(THOUGHTS) - (0 if style == "text_parsed" else thought)
    assert len(choice["logprobs"]["content"]) == shown


def test_raw_thinking() -> None:
    """Raw thinking stands before the content, between its marks; beside a constraint it is hidden."""
    assert _message(THOUGHTS, THINKING, reasoning_format="raw")["message"]["content"] == "<think>hm, ä</think>Hi 😀"
    choice = _message([*b"hm", 259, *b"{}"], THINKING, reasoning_format="raw", response_format={"type": "json_object"})
    assert choice["message"]["content"] == "{}"


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(
    "more", [{}, {"logprobs": 2}, {"echo": True, "logprobs": 1}, {"return_raw_tokens": True}, {"n": 2}]
)
def test_pieces_are_the_completion(name: str, more: dict[str, Any]) -> None:
    """The same of completions: texts, ids, and the parallel lists of probabilities."""
    written, _, _ = WRITTEN[name]
    body = {"prompt": ["äx", "y"], **more}
    answer = post(make(FakeEngine(written)), "completions", body).json()
    chunks = streamed(make(FakeEngine(written)), "completions", body)
    for choice in answer["choices"]:
        parts = [one for chunk in chunks for one in chunk["choices"] if one["index"] == choice["index"]]
        assert [part["finish_reason"] for part in parts] == [None] * (len(parts) - 1) + ["stop"]
        if choice["text"] is None:
            assert {part["text"] for part in parts} == {None}
            assert list(chain.from_iterable(part["tokens"] for part in parts)) == choice["tokens"]
        else:
            assert "".join(part["text"] for part in parts) == choice["text"]
            assert all(part["tokens"] is None for part in parts)
        for key, value in (choice["logprobs"] or {}).items():
            told = [part["logprobs"][key] for part in parts]
            assert (None if value is None else list(chain.from_iterable(told))) == value, key


@pytest.mark.parametrize("path", ["completions", "chat/completions"])
def test_no_piece_splits_a_character(path: str) -> None:
    """Bytes of a character come one by one, and only whole ones are sent."""
    body = {"prompt": "a", **USER}
    for chunk in streamed(make(FakeEngine("ä😀é")), path, body):
        for choice in chunk["choices"]:
            text = choice["text"] if path == "completions" else choice["delta"].get("content", "")
            assert text in {"", "ä", "😀", "é"}


def test_the_order_of_a_stream() -> None:
    """The role comes first, then the content, then the reason, then the usage."""
    chunks = streamed(make(FakeEngine("ab")), "chat/completions", {**USER, "stream_options": {"include_usage": True}})
    assert [chunk["choices"][0]["delta"] if chunk["choices"] else None for chunk in chunks] == [
        {"role": "assistant", "content": ""},
        {"content": "a"},
        {"content": "b"},
        {},
        None,
    ]
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["usage"]["total_tokens"] > 0


def test_the_first_piece_of_a_call() -> None:
    """A call begins with its id and name; its arguments follow."""
    engine = FakeEngine(CALLS)
    engine.obeys = False
    chunks = streamed(make(engine), "chat/completions", {**USER, "tools": TOOLS})
    deltas = [call for chunk in chunks for one in chunk["choices"] for call in one["delta"].get("tool_calls") or ()]
    first = [delta for delta in deltas if "id" in delta]
    assert [(delta["index"], delta["function"]) for delta in first] == [
        (0, {"name": "f", "arguments": ""}),
        (1, {"name": "g", "arguments": ""}),
    ]
    assert all(set(delta["function"]) == {"arguments"} for delta in deltas if "id" not in delta)


def test_the_last_chunk_of_cerebras() -> None:
    """Cerebras tells usage and times with the last chunk, asked or not."""
    for path in ("completions", "chat/completions"):
        body = {"prompt": "a"} if path == "completions" else USER
        chunks = streamed(make(compat="cerebras"), path, body)
        assert ["usage" in chunk for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
        assert "time_info" in chunks[-1]


@pytest.mark.parametrize("given", ["ab", [97, 98]])
def test_what_a_prompt_begins_with(given: Any) -> None:
    """A text gets what the model's prompts begin with; ids are taken as they are. Neither is echoed."""
    engine = FakeEngine("c", runtime=FakeRuntime(opening=(257,)))
    body = {"prompt": given, "echo": True, "logprobs": 0}
    choice = post(make(engine), "completions", body).json()["choices"][0]
    assert engine.jobs[0].prompt == ((257, 97, 98) if isinstance(given, str) else (97, 98))
    assert choice["text"] == "abc"
    assert choice["logprobs"]["tokens"] == ["a", "b", "c"]
    assert choice["logprobs"]["text_offset"] == [0, 1, 2]
