"""Numbers of JSON read a character at a time (RFC 8259, section 6), and what Python makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Final

__all__ = ["BEGIN", "CONVERSIONS", "EXPECTED", "FINAL", "NEXT"]

#: Digits that ``int`` takes from a text, as CPython's default has it; it needs a time that grows with the square.
_INT_DIGITS: Final = 4300


def _row(**targets: str) -> Mapping[str, str]:
    """Character to state, from state to characters."""
    return {character: state for state, characters in targets.items() for character in characters}


BEGIN: Final = "begin"
#: State, then character, to state.
NEXT: Final[Mapping[str, Mapping[str, str]]] = {
    BEGIN: _row(minus="-", zero="0", whole="123456789"),
    "minus": _row(zero="0", whole="123456789"),
    "zero": _row(point=".", mark="eE"),
    "whole": _row(whole="0123456789", point=".", mark="eE"),
    "point": _row(fraction="0123456789"),
    "fraction": _row(fraction="0123456789", mark="eE"),
    "mark": _row(sign="+-", exponent="0123456789"),
    "sign": _row(exponent="0123456789"),
    "exponent": _row(exponent="0123456789"),
}
#: States in which a number may end.
FINAL: Final = frozenset({"zero", "whole", "fraction", "exponent"})
#: What must follow in the other states, in words.
EXPECTED: Final = {"mark": "a sign or a digit of the exponent"}


def _is_integer(text: str) -> bool:
    return "." not in text and "e" not in text and "E" not in text


def _float(text: str) -> object:
    """As ``json.loads`` has it: ``int`` or ``float``; more than 4,300 digits are a ``Decimal``, which is exact too.

    So are numbers that no ``float`` reaches: infinity is no number of JSON.
    """
    if not _is_integer(text):
        value = float(text)
        return value if isfinite(value) else _decimal(text)
    return int(text) if len(text) <= _INT_DIGITS else Decimal(text)


def _exact(text: str) -> object:
    """``int`` or ``Decimal``; beyond any ``Decimal`` there is none, and ``ValueError``."""
    return _float(text) if _is_integer(text) else _decimal(text)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError("a number whose exponent no Decimal can hold") from error


#: What the names of the policy ``numbers`` mean.
CONVERSIONS: Final[Mapping[str, Callable[[str], object]]] = {"float": _float, "exact": _exact}
