"""Messages of a chat: reading each of them. What they demand of each other is checked in ``turns``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from maskwright.errors import excerpt
from maskwright.wire.kinds import Kind, choice_of, text, wrong_type
from maskwright.wire.refusals import invalid, missing, unsupported

__all__ = ["CONTENT", "MESSAGES", "Message", "ToolCall", "joined"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")
#: Kinds of parts that other models read.
_OTHER_PARTS: Final = ("image_url", "image", "input_audio", "audio", "file", "video_url")
_NAME: Final = text(1, 64)
_ID: Final = text(1, 256)
_ROLE: Final = choice_of(*_ROLES)


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
    #: Of an assistant: the answer goes on with it (``prefix`` of Mistral and DeepSeek); None: nothing is said.
    is_prefix: bool | None = None

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


def joined(value: Any, param: str) -> str:
    """A text, or parts of text one after the other.

    Raises ``RequestError`` for parts of any other kind.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise wrong_type(param, "a string or a list of parts of text", value)
    if not value:
        raise invalid(param, "the list is empty")
    return "".join(_part(part, f"{param}[{i}]") for i, part in enumerate(value))


def _part(part: Any, param: str) -> str:
    if not isinstance(part, Mapping):
        raise wrong_type(param, 'a part as {"type": "text", "text": ..}', part)
    kind = part.get("type")
    if isinstance(kind, str) and kind in _OTHER_PARTS:
        raise unsupported(f"{param}.type", f"models here read text only, not {kind}", code="unsupported_value")
    if kind not in ("text", "refusal"):
        raise invalid(f"{param}.type", f"it is text, not {excerpt(kind)}")
    if part.get(kind) is None:
        raise missing(f"{param}.{kind}")
    found: str = text().read(part[kind], f"{param}.{kind}")
    return found


def _messages(value: Any, param: str) -> tuple[Message, ...]:
    if not isinstance(value, list):
        raise wrong_type(param, "a list of messages", value)
    if not value:
        raise invalid(param, "there is no message")
    return tuple(_message(one, f"{param}[{i}]") for i, one in enumerate(value))


def _message(value: Any, param: str) -> Message:
    if not isinstance(value, Mapping):
        raise wrong_type(param, "a message, which is an object", value)
    if value.get("role") is None:
        raise missing(f"{param}.role")
    if value["role"] == "function":
        raise unsupported(f"{param}.role", "results of tools have the role tool", code="unsupported_value")
    role = _ROLE.read(value["role"], f"{param}.role")
    calls = _calls(value, param) if role == "assistant" else ()
    return Message(
        role=role,
        content=_content(value.get("content"), role, param, has_calls=bool(calls)),
        name=_optional(_NAME, value, "name", param),
        reasoning=_reasoning(value, param) if role == "assistant" else None,
        tool_calls=calls,
        tool_call_id=_call_id(value, param) if role == "tool" else None,
        is_prefix=_prefix(value, param) if role == "assistant" else None,
    )


def _optional(kind: Kind, value: Mapping[str, Any], name: str, param: str) -> Any:
    return None if value.get(name) is None else kind.read(value[name], f"{param}.{name}")


def _content(value: Any, role: str, param: str, *, has_calls: bool) -> str | None:
    if value is not None:
        return joined(value, f"{param}.content")
    if role != "assistant":
        raise missing(f"{param}.content")
    return None if has_calls else ""


def _reasoning(value: Mapping[str, Any], param: str) -> str | None:
    for name in ("reasoning", "reasoning_content"):
        if value.get(name) is not None:
            return joined(value[name], f"{param}.{name}")
    return None


def _call_id(value: Mapping[str, Any], param: str) -> str:
    if value.get("tool_call_id") is None:
        raise missing(f"{param}.tool_call_id")
    found: str = _ID.read(value["tool_call_id"], f"{param}.tool_call_id")
    return found


def _prefix(value: Mapping[str, Any], param: str) -> bool | None:
    found = value.get("prefix")
    if found is not None and not isinstance(found, bool):
        raise wrong_type(f"{param}.prefix", "a boolean", found)
    return found


def _calls(value: Mapping[str, Any], param: str) -> tuple[ToolCall, ...]:
    if value.get("function_call") is not None:
        raise unsupported(f"{param}.function_call", "calls stand in tool_calls")
    given = value.get("tool_calls")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise wrong_type(f"{param}.tool_calls", "a list of calls", given)
    return tuple(_call(one, f"{param}.tool_calls[{i}]") for i, one in enumerate(given))


def _call(value: Any, param: str) -> ToolCall:
    if not isinstance(value, Mapping):
        raise wrong_type(param, "a call, which is an object", value)
    if value.get("type", "function") not in ("function", None):
        reason = f"only functions are called, not {excerpt(value['type'])}"
        raise unsupported(f"{param}.type", reason, code="unsupported_value")
    function = value.get("function")
    for name, one in (("id", value.get("id")), ("function", function)):
        if one is None:
            raise missing(f"{param}.{name}")
    if not isinstance(function, Mapping):
        raise wrong_type(f"{param}.function", "an object with name and arguments", function)
    if function.get("name") is None:
        raise missing(f"{param}.function.name")
    return ToolCall(
        id=_ID.read(value["id"], f"{param}.id"),
        name=_NAME.read(function["name"], f"{param}.function.name"),
        arguments=_arguments(function.get("arguments"), f"{param}.function.arguments"),
    )


def _arguments(value: Any, param: str) -> str:
    """JSON text of an object. Templates of models read it again, so it has to be one; nothing at all means ``{}``."""
    if value is None or value == "":
        return "{}"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        raise wrong_type(param, "the JSON text of an object", value)
    try:
        parsed = json.loads(value, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise invalid(param, f"it is not JSON text: {excerpt(str(error), 120)}") from error
    if not isinstance(parsed, dict):
        raise invalid(param, f"it is the JSON text of an object, not of {excerpt(parsed, 40)}")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number there")


def _content_schema() -> dict[str, Any]:
    part = {
        "type": "object",
        "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
        "required": ["type", "text"],
    }
    return {"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": part}]}


CONTENT: Final = _content_schema()


def _of_role(roles: list[str], *, required: tuple[str, ...] = ("content",), **more: Any) -> dict[str, Any]:
    properties = {
        "role": {"enum": roles},
        "content": CONTENT,
        "name": {"anyOf": [dict(_NAME.schema), {"type": "null"}]},
        **more,
    }
    return {"type": "object", "properties": properties, "required": ["role", *required]}


def _schema() -> dict[str, Any]:
    function = {
        "type": "object",
        "properties": {
            "name": dict(_NAME.schema),
            "arguments": {
                "type": ["string", "object", "null"],
                "contentMediaType": "application/json",
                "description": "JSON text of an object.",
                "examples": ['{"a": 1}'],
            },
        },
        "required": ["name"],
    }
    call = {
        "type": "object",
        "properties": {"id": dict(_ID.schema), "type": {"const": "function"}, "function": function},
        "required": ["id", "function"],
    }
    assistant = _of_role(
        ["assistant"],
        required=(),
        content={"anyOf": [CONTENT, {"type": "null"}]},
        tool_calls={"type": ["array", "null"], "items": call},
        prefix={"type": ["boolean", "null"]},
        function_call={"type": "null"},
    )
    tool = _of_role(["tool"], required=("content", "tool_call_id"), tool_call_id=dict(_ID.schema))
    items = {"oneOf": [_of_role(["system", "developer", "user"]), assistant, tool]}
    return {"type": "array", "minItems": 1, "items": items}


MESSAGES: Final = Kind(_messages, _schema(), "messages, at least one; content as a string or as parts of text")
