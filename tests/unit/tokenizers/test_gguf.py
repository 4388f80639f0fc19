"""Vocabularies of GGUF files: a real one against the tokenizers library, and the rules on small files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from maskwright.errors import VocabularyError
from maskwright.gguf import read_gguf
from maskwright.vocabulary import Vocabulary
from tests.registry import fetch
from tests.unit.gguf_writer import gguf_file
from tests.unit.tokenizers.conftest import real

if TYPE_CHECKING:
    from pathlib import Path

NAME = "smollm2.gguf"
TOKENS = ["<unk>", "<s>", "▁Ġa", "<0x41>", "▁▁b", "[PAD5]", "<|im_end|>", "x"]
TYPES = [2, 3, 1, 6, 4, 5, 3, 1]


def _write(folder: Path, model: str = "llama", *, head: int | None = None, **changes: Any) -> Path:
    """Write a file with the small vocabulary; ``head`` adds an output matrix of so many rows."""
    values = {"model": model, "tokens": TOKENS, "token_type": TYPES, "eos_token_id": 1} | changes
    kinds = {"model": "string", "tokens": "[string]", "token_type": "[int32]"}
    pairs = [
        (f"tokenizer.ggml.{key}", kinds.get(key, "uint32"), value) for key, value in values.items() if value is not None
    ]
    tensors = [] if head is None else [("token_embd.weight", (1, head), 24, 0)]
    path = folder / "small.gguf"
    path.write_bytes(gguf_file(pairs, tensors, bytes(head or 0)))
    return path


def test_every_token_of_a_real_model_is_decoded_as_the_library_does() -> None:
    """SmolLM2: each of the 49,135 text tokens is what the ByteLevel decoder of tokenizers makes of it."""
    decoder = pytest.importorskip("tokenizers").decoders.ByteLevel()
    metadata = read_gguf(fetch(NAME)).metadata
    made = real("gguf", NAME)
    texts, types = metadata.strings("tokenizer.ggml.tokens"), metadata.numbers("tokenizer.ggml.token_type")
    assert len(made.tokens) == 49_152
    assert sum(map(bool, made.tokens)) == 49_135
    for token, text, kind in zip(made.tokens, texts, types, strict=True):
        if kind == 3:
            assert token == b""
        else:
            assert token.decode(errors="replace") == decoder.decode([text.decode()])


def test_the_facts_of_smollm2() -> None:
    """Two end ids, though the file names one; 21 bytes that no token holds; 313 tokens that are no text alone."""
    made = real("gguf", NAME)
    assert made.end_ids == {0, 2}
    assert len(made.special_ids) == 17
    assert made.special_names["<|im_end|>"] == 2
    assert made.special_names["<reponame>"] == 4
    assert made.missing_bytes == {4, 6, 0x13, 0x14, 0x16, 0x1D, 0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)}
    assert not made.bound_bytes
    assert not made.duplicates
    broken = 0
    for token in made.tokens:
        try:
            token.decode()
        except UnicodeDecodeError:
            broken += 1
    assert broken == 313


RULES = [
    # model; the bytes of every token
    ("llama", [b"", b"", " Ġa".encode(), b"A", b"  b", b"", b"", b"x"]),
    ("gemma4", [b"", b"", " Ġa".encode(), b"A", b"  b", b"", b"", b"x"]),
    # ▁ is outside the byte alphabet, so the whole token is literal; user-defined tokens always are.
    ("gpt2", [b"", b"", "▁Ġa".encode(), b"A", "▁▁b".encode(), b"", b"", b"x"]),
]


@pytest.mark.parametrize(("model", "tokens"), RULES)
def test_types_and_model_decide_how_a_token_is_spelled(tmp_path: Path, model: str, tokens: list[bytes]) -> None:
    """Unknown, control and padding tokens are never text; the rest is spelled as the model says."""
    made = Vocabulary.from_gguf(_write(tmp_path, model))
    assert made.tokens == tuple(tokens)
    assert made.special_names == {"<unk>": 0, "<s>": 1, "<|im_end|>": 6}


def test_byte_level_tokens_are_letters(tmp_path: Path) -> None:
    """In a gpt2 model the letters of normal tokens are bytes, those of user-defined ones are not."""
    made = Vocabulary.from_gguf(
        _write(tmp_path, "gpt2", tokens=["<s>", "Ġé", "Ġé"], token_type=[3, 1, 4], eos_token_id=0)
    )
    assert made.tokens == (b"", b" \xe9", "Ġé".encode())


@pytest.mark.parametrize("kind", [2, 3, 4, 5])
def test_rows_that_a_converter_made_up_are_padding(tmp_path: Path, kind: int) -> None:
    """``[PAD<id>]`` at its own id is no token whatever its type (4 for Qwen 2, 2 for Phi 3); elsewhere it is text."""
    tokens = ["<s>", "[PAD1]", "[PAD3]", "[PAD3]", "[PAD4]"]
    made = Vocabulary.from_gguf(_write(tmp_path, tokens=tokens, token_type=[3, kind, 4, kind, 1], eos_token_id=0))
    assert made.tokens == (b"", b"", b"[PAD3]", b"", b"[PAD4]")
    assert made.special_names == {"<s>": 0}


def test_ends_are_those_stated_and_the_control_tokens_known_by_name(tmp_path: Path) -> None:
    """``eos`` alone is not enough: the end of a chat turn is a control token of its own, stated or not."""
    assert Vocabulary.from_gguf(_write(tmp_path)).end_ids == {1, 6}
    assert Vocabulary.from_gguf(_write(tmp_path, eot_token_id=0)).end_ids == {0, 1, 6}
    assert Vocabulary.from_gguf(_write(tmp_path), end_ids=[6]).end_ids == {6}


def test_a_text_token_that_looks_like_an_end_is_text(tmp_path: Path) -> None:
    """``</s>`` is an HTML tag where its type is not control (Qwen 128247, Gemma 212)."""
    made = Vocabulary.from_gguf(_write(tmp_path, tokens=["<eos>", "</s>"], token_type=[3, 1], eos_token_id=0))
    assert (list(made.tokens), set(made.end_ids)) == ([b"", b"</s>"], {0})


def test_the_width_is_that_of_the_output_matrix(tmp_path: Path) -> None:
    """Padding rows of the weights are masked; a caller's width goes before them."""
    assert len(Vocabulary.from_gguf(_write(tmp_path))) == 8
    assert len(Vocabulary.from_gguf(_write(tmp_path, head=64))) == 64
    assert len(Vocabulary.from_gguf(_write(tmp_path, head=64), logit_width=40)) == 40
    assert real("gguf", NAME).logit_width == 49_152


def test_a_file_without_types_has_normal_tokens(tmp_path: Path) -> None:
    """Old files name no types: everything but the stated end is text."""
    made = Vocabulary.from_gguf(_write(tmp_path, token_type=None, tokens=["a", "</s>", "▁b"]))
    assert made.tokens == (b"a", b"", b" b")


@pytest.mark.parametrize(
    ("model", "changes", "reason"),
    [
        ("bert", {}, "'bert' are not read.*from_tokens"),
        ("rwkv", {}, "'rwkv'"),
        ("llama", {"tokens": None}, "tokens.*missing"),
        ("llama", {"token_type": [1]}, "8 tokens have 1 types"),
        ("llama", {"tokens": [b"\xff"], "token_type": [1]}, "cannot be spelled"),
        ("llama", {"tokens": ["a", "b"], "token_type": [1, 6]}, "names no byte"),
        ("llama", {"eos_token_id": None, "tokens": ["<s>", "a"], "token_type": [3, 1]}, "no end id is known.*<s>"),
        ("llama", {"eos_token_id": 8}, "id 8 is not in"),
        ("llama", {"head": 4}, "leaves out id"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, model: str, changes: dict[str, Any], reason: str) -> None:
    """A vocabulary that cannot be read exactly is a VocabularyError that names the file."""
    path = _write(tmp_path, model, **changes)
    with pytest.raises(VocabularyError, match=reason) as caught:
        Vocabulary.from_gguf(path)
    assert str(path) in str(caught.value)


def test_what_is_no_gguf_file_is_refused(tmp_path: Path) -> None:
    """Damage of the file itself is a VocabularyError too, and so is a file without a vocabulary."""
    (tmp_path / "cut.gguf").write_bytes(_write(tmp_path).read_bytes()[:60])
    (tmp_path / "bare.gguf").write_bytes(gguf_file())
    for source in (tmp_path / "none.gguf", tmp_path, tmp_path / "cut.gguf", tmp_path / "bare.gguf", 7):
        with pytest.raises(VocabularyError):
            Vocabulary.from_gguf(source)  # type: ignore[arg-type]
