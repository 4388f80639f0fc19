"""Hugging Face tokenizers: ``tokenizer.json``, ``tokenizers.Tokenizer`` and the fast tokenizers of ``transformers``.

Source: the file format and the Python API of the ``tokenizers`` library. How a token spells its bytes is what the
decoder of the file does to it, see :mod:`maskwright.tokenizers.decoders`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from maskwright.tokenizers.configuration import Configuration, read_configuration
from maskwright.tokenizers.content import Content, checked_path, parse_object, read_bytes, refusal, rows_by_id
from maskwright.tokenizers.decoders import read_spelling
from maskwright.vocabulary import Vocabulary

__all__ = ["read_huggingface"]

_FILE: Final = "tokenizer.json"
_WANTED: Final = (
    f"a tokenizers.Tokenizer, a fast tokenizer of transformers, a {_FILE} or its folder, or the parsed file"
)
_REMEDY: Final = f"give a {_FILE} as the tokenizers library writes it"
_SLOW: Final = "load it with use_fast=True, or give its file to Vocabulary.from_sentencepiece or from_tekken"

_MERGES: Final = re.compile(rb'"merges"\s*:\s*\[')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: The end of such a file, and how far from the end it begins at most.
_TAIL: Final = re.compile(rb"\]\s*\}\s*\}\s*\Z")
_TAIL_SIZE: Final = 64
#: Every key that is read here, of the file and of its model: if all lie before the merges, those need not be parsed.
_KEYS: Final = {"added_tokens", "pre_tokenizer", "decoder", "model"}
_MODEL_KEYS: Final = {"vocab", "unk_token"}


@dataclass(frozen=True, slots=True)
class _Added:
    """A token that was added to the model's own; it is literal text, and control if it is special."""

    id: int
    content: str
    special: bool


@dataclass(slots=True)
class _Parts:
    """What all kinds of sources have in common."""

    place: object
    #: The model's own tokens and their ids, in parallel; of equal ones the table has the last.
    tokens: list[str]
    ids: list[int]
    table: Mapping[str, int]
    added: list[_Added]
    decoder: object
    pre_tokenizer: object
    #: The token that stands for text that cannot be encoded; it is never text itself.
    unknown: object
    configuration: Configuration = field(default_factory=Configuration)


def read_huggingface(
    tokenizer: object, *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
) -> Vocabulary:
    """Read a tokenizer; see :meth:`maskwright.vocabulary.Vocabulary.from_huggingface`.

    About 1 us a token from a file (130 ms for 128,256; the library itself takes 500 ms to load it), 1.5 us from an
    object, most of it for the library to hand its table over.
    """
    content = _assemble(_parts(tokenizer))
    return content.vocabulary(end_ids, logit_width)


def _parts(source: object) -> _Parts:
    if hasattr(source, "get_added_tokens_decoder"):
        return _object_parts(source)
    if hasattr(source, "convert_ids_to_tokens"):
        return _transformers_parts(source)
    if isinstance(source, Mapping):
        parts = _parsed_parts("the tokenizer", source)
    else:
        path = checked_path(source, _WANTED)
        path = path / _FILE if path.is_dir() else path
        parts = _parsed_parts(path, _parse(path))
        if path.name == _FILE:
            _configure(parts, path.parent)
    _check_added(parts)
    return parts


def _parse(path: Path) -> dict[str, object]:
    """Parse the file without its merges where they come last, which saves two thirds of the time."""
    text = read_bytes(path, f"give {_WANTED}")
    merges = list(_MERGES.finditer(text))
    if merges and _TAIL.search(text, len(text) - _TAIL_SIZE):
        try:
            document = json.loads(text[: merges[-1].end()] + b"]}}")
        except (ValueError, RecursionError):
            document = None
        if isinstance(document, dict) and document.keys() >= _KEYS and _is_complete(document["model"]):
            return document
    return parse_object(path, text, _REMEDY)


def _is_complete(model: object) -> bool:
    return isinstance(model, dict) and model.keys() >= _MODEL_KEYS


def _parsed_parts(place: object, document: Mapping[str, Any]) -> _Parts:
    model = document.get("model")
    if not isinstance(model, Mapping) or "vocab" not in model:
        raise refusal(place, "it has no model with a vocab", _REMEDY)
    tokens, ids, table = _read_vocab(place, model["vocab"])
    unknown, number = model.get("unk_token"), model.get("unk_id")
    if isinstance(number, int) and 0 <= number < len(tokens):
        unknown = tokens[number]
    added = [_read_added(place, entry) for entry in _listed(place, document.get("added_tokens"))]
    return _Parts(place, tokens, ids, table, added, document.get("decoder"), document.get("pre_tokenizer"), unknown)


def _read_vocab(place: object, vocab: object) -> tuple[list[str], list[int], Mapping[str, int]]:
    """Return tokens, ids and the table of both; a Unigram model has pairs of token and score in the order of ids."""
    if isinstance(vocab, Mapping):
        return list(vocab), list(vocab.values()), vocab
    if isinstance(vocab, list) and all(isinstance(pair, list) and pair and isinstance(pair[0], str) for pair in vocab):
        tokens = [pair[0] for pair in vocab]
        return tokens, list(range(len(tokens))), {token: i for i, token in enumerate(tokens)}
    raise refusal(place, "the vocab of its model is neither a mapping nor a list of pairs", _REMEDY)


def _listed(place: object, value: object) -> list[Any]:
    if value is None or isinstance(value, list):
        return value or []
    raise refusal(place, "added_tokens is no list", _REMEDY)


def _read_added(place: object, entry: object) -> _Added:
    if isinstance(entry, Mapping):
        number, content = entry.get("id"), entry.get("content")
        if type(number) is int and isinstance(content, str) and not _SURROGATE.search(content):
            return _Added(number, content, bool(entry.get("special")))
    raise refusal(place, f"the added token {entry!r:.80} has no id or no text", _REMEDY)


def _object_parts(tokenizer: Any) -> _Parts:
    """Ask a ``tokenizers.Tokenizer``. Its ``to_str`` would write and parse all merges: five times slower."""
    vocab: dict[str, int] = tokenizer.get_vocab(with_added_tokens=False)
    added = [_Added(i, token.content, token.special) for i, token in tokenizer.get_added_tokens_decoder().items()]
    model = tokenizer.model
    unknown = getattr(model, "unk_token", None)
    if type(model).__name__ == "Unigram":
        state = json.loads(model.__getstate__())
        unknown = None if state.get("unk_id") is None else state["vocab"][state["unk_id"]][0]
    decoder, pre_tokenizer = (_state(part) for part in (tokenizer.decoder, tokenizer.pre_tokenizer))
    return _Parts("the tokenizer", list(vocab), list(vocab.values()), vocab, added, decoder, pre_tokenizer, unknown)


def _state(component: Any) -> object:
    return None if component is None else json.loads(component.__getstate__())


def _transformers_parts(tokenizer: Any) -> _Parts:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if not hasattr(backend, "get_added_tokens_decoder"):
        raise refusal(type(tokenizer).__name__, "a tokenizer of transformers without a fast backend", _SLOW)
    parts = _object_parts(backend)
    if isinstance(tokenizer.eos_token_id, int):
        parts.configuration = Configuration(end_ids=frozenset({tokenizer.eos_token_id}))
    return parts


def _configure(parts: _Parts, folder: Path) -> None:
    """Take the end ids, the width and the further added tokens from the files beside the tokenizer."""
    parts.configuration = read_configuration(folder)
    present = {token.id for token in parts.added}
    further = (_read_added(folder, entry) for entry in parts.configuration.added_tokens if entry["id"] not in present)
    parts.added += further


def _check_added(parts: _Parts) -> None:
    """Refuse a file whose added ids are not those that the library would give.

    The library ignores the ids of a file: an added token has the id of the same token of the model, or the next one
    after all ids so far. Where a file says otherwise, a model that was run with the library and one that was not
    disagree about the ids, and nothing here tells which one it will be.
    """
    following, known = len(parts.table), dict[str, int]()
    for token in parts.added:
        number = known.setdefault(token.content, parts.table.get(token.content, following))
        if token.id != number:
            reason = f"the added token {token.content!r:.60} has id {token.id}, but tokenizers would give it {number}"
            raise refusal(parts.place, reason, "load it with tokenizers.Tokenizer.from_file and give that object")
        following = max(following, number + 1)


def _assemble(parts: _Parts) -> Content:
    spelling = read_spelling(parts.place, parts.decoder, parts.pre_tokenizer)
    texts = [token for token in parts.added if not token.special]
    names = {token.content: token.id for token in parts.added if token.special}
    try:
        spelled = spelling.spell(parts.tokens)
        literal = spelling.spell_added([token.content for token in texts])
    except (TypeError, UnicodeEncodeError) as cause:
        raise refusal(parts.place, f"a token is no text: {cause}", _REMEDY) from cause
    rows = rows_by_id(parts.place, spelled, parts.ids, [token.id for token in parts.added])
    for token, content in zip(texts, literal, strict=True):
        rows[token.id] = content
    if isinstance(parts.unknown, str) and parts.unknown in parts.table:
        names.setdefault(parts.unknown, parts.table[parts.unknown])
    ids = {token.content: token.id for token in parts.added}
    named = (ids.get(name, parts.table.get(name)) for name in parts.configuration.end_names)
    ends = parts.configuration.end_ids.union(i for i in named if i is not None)
    return Content(parts.place, rows, names, ends, parts.configuration.logit_width)
