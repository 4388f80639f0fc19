"""How vocabularies spell bytes as text: the byte alphabet of GPT-2, and the pieces of SentencePiece.

The byte alphabet is that of the GPT-2 encoder (Radford et al. 2019, ``bytes_to_unicode``): printable Latin-1
characters stand for themselves, the other 68 bytes for the characters from U+0100 on.

Tokens are spelled in blocks: one call for many is three times as fast as one call each, and the few blocks where that
does not work are spelled token by token.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final

__all__ = [
    "BLANK",
    "BYTE",
    "BYTE_ALPHABET",
    "CONTROL",
    "NORMAL",
    "PADDING",
    "UNKNOWN",
    "USER",
    "Speller",
    "spell_letters",
    "spell_literally",
    "spell_pieces",
    "spell_typed",
    "typed_names",
]

#: Gives the bytes of many tokens of one kind.
Speller = Callable[[Sequence[str]], list[bytes]]

#: The sign that SentencePiece writes for a blank, U+2581.
BLANK: Final = "\u2581"

#: Types of tokens in SentencePiece models, taken over by GGUF.
NORMAL, UNKNOWN, CONTROL, USER, PADDING, BYTE = 1, 2, 3, 4, 5, 6

_BYTE_PIECE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_BYTE_MARK: Final = "<0x"
_SEPARATOR: Final = "\n"
_BLOCK: Final = 512


def _byte_alphabet() -> str:
    letters = []
    shifted = 0x100
    for byte in range(256):
        printable = byte in range(0x21, 0x7F) or byte in range(0xA1, 0xAD) or byte in range(0xAE, 0x100)
        letters.append(chr(byte if printable else shifted))
        shifted += not printable
    return "".join(letters)


#: ``BYTE_ALPHABET[byte]`` is the character that stands for the byte.
BYTE_ALPHABET: Final = _byte_alphabet()

#: The alphabet as a table of the codec machinery, which encodes 5 ns a character.
_LETTERS: Final = codecs.charmap_build(BYTE_ALPHABET)


def _byte_of(piece: str) -> bytes | None:
    """Return the byte of a byte piece ``<0xNN>``, ``None`` for any other piece."""
    match = _BYTE_PIECE.fullmatch(piece)
    return bytes.fromhex(match[1]) if match else None


def spell_literally(tokens: Sequence[str]) -> list[bytes]:
    """Return the UTF-8 bytes of tokens that are plain text.

    Raises:
        UnicodeEncodeError: a token holds a lone surrogate.

    """
    return [token.encode() for token in tokens]


def spell_letters(tokens: Sequence[str]) -> list[bytes]:
    """Return the bytes of byte-level tokens.

    A token with a character outside the alphabet is literal text as a whole: so does the decoder of ``tokenizers``,
    and Command-R has 1,403 of them.

    Raises:
        UnicodeEncodeError: a token holds a lone surrogate.

    """
    spelled: list[bytes] = []
    for block in _blocks(tokens):
        try:
            content = codecs.charmap_encode("".join(block), "strict", _LETTERS)[0]
        except UnicodeEncodeError:
            spelled += map(_spell_letters_of, block)
            continue
        # A letter is a byte, so the bytes are cut where the characters are.
        spelled += [content[start:end] for start, end in pairwise(accumulate(map(len, block), initial=0))]
    return spelled


def _spell_letters_of(token: str) -> bytes:
    try:
        return codecs.charmap_encode(token, "strict", _LETTERS)[0]
    except UnicodeEncodeError:
        return token.encode()


def spell_pieces(
    pieces: Sequence[str], *, replacements: Sequence[tuple[str, str]] = ((BLANK, " "),), fallback: bool = False
) -> list[bytes]:
    """Return the bytes of pieces, by default with a blank for ``▁``.

    Args:
        pieces: The pieces.
        replacements: Substitutions of text, in order.
        fallback: Whether ``<0xNN>`` is a byte.

    Raises:
        UnicodeEncodeError: a piece holds a lone surrogate.

    """
    divisible = all(_SEPARATOR not in old + new for old, new in replacements)
    spelled: list[bytes] = []
    for block in _blocks(pieces):
        text = _SEPARATOR.join(block)
        if divisible and _BYTE_MARK not in text and text.count(_SEPARATOR) == len(block) - 1:
            spelled += _replaced(text, replacements).encode().split(_SEPARATOR.encode())
            continue
        for piece in block:
            byte = _byte_of(piece) if fallback else None
            spelled.append(_replaced(piece, replacements).encode() if byte is None else byte)
    return spelled


def spell_typed(texts: Sequence[str], types: Sequence[int], normal: Speller, user: Speller) -> list[bytes]:
    """Return the bytes of tokens by their types; control tokens, the unknown token and padding are never text.

    Args:
        texts: The tokens.
        types: Their types, in parallel.
        normal: Spells the tokens of the model.
        user: Spells the tokens that a user added.

    Raises:
        ValueError: a byte token does not have the form ``<0xNN>``, or a token holds a lone surrogate.

    """
    rows = normal(texts)
    others: dict[int, list[int]] = {}
    for i, kind in enumerate(types):
        if kind != NORMAL:
            rows[i] = b""
            others.setdefault(kind, []).append(i)
    for kind, speller in ((USER, user), (BYTE, _spell_bytes)):
        ids = others.get(kind, [])
        for i, token in zip(ids, speller([texts[i] for i in ids]), strict=True):
            rows[i] = token
    return rows


def typed_names(texts: Sequence[str], types: Sequence[int]) -> dict[str, int]:
    """Return the control tokens and the unknown token by their text; of equal ones the first."""
    ids = (i for i, kind in enumerate(types) if kind in (CONTROL, UNKNOWN))
    names: dict[str, int] = {}
    for i in ids:
        names.setdefault(texts[i], i)
    return names


def _spell_bytes(pieces: Sequence[str]) -> list[bytes]:
    wrong = next((piece for piece in pieces if not _BYTE_PIECE.fullmatch(piece)), None)
    if wrong is not None:
        raise ValueError(f"the byte token {wrong!r:.40} names no byte")
    return spell_pieces(pieces, fallback=True)


def _replaced(text: str, replacements: Sequence[tuple[str, str]]) -> str:
    for old, new in replacements:
        text = text.replace(old, new)
    return text


def _blocks(tokens: Sequence[str]) -> Iterator[Sequence[str]]:
    return (tokens[start : start + _BLOCK] for start in range(0, len(tokens), _BLOCK))
