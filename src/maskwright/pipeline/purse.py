"""Requests that a run may still make: one is taken before each is sent, so there are never more than were allowed."""

from __future__ import annotations

from maskwright.errors import MaskwrightError
from maskwright.pipeline.tally import Spending

__all__ = ["Purse", "SpentError"]


class SpentError(MaskwrightError):
    """A request that may not be made; its row is left as if it had not been begun."""


class Purse:
    """What is left of a budget of requests; used in the thread of the event loop."""

    def __init__(self, spending: Spending) -> None:
        """Begin with all of it."""
        self._spending = spending
        self._taken = 0

    @property
    def is_bounded(self) -> bool:
        """Whether there is a bound at all."""
        return self._spending.calls is not None

    def take(self) -> None:
        """Take one request; raises :class:`SpentError` if none is left."""
        most = self._spending.calls
        if most is not None and self._taken >= most:
            raise SpentError(self._spending.used_up("calls"))
        self._taken += 1
