"""The Llama architecture in NumPy: a forward pass over tokens with a cache of keys and values that can be cut back.

Sources: Touvron et al., "LLaMA" (arXiv 2302.13971): RMS norm before each half-layer, rotary positions, SwiGLU;
Ainslie et al., "GQA" (arXiv 2305.13245): several query heads share one key head; Su et al., "RoFormer" (arXiv
2104.09864). GGUF stores the query and key rows so that a rotation turns *neighbouring* pairs, which makes it one
multiplication of complex numbers here.

Several sequences share a pass: their tokens are the rows of one product with each weight matrix (see
:mod:`maskwright.decode.matrices` for what that saves), and only attention looks at each sequence by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.attention import Attention
from maskwright.decode.cache import Cache
from maskwright.decode.dimensions import Dimensions
from maskwright.decode.matrices import Matrix
from maskwright.decode.tensors import TensorSource
from maskwright.decode.weights import Weights, dequantise, dequantise_rows
from maskwright.errors import ModelError
from maskwright.gguf import Gguf, Tensor

__all__ = ["Llama"]

Ids = NDArray[np.intp]

#: Tokens that are read in one pass: bounds the attention scores (heads x 256 x context) to some 70 MB.
_CHUNK: Final = 256
#: Below this share of the vocabulary, logits of single rows (unpacked anew) cost less than the whole product.
_NARROW: Final = 1 / 64


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of one layer."""

    attention_norm: Weights
    #: Queries, keys and values side by side.
    qkv: Matrix
    output: Matrix
    feed_norm: Weights
    #: Gate and up side by side.
    gate_up: Matrix
    down: Matrix


class Llama:
    """A model whose weights are in memory, as float32. Holds no sequence: each has its own :class:`Cache`."""

    def __init__(self, gguf: Gguf) -> None:
        """Unpack the weights: 0.5 s and 540 MB for 135 million.

        Raises:
            ModelError: another architecture, a missing, misshapen or unknown tensor, an unknown number format.

        """
        self.dimensions = Dimensions.from_gguf(gguf)
        source = TensorSource(gguf)
        size = self.dimensions
        self._embedding = source.take("token_embd.weight", None, size.width)
        self.vocabulary_size = self._embedding.shape[0]
        #: Models that share the input embedding have no tensor of their own for the output.
        has_head = "output.weight" in gguf.tensors
        self._head_rows = source.take("output.weight", None, size.width) if has_head else self._embedding
        # Unpacking is array work without the interpreter's lock, so threads share it; never more than four.
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            head = pool.submit(Matrix.from_tensors, size.width, self._head_rows)
            self._layers = list(pool.map(partial(self._read_layer, source), range(size.layers)))
            self._head = head.result()
        self._norm = dequantise(source.take("output_norm.weight", size.width))
        self._frequencies = size.base ** (-np.arange(0, size.head, 2) / size.head)
        if "rope_freqs.weight" in gguf.tensors:
            self._frequencies /= dequantise(source.take("rope_freqs.weight", size.head // 2))
        source.release()
        source.finish()

    def _read_layer(self, source: TensorSource, index: int) -> _Layer:
        size = self.dimensions
        query, key = size.heads * size.head, size.kv_heads * size.head
        source.release()

        def take(name: str, *shape: int) -> Tensor:
            return source.take(f"blk.{index}.{name}.weight", *shape)

        qkv = [
            take("attn_q", query, size.width),
            take("attn_k", key, size.width),
            take("attn_v", key, size.width),
        ]
        gate_up = [
            take("ffn_gate", size.hidden, size.width),
            take("ffn_up", size.hidden, size.width),
        ]
        return _Layer(
            attention_norm=dequantise(take("attn_norm", size.width)),
            qkv=Matrix.from_tensors(size.width, *qkv),
            output=Matrix.from_tensors(query, take("attn_output", size.width, query)),
            feed_norm=dequantise(take("ffn_norm", size.width)),
            gate_up=Matrix.from_tensors(size.width, *gate_up),
            down=Matrix.from_tensors(size.hidden, take("ffn_down", size.width, size.hidden)),
        )

    def forward(self, tokens: Sequence[int], cache: Cache) -> Weights:
        """Read tokens after those in ``cache`` and return the hidden state of each, float32 ``[len(tokens), width]``.

        Raises:
            ModelError: the context is exceeded, or a token id is outside the vocabulary; ``cache`` is unchanged.

        """
        return self.advance([(tokens, cache)])[0]

    def advance(self, parts: Sequence[tuple[Sequence[int], Cache]]) -> list[Weights]:
        """Read tokens of several sequences, each after those in its cache, and return the hidden states of each.

        All share the passes over the weights, of at most 256 tokens each. No cache may occur twice.

        Raises:
            ModelError: a context is exceeded, or a token id is outside the vocabulary; every cache is unchanged.

        """
        rows = [np.asarray(tokens, np.intp) for tokens, _ in parts]
        for ids, (_, cache) in zip(rows, parts, strict=True):
            if ids.size and not 0 <= ids.min() <= ids.max() < self.vocabulary_size:
                raise ModelError(f"a token id is outside 0..{self.vocabulary_size - 1}")
            cache.check(len(ids))
        hidden = [np.empty((len(ids), self.dimensions.width), np.float32) for ids in rows]
        for cuts in _passes([len(ids) for ids in rows]):
            states = self._read([(rows[index][part], parts[index][1]) for index, part in cuts])
            first = 0
            for index, part in cuts:
                count = part.stop - part.start
                hidden[index][part] = states[first : first + count]
                first += count
        return hidden

    def logits(self, hidden: Weights, ids: Ids | None = None) -> Weights:
        """Return the scores of the next token after a hidden state ``[width]``, or after each of ``[n, width]``.

        With ``ids``, only the scores of these tokens, in their order.
        """
        if ids is not None and len(ids) <= self.vocabulary_size * _NARROW:
            narrow: Weights = hidden @ dequantise_rows(self._head_rows, ids).T
            return narrow
        scores = self._head.product(np.atleast_2d(hidden)).reshape(*hidden.shape[:-1], -1)
        return scores if ids is None else scores[..., ids]

    def _read(self, parts: Sequence[tuple[Ids, Cache]]) -> Weights:
        """One pass over the weights."""
        attention = Attention(self.dimensions, self._frequencies, [(len(ids), cache) for ids, cache in parts])
        x = dequantise_rows(self._embedding, np.concatenate([ids for ids, _ in parts]))
        for index, layer in enumerate(self._layers):
            qkv = layer.qkv.product(self._normalise(x, layer.attention_norm))
            x += layer.output.product(attention.gather(index, qkv))
            gate, up = np.split(layer.gate_up.product(self._normalise(x, layer.feed_norm)), 2, axis=-1)
            x += layer.down.product(_swiglu(gate, up))
        attention.finish()
        return self._normalise(x, self._norm)

    def _normalise(self, x: Weights, weight: Weights) -> Weights:
        mean = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[-1])
        result: Weights = x * (weight / np.sqrt(mean + np.float32(self.dimensions.epsilon)))
        return result


def _passes(lengths: Sequence[int]) -> Iterator[list[tuple[int, slice]]]:
    """Cut sequences of tokens into passes of at most ``_CHUNK``: the place of each sequence and the part to read."""
    cuts: list[tuple[int, slice]] = []
    room = _CHUNK
    for index, length in enumerate(lengths):
        start = 0
        while start < length:
            stop = min(start + room, length)
            cuts.append((index, slice(start, stop)))
            room -= stop - start
            start = stop
            if not room:
                yield cuts
                cuts, room = [], _CHUNK
    if cuts:
        yield cuts


def _swiglu(gate: Weights, up: Weights) -> Weights:
    """``gate * sigmoid(gate) * up``; the clip keeps ``exp`` finite and changes nothing in float32."""
    result: Weights = gate / (1 + np.exp(-np.clip(gate, -80, 80))) * up
    return result
