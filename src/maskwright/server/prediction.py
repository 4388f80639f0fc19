"""Predicted outputs: where in the expected text the output stands, and what to propose to the model next.

A proposal is read by the model in the pass that is made anyway; what it would have drawn decides how much of it was
right. So a prediction changes what an output costs and never what it says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

__all__ = ["Prediction"]

#: Tokens proposed at first, and at least and at most. Reading 9 rows costs the numpy decoder 1.5 times one row, 33 rows
#: 3.5 times.
_FIRST: Final = 8
_LEAST: Final = 4
_MOST: Final = 32


class Prediction:
    """Follows an output through the text that was expected."""

    def __init__(self, ids: Sequence[int]) -> None:
        """Expect the output to be ``ids``, from its first token on."""
        self._ids = list(ids)
        #: Where the output stands: ``_ids[_place]`` is expected next. None: somewhere else.
        self._place: int | None = 0
        #: Where it stood last.
        self._reached = 0
        self._previous = -1
        self._length = _FIRST
        #: Two neighbouring ids -> the places behind them, ascending; made when the output first left the text.
        self._behind: dict[tuple[int, int], list[int]] | None = None
        self.accepted = self.rejected = 0

    def read(self, token: int) -> None:
        """Follow a written token: one step in the expected text, or back into it where its last two tokens stand."""
        place = self._place
        if place is not None and place < len(self._ids) and self._ids[place] == token:
            self._place = place + 1
        else:
            self._place = self._find((self._previous, token))
        if self._place is not None:
            self._reached = self._place
        self._previous = token

    def _find(self, pair: tuple[int, int]) -> int | None:
        """The place behind two ids: the next one from where the output stood last, else the last one before it."""
        if self._behind is None:
            self._behind = {}
            for place in range(2, len(self._ids)):
                self._behind.setdefault((self._ids[place - 2], self._ids[place - 1]), []).append(place)
        places = self._behind.get(pair)
        if not places:
            return None
        following = bisect_left(places, self._reached)
        return places[min(following, len(places) - 1)]

    def draft(self, most: int) -> list[int]:
        """What to propose, ``most`` tokens at most."""
        return [] if self._place is None else self._ids[self._place : self._place + min(most, self._length)]

    def judge(self, proposed: int, accepted: int) -> None:
        """Learn how much of a draft was written: propose twice as much after a right one, less after a wrong one."""
        self.accepted += accepted
        self.rejected += proposed - accepted
        self._length = min(2 * self._length, _MOST) if accepted == proposed else max(accepted, _LEAST)
