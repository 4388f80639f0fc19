"""The text side of a Hugging Face folder: the tokenizer's vocabulary, encoder and chat template.

Source: the fast tokenizers of ``transformers``. The template is not rendered by ``apply_chat_template``, which parses
control tokens out of the text of messages; it is run as that of a GGUF file is.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

from maskwright.decode.codec import Source
from maskwright.errors import ModelError
from maskwright.vocabulary import Vocabulary

__all__ = ["read_text_source"]

_TOKENIZER: Final = "tokenizer.json"


def read_text_source(folder: Path, tokenizer: Any, width: int) -> Source:
    """Read what a folder's tokenizer says about texts.

    Args:
        folder: Where it was loaded from.
        tokenizer: A fast tokenizer of ``transformers``.
        width: Number of scores of the model.

    Raises:
        ModelError: the tokenizer is not a fast one.
        VocabularyError: its vocabulary cannot be read.

    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ModelError(f"{folder}: its tokenizer is no fast one (save it with a {_TOKENIZER})")
    place = folder if (folder / _TOKENIZER).is_file() else tokenizer
    # A copy: the caller's own keeps parsing control tokens.
    encoder = import_module("tokenizers").Tokenizer.from_str(backend.to_str())
    encoder.no_padding()
    encoder.no_truncation()
    encoder.encode_special_tokens = True

    def encode(text: str) -> list[int]:
        return list(encoder.encode(text, add_special_tokens=False).ids)

    bare, whole = encode("a"), list(encoder.encode("a", add_special_tokens=True).ids)
    opening = whole[: -len(bare)] if bare and whole[-len(bare) :] == bare else []
    templates = getattr(tokenizer, "chat_template", None) or ""
    template = templates.get("default", "") if isinstance(templates, dict) else templates
    return Source(
        vocabulary=Vocabulary.from_huggingface(place, logit_width=width),
        encode=encode,
        template=str(template),
        tokens={key: str(value) for key, value in tokenizer.special_tokens_map.items() if not isinstance(value, list)},
        opening=tuple(opening),
    )
