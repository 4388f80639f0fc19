"""The text side of a GGUF file: vocabulary, chat template and the tokens that prompts begin with.

Source: the ``tokenizer.*`` keys of the GGUF specification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from maskwright.decode.bpe import Encoder
from maskwright.decode.codec import Source
from maskwright.decode.marks import alternatives
from maskwright.gguf import Gguf
from maskwright.vocabulary import Vocabulary

__all__ = ["own_encoder", "text_source"]

#: ggml's type of tokens that are text and found before all others.
_USER_DEFINED: Final = 4
_BOS: Final = "tokenizer.ggml.bos_token_id"


def text_source(gguf: Gguf, vocabulary: Vocabulary, encode: Callable[[str], Sequence[int]]) -> Source:
    """Read what the file says about texts.

    Raises:
        ModelError: a value is of another type than it should be.

    """
    read = gguf.metadata
    names = {number: name for name, number in vocabulary.special_names.items()}
    first = read.integer(_BOS, -1)
    last = read.integer("tokenizer.ggml.eos_token_id", -1)
    return Source(
        vocabulary=vocabulary,
        encode=encode,
        template=read.text("tokenizer.chat_template", ""),
        tokens={"bos_token": names.get(first, ""), "eos_token": names.get(last, "")},
        opening=(first,) if read.get("tokenizer.ggml.add_bos_token") and first >= 0 else (),
    )


def own_encoder(gguf: Gguf) -> Callable[[str], Sequence[int]]:
    """Return what encodes texts for this file in Python.

    Tokens that the file's author defined as text (``<tool_call>`` in Qwen) are found first, wherever they stand.

    Raises:
        ModelError: the tokenizer is none that is known here.

    """
    encoder = Encoder(gguf)
    defined = _defined(gguf)
    if not defined:
        return encoder.encode
    pattern = re.compile(f"({alternatives(sorted(defined))})")

    def encode(text: str) -> list[int]:
        ids: list[int] = []
        for index, part in enumerate(pattern.split(text)):
            ids += [defined[part]] if index % 2 else encoder.encode(part)
        return ids

    return encode


def _defined(gguf: Gguf) -> Mapping[str, int]:
    read = gguf.metadata
    if "tokenizer.ggml.token_type" not in read:
        return {}
    places = [i for i, kind in enumerate(read.numbers("tokenizer.ggml.token_type")) if kind == _USER_DEFINED]
    tokens = read.strings("tokenizer.ggml.tokens") if places else []
    texts = {i: tokens[i].decode(errors="replace") for i in places}
    #: Converters wrote rows of padding so.
    return {text: i for i, text in texts.items() if text and text != f"[PAD{i}]"}
