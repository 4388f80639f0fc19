"""The fields ``tools`` and ``tool_choice``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from maskwright.errors import ConstraintError, PolicyError, RequestError, excerpt
from maskwright.tags.toolset import read_choice, read_tools
from maskwright.wire.kinds import Kind, wrong_type
from maskwright.wire.places import path_of
from maskwright.wire.refusals import invalid, unsupported

__all__ = ["TOOLS", "TOOL_CHOICE", "check_choice", "check_strictness"]

#: Tools of one request, as in OpenAI's interface.
_TOOLS: Final = 128
_MODES: Final = ("none", "auto", "required")
_PATTERN: Final = "^[A-Za-z0-9_-]{1,64}$"
_MIXED: Final = (
    "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'"
)


def _tools(value: Any, param: str) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list):
        raise wrong_type(param, "a list of tools", value)
    if len(value) > _TOOLS:
        raise invalid(param, f"there are at most {_TOOLS} tools, not {len(value)}")
    plain = [_plain(tool, f"{param}[{i}]") for i, tool in enumerate(value)]
    try:
        read_tools(plain, strict=None)
    except ConstraintError as error:
        problem = error.problems[0]
        told = f"{problem.reason} ({problem.remedy})" if problem.remedy else problem.reason
        raise invalid(path_of(param, problem.place), told, code="invalid_function_parameters") from error
    return tuple(plain)


def _plain(tool: Any, param: str) -> Mapping[str, Any]:
    """A tool in the shape of chat interfaces; nulls say nothing."""
    if not isinstance(tool, Mapping):
        raise wrong_type(param, "a tool, which is an object", tool)
    kind = tool.get("type", "function")
    if kind not in ("function", None):
        reason = f"only functions are, not {excerpt(kind)}"
        raise unsupported(f"{param}.type", reason, code="unsupported_value")
    inner = tool["function"] if "function" in tool else {name: tool[name] for name in tool if name != "type"}
    if not isinstance(inner, Mapping):
        raise wrong_type(f"{param}.function", "an object with a name", inner)
    return {"type": "function", "function": {name: one for name, one in inner.items() if one is not None}}


def _tool_choice(value: Any, param: str) -> str | Mapping[str, Any]:
    if isinstance(value, str):
        if value not in _MODES:
            advice = '; a tool is named as {"type": "function", "function": {"name": ..}}'
            raise invalid(param, f"it is one of {', '.join(_MODES)}, not {excerpt(value, 80)}{advice}")
        return value
    if not isinstance(value, Mapping):
        raise wrong_type(param, f"one of {', '.join(_MODES)} or an object", value)
    found: Mapping[str, Any] = value
    return found


def check_choice(choice: str | Mapping[str, Any], tools: Sequence[Mapping[str, Any]], param: str) -> None:
    """Refuse a choice that names no tool of the list, or demands a call without tools. Raises ``RequestError``."""
    try:
        read_choice(choice, read_tools(tools, strict=None))
    except PolicyError as error:
        raise invalid(param, str(error)) from error


def check_strictness(tools: Sequence[Mapping[str, Any]], param: str) -> None:
    """Refuse tools that are strict beside others that are not, in Cerebras' words. Raises ``RequestError``."""
    if len({tool["function"].get("strict") is True for tool in tools}) > 1:
        raise RequestError(_MIXED, param=param, code="invalid_value")


def _tools_schema() -> dict[str, Any]:
    of_objects = {"anyOf": [{"const": "object"}, {"type": "array", "contains": {"const": "object"}}]}
    parameters = {
        "type": ["object", "null"],
        "properties": {"type": of_objects},
        "description": "A JSON Schema of type object.",
    }
    function = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": _PATTERN},
            "description": {"type": ["string", "null"]},
            "parameters": parameters,
            "strict": {"type": ["boolean", "null"]},
        },
        "required": ["name"],
        "additionalProperties": {"type": "null"},
    }
    tool = {
        "type": "object",
        "properties": {"type": {"const": "function"}, "function": function},
        "required": ["type", "function"],
    }
    # More than one could have a name twice, which JSON Schema cannot exclude.
    return {"type": "array", "maxItems": _TOOLS, "items": tool}


def _choice_schema() -> dict[str, Any]:
    named = {
        "type": "object",
        "properties": {
            "type": {"const": "function"},
            "function": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        },
        "required": ["type", "function"],
    }
    allowed = {
        "type": "object",
        "properties": {
            "type": {"const": "allowed_tools"},
            "allowed_tools": {
                "type": "object",
                "properties": {
                    "mode": {"enum": ["auto", "required"]},
                    "tools": {"type": "array", "minItems": 1, "items": named},
                },
                "required": ["mode", "tools"],
            },
        },
        "required": ["type", "allowed_tools"],
    }
    return {"anyOf": [{"enum": list(_MODES)}, named, allowed]}


TOOLS: Final = Kind(_tools, _tools_schema(), f"functions, at most {_TOOLS}, each with its own name")
TOOL_CHOICE: Final = Kind(
    _tool_choice, _choice_schema(), "`none` \\| `auto` \\| `required` \\| a function \\| `allowed_tools`"
)
