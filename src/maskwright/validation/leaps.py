"""Leaps: many characters of a JSON string at once, where only their number counts.

A state for each character of ``.{0,1000000}`` is 1 KiB a character: a string of 900,000 took 1.4 GB and 17 s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from maskwright.kernel.expressions import ALL, BODY, CHARS, REPEAT, SURROGATE_FREE
from maskwright.kernel.walk import Walker

__all__ = ["leap", "pieces"]

#: Bytes without a quote from which on a leap is tried.
_LONG: Final = re.compile(rb'[^"]{512,}')
#: Characters and whole escapes inside a string.
_INSIDE: Final = re.compile(rb'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*)*')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def pieces(data: bytes) -> Iterator[bytes]:
    """The same bytes, cut where a long run without a quote begins and ends."""
    start = 0
    for run in _LONG.finditer(data):
        if run.start() > start:
            yield data[start : run.start()]
        yield run.group()
        start = run.end()
    if start < len(data):
        yield data[start:]


def leap(walker: Walker, configuration: int, data: bytes) -> tuple[int, int]:
    """The configuration after as many of the bytes as can be passed at once, and their number, which may be 0."""
    items = walker.configurations[configuration]
    expressions = walker.lexicon.expressions
    state, position, stack = items[0]
    body = walker.lexicon.state_expressions[state]
    if len(items) > 1 or expressions.kind[body] != BODY:
        return configuration, 0
    inner, is_minimal = expressions.first[body], expressions.second[body]
    inside = _INSIDE.match(data)
    text, size = _decoded(b"" if inside is None else inside.group())
    if is_minimal and b"\\" in data[:size]:
        return configuration, 0
    if inner == ALL:
        return configuration, size
    if expressions.kind[inner] != REPEAT or expressions.kind[expressions.first[inner]] != CHARS:
        return configuration, 0
    character, least, most = expressions.first[inner], expressions.second[inner], expressions.third[inner]
    ranges = expressions.parts[character]
    count = len(text)
    if 0 <= most < count or not (ranges == SURROGATE_FREE or _are_all_in(text, ranges)):
        return configuration, 0
    rest = expressions.repeat(character, max(least - count, 0), most - count if most >= 0 else most)
    after = walker.lexicon.state(expressions.body(rest, is_minimal))
    return walker.configuration([(after, position, stack)]), size


def _decoded(data: bytes) -> tuple[str, int]:
    """The characters of the inside of a string, and from how many bytes; none where it is not UTF-8 or half a pair."""
    try:
        plain = data.decode()
    except UnicodeDecodeError as error:
        data = data[: error.start]
        plain = data.decode()
    text: str = json.loads(f'"{plain}"') if "\\" in plain else plain
    size = len(data)
    if "\ud800" <= text[-1:] <= "\udbff":  # the first half of a pair that was cut in two
        text, size = text[:-1], size - len("\\ud83d")
    return ("", 0) if _SURROGATE.search(text) else (text, size)


def _are_all_in(text: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return all(any(first <= point <= last for first, last in ranges) for point in map(ord, set(text)))
