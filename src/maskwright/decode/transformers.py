"""The adapter for ``transformers``: a logits processor for ``model.generate``.

    processor = MaskLogitsProcessor(guide)
    model.generate(**inputs, logits_processor=[processor], eos_token_id=processor.end_ids)

The state of a row is a function of the tokens it has after the prompt, never of its place in the batch or of earlier
calls. So it is right where rows have different prompts with padding on the left, where one prompt has several answers
(``num_return_sequences``), where beam search moves rows about without notice, and where assisted decoding calls with
histories that grow, shrink and repeat.

Where the prompt ends is told by the calls: a history that goes on from no earlier one begins a new run, and all its
tokens are prompt. Thus one processor serves any number of ``generate`` calls. The one exception: a call whose prompt
is all that an earlier one read or wrote, up to one token, looks like its continuation and is treated as such (so an
answer that ``max_new_tokens`` cut off goes on). :meth:`MaskLogitsProcessor.reset` begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.histories import Dead, Histories, History
from maskwright.decode.masks import allowed, packed
from maskwright.errors import PolicyError, VocabularyError
from maskwright.guide import Guide

if TYPE_CHECKING:
    from torch import FloatTensor, LongTensor

__all__ = ["MaskLogitsProcessor"]

#: States kept, and more for each row of a batch: a beam or its drafts reach back some tens of tokens.
_STATES: Final = 256
_STATES_A_ROW: Final = 32


class MaskLogitsProcessor:
    """Closes every token that a constraint does not allow next, for each row of a batch.

    A row that has ended may only be followed by end tokens. So may a row that holds a token which was closed before:
    beam search keeps such rows, at a score of minus infinity, where it finds too few others, and drafts may propose
    one; the sum of all probabilities must not become zero there.
    """

    #: Continuous batching hands over last tokens without their histories.
    supports_continuous_batching: Final = False

    def __init__(self, guide: Guide, *, max_new_tokens: int | None = None) -> None:
        """Serve one constraint; any number of runs, one at a time.

        With the ``max_new_tokens`` that ``generate`` gets, every output is closed within them.

        Raises:
            UnspellableError: no output has that few tokens.
        """
        self._vocabulary = guide.vocabulary
        self._histories = Histories(guide.matcher(max_tokens=max_new_tokens), _STATES)
        #: Tokens of the prompt, padding included; -1 before the first call.
        self._prompt_length = -1
        #: The prompts of this run, as bytes.
        self._prompts: frozenset[bytes] = frozenset()
        self._end_mask = packed(self._vocabulary.end_ids, len(self._vocabulary))

    @property
    def end_ids(self) -> list[int]:
        """The ids that end an output, for ``eos_token_id`` of ``generate``: all of them must stop it."""
        return sorted(self._vocabulary.end_ids)

    def reset(self) -> None:
        """Take the next call for the beginning of a new run, whatever its tokens are."""
        self._prompt_length = -1

    def __call__(self, input_ids: LongTensor, scores: FloatTensor) -> FloatTensor:
        """Return the scores with every closed token at minus infinity.

        Args:
            input_ids: ``[rows, length]``, prompts and what was written after them.
            scores: ``[rows, width]``, logits or their log-softmax, of any floating type, on any device.

        Raises:
            VocabularyError: ``width`` is smaller than the vocabulary.
            PolicyError: ``input_ids`` has no histories, as in continuous batching.

        """
        import torch  # noqa: PLC0415 - only this adapter needs it, and whoever calls it has it

        if input_ids.shape != (len(scores), input_ids.shape[-1]):
            raise PolicyError("this processor needs whole histories, [rows, length] (turn continuous batching off)")
        width = scores.shape[-1]
        if width < len(self._vocabulary):
            reason = f"the model has {width} logits, the vocabulary {len(self._vocabulary)} ids"
            raise VocabularyError(f"{reason} (compile the constraint for the tokenizer of this model)")
        rows = self._masks(np.ascontiguousarray(input_ids.cpu().numpy(), np.int64))
        closed = torch.from_numpy(~allowed(rows, width)).to(scores.device)
        return scores.masked_fill(closed, -float("inf"))

    def _masks(self, ids: History) -> NDArray[np.uint32]:
        """The mask of each row, ``uint32[rows, words]``."""
        if not self._goes_on(ids):
            self._begin(ids)
        states = self._histories.states([row[self._prompt_length :] for row in ids])
        return np.stack([self._end_mask if isinstance(state, Dead) else state.mask() for state in states])

    def _goes_on(self, ids: History) -> bool:
        """Whether every row was asked for before, or was without its last token: else this is another run."""
        start = self._prompt_length
        if start < 0 or ids.shape[1] < start:
            return False
        return all(row[:start].tobytes() in self._prompts and self._histories.goes_on(row[start:]) for row in ids)

    def _begin(self, ids: History) -> None:
        self._prompt_length = ids.shape[1]
        self._prompts = frozenset(row.tobytes() for row in ids)
        self._histories.clear()
        self._histories.capacity = _STATES + _STATES_A_ROW * len(ids)
