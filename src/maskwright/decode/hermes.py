"""Tools for models whose template knows none: described and called as text, in the format of Hermes and Qwen.

What is written here is what :data:`maskwright.tags.formats.FORMATS` calls ``hermes``, so an answer in it is read by
:mod:`maskwright.tags`. Source of the marks: the chat templates of Hermes 2 Pro and Qwen 2.5; the sentences are ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from maskwright.decode.conversation import Call, Message, parse_arguments
from maskwright.errors import ModelError
from maskwright.tags.formats import FORMATS

__all__ = ["flatten"]

_FORMAT: Final = FORMATS["hermes"]
_HEAD: Final = "You can call these functions, one JSON object a line:\n<tools>\n"
_FOOT: Final = (
    "\n</tools>\nTo call one, write its name and its arguments as a JSON object between <tool_call> and </tool_call>:\n"
    '<tool_call>\n{"name": "<name>", "arguments": {<arguments>}}\n</tool_call>\n'
    "For several calls, write several of these. The results come in <tool_response>."
)


def flatten(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], system: str) -> tuple[Message, ...]:
    """Return a conversation of system, user and assistant alone that says the same.

    Args:
        messages: The conversation.
        tools: Described at the end of the first system message.
        system: The system message of a conversation that has none; with neither it nor tools there is none.

    Raises:
        ModelError: a tool is no JSON value.

    """
    flat: list[Message] = []
    was_result = False
    for message in messages:
        is_result = message.role == "tool"
        plain = _plain(message)
        if is_result and was_result:
            flat[-1] = replace(flat[-1], content=f"{flat[-1].content}\n{plain.content}")
        else:
            flat.append(plain)
        was_result = is_result
    if flat[0].role != "system" and (system or tools):
        flat.insert(0, Message(role="system", content=system))
    if tools:
        before = f"{flat[0].content}\n\n" if flat[0].content else ""
        flat[0] = replace(flat[0], content=before + _HEAD + "\n".join(map(_line, tools)) + _FOOT)
    return tuple(flat)


def _plain(message: Message) -> Message:
    if message.role == "tool":
        return Message(role="user", content=f"<tool_response>\n{message.content}\n</tool_response>")
    if message.calls:
        parts = [message.content] if message.content else []
        return replace(message, content="\n".join([*parts, *map(_written, message.calls)]), calls=())
    return message


def _written(call: Call) -> str:
    value = {_FORMAT.name_key: call.name, _FORMAT.arguments_keys[0]: parse_arguments(call.arguments)}
    return _FORMAT.call_begin + _line(value) + _FORMAT.call_end


def _line(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as cause:
        raise ModelError(f"a tool or call cannot be written as JSON: {cause}") from cause
