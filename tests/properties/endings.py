"""The way out of any place: a search for some text that completes an output, best first over configurations."""

from __future__ import annotations

import heapq
import json
from typing import Any, Final

import maskwright as mw
from maskwright.errors import TokenError

__all__ = ["alphabet_of", "ending"]

#: What a closing bracket is worth, in characters: outputs that are less deep are tried first.
_DEPTH: Final = 5


def alphabet_of(schema: Any, strings: str = "abcz\u00e9\U0001f600") -> frozenset[int]:
    """Bytes that suffice for completions: JSON's own, those of ``strings``, and those of the schema's words."""
    words = json.dumps(schema, ensure_ascii=False) if len(json.dumps(schema)) < 200 else ""
    return frozenset(f'{{}}[]:,"0123456789.-etrufalsn\\{strings}{words}'.encode())


def ending(matcher: mw.Matcher, alphabet: frozenset[int], *, most: int = 20_000) -> bytes | None:
    """Some bytes after which the output may end; ``None`` if there are none within ``most`` configurations."""
    if matcher.is_accepting:
        return b""
    seen = {matcher._now()}
    heap: list[tuple[int, int, bytes]] = [(0, 0, b"")]
    while heap and len(seen) < most:
        _, _, path = heapq.heappop(heap)
        at = matcher.fork()
        if path:
            at.advance_bytes(path)
        for byte in alphabet:
            if not at.can_read(bytes([byte])):
                continue
            after = at.fork()
            try:
                after.advance_bytes(bytes([byte]))
            except TokenError:
                continue
            if after.is_accepting:
                return path + bytes([byte])
            if after._now() not in seen:
                seen.add(after._now())
                longer = path + bytes([byte])
                depth = sum(longer.count(mark) for mark in (b"{", b"["))
                depth -= sum(longer.count(mark) for mark in (b"}", b"]"))
                heapq.heappush(heap, (len(longer) + _DEPTH * depth, len(seen), longer))
    return None
