"""Numbers at or above zero in every spelling of JSON, exponents included."""

from __future__ import annotations

from fractions import Fraction

from maskwright.network.lexeme import Term
from maskwright.schema.number_machine import Span, plain_term

__all__ = ["spelled_term"]


def spelled_term(span: Span, step: Fraction | None, digits: int | None, *, integer: bool) -> Term:
    return plain_term(span, step, digits, integer=integer)
