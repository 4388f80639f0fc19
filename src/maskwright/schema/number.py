"""JSON numbers as terms: an interval of rationals, the multiples in it, and how they may be spelled.

:class:`Numbers` says *which values*, :func:`number_term` turns it into the text term of their spellings (RFC 8259
section 6). All arithmetic is on ``int`` and ``Fraction``; no float is ever made, so ``multipleOf: 1e-9`` and a
``maximum`` of ``18446744073709551615`` mean what they say.

Spelling (the ``numbers`` and ``digits`` policies of ``json_schema``):

* ``exact=False``: integers without fraction or exponent; numbers with bounds or multiples without exponent; any other
  number in every spelling of JSON.
* ``exact=True``: every spelling of an admitted value (``1.0`` and ``1e2`` are integers).

``-0`` is admitted where ``0`` is; leading zeros never are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Final

from maskwright.errors import LimitError, PolicyError, Problem, SchemaError
from maskwright.network.lexeme import (
    EPSILON,
    NEVER,
    Term,
    characters,
    complement,
    concatenate,
    intersect,
    literal,
    repeat,
    unite,
    words,
)
from maskwright.schema.decimals import MOST_DIGITS, spelled_term
from maskwright.schema.exponents import EXPONENT_DIGITS
from maskwright.schema.number_cells import Span
from maskwright.schema.number_machine import DIGIT, NONZERO, POINT, ZERO, plain_term

__all__ = ["Numbers", "fraction_of", "number_literal_term", "number_term"]

#: Numbers of more digits before or after the point are refused: nobody means them, and one would fill a context.
DECADES: Final = 4_000


def fraction_of(value: float | Decimal | Fraction) -> Fraction:
    """The exact value of a number of a schema; a float stands for the decimal that it prints as.

    Raises :class:`SchemaError` for NaN and infinities and :class:`LimitError` beyond 4,000 digits before or
    after the point (``Decimal("1e999999999")`` would take a gigabyte).
    """
    if isinstance(value, int):
        if value.bit_length() > DECADES * 3.32:
            raise _too_large()
        return Fraction(value)
    if isinstance(value, Fraction):
        return value
    decimal = Decimal(repr(value)) if isinstance(value, float) else value
    if not decimal.is_finite():
        raise SchemaError(Problem(f"{value} is not a JSON number", remedy="use a finite number"))
    exponent = decimal.as_tuple().exponent
    if decimal and not (-DECADES <= decimal.adjusted() <= DECADES and int(exponent) >= -DECADES):
        raise _too_large()
    return Fraction(decimal) if decimal else Fraction(0)


def _too_large() -> LimitError:
    return LimitError(
        Problem(
            "a number is too large or too small",
            remedy=f"at most {DECADES} digits before and after the point",
        )
    )


@dataclass(frozen=True)
class Numbers:
    """The rationals between two bounds, multiples of everything in ``multiples`` and of nothing in ``excluded``.

    ``integer`` is ``type: integer`` (it also decides the spelling), ``None`` is no bound, an open bound is exclusive.
    The constructor normalises: multiples become their least common multiple, bounds move onto it, every empty set is
    the same value; so equality means the same numbers in the same spelling.

    Raises :class:`SchemaError` for a multiple that is not positive.
    """

    integer: bool = False
    lower: Fraction | None = None
    lower_open: bool = False
    upper: Fraction | None = None
    upper_open: bool = False
    multiples: tuple[Fraction, ...] = ()
    #: No member is a multiple of any of these.
    excluded: tuple[Fraction, ...] = ()
    #: Single numbers that are no members, in as many sets as they came in.
    points: tuple[frozenset[Fraction], ...] = ()
    #: Draft 4: only texts with a fraction or exponent, which are no integers there whatever their value.
    fractional: bool = False

    def __post_init__(self) -> None:
        """Normalise in place; the common cases (no bounds, no multiples) cost one comparison each."""
        step = self._step()
        if self.multiples:
            self._set("multiples", () if step is None or (self.integer and step == 1) else (step,))
        if self.lower is not None:
            bound, is_open = _lifted(self.lower, is_open=self.lower_open, step=step)
            self._set_bound("lower", bound, is_open=is_open)
        elif self.lower_open:
            self._set("lower_open", False)
        if self.upper is not None:
            bound, is_open = _lifted(-self.upper, is_open=self.upper_open, step=step)
            self._set_bound("upper", -bound, is_open=is_open)
        elif self.upper_open:
            self._set("upper_open", False)
        if self.excluded:
            self._set("excluded", _sparse(self.excluded))
        if self.points:
            self._set("points", tuple(dict.fromkeys([points for points in self.points if points])))
        if self.is_empty or ((self.excluded or self.points or self.fractional) and self._is_exhausted()):
            for name in ("multiples", "excluded"):
                self._set(name, ())
            self._set("points", ())
            self._set("integer", False)
            self._set("fractional", False)
            self._set_bound("lower", Fraction(1), is_open=False)
            self._set_bound("upper", Fraction(0), is_open=False)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _set_bound(self, name: str, bound: Fraction, *, is_open: bool) -> None:
        self._set(name, bound)
        self._set(f"{name}_open", is_open)

    def _step(self) -> Fraction | None:
        """What every member is a multiple of; ``None`` if nothing."""
        step = Fraction(1) if self.integer else None
        for multiple in self.multiples:
            if multiple <= 0:
                raise SchemaError(
                    Problem(
                        f"{multiple} is not positive",
                        keyword="multipleOf",
                        remedy="use a number above 0",
                    )
                )
            step = multiple if step is None else _common_multiple(step, multiple)
        return step

    @property
    def step(self) -> Fraction | None:
        """The least positive number that every member is a multiple of; ``None`` if there is none."""
        return self.multiples[0] if self.multiples else Fraction(1) if self.integer else None

    @property
    def is_empty(self) -> bool:
        """Whether no number is a member."""
        if self.lower is None or self.upper is None:
            return False
        return self.lower > self.upper or (self.lower == self.upper and (self.lower_open or self.upper_open))

    @property
    def is_unbounded(self) -> bool:
        """Whether every number (or every integer) is a member."""
        return self.lower is None and self.upper is None and not self.multiples and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether nothing is taken out."""
        return not (self.excluded or self.points or self.fractional)

    def intersect(self, other: Numbers) -> Numbers:
        """What both have in common."""
        lower, lower_open = _tighter((self.lower, self.lower_open), (other.lower, other.lower_open), sign=1)
        upper, upper_open = _tighter((self.upper, self.upper_open), (other.upper, other.upper_open), sign=-1)
        return Numbers(
            integer=self.integer or other.integer,
            lower=lower,
            lower_open=lower_open,
            upper=upper,
            upper_open=upper_open,
            multiples=self.multiples + other.multiples,
            excluded=self.excluded + other.excluded,
            points=self.points + other.points,
            fractional=self.fractional or other.fractional,
        )

    def contains(self, value: Fraction) -> bool:
        """Whether the value is a member (of some spelling)."""
        return self.lies_between(value) and not any(value in points for points in self.points)

    def lies_between(self, value: Fraction) -> bool:
        """Whether the value is a member, but for the single numbers that are taken out."""
        if any((value / multiple).denominator == 1 for multiple in self.excluded):
            return False
        if self.lower is not None and (value < self.lower or (self.lower_open and value == self.lower)):
            return False
        if self.upper is not None and (value > self.upper or (self.upper_open and value == self.upper)):
            return False
        step = self.step
        return step is None or (value / step).denominator == 1

    def _is_exhausted(self) -> bool:
        """Whether nothing remains of an interval that is not empty."""
        step = self.step
        if self.fractional and self.integer:
            return True
        if step is not None and any((step / multiple).denominator == 1 for multiple in self.excluded):
            return True
        if self.lower is None or self.upper is None or (step is None and self.lower < self.upper):
            return False
        return next(self.members(1), None) is None

    def members(self, most: int) -> Iterator[Fraction]:
        """Up to ``most`` members, those near zero first; of sets without a step some members between the bounds."""
        found: set[Fraction] = set()
        for value in () if self.is_empty else self._lattice():
            if len(found) >= most:
                return
            if value not in found and self.contains(value):
                found.add(value)
                yield value

    def _lattice(self) -> Iterator[Fraction]:
        """The multiples of the step between the bounds; without a step ever finer ones."""
        step = self.step
        if step is not None:
            yield from _multiples(step, self.lower, self.upper)
            return
        lower, upper = self.lower, self.upper
        if lower is not None and lower == upper:
            yield lower
            return
        # A step that is a multiple of no excluded number: the denominator of the fraction shares no factor with them.
        size = Fraction(1) if lower is None or upper is None else upper - lower
        start = lower if lower is not None else upper if upper is not None else Fraction(0)
        sign = -1 if lower is None and upper is not None else 1
        power = 1
        while Fraction(1, 10**power) * 4 > size:
            power += 1
        while True:
            grain = Fraction(1, 10**power)
            base = -(-start // grain) * grain if sign > 0 else start // grain * grain
            yield from (base + sign * grain * count for count in range(1 if power > 1 else 0, 10))
            power += 1


def _multiples(step: Fraction, lower: Fraction | None, upper: Fraction | None) -> Iterator[Fraction]:
    """The multiples of a step between two bounds, from the bound (or zero) that is nearest to zero."""
    first = Fraction(0) if lower is None else -(-lower // step) * step
    last = Fraction(0) if upper is None else upper // step * step
    if lower is not None and (first >= 0 or upper is not None):
        while upper is None or first <= upper:
            yield first
            first += step
    elif upper is not None and last <= 0:
        while True:
            yield last
            last -= step
    else:
        yield Fraction(0)
        above = below = Fraction(0)
        while True:
            above, below = above + step, below - step
            if upper is None or above <= upper:
                yield above
            if lower is None or below >= lower:
                yield below


def _sparse(multiples: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Those that no other one divides: whoever is a multiple of 4 is one of 2."""
    distinct = sorted(set(multiples))
    return tuple(
        [one for one in distinct if not any(other < one and (one / other).denominator == 1 for other in distinct)]
    )


def _common_multiple(one: Fraction, other: Fraction) -> Fraction:
    """The least common multiple of two reduced fractions: lcm of the numerators over gcd of the denominators."""
    return Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))


def _lifted(bound: Fraction, *, is_open: bool, step: Fraction | None) -> tuple[Fraction, bool]:
    """A lower bound moved up to the first multiple that it admits."""
    if step is None:
        return bound, is_open
    if step == 1 and bound.denominator == 1:
        return bound + 1 if is_open else bound, False
    count = -((-bound) // step)
    return (count + 1 if is_open and count * step == bound else count) * step, False


_Bound = tuple[Fraction | None, bool]


def _tighter(one: _Bound, other: _Bound, *, sign: int) -> _Bound:
    """The stricter of two lower (``sign`` 1) or upper (-1) bounds, each with whether it is open."""
    (first, first_open), (second, second_open) = one, other
    if first is None or second is None:
        return other if first is None else one
    if first == second:
        return first, first_open or second_open
    return one if sign * first > sign * second else other


@lru_cache(maxsize=4096)
def number_term(
    numbers: Numbers,
    *,
    digits: int | None = 40,
    exact: bool = False,
    integer_is_lexical: bool = False,
) -> Term:
    """The text term of the spellings of the members; ``NEVER`` if the digits cannot write any.

    ``digits`` bounds the digits of the integer part and of the fraction part (an exponent has at most 4); ``None`` is
    no bound. With ``integer_is_lexical`` (draft 4) a text with fraction or exponent is no integer, whatever its value.
    With ``exact``, bounded numbers and integers are no regular language (``1.000e3``): there ``None`` means 1,000
    digits and an exponent keeps at most 4.

    Raises :class:`PolicyError` if ``digits`` is below 1.
    """
    if digits is not None and digits < 1:
        raise PolicyError(f"digits is {digits}: give at least 1, or None for no bound")
    if numbers.is_empty:
        return NEVER
    if not numbers.is_whole:
        return _remaining(numbers, digits, exact=exact, integer_is_lexical=integer_is_lexical)
    if numbers.is_unbounded:
        if not numbers.integer:
            return _any_number(digits)
        if not exact or integer_is_lexical:
            return _any_integer(digits)
    plain = not exact or (numbers.integer and integer_is_lexical)
    positive = _span(numbers.lower, numbers.lower_open, numbers.upper, numbers.upper_open)
    negative = _span(
        _negated(numbers.upper),
        numbers.upper_open,
        _negated(numbers.lower),
        numbers.lower_open,
    )
    parts = []
    for sign, span in ((EPSILON, positive), (_MINUS, negative)):
        if span is not None:
            magnitude = (
                plain_term(span, numbers.step, digits, integer=numbers.integer)
                if plain
                else spelled_term(span, numbers.step, digits)
            )
            parts.append(concatenate(sign, magnitude))
    return unite(*parts)


def _remaining(numbers: Numbers, digits: int | None, *, exact: bool, integer_is_lexical: bool) -> Term:
    """The term of a set that something is taken out of: whatever has its value, however it is spelled.

    Multiples within multiples are spelled without exponent even if ``exact``: whether a mantissa still leads to a
    member would take a search through thousands of states for each digit.
    """
    if exact and numbers.excluded and numbers.step is not None:
        exact = False
        if numbers.integer and not integer_is_lexical:
            # 1.0 is spelled like any other multiple of 1.
            numbers = replace(numbers, integer=False, multiples=(numbers.step,))
    if exact and numbers.points:
        return unite(
            *(number_term(n, digits=digits, exact=True, integer_is_lexical=integer_is_lexical) for n in _gaps(numbers))
        )

    def spelled(numbers: Numbers) -> Term:
        return number_term(numbers, digits=digits, exact=exact, integer_is_lexical=integer_is_lexical)

    whole = Numbers(
        numbers.integer, numbers.lower, numbers.lower_open, numbers.upper, numbers.upper_open, numbers.multiples
    )
    if whole.is_unbounded and not whole.integer and not exact:
        # Spelled without exponents, as numbers with bounds are.
        every = Span(Fraction(0), lower_open=False, upper=None, upper_open=False)
        magnitude = plain_term(every, None, digits, integer=False)
        base = unite(magnitude, concatenate(_MINUS, magnitude))
    elif whole.is_unbounded and not whole.integer:
        # No more than the spellings of which it is known what they are multiples of.
        base = _any_number(digits or MOST_DIGITS)
    else:
        base = spelled(whole)
    taken = [spelled(Numbers(multiples=(multiple,))) for multiple in numbers.excluded]
    taken.extend([_points_term(p, digits, exact=exact, integer=numbers.integer) for p in numbers.points])
    if numbers.fractional:
        taken.append(_any_integer(None))
    return intersect(base, *map(complement, taken))


def _gaps(numbers: Numbers) -> Iterator[Numbers]:
    """The intervals between the single numbers that are taken out."""
    points = sorted(point for points in numbers.points for point in points if numbers.lies_between(point))
    lower, lower_open = numbers.lower, numbers.lower_open
    for point in points:
        yield replace(numbers, points=(), lower=lower, lower_open=lower_open, upper=point, upper_open=True)
        lower, lower_open = point, True
    yield replace(numbers, points=(), lower=lower, lower_open=lower_open)


@lru_cache(maxsize=4096)
def _points_term(points: frozenset[Fraction], digits: int | None, *, exact: bool, integer: bool) -> Term:
    """The spellings of single numbers."""
    if integer and not exact:
        return words([*map(str, points), *(["-0"] if Fraction(0) in points else [])])
    return unite(*(number_term(Numbers(lower=p, upper=p), digits=digits, exact=exact) for p in sorted(points)))


_MINUS: Final = literal("-")


def _negated(bound: Fraction | None) -> Fraction | None:
    return None if bound is None else -bound


def _span(lower: Fraction | None, lower_open: bool, upper: Fraction | None, upper_open: bool) -> Span | None:  # noqa: FBT001
    """The part of an interval that is not negative; ``None`` if there is none."""
    if upper is not None and (upper < 0 or (upper == 0 and upper_open)):
        return None
    if lower is None or lower < 0:
        return Span(Fraction(0), lower_open=False, upper=upper, upper_open=upper_open)
    return Span(lower, lower_open, upper, upper_open)


@lru_cache(maxsize=16)
def _any_integer(digits: int | None) -> Term:
    rest = None if digits is None else digits - 1
    return concatenate(_SIGN, unite(ZERO, concatenate(NONZERO, repeat(DIGIT, 0, rest))))


@lru_cache(maxsize=16)
def _any_number(digits: int | None) -> Term:
    """Every JSON number (RFC 8259 section 6) within the digits."""
    fraction = concatenate(POINT, repeat(DIGIT, 1, digits))
    exponent = concatenate(
        characters([(0x45, 0x45), (0x65, 0x65)]),
        unite(EPSILON, characters([(0x2B, 0x2B), (0x2D, 0x2D)])),
        repeat(DIGIT, 1, None if digits is None else EXPONENT_DIGITS),
    )
    return concatenate(_any_integer(digits), unite(EPSILON, fraction), unite(EPSILON, exponent))


_SIGN: Final = unite(EPSILON, _MINUS)


def number_literal_term(value: int | Decimal | Fraction, *, digits: int | None = 40, exact: bool = False) -> Term:
    """The text term of the spellings of one number, for ``enum`` and ``const``.

    Without ``exact``: the shortest plain decimal, and for a ``Decimal`` that was written with a fraction or exponent
    also the plain spelling that keeps this (``1.0``, ``2.50``; ``1e2`` gives ``100`` and ``100.0``), because documents
    written by the schema's author do. ``digits`` then has no say: one number cannot run on. A zero may have a minus.

    Raises what :func:`fraction_of` raises, and :class:`PolicyError` for a fraction that no decimal can write.
    """
    number = fraction_of(value)
    if exact:
        return number_term(Numbers(lower=number, upper=number), digits=digits, exact=True)
    power = 0
    while (number * 10**power).denominator != 1:
        if power > DECADES:
            raise PolicyError(f"no decimal can write {number}")
        power += 1
    spellings = {_plain(number, power)}
    if isinstance(value, Decimal) and value.as_tuple().exponent:
        spellings.add(_plain(number, max(power, 1, -int(value.as_tuple().exponent))))
    if not number:
        spellings |= {f"-{text}" for text in spellings}
    return words(spellings)


def _plain(number: Fraction, decimals: int) -> str:
    """The number with so many decimals."""
    whole, part = divmod(abs(int(number * 10**decimals)), 10**decimals)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}.{part:0{decimals}d}" if decimals else f"{sign}{whole}"
