"""Conversations as the OpenAI API has them, read and checked: messages and tools with exact types.

Source: the ``messages`` and ``tools`` fields of ``/v1/chat/completions``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from maskwright.errors import ModelError, excerpt

__all__ = ["Call", "Message", "parse_arguments", "read_messages", "read_tools"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the assistant made."""

    id: str
    name: str
    #: JSON text, as the API has it.
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. ``developer`` is ``system``, and a missing content is ``""``."""

    role: str
    content: str = ""
    #: Of the assistant.
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    #: Of a tool: what call it answers, and the function's name if it is told.
    call_id: str = ""
    name: str = ""


def read_messages(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Read the messages of a request.

    Raises:
        ModelError: there is none, or a field has no meaning; the message names its place (``messages[2].content``).

    """
    if not messages:
        raise ModelError("messages: a conversation has at least one message")
    return tuple(_message(f"messages[{index}]", message) for index, message in enumerate(messages))


def read_tools(tools: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Check that every tool is a function with a name.

    Raises:
        ModelError: one is not; the message names its place.

    """
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise ModelError(
                f'tools[{index}]: {excerpt(tool)} is no {{"type": "function", "function": {{"name": ..}}}}'
            )
    return tuple(tools)


def parse_arguments(arguments: str) -> Any:
    """The value of a call's arguments; the text itself if it is not JSON."""
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _message(place: str, message: object) -> Message:
    if not isinstance(message, Mapping):
        raise ModelError(f"{place}: {excerpt(message)} is no message (give an object with role and content)")
    role = message.get("role")
    if role not in _ROLES:
        raise ModelError(f"{place}.role: {excerpt(role)} is none of {', '.join(_ROLES)}")
    content = _content(f"{place}.content", message.get("content"))
    if role == "assistant":
        calls = message.get("tool_calls") or ()
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise ModelError(f"{place}.tool_calls: {excerpt(calls)} is no list")
        read = tuple(_call(f"{place}.tool_calls[{index}]", call) for index, call in enumerate(calls))
        reasoning = message.get("reasoning_content", message.get("reasoning"))
        return Message(role=role, content=content, calls=read, reasoning=_content(f"{place}.reasoning", reasoning))
    if role == "tool":
        names = {key: _text(f"{place}.{key}", message.get(key)) for key in ("tool_call_id", "name")}
        return Message(role=role, content=content, call_id=names["tool_call_id"], name=names["name"])
    return Message(role="system" if role == "developer" else role, content=content)


def _call(place: str, call: object) -> Call:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        raise ModelError(f"{place}: {excerpt(call)} has no function")
    name, arguments = function.get("name"), function.get("arguments", "{}")
    if not isinstance(name, str) or not isinstance(arguments, str):
        raise ModelError(f"{place}.function: name and arguments are strings, not {excerpt(function)}")
    return Call(_text(f"{place}.id", call.get("id")), name, arguments)


def _text(place: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ModelError(f"{place}: {excerpt(value)} is no string")
    return value


def _content(place: str, content: object) -> str:
    """A content as one string: parts of a list, each ``{"type": "text", "text": ..}``, one after the other."""
    if not isinstance(content, Sequence) or isinstance(content, str):
        return _text(place, content)
    return "".join(_part(f"{place}[{index}]", part) for index, part in enumerate(content))


def _part(place: str, part: object) -> str:
    text = part.get("text") if isinstance(part, Mapping) else part
    if not isinstance(text, str):
        raise ModelError(f"{place}: {excerpt(part)} is no text (this model reads text alone)")
    return text
