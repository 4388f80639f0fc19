"""Requests to ``/v1/chat/completions``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskwright.wire.generation import Generation
from maskwright.wire.messages import Message

__all__ = ["ChatRequest", "read_chat"]


@dataclass(frozen=True, kw_only=True)
class ChatRequest(Generation):
    """A request for an answer in a chat, checked."""

    messages: tuple[Message, ...] = ()
    #: In OpenAI's shape: ``{"type": "function", "function": {"name", "description"?, "parameters"?, "strict"?}}``.
    tools: tuple[Mapping[str, Any], ...] = ()
    #: ``"auto"``, ``"none"``, ``"required"``, ``{"type": "function", ..}`` or ``{"type": "allowed_tools", ..}``.
    tool_choice: str | Mapping[str, Any] = "auto"
    parallel_tool_calls: bool = True
    #: As it was sent; None for ``text``. It is what ``asked`` says, too.
    response_format: Mapping[str, Any] | None = None
    #: A text that the answer is expected to repeat.
    prediction: str | None = None
    #: As it was sent (``none``, ``low``, ``medium``, ``high``, ...).
    reasoning_effort: str | None = None
    #: Whether the model is to think before it answers; None: as it is used to.
    thinks: bool | None = None
    #: Whether reasoning before the last message of the user is dropped from the prompt; None: as the template does.
    clear_thinking: bool | None = None
    #: The answer goes on with the last message, which is the assistant's.
    continue_final: bool = False


def read_chat(data: object, *, compat: str = "lenient") -> ChatRequest:
    """The request in a parsed body.

    Raises:
        RequestError: with the path of the field at fault as ``param``; 422 for what is misshapen under ``cerebras``.
    """
    raise NotImplementedError
