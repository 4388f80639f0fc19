"""Random walks: write an output by choosing allowed tokens, with a taste for rare ones, and end it when time is up."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import maskwright as mw

__all__ = ["DeadEnd", "allowed", "is_in_string", "names_of", "walk"]

#: What is tried outside of strings once the budget is spent, in this order: what closes, then what is short.
_SHORT: Final = (b"}", b"]", b"null", b"true", b"false", b"[]", b"{}", b'""', b"0", b":", b",", b'"', b"[", b"{")
_OTHERS: Final = tuple(bytes([b]) for b in b"123456789.0-+eEnulltruefalse \n\t\r")
#: Tokens after which a walk asks the engine for the way out.
_LOST = 600
#: Nodes of the search for the end of a string.
_SEARCH: Final = 50_000


class DeadEnd(AssertionError):  # noqa: N818  (the literature's word)
    """An empty mask, or an output that cannot be brought to its end."""


def allowed(matcher: mw.Matcher) -> list[int]:
    """The ids whose bits are set in the mask."""
    bits = np.unpackbits(matcher.mask().view(np.uint8), bitorder="little")
    ids: list[int] = np.flatnonzero(bits).tolist()
    return ids


def is_in_string(text: bytes) -> bool:
    """Whether a beginning of JSON stops inside a string."""
    inside = False
    at = 0
    while at < len(text):
        if inside and text[at] == 0x5C:
            at += 1
        elif text[at] == 0x22:
            inside = not inside
        at += 1
    return inside


def names_of(schema: Any) -> list[bytes]:
    """Literals of the names and strings that a schema mentions, those of ``required`` first: hints for the way out."""
    required: dict[str, None] = {}
    others: dict[str, None] = {}
    todo = [schema]
    while todo:
        at = todo.pop()
        if isinstance(at, dict):
            names = at.get("required")
            required |= (
                dict.fromkeys(name for name in names if isinstance(name, str)) if isinstance(names, list) else {}
            )
            others |= dict.fromkeys(at)
            todo.extend(at.values())
        elif isinstance(at, list):
            todo.extend(at)
        elif isinstance(at, str):
            others[at] = None
    return [f'"{name}"'.encode() for name in (required | others) if name.isprintable() and not {*name} & {'"', "\\"}]


def walk(
    guide: mw.Guide,
    chance: random.Random,
    *,
    budget: int = 60,
    patience: int = 20_000,
    hints: Sequence[bytes] = (),
    visit: Callable[[mw.Matcher], None] | None = None,
) -> bytes:
    """An output: ``budget`` tokens chosen freely, then the way out, as tokens of single bytes.

    Raises:
        DeadEnd: a mask was empty, or ``patience`` further tokens did not reach an end.
    """
    matcher = guide.matcher()
    tokens = guide.vocabulary.tokens
    ends = guide.vocabulary.end_ids
    single = {token: i for i, token in enumerate(tokens) if len(token) == 1}
    way: deque[int] = deque()
    for step in range(budget + patience):
        ids = allowed(matcher)
        if not ids:
            raise DeadEnd(f"no token is allowed after {matcher.text!r}")
        if visit is not None:
            visit(matcher)
        if step < budget:
            token = _free(ids, ends, tokens, chance)
        elif matcher.is_accepting:
            token = min(ends)
        else:
            if not way:
                # What the outline of JSON leads nowhere near, as a member that `not` asks for, the engine must know.
                out = matcher.complete() if step > budget + _LOST else _way_out(matcher, hints)
                way.extend(single[bytes([byte])] for byte in out or tokens[chance.choice(ids)])
            token = way.popleft()
        matcher.advance(token)
        if token in ends:
            return matcher.text
    raise DeadEnd(f"no end within {patience} tokens after {matcher.text[:2000]!r}")


def _free(ids: list[int], ends: frozenset[int], tokens: tuple[bytes, ...], chance: random.Random) -> int:
    """Any allowed token; every other time by its first byte, so that what is rare is met as often as what is not."""
    if chance.random() < 0.8:
        ids = [token for token in ids if token not in ends] or ids
    if chance.random() < 0.5:
        by_first: dict[bytes, list[int]] = {}
        for token in ids:
            by_first.setdefault(tokens[token][:1], []).append(token)
        ids = chance.choice(list(by_first.values()))
    return chance.choice(ids)


def _way_out(matcher: mw.Matcher, hints: Sequence[bytes]) -> bytes:
    """Bytes that bring the output nearer to its end; empty if there is no idea."""
    text = matcher.text
    if is_in_string(text):
        return _string_end(matcher)
    bare = text.rstrip(b" \t\r\n")
    literals: Sequence[bytes] = hints if bare.endswith((b"{", b",", b":", b"[")) or not bare else ()
    order = (*_SHORT[:2], *literals, *_SHORT[2:], *_OTHERS)
    return next((option for option in order if matcher.can_read(option)), b"")


def _string_end(matcher: mw.Matcher) -> bytes:
    """The shortest way to the closing quote, found breadth first over the configurations of the engine."""
    engine: Any = matcher._engine
    start = matcher._now()
    came_from: dict[int, tuple[int, bytes]] = {start: (start, b"")}
    todo = deque([start])
    while todo and len(came_from) < _SEARCH:
        at = todo.popleft()
        possible, _, _ = engine.expected(at)
        for byte in sorted(possible, key=lambda b: (b != 0x22, b == 0x5C, b >= 0x80, not 0x30 <= b < 0x7B)):
            after = engine.read(at, bytes([byte]), None)
            if after not in came_from:
                came_from[after] = (at, bytes([byte]))
                todo.append(after)
            if byte == 0x22 and not _is_escape(came_from, at):
                return _path(came_from, at) + b'"'
    return b""


def _is_escape(came_from: dict[int, tuple[int, bytes]], at: int) -> bool:
    path = _path(came_from, at)
    return (len(path) - len(path.rstrip(b"\\"))) % 2 == 1


def _path(came_from: dict[int, tuple[int, bytes]], at: int) -> bytes:
    parts: list[bytes] = []
    while came_from[at][1]:
        before, byte = came_from[at]
        parts.append(byte)
        at = before
    return b"".join(reversed(parts))
