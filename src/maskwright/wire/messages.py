"""Messages of a chat: reading, and the checks between them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

__all__ = ["Message", "ToolCall"]


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call that an assistant made earlier in the conversation."""

    id: str
    name: str
    #: JSON text of an object.
    arguments: str

    def plain(self) -> dict[str, Any]:
        """The call as it stands in a message."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message; parts of text are joined."""

    #: ``system``, ``developer``, ``user``, ``assistant`` or ``tool``.
    role: str
    #: None only beside calls.
    content: str | None = None
    name: str | None = None
    #: Of an assistant: what it thought.
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    def plain(self) -> dict[str, Any]:
        """The message as templates of models take it: ``developer``, which few know, is called ``system``."""
        made: dict[str, Any] = {
            "role": "system" if self.role == "developer" else self.role,
            "content": self.content or "",
            "name": self.name,
            "reasoning_content": self.reasoning,
            "tool_calls": [call.plain() for call in self.tool_calls] or None,
            "tool_call_id": self.tool_call_id,
        }
        return {name: value for name, value in made.items() if value is not None}

    def arguments(self) -> list[Any]:
        """The parsed arguments of its calls."""
        return [json.loads(call.arguments) for call in self.tool_calls]
