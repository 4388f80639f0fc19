"""Numbers above zero without exponent, as terms: ``0``, ``12``, ``12.50``.

Everything is integer arithmetic on *cells*: with a scale ``S`` (decimals that the bounds and the step need), cell ``x``
is the half-open interval from ``x / 10**S`` to the next cell. A text so far denotes *blocks*, runs of cells that its
completions fall into: ``V`` followed by ``k`` more integer digits is the block of ``10**(k + S)`` cells from
``V * 10**(k + S)``. A text is alive if a block still has an admitted cell, which is a comparison, and with a step a
division; nothing is ever searched.

Only a text that is a prefix of a bound is *tight* and needs its value; any other lies in blocks that are wholly inside
or wholly outside, so that how many digits may follow (and the residue, with a step) says all. Without a step these are
plain counters, and with short bounds the few tight texts are unrolled into ordinary terms, which share everything
learned with all other numbers; otherwise a machine computes them on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from maskwright.errors import PolicyError
from maskwright.network.lexeme import (
    EPSILON,
    NEVER,
    Term,
    automaton,
    characters,
    concatenate,
    literal,
    repeat,
    subtract,
    unite,
)

__all__ = [
    "DIGIT",
    "NONZERO",
    "POINT",
    "ZERO",
    "PlainMachine",
    "Span",
    "merged_moves",
    "plain_term",
]

DIGIT: Final = characters([(0x30, 0x39)])
NONZERO: Final = characters([(0x31, 0x39)])
ZERO: Final = literal("0")
POINT: Final = literal(".")
_ZERO_CHARACTER: Final = characters([(0x30, 0x30)])
_DOT: Final = 0x2E
#: Bounds of at most this many digits are unrolled into ordinary terms (about 4 microseconds a digit, once).
_UNROLLED_DIGITS: Final = 8

#: ``(kind, ...)``, see :class:`PlainMachine`.
State = tuple[object, ...]
Moves = tuple[tuple[int, int, State], ...]


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


def merged_moves(moves: list[tuple[int, State]]) -> Moves:
    """Ascending moves on single code points, neighbours with one target joined."""
    joined: list[tuple[int, int, State]] = []
    for code, target in moves:
        if joined and joined[-1][1] == code - 1 and joined[-1][2] == target:
            joined[-1] = (joined[-1][0], code, target)
        else:
            joined.append((code, code, target))
    return tuple(joined)


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


def _size(number: int) -> int:
    """Decimal digits of a number; 0 has none."""
    return len(str(number)) if number else 0


class PlainMachine:
    """The spellings without exponent of the numbers of a span: an ``Automaton``; see the module for cells and blocks.

    States, named so that equal futures are equal (``left`` is ``None`` without a digit limit):

    * ``("start",)``.
    * ``("tight", j, V)``: ``j`` integer digits that are a prefix of a bound; ``j`` is 0 for the text ``0``.
    * ``("between", least, most, r)``: from ``least`` to ``most`` integer digits must follow, whichever they are;
      ``r`` is the residue of the text modulo ``step`` (0 without).
    * ``("fraction", f, X)``: ``f`` fraction digits, fewer than the scale; ``X`` is the text without its point, a
      prefix of a bound. ``("inside", f, r)``: the same away from the bounds, with the residue of ``X``.
    * ``("deep", zero, more, left, must)``: the scale is reached. ``zero``: the value itself is admitted; ``more``: so
      is what follows in its cell; ``must``: the point was just read, a digit must follow.
    * ``("free", left, must)``: any digits.
    """

    def __init__(
        self, span: Span, step: Fraction | None, digits: int | None, *, integer: bool
    ) -> None:
        self._key = (span, step, digits, integer)
        self._hash = hash(self._key)
        self.digits = digits
        self.integer = integer
        self.stepped = step is not None and (not integer or step != 1)
        self.scale = scale = self._scale_of(span, step)
        power = 10**scale
        #: Digits that may follow the scale, ``None`` = no limit; a cell has an inside only if some may.
        self.beyond = None if digits is None else digits - scale
        self.deepens = not integer and not self.stepped and self.beyond != 0
        self.step = (step * power).numerator if self.stepped and step is not None else 1
        # A bound between two values that the digits can write is moved to the next one, which is admitted.
        below, between = divmod(span.lower.numerator * power, span.lower.denominator)
        self.low, self.low_closed = (
            (below + 1, True) if between else (below, not span.lower_open)
        )
        self.high: int | None = None
        self.high_closed = True
        if span.upper is not None:
            self.high, between = divmod(
                span.upper.numerator * power, span.upper.denominator
            )
            self.high_closed = bool(between) or not span.upper_open
        self._set_cells()

    def _scale_of(self, span: Span, step: Fraction | None) -> int:
        """Decimals that the bounds and the step need, at most ``digits``."""
        if self.integer:
            return 0
        needs = [
            _decimals(value)
            for value in (span.lower, span.upper, step)
            if value is not None
        ]
        if self.digits is None:
            if None in needs:
                raise PolicyError(
                    "a bound or multiple that no decimal can write needs a limit of digits"
                )
            return max(n for n in needs if n is not None)
        return min(self.digits, max(self.digits if n is None else n for n in needs))

    def _set_cells(self) -> None:
        """The first and last cell with an admitted number, and the first and last that are admitted wholly.

        With a step both move onto its multiples: a cell is then its first value only.
        """
        low, high = self.low, self.high
        reaches = self.deepens and (high is None or low < high)
        self.first = low if self.low_closed or reaches else low + 1
        self.first_full = low if self.low_closed else low + 1
        self.last = high if high is None or self.high_closed else high - 1
        self.last_full = self.last if high is None or not self.deepens else high - 1
        if self.stepped:
            self.first = self.first_full = -(-self.first // self.step) * self.step
            if self.last is not None:
                self.last = self.last_full = self.last // self.step * self.step
        self.first_size = _size(self.first)
        self.last_size = 0 if self.last is None else _size(self.last)

    def __eq__(self, other: object) -> bool:
        """By value."""
        return isinstance(other, PlainMachine) and self._key == other._key

    def __hash__(self) -> int:
        """By value, computed once."""
        return self._hash

    def __repr__(self) -> str:
        """The arguments."""
        return f"PlainMachine{self._key!r}"

    @property
    def tight_digits(self) -> int:
        """How many digits a tight text can have: the number of tight states is at most twice this."""
        return max(self.first_size, self.last_size, self.scale) + 1

    @cached_property
    def start(self) -> State | None:
        """The first state; ``None`` if the digits cannot write any member."""
        return ("start",) if self.moves(("start",)) else None

    # -- cells and blocks

    def _admits(self, cell: int) -> bool:
        """Whether the first value of a cell is a member."""
        if cell < self.first_full or (self.last is not None and cell > self.last):
            return False
        return not self.stepped or cell % self.step == 0

    def _alive(self, base: int, size: int, residue: int) -> bool:
        """Whether the block of ``10**size`` cells from ``base`` has an admitted one; ``residue`` is base's."""
        low = max(base, self.first)
        high = base + 10**size - 1
        if self.last is not None and self.last < high:
            high = self.last
        return low <= high and (
            not self.stepped or low + (base - residue - low) % self.step <= high
        )

    def _touches(self, base: int, size: int) -> bool:
        """Whether a bound cuts the block: it is neither wholly inside nor wholly outside."""
        end = base + 10**size - 1
        if base < self.first_full and end >= self.first:
            return True
        return (
            self.last is not None
            and self.last_full is not None
            and base <= self.last
            and end > self.last_full
        )

    def _whole(self, value: int, count: int) -> State | None:
        """The state after ``count`` integer digits of this value (``count`` 0: the text ``0``)."""
        scale, first, last = self.scale, self.first, self.last
        most = 0 if count == 0 else None if self.digits is None else self.digits - count
        # At this many further digits the block has as many digits as the bound: it may be cut there only.
        at_first = self.first_size - scale - count if count else 0
        at_last = self.last_size - scale - count if count else 0
        if self._cut(value, at_first, most) or (
            last is not None and self._cut(value, at_last, most)
        ):
            return (
                ("tight", count, value)
                if self._tight_alive(value, count, most)
                else None
            )
        least = max(at_first, 0)
        if at_first >= 0 and value * 10 ** (at_first + scale) < first:
            least += 1
        if last is not None:
            fits = (
                at_last
                if at_last < 0 or value * 10 ** (at_last + scale) <= last
                else at_last - 1
            )
            most = fits if most is None else min(most, fits)
        return self._between(least, most, value % self.step)

    def _cut(self, value: int, further: int, most: int | None) -> bool:
        """Whether a bound cuts the block of this value with so many further integer digits."""
        if further < 0 or (most is not None and further > most):
            return False
        size = further + self.scale
        return self._touches(value * 10**size, size)

    def _tight_alive(self, value: int, count: int, most: int | None) -> bool:
        """Whether a completion exists; if any block is alive, one of the two largest below the upper bound is.

        A block with one more digit has ten times the multiples and is cut by the lower bound no more; only the
        largest that begins below the upper bound can be cut by it.
        """
        scale = self.scale
        if self.last is None:
            size = (
                max(self.first_size, _size(self.step)) + 1 if most is None else most
            ) + scale
            base = value * 10**size
            return self._alive(base, size, base % self.step)
        size = self.last_size - count if count else scale
        if value * 10 ** max(size, 0) > self.last:
            size -= 1
        if most is not None:
            size = min(size, most + scale)
        for candidate in (size, size - 1):
            base = value * 10 ** max(candidate, 0)
            if candidate >= scale and self._alive(base, candidate, base % self.step):
                return True
        return False

    def _between(self, least: int, most: int | None, residue: int) -> State | None:
        """The state of a text whose blocks are inside from ``least`` to ``most`` further integer digits."""
        if most is None:
            return ("between", least, None, residue)
        if most < least:
            return None
        if self.stepped:
            block = 10 ** (most + self.scale)
            if -residue * block % self.step >= block:
                return None
        return ("between", least, most, residue)

    # -- after the point

    def _point(self, state: State) -> State | None:
        """The state after ``.``; ``None`` if no fraction may follow."""
        if self.integer:
            return None
        if state[0] == "tight":
            return self._part(0, state[2])  # type: ignore[arg-type]
        least, residue = state[1], state[3]
        if least != 0:
            return None
        if not self.stepped:
            return ("free", self.digits, True)
        return self._residue_part(0, residue)  # type: ignore[arg-type]

    def _part(self, read: int, value: int) -> State | None:
        """The state after ``read`` fraction digits of a text that may be tight."""
        size = self.scale - read
        base = value * 10**size
        if size == 0:
            more = (
                self.deepens
                and value >= self.low
                and (self.high is None or value < self.high)
            )
            return self._deep(
                zero=self._admits(value), more=more, left=self.beyond, must=read == 0
            )
        if not self._alive(base, size, base % self.step):
            return None
        if self._touches(base, size):
            return ("fraction", read, value)
        if self.stepped:
            return ("inside", read, value % self.step)
        return ("free", None if self.digits is None else self.digits - read, read == 0)

    def _residue_part(self, read: int, residue: int) -> State | None:
        size = self.scale - read
        if size == 0:
            return self._deep(
                zero=residue == 0, more=False, left=self.beyond, must=read == 0
            )
        block = 10**size
        return (
            ("inside", read, residue) if -residue * block % self.step < block else None
        )

    def _deep(
        self, *, zero: bool, more: bool, left: int | None, must: bool
    ) -> State | None:
        if left == 0:
            return ("deep", zero, False, 0, False) if zero and not must else None
        if zero and more:
            return ("free", left, must)
        return ("deep", zero, more, left, must) if zero or more else None

    # -- the automaton

    def accepts(self, state: State) -> bool:
        """Whether the text read so far is a member."""
        kind = state[0]
        if kind == "free":
            return not state[2]
        if kind == "deep":
            return bool(state[1]) and not state[4]
        if kind == "between":
            return state[1] == 0 and (
                not self.stepped or state[3] * 10**self.scale % self.step == 0
            )  # type: ignore[operator]
        if kind == "tight":
            return self._admits(state[2] * 10**self.scale)  # type: ignore[operator]
        if kind == "fraction":
            return state[1] != 0 and self._admits(
                state[2] * 10 ** (self.scale - state[1])
            )  # type: ignore[operator]
        if kind == "inside":
            return (
                state[1] != 0
                and state[2] * 10 ** (self.scale - state[1]) % self.step == 0
            )  # type: ignore[operator]
        return False

    def moves(self, state: State) -> Moves:
        """``(first, last, next state)`` for digits and the point; every state named is alive."""
        kind = state[0]
        found: list[tuple[int, State | None]]
        if kind == "free":
            left = state[1]
            if left == 0:
                return ()
            return ((0x30, 0x39, ("free", None if left is None else left - 1, False)),)  # type: ignore[operator]
        if kind == "deep":
            found = self._deep_moves(state)
        elif kind == "between":
            found = [(_DOT, self._point(state)), *self._between_moves(state)]
        elif kind == "inside":
            _, read, residue = state
            found = [
                (0x30 + d, self._residue_part(read + 1, (residue * 10 + d) % self.step))  # type: ignore[operator]
                for d in range(10)
            ]
        elif kind == "fraction":
            _, read, value = state
            cut = 10 ** (self.scale - read - 1)
            prefixes = [
                bound // cut for bound in (self.first, self.last) if bound is not None
            ]
            return self._spread(value * 10, prefixes, lambda v: self._part(read + 1, v))
        elif kind == "start":
            zero = self._whole(0, 0)
            return (((0x30, 0x30, zero),) if zero else ()) + self._whole_moves(0, 1)
        else:
            point = self._point(state)
            _, count, value = state
            after = self._whole_moves(value, count + 1) if count else ()
            return (((_DOT, _DOT, point),) if point else ()) + after
        return merged_moves(
            [(code, target) for code, target in found if target is not None]
        )

    def _whole_moves(self, value: int, count: int) -> Moves:
        """The moves by a digit that give an integer part of ``count`` digits."""
        if count - 1 == self.digits:
            return ()
        whole = [
            bound // 10**cut
            for bound, size in (
                (self.first, self.first_size),
                (self.last, self.last_size),
            )
            if bound is not None and (cut := size - count) >= self.scale
        ]
        return self._spread(
            value * 10,
            whole,
            lambda v: self._whole(v, count),
            least=1 if count == 1 else 0,
        )

    def _spread(
        self,
        base: int,
        prefixes: list[int],
        child: Callable[[int], State | None],
        least: int = 0,
    ) -> Moves:
        """The moves to ``child(base + digit)``: without a step all digits between the prefixes of bounds lead alike."""
        if self.stepped:
            cuts = list(range(least, 11))
        else:
            cuts = sorted(
                {least, 10}
                | {
                    d
                    for p in prefixes
                    for d in (p - base, p - base + 1)
                    if least < d < 10
                }
            )
        found = []
        for first, end in pairwise(cuts):
            target = child(base + first)
            if target is not None:
                found.append((0x30 + first, 0x2F + end, target))
        return tuple(found)

    def _between_moves(self, state: State) -> list[tuple[int, State | None]]:
        _, least, most, residue = state
        if most == 0:
            return []
        fewer = max(least - 1, 0)  # type: ignore[operator]
        rest = None if most is None else most - 1  # type: ignore[operator]
        if not self.stepped:
            target = self._between(fewer, rest, 0)
            return [(0x30 + d, target) for d in range(10)]
        return [
            (0x30 + d, self._between(fewer, rest, (residue * 10 + d) % self.step))  # type: ignore[operator]
            for d in range(10)
        ]

    def _deep_moves(self, state: State) -> list[tuple[int, State | None]]:
        _, zero, more, left, _ = state
        rest = None if left is None else left - 1  # type: ignore[operator]
        if left == 0:
            return []
        onward: State | None = ("free", rest, False) if more else None
        same = self._deep(zero=bool(zero), more=bool(more), left=rest, must=False)  # type: ignore[arg-type]
        return [(0x30, same), *((0x30 + d, onward) for d in range(1, 10))]


@lru_cache(maxsize=4096)
def plain_term(
    span: Span, step: Fraction | None, digits: int | None, *, integer: bool
) -> Term:
    """The spellings without exponent of the members of a span that are multiples of ``step``; integers without point.

    Raises :class:`PolicyError` if ``digits`` is ``None`` and a bound or step has no finite decimal expansion.
    """
    machine = PlainMachine(span, step, digits, integer=integer)
    if machine.stepped or machine.tight_digits > _UNROLLED_DIGITS:
        return automaton(machine)
    return _unrolled(machine, machine.start)


def _unrolled(machine: PlainMachine, state: State | None) -> Term:
    """The language from a state of a machine without step, as an ordinary term.

    Recursion is bounded by ``_UNROLLED_DIGITS``: every call goes one digit further along a bound.
    """
    if state is None:
        return NEVER
    kind = state[0]
    if kind == "free":
        return repeat(DIGIT, 1 if state[2] else 0, state[1])  # type: ignore[arg-type]
    if kind == "between":
        fraction = (
            EPSILON
            if machine.integer
            else unite(EPSILON, concatenate(POINT, repeat(DIGIT, 1, machine.digits)))
        )
        return concatenate(repeat(DIGIT, state[1], state[2]), fraction)  # type: ignore[arg-type]
    if kind == "deep":
        _, zero, more, left, must = state
        least = 1 if must else 0
        zeros = repeat(_ZERO_CHARACTER, least, left)  # type: ignore[arg-type]
        if zero:
            return zeros
        return subtract(repeat(DIGIT, 1, left), zeros) if more else NEVER  # type: ignore[arg-type]
    parts = [EPSILON] if machine.accepts(state) else []
    parts += [
        concatenate(characters([(first, last)]), _unrolled(machine, target))
        for first, last, target in machine.moves(state)
    ]
    return unite(*parts)
