"""What is said to the model about the constraint: the schema in the prompt, and why an answer was refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from maskwright.client.forms import Forms
from maskwright.client.profiles import Profile
from maskwright.client.sketches import sketch
from maskwright.client.task import Task

__all__ = ["again", "instruction", "named_tools", "with_instruction"]

#: Characters of a schema that are shown to the model if nobody asked for it: about 5,000 tokens.
_LONGEST: Final = 16_000
_CHOICES: Final = 2_000
#: Keywords that tell a model nothing about what to write.
_SILENT: Final = frozenset({"$schema", "$id", "$comment", "$anchor"})
_NAMES: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def instruction(task: Task, forms: Forms, profile: Profile, *, is_native: bool) -> str:
    """What tells the model the form of its answer; empty where the API does so, where it is said, or not wanted."""
    wanted = task.schema_in_prompt
    if wanted is False or (wanted == "auto" and is_native and profile.shows_schema):
        return ""
    words = _words(forms)
    if not words or (wanted == "auto" and (len(words) > _LONGEST or _is_said(task, forms))):
        return ""
    return words


def _words(forms: Forms) -> str:
    if forms.schema is not None:
        sketched = sketch(forms.schema)
        if sketched is not None:
            return f"Answer with JSON only, in this form:\n{sketched}"
        return f"Answer with JSON only, matching this JSON Schema:\n{_compact(forms.schema)}"
    if forms.choices is not None:
        listed = ", ".join(_quoted(one) for one in forms.choices)
        return f"Answer with exactly one of: {listed}" if len(listed) <= _CHOICES else ""
    if forms.pattern is not None:
        return f"Answer only with a text that matches the regular expression {forms.pattern}"
    return ""


def _compact(schema: Any) -> str:
    """A schema without blanks and without what only programs read; no deeper than the schema."""
    root = [schema]
    todo: list[tuple[Any, Any]] = [(root, 0)]
    while todo:
        holder, key = todo.pop()
        value = holder[key]
        if isinstance(value, dict):
            are_names = key in _NAMES  # names of properties and definitions, which may be anything
            kept = {name: below for name, below in value.items() if are_names or name not in _SILENT}
            holder[key] = kept
            todo.extend((kept, name) for name in kept)
        elif isinstance(value, list):
            holder[key] = list(value)
            todo.extend((holder[key], place) for place in range(len(value)))
    return json.dumps(root[0], separators=(",", ":"), ensure_ascii=False)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _is_said(task: Task, forms: Forms) -> bool:
    """Whether the user's own words hold the schema already, or all of the choices."""
    said = task.prompt or "\n".join(_texts(task.messages))
    if isinstance(forms.schema, dict):
        properties = forms.schema.get("properties")
        squeezed = "".join(said.split())
        return isinstance(properties, dict) and "".join(_compact(properties).split()) in squeezed
    if forms.choices is not None:
        return all(one in said for one in forms.choices)
    return False


def _texts(messages: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for message in messages:
        content = message.get("content")
        if isinstance(content, str):
            yield content
        elif isinstance(content, list):
            yield from (
                part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
            )


def with_instruction(task: Task, words: str) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """Prompt and messages with an instruction: before a prompt, after the system's words or the last of the user's.

    Models attend to what is near the end, and some templates have no system message: the last message of the user is
    where it is always read.
    """
    if not words:
        return task.prompt or "", task.messages
    if not task.is_chat:
        return f"{words}\n\n{task.prompt}", ()
    messages = list(task.messages)
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.get("role") == "user":
            content = message.get("content")
            more: Any = f"{content}\n\n{words}" if isinstance(content, str) else None
            if isinstance(content, list):
                more = [*content, {"type": "text", "text": words}]
            if more is not None:
                messages[place] = {**message, "content": more}
                return "", tuple(messages)
    return "", (*messages, {"role": "user", "content": words})


def again(messages: Sequence[Mapping[str, Any]], text: str, reason: str) -> tuple[Mapping[str, Any], ...]:
    """The messages of another round: the answer that was refused, and why."""
    words = f"That answer is not valid: {reason}. Answer again with the corrected answer only, without any other text."
    return (*messages, {"role": "assistant", "content": text}, {"role": "user", "content": words})


def named_tools(tools: Iterable[Mapping[str, Any]], example: str) -> str:
    """Tools as a system message lists them for a model whose template is not asked to: one JSON object a line."""
    lines = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return f"You may call functions. These, one JSON object a line:\n{lines}\nWrite a call like this:\n{example}"
