"""Numbers at or above zero without exponent, as terms: ``0``, ``12``, ``12.50``.

Only a text that is a prefix of a bound is *tight* and needs its value; any other lies in blocks of cells (see
:mod:`.number_cells`) that are wholly inside or wholly outside, so that how many digits may follow, and with a step the
residue, says all. Without a step these are plain counters: with short bounds the few tight texts are unrolled into
ordinary terms, which share everything learned with all other numbers; else a machine computes the states on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final, cast

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
from maskwright.schema.number_cells import Cells, Span, decimal_size

__all__ = ["DIGIT", "NONZERO", "POINT", "ZERO", "Moves", "PlainMachine", "State", "merged_moves", "plain_term"]

DIGIT: Final = characters([(0x30, 0x39)])
NONZERO: Final = characters([(0x31, 0x39)])
ZERO: Final = literal("0")
POINT: Final = literal(".")
_ZERO_CHARACTER: Final = characters([(0x30, 0x30)])
_DOT: Final = 0x2E
#: Bounds of at most this many digits are unrolled into ordinary terms (about 10 microseconds a digit, once).
_UNROLLED_DIGITS: Final = 8

#: A kind and what it needs, see the machines.
State = tuple[Any, ...]
#: Ascending ``(first, last, next state)`` ranges of code points.
Moves = tuple[tuple[int, int, State], ...]


def merged_moves(moves: list[tuple[int, State | None]]) -> Moves:
    """Join ascending moves on single code points where neighbours have one target; ``None`` is no move."""
    joined: list[tuple[int, int, State]] = []
    for code, target in moves:
        if target is None:
            continue
        if joined and joined[-1][1] == code - 1 and joined[-1][2] == target:
            joined[-1] = (joined[-1][0], code, target)
        else:
            joined.append((code, code, target))
    return tuple(joined)


def _fewer(count: int | None, read: int = 1) -> int | None:
    return None if count is None else count - read


class PlainMachine:
    """The spellings without exponent of the numbers of a span: an ``Automaton``.

    States, named so that equal futures are equal (``None`` digits left: no limit):

    * ``("start",)``.
    * ``("tight", count, V)``: ``count`` integer digits that are a prefix of a bound; 0 for the text ``0``.
    * ``("between", least, most, residue)``: from ``least`` to ``most`` integer digits must follow, whichever they are;
      ``residue`` is that of the text modulo the step (0 without).
    * ``("fraction", read, X)``: ``read`` fraction digits, fewer than the scale; ``X`` is the text without its point, a
      prefix of a bound. ``("inside", read, residue)``: the same away from the bounds.
    * ``("deep", zero, more, left, must)``: the scale is reached. ``zero``: the value itself is a member; ``more``: so
      is the rest of its cell; ``must``: the point was just read, a digit must follow.
    * ``("free", left, must)``: any digits.
    """

    def __init__(self, span: Span, step: Fraction | None, digits: int | None, *, integer: bool) -> None:
        self._key = (span, step, digits, integer)
        self._hash = hash(self._key)
        self.digits = digits
        self.integer = integer
        self.cells = Cells(span, step, digits, integer=integer)

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return isinstance(other, PlainMachine) and self._key == other._key

    def __hash__(self) -> int:
        """Hash by value, once."""
        return self._hash

    def __repr__(self) -> str:
        """Show the arguments."""
        return f"PlainMachine{self._key!r}"

    @property
    def tight_digits(self) -> int:
        """How many digits a tight text can have: there are at most twice as many tight states."""
        return max(self.cells.first_size, self.cells.last_size, self.cells.scale) + 1

    @cached_property
    def start(self) -> State | None:
        """The first state; ``None`` if the digits cannot write any member."""
        return ("start",) if self.moves(("start",)) else None

    # -- the integer part

    def _whole(self, value: int, count: int) -> State | None:
        """Name the state after ``count`` integer digits of this value (``count`` 0: the text ``0``)."""
        cells = self.cells
        most = 0 if count == 0 else _fewer(self.digits, count)
        # With so many further digits the block has as many digits as the bound: only there can the bound cut it.
        at_first = cells.first_size - cells.scale - count if count else 0
        at_last = cells.last_size - cells.scale - count if count else 0
        if self._is_cut(value, at_first, most) or (cells.last is not None and self._is_cut(value, at_last, most)):
            return ("tight", count, value) if self._is_tight_alive(value, count, most) else None
        least = max(at_first, 0)
        if at_first >= 0 and value * 10 ** (at_first + cells.scale) < cells.first:
            least += 1
        if cells.last is not None:
            fits = at_last if at_last < 0 or value * 10 ** (at_last + cells.scale) <= cells.last else at_last - 1
            most = fits if most is None else min(most, fits)
        return self._between(least, most, value % cells.step)

    def _is_cut(self, value: int, further: int, most: int | None) -> bool:
        """Whether a bound cuts the block of this value with so many further integer digits."""
        if further < 0 or (most is not None and further > most):
            return False
        size = further + self.cells.scale
        return self.cells.is_cut(value * 10**size, size)

    def _is_tight_alive(self, value: int, count: int, most: int | None) -> bool:
        """Whether a completion exists; if any block is alive, one of the two largest below the upper bound is.

        A block with one more digit has ten times the multiples and is cut by the lower bound no more; only the
        largest that begins below the upper bound can be cut by it.
        """
        cells, scale = self.cells, self.cells.scale
        if cells.last is None:
            size = (max(cells.first_size, decimal_size(cells.step)) + 1 if most is None else most) + scale
            return cells.is_alive(value * 10**size, size)
        size = cells.last_size - count if count else scale
        if value * 10 ** max(size, 0) > cells.last:
            size -= 1
        if most is not None:
            size = min(size, most + scale)
        return any(s >= scale and cells.is_alive(value * 10**s, s) for s in (size, size - 1))

    def _between(self, least: int, most: int | None, residue: int) -> State | None:
        """Name the state of a text whose blocks are inside from ``least`` to ``most`` further integer digits."""
        if most is not None and (most < least or not self.cells.reaches_multiple(residue, most + self.cells.scale)):
            return None
        return ("between", least, most, residue)

    # -- the fraction

    def _point(self, state: State) -> State | None:
        """Name the state after ``.``; ``None`` if no fraction may follow."""
        if self.integer:
            return None
        if state[0] == "tight":
            return self._part(0, state[2])
        _, least, _, residue = state
        if least != 0:
            return None
        return self._away(0, residue) if self.cells.stepped else ("free", self.digits, True)

    def _part(self, read: int, value: int) -> State | None:
        """Name the state after ``read`` fraction digits of a text that may be tight."""
        cells = self.cells
        size = cells.scale - read
        if size == 0:
            return self._deep(
                zero=cells.admits(value), more=cells.admits_beyond(value), left=cells.beyond, must=not read
            )
        base = value * 10**size
        if not cells.is_alive(base, size):
            return None
        if cells.is_cut(base, size):
            return ("fraction", read, value)
        if cells.stepped:
            return ("inside", read, value % cells.step)
        return ("free", _fewer(self.digits, read), read == 0)

    def _away(self, read: int, residue: int) -> State | None:
        """Name the state after ``read`` fraction digits away from the bounds, with a step."""
        size = self.cells.scale - read
        if size == 0:
            return self._deep(zero=residue == 0, more=False, left=self.cells.beyond, must=not read)
        return ("inside", read, residue) if self.cells.reaches_multiple(residue, size) else None

    def _deep(self, *, zero: bool, more: bool, left: int | None, must: bool) -> State | None:
        if left == 0:
            return ("deep", zero, False, 0, False) if zero and not must else None
        if zero and more:
            return ("free", left, must)
        return ("deep", zero, more, left, must) if zero or more else None

    # -- the automaton

    def accepts(self, state: Hashable) -> bool:
        """Whether the text read so far is a member."""
        state = cast("State", state)
        cells = self.cells
        match state[0]:
            case "free":
                return not state[2]
            case "deep":
                return bool(state[1]) and not state[4]
            case "between":
                return bool(state[1] == 0 and state[3] * 10**cells.scale % cells.step == 0)
            case "tight":
                return cells.admits(state[2] * 10**cells.scale)
            case "fraction":
                return state[1] != 0 and cells.admits(state[2] * 10 ** (cells.scale - state[1]))
            case "inside":
                return bool(state[1] != 0 and state[2] * 10 ** (cells.scale - state[1]) % cells.step == 0)
        return False

    def moves(self, state: Hashable) -> Moves:
        """``(first, last, next state)`` for digits and the point; every state named is alive."""
        state = cast("State", state)
        match state[0]:
            case "free":
                left = state[1]
                return () if left == 0 else ((0x30, 0x39, ("free", _fewer(left), False)),)
            case "start":
                zero = self._whole(0, 0)
                return (((0x30, 0x30, zero),) if zero else ()) + self._whole_moves(0, 1)
            case "between":
                after = self._between_moves(state)
            case "tight":
                _, count, value = state
                after = self._whole_moves(value, count + 1) if count else ()
            case "deep":
                return self._deep_moves(state)
            case _:
                return self._part_moves(state)
        point = self._point(state)
        return (((_DOT, _DOT, point),) if point else ()) + after

    def _whole_moves(self, value: int, count: int) -> Moves:
        """Move by a digit to an integer part of ``count`` digits."""
        if count - 1 == self.digits:
            return ()
        cells = self.cells
        prefixes = [
            bound // 10**cut
            for bound, size in ((cells.first, cells.first_size), (cells.last, cells.last_size))
            if bound is not None and (cut := size - count) >= cells.scale
        ]
        return self._spread(value * 10, prefixes, lambda v: self._whole(v, count), least=1 if count == 1 else 0)

    def _part_moves(self, state: State) -> Moves:
        kind, read, value = state
        step = self.cells.step
        if kind == "inside":
            return merged_moves([(0x30 + d, self._away(read + 1, (value * 10 + d) % step)) for d in range(10)])
        cut = 10 ** (self.cells.scale - read - 1)
        prefixes = [bound // cut for bound in (self.cells.first, self.cells.last) if bound is not None]
        return self._spread(value * 10, prefixes, lambda v: self._part(read + 1, v))

    def _spread(self, base: int, prefixes: list[int], child: Callable[[int], State | None], least: int = 0) -> Moves:
        """Move to ``child(base + digit)``: without a step all digits between the prefixes of bounds lead alike."""
        if self.cells.stepped:
            return merged_moves([(0x30 + d, child(base + d)) for d in range(least, 10)])
        cuts = sorted({least, 10} | {d for p in prefixes for d in (p - base, p - base + 1) if least < d < 10})
        return tuple(
            (0x30 + first, 0x2F + end, target)
            for first, end in pairwise(cuts)
            if (target := child(base + first)) is not None
        )

    def _between_moves(self, state: State) -> Moves:
        _, least, most, residue = state
        if most == 0:
            return ()
        fewer, rest, step = max(least - 1, 0), _fewer(most), self.cells.step
        if step == 1:
            target = self._between(fewer, rest, 0)
            return ((0x30, 0x39, target),) if target else ()
        return merged_moves([(0x30 + d, self._between(fewer, rest, (residue * 10 + d) % step)) for d in range(10)])

    def _deep_moves(self, state: State) -> Moves:
        _, zero, more, left, _ = state
        if left == 0:
            return ()
        rest = _fewer(left)
        same = self._deep(zero=zero, more=more, left=rest, must=False)
        onward = (0x31, 0x39, ("free", rest, False))
        return (((0x30, 0x30, same),) if same else ()) + ((onward,) if more else ())


@lru_cache(maxsize=4096)
def plain_term(span: Span, step: Fraction | None, digits: int | None, *, integer: bool) -> Term:
    """Write the members of a span that are multiples of ``step`` without exponent, integers without point.

    Raises :class:`PolicyError` if ``digits`` is ``None`` and a bound or step has no finite decimal expansion.
    """
    machine = PlainMachine(span, step, digits, integer=integer)
    if machine.cells.stepped or machine.tight_digits > _UNROLLED_DIGITS:
        return automaton(machine)
    return _unrolled(machine, machine.start)


def _unrolled(machine: PlainMachine, state: State | None) -> Term:
    """Write the language from a state of a machine without step as an ordinary term.

    Recursion is bounded by ``_UNROLLED_DIGITS``: every call goes one digit further along a bound.
    """
    if state is None:
        return NEVER
    match state:
        case ("free", left, must):
            return repeat(DIGIT, int(must), left)
        case ("between", least, most, _):
            fraction = EPSILON if machine.integer else concatenate(POINT, repeat(DIGIT, 1, machine.digits))
            return concatenate(repeat(DIGIT, least, most), unite(EPSILON, fraction))
        case ("deep", zero, _, left, must):
            zeros = repeat(_ZERO_CHARACTER, int(must), left)
            return zeros if zero else subtract(repeat(DIGIT, 1, left), zeros)
    parts = [EPSILON] if machine.accepts(state) else []
    parts += [
        concatenate(characters([(first, last)]), _unrolled(machine, target))
        for first, last, target in machine.moves(state)
    ]
    return unite(*parts)
