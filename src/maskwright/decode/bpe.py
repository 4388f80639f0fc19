"""The byte-level BPE encoder for prompts: text to the token ids that the model was trained on.

Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (arXiv 1508.07909), over bytes as
in GPT-2. Text is split into words by a pattern, each word's bytes become tokens, and the pair of the lowest rank is
merged until no pair has a rank.

The pattern speaks of Unicode letters and numbers, which the standard library's ``re`` cannot name. So each character
is first replaced by an ASCII character of its class; the words are then cut by plain ASCII patterns at equal offsets.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final

from maskwright.errors import ModelError
from maskwright.gguf import Gguf

__all__ = ["PATTERNS", "Encoder"]

_GPT2: Final = r"'(?:[stmd]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
#: Name of the pre-tokeniser in the file -> the cuts, one after the other: each cuts the parts of the one before.
PATTERNS: Final = {
    "gpt-2": (re.compile(_GPT2, re.ASCII),),
    "smollm": (re.compile(r"[0-9]|[^0-9]+", re.ASCII), re.compile(_GPT2, re.ASCII)),
}
#: Words whose tokens are remembered; the memory is emptied when full (a few MB).
_REMEMBERED: Final = 32_768


class _Classes(dict[int, int]):
    """Code point -> ASCII stand-in of its class, for ``str.translate``; ASCII stands for itself."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        category = unicodedata.category(character)
        if character.isascii():
            stand_in = character
        elif category[0] == "L":
            stand_in = "z"
        elif category[0] == "N":
            stand_in = "0"
        else:
            # A tab, because " ?" in the pattern means the blank alone.
            stand_in = "\t" if character.isspace() else "!"
        self[code] = ord(stand_in)
        return ord(stand_in)


def _byte_alphabet() -> list[str]:
    """GPT-2's printable stand-in for each byte: itself if it is a visible Latin-1 character, else from U+0100 on."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = iter(range(256))
    return [chr(byte) if byte in visible else chr(256 + next(rest)) for byte in range(256)]


class Encoder:
    """Text to token ids. Special tokens are never parsed from text: they are ids that the caller puts between texts."""

    def __init__(self, gguf: Gguf) -> None:
        """Read ranks and pattern; 60 ms for 49,000 merges.

        Raises:
            ModelError: the file's tokenizer is not a byte-level BPE with one of :data:`PATTERNS`.

        """
        read = gguf.metadata
        model, pattern = (
            read.text("tokenizer.ggml.model", ""),
            read.text("tokenizer.ggml.pre", ""),
        )
        if model != "gpt2" or pattern not in PATTERNS:
            known = ", ".join(PATTERNS)
            reason = f"no encoder for the tokenizer {model!r} with the pattern {pattern!r}"
            raise ModelError(f"{gguf.path}: {reason} (known: 'gpt2' with {known})")
        self._patterns = PATTERNS[pattern]
        self._classes = _Classes()
        self._words: dict[str, tuple[int, ...]] = {}
        ids = {token: number for number, token in enumerate(read.strings("tokenizer.ggml.tokens"))}
        #: Id of each single byte, -1 if the model has none for it.
        self._bytes = [ids.get(character.encode(), -1) for character in _byte_alphabet()]
        #: Pair of ids -> rank, merged id.
        self._merges: dict[tuple[int, int], tuple[int, int]] = {}
        for rank, merge in enumerate(read.strings("tokenizer.ggml.merges")):
            left, _, right = merge.partition(b" ")
            try:
                self._merges.setdefault((ids[left], ids[right]), (rank, ids[left + right]))
            except KeyError as cause:
                raise ModelError(f"{gguf.path}: the merge {merge!r} names a token that does not exist") from cause

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text; linear in its length up to the logarithm, some 500,000 characters a second.

        Bytes for which the model has no token are left out, as in the tokenizers that made the model (SmolLM2 has none
        for 21 of the 256, which occur in control characters and in rare or invalid text only).

        Raises:
            ModelError: the text holds a lone surrogate, which no bytes stand for.

        """
        try:
            text.encode()
        except UnicodeEncodeError as cause:
            raise ModelError(f"character {cause.start} of the text is a lone surrogate, not a character") from cause
        return [token for word in self._split(text) for token in self._encode_word(word)]

    def _split(self, text: str) -> Iterator[str]:
        parts = [(0, text.translate(self._classes))]
        for pattern in self._patterns:
            parts = [(start + m.start(), m.group()) for start, part in parts for m in pattern.finditer(part)]
        return (text[start : start + len(part)] for start, part in parts)

    def _encode_word(self, word: str) -> tuple[int, ...]:
        tokens = self._words.get(word)
        if tokens is None:
            tokens = tuple(self._merge([i for i in map(self._bytes.__getitem__, word.encode()) if i >= 0]))
            if len(self._words) >= _REMEMBERED:
                self._words.clear()
            self._words[word] = tokens
        return tokens

    def _merge(self, ids: list[int]) -> list[int]:
        """Merge by rank, the leftmost first among equals.

        A list linked by ``after`` and ``before`` and a heap of candidates, so that a word of n bytes costs n log n: a
        prompt of one letter repeated 100,000 times is one word. An entry of the heap is stale if its place no longer
        holds the pair that it was made for.
        """
        after, before = list(range(1, len(ids) + 1)), list(range(-1, len(ids) - 1))
        heap = [(*self._merges[pair], place, pair) for place, pair in enumerate(pairwise(ids)) if pair in self._merges]
        heapify(heap)
        while heap:
            _, merged, place, pair = heappop(heap)
            follower = after[place]
            if follower >= len(ids) or (ids[place], ids[follower]) != pair:
                continue
            ids[place], ids[follower] = merged, -1
            after[place] = after[follower]
            if after[place] < len(ids):
                before[after[place]] = place
            for left in (before[place], place):
                right = after[left] if left >= 0 else len(ids)
                if right < len(ids) and (candidate := (ids[left], ids[right])) in self._merges:
                    heappush(heap, (*self._merges[candidate], left, candidate))
        return [i for i in ids if i >= 0]
