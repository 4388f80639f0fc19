"""Members of objects within fields that nobody reads, found by the names of those that are read.

Only of fields whose readers take what they need and pass over the rest; other readers refuse what they do not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from maskwright.errors import excerpt

__all__ = ["unread_members"]

#: Member to what is read within it: None for all of it, a list for each element of a list.
_Shape = Mapping[str, Any]

_PARTS: Final = [{"type": None, "text": None, "refusal": None}]
_CALL: Final = {"id": None, "type": None, "index": None, "function": {"name": None, "arguments": None}}
_ANY_ROLE: Final[_Shape] = {"role": None, "name": None, "content": _PARTS}
_OF_ROLE: Final[dict[str, _Shape]] = {
    "assistant": {
        **dict.fromkeys(("reasoning", "reasoning_content"), _PARTS),
        # Answers of APIs have these, and clients send answers back as they are: that they say nothing is known.
        **dict.fromkeys(("refusal", "annotations", "audio", "function_call")),
        "prefix": None,
        "tool_calls": [_CALL],
    },
    "tool": {"tool_call_id": None},
}
_NAMED: Final[_Shape] = {"type": None, "name": None, "function": {"name": None}}
_LIST: Final[_Shape] = {"mode": None, "tools": [_NAMED]}
_SHAPES: Final[dict[str, Any]] = {
    # What stands in function is refused where it is not known.
    "tools": [{"type": None, "function": None}],
    "tool_choice": {**_NAMED, **_LIST, "allowed_tools": _LIST},
    "prediction": {"type": None, "content": _PARTS},
}


def unread_members(field: str, value: object) -> Iterator[str]:
    """The paths (``messages[0].cache_control``) of members that are not null and that nobody reads.

    Args:
        field: The name of a field.
        value: What was sent in it, of a shape that its reader takes.
    """
    if field == "messages" and isinstance(value, list):
        for i, message in enumerate(value):
            role = message.get("role") if isinstance(message, Mapping) else None
            yield from _unread(message, {**_ANY_ROLE, **_OF_ROLE.get(str(role), {})}, f"{field}[{i}]")
    elif field in _SHAPES:
        yield from _unread(value, _SHAPES[field], field)


def _unread(value: object, shape: Any, path: str) -> Iterator[str]:
    if isinstance(shape, list):
        for i, one in enumerate(value if isinstance(value, list) else ()):
            yield from _unread(one, shape[0], f"{path}[{i}]")
    elif isinstance(value, Mapping) and shape is not None and not _is_bare_tool(value, path):
        for name, one in value.items():
            if one is None:
                continue
            if name not in shape:
                yield f"{path}.{excerpt(name, 80)[1:-1]}"
            else:
                yield from _unread(one, shape[name], f"{path}.{name}")


def _is_bare_tool(value: Mapping[str, Any], path: str) -> bool:
    """Whether it is a tool without ``function`` around its members, of which none is passed over."""
    return path.startswith("tools[") and "function" not in value
