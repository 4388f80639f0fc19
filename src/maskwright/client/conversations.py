"""What people give as messages and tools, as requests have it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final

from maskwright.client.numbers import writable
from maskwright.errors import PolicyError, excerpt
from maskwright.schema.python_types import is_python_type
from maskwright.tags.toolset import read_tools

__all__ = ["messages_of", "tools_of"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")


def messages_of(given: object, *, system: str | None = None) -> tuple[dict[str, Any], ...]:
    """Messages in OpenAI's shape: a text is what the user says; a list is taken as it is, after a check.

    Args:
        given: A text, a message, or messages: ``role``, ``content`` (a text, parts of text, or ``None``) and what else
            the API knows.
        system: What the system message before all of them says.

    Raises:
        PolicyError: there is none, a role is unknown, or a part is an image: no model here reads one.
    """
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise PolicyError(f"messages are a text or a list of messages, not {excerpt(given)}")
    messages = tuple(_message(index, message) for index, message in enumerate(given))
    if not messages:
        raise PolicyError("there is no message")
    if system is None:
        return messages
    if not isinstance(system, str):
        raise PolicyError(f"system is a text, not {excerpt(system)}")
    return {"role": "system", "content": system}, *messages


def _message(index: int, given: object) -> dict[str, Any]:
    here = f"messages[{index}]"
    if not isinstance(given, Mapping):
        raise PolicyError(f'{here} is a message as {{"role": "user", "content": ".."}}, not {excerpt(given)}')
    role = given.get("role")
    if role not in _ROLES:
        raise PolicyError(f"{here}.role is one of {', '.join(_ROLES)}, not {excerpt(role)}")
    content = given.get("content")
    if isinstance(content, Iterable) and not isinstance(content, (str, bytes, Mapping)):
        content = [_part(f"{here}.content[{place}]", part) for place, part in enumerate(content)]
    elif content is not None and not isinstance(content, str):
        raise PolicyError(f"{here}.content is a text or a list of parts, not {excerpt(content)}")
    elif content is None and role != "assistant":
        raise PolicyError(f"{here}.content is missing")
    return {**given, "content": content}


def _part(here: str, given: object) -> dict[str, Any]:
    kind = given.get("type") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(kind, str):
        raise PolicyError(f'{here} is a part as {{"type": "text", "text": ".."}}, not {excerpt(given)}')
    if kind != "text" or not isinstance(given.get("text"), str):
        raise PolicyError(f"{here} is of type {excerpt(kind)}; only text is sent, images and other media are not")
    return dict(given)


def tools_of(given: Iterable[object] | None) -> tuple[dict[str, Any], ...]:
    """Tools in OpenAI's shape: as they are, bare, or Python functions and types, whose docstrings describe them.

    Raises:
        ConstraintError: a tool that cannot be used; every problem tells its place in the list.
        PolicyError: this is no list.
    """
    if given is None:
        return ()
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) else given
    tools = read_tools(listed, strict=None)
    return tuple(
        {"type": "function", "function": writable(_described(one, tool.plain()))}
        for one, tool in zip(listed if isinstance(listed, list) else (), tools, strict=True)
    )


def _described(given: object, plain: dict[str, Any]) -> dict[str, Any]:
    if isinstance(given, Mapping):
        inner = given.get("function", given)
        words = inner.get("description") if isinstance(inner, Mapping) else None
        strict = {"strict": True} if isinstance(inner, Mapping) and inner.get("strict") is True else {}
        plain = {**plain, **strict}
    else:
        words = inspect.getdoc(given) if is_python_type(given) else None
    return {"name": plain.pop("name"), **({"description": words} if isinstance(words, str) else {}), **plain}
