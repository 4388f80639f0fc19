"""The forward pass: how tokens are cut into passes does not matter, and what is not understood is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maskwright.decode.cache import Cache
from maskwright.decode.llama import Llama
from maskwright.errors import ModelError
from maskwright.gguf import read_gguf

IDS = [2, 9, 30, 97, 98, 99, 5, 5, 5, 60, 61, 62]


@pytest.fixture
def llama(toy_gguf: Path) -> Llama:
    return Llama(read_gguf(toy_gguf))


def fresh(llama: Llama, ids: list[int]) -> np.ndarray:
    return llama.forward(ids, Cache(llama.dimensions))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(data=st.data())
def test_how_tokens_are_cut_into_passes_does_not_matter(llama: Llama, data: st.DataObject) -> None:
    """One pass over all tokens gives the states of any sequence of passes over parts of them."""
    cuts = sorted(data.draw(st.sets(st.integers(1, len(IDS) - 1))))
    cache = Cache(llama.dimensions)
    parts = [llama.forward(IDS[a:b], cache) for a, b in zip([0, *cuts], [*cuts, len(IDS)], strict=True)]
    np.testing.assert_allclose(np.concatenate(parts), fresh(llama, IDS), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kept", range(len(IDS)))
def test_a_cache_cut_back_is_a_fresh_one(llama: Llama, kept: int) -> None:
    """After cutting back to ``kept`` tokens, others read as if the cut ones had never been."""
    cache = Cache(llama.dimensions)
    llama.forward(IDS, cache)
    cache.truncate(kept)
    other = [70, 71, 72, 2]
    np.testing.assert_allclose(
        llama.forward(other, cache), fresh(llama, IDS[:kept] + other)[kept:], rtol=1e-4, atol=1e-4
    )


def test_long_prompts_are_read_in_chunks(llama: Llama) -> None:
    """A prompt longer than a chunk has the states of single steps."""
    ids = [2 + i % 90 for i in range(520)]
    cache = Cache(llama.dimensions)
    steps = [llama.forward([i], cache)[0] for i in ids]
    np.testing.assert_allclose(fresh(llama, ids), steps, rtol=1e-3, atol=1e-3)


def test_scores_of_some_ids_are_those_of_all(llama: Llama) -> None:
    """Narrow and wide selections have the same scores as the whole row, in the order asked for."""
    hidden = fresh(llama, IDS)
    whole = llama.logits(hidden)
    assert whole.shape == (len(IDS), llama.vocabulary_size)
    for ids in ([50], [50, 3], list(range(40, 0, -1))):
        np.testing.assert_allclose(llama.logits(hidden[-1], np.array(ids)), whole[-1][ids], rtol=1e-4, atol=1e-4)


def test_the_context_ends_with_an_error_and_no_change(llama: Llama) -> None:
    """More tokens than the context holds are refused, and the cache stays as it was."""
    cache = Cache(llama.dimensions)
    llama.forward([5] * 598, cache)
    with pytest.raises(ModelError, match="context of 600"):
        llama.forward([5] * 3, cache)
    assert cache.length == 598
    llama.forward([5] * 2, cache)


@pytest.mark.parametrize("token", [-1, 10_000])
def test_token_ids_out_of_range_are_refused(llama: Llama, token: int) -> None:
    """An id that the model has no embedding for is an error, not a wrap-around."""
    with pytest.raises(ModelError, match="outside"):
        fresh(llama, [2, token])


@pytest.mark.parametrize("length", [-1, 3])
def test_a_cache_cannot_be_cut_longer(llama: Llama, length: int) -> None:
    """Cutting to a negative length or beyond what was read is a programming error."""
    cache = Cache(llama.dimensions)
    llama.forward([2, 3], cache)
    with pytest.raises(ValueError, match="cannot be cut"):
        cache.truncate(length)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"general__architecture": "gemma3"}, "'gemma3' is not known"),
        ({"llama__rope__scaling__type": "yarn"}, "'yarn'"),
        ({"llama__rope__dimension_count": 2}, "2 of 4"),
        ({"llama__attention__head_count_kv": 3}, "3 key heads"),
        ({"llama__block_count": 0}, "not positive"),
        ({"llama__block_count": 3}, "'blk.2.attn_q.weight' is missing"),
        ({"llama__embedding_length": None}, "llama.embedding_length"),
        ({"llama__feed_forward_length": 25}, "shape"),
        ({"tensors": {"blk.0.attn_q.bias": ((16,), 0, bytes(64))}}, "blk.0.attn_q.bias"),
        ({"tensors": {"blk.1.ffn_up.weight": None}}, "'blk.1.ffn_up.weight' is missing"),
        ({"tensors": {"blk.1.attn_q.weight": ((2, 16, 8), 0, bytes(1024))}}, "shape"),
        ({"tensors": {"blk.1.attn_output.weight": ((16, 32), 6, bytes(16 * 22))}}, "Q5_0|shape"),
    ],
)
def test_what_is_not_understood_is_refused(
    gguf_writer: Callable[..., Path], changes: dict[str, object], reason: str
) -> None:
    """Another architecture, a variant, a missing or further tensor: an error that names it, never wrong text."""
    with pytest.raises(ModelError, match=reason):
        Llama(read_gguf(gguf_writer(**changes)))


def test_an_output_matrix_of_its_own_is_used(gguf_writer: Callable[..., Path], llama: Llama) -> None:
    """Models that do not share the input embedding score with ``output.weight``."""
    count = llama.vocabulary_size
    matrix = np.eye(count, 16, dtype="<f4")
    other = Llama(read_gguf(gguf_writer(tensors={"output.weight": ((count, 16), 0, matrix.tobytes())})))
    hidden = fresh(other, IDS)
    np.testing.assert_allclose(other.logits(hidden)[:, :16], hidden, rtol=1e-5, atol=1e-5)
