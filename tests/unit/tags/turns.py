"""Turns written the way the model families write them, by a renderer that knows nothing of the package.

One function a family, from public descriptions: the chat templates and model cards of Hermes and Qwen, Llama 3.1,
Mistral, functionary, Phi-4, DeepSeek, Kimi K2, GLM, and OpenAI's harmony guide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

__all__ = ["RENDERERS", "Wish", "rendered"]


class Wish(NamedTuple):
    """A call to be written: its name, its arguments and, where the family has ids, an id."""

    name: str
    arguments: dict[str, Any]
    id: str | None = None


Dump = Callable[[Any], str]


def _hermes(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    blocks = [f"<tool_call>\n{dump({'name': call.name, 'arguments': call.arguments})}\n</tool_call>" for call in calls]
    return text + "\n".join(blocks)


def _llama3(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    if not calls:
        return text
    return "; ".join(dump({"name": call.name, "parameters": call.arguments}) for call in calls)


def _python_tag(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    return ("<|python_tag|>" if calls else "") + _llama3(text, calls, dump)


def _json(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    if not calls:
        return text
    return dump([{"name": call.name, "arguments": call.arguments} for call in calls])


def _mistral_old(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    listed = [{"name": call.name, "arguments": call.arguments} | ({"id": call.id} if call.id else {}) for call in calls]
    return text + (f"[TOOL_CALLS]{dump(listed)}" if calls else "")


def _mistral(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    parts = [text]
    for call in calls:
        identity = f"[CALL_ID]{call.id}" if call.id else ""
        parts.append(f"[TOOL_CALLS]{call.name}{identity}[ARGS]{dump(call.arguments)}")
    return "".join(parts)


def _functionary_31(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    return text + "".join(f"<function={call.name}>{dump(call.arguments)}</function>" for call in calls)


def _functionary_32(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    blocks = [f"all\n{text}"] if text or not calls else []
    return ">>>".join(blocks + [f"{call.name}\n{dump(call.arguments)}" for call in calls])


def _functionary_2(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    blocks = [f"all\n<|content|>{text}"] if text or not calls else []
    blocks += [f"{call.name}\n<|content|>{dump(call.arguments)}" for call in calls]
    return "\n<|from|>assistant\n<|recipient|>".join(blocks)


def _phi4(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    listed = dump([{"name": call.name, "arguments": call.arguments} for call in calls])
    return text + (f"<|tool_call|>{listed}<|/tool_call|>" if calls else "")


def _deepseek(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    if not calls:
        return text
    blocks = [
        f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{dump(call.arguments)}<｜tool▁call▁end｜>" for call in calls
    ]
    return f"{text}<｜tool▁calls▁begin｜>{''.join(blocks)}<｜tool▁calls▁end｜>"


def _deepseek_r1(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    if not calls:
        return text
    blocks = [
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{call.name}\n```json\n{dump(call.arguments)}\n```<｜tool▁call▁end｜>"
        for call in calls
    ]
    return f"{text}<｜tool▁calls▁begin｜>{chr(10).join(blocks)}<｜tool▁calls▁end｜>"


def _kimi(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    if not calls:
        return text
    blocks = [
        f"<|tool_call_begin|>functions.{call.name}:{index}<|tool_call_argument_begin|>{dump(call.arguments)}"
        "<|tool_call_end|>"
        for index, call in enumerate(calls)
    ]
    return f"{text}<|tool_calls_section_begin|>{''.join(blocks)}<|tool_calls_section_end|>"


def _harmony(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    messages = []
    if text or not calls:
        channel = "commentary" if calls else "final"
        messages.append(f"<|channel|>{channel}<|message|>{text}{'<|end|>' if calls else '<|return|>'}")
    messages.extend(
        f"<|channel|>commentary to=functions.{call.name} <|constrain|>json<|message|>{dump(call.arguments)}<|call|>"
        for call in calls
    )
    return "<|start|>assistant".join(messages)


def _plain(value: Any, dump: Dump) -> str:
    return value if isinstance(value, str) else dump(value)


def _qwen3_coder(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    blocks = []
    for call in calls:
        parameters = "".join(
            f"<parameter={key}>\n{_plain(value, dump)}\n</parameter>\n" for key, value in call.arguments.items()
        )
        blocks.append(f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>")
    return text + "\n".join(blocks)


def _glm(text: str, calls: Sequence[Wish], dump: Dump) -> str:
    blocks = []
    for call in calls:
        parameters = "".join(
            f"<arg_key>{key}</arg_key>\n<arg_value>{_plain(value, dump)}</arg_value>\n"
            for key, value in call.arguments.items()
        )
        blocks.append(f"<tool_call>{call.name}\n{parameters}</tool_call>")
    return text + "\n".join(blocks)


#: Name of a format, and how it is written; some have two spellings.
RENDERERS: Final[tuple[tuple[str, Callable[[str, Sequence[Wish], Dump], str]], ...]] = (
    ("hermes", _hermes),
    ("llama3", _llama3),
    ("llama3", _python_tag),
    ("json", _json),
    ("mistral_old", _mistral_old),
    ("mistral", _mistral),
    ("functionary_v3.1", _functionary_31),
    ("functionary_v3.2", _functionary_32),
    ("functionary_v2", _functionary_2),
    ("phi4", _phi4),
    ("deepseek", _deepseek),
    ("deepseek_r1", _deepseek_r1),
    ("kimi", _kimi),
    ("harmony", _harmony),
    ("qwen3_coder", _qwen3_coder),
    ("glm", _glm),
)


def rendered(renderer: Callable[[str, Sequence[Wish], Dump], str], text: str, calls: Sequence[Wish]) -> str:
    """A turn with the usual spelling of JSON."""
    return renderer(text, calls, lambda value: json.dumps(value, ensure_ascii=False))
