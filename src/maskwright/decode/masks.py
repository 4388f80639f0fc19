"""Mask bits and logits: which ids are open, and logits with all other ids closed.

A mask is ``uint32[ceil(width / 32)]``; bit ``i % 32`` of word ``i // 32`` says whether token ``i`` is allowed. A row of
logits may be wider than the vocabulary (models pad their output): the ids beyond are always closed. It must not be
narrower, for then an allowed token would have no score.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from maskwright.errors import VocabularyError

__all__ = ["Mask", "allowed", "allowed_ids", "close", "packed"]

Mask = NDArray[np.uint32]


def allowed(mask: Mask, width: int) -> NDArray[np.bool_]:
    """Return a mask, or each of ``[rows, words]``, as ``bool[..., width]``; ids beyond the mask are False.

    10 us for 128,000 ids.

    Raises:
        VocabularyError: the mask allows an id from ``width`` on.

    """
    words = np.ascontiguousarray(mask, "<u4")
    bits = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little").view(np.bool_)
    given = bits.shape[-1]
    if given > width:
        if bits[..., width:].any():
            raise VocabularyError(
                f"the mask allows ids from {width} on, but there are only {width} logits (is this another model?)"
            )
        return bits[..., :width]
    out = np.zeros((*bits.shape[:-1], width), np.bool_)
    out[..., :given] = bits
    return out


def allowed_ids(mask: Mask, width: int) -> NDArray[np.intp]:
    """Return the ids that a mask allows, ascending; at least one in a mask of a matcher.

    Raises:
        VocabularyError: the mask allows an id from ``width`` on.

    """
    return np.flatnonzero(allowed(mask, width))


def close(mask: Mask, logits: NDArray[np.float32]) -> None:
    """Set the logits of every closed id to minus infinity, in place; shapes ``[..., words]`` and ``[..., width]``.

    Raises:
        VocabularyError: the mask allows an id that has no logit.

    """
    logits[~allowed(mask, logits.shape[-1])] = -np.inf


def packed(ids: Iterable[int], width: int) -> Mask:
    """Return the mask of ``width`` ids that allows ``ids`` alone."""
    bits = np.zeros(-(-width // 32) * 32, np.bool_)
    bits[list(ids)] = True
    return np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)
