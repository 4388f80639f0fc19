"""The Llama architecture in NumPy: a forward pass over tokens with a cache of keys and values that can be cut back.

Sources: Touvron et al., "LLaMA" (arXiv 2302.13971): RMS norm before each half-layer, rotary positions, SwiGLU;
Ainslie et al., "GQA" (arXiv 2305.13245): several query heads share one key head; Su et al., "RoFormer" (arXiv
2104.09864). GGUF stores the query and key rows so that a rotation turns *neighbouring* pairs, which makes it one
multiplication of complex numbers here.

Weights are held transposed, ``[inputs, outputs]``: a product with one row is bound by memory, and OpenBLAS reads this
layout at 25 GB/s on one core against 13 GB/s for ``[outputs, inputs]`` (13 ms a token instead of 24 on SmolLM2).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.cache import Cache
from maskwright.decode.dimensions import Dimensions
from maskwright.decode.tensors import TensorSource, beside
from maskwright.decode.weights import Weights, dequantise, dequantise_rows
from maskwright.errors import ModelError
from maskwright.gguf import Gguf, Tensor

__all__ = ["Llama"]

Ids = NDArray[np.intp]

#: Tokens of a prompt that are read at once: bounds the attention scores (heads x 256 x context) to some 70 MB.
_CHUNK: Final = 256
#: Rows up to which a loop over the rows is quicker than one matrix product.
_FEW: Final = 6
#: Below this share of the vocabulary, logits of single rows (unpacked anew) cost less than the whole product.
_NARROW: Final = 1 / 64


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of one layer, matrices as ``[inputs, outputs]``."""

    attention_norm: Weights
    #: Queries, keys and values side by side.
    qkv: Weights
    output: Weights
    feed_norm: Weights
    #: Gate and up side by side.
    gate_up: Weights
    down: Weights


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
            head = pool.submit(beside, size.width, self._head_rows)
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
            qkv=beside(size.width, *qkv),
            output=beside(query, take("attn_output", size.width, query)),
            feed_norm=dequantise(take("ffn_norm", size.width)),
            gate_up=beside(size.width, *gate_up),
            down=beside(size.hidden, take("ffn_down", size.width, size.hidden)),
        )

    def forward(self, tokens: Sequence[int], cache: Cache) -> Weights:
        """Read tokens after those in ``cache`` and return the hidden state of each, float32 ``[len(tokens), width]``.

        Raises:
            ModelError: the context is exceeded, or a token id is outside the vocabulary; ``cache`` is unchanged.

        """
        ids = np.asarray(tokens, np.intp)
        if ids.size and not 0 <= ids.min() <= ids.max() < self.vocabulary_size:
            raise ModelError(f"a token id is outside 0..{self.vocabulary_size - 1}")
        cache.reserve(len(ids))
        parts = [self._chunk(ids[start : start + _CHUNK], cache) for start in range(0, len(ids), _CHUNK)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions.width), np.float32)

    def logits(self, hidden: Weights, ids: Ids | None = None) -> Weights:
        """Return the scores of the next token after a hidden state ``[width]``, or after each of ``[n, width]``.

        With ``ids``, only the scores of these tokens, in their order.
        """
        if ids is not None and len(ids) <= self.vocabulary_size * _NARROW:
            narrow: Weights = hidden @ dequantise_rows(self._head_rows, ids).T
            return narrow
        scores: Weights = hidden @ self._head
        return scores if ids is None else scores[..., ids]

    def _chunk(self, ids: Ids, cache: Cache) -> Weights:
        start, stop = cache.length, cache.length + len(ids)
        angles = np.arange(start, stop)[:, None] * self._frequencies
        turn = np.exp(1j * angles).astype(np.complex64)[:, None, :]
        #: Minus infinity where a token would look at a later one.
        later = np.triu(np.full((len(ids), stop), -np.inf, np.float32), start + 1)
        x = dequantise_rows(self._embedding, ids)
        for index, layer in enumerate(self._layers):
            keys, values = cache.keys[index, :, :stop], cache.values[index, :, :stop]
            qkv = _product(self._normalise(x, layer.attention_norm), layer.qkv)
            x += _product(self._attend(qkv, turn, later, keys, values), layer.output)
            gate, up = np.split(_product(self._normalise(x, layer.feed_norm), layer.gate_up), 2, axis=-1)
            x += _product(_swiglu(gate, up), layer.down)
        cache.length = stop
        return self._normalise(x, self._norm)

    def _normalise(self, x: Weights, weight: Weights) -> Weights:
        mean = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[-1])
        result: Weights = x * (weight / np.sqrt(mean + np.float32(self.dimensions.epsilon)))
        return result

    def _attend(
        self,
        qkv: Weights,
        turn: NDArray[np.complex64],
        later: Weights,
        keys: Weights,
        values: Weights,
    ) -> Weights:
        """Store the new keys and values at the end of ``keys`` and ``values`` and return what the queries gather."""
        size, count = self.dimensions, len(qkv)
        heads = qkv.reshape(count, -1, size.head)
        turned = (heads[:, : size.heads + size.kv_heads].view(np.complex64) * turn).view(np.float32)
        keys[:, -count:] = turned[:, size.heads :].swapaxes(0, 1)
        values[:, -count:] = heads[:, size.heads + size.kv_heads :].swapaxes(0, 1)
        group = size.heads // size.kv_heads
        queries = turned[:, : size.heads].reshape(count, size.kv_heads, group, size.head).transpose(1, 2, 0, 3)
        queries = queries.reshape(size.kv_heads, group * count, size.head) * np.float32(size.head**-0.5)
        scores: Weights = (queries @ keys.swapaxes(1, 2)).reshape(size.kv_heads, group, count, -1)
        if count > 1:
            scores += later
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        gathered: Weights = scores.reshape(size.kv_heads, group * count, -1) @ values
        return gathered.reshape(size.heads, count, size.head).swapaxes(0, 1).reshape(count, -1)


def _product(x: Weights, matrix: Weights) -> Weights:
    """``x @ matrix``, row by row if there are few: a matrix product copies the weights first (2 rows 64 ms, not 36)."""
    if len(x) > _FEW:
        product: Weights = x @ matrix
        return product
    out = np.empty((len(x), matrix.shape[1]), np.float32)
    for row, result in zip(x, out, strict=True):
        np.matmul(row, matrix, out=result)
    return out


def _swiglu(gate: Weights, up: Weights) -> Weights:
    """``gate * sigmoid(gate) * up``; the clip keeps ``exp`` finite and changes nothing in float32."""
    result: Weights = gate / (1 + np.exp(-np.clip(gate, -80, 80))) * up
    return result
