"""Messages and tools: every field without meaning is named with its place."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.decode.conversation import read_messages, read_tools
from maskwright.errors import ModelError

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("hi", r"messages\[1\]"),
        ({"content": "hi"}, r"messages\[1\]\.role"),
        ({"role": "function", "content": "hi"}, r"messages\[1\]\.role"),
        ({"role": ["user"], "content": "hi"}, r"messages\[1\]\.role"),
        ({"role": "user", "content": 5}, r"messages\[1\]\.content"),
        ({"role": "user", "content": {"text": "hi"}}, r"messages\[1\]\.content"),
        ({"role": "user", "content": [{"type": "image_url"}]}, r"messages\[1\]\.content\[0\]"),
        ({"role": "user", "content": ["a", {"text": None}]}, r"messages\[1\]\.content\[1\]"),
        ({"role": "assistant", "tool_calls": 5}, r"messages\[1\]\.tool_calls"),
        ({"role": "assistant", "tool_calls": ["f"]}, r"messages\[1\]\.tool_calls\[0\]"),
        ({"role": "assistant", "tool_calls": [{"function": {"name": 1}}]}, r"messages\[1\]\.tool_calls\[0\]\.function"),
        ({"role": "assistant", "tool_calls": [{**CALL, "id": 1}]}, r"messages\[1\]\.tool_calls\[0\]\.id"),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
            r"messages\[1\]\.tool_calls\[0\]\.function",
        ),
        ({"role": "tool", "content": "4", "tool_call_id": 1}, r"messages\[1\]\.tool_call_id"),
    ],
)
def test_a_field_without_meaning_is_named(message: Any, place: str) -> None:
    """Its place is in the error."""
    with pytest.raises(ModelError, match=place):
        read_messages([{"role": "user", "content": "x"}, message])


@pytest.mark.parametrize("tools", [["f"], [{}], [{"function": "f"}], [{"function": {"name": None}}]])
def test_what_is_no_function_is_no_tool(tools: list[Any]) -> None:
    """Tools are functions with a name."""
    with pytest.raises(ModelError, match=r"tools\[0\]"):
        read_tools(tools)


def test_a_conversation_has_a_message() -> None:
    """None at all says nothing to the model."""
    with pytest.raises(ModelError, match="at least one"):
        read_messages([])


def test_forms_of_one_thing_are_read_alike() -> None:
    """Parts are joined, developer is system, a missing content is empty."""
    read = read_messages(
        [
            {"role": "developer", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning": "hm"},
            {"role": "tool", "content": "4", "tool_call_id": "c"},
        ]
    )
    assert [(one.role, one.content) for one in read] == [("system", "ab"), ("assistant", ""), ("tool", "4")]
    assert read[1].calls[0].name == "f"
    assert read[1].reasoning == "hm"
    assert read[2].call_id == "c"
