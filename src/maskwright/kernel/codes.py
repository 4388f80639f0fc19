"""Codes: tokens that a grammar names, as byte strings that no text contains.

A token terminal reads the token itself, not its bytes. It is a lexeme like any other, over a code of seven bytes: the
digits of its id to the base 11, written with the bytes f5 to ff, which UTF-8 never uses (RFC 3629 section 3). Only the
ids that some grammar named have a code, so the token trie need not hold one for every id.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from maskwright.kernel.trie import Trie

__all__ = ["DIGITS", "FIRST_CODE", "Codes", "is_text"]

#: The byte of the digit 0; this byte and all above are no text.
FIRST_CODE = 0xF5
#: 11 ** 7 is more than the most ids that a vocabulary may have.
BASE = 11
DIGITS = 7
_CODES = bytes(range(FIRST_CODE, 0x100))


def is_text(data: bytes) -> bool:
    """Whether bytes hold none of those that codes are made of."""
    return len(data.translate(None, _CODES)) == len(data)


class Codes:
    """The named tokens of one vocabulary; see the header for its fields."""

    def __init__(self, names: dict[str, int], tokens: Sequence[bytes]) -> None:
        """``names`` are the control tokens by name, ``tokens`` the text of every id."""
        self.names = names
        self.tokens = tokens
        self.named = {}
        self.ids = {}
        self.tree = None

    def name(self, token: cython.int) -> str:
        """The code of a token as a string of bytes, one character each; from now on the token is a named one."""
        code = self.named.get(token)
        if code is None:
            digits = bytearray(DIGITS)
            rest: cython.int = token
            for place in range(DIGITS - 1, -1, -1):
                digits[place] = FIRST_CODE + rest % BASE
                rest //= BASE
            code = self.named[token] = bytes(digits)
            self.ids[code] = token
            self.tree = None
        return code.decode("latin-1")  # type: ignore[no-any-return]

    def codes(self, op: str, argument: object) -> tuple[str, ...]:
        """The codes of a token term: of one token by its name, of all others, or of ids in ranges.

        Some tokens that models use as marks are text to their tokenizers (``<think>`` of Qwen3): a name that is no
        control token's may be that of a text, but not for a marker, which can be spelled.
        """
        last: cython.int = len(self.tokens) - 1
        if op == "token_ids":
            spans = [range(low, min(high, last) + 1) for low, high in argument]  # type: ignore[attr-defined]
            return tuple([self.name(token) for token in sorted(set().union(*spans))])
        found = self.names.get(argument)
        if found is None and op != "marker" and _bytes(argument) in self.tokens:
            found = self.tokens.index(_bytes(argument))
        if op == "other_tokens":
            return tuple([self.name(token) for token in range(last + 1) if token != found])
        return () if found is None else (self.name(found),)

    def trie(self) -> Trie:
        """The codes of all named tokens, with their ids."""
        if self.tree is None:
            ids = list(self.named)
            self.tree = Trie([self.named[token] for token in ids], ids)
        return self.tree  # type: ignore[return-value]

    def spell(self, data: bytes, texts: dict[int, bytes]) -> bytes:
        """Bytes with every code replaced by the text of its token."""
        out = bytearray()
        place = 0
        while place < len(data):
            if data[place] < FIRST_CODE:
                out.append(data[place])
                place += 1
                continue
            out += texts.get(self.ids.get(data[place : place + DIGITS], -1), b"")
            place += DIGITS
        return bytes(out)


def _bytes(name: object) -> bytes:
    return str(name).encode("utf-8", "surrogatepass")
