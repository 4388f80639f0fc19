"""Spelling: liveness at the level of tokens, for vocabularies that cannot write every byte on its own.

Byte liveness says that a text can be completed; it does not say that tokens exist that write the completion. Real
byte-level vocabularies have a token for every byte that UTF-8 can need, and then the two agree. Where they do not
(small vocabularies, SentencePiece without byte fallback, SmolLM2's missing ``f1``), a configuration is live only if
some sequence of tokens leads from it to an end.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.kernel.codes import FIRST_CODE
from maskwright.kernel.walk import REFUSED, Walker
from maskwright.limits import Limits
from maskwright.vocabulary import Vocabulary

__all__ = ["NEEDED_BYTES", "USEFUL_BYTES", "Spelling"]


#: Bytes that UTF-8 text can contain (RFC 3629 section 4): all but c0, c1 and f5 to ff.
USEFUL_BYTES: Final = frozenset(range(0xC0)) | frozenset(range(0xC2, 0xF5))
#: Bytes that a constraint can hardly do without: printable ASCII, and the continuation bytes of all other characters.
#: A vocabulary that lacks one is searched from the start; otherwise a lexeme that needs a missing byte is noticed when
#: it is met.
NEEDED_BYTES: Final = frozenset(range(0x20, 0x7F)) | frozenset(range(0x80, 0xC0))


class Spelling:
    """Which configurations of one walker can be completed with tokens of one vocabulary; learned by search."""

    def __init__(self, walker: Walker, vocabulary: Vocabulary, limits: Limits) -> None:
        """Start with nothing decided."""
        self._walker = walker
        self._vocabulary = vocabulary
        self._limits = limits
        singles = {token[0] for token in vocabulary.tokens if len(token) == 1}
        #: Bytes that have a token of their own.
        self._alone = singles
        #: ``live[configuration]``: True or False once decided.
        self._live: dict[int, bool] = {}

    def is_live(self, configuration: int) -> bool:
        """Whether tokens are seen to lead from a configuration to an end; depth first, and remembered.

        A search that is not over after ``Limits.spelling_states`` counts as a no: the mask then leaves a token out that
        might have been allowed, but never leads into a dead end, and nothing is raised in the middle of an output.
        """
        known = self._live.get(configuration)
        if known is not None:
            return known
        came_from = {configuration: REFUSED}
        todo = deque([configuration])
        newest = False
        while todo:
            # By turns the newest and the oldest: a grammar can open brackets forever, and its way out be a short one.
            newest = not newest
            at = todo.pop() if newest else todo.popleft()
            if self._walker.accepting[at] or self._live.get(at):
                while at != REFUSED:
                    self._live[at] = True
                    at = came_from[at]
                return True
            for after in self._next(at):
                if after not in came_from and self._live.get(after) is not False:
                    came_from[after] = at
                    todo.append(after)
            if len(came_from) > self._limits.spelling_states:
                self._live[configuration] = False
                return False
        self._live.update(dict.fromkeys(came_from, False))
        return False

    def _next(self, configuration: int) -> list[int]:
        """Configurations after one token. Bytes that have a token of their own are tried first, longer tokens after."""
        row = np.zeros((len(self._vocabulary) + 31) // 32, np.uint32)
        following = self._walker.next_bytes(configuration)
        bytes_first = [b for b in following if b in self._alone and b < FIRST_CODE]
        if bytes_first and not self._vocabulary.bound_bytes and following[-1] < FIRST_CODE:
            return self._distinct(configuration, [bytes([b]) for b in bytes_first])
        self._walker.fill(configuration, row)
        allowed = _allowed(row)
        named = self._walker.lexicon.codes.named
        tokens = {self._vocabulary.tokens[token] for token in allowed}
        if following and following[-1] >= FIRST_CODE:
            tokens.update(named[token] for token in allowed if token in named)
        return self._distinct(configuration, sorted(token for token in tokens if token))

    def _distinct(self, configuration: int, texts: list[bytes]) -> list[int]:
        after = {self._walker.read(configuration, text, None) for text in texts}
        return sorted(after - {REFUSED}, reverse=True)

    def prune(self, configuration: int, row: NDArray[np.uint32]) -> None:
        """Clear the tokens of a mask after which no end can be spelled."""
        checked: dict[int, bool] = {}
        for token in _allowed(row):
            text = self._vocabulary.tokens[token]
            if token in self._vocabulary.end_ids and self._walker.accepting[configuration]:
                continue
            if token in self._walker.lexicon.codes.named:
                # What a grammar names is read by its code too, and a control token has nothing else.
                after = self._walker.name(configuration, token, text, None)
            elif text:
                after = self._walker.read(configuration, text, None)
            else:
                continue
            if after not in checked:
                checked[after] = after != REFUSED and self.is_live(after)
            if not checked[after]:
                row[token >> 5] &= ~np.uint32(1 << (token & 31))


def _allowed(row: NDArray[np.uint32]) -> list[int]:
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")
    ids: list[int] = np.flatnonzero(bits).tolist()
    return ids
