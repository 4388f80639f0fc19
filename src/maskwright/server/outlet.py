"""The outlet of a sequence: written tokens wait here until it is known what of them is told.

A token waits for its score, where one was asked for, since forced text is written before the model reads it; and for
its bytes, as long as they may belong to a stop text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from maskwright.server.jobs import Observation, Score, Token
from maskwright.server.stops import StopWatch

__all__ = ["Outlet"]


@dataclass(slots=True)
class _Entry:
    id: int
    data: bytes
    forced: bool
    #: Bytes written up to its end.
    end: int
    score: Score | None = None
    observed: Observation | None = None
    is_scored: bool = False


class Outlet:
    """A queue of written tokens, in their order."""

    def __init__(self, stops: Iterable[bytes], *, waits_for_scores: bool) -> None:
        """Hold back what may belong to one of ``stops``, and what was not scored if there are scores."""
        self._watch = StopWatch(stops)
        self._waits_for_scores = waits_for_scores
        self._entries: deque[_Entry] = deque()
        #: Entries that were not scored, the first of them at the left.
        self._unscored: deque[_Entry] = deque()
        #: Bytes written, and how many of them are decided: told, or about to be.
        self._written = 0
        self._decided = 0
        #: Where the output ends; None as long as no stop text was found.
        self._limit: int | None = None
        #: The stop text that was found.
        self.matched: bytes | None = None

    def write(self, token: int, data: bytes, *, forced: bool, counts: bool) -> None:
        """Put a token in; sets ``matched`` if it completes a stop text and ``counts`` is true."""
        found = self._watch.read(data, counts=counts)
        if found is not None:
            read, self.matched = found
            self._limit = self._written + read - len(self.matched)
        self._written += len(data)
        entry = _Entry(token, data, forced, self._written)
        self._entries.append(entry)
        if self._waits_for_scores:
            self._unscored.append(entry)
        self._decided = self._written if found is not None else self._written - self._watch.held

    def score(self, score: Score | None, observed: Observation | None) -> None:
        """Give the first token without one its score."""
        entry = self._unscored.popleft()
        entry.score, entry.observed, entry.is_scored = score, observed, True

    def finish(self) -> None:
        """Nothing more is written: what was held back is told."""
        self._decided = self._written

    def take(self) -> list[Token]:
        """The tokens that may be told now, each once."""
        taken: list[Token] = []
        while self._entries:
            entry = self._entries[0]
            if entry.end > self._decided or (self._waits_for_scores and not entry.is_scored):
                break
            taken.append(self._told(self._entries.popleft()))
        return taken

    def _told(self, entry: _Entry) -> Token:
        data = entry.data
        if self._limit is not None:
            data = data[: max(0, self._limit - (entry.end - len(data)))]
        score = entry.score or Score(None)
        return Token(
            id=entry.id, data=data, logprob=score.logprob, top=score.top, forced=entry.forced, observed=entry.observed
        )
