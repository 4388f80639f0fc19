"""Every number format against a scalar reading of its definition, one weight at a time."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from maskwright.decode.weights import KINDS, dequantise, dequantise_blocks, dequantise_rows
from maskwright.errors import ModelError
from maskwright.gguf import Tensor

CODES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14, "BF16": 30}


def half(data: bytes, at: int) -> float:
    return float(struct.unpack_from("<e", data, at)[0])


def signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def q4_k(block: bytes) -> list[float]:
    d, least, packed, out = half(block, 0), half(block, 2), block[4:16], []
    for sub in range(8):
        if sub < 4:
            scale, offset = packed[sub] & 63, packed[sub + 4] & 63
        else:
            scale = (packed[sub + 4] & 15) | ((packed[sub - 4] >> 6) << 4)
            offset = (packed[sub + 4] >> 4) | ((packed[sub] >> 6) << 4)
        quants = block[16 + 32 * (sub // 2) : 48 + 32 * (sub // 2)]
        out += [d * scale * (q >> 4 if sub % 2 else q & 15) - least * offset for q in quants]
    return out


def q6_k(block: bytes) -> list[float]:
    low, high, scales, d = block[:128], block[128:192], block[192:208], half(block, 208)
    out = []
    for place in range(256):
        part, row, column = place // 128, place % 128 // 32, place % 32
        four = low[64 * part + 32 * (row % 2) + column] >> (4 if row >= 2 else 0) & 15
        two = high[32 * part + column] >> (2 * row) & 3
        out.append(d * signed(scales[place // 16]) * ((two << 4 | four) - 32))
    return out


def q4(offset: int) -> Callable[[bytes], list[float]]:
    def unpack(block: bytes) -> list[float]:
        d = half(block, 0)
        m = half(block, 2) if offset == 4 else -8 * d
        return [q * d + m for q in [*(b & 15 for b in block[offset:]), *(b >> 4 for b in block[offset:])]]

    return unpack


SCALAR: dict[str, Callable[[bytes], list[float]]] = {
    "F32": lambda block: [struct.unpack("<f", block)[0]],
    "F16": lambda block: [half(block, 0)],
    "BF16": lambda block: [struct.unpack("<f", b"\0\0" + block)[0]],
    "Q4_0": q4(2),
    "Q4_1": q4(4),
    "Q8_0": lambda block: [half(block, 0) * signed(b) for b in block[2:]],
    "Q4_K": q4_k,
    "Q6_K": q6_k,
}


def tensor(kind: str, rows: int, blocks: int) -> Tensor:
    """A tensor of random bytes, without infinities and NaN among its half-precision numbers."""
    elements, size, _ = KINDS[kind]
    random = np.random.default_rng(rows)
    data = random.integers(0, 256, (rows * blocks, size), np.uint8)
    for start in {"F32": [2], "BF16": [0], "F16": [0], "Q4_1": [0, 2], "Q4_K": [0, 2], "Q6_K": [208]}.get(kind, [0]):
        data[:, start + 1] = random.integers(0x20, 0x3C, rows * blocks)
    raw = memoryview(data.tobytes())
    return Tensor("t", (rows, blocks * elements), kind, Path("toy"), raw, 0, len(raw))


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_is_what_the_definition_says(kind: str) -> None:
    """Unpacking whole tensors equals reading each block by its definition."""
    source = tensor(kind, 3, 2)
    size = KINDS[kind][1]
    data = bytes(source.data)
    wanted = [x for at in range(0, len(data), size) for x in SCALAR[kind](data[at : at + size])]
    np.testing.assert_allclose(dequantise(source).ravel(), wanted, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 127, 128, 300])
def test_rows_and_blocks_are_the_same_numbers(kind: str, rows: int) -> None:
    """Slices do not matter: single rows and the blocks of columns hold the same bits, and nothing else is touched."""
    source = tensor(kind, rows, 1)
    whole = dequantise(source)
    ids = np.array([rows - 1, 0, rows // 2])
    np.testing.assert_array_equal(dequantise_rows(source, ids), whole[ids])
    out = np.zeros((-(-(rows + 4) // 5), whole.shape[1], 5), np.float32)
    dequantise_blocks(source, out, 3)
    flat = out.swapaxes(1, 2).reshape(-1, whole.shape[1])
    np.testing.assert_array_equal(flat[3 : rows + 3], whole)
    assert not flat[:3].any()
    assert not flat[rows + 3 :].any()


def test_an_unknown_format_is_named() -> None:
    """A format that cannot be unpacked is refused with its name and that of the tensor."""
    source = Tensor("blk.0.x", (1, 32), "Q5_0", Path("toy"), memoryview(bytes(22)), 0, 22)
    with pytest.raises(ModelError, match=r"'blk\.0\.x'.*Q5_0"):
        dequantise(source)
