"""Tekken files against their own readable column and against plain JSON and base64."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from maskwright.errors import VocabularyError
from maskwright.vocabulary import Vocabulary
from tests.registry import fetch
from tests.unit.tokenizers.conftest import damaged, real

if TYPE_CHECKING:
    from pathlib import Path

NAME = "mistral/tekken.json"


def _document(**changes: Any) -> dict[str, Any]:
    vocab = [{"rank": rank, "token_bytes": base64.b64encode(bytes([65 + rank])).decode()} for rank in range(6)]
    config = {"default_vocab_size": 8, "default_num_special_tokens": 3}
    return {"config": config, "vocab": vocab} | changes


def _write(folder: Path, document: object) -> Path:
    path = folder / "tekken.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_every_id_has_the_bytes_of_the_file() -> None:
    """An id is its rank plus the 1,000 special ids; bytes that are no text on their own are kept (vllm#11045)."""
    document = json.loads(fetch(NAME).read_text())
    made = real("tekken", NAME)
    assert len(made.tokens) == 131_072
    for entry in document["vocab"][:130_072]:
        token = made.tokens[entry["rank"] + 1000]
        assert token == base64.b64decode(entry["token_bytes"], validate=True)
        assert entry["token_str"] is None or entry["token_str"].encode() == token
    assert not any(made.tokens[:1000])
    assert len(set(made.tokens[1000:])) == 130_072
    assert sum(entry["token_str"] is None for entry in document["vocab"][:130_072]) > 1000


def test_the_special_ids_of_a_file_that_does_not_list_them() -> None:
    """Up to version 7 the names are those of mistral-common, the rest is numbered."""
    made = real("tekken", NAME)
    assert made.end_ids == {2}
    assert len(made.special_ids) == len(made.special_names) == 1000
    expected = {"<unk>": 0, "</s>": 2, "[TOOL_CALLS]": 9, "<pad>": 11, "[TOOL_CONTENT]": 19, "<SPECIAL_20>": 20}
    assert {name: made.special_names[name] for name in expected} == expected


def test_the_special_ids_of_a_file_that_lists_them(tmp_path: Path) -> None:
    """Later files name their special tokens; ranks beyond the size of the model are no tokens."""
    listed = [{"rank": 1, "token_str": "</s>", "is_control": True}, {"rank": 0, "token_str": "<s>", "is_control": True}]
    made = Vocabulary.from_tekken(_write(tmp_path, _document(special_tokens=listed)).parent)
    assert made.special_names == {"<s>": 0, "</s>": 1, "<SPECIAL_2>": 2}
    assert made.tokens == (b"", b"", b"", b"A", b"B", b"C", b"D", b"E")
    assert made.end_ids == {1}


HALF = {"default_vocab_size": 10, "default_num_special_tokens": 3}
DAMAGED: list[tuple[str, Any, str]] = [
    ("not JSON", "{", "not JSON"),
    ("deep", "[" * 100_000, "not JSON"),
    ("a list", [], "not an object"),
    ("no config", {"vocab": []}, "not a tekken file"),
    ("a tokenizer.json", {"model": {"vocab": {}}}, "not a tekken file"),
    ("too few tokens", _document(config=HALF), "do not fit"),
    ("forged size", _document(config=HALF | {"default_vocab_size": 2**60}), "do not fit"),
    ("negative", _document(config=HALF | {"default_num_special_tokens": -1}), "do not fit"),
    ("a rank twice", _document(vocab=[{"rank": 0, "token_bytes": "QQ=="}] * 6), "rank 1 is missing"),
    ("not base64", _document(vocab=[{"rank": i, "token_bytes": "Q"} for i in range(6)]), "not a tekken file"),
    ("no bytes", _document(vocab=[{"rank": i, "token_bytes": None} for i in range(6)]), "not a tekken file"),
    ("vocab a number", _document(vocab=7), "not a tekken file"),
    ("special tokens a number", _document(special_tokens=7), "not a tekken file"),
]


@pytest.mark.parametrize(("document", "reason"), [case[1:] for case in DAMAGED], ids=[case[0] for case in DAMAGED])
def test_damage_is_refused_with_path_reason_and_remedy(tmp_path: Path, document: object, reason: str) -> None:
    """A file that is no tekken file is a VocabularyError that names it."""
    path = _write(tmp_path, document)
    with pytest.raises(VocabularyError, match=reason) as caught:
        Vocabulary.from_tekken(path)
    assert str(path) in str(caught.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(damaged(_document(special_tokens=[{"rank": 1, "token_str": "</s>", "is_control": True}])))
def test_any_damage_is_read_or_refused(tmp_path: Path, document: dict[str, Any]) -> None:
    """Whatever stands where in the file, the only error is a VocabularyError."""
    with suppress(VocabularyError):
        Vocabulary.from_tekken(_write(tmp_path, document))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """So is anything that is no path."""
    with pytest.raises(VocabularyError, match="cannot be read"):
        Vocabulary.from_tekken(tmp_path)
    with pytest.raises(VocabularyError, match="not a known kind"):
        Vocabulary.from_tekken(7)  # type: ignore[arg-type]
