"""How much work one question about a schema may cost: a count that stands for time and memory, and a clock."""

from __future__ import annotations

from time import monotonic
from typing import Final

from maskwright.errors import LimitError, Problem
from maskwright.limits import Limits
from maskwright.patience import rest

__all__ = ["VALUE", "Budget"]

#: Units for one of ``Limits.satisfiability_steps``. A unit is about a microsecond and 150 bytes: a name or a source of
#: a merged object, a subschema of a merged value, a pair of a product.
_UNITS: Final = 5
#: Units of a value that is decided: with nothing merged, as many values as there are steps.
VALUE: Final = 5
#: Units between two looks at the clock.
_SLICE: Final = 4096


class Budget:
    """The units that are left for compiling, or for expanding one node."""

    __slots__ = ("_deadline", "_left", "_limits", "_next", "_whole")

    def __init__(self, limits: Limits) -> None:
        """Start the first question."""
        self._limits = limits
        self._whole = _UNITS * limits.satisfiability_steps
        self.begin()

    def begin(self) -> None:
        """Start a question of its own."""
        self._left = self._whole
        self._next = self._whole - _SLICE
        #: Taken at the first look at the clock, a few milliseconds later, so that small questions never look.
        self._deadline: float | None = None

    def spend(self, units: int) -> None:
        """Raises :class:`maskwright.errors.LimitError` when the units or the time are used up."""
        self._left -= units
        if self._left < self._next or self._left < 0:
            self._look()

    def _look(self) -> None:
        rest()
        now = monotonic()
        if self._deadline is None:
            self._deadline = now + self._limits.compile_seconds
        self._next = self._left - _SLICE
        if self._left < 0:
            reason = f"more than {self._limits.satisfiability_steps} steps to decide what can be completed"
            remedy = "state the shared parts once beside `anyOf`, or raise Limits.satisfiability_steps"
        elif now > self._deadline:
            reason = f"more than {self._limits.compile_seconds} seconds to decide what can be completed"
            remedy = "state the shared parts once beside `anyOf`, or raise Limits.compile_seconds"
        else:
            return
        raise LimitError(Problem(reason, keyword="allOf, anyOf, required", remedy=remedy))
