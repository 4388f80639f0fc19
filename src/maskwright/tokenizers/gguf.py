"""The vocabulary inside a GGUF model file.

Source: the ``tokenizer.ggml.*`` keys of the GGUF specification and the token types of llama.cpp. Compared with the
pieces that llama.cpp gives for 22 vocabularies: the byte alphabet applies to normal tokens of ``gpt2`` models only,
user-defined and control tokens are literal; in ``llama`` models ``▁`` is a blank in every token.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Final

from maskwright.errors import ModelError, VocabularyError
from maskwright.gguf import Gguf, read_gguf
from maskwright.tokenizers.content import Content, checked_path, refusal
from maskwright.tokenizers.spelling import (
    NORMAL,
    PADDING,
    Speller,
    spell_letters,
    spell_literally,
    spell_pieces,
    spell_typed,
    typed_names,
)
from maskwright.vocabulary import Vocabulary

__all__ = ["read_gguf_vocabulary"]

_TOKENS: Final = "tokenizer.ggml.tokens"
_TYPES: Final = "tokenizer.ggml.token_type"
_MODEL: Final = "tokenizer.ggml.model"
_ENDS: Final = tuple(f"tokenizer.ggml.{kind}_token_id" for kind in ("eos", "eot", "eom"))
#: Tensors with one row per logit; the first that is there counts.
_HEADS: Final = ("output.weight", "token_embd.weight")
_REMEDY: Final = "use Vocabulary.from_tokens with the bytes of every id"


#: ``tokenizer.ggml.model``: how normal tokens are spelled, and how user-defined ones are.
_MODELS: Final[Mapping[str, tuple[Speller, Speller]]] = {
    "gpt2": (spell_letters, spell_literally),
    "llama": (spell_pieces, spell_pieces),
    "gemma4": (spell_pieces, spell_pieces),
    "t5": (spell_pieces, spell_pieces),
}


def read_gguf_vocabulary(
    path: str | PathLike[str], *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
) -> Vocabulary:
    """Read a file; see :meth:`maskwright.vocabulary.Vocabulary.from_gguf`. 1 us a token."""
    place = checked_path(path, "the path of a GGUF file")
    try:
        file = read_gguf(place)
        content = _content(file)
    except ModelError as cause:
        raise VocabularyError(str(cause)) from cause
    return content.vocabulary(end_ids, logit_width)


def _content(file: Gguf) -> Content:
    metadata = file.metadata
    model = metadata.text(_MODEL)
    if model not in _MODELS:
        known = ", ".join(_MODELS)
        raise refusal(file.path, f"tokens of the model {model!r} are not read, only of {known}", _REMEDY)
    content = metadata.strings(_TOKENS)
    types = [int(kind) for kind in metadata.numbers(_TYPES)] if _TYPES in metadata else [NORMAL] * len(content)
    if len(types) != len(content):
        raise refusal(file.path, f"{len(content)} tokens have {len(types)} types", "fetch the file again")
    try:
        texts = [token.decode() for token in content]
        _mark_padding(texts, types)
        tokens = spell_typed(texts, types, *_MODELS[model])
    except ValueError as cause:
        raise refusal(file.path, f"a token cannot be spelled: {cause}", "fetch the file again") from cause
    ends = {metadata.integer(key) for key in _ENDS if key in metadata}
    return Content(file.path, tokens, typed_names(texts, types), ends, _logit_width(file))


def _mark_padding(texts: list[str], types: list[int]) -> None:
    """Give the rows that a converter made up their right type.

    Where the weights have more rows than the tokenizer has ids, the converter names the row ``[PAD<id>]``. Today its
    type is padding; older converters wrote user-defined (Qwen 2, Command-R) or unknown (Phi 3), which would make 290
    ids that the model never learned ordinary text.
    """
    for i, kind in enumerate(types):
        if kind != NORMAL and texts[i] == f"[PAD{i}]":
            types[i] = PADDING


def _logit_width(file: Gguf) -> int | None:
    """Return the rows of the output matrix, ``None`` for a file without weights."""
    head = next((file.tensors[name] for name in _HEADS if name in file.tensors), None)
    return None if head is None else head.shape[0]
