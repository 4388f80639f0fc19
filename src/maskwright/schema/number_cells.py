"""An interval of numbers at or above zero, cut into cells: the arithmetic below :mod:`.number_machine`.

With a scale ``S`` (decimals that the bounds and the step need) cell ``x`` is the half-open interval from ``x / 10**S``
to the next cell. A text so far denotes *blocks*, runs of cells that its completions fall into: an integer part ``V``
that is followed by ``k`` more digits, and any fraction, is the block of ``10**(k + S)`` cells from ``V * 10**(k + S)``.
Whether a block has a member is a comparison, with a step a division; nothing is ever searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from maskwright.errors import PolicyError

__all__ = ["Cells", "Span", "decimal_size"]


@dataclass(frozen=True)
class Span:
    """An interval of rationals at or above 0; ``upper`` ``None`` is no bound, an open bound is exclusive."""

    lower: Fraction
    lower_open: bool
    upper: Fraction | None
    upper_open: bool

    @property
    def has_zero(self) -> bool:
        """Whether 0 is in it."""
        return self.lower == 0 and not self.lower_open


_SMALL: Final = 10**300


def decimal_size(number: int) -> int:
    """Decimal digits of a number; 0 has none (``str`` refuses numbers beyond 4,300 digits)."""
    if number < _SMALL:
        return len(str(number)) if number else 0
    size = number.bit_length() * 30_103 // 100_000
    while 10**size <= number:
        size += 1
    while 10 ** (size - 1) > number:
        size -= 1
    return size


def _decimals(value: Fraction) -> int | None:
    """How many decimals write the value exactly; ``None`` if none do."""
    rest, twos, fives = value.denominator, 0, 0
    if rest == 1:
        return 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


class Cells:
    """The cells of a span that has members, with or without a step.

    Raises :class:`PolicyError` if ``digits`` is ``None`` and a bound or the step has no finite decimal expansion.
    """

    def __init__(self, span: Span, step: Fraction | None, digits: int | None, *, integer: bool) -> None:
        #: Whether only multiples of :attr:`step` cells are members; a cell is then its first value only.
        self.stepped = step is not None and (not integer or step != 1)
        #: Decimals of a cell.
        self.scale = 0 if integer else _scale(span, step, digits)
        power = 10**self.scale
        #: Digits that may follow the scale, ``None`` = no limit.
        self.beyond = None if digits is None else digits - self.scale
        #: Whether a cell has values besides its first.
        self.deepens = not integer and not self.stepped and self.beyond != 0
        self.step = (step * power).numerator if self.stepped and step is not None else 1
        # A bound between two values that the digits can write is moved to the next one, which is admitted.
        below, between = divmod(span.lower.numerator * power, span.lower.denominator)
        self.low, low_closed = (below + 1, True) if between else (below, not span.lower_open)
        self.high: int | None = None
        high_closed = True
        if span.upper is not None:
            self.high, between = divmod(span.upper.numerator * power, span.upper.denominator)
            high_closed = bool(between) or not span.upper_open
        self._set_ends(low_closed=low_closed, high_closed=high_closed)

    def _set_ends(self, *, low_closed: bool, high_closed: bool) -> None:
        low, high = self.low, self.high
        reaches = self.deepens and (high is None or low < high)
        #: The first cell with a member, and the first whose values all are; the same for the last (``None``: no bound).
        self.first = low if low_closed or reaches else low + 1
        self.first_full = low if low_closed else low + 1
        self.last = high if high is None or high_closed else high - 1
        self.last_full = self.last if high is None or not self.deepens else high - 1
        if self.stepped:
            self.first = self.first_full = -(-self.first // self.step) * self.step
            if self.last is not None:
                self.last = self.last_full = self.last // self.step * self.step
        self.first_size = decimal_size(self.first)
        self.last_size = 0 if self.last is None else decimal_size(self.last)

    def admits(self, cell: int) -> bool:
        """Whether the first value of a cell is a member."""
        if cell < self.first_full or (self.last is not None and cell > self.last):
            return False
        return not self.stepped or cell % self.step == 0

    def admits_beyond(self, cell: int) -> bool:
        """Whether the other values of a cell are members."""
        return self.deepens and cell >= self.low and (self.high is None or cell < self.high)

    def is_alive(self, base: int, size: int) -> bool:
        """Whether the block of ``10**size`` cells from ``base`` has a member."""
        low = max(base, self.first)
        high = base + 10**size - 1
        if self.last is not None and self.last < high:
            high = self.last
        return low <= high and (not self.stepped or low + -low % self.step <= high)

    def is_cut(self, base: int, size: int) -> bool:
        """Whether a bound cuts the block: it is neither wholly inside nor wholly outside."""
        end = base + 10**size - 1
        if base < self.first_full and end >= self.first:
            return True
        return self.last is not None and self.last_full is not None and base <= self.last and end > self.last_full

    def reaches_multiple(self, residue: int, size: int) -> bool:
        """Whether a block of ``10**size`` cells has a multiple, if the text before them leaves this residue."""
        return not self.stepped or -residue * 10**size % self.step < 10**size


def _scale(span: Span, step: Fraction | None, digits: int | None) -> int:
    """Decimals that the bounds and the step need, at most ``digits``."""
    needs = [_decimals(value) for value in (span.lower, span.upper, step) if value is not None]
    if digits is None:
        if None in needs:
            raise PolicyError("a bound or multiple that no decimal can write needs a limit of digits")
        return max(n for n in needs if n is not None)
    return min(digits, max(digits if n is None else n for n in needs))
