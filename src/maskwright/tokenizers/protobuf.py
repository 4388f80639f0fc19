"""The wire format of protocol buffers, as far as SentencePiece models need it.

Source: "Encoding" in the Protocol Buffers documentation. Messages are read field by field; unknown fields are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["fields"]

_VARINT, _WIDE, _BYTES, _NARROW = 0, 1, 2, 5
#: The seven bits of a digit; the eighth says that another one follows.
_DIGIT: Final = 0x7F
_SIZES: Final = {_WIDE: 8, _NARROW: 4}


def fields(message: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield ``(number, integer, payload)`` of each field of a message.

    ``payload`` holds the bytes of strings, messages and fixed-width numbers, else it is empty; ``integer`` is the
    value of a varint, else 0.

    Raises:
        ValueError: the message is cut off or not in this format.

    """
    position, end = 0, len(message)
    while position < end:
        tag, position = _varint(message, position)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, position = _varint(message, position)
            yield number, value, b""
            continue
        if kind == _BYTES:
            size, position = _varint(message, position)
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            raise ValueError(f"wire type {kind} at byte {position}")
        if size > end - position:
            raise ValueError(f"field {number} at byte {position} is cut off")
        yield number, 0, message[position : position + size]
        position += size


def _varint(message: bytes, position: int) -> tuple[int, int]:
    """Return a number in base 128, low digits first, at most ten of them, and the position after it."""
    value = shift = 0
    for byte in message[position : position + 10]:
        position += 1
        value |= (byte & _DIGIT) << shift
        if byte <= _DIGIT:
            return value, position
        shift += 7
    raise ValueError(f"a number at byte {position} does not end")
