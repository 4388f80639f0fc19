"""Excerpts for people: the place of a problem in a schema, and the tokens of a mask."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.masks import allowed_ids
from maskwright.errors import Problem
from maskwright.vocabulary import Vocabulary

__all__ = ["draw_excerpt", "draw_mask", "draw_problems", "draw_token"]

#: Tokens that a mask is shown with.
_TOKENS: Final = 8
_TOKEN_WIDTH: Final = 20
_WIDTH: Final = 100


def draw_problems(name: str, problems: Sequence[Problem], data: bytes) -> str:
    """Return every problem of a source that is refused, each with its place and an excerpt of the source there."""
    head = f"{name}: refused, {len(problems)} problem{'' if len(problems) == 1 else 's'}\n\n"
    return head + "\n".join(_draw_problem(problem, data) for problem in problems)


def _draw_problem(problem: Problem, data: bytes) -> str:
    # Grammars and patterns show the place in the reason itself.
    excerpt = [] if "\n" in problem.reason else draw_excerpt(problem.place, data)
    return f"{problem}\n" + "".join(f"    {line}\n" for line in excerpt)


def draw_excerpt(place: str, data: bytes) -> list[str]:
    """Return lines that show a place of a schema: the line with a caret, or the value that a JSON pointer names."""
    position = re.fullmatch(r"(\d+):(\d+)", place)
    if position:
        return _caret(data, int(position[1]), int(position[2]))
    if place.startswith("#"):
        return _value_at(place, data)
    return []


def _caret(data: bytes, line: int, column: int) -> list[str]:
    lines = data.decode(errors="replace").split("\n")
    if not 0 < line <= len(lines):
        return []
    start = max(0, column - _WIDTH // 2)
    return [lines[line - 1][start : start + _WIDTH].replace("\t", " "), " " * (column - 1 - start) + "^"]


def _value_at(place: str, data: bytes) -> list[str]:
    """The value that a pointer names, if it names one in this very document."""
    try:
        value: Any = json.loads(data)
        for part in place[1:].split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, LookupError, TypeError, RecursionError):
        return []
    text = json.dumps(value, ensure_ascii=False)
    return [text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."]


def draw_mask(mask: NDArray[np.uint32], vocabulary: Vocabulary) -> str:
    """Return how many tokens a mask allows, and some of them: the end, the shortest and the longest."""
    ids = allowed_ids(mask, len(mask) * 32).tolist()
    texts = sorted({vocabulary.tokens[i] for i in ids} - {b""}, key=lambda text: (len(text), text))
    drawn = [draw_token(text) for text in texts]
    if len(drawn) > _TOKENS:
        drawn[_TOKENS - 2 : -2] = ["..."]
    parts = [*(["the end"] if vocabulary.end_ids.intersection(ids) else []), *drawn]
    return f"{len(ids)} allowed: {' '.join(parts)}"


def draw_token(data: bytes) -> str:
    """Return the bytes of a token in backquotes, unprintable ones by their number, long ones cut."""
    text = data.decode(errors="backslashreplace")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:_TOKEN_WIDTH])
    return f"`{shown}`" if len(text) <= _TOKEN_WIDTH else f"`{shown}...` ({len(data)} bytes)"
