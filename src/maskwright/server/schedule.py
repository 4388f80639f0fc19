"""Which sequences read how much in the next pass.

Reading a prompt takes long, and every sequence waits for the pass. So a pass reads a bounded number of tokens that are
not choices, those of the sequences that came first; all sequences that write go on by a token in every pass.

Where a prompt is cut depends on the prompt alone, at multiples of the bound. Sums in another grouping differ in their
last bits, and a sequence should not depend on what else is running.
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from typing import Final

from maskwright.decode.runtime import Step
from maskwright.server.sequence import Sequence

__all__ = ["plan"]

#: So many unread tokens are read at once, whatever else is read: a token, and the forced text behind it.
_FEW: Final = 32
#: The bound is so many times as high as long as nobody writes.
_ALONE: Final = 4


def plan(sequences: Several[Sequence], chunk: int) -> list[tuple[Sequence, Step]]:
    """The steps of a pass, for sequences in the order they came; each has a session.

    Args:
        sequences: Those that can read now.
        chunk: Tokens of long texts that may be read while others write.
    """
    few = min(_FEW, chunk)
    left = chunk if any(sequence.unread <= few for sequence in sequences) else _ALONE * chunk
    steps = []
    is_first = True
    for sequence in sequences:
        most = sequence.unread
        if most > few:
            length = 0 if sequence.session is None else sequence.session.length
            most = min(most, chunk - length % chunk)
            if most > left and not is_first:
                continue
            left -= most
            is_first = False
        steps.append((sequence, sequence.step(most)))
    return steps
