"""SentencePiece models against the sentencepiece package, id by id."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maskwright.errors import VocabularyError
from maskwright.vocabulary import Vocabulary
from tests.registry import fetch
from tests.unit.tokenizers.conftest import HARD_TEXTS, real

if TYPE_CHECKING:
    from pathlib import Path

NAME = "mistral-v3.model"


def _field(number: int, content: bytes) -> bytes:
    assert len(content) < 128
    return (
        bytes([*([number << 3 | 2] if number < 16 else [number << 3 & 0x7F | 0x82, number >> 4]), len(content)])
        + content
    )


def _piece(text: str, kind: int | None = None, *, score: bool = True) -> bytes:
    content = _field(1, text.encode()) + (b"\x15\0\0\0\0" if score else b"")
    return _field(1, content + (b"" if kind is None else bytes([0x18, kind])))


PIECES = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("▁a", None), ("▁▁u", 4), ("pad", 5), ("<0x0A>", 6), ("<0x41>", 1)]
SMALL = b"".join(_piece(*piece) for piece in PIECES)


def _write(folder: Path, content: bytes) -> Path:
    path = folder / "small.model"
    path.write_bytes(content)
    return path


def test_every_piece_of_a_real_model_has_the_bytes_of_the_package() -> None:
    """Mistral v3: after a letter, each piece decodes to the letter and the piece's bytes; controls are no text."""
    package = pytest.importorskip("sentencepiece")
    processor = package.SentencePieceProcessor(model_file=str(fetch(NAME)))
    made = real("sentencepiece", NAME)
    assert len(made.tokens) == processor.vocab_size() == 32_768
    letter = processor.piece_to_id("x")
    for i, token in enumerate(made.tokens):
        if processor.is_control(i) or processor.is_unknown(i) or processor.is_unused(i):
            assert token == b""
        elif processor.is_byte(i):
            assert token == bytes([int(processor.id_to_piece(i)[3:5], 16)])
        else:
            assert processor.decode([letter, i]) == "x" + token.decode()
    assert made == Vocabulary.from_sentencepiece(processor)


def test_the_facts_of_mistral_v3() -> None:
    """One end id; 125 texts that are a piece and a byte piece; every byte can be written; ``[INST]`` is control."""
    made = real("sentencepiece", NAME)
    assert made.end_ids == {2}
    assert made.special_names["</s>"] == 2
    assert made.special_names["[INST]"] == 3
    assert len(made.duplicates) == 125
    assert all(len(ids) == 2 for ids in made.duplicates.values())
    assert not made.missing_bytes
    assert not made.bound_bytes


@pytest.mark.parametrize("text", [text for text in HARD_TEXTS if "▁" not in text])
def test_the_bytes_of_the_ids_are_the_text(text: str) -> None:
    """The bytes of what the package encodes are the text, after the blank that it puts before the first word."""
    package = pytest.importorskip("sentencepiece")
    processor = package.SentencePieceProcessor(model_file=str(fetch(NAME)))
    made = real("sentencepiece", NAME)
    assert b"".join(made.tokens[i] for i in processor.encode(text)) == b" " + text.encode()


def test_types_of_pieces(tmp_path: Path) -> None:
    """Control, unknown and unused pieces are no text; user-defined ones have blanks; ``<0xNN>`` needs the type."""
    made = Vocabulary.from_sentencepiece(_write(tmp_path, SMALL))
    assert made.tokens == (b"", b"", b"", b" a", b"  u", b"", b"\n", b"<0x41>")
    assert made.end_ids == {2}
    assert made.special_names == {"<unk>": 0, "<s>": 1, "</s>": 2}


def test_the_end_piece_is_the_one_the_model_names(tmp_path: Path) -> None:
    """``trainer_spec.eos_piece`` names the end, in whatever order the parts of the file are."""
    model = (
        _field(2, b"\x18\x02" + _field(47, b"<END>")) + _piece("</s>") + _piece("<END>", 3) + _piece("a", score=False)
    )
    made = Vocabulary.from_sentencepiece(_write(tmp_path, model))
    assert made.tokens == (b"</s>", b"", b"a")
    assert made.end_ids == {1}


def test_the_caller_may_replace_ends_and_width(tmp_path: Path) -> None:
    """What the caller says goes before the file."""
    made = Vocabulary.from_sentencepiece(_write(tmp_path, SMALL), end_ids=[1], logit_width=32)
    assert (set(made.end_ids), len(made)) == ({1}, 32)


DAMAGED = [
    ("empty", b"", "no pieces"),
    ("text", b"not a model at all", "not a SentencePiece model"),
    ("cut off", SMALL[:-3], "cut off"),
    ("cut off in a piece", _field(1, b"\x0a"), "not a SentencePiece model"),
    ("cut off in a score", _field(1, _field(1, b"abcde") + b"\x15\0"), "cut off"),
    ("type of two digits", _field(1, _field(1, b"abcde") + b"\x15\0\0\0\0\x18\x80"), "does not end"),
    ("not UTF-8", _field(1, _field(1, b"\xff") + b"\x15\0\0\0\0"), "not a SentencePiece model"),
    ("byte piece without a byte", SMALL + _piece("<0xZZ>", 6), "names no byte"),
    ("no end", _piece("a") + _piece("<s>", 3), "no end id is known.*<s>"),
]


@pytest.mark.parametrize(("content", "reason"), [case[1:] for case in DAMAGED], ids=[case[0] for case in DAMAGED])
def test_damage_is_refused_with_path_reason_and_remedy(tmp_path: Path, content: bytes, reason: str) -> None:
    """A file that is no model is a VocabularyError that names it."""
    path = _write(tmp_path, content)
    with pytest.raises(VocabularyError, match=reason) as caught:
        Vocabulary.from_sentencepiece(path)
    assert str(path) in str(caught.value)
    assert "(" in str(caught.value)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    """A missing file, a folder and another kind of object are VocabularyErrors."""
    for source in (tmp_path / "none.model", str(tmp_path), 7, None):
        with pytest.raises(VocabularyError):
            Vocabulary.from_sentencepiece(source)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(position=st.integers(0, len(SMALL) - 1), value=st.binary(min_size=1, max_size=4))
def test_any_damage_is_read_or_refused(tmp_path: Path, position: int, value: bytes) -> None:
    """No change of a file raises anything but VocabularyError."""
    with suppress(VocabularyError):
        Vocabulary.from_sentencepiece(_write(tmp_path, SMALL[:position] + value + SMALL[position + len(value) :]))
