"""The vocabulary that ``check`` and ``show`` follow, and how they cut a text into its tokens."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from maskwright.decode.bpe import Encoder
from maskwright.decode.models import DEFAULT, find, locate
from maskwright.errors import ModelError
from maskwright.gguf import read_gguf
from maskwright.vocabulary import Vocabulary

__all__ = ["Cutter", "add_vocabulary", "read_vocabulary"]

_BYTES: Final = "bytes"


@dataclass(frozen=True, slots=True)
class Cutter:
    """A vocabulary and its way of cutting texts."""

    name: str
    vocabulary: Vocabulary
    #: Text to token ids, ``None`` if there is no encoder for this vocabulary.
    encode: Callable[[str], list[int]] | None

    def cut(self, data: bytes) -> list[int | bytes]:
        """Return token ids that spell ``data``; single bytes, which need not be tokens, where no encoder does."""
        try:
            ids = self.encode(data.decode()) if self.encode else []
        except UnicodeDecodeError:
            ids = []
        if ids and b"".join(self.vocabulary.tokens[i] for i in ids) == data:
            return list(ids)
        return [data[place : place + 1] for place in range(len(data))]


def add_vocabulary(parser: argparse.ArgumentParser) -> None:
    """Add ``--model``."""
    parser.add_argument(
        "--model",
        metavar="M",
        help=f"whose tokens: a known name, a GGUF file, or {_BYTES!r} for one token a byte "
        f"(default: {DEFAULT.name} if its weights are here, else {_BYTES})",
    )


def read_vocabulary(name: str | None) -> Cutter:
    """Return the named vocabulary.

    Raises:
        ModelError: the weights are missing, or the file is damaged.
        VocabularyError: the file's vocabulary cannot be read.

    """
    if name is None:
        name = DEFAULT.name if locate(DEFAULT) else _BYTES
    if name == _BYTES:
        tokens = [bytes([byte]) for byte in range(256)]
        return Cutter("single bytes", Vocabulary.from_tokens([*tokens, b""], end_ids=[256]), list_of_bytes)
    path = find(name)
    try:
        encode = Encoder(read_gguf(path)).encode
    except ModelError:
        return Cutter(name, Vocabulary.from_gguf(path), None)
    return Cutter(name, Vocabulary.from_gguf(path), encode)


def list_of_bytes(text: str) -> list[int]:
    """The ids of a text where every byte is a token."""
    return list(text.encode())
