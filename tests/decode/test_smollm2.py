"""The real default model against torch and the tokenizers package, each an independent implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maskwright.decode.bpe import Encoder
from maskwright.decode.cache import Cache
from maskwright.decode.llama import Llama
from maskwright.gguf import read_gguf

pytestmark = pytest.mark.slow

TEXTS = [
    "Extract name, age and city from the text as a JSON object.\nText: Alice Martin, 34, moved from Paris to Berlin.",
    '{"name": "José", "tags": ["日本語", "naïve"], "n": -12.5e3}',
    "def f(x):\n    return x ** 2  # ½ ٣\n\n\n\t\tdone",
    "don't we'll   they've\u00a0\u2003it's 😀👩‍👩‍👧 Ωμέγα",
]


@pytest.fixture(scope="module")
def llama(smollm2: Path) -> Llama:
    return Llama(read_gguf(smollm2))


@pytest.fixture(scope="module")
def encoder(smollm2: Path) -> Encoder:
    return Encoder(read_gguf(smollm2))


def test_ids_are_those_of_tokenizers(smollm2: Path, encoder: Encoder) -> None:
    """The encoder gives the ids of a tokenizer that the tokenizers package builds from the same merges."""
    tokenizers = pytest.importorskip("tokenizers")
    read = read_gguf(smollm2).metadata
    names = [token.decode() for token in read.strings("tokenizer.ggml.tokens")]
    merges = [tuple(merge.decode().split(" ")) for merge in read.strings("tokenizer.ggml.merges")]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE({name: i for i, name in enumerate(names)}, merges))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    for text in TEXTS:
        assert encoder.encode(text) == theirs.encode(text, add_special_tokens=False).ids


def test_scores_are_those_of_torch(smollm2: Path, llama: Llama, encoder: Encoder) -> None:
    """Logits equal those of LlamaForCausalLM on the same weights to 1e-3, at every position."""
    torch = pytest.importorskip("torch")
    reference = torch_model(smollm2)
    for text in TEXTS:
        ids = encoder.encode(text)
        with torch.no_grad():
            wanted = reference(torch.tensor([ids])).logits[0].numpy()
        ours = llama.logits(llama.forward(ids, Cache(llama.dimensions)))
        np.testing.assert_allclose(ours, wanted, atol=1e-3)
        assert (ours.argmax(-1) == wanted.argmax(-1)).all()


def torch_model(path: Path) -> Any:
    """LlamaForCausalLM with the weights of a GGUF file."""
    import torch

    transformers = pytest.importorskip("transformers")
    from maskwright.decode.checkpoint import configuration, state_dict

    gguf = read_gguf(path)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**configuration(gguf)))
    left = model.load_state_dict({k: torch.from_numpy(v) for k, v in state_dict(gguf).items()}, strict=False)
    assert left.unexpected_keys == []
    assert left.missing_keys in ([], ["lm_head.weight"])
    model.tie_weights()
    return model.eval()


def test_a_cache_cut_back_is_a_fresh_one(llama: Llama, encoder: Encoder) -> None:
    """Cut back and read on: the states of a fresh run."""
    ids, other = encoder.encode(TEXTS[0]), encoder.encode(TEXTS[1])
    cache = Cache(llama.dimensions)
    llama.forward(ids, cache)
    for kept in (len(ids) - 1, 7, 0):
        cache.truncate(kept)
        again = llama.forward(other, cache)
        fresh = llama.forward(ids[:kept] + other, Cache(llama.dimensions))[kept:]
        np.testing.assert_allclose(again, fresh, atol=2e-3)
