"""Explanations: why bytes are refused, in words that name the place and what was expected there."""

from __future__ import annotations

from collections.abc import Callable

from maskwright.engine import Engine
from maskwright.kernel.codes import FIRST_CODE
from maskwright.kernel.walk import REFUSED

__all__ = ["draw_byte", "draw_bytes", "explain_bytes"]

#: Descriptions of nodes that one sentence names.
_DESCRIPTIONS = 3
#: Control tokens that one sentence names.
_NAMED = 5
_NAMES = {0x09: "a tab", 0x0A: "a newline", 0x0D: "a carriage return", 0x20: "a blank"}


def draw_bytes(allowed: list[int]) -> str:
    """A set of bytes for people: single characters, ranges, and the leading bytes of other characters as one."""
    parts: list[str] = []
    run: list[int] = []
    for byte in [*[b for b in allowed if b < 0x80], 0x100]:
        if run and byte != run[-1] + 1:
            parts.extend(_draw_run(run))
            run = []
        run.append(byte)
    if any(b >= 0x80 for b in allowed):
        parts.append("other Unicode characters")
    return ", ".join(parts[:-1]) + (" or " if len(parts) > 1 else "") + parts[-1] if parts else "nothing"


def _draw_run(run: list[int]) -> list[str]:
    if len(run) > 3:
        return [f"{draw_byte(run[0])} to {draw_byte(run[-1])}"]
    return [draw_byte(byte) for byte in run]


def draw_byte(byte: int) -> str:
    """A byte for people: a character in backquotes, a name or a number."""
    if byte in _NAMES:
        return _NAMES[byte]
    return f"`{chr(byte)}`" if 0x20 < byte < 0x7F else f"byte 0x{byte:02x}"


def explain_bytes(engine: Engine, configuration: int, data: bytes, source: Callable[[int], str]) -> str:
    """Follow bytes from a configuration; say that they can be read, or where they cannot and what was expected."""
    at, good = configuration, 0
    for stop in range(1, len(data) + 1):
        after = engine.read(configuration, data[:stop], source) if data[stop - 1] < FIRST_CODE else REFUSED
        if after == REFUSED:
            break
        at, good = after, stop
    allowed, names, nodes = engine.expected(at)
    choices = [draw_bytes(allowed)] if allowed or not names else []
    expected = f"expected {' or '.join([*choices, *names[:_NAMED]])}{' or others' if len(names) > _NAMED else ''}"
    if engine.is_accepting(at):
        expected = f"{expected} or the end" if allowed or names else "expected the end"
    network = engine.constraint.network
    where = "; ".join(dict.fromkeys([network.describe(key) for key in nodes[:_DESCRIPTIONS]]))
    context = f" ({where})" if where else ""
    if good == len(data):
        return f"{'can be read here; then ' if data else ''}{expected}{context}"
    return f"byte {good + 1} ({draw_byte(data[good])}) cannot be read: {expected}{context}"
