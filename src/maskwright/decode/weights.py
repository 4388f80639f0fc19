"""Quantised tensors of a GGUF file as float32 arrays.

Source: the block formats of the ggml project (``ggml-common.h``). A block holds its scale as a half-precision number
beside small integers; ``x = q * d`` (symmetric) or ``x = q * d + m`` (with an offset). The k-formats nest this: blocks
of 256 weights hold eight or sixteen sub-blocks whose scales are small integers themselves. All are little endian.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.errors import ModelError
from maskwright.gguf import Tensor

__all__ = ["KINDS", "Weights", "dequantise", "dequantise_blocks", "dequantise_rows"]

Weights = NDArray[np.float32]
_Bytes = NDArray[np.uint8]

#: Rows unpacked at a time. Small enough that a slice stays in the processor's cache until it is transposed, wide enough
#: that whole cache lines are written: 64 to 512 rows measure alike, 32 take a fifth longer.
_ROWS: Final = 128


def _half(blocks: _Bytes, start: int) -> Weights:
    """The half-precision number at byte ``start`` of each block, shape ``[blocks, 1]``."""
    return np.ascontiguousarray(blocks[:, start : start + 2]).view("<f2").astype(np.float32)


def _nibbles(packed: _Bytes, out: Weights) -> None:
    """Unpack half bytes: all low halves come first, then all high halves."""
    width = packed.shape[1]
    np.bitwise_and(packed, 15, out=out[:, :width], casting="unsafe")
    np.right_shift(packed, 4, out=out[:, width:], casting="unsafe")


def _f32(blocks: _Bytes, out: Weights) -> None:
    out[:] = blocks.view("<f4")


def _f16(blocks: _Bytes, out: Weights) -> None:
    out[:] = blocks.view("<f2")


def _bf16(blocks: _Bytes, out: Weights) -> None:
    out[:] = (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)


def _q4_0(blocks: _Bytes, out: Weights) -> None:
    _nibbles(blocks[:, 2:], out)
    out -= 8
    out *= _half(blocks, 0)


def _q4_1(blocks: _Bytes, out: Weights) -> None:
    _nibbles(blocks[:, 4:], out)
    out *= _half(blocks, 0)
    out += _half(blocks, 2)


def _q8_0(blocks: _Bytes, out: Weights) -> None:
    np.multiply(blocks[:, 2:].view(np.int8), _half(blocks, 0), out=out)


def _k_scales(packed: _Bytes) -> tuple[Weights, Weights]:
    """The eight 6-bit scales and eight 6-bit offsets in 12 bytes, each of shape ``[blocks, 8]``.

    Bytes 0-3 and 4-7 hold the first four of each in their low six bits; bytes 8-11 hold the low four bits of the last
    four, whose upper two bits are the top bits of bytes 0-7.
    """
    low, middle, high = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate([low & 63, (high & 15) | (low >> 6 << 4)], axis=1)
    offsets = np.concatenate([middle & 63, (high >> 4) | (middle >> 6 << 4)], axis=1)
    return scales.astype(np.float32), offsets.astype(np.float32)


def _q4_k(blocks: _Bytes, out: Weights) -> None:
    scales, offsets = _k_scales(blocks[:, 4:16])
    scales *= _half(blocks, 0)
    offsets *= _half(blocks, 2)
    _nibbles(blocks[:, 16:].reshape(-1, 32), out.reshape(-1, 64))
    parts = out.reshape(-1, 8, 32)
    parts *= scales[:, :, None]
    parts -= offsets[:, :, None]


def _q6_k(blocks: _Bytes, out: Weights) -> None:
    low = blocks[:, :128].reshape(-1, 2, 2, 32)
    high = blocks[:, 128:192].reshape(-1, 2, 1, 32)
    shift = np.array([0, 2, 4, 6], np.uint8)[None, None, :, None]
    parts = out.reshape(-1, 2, 4, 32)
    parts[:, :, :2] = low & 15
    parts[:, :, 2:] = low >> 4
    parts += (high >> shift & 3) << 4
    parts -= 32
    scales = blocks[:, 192:208].view(np.int8) * _half(blocks, 208)
    out.reshape(-1, 16, 16)[:] *= scales[:, :, None]


#: Name of the format: elements of a block, bytes of a block, and what unpacks ``[blocks, bytes]`` into
#: ``[blocks, elements]``.
KINDS: Final[dict[str, tuple[int, int, Callable[[_Bytes, Weights], None]]]] = {
    "F32": (1, 4, _f32),
    "F16": (1, 2, _f16),
    "BF16": (1, 2, _bf16),
    "Q4_0": (32, 18, _q4_0),
    "Q4_1": (32, 20, _q4_1),
    "Q8_0": (32, 34, _q8_0),
    "Q4_K": (256, 144, _q4_k),
    "Q6_K": (256, 210, _q6_k),
}


def dequantise(tensor: Tensor) -> Weights:
    """Return a tensor's numbers as float32 of ``tensor.shape``. Some 350 million weights a second.

    Raises:
        ModelError: the number format is not one of :data:`KINDS`.

    """
    out = np.empty(tensor.shape, np.float32)
    rows = _rows(tensor)
    flat = out.reshape(len(rows), tensor.shape[-1])
    for start in range(0, len(rows), _ROWS):
        _unpack(tensor, rows[start : start + _ROWS], flat[start : start + _ROWS])
    return out


def dequantise_rows(tensor: Tensor, ids: NDArray[np.integer]) -> Weights:
    """Return the rows ``ids`` of a matrix as float32 ``[len(ids), columns]``; the others are not touched."""
    out = np.empty((len(ids), tensor.shape[-1]), np.float32)
    _unpack(tensor, _rows(tensor)[ids], out)
    return out


def dequantise_blocks(tensor: Tensor, out: Weights, first: int) -> None:
    """Write a matrix ``[rows, columns]`` into ``out``, shape ``[blocks, columns, width]``.

    Row ``i`` becomes ``out[(first + i) // width, :, (first + i) % width]``. 250 million weights a second.
    """
    rows = _rows(tensor)
    slice_ = np.empty((min(_ROWS, len(rows)), tensor.shape[-1]), np.float32)
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        _unpack(tensor, part, slice_[: len(part)])
        _scatter(slice_[: len(part)], out, first + start)


def _scatter(rows: Weights, out: Weights, first: int) -> None:
    width, start = out.shape[-1], 0
    while start < len(rows):
        block, place = divmod(first + start, width)
        part = rows[start : start + width - place]
        out[block, :, place : place + len(part)] = part.T
        start += len(part)


def _rows(tensor: Tensor) -> _Bytes:
    """The raw bytes of a tensor, one row of its last axis after the other."""
    if tensor.kind not in KINDS:
        known = ", ".join(KINDS)
        raise ModelError(f"tensor {tensor.name!r} has the number format {tensor.kind}; this decoder reads {known}")
    return np.frombuffer(tensor.data, np.uint8).reshape(prod(tensor.shape[:-1]), -1)


def _unpack(tensor: Tensor, rows: _Bytes, out: Weights) -> None:
    elements, size, unpack = KINDS[tensor.kind]
    unpack(rows.reshape(-1, size), out.reshape(-1, elements))
