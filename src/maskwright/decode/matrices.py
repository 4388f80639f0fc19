"""Weight matrices laid out in narrow blocks, which makes products with few rows as quick as memory allows.

A matrix ``[inputs, outputs]`` is kept as ``[outputs / 32, inputs, 32]``. Products with it are then many small ones, for
which OpenBLAS has kernels that read the weights where they lie; a large product copies them first. Milliseconds of all
products of SmolLM2 (135 million weights, head included) on one core with AVX-512, by the number of rows, measured with
``numpy.matmul`` alone::

    rows                       1    2    4    8   16   32   64  128  256
    one product of the whole  22   52   58   63   79  112  179  320  565
    row by row                27   40   59  101  169
    blocks of 32 outputs      17   16   21   22   37   68  133  257  507

Without AVX-512 (``OPENBLAS_CORETYPE=Haswell``) there are no such kernels: blocks then take 18, 45, 43, 52, 70 for 1, 2,
4, 8, 16 rows, as one product does (23, 46, 50, 49, 64), and 730 for 256. Blocks of 16 and 64 outputs measured slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from maskwright.decode.weights import Weights, dequantise_blocks
from maskwright.gguf import Tensor

__all__ = ["Matrix"]

_WIDTH: Final = 32
#: Multiplications of one small product, up to which OpenBLAS does not copy.
_SMALL: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of ``blocks[i, input, j]`` for the output ``32 * i + j``; outputs from ``outputs`` on are padding."""

    blocks: Weights
    outputs: int

    @classmethod
    def from_tensors(cls, inputs: int, *tensors: Tensor) -> Matrix:
        """Unpack matrices ``[outputs, inputs]`` side by side.

        Raises:
            ModelError: a number format is not known.

        """
        outputs = sum(tensor.shape[0] for tensor in tensors)
        blocks = np.empty((-(-outputs // _WIDTH), inputs, _WIDTH), np.float32)
        blocks[-1] = 0
        start = 0
        for tensor in tensors:
            dequantise_blocks(tensor, blocks, start)
            start += tensor.shape[0]
        return cls(blocks, outputs)

    def product(self, x: Weights) -> Weights:
        """Return ``x @ self``, float32 ``[rows, outputs]``.

        A row's result does not depend on the other rows, bit by bit, where OpenBLAS has small kernels: all groups are
        of a size that they serve, and none is of one row, which another kernel would sum in another order.
        """
        count, inputs, width = self.blocks.shape
        rows = x if len(x) != 1 else np.repeat(x, 2, axis=0)
        out = np.empty((len(rows), count, width), np.float32)
        places = out.swapaxes(0, 1)
        group = max(_SMALL // (inputs * width), 2)
        for start in range(0, len(rows), group):
            first = min(start, len(rows) - 2)
            np.matmul(rows[first : start + group], self.blocks, out=places[:, first : start + group])
        return out.reshape(len(rows), -1)[: len(x), : self.outputs]
