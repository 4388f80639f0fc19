"""A toy language, a toy model file and their parts, for tests of the decoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from maskwright.errors import TokenError
from maskwright.vocabulary import Vocabulary
from tests.unit.gguf_writer import gguf_file

#: What the toy vocabulary can write; ids 0 and 1 end the output.
PIECES = [b"", b"", *(bytes([c]) for c in range(32, 127)), b"ab", b"abc", b"bc", b'{"', b'": ', b'"}']


class LanguageMatcher:
    """Follows a finite set of words by looking at every word for every token: slow and obvious."""

    def __init__(
        self, vocabulary: Vocabulary, words: frozenset[bytes], text: bytes = b"", *, ended: bool = False
    ) -> None:
        self._vocabulary, self._words, self.text, self.is_finished = vocabulary, words, text, ended

    @property
    def is_accepting(self) -> bool:
        return self.text in self._words

    @property
    def must_end(self) -> bool:
        return self.is_accepting and not self.forced_or_free()

    def forced_or_free(self) -> bool:
        return any(word.startswith(self.text) and word != self.text for word in self._words)

    def _allows(self, token: int) -> bool:
        if self.is_finished or token in self._vocabulary.end_ids:
            return token in self._vocabulary.end_ids and (self.is_finished or self.is_accepting)
        piece = self._vocabulary.tokens[token] if token < len(self._vocabulary.tokens) else b""
        return bool(piece) and any(word.startswith(self.text + piece) for word in self._words)

    def mask(self) -> np.ndarray:
        mask = np.zeros(-(-len(self._vocabulary) // 32), np.uint32)
        for token in range(len(self._vocabulary)):
            if self._allows(token):
                mask[token // 32] |= np.uint32(1 << token % 32)
        return mask

    def advance(self, token: int) -> None:
        if not self._allows(token):
            raise TokenError(f"token {token} is not allowed")
        if token in self._vocabulary.end_ids:
            self.is_finished = True
        else:
            self.text += self._vocabulary.tokens[token]

    def fork(self) -> LanguageMatcher:
        return LanguageMatcher(self._vocabulary, self._words, self.text, ended=self.is_finished)

    def forced_tokens(self) -> list[int]:
        tokens, probe = [], self.fork()
        while not probe.is_accepting:
            following = {
                word[len(probe.text) : len(probe.text) + 1] for word in self._words if word.startswith(probe.text)
            }
            if len(following) != 1:
                break
            token = self._vocabulary.tokens.index(following.pop())
            probe.advance(token)
            tokens.append(token)
        return tokens


class LanguageGuide:
    def __init__(self, vocabulary: Vocabulary, words: Sequence[bytes]) -> None:
        self.vocabulary, self.words = vocabulary, frozenset(words)

    def matcher(self, *, max_tokens: int | None = None) -> LanguageMatcher:
        """Keep no budget: what the loop does by itself is seen."""
        del max_tokens
        return LanguageMatcher(self.vocabulary, self.words)


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary.from_tokens(PIECES, end_ids=[0, 1])


@pytest.fixture
def language(vocabulary: Vocabulary) -> Callable[..., LanguageGuide]:
    return lambda *words: LanguageGuide(vocabulary, words)


def _kind(value: object) -> str:
    """The metadata type of a value."""
    kinds = {bool: "bool", int: "int32", float: "float32", str: "string"}
    return f"[{kinds[type(value[0])]}]" if isinstance(value, list) else kinds[type(value)]


def write_gguf(path: Path, metadata: dict[str, object], tensors: dict[str, tuple[tuple[int, ...], int, bytes]]) -> Path:
    """Write a file; each tensor as (shape, type code, bytes)."""
    entries, body = [], b""
    for name, (shape, code, data) in tensors.items():
        entries.append((name, shape[::-1], code, len(body)))
        body += data + bytes(-len(data) % 32)
    path.write_bytes(gguf_file([(key, _kind(value), value) for key, value in metadata.items()], entries, body))
    return path


SIZES = {"layers": 2, "width": 16, "hidden": 24, "heads": 4, "kv_heads": 2, "head": 4, "context": 600}


def toy_metadata() -> dict[str, object]:
    stand_ins = [p.decode().replace(" ", "Ġ") for p in PIECES]
    stand_ins[:2] = ["<|im_start|>", "<|im_end|>"]
    return {
        "general.architecture": "llama",
        "llama.block_count": SIZES["layers"],
        "llama.context_length": SIZES["context"],
        "llama.embedding_length": SIZES["width"],
        "llama.feed_forward_length": SIZES["hidden"],
        "llama.attention.head_count": SIZES["heads"],
        "llama.attention.head_count_kv": SIZES["kv_heads"],
        "llama.rope.freq_base": 10000.0,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": stand_ins,
        "tokenizer.ggml.token_type": [3, 3] + [1] * (len(stand_ins) - 2),
        "tokenizer.ggml.merges": ["a b", "b c", "ab c"],
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.chat_template": "{{'<|im_start|>system\\nBe brief.<|im_end|>\\n'}}",
    }


def toy_tensors(seed: int = 0) -> dict[str, tuple[tuple[int, ...], int, bytes]]:
    random = np.random.default_rng(seed)
    query, key = SIZES["heads"] * SIZES["head"], SIZES["kv_heads"] * SIZES["head"]
    width, hidden = SIZES["width"], SIZES["hidden"]
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (len(PIECES), width), "output_norm.weight": (width,)}
    for layer in range(SIZES["layers"]):
        parts = {
            "attn_norm": (width,),
            "attn_q": (query, width),
            "attn_k": (key, width),
            "attn_v": (key, width),
            "attn_output": (width, query),
            "ffn_norm": (width,),
            "ffn_gate": (hidden, width),
            "ffn_up": (hidden, width),
            "ffn_down": (width, hidden),
        }
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in parts.items()}
    return {name: (shape, 0, random.normal(0, 0.5, shape).astype("<f4").tobytes()) for name, shape in shapes.items()}


@pytest.fixture
def gguf_writer(tmp_path: Path) -> Callable[..., Path]:
    """Writes a toy model; keyword arguments replace or (``None``) remove metadata, ``tensors`` likewise tensors."""

    def write(*, tensors: dict[str, object] | None = None, seed: int = 0, **changes: object) -> Path:
        metadata = {**toy_metadata(), **{key.replace("__", "."): value for key, value in changes.items()}}
        parts = {**toy_tensors(seed), **(tensors or {})}
        kept = {key: value for key, value in metadata.items() if value is not None}
        return write_gguf(tmp_path / f"toy{seed}.gguf", kept, {k: v for k, v in parts.items() if v is not None})

    return write


@pytest.fixture
def toy_gguf(gguf_writer: Callable[..., Path]) -> Path:
    return gguf_writer()


@pytest.fixture(scope="session")
def file_writer() -> Callable[..., Path]:
    return write_gguf
