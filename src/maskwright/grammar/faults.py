"""Errors that show where in a grammar they are: line, column and a caret under the place."""

from __future__ import annotations

from typing import Final

from maskwright.errors import ConstraintError, GrammarError, Problem

__all__ = ["fault", "fault_problem", "place_of"]

#: Characters of the line shown at each side of the fault.
_CONTEXT: Final = 50


def _shown(text: str) -> str:
    """A part of a line as a person can read it; every character keeps one column unless it cannot be printed."""
    return "".join(char if char.isprintable() else " " if char == "\t" else repr(char)[1:-1] for char in text)


def place_of(text: str, offset: int) -> str:
    """``line:column``, both from 1."""
    return f"{text.count(chr(10), 0, offset) + 1}:{offset - text.rfind(chr(10), 0, offset)}"


def fault_problem(
    text: str, span: tuple[int, int], reason: str, *, keyword: str = "", remedy: str = "", source: str = ""
) -> Problem:
    """A problem whose reason ends with the line and carets under ``span`` (first and one past the last character).

    ``source`` names the file, if the text is not the one that the caller gave.
    """
    start = min(span[0], len(text))
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    end = min(max(span[1], start), last)
    left, right = max(first, start - _CONTEXT), min(last, max(end, start) + _CONTEXT)
    before = ("..." if left > first else "") + _shown(text[left:start])
    inside = _shown(text[start:end][: 2 * _CONTEXT])
    after = _shown(text[end:right]) + ("..." if right < last else "")
    place = place_of(text, start)
    return Problem(
        f"{reason}\n    {before}{inside}{after}\n    {' ' * len(before)}{'^' * max(1, len(inside))}",
        place=f"{source}:{place}" if source else place,
        keyword=keyword,
        remedy=remedy,
    )


def fault(
    text: str,
    span: tuple[int, int],
    reason: str,
    *,
    keyword: str = "",
    remedy: str = "",
    source: str = "",
    error: type[ConstraintError] = GrammarError,
) -> ConstraintError:
    """The error with that one problem; a :class:`GrammarError` if nothing else is asked for."""
    return error(fault_problem(text, span, reason, keyword=keyword, remedy=remedy, source=source))
