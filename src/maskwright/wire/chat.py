"""Requests to ``/v1/chat/completions``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskwright.errors import RequestError, label
from maskwright.wire.fields import Reading, read_fields
from maskwright.wire.generation import Generation
from maskwright.wire.kinds import boolean
from maskwright.wire.messages import Message
from maskwright.wire.reading import agreed, least_tokens, shared
from maskwright.wire.refusals import invalid, of_vendor, unsupported
from maskwright.wire.tables import CHAT_FIELDS
from maskwright.wire.tools import check_choice, check_strictness
from maskwright.wire.turns import check_turns, goes_on

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
    #: As it was sent, without nulls; None for ``text``. It is what ``asked`` says, too.
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
        PolicyError: there is no such ``compat``.
    """
    try:
        found = read_fields(CHAT_FIELDS, data, compat)
        _, most = agreed(found, "max_completion_tokens", "max_tokens")
        made = ChatRequest(
            **shared(found, compat),
            messages=found["messages"],
            max_tokens=most,
            min_tokens=least_tokens(*agreed(found, "min_completion_tokens", "min_tokens"), most),
            logprobs=_logprobs(found),
            tools=found["tools"],
            tool_choice=found["tool_choice"],
            parallel_tool_calls=found["parallel_tool_calls"],
            response_format=found["response_format"],
            prediction=found["prediction"],
            reasoning_effort=found["reasoning_effort"],
            thinks=_thinks(found),
            clear_thinking=found["clear_thinking"],
            continue_final=_continues(found),
        )
        _check_tools(made, found, compat)
        if compat != "lenient":
            check_turns(made.messages)
    except RequestError as error:
        raise of_vendor(error, compat) from error.__cause__
    return made


def _logprobs(found: Reading) -> int | None:
    top: int | None = found["top_logprobs"]
    if found["logprobs"]:
        return top or 0
    if top:
        raise invalid("top_logprobs", "it needs logprobs: true")
    return None


def _thinks(found: Reading) -> bool | None:
    """Off if anything says so, else on if anything does."""
    said = [False] if found["disable_reasoning"] else []
    if found["reasoning_effort"] is not None:
        said.append(found["reasoning_effort"] != "none")
    for name, value in (found["chat_template_kwargs"] or {}).items():
        at = f"chat_template_kwargs.{label(name)}"
        if name not in ("enable_thinking", "thinking"):
            raise unsupported(at, "templates take enable_thinking here and nothing else")
        if value is not None:
            said.append(boolean().read(value, at))
    return all(said) if said else None


def _continues(found: Reading) -> bool:
    asked, adds = found["continue_final_message"], found["add_generation_prompt"]
    if asked and adds:
        raise invalid("add_generation_prompt", "it does not go with continue_final_message")
    continues = goes_on(found["messages"], asked=asked)
    if adds is False and not continues:
        reason = "false goes with continue_final_message only: nobody could tell whose message it would write"
        raise invalid("add_generation_prompt", reason)
    return continues and not adds


def _check_tools(made: ChatRequest, found: Reading, compat: str) -> None:
    if "tool_choice" in found.given and not made.tools and compat != "lenient":
        raise invalid("tool_choice", "it is only allowed when tools are given")
    check_choice(made.tool_choice, made.tools, "tool_choice")
    if compat == "cerebras":
        check_strictness(made.tools, "tools")
    if made.asked is None or not made.tools or made.tool_choice == "none":
        return
    if compat == "cerebras" or made.asked.kind not in ("response_format", "grammar_root"):
        raise invalid(made.asked.param, "it does not go with tools in one request; tool_choice none would do")
