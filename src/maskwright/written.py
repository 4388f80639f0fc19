"""What was written last: JSON strings and values found from their ends, without reading the text before them."""

from __future__ import annotations

import json
from typing import Final

__all__ = ["last_value", "opening_quote", "written_in"]

_BLANKS: Final = b" \t\n\r"
_OPENING: Final = b"[{"
_CLOSING: Final = b"]}"
#: What ends a number or literal that is read backwards.
_MARKS: Final = frozenset(b" \t\n\r,:[{")


def written_in(whole: bytes, done: int, is_recall: bool = False) -> str:  # noqa: FBT001, FBT002  (as callers pass it)
    """What ends at a place of a text: a JSON string, or for a recall the JSON text of the value before a comma."""
    tail = whole[:done]
    if is_recall:
        start, stop = last_value(tail, is_whole=True)
        return tail[start:stop].decode()
    value: str = json.loads(tail[opening_quote(tail, is_whole=True) :])
    return value


def opening_quote(tail: bytes, *, is_whole: bool) -> int:
    """The place of the quote that opens the literal whose closing quote ends ``tail``; -1 if it may lie before it.

    Inside a literal every quote follows an odd number of backslashes; the opening one follows none. How many there are
    is known unless they reach back to the beginning of ``tail`` and something was written before.
    """
    place = len(tail) - 1
    while True:
        place = tail.rfind(b'"', 0, place)
        if place < 0:
            return -1
        backslashes = place - len(tail[:place].rstrip(b"\\"))
        if backslashes == place and not is_whole:
            return -1
        if backslashes % 2 == 0:
            return place


def last_value(tail: bytes, *, is_whole: bool) -> tuple[int, int]:
    """Where the JSON value before a comma at the end of ``tail`` begins and ends; ``(-1, -1)`` if it may begin before.

    ``is_whole``: nothing was written before ``tail``.
    """
    stop = len(tail.rstrip(_BLANKS).removesuffix(b",").rstrip(_BLANKS))
    place, depth = stop, 0
    while place > 0:
        byte = tail[place - 1]
        if byte == 0x22:
            place = opening_quote(tail[:place], is_whole=is_whole)
            if place < 0:
                break
        elif byte in _CLOSING:
            depth, place = depth + 1, place - 1
        elif byte in _OPENING:
            depth, place = depth - 1, place - 1
        elif depth:
            place -= 1
        else:
            return _word(tail, place, stop, is_whole=is_whole)
        if depth == 0:
            return place, stop
    return -1, -1


def _word(tail: bytes, place: int, stop: int, *, is_whole: bool) -> tuple[int, int]:
    """A number or literal that ends at ``stop``."""
    while place > 0 and tail[place - 1] not in _MARKS:
        place -= 1
    return (place, stop) if place > 0 or is_whole else (-1, -1)
