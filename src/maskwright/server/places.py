"""Places of problems as spans of the text that was typed, so that the page can mark them.

A problem names its place by ``line:column`` or by a JSON pointer into the schema; an editor wants offsets. They are
counted in UTF-16 code units, as ``textarea.setSelectionRange`` counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

from maskwright.errors import ConstraintError, MaskwrightError, Problem

__all__ = ["described", "problems_of", "value_span"]

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_POSITION: Final = re.compile(r"(\d+):(\d+)")
#: Problems that one answer lists; a schema of 32 MB could have a million.
_MOST: Final = 50


def problems_of(error: MaskwrightError, source: str) -> list[dict[str, Any]]:
    """Every problem of an error, with its place in the text that was typed."""
    found = error.problems if isinstance(error, ConstraintError) else (Problem(str(error)),)
    return [described(problem, source) for problem in found[:_MOST]]


def described(problem: Problem, source: str) -> dict[str, Any]:
    """A problem as JSON: ``reason``, ``excerpt`` with carets, ``place``, ``keyword``, ``remedy``, ``span`` or null."""
    reason, _, excerpt = problem.reason.partition("\n")
    span = _span(problem.place, source)
    return {
        "reason": reason,
        "excerpt": excerpt,
        "place": problem.place,
        "keyword": problem.keyword,
        "remedy": problem.remedy,
        "span": None if span is None else [_units(source[: span[0]]), _units(source[: span[1]])],
    }


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _span(place: str, source: str) -> tuple[int, int] | None:
    position = _POSITION.fullmatch(place)
    if position is not None:
        return _line_span(source, int(position[1]), int(position[2]))
    return value_span(source, place) if place.startswith("#/") else None


def _line_span(source: str, line: int, column: int) -> tuple[int, int] | None:
    """The character at a line and column, from 1."""
    lines = source.split("\n")
    if not 0 < line <= len(lines):
        return None
    start = sum(len(before) + 1 for before in lines[: line - 1]) + min(max(column, 1) - 1, len(lines[line - 1]))
    return start, min(start + 1, len(source))


def value_span(source: str, pointer: str) -> tuple[int, int] | None:
    """Where the value of a JSON pointer (RFC 6901, in a fragment) begins and ends in a JSON text; None if nowhere.

    Of a key that comes twice the first counts. One pass without recursion.
    """
    wanted = [unquote(part).replace("~1", "/").replace("~0", "~") for part in pointer.removeprefix("#").split("/")[1:]]
    start = -1
    for path, first, last in _values(source):
        if last < 0:
            if start < 0 and path == wanted:
                start = first
        elif first == start:
            return first, last
    return None


def _values(source: str) -> Iterator[tuple[list[str], int, int]]:
    """Each value twice: with its path, its first offset and -1 where it begins; the same and its last where it ends."""
    path: list[str] = []
    #: Of each open array or object: where it began, and the index, or -1 for an object.
    stack: list[tuple[int, int]] = []
    is_key = False
    for token in _TOKEN.finditer(source):
        mark, at = token[0], token.start()
        if mark in "]}":
            if not stack:
                return
            path.pop()
            yield path, stack.pop()[0], token.end()
            is_key = False
        elif mark == ",":
            if not stack:
                return
            begun, index = stack[-1]
            is_key = index < 0
            if not is_key:
                stack[-1] = (begun, index + 1)
                path[-1] = str(index + 1)
        elif is_key:
            path[-1] = _key(mark)
            is_key = False
        elif mark != ":":
            yield path, at, -1
            if mark in "[{":
                stack.append((at, -1 if mark == "{" else 0))
                path.append("0")
                is_key = mark == "{"
            else:
                yield path, at, token.end()


_ESCAPE: Final = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _key(literal: str) -> str:
    """A key as the pointer has it; escapes of characters beyond the first plane stay pairs, which no pointer names."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), literal[1:-1])
