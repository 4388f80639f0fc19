"""The prompt encoder against the tokenizers package on a vocabulary trained for the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from maskwright.decode.bpe import Encoder
from maskwright.errors import ModelError
from maskwright.gguf import read_gguf

tokenizers = pytest.importorskip("tokenizers")

CORPUS = [
    "don't we'll they've it's 12 345",
    "aaaa abab banana  bandana\n\n\tand",
    "été naïve 日本語 ½ ٣٤ x²",
    "{'a': [1, 2]}",
] * 3


def splitter(pattern: str) -> Any:
    from tokenizers import pre_tokenizers

    bytelevel = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if pattern == "gpt-2":
        return bytelevel
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), bytelevel])


@pytest.fixture(scope="module", params=["gpt-2", "smollm"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Encoder, object]:
    """Our encoder and theirs, with the same 80 merges."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = splitter(request.param)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    theirs.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=336, initial_alphabet=alphabet, show_progress=False)
    )
    model = json.loads(theirs.to_str())["model"]
    names = sorted(model["vocab"], key=model["vocab"].get)
    merges = [" ".join(merge) if isinstance(merge, list) else merge for merge in model["merges"]]
    write = request.getfixturevalue("file_writer")
    path = write(
        tmp_path_factory.mktemp("bpe") / "bpe.gguf",
        {
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": request.param,
            "tokenizer.ggml.tokens": names,
            "tokenizer.ggml.merges": merges,
        },
        {},
    )
    return Encoder(read_gguf(path)), theirs


texts = st.text(st.one_of(st.characters(exclude_categories=["Cs", "Cn"]), st.sampled_from(list("ab ns'tvel12\n\t  ."))))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts)
@example(text="")
@example(text="don't DON'T 's  's\u2019s we'll've")
@example(text="a  1  b\u00a0\u2003 x\u0085y \n\n ")
@example(text="\x1c\x1d a\x1e")
@example(text="banana" * 50)
def test_ids_are_those_of_the_other_implementation(pair: tuple[Encoder, object], text: str) -> None:
    """Every text has the ids that the tokenizers package gives it."""
    ours, theirs = pair
    assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids


def test_one_long_word_takes_no_quadratic_time(pair: tuple[Encoder, object]) -> None:
    """A word of 100,000 letters has the ids of the other implementation, too, and comes back at once."""
    ours, theirs = pair
    text = "ab" * 50_000
    assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids


def test_special_tokens_are_not_parsed(toy_gguf: Path) -> None:
    """Text that looks like a marker is encoded by its characters."""
    ids = Encoder(read_gguf(toy_gguf)).encode("<|im_end|>")
    assert 1 not in ids
    assert len(ids) == len("<|im_end|>")


def test_bytes_without_a_token_are_left_out(toy_gguf: Path) -> None:
    """Where the model has no token for a byte, the rest of the text remains."""
    encoder = Encoder(read_gguf(toy_gguf))
    assert encoder.encode("x\x04yé") == encoder.encode("xy")


def test_a_lone_surrogate_is_an_error(toy_gguf: Path) -> None:
    """What stands for no bytes is refused with its place."""
    with pytest.raises(ModelError, match="character 2"):
        Encoder(read_gguf(toy_gguf)).encode("ab\ud800")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tokenizer__ggml__model": "llama"}, "'llama'"),
        ({"tokenizer__ggml__pre": "qwen2"}, "'qwen2'"),
        ({"tokenizer__ggml__merges": ["a b", "x yz"]}, "x yz"),
        ({"tokenizer__ggml__merges": None}, "merges"),
    ],
)
def test_other_tokenizers_are_refused(
    gguf_writer: Callable[..., Path], changes: dict[str, object], reason: str
) -> None:
    """A tokenizer that would be encoded wrongly is an error that names it."""
    with pytest.raises(ModelError, match=reason):
        Encoder(read_gguf(gguf_writer(**changes)))
