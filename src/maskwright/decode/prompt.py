r"""What a model reads before it writes: a plain text, or a conversation in the model's chat format.

Only ChatML is known (``<|im_start|>role\n...<|im_end|>\n``), which SmolLM2, Qwen and others use; the templates in
GGUF files are programs in another language, and running those is not this package's business. Only the markers
themselves become special tokens: a message that holds the text ``<|im_end|>`` stays an ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from maskwright.errors import ModelError
from maskwright.gguf import Gguf

__all__ = ["Prompter", "TextEncoder"]

_START: Final = "<|im_start|>"
_END: Final = "<|im_end|>"
#: The system message that a template writes by itself, as a literal of its source.
_SYSTEM: Final = re.compile(re.escape(_START) + r"system(?:\n|\\n)(.*?)" + re.escape(_END), re.DOTALL)
_TEMPLATE: Final = "tokenizer.chat_template"


class TextEncoder(Protocol):
    """Text to token ids."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without special tokens."""
        ...


class Prompter:
    """Turns prompts into token ids for one model."""

    def __init__(self, gguf: Gguf, encoder: TextEncoder, special_names: Mapping[str, int]) -> None:
        """Read which chat format the model was trained on; none is no error until one is asked for."""
        read = gguf.metadata
        template = read.text(_TEMPLATE, "")
        self._encoder = encoder
        self._start, self._end = special_names.get(_START), special_names.get(_END)
        #: Whether conversations can be written in this model's own format.
        self.has_chat = _START in template and self._start is not None and self._end is not None
        own = _SYSTEM.search(template)
        self._system = own.group(1) if own else ""
        first = read.integer("tokenizer.ggml.bos_token_id", -1) if read.get("tokenizer.ggml.add_bos_token") else -1
        self._first = [first] if first >= 0 else []

    def plain(self, text: str) -> list[int]:
        """Return the ids of a text that the model simply continues.

        Raises:
            ModelError: the text cannot be encoded.

        """
        return self._first + self._encoder.encode(text)

    def chat(self, user: str, *, system: str | None = None) -> list[int]:
        """Return the ids of a conversation of one question, open where the answer begins.

        Args:
            user: What is asked.
            system: Instructions before it; ``None`` for the template's own.

        Raises:
            ModelError: the model has no ChatML template, or a text cannot be encoded.

        """
        if self._start is None or self._end is None or not self.has_chat:
            raise ModelError("the model has no chat format that is known here (give a plain prompt: --no-chat)")
        ids = list(self._first)
        instructions = self._system if system is None else system
        turns: Iterable[tuple[str, str]] = [("system", instructions)] if instructions else []
        for role, message in [*turns, ("user", user)]:
            ids += [
                self._start,
                *self._encoder.encode(f"{role}\n{message}"),
                self._end,
                *self._encoder.encode("\n"),
            ]
        return [*ids, self._start, *self._encoder.encode("assistant\n")]
