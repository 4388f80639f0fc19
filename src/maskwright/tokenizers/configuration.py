"""The configuration files that lie beside a ``tokenizer.json``: end ids, width of the logits, further added tokens.

Source: the files that ``transformers`` writes with a model. ``generation_config.json`` is the only one that lists all
end ids of a chat model; ``vocab_size`` of ``config.json`` is the number of logits, which is often padded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from maskwright.tokenizers.content import parse_object, read_bytes, refusal

__all__ = ["Configuration", "read_configuration"]

_REMEDY: Final = "repair or remove this file, or give the tokenizer under another name"
#: Multimodal models keep the settings of their language model one level deeper.
_INNER: Final = "text_config"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the files say; empty where they say nothing."""

    end_ids: frozenset[int] = frozenset()
    #: End tokens that are given by their text.
    end_names: frozenset[str] = frozenset()
    #: Number of logits, ``None`` if no file says it.
    logit_width: int | None = None
    #: Added tokens as ``tokenizer.json`` would have them.
    added_tokens: tuple[Mapping[str, object], ...] = ()


def read_configuration(folder: Path) -> Configuration:
    """Read the files of a folder; missing ones say nothing.

    Raises:
        VocabularyError: a file is damaged.

    """
    model, generation, tokenizer, specials = (
        _parse(folder / name)
        for name in ("config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json")
    )
    inner = model.get(_INNER)
    models = [model, inner] if isinstance(inner, Mapping) else [model]
    ends = {i for settings in (*models, generation) for i in _integers(settings.get("eos_token_id"))}
    names = {name for settings in (tokenizer, specials) for name in _named(settings.get("eos_token"))}
    widths = [width for settings in models for width in _integers(settings.get("vocab_size"))]
    return Configuration(frozenset(ends), frozenset(names), max(widths, default=None), tuple(_added(folder, tokenizer)))


def _parse(path: Path) -> Mapping[str, Any]:
    return parse_object(path, read_bytes(path, _REMEDY), _REMEDY) if path.exists() else {}


def _integers(value: object) -> list[int]:
    """Return the ids of a setting that is one id or a list; negative ones mean that there is none."""
    values = value if isinstance(value, list) else [value]
    return [number for number in values if type(number) is int and number >= 0]


def _named(value: object) -> list[str]:
    """Return the text of a token that is given as text or as an object with a ``content``."""
    content = value.get("content") if isinstance(value, Mapping) else value
    return [content] if isinstance(content, str) else []


def _added(folder: Path, settings: Mapping[str, Any]) -> Iterator[Mapping[str, object]]:
    entries = settings.get("added_tokens_decoder") or {}
    if not isinstance(entries, Mapping):
        raise refusal(folder, "added_tokens_decoder of tokenizer_config.json is no object", _REMEDY)
    for number, entry in entries.items():
        if not isinstance(entry, Mapping) or not number.isdecimal():
            raise refusal(folder, f"added token {number!r:.40} of tokenizer_config.json is damaged", _REMEDY)
        yield {**entry, "id": int(number)}
