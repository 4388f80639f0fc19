"""tiktoken encodings against the tiktoken package, id by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from maskwright.errors import VocabularyError
from maskwright.vocabulary import MAXIMUM_IDS, Vocabulary
from tests.registry import fetch
from tests.unit.tokenizers.conftest import HARD_TEXTS, real

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["cl100k_base", "o200k_base"]
RANKS = {b"a": 0, b"b": 1, b"ab": 2}


def _encoding(name: str) -> Any:
    """Return the package's encoding, built from the pinned file by the package's own reader."""
    tiktoken = pytest.importorskip("tiktoken")
    openai_public = pytest.importorskip("tiktoken_ext.openai_public")
    load = openai_public.load_tiktoken_bpe
    path = str(fetch(f"{name}.tiktoken"))
    # The constructors of the public encodings fetch by URL; here they are given the pinned file.
    openai_public.load_tiktoken_bpe = lambda *_, **__: load(path)
    try:
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())
    finally:
        openai_public.load_tiktoken_bpe = load


@pytest.mark.parametrize("name", NAMES)
def test_every_id_has_the_bytes_of_the_package(name: str) -> None:
    """File and encoding give the same vocabulary: the package's bytes for each id, nothing for gaps and controls."""
    encoding = _encoding(name)
    made = real("tiktoken", f"{name}.tiktoken")
    assert len(made.tokens) == encoding.n_vocab
    control = {encoding.encode_single_token(text): text for text in encoding.special_tokens_set}
    gaps = 0
    for i, token in enumerate(made.tokens):
        if i in control:
            assert token == b""
            assert made.special_names[control[i]] == i
            continue
        try:
            assert token == encoding.decode_single_token_bytes(i)
        except KeyError:
            gaps += 1
            assert token == b""
    assert len(made.special_names) == len(control)
    assert gaps > 0
    assert made.end_ids == {encoding.encode_single_token("<|endoftext|>")}
    assert made == Vocabulary.from_tiktoken(encoding)


@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_of_the_ids_are_the_text(name: str) -> None:
    """The bytes of what the package encodes are the text, look-alikes of control tokens included."""
    encoding = _encoding(name)
    made = real("tiktoken", f"{name}.tiktoken")
    for text in HARD_TEXTS:
        assert b"".join(made.tokens[i] for i in encoding.encode_ordinary(text)) == text.encode()


def test_harmony_ends_at_return_and_call_and_is_wider_than_its_names() -> None:
    """o200k_harmony: 201,088 logits; ``<|end|>`` closes a message only."""
    tiktoken = pytest.importorskip("tiktoken")
    specials = {"<|endoftext|>": 199_999, "<|return|>": 200_002, "<|end|>": 200_007, "<|call|>": 200_012}
    ranks = _encoding("o200k_base")._mergeable_ranks
    encoding = tiktoken.Encoding("harmony", pat_str=r"\S+", mergeable_ranks=ranks, special_tokens=specials)
    made = Vocabulary.from_tiktoken(encoding, logit_width=201_088)
    assert made.end_ids == {199_999, 200_002, 200_012}
    assert len(made) == 201_088


def test_ranks_and_special_tokens() -> None:
    """Ranks are ids; special tokens lie where the caller says, and what lies between is never text."""
    made = Vocabulary.from_tiktoken(RANKS, special_tokens={"<|endoftext|>": 5, "<|x|>": 4})
    assert made.tokens == (b"a", b"b", b"ab", b"", b"", b"")
    assert (set(made.end_ids), set(made.special_ids)) == ({5}, {4, 5})


def test_end_ids_may_lie_beyond_the_ranks() -> None:
    """A file has no control tokens: an end id makes its place itself (151,645 for 151,643 ranks of Qwen)."""
    made = Vocabulary.from_tiktoken(RANKS, end_ids=[3, 6], logit_width=16)
    assert made.tokens == (b"a", b"b", b"ab", b"", b"", b"", b"")
    assert (set(made.end_ids), len(made)) == ({3, 6}, 16)


def test_a_known_name_needs_the_known_size(tmp_path: Path) -> None:
    """Another file called ``cl100k_base.tiktoken`` does not get the control tokens of the public one."""
    path = tmp_path / "cl100k_base.tiktoken"
    path.write_bytes(b"YQ== 0\nYg== 1\n")
    with pytest.raises(VocabularyError, match="no end id is known"):
        Vocabulary.from_tiktoken(path)
    assert Vocabulary.from_tiktoken(path, end_ids=[2]).tokens == (b"a", b"b", b"")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"YQ==", "not a .tiktoken file"),
        (b"YQ== 0\nYg==", "not a .tiktoken file"),
        (b"YQ== a\n", "not a .tiktoken file"),
        (b"Y 0\n", "not a .tiktoken file"),
        (b"YQ== 0\nYQ== 1\n", "the same token"),
        (b"YQ== 0\nYg== 0\n", "the same id"),
        (b"YQ== -1\n", "not within"),
        (b"YQ== 1152921504606846976\n", "not within"),
        (b'{"model": {}}\n', "not a .tiktoken file"),
    ],
)
def test_damage_is_refused_with_path_and_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    """A file that is no list of ranks is a VocabularyError that names it; a forged rank allocates nothing."""
    path = tmp_path / "x.tiktoken"
    path.write_bytes(content)
    with pytest.raises(VocabularyError, match=reason) as caught:
        Vocabulary.from_tiktoken(path, end_ids=[5])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ("none.tiktoken", {}, "cannot be read.*get_encoding"),
        (7, {}, "not a known kind"),
        ({b"a": 0}, {}, "no end id"),
        ({b"a": "0"}, {"end_ids": [1]}, "no integers"),
        ({"a": 0}, {"end_ids": [1]}, "not bytes"),
        ({b"a": 0}, {"end_ids": 1}, "no set of token ids"),
        ({b"a": 0}, {"end_ids": [MAXIMUM_IDS]}, "id 4194304"),
        ({b"a": 0}, {"end_ids": [-1]}, "id -1"),
        ({b"a": 0}, {"special_tokens": {"<|endoftext|>": 0}}, "a rank and a special token"),
        ({b"a": 0}, {"special_tokens": {"<|endoftext|>": 1, "<|x|>": "2"}}, "no integers"),
        ({}, {"end_ids": [1]}, "no token has any text"),
    ],
)
def test_what_does_not_fit_is_refused(source: Any, options: dict[str, Any], reason: str) -> None:
    """Every wrong argument is a VocabularyError."""
    with pytest.raises(VocabularyError, match=reason):
        Vocabulary.from_tiktoken(source, **options)
