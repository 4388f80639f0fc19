"""Chat templates: the program in a model's file that writes conversations, run in jinja2's sandbox (optional package).

Source: the chat templates of ``transformers`` and what they may use: ``messages``, ``tools``, ``bos_token``,
``eos_token``, ``add_generation_prompt``, ``raise_exception``, ``strftime_now``, a ``tojson`` that escapes no HTML, and
blocks that leave no blank lines. Templates come with the weights, so they are the operator's choice; the sandbox keeps
them from the process, and the size of what they write is bounded. The strings of a conversation are not the operator's:
see :mod:`maskwright.decode.marks` for why none of them becomes a control token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from maskwright.decode.conversation import Message, parse_arguments
from maskwright.decode.marks import END, Marks, Piece
from maskwright.errors import ModelError

__all__ = ["Template"]

#: Characters that a template may write: some 8 million tokens.
_MOST: Final = 1 << 25
#: Depth of nesting in tools and arguments.
_DEPTH: Final = 100
#: A block of transformers that marks what is trained on; for writing prompts it means nothing.
_GENERATION: Final = re.compile(r"{%(-?)\s*(end)?generation\s*(-?)%}")


class Template:
    """One model's template."""

    def __init__(self, source: str, marks: Marks, tokens: Mapping[str, str]) -> None:
        """Keep a template; it is compiled when it is first used.

        Args:
            source: The program.
            marks: The control tokens that it writes by their names.
            tokens: ``bos_token`` and the like: their names.

        """
        self._source = source
        self._marks = marks
        self._tokens = dict(tokens)
        #: Whether it can tell the model about tools.
        self.knows_tools = "tools" in source

    @staticmethod
    def is_available() -> bool:
        """Whether jinja2 is installed."""
        return find_spec("jinja2") is not None

    def write(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        *,
        continue_final: bool,
        thinking: bool | None,
    ) -> list[Piece]:
        """Return a conversation as texts and control tokens, open where the answer begins.

        Raises:
            ModelError: jinja2 is missing (with the command), or the template refuses the conversation, fails, or writes
                too much.

        """
        choices = {} if thinking is None else {"enable_thinking": thinking, "thinking": thinking}
        written = [_fields(message) for message in messages]
        guarded = _guarded(written, self._marks)
        if continue_final:
            guarded[-1]["content"] += END
        text = self._render(
            messages=guarded,
            tools=_guarded(list(tools), self._marks) or None,
            add_generation_prompt=not continue_final,
            **self._tokens,
            **choices,
        )
        if continue_final:
            if text.count(END) != 1:
                raise ModelError(
                    "the model's template does not write the last message as it is: it cannot be continued"
                )
            text = text.partition(END)[0]
        return self._marks.split(text)

    def _render(self, **values: object) -> str:
        template = self._compiled
        try:
            return _bounded(template.generate(**values))
        except ModelError:
            raise
        except Exception as cause:
            # A template is a foreign program: it may raise what Python raises.
            raise ModelError(f"the model's chat template fails: {type(cause).__name__}: {cause}") from cause

    @cached_property
    def _compiled(self) -> Any:
        if not self.is_available():
            raise ModelError('the model\'s chat format needs jinja2 (pip install "maskwright[server]")')
        sandbox = import_module("jinja2.sandbox")
        environment = sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.intercepted_binops = frozenset({"*", "**"})
        environment.call_binop = _multiply
        environment.filters["tojson"] = _to_json
        environment.globals |= {"raise_exception": _refuse, "strftime_now": _now}
        try:
            return environment.from_string(_GENERATION.sub(_as_condition, self._source))
        except Exception as cause:
            raise ModelError(f"the model's chat template cannot be read: {cause}") from cause


def _bounded(parts: Iterable[str]) -> str:
    kept, size = [], 0
    for part in parts:
        kept.append(part)
        size += len(part)
        if size > _MOST:
            raise ModelError(f"the chat template writes more than {_MOST} characters")
    return "".join(kept)


def _as_condition(block: re.Match[str]) -> str:
    return f"{{%{block[1]} {'endif' if block[2] else 'if true'} {block[3]}%}}"


def _multiply(_: object, operator: str, left: object, right: object) -> object:
    """Numbers only: a repeated text could be of any size."""
    if not isinstance(left, int | float) or not isinstance(right, int | float) or operator != "*":
        raise ModelError(f"the model's chat template uses {operator!r} on what is no number")
    return left * right


def _refuse(message: object) -> object:
    raise ModelError(f"the model's chat template refuses the conversation: {message}")


def _now(form: str) -> str:
    return datetime.now().astimezone().strftime(form)


def _to_json(
    value: object,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - called so by templates
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _fields(message: Message) -> dict[str, Any]:
    """A message as templates expect it: arguments parsed, and no field without a value but the content."""
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        fields["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": parse_arguments(call.arguments)},
            }
            for call in message.calls
        ]
    others = {"reasoning_content": message.reasoning, "tool_call_id": message.call_id, "name": message.name}
    return fields | {key: value for key, value in others.items() if value}


def _guarded(value: Any, marks: Marks, depth: int = 0) -> Any:
    """A copy of a JSON value whose strings are guarded, all but roles: those were checked."""
    if depth > _DEPTH:
        raise ModelError(f"tools and arguments may not be nested deeper than {_DEPTH}")
    if isinstance(value, str):
        return marks.guard(value)
    if isinstance(value, Mapping):
        return {_key(key, marks): _guarded(one, marks, depth + 1) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_guarded(one, marks, depth + 1) for one in value]
    return value


def _key(key: object, marks: Marks) -> str:
    """Names that templates look up stay as they are: a name of letters alone is no control token's."""
    text = str(key)
    return text if text.isidentifier() else marks.guard(text)
