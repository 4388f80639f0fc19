"""Bytes of tokens as text, in pieces that are whole characters."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence

from maskwright.server.jobs import LEAST_LOGPROB, Score, Token
from maskwright.vocabulary import Vocabulary
from maskwright.wire.answers import Scored

__all__ = ["Spelling", "Text"]


class Text:
    """A text whose bytes come in pieces. Part of a character waits for the rest; what never can be one is U+FFFD.

    A character that is cut off by the end is left out, so a text is what was written, or a beginning of it.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, data: bytes) -> str:
        """The characters that are whole now."""
        return self._decoder.decode(data)


class Spelling:
    """How tokens are shown: by their bytes, control tokens by their names."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._tokens = vocabulary.tokens
        self._names = {number: name.encode() for name, number in vocabulary.special_names.items()}
        self.end_ids = vocabulary.end_ids

    def data(self, token: int) -> bytes:
        """The bytes or the name; nothing for ids without either."""
        own = self._tokens[token] if token < len(self._tokens) else b""
        return own or self._names.get(token, b"")

    def name(self, token: int) -> bytes:
        """The name of a control token; nothing for all others."""
        return self._names.get(token, b"")

    def text(self, tokens: Iterable[int]) -> str:
        """Tokens as text."""
        return b"".join(map(self.data, tokens)).decode("utf-8", "replace")

    def written(self, token: Token) -> Scored:
        """A token that was written, with its scores."""
        return self._scored(token.data, token.logprob, token.top)

    def read(self, tokens: Sequence[int], scores: Sequence[Score]) -> list[Scored]:
        """Tokens of a prompt with their scores."""
        pairs = zip(tokens, scores, strict=True)
        return [self._scored(self.data(token), score.logprob, score.top) for token, score in pairs]

    def _scored(self, data: bytes, logprob: float | None, top: Iterable[tuple[int, float]]) -> Scored:
        told = tuple((self.data(other), _finite(value)) for other, value in top)
        return Scored(data, None if logprob is None else _finite(logprob), told)


def _finite(logprob: float) -> float:
    """A number that JSON can write, whatever an engine reports."""
    return float(logprob) if logprob > LEAST_LOGPROB else LEAST_LOGPROB
