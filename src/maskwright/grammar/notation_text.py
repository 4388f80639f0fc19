"""Literals and classes of BNF-like notations: characters, escapes and ranges, with the place of every fault."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from maskwright.grammar.faults import fault
from maskwright.network.lexeme import MAX_CODE_POINT

__all__ = ["Characters", "Escapes", "Ranges"]

Ranges = tuple[tuple[int, int], ...]
_HEX: Final = re.compile(r"[0-9A-Fa-f]*")
#: W3C's characters by number, such as ``#x20``.
W3C_CHARACTER: Final = re.compile(r"#x([0-9A-Fa-f]+)")


@dataclass(frozen=True)
class Escapes:
    r"""What may follow a backslash."""

    #: One letter to the code point that it stands for.
    letters: Mapping[str, int]
    #: The same, besides, inside of a class.
    in_class: Mapping[str, int]
    #: Letter to how many hexadecimal digits follow.
    digits: Mapping[str, int]
    #: Whether a class may hold ``#xN``, a character by its number.
    has_numbers: bool = False
    #: Whether a literal or class may go over the end of a line.
    over_lines: bool = True
    #: Whether ``[^]`` is any character; otherwise it is refused.
    has_any: bool = False
    #: What to write instead of an unknown escape.
    remedy: str = ""


class Characters:
    """Reads literals and classes out of one text."""

    def __init__(self, text: str, escapes: Escapes) -> None:
        self.text = text
        self._escapes = escapes
        self._plain = {quote: re.compile(rf"[^\\\n\r{quote}]+") for quote in "\"'"}
        #: Offsets at which a class held ``#xN``.
        self.numbers: list[int] = []

    def literal(self, start: int) -> tuple[str, int]:
        """The string that begins with the quote at ``start``, and the offset behind it."""
        text, quote = self.text, self.text[start]
        parts: list[str] = []
        at = start + 1
        while True:
            plain = self._plain[quote].match(text, at)
            if plain is not None:
                parts.append(plain[0])
                at = plain.end()
            if at >= len(text) or (text[at] in "\n\r" and not self._escapes.over_lines):
                raise fault(text, (start, at), "this literal is not closed", remedy=f"end it with {quote}")
            if text[at] == quote:
                return "".join(parts), at + 1
            if text[at] == "\\":
                if quote == "'":
                    reason = "a backslash between single quotes is itself in one notation and an escape in another"
                    raise fault(text, (at, at + 1), reason, remedy='write "\\\\" for the character')
                code, at = self._escape(at, self._escapes.letters)
                parts.append(chr(code))
            else:
                parts.append(text[at])
                at += 1

    def brackets(self, start: int) -> tuple[Ranges, int]:
        """The ranges of the class that begins with the bracket at ``start``, and the offset behind it."""
        text = self.text
        at = start + 1
        negated = text.startswith("^", at)
        at += negated
        ranges: list[tuple[int, int]] = []
        while not text.startswith("]", at):
            first_at = at
            first, at = self._member(start, at)
            last = first
            if text.startswith("-", at) and not text.startswith("-]", at):
                last, at = self._member(start, at + 1)
            if last < first:
                raise fault(text, (first_at, at), "this range ends before it begins", remedy="swap its ends")
            ranges.append((first, last))
        if not ranges and not (negated and self._escapes.has_any):
            raise fault(text, (start, at + 1), "this class is empty", remedy='write "" for the empty text')
        return _without_surrogates(_inverted(ranges) if negated else ranges), at + 1

    def _member(self, start: int, at: int) -> tuple[int, int]:
        text = self.text
        if at >= len(text) or (text[at] in "\n\r" and not self._escapes.over_lines):
            raise fault(text, (start, min(at, len(text))), "this class is not closed", remedy="end it with ]")
        if text[at] == "\\":
            return self._escape(at, self._escapes.letters, self._escapes.in_class)
        number = W3C_CHARACTER.match(text, at) if self._escapes.has_numbers and text[at] == "#" else None
        if number is not None:
            self.numbers.append(at)
            return self.by_number(number), number.end()
        return ord(text[at]), at + 1

    def by_number(self, number: re.Match[str]) -> int:
        """The code point of ``#xN``."""
        return (
            self._checked(int(number[1], 16), number.span())
            if len(number[1]) <= 8
            else self._checked(-1, number.span())
        )

    def _escape(self, at: int, *tables: Mapping[str, int]) -> tuple[int, int]:
        text = self.text
        name = text[at + 1 : at + 2]
        for table in tables:
            if name in table:
                return table[name], at + 2
        size = self._escapes.digits.get(name, 0)
        if not size:
            raise fault(text, (at, at + 2), "this escape is unknown", remedy=self._escapes.remedy)
        digits = _HEX.match(text, at + 2, at + 2 + size)
        found = digits[0] if digits is not None else ""
        if len(found) < size:
            raise fault(text, (at, at + 2 + len(found)), f"\\{name} takes {size} hexadecimal digits")
        end = at + 2 + size
        if name == "x" and not self._escapes.over_lines and text[end : end + 1] in _HEX_DIGITS and end < len(text):
            reason = "\\x with more than two digits is one character to xgrammar, and two to others"
            raise fault(text, (at, end + 1), reason, remedy=f"write \\u00{found}, or \\u with four digits")
        return self._checked(int(found, 16), (at, end)), end

    def _checked(self, code: int, span: tuple[int, int]) -> int:
        if not 0 <= code <= MAX_CODE_POINT:
            raise fault(self.text, span, "there is no such character: Unicode ends at U+10FFFF")
        if 0xD800 <= code <= 0xDFFF:
            remedy = "write the whole character, as \\U0001F600"
            raise fault(self.text, span, "half of a surrogate pair is no character", remedy=remedy)
        return code


_HEX_DIGITS: Final = "0123456789abcdefABCDEF"


def _inverted(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    outside: list[tuple[int, int]] = []
    at = 0
    for first, last in sorted(ranges):
        if first > at:
            outside.append((at, first - 1))
        at = max(at, last + 1)
    return [*outside, (at, MAX_CODE_POINT)] if at <= MAX_CODE_POINT else outside


def _without_surrogates(ranges: list[tuple[int, int]]) -> Ranges:
    """Ranges of what UTF-8 can carry."""
    kept: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        kept.extend(
            (low, high) for low, high in ((first, min(last, 0xD7FF)), (max(first, 0xE000), last)) if low <= high
        )
    return tuple(kept)
