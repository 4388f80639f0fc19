"""A writer of small GGUF files for tests, from the specification and not from the reader."""

from __future__ import annotations

import struct
from collections.abc import Sequence

__all__ = ["TYPES", "gguf_file", "text"]

#: Name of a metadata type: its code and how ``struct`` packs it.
TYPES = {
    "uint8": (0, "<B"),
    "int8": (1, "<b"),
    "uint16": (2, "<H"),
    "int16": (3, "<h"),
    "uint32": (4, "<I"),
    "int32": (5, "<i"),
    "float32": (6, "<f"),
    "bool": (7, "<?"),
    "uint64": (10, "<Q"),
    "int64": (11, "<q"),
    "float64": (12, "<d"),
}

Pair = tuple[str, str, object]
Tensor = tuple[str, Sequence[int], int, int]


def text(value: str | bytes) -> bytes:
    """Return a string: its length in 64 bits and its bytes."""
    content = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(content)) + content


def _value(kind: str, value: object) -> bytes:
    if kind == "string":
        assert isinstance(value, str | bytes)
        return text(value)
    return struct.pack(TYPES[kind][1], value)


def _pair(key: str, kind: str, value: object) -> bytes:
    if kind.startswith("["):
        inner = kind.strip("[]")
        code = 8 if inner == "string" else TYPES[inner][0]
        assert isinstance(value, list | tuple)
        content = b"".join(_value(inner, item) for item in value)
        return text(key) + struct.pack("<IIQ", 9, code, len(value)) + content
    code = 8 if kind == "string" else TYPES[kind][0]
    return text(key) + struct.pack("<I", code) + _value(kind, value)


def gguf_file(
    pairs: Sequence[Pair] = (),
    tensors: Sequence[Tensor] = (),
    data: bytes = b"",
    *,
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    """Return a file: ``pairs`` are ``(key, type, value)``, ``tensors`` are ``(name, dimensions, kind, offset)``.

    Types of lists are written ``[string]``. Dimensions are in the file's order. ``counts`` forges the numbers of
    tensors and pairs.
    """
    alignment = {key: value for key, _, value in pairs if key == "general.alignment"}.get("general.alignment") or 32
    assert isinstance(alignment, int)
    head = b"GGUF" + struct.pack("<IQQ", version, *(counts or (len(tensors), len(pairs))))
    head += b"".join(_pair(*pair) for pair in pairs)
    for name, dimensions, kind, offset in tensors:
        head += text(name) + struct.pack("<I", len(dimensions))
        head += struct.pack(f"<{len(dimensions)}Q", *dimensions) + struct.pack("<IQ", kind, offset)
    return head + b"\0" * (-len(head) % alignment) + data
