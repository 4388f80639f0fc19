"""Messages and tools as people give them."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.client.conversations import messages_of, tools_of
from maskwright.errors import ConstraintError, PolicyError

USER = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("given", "system", "expected"),
    [
        ("hi", None, [USER]),
        ("hi", "be brief", [{"role": "system", "content": "be brief"}, USER]),
        (USER, None, [USER]),
        ([USER], None, [USER]),
        ((USER, {"role": "assistant", "content": None, "tool_calls": []}), None, None),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}]}], None, None),
        ([{"role": "tool", "tool_call_id": "1", "content": "x"}], None, None),
        ("", None, [{"role": "user", "content": ""}]),
    ],
)
def test_messages(given: Any, system: str | None, expected: Any) -> None:
    """A text is what the user says; a list is taken as it is, fields that nobody here knows among them."""
    found = messages_of(given, system=system)
    assert list(found) == (list(given) if expected is None else expected)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "no message"),
        (None, "messages"),
        (5, "messages"),
        (b"hi", "messages"),
        (["hi"], r"messages\[0\]"),
        ([USER, {"content": "x"}], r"messages\[1\].role"),
        ([{"role": "robot", "content": "x"}], "robot"),
        ([{"role": "user"}], r"messages\[0\].content"),
        ([{"role": "user", "content": 5}], r"messages\[0\].content"),
        ([{"role": "user", "content": {"type": "text"}}], r"messages\[0\].content"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}], "images"),
        ([{"role": "user", "content": [{"type": "text"}]}], r"content\[0\]"),
        ([{"role": "user", "content": ["x"]}], r"content\[0\]"),
    ],
)
def test_what_is_no_message(given: Any, words: str) -> None:
    """Is told with its place; images are refused and not dropped."""
    with pytest.raises(PolicyError, match=words):
        messages_of(given)


def weather(city: str, days: int = 1) -> None:
    """The weather of a city."""


def test_tools() -> None:
    """OpenAI's shape stays, bare tools are wrapped, functions are described by their docstrings."""
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    whole = {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": parameters, "strict": True},
    }
    bare = {"name": "g", "parameters": parameters}
    first, second, third = tools_of([whole, bare, weather])
    assert first == whole
    assert second == {"type": "function", "function": bare}
    assert third["function"]["name"] == "weather"
    assert third["function"]["description"] == "The weather of a city."
    assert third["function"]["parameters"]["required"] == ["city"]
    assert tools_of(None) == ()
    assert tools_of(iter([bare])) == (second,)


@pytest.mark.parametrize("given", [[{"name": "a b"}], [5], [{"type": "web_search"}], [weather, weather]])
def test_what_is_no_tool(given: Any) -> None:
    """Is told with its place in the list."""
    with pytest.raises(ConstraintError, match="tool"):
        tools_of(given)
    with pytest.raises(PolicyError):
        tools_of("weather")
