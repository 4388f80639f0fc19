"""The exponent of a number that must lie between two integers: the moves after ``e``.

States: ``("e", low, high)``, and ``("power", low, high, value, left, must)`` once its sign is known: the digits so far
have this value, ``left`` more may follow (one must, if ``must``), and the whole must lie from ``low`` to ``high``.
Leading zeros are allowed (RFC 8259 section 6).
"""

from __future__ import annotations

from typing import Final

from maskwright.schema.number_machine import Moves, State, merged_moves

__all__ = ["EXPONENT_DIGITS", "LARGEST_EXPONENT", "exponent_moves", "power_moves"]

EXPONENT_DIGITS: Final = 4
LARGEST_EXPONENT: Final = 10**EXPONENT_DIGITS - 1


def exponent_moves(low: int, high: int) -> Moves:
    """The moves after ``e``: a sign, or the first digit of an exponent that is not negative."""
    positive = _power(max(low, 0), high, 0, EXPONENT_DIGITS, must=True)
    negative = _power(max(-high, 0), -low, 0, EXPONENT_DIGITS, must=True)
    signs = tuple((code, code, state) for code, state in ((0x2B, positive), (0x2D, negative)) if state is not None)
    return signs + (() if positive is None else power_moves(positive))


def _power(low: int, high: int, value: int, left: int, *, must: bool) -> State | None:
    """The state of an exponent, ``None`` if no further digits bring it between ``low`` and ``high``.

    Where nothing can leave the interval any more the value is forgotten, so that those states are one.
    """
    if low <= value and (value + 1) * 10**left <= high + 1:
        return ("power", 0, LARGEST_EXPONENT, 0, left, must)
    for further in range(left + 1):
        power = 10**further
        if value * power <= high and (value + 1) * power > low:
            return ("power", low, high, value, left, must)
    return None


def power_moves(state: State) -> Moves:
    """Read a digit of an exponent whose sign is known."""
    _, low, high, value, left, _ = state
    if left == 0:
        return ()
    if (low, high) == (0, LARGEST_EXPONENT):
        return ((0x30, 0x39, ("power", 0, LARGEST_EXPONENT, 0, left - 1, False)),)
    return merged_moves([(0x30 + d, _power(low, high, value * 10 + d, left - 1, must=False)) for d in range(10)])
