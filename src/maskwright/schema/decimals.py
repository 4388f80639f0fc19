"""Numbers at or above zero in every spelling of JSON (RFC 8259 section 6), exponents included.

A mantissa ``M`` with ``k`` fraction digits and an exponent ``e`` is ``M * 10**s`` with ``s = e - k``. The exponent is
free when the mantissa is written, so what counts is the interval of exponents that would make the value a member: it
is fixed by how the digits of ``M`` compare with the digits of the bounds. A further integer digit moves the interval
down by one, a further fraction digit leaves it where it is. Only a mantissa that is a prefix of a bound's digits needs
its value.

A step is ``a * p**d * 10**z`` with ``a`` prime to 10 and ``p`` 2 or 5. It demands that ``a`` divide ``M``, and that
``s`` be at least ``z``, less one for each trailing zero of ``M``, plus one for each ``p`` that the rest of ``M`` lacks
of ``p**d``. Liveness is one or two divisions: at the largest scale that the upper bound admits multiples are densest.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import gcd
from typing import Final, cast

from maskwright.network.lexeme import Term, automaton
from maskwright.schema.exponents import LARGEST_EXPONENT, exponent_moves, power_moves
from maskwright.schema.number_cells import Span, decimal_size
from maskwright.schema.number_machine import Moves, State

__all__ = ["MOST_DIGITS", "SpelledMachine", "spelled_term"]

#: With bounds of at most 4,000 decades and this many digits an exponent of 4 digits can always align the mantissa, so
#: that liveness need not look at the ends of the exponent's range.
MOST_DIGITS: Final = 1_000
_INTEGER, _POINT, _FRACTION = range(3)


def _magnitude(value: Fraction) -> int:
    """The exponent of the leading digit of a positive number: the largest m with 10**m <= value."""
    guess = decimal_size(value.numerator) - decimal_size(value.denominator)
    return guess if value >= Fraction(10) ** guess else guess - 1


def _valuation(number: int, prime: int) -> int:
    """How often a prime divides a positive number."""
    times = 0
    while number % prime == 0:
        number //= prime
        times += 1
    return times


class SpelledMachine:
    """Every spelling of the members of a span that are multiples of a step: an ``Automaton``.

    States (``phase``: integer digits, point just read, fraction digits; ``count``: digits read in this phase):

    * ``("start",)``.
    * ``("zero", phase, count)``: only zeros so far.
    * ``("tight", phase, count, M)``: ``M`` is a prefix of a bound's digits, or the step needs it.
    * ``("loose", phase, left, low, high, residue, aligned)``: ``left`` more digits may follow in this phase; exponents
      ``low`` to ``high`` (``None``: no bound) give a value between the bounds; ``residue`` is ``M`` modulo ``a``; the
      exponent must be at least ``aligned`` for the step (``None`` without step).
    * ``("e", low, high)`` and ``("power", ...)``: in the exponent, see :mod:`.exponents`.
    """

    def __init__(self, span: Span, step: Fraction | None, digits: int | None) -> None:
        self._key = (span, step, digits)
        self._hash = hash(self._key)
        self.digits = min(digits or MOST_DIGITS, MOST_DIGITS)
        self.span = span
        self.step = step
        self.low = span.lower if span.lower > 0 else None
        self.high = span.upper
        self.low_magnitude = _magnitude(span.lower) if span.lower > 0 else 0
        self.high_magnitude = _magnitude(span.upper) if span.upper else 0
        #: The step is ``factor * prime**excess * 10**base``; residues are kept modulo ``modulus``.
        self.factor, self.prime, self.excess, self.base = 1, 2, 0, 0
        if step is not None:
            twos = _valuation(step.numerator, 2) - _valuation(step.denominator, 2)
            fives = _valuation(step.numerator, 5) - _valuation(step.denominator, 5)
            self.base = min(twos, fives)
            self.excess = abs(twos - fives)
            self.prime = 2 if twos > fives else 5
            self.factor = step.numerator // gcd(step.numerator, 2 ** max(twos, 0) * 5 ** max(fives, 0))
        self.modulus = self.factor * int(self.prime**self.excess)

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return isinstance(other, SpelledMachine) and self._key == other._key

    def __hash__(self) -> int:
        """Hash by value, once."""
        return self._hash

    def __repr__(self) -> str:
        """Show the arguments."""
        return f"SpelledMachine{self._key!r}"

    @cached_property
    def start(self) -> State | None:
        """The first state; ``None`` if the digits cannot write any member."""
        return ("start",) if self.moves(("start",)) else None

    # -- comparison with the bounds

    def _below(self, mantissa: int, scale: int) -> bool:
        """Whether ``mantissa * 10**scale`` is below what the lower bound admits."""
        if self.low is None:
            return False
        order = _order(mantissa, scale, self.low)
        return order < 0 or (order == 0 and self.span.lower_open)

    def _above(self, mantissa: int, scale: int) -> bool:
        if self.high is None:
            return False
        order = _order(mantissa, scale, self.high)
        return order > 0 or (order == 0 and self.span.upper_open)

    def _scales(self, mantissa: int) -> tuple[int | None, int | None]:
        """The scales that put the mantissa between the bounds."""
        size = decimal_size(mantissa) - 1
        low = high = None
        if self.low is not None:
            low = self.low_magnitude - size
            low += self._below(mantissa, low)
        if self.high is not None:
            high = self.high_magnitude - size
            high -= self._above(mantissa, high)
        return low, high

    def _is_tight(self, mantissa: int) -> bool:
        """Whether further digits can change the scales that :meth:`_scales` gives."""
        size = decimal_size(mantissa) - 1
        if self.low is not None:
            scale = self.low_magnitude - size
            if self._below(mantissa, scale) and _order(mantissa + 1, scale, self.low) > 0:
                return True
        if self.high is None:
            return False
        scale = self.high_magnitude - size
        return not self._above(mantissa, scale) and _order(mantissa + 1, scale, self.high) > 0

    # -- states

    def _mantissa(self, phase: int, count: int, value: int) -> State | None:
        """The state after a mantissa that is not zero; ``None`` if no completion is a member."""
        if self.high == 0:
            return None
        fraction = count if phase == _FRACTION else 0
        if not self._is_tight(value):
            low, high = self._scales(value)
            low = None if low is None else low + fraction
            high = None if high is None else high + fraction
            aligned = self._aligned(value, fraction)
            return self._loose(phase, self.digits - count, low, high, value % self.modulus, aligned=aligned)
        left = self.digits if phase == _POINT else self.digits - count
        further = left + self.digits if phase == _INTEGER else left
        return ("tight", phase, count, value) if self._alive(value, further) else None

    def _aligned(self, value: int, fraction: int) -> int | None:
        """The least exponent that brings a mantissa with so many fraction digits onto the step's decimals."""
        if self.step is None:
            return None
        zeros = _valuation(value, 10)
        return self.base - zeros + fraction + self._lacking(value // int(10**zeros))

    def _lacking(self, value: int) -> int:
        """How many more times the prime must divide a mantissa, which may be given modulo :attr:`modulus`."""
        lacking = self.excess
        while lacking and value % self.prime == 0:
            value //= self.prime
            lacking -= 1
        return lacking

    def _alive(self, value: int, left: int) -> bool:
        """Whether a mantissa with up to ``left`` further digits has a completion.

        Take the largest scale that keeps the shortest completion below the upper bound. One scale less and no
        completion is above it; each further scale less only thins the multiples and comes closer to the lower bound.
        """
        size: int = 10**left
        base = value * size
        scale = self._scales(value)[1]
        if scale is None:
            return -base % self.factor < size
        scale -= left
        return self._fits(base, left, scale) or self._fits(base, left, scale - 1)

    def _fits(self, base: int, left: int, scale: int) -> bool:
        """Whether ``(base + r) * 10**scale`` with ``r`` below ``10**left`` can be a member."""
        unit: Fraction = Fraction(10) ** scale
        first, last = base, base + int(10**left) - 1
        if self.low is not None:
            ratio = self.low / unit
            bound = -(-ratio.numerator // ratio.denominator)
            first = max(first, bound + int(self.span.lower_open and ratio == bound))
        if self.high is not None:
            ratio = self.high / unit
            bound = ratio.numerator // ratio.denominator
            last = min(last, bound - int(self.span.upper_open and ratio == bound))
        if first > last or self.step is None:
            return first <= last
        return first + -first % (self.step / unit).numerator <= last

    def _loose(
        self,
        phase: int,
        left: int,
        low: int | None,
        high: int | None,
        residue: int,
        *,
        aligned: int | None,
    ) -> State | None:
        """The state, or ``None`` if the exponents run out or no completion reaches a multiple."""
        if low is not None and high is not None and low > high:
            return None
        if aligned is None:
            return ("loose", phase, left, low, high, residue, aligned)
        if low is not None:
            aligned = max(low, aligned)
        further = left + self.digits if phase == _INTEGER else left
        modulus = self.factor
        if high is not None:
            # Digits that may still be any while the highest exponent keeps the value on the step's decimals.
            room = high - self.base - (self.digits - left if phase == _FRACTION else 0)
            if room < 0:
                reached = residue % self.factor == 0 and aligned <= high
                return ("loose", phase, left, low, high, residue, aligned) if reached else None
            modulus *= int(self.prime ** max(0, self.excess - max(0, room - further)))
            further = min(further, room)
        if -residue * 10**further % modulus >= 10**further:
            return None
        return ("loose", phase, left, low, high, residue, aligned)

    def _zero(self, phase: int, count: int) -> State | None:
        """The state after zeros only: alive if 0 is a member or a next digit can be read."""
        if self.span.has_zero:
            return None if phase == _POINT and self.digits == 0 else ("zero", phase, count)
        fraction = count if phase == _FRACTION else 0
        if fraction < self.digits and any(self._mantissa(_FRACTION, fraction + 1, d) for d in range(1, 10)):
            return ("zero", phase, count)
        return None

    # -- the automaton

    def _exponents(self, state: State) -> tuple[int, int] | None:
        """The exponents that may follow a mantissa, ends included; ``None`` if none may."""
        if state[0] == "zero":
            return (-LARGEST_EXPONENT, LARGEST_EXPONENT) if self.span.has_zero else None
        low: int | None
        high: int | None
        if state[0] == "loose":
            _, _, _, low, high, residue, aligned = state
            low = low if aligned is None else aligned
        else:
            _, phase, count, value = state
            fraction = count if phase == _FRACTION else 0
            low, high = self._scales(value)
            residue = value
            low = None if low is None else low + fraction
            high = None if high is None else high + fraction
            aligned = self._aligned(value, fraction)
            if aligned is not None:
                low = aligned if low is None else max(low, aligned)
        first = -LARGEST_EXPONENT if low is None else max(low, -LARGEST_EXPONENT)
        last = LARGEST_EXPONENT if high is None else min(high, LARGEST_EXPONENT)
        return (first, last) if residue % self.factor == 0 and first <= last else None

    def accepts(self, state: Hashable) -> bool:
        """Whether the text read so far is a member."""
        state = cast("State", state)
        kind = state[0]
        if kind in ("start", "e"):
            return False
        if kind == "power":
            _, low, high, value, _, must = state
            return not must and low <= value <= high
        if state[1] == _POINT:
            return False
        exponents = self._exponents(state)
        return exponents is not None and exponents[0] <= 0 <= exponents[1]

    def moves(self, state: Hashable) -> Moves:
        """``(first, last, next state)`` for digits, the point, the exponent and its sign; every state is alive."""
        state = cast("State", state)
        kind = state[0]
        if kind == "e":
            return exponent_moves(state[1], state[2])
        if kind == "power":
            return power_moves(state)
        found: list[tuple[int, int, State | None]] = []
        if kind != "start" and state[1] == _INTEGER:
            found.append((0x2E, 0x2E, self._point(state)))
        found += [(0x30 + first, 0x2F + end, self._digit(state, first)) for first, end in pairwise(self._cuts(state))]
        if kind != "start" and state[1] != _POINT and (exponents := self._exponents(state)) is not None:
            found += [(0x45, 0x45, ("e", *exponents)), (0x65, 0x65, ("e", *exponents))]
        return tuple((first, last, then) for first, last, then in found if then is not None)

    def _cuts(self, state: State) -> list[int]:
        """The digits at which the next state may change: from one to the next all digits lead alike."""
        kind = state[0]
        if self.modulus > 1:
            return list(range(11))
        cuts = {0, 10} if self.step is None and kind == "loose" else {0, 1, 10}
        if kind != "loose":
            base = 10 * state[3] if kind == "tight" else 0
            for bound, magnitude in ((self.low, self.low_magnitude), (self.high, self.high_magnitude)):
                if bound is not None:
                    digit = _prefix(bound, magnitude, decimal_size(base) or 1) - base
                    cuts.update(d for d in (digit, digit + 1) if 0 < d < 10)
        return sorted(cuts)

    def _point(self, state: State) -> State | None:
        if state[0] == "zero":
            return self._zero(_POINT, 0)
        if state[0] == "tight":
            return self._mantissa(_POINT, 0, state[3])
        _, _, _, low, high, residue, aligned = state
        return self._loose(_POINT, self.digits, low, high, residue, aligned=aligned)

    def _digit(self, state: State, digit: int) -> State | None:
        kind = state[0]
        if kind == "start":
            return self._mantissa(_INTEGER, 1, digit) if digit else self._zero(_INTEGER, 1)
        phase: int = state[1]
        count: int = state[2]
        after = _INTEGER if phase == _INTEGER else _FRACTION
        if kind == "loose":
            return self._loose_digit(state, digit) if count else None
        if count == self.digits:
            return None
        if kind == "tight":
            return self._mantissa(after, count + 1, state[3] * 10 + digit)
        if phase == _INTEGER:
            return None
        return self._mantissa(_FRACTION, count + 1, digit) if digit else self._zero(_FRACTION, count + 1)

    def _loose_digit(self, state: State, digit: int) -> State | None:
        _, phase, left, low, high, residue, aligned = state
        after = _INTEGER if phase == _INTEGER else _FRACTION
        down = 1 if phase == _INTEGER else 0
        rest: int = left - 1
        if aligned is not None:
            residue = (residue * 10 + digit) % self.modulus
            fraction = 0 if down else self.digits - rest
            aligned = aligned - down if digit == 0 else self.base + fraction + self._lacking(residue)
        lower = None if low is None else low - down
        higher = None if high is None else high - down
        return self._loose(after, rest, lower, higher, residue, aligned=aligned)


def _order(mantissa: int, scale: int, bound: Fraction) -> int:
    """The sign of ``mantissa * 10**scale - bound``."""
    left, right = mantissa * bound.denominator, bound.numerator
    if scale < 0:
        right *= 10**-scale
    else:
        left *= 10**scale
    return (left > right) - (left < right)


def _prefix(bound: Fraction, magnitude: int, size: int) -> int:
    """The first ``size`` digits of a number whose leading digit stands at this power of ten."""
    shift = size - 1 - magnitude
    if shift < 0:
        return bound.numerator // (bound.denominator * int(10**-shift))
    return bound.numerator * int(10**shift) // bound.denominator


@lru_cache(maxsize=4096)
def spelled_term(span: Span, step: Fraction | None, digits: int | None) -> Term:
    """Every spelling of the members of a span that are multiples of ``step``.

    At most ``digits`` digits before and after the point (``None`` and more than 1,000: 1,000) and 4 in the exponent.
    """
    return automaton(SpelledMachine(span, step, digits))
