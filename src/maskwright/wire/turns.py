"""What the messages of a chat demand of each other, and whether the answer goes on with the last one."""

from __future__ import annotations

from collections.abc import Sequence

from maskwright.wire.messages import Message
from maskwright.wire.refusals import invalid

__all__ = ["check_turns", "goes_on"]


def check_turns(messages: Sequence[Message], param: str = "messages") -> None:
    """Refuse calls without results and results without calls (Cerebras, API version 2; OpenAI refuses the same).

    Every call of an assistant is answered by one of the tool messages that follow at once; ids do not come twice.

    Raises ``RequestError`` with the message at fault.
    """
    known: set[str] = set()
    open_calls: dict[str, int] = {}
    for i, message in enumerate(messages):
        if message.role == "tool":
            if open_calls.pop(message.tool_call_id or "", None) is None:
                reason = f"no call directly before it has the id {message.tool_call_id!r}, or it was answered already"
                raise invalid(f"{param}[{i}].tool_call_id", reason)
            continue
        _check_answered(open_calls, param)
        open_calls.clear()
        for j, call in enumerate(message.tool_calls):
            if call.id in known:
                raise invalid(f"{param}[{i}].tool_calls[{j}].id", f"the id {call.id!r} comes twice")
            known.add(call.id)
            open_calls[call.id] = i
    _check_answered(open_calls, param)


def _check_answered(open_calls: dict[str, int], param: str) -> None:
    for name, i in open_calls.items():
        reason = f"each call must be answered by a message of the role tool right behind it; {name!r} is not"
        raise invalid(f"{param}[{i}].tool_calls", reason)


def goes_on(messages: Sequence[Message], *, asked: bool | None, param: str = "messages") -> bool:
    """Whether the answer goes on with the last message: it is the assistant's, has text, and nobody says otherwise.

    Raises ``RequestError`` if it is asked for and cannot be.
    """
    last = messages[-1]
    wanted = asked if asked is not None else last.is_prefix
    can = last.role == "assistant" and not last.tool_calls
    if wanted and not can:
        where = "continue_final_message" if asked else f"{param}[{len(messages) - 1}].prefix"
        raise invalid(where, "an answer goes on with a last message of the assistant that makes no calls")
    return can and wanted is not False
