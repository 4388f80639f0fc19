"""Where arguments come from: a file, standard input, or the argument itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from maskwright.errors import InputError

__all__ = ["read_bytes", "read_schema", "read_text", "text_of"]


def read_schema(argument: str) -> tuple[str, bytes]:
    """Return the name and the bytes of a schema: a path, ``-`` for standard input, or JSON text itself.

    Raises:
        InputError: the file cannot be read.

    """
    if argument.lstrip()[:1] in {"{", "["} or argument.strip() in {"true", "false"}:
        return "the schema", os.fsencode(argument)
    return ("standard input" if argument == "-" else argument), read_bytes(argument)


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``.

    Raises:
        InputError: it cannot be read.

    """
    try:
        if path != "-":
            return Path(path).read_bytes()
        if sys.stdin is None:
            raise InputError("standard input is closed")
        return sys.stdin.buffer.read()
    except (OSError, ValueError) as cause:
        reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
        raise InputError(f"cannot read {_shown(path)}: {reason}") from cause


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for ``-``.

    Raises:
        InputError: it cannot be read or is not UTF-8.

    """
    return _decoded(read_bytes(path), _shown(path))


def text_of(argument: str, name: str) -> str:
    """Return an argument that must be text.

    Raises:
        InputError: its bytes are not UTF-8.

    """
    return _decoded(os.fsencode(argument), name)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as cause:
        raise InputError(f"{name} is not UTF-8: byte {cause.start + 1} is 0x{data[cause.start]:02x}") from cause


def _shown(path: str) -> str:
    return "standard input" if path == "-" else path.encode("utf-8", "backslashreplace").decode()
