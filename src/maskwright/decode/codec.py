r"""The text side of a model: one way to encode, one vocabulary, and the chat format that its template tells.

A template that is plain ChatML (``<|im_start|>role\n...<|im_end|>\n`` and no word of tools) is written here, with tools
described as Hermes does. Every other template is run, see :mod:`maskwright.decode.templates`; without jinja2 a model
that has the ChatML tokens is written to in ChatML all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal

from maskwright.decode.conversation import Message, read_messages, read_tools
from maskwright.decode.families import thinking_of, tool_format_of
from maskwright.decode.hermes import flatten
from maskwright.decode.marks import Marks, Piece
from maskwright.decode.templates import Template
from maskwright.errors import ModelError, PolicyError
from maskwright.tags.formats import format_of
from maskwright.vocabulary import Vocabulary

__all__ = ["Source", "TextCodec", "Thinking"]

_START: Final = "<|im_start|>"
_END: Final = "<|im_end|>"
#: The system message that a template writes by itself, as a literal of its source.
_SYSTEM: Final = re.compile(re.escape(_START) + r"system(?:\n|\\n)(.*?)" + re.escape(_END), re.DOTALL)

#: The marks of thinking, ``None`` for none, ``"auto"`` to guess them.
Thinking = tuple[str, str] | Literal["auto"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a model's file says about texts."""

    vocabulary: Vocabulary
    #: Text to ids; names of control tokens are text.
    encode: Callable[[str], Sequence[int]]
    #: The chat template, ``""`` if there is none.
    template: str = ""
    #: ``bos_token`` and ``eos_token``: their names, for the template.
    tokens: Mapping[str, str]
    #: Ids that a plain prompt begins with.
    opening: tuple[int, ...] = ()


class TextCodec:
    """A :class:`maskwright.decode.runtime.Codec`. Threads may share it."""

    def __init__(self, source: Source, *, tool_format: str | None = None, thinking: Thinking = "auto") -> None:
        """Decide how conversations are written.

        Raises:
            PolicyError: there is no such tool format.

        """
        self.vocabulary = source.vocabulary
        self.opening = source.opening
        if tool_format is not None:
            format_of(tool_format)
        if thinking not in ("auto", None) and not (len(thinking) == 2 and all(thinking)):
            raise PolicyError(f"thinking is a pair of texts, None or 'auto', not {thinking!r:.60}")
        self.tool_format = tool_format or tool_format_of(source.template, source.vocabulary)
        self.thinking = thinking_of(source.template, source.vocabulary) if thinking == "auto" else thinking
        self._encode = source.encode
        self._most_bytes: int | None = None
        names = source.vocabulary.special_names
        self._start, self._end = names.get(_START, -1), names.get(_END, -1)
        self._has_chatml = _START in source.template and min(self._start, self._end) >= 0
        own = _SYSTEM.search(source.template)
        self._system = own.group(1) if own else ""
        self._template = Template(source.template, Marks(names), source.tokens) if source.template else None

    def bound(self, context: int) -> None:
        """Refuse conversations that no ``context`` tokens can hold before they are encoded, which takes seconds."""
        self._most_bytes = context * self.vocabulary.longest

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; see :meth:`maskwright.decode.runtime.Codec.encode`."""
        checked(text)
        return list(self._encode(text))

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        continue_final: bool = False,
        thinking: bool | None = None,
    ) -> list[int]:
        """Return the ids of a conversation; see :meth:`maskwright.decode.runtime.Codec.chat`."""
        read, offered = read_messages(messages), read_tools(tools)
        if continue_final and (read[-1].role != "assistant" or read[-1].calls):
            raise ModelError("messages: only a last message of the assistant without tool calls can be continued")
        if self._is_plain():
            flat = flatten(read, offered, self._system)
            return self._joined(self._chatml(flat, is_open=continue_final, thinking=thinking))
        if self._template is None:
            raise ModelError("the model has no chat template (give it a plain prompt)")
        if not self._template.knows_tools:
            read, offered = flatten(read, offered, ""), ()
        return self._joined(self._template.write(read, offered, continue_final=continue_final, thinking=thinking))

    def _is_plain(self) -> bool:
        if not self._has_chatml or self._template is None:
            return False
        return not self._template.knows_tools or not self._template.is_available()

    def _chatml(self, messages: Sequence[Message], *, is_open: bool, thinking: bool | None) -> Iterable[Piece]:
        start, end = self._start, self._end
        yield from self.opening
        for message in messages[:-1] if is_open else messages:
            yield from (start, f"{message.role}\n{message.content}", end, "\n")
        yield from (start, "assistant\n")
        if is_open:
            yield messages[-1].content
        elif thinking is False and self.thinking is not None:
            yield "{}\n\n{}\n\n".format(*self.thinking)

    def _joined(self, pieces: Iterable[Piece]) -> list[int]:
        """The ids of pieces; texts that adjoin are one text, as they were when the model was trained."""
        runs: list[Piece] = []
        for is_text, run in groupby(pieces, key=lambda piece: isinstance(piece, str)):
            together = list(run)
            runs += ["".join(map(str, together))] if is_text else together
        size = sum(len(checked(run).encode()) for run in runs if isinstance(run, str))
        if self._most_bytes is not None and size > self._most_bytes:
            raise ModelError(
                f"the conversation has {size} bytes, the model's context holds {self._most_bytes} at the most"
            )
        return [token for run in runs for token in (self._encode(run) if isinstance(run, str) else [run])]


def checked(text: str) -> str:
    """Return a text that has bytes.

    Raises:
        ModelError: it holds a lone surrogate.

    """
    try:
        text.encode()
    except UnicodeEncodeError as cause:
        raise ModelError(f"character {cause.start} of the text is a lone surrogate, not a character") from cause
    return text
