"""Errors that show where in a pattern they are."""

from __future__ import annotations

from typing import Final

from maskwright.errors import LimitError, PatternError, Problem

__all__ = ["limit_fault", "pattern_fault"]

#: Characters of the pattern shown at each side of the fault.
_CONTEXT: Final = 40


def _shown(text: str) -> str:
    """The text on one line, as a person can read it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _problem(text: str, span: tuple[int, int], reason: str, remedy: str) -> Problem:
    start, end = span
    first, last = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    before = ("..." if first else "") + _shown(text[first:start])
    inside, after = (
        _shown(text[start:end][: 2 * _CONTEXT]),
        _shown(text[end:last]) + ("..." if last < len(text) else ""),
    )
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    carets = "^" * max(1, len(inside))
    return Problem(
        f"{reason}\n    {before}{inside}{after}\n    {' ' * len(before)}{carets}",
        place=f"{line}:{column}",
        keyword="pattern",
        remedy=remedy,
    )


def pattern_fault(text: str, span: tuple[int, int], reason: str, remedy: str = "") -> PatternError:
    """An error whose reason ends with the pattern and carets under ``span`` (first and one past the last character)."""
    return PatternError(_problem(text, span, reason, remedy))


def limit_fault(text: str, span: tuple[int, int], reason: str, remedy: str = "") -> LimitError:
    """The same for a number of :class:`maskwright.Limits` that was exceeded."""
    return LimitError(_problem(text, span, reason, remedy))
