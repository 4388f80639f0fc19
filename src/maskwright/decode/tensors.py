"""Taking the tensors of a file, each with the shape that the model needs, and knowing which were left."""

from __future__ import annotations

import mmap

from maskwright.errors import ModelError
from maskwright.gguf import Gguf, Tensor

__all__ = ["TensorSource"]


class TensorSource:
    """Hands out the tensors of a file and knows which were never asked for."""

    def __init__(self, gguf: Gguf) -> None:
        self._gguf = gguf
        self._left = set(gguf.tensors)

    def release(self) -> None:
        """Give the file's pages back: what is unpacked is not read again, so a model costs its float32 weights only."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for tensor in self._gguf.tensors.values():
                content = tensor.data.obj
                if isinstance(content, mmap.mmap):
                    content.madvise(mmap.MADV_DONTNEED)
                return

    def take(self, name: str, *shape: int | None) -> Tensor:
        """Return a tensor; ``None`` in ``shape`` stands for any size.

        Raises:
            ModelError: it is missing or has another shape.

        """
        if name not in self._gguf.tensors:
            raise ModelError(f"{self._gguf.path}: the tensor {name!r} is missing")
        tensor = self._gguf.tensors[name]
        fits = len(shape) == len(tensor.shape) and all(
            want in (None, have) for want, have in zip(shape, tensor.shape, strict=True)
        )
        if not fits:
            raise ModelError(f"{self._gguf.path}: the tensor {name!r} has the shape {tensor.shape}, wanted is {shape}")
        self._left.discard(name)
        return tensor

    def finish(self) -> None:
        """Refuse a file with further tensors: a bias or expert that is left out would give wrong text."""
        if self._left:
            names = ", ".join(sorted(self._left)[:3])
            raise ModelError(f"{self._gguf.path}: {len(self._left)} tensors are not known to this decoder ({names})")
