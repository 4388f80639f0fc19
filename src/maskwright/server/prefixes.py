"""What finished sequences have read, kept for prompts that begin alike.

A session is kept with the tokens that it has read. A new prompt takes the one that shares the longest beginning with
it: the session itself if most of it is shared, else a fork, so that one long conversation does not lose its end to a
short question that begins alike. What was not used longest goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.runtime import Session
from maskwright.errors import ModelError

__all__ = ["LEAST", "Prefixes", "cut", "shared"]

Ids = NDArray[np.int64]
#: A shorter beginning is read again: that costs less than a fork, which copies what the two share.
LEAST: Final = 4


def shared(one: Ids, other: Ids) -> int:
    """How many tokens two sequences have in common from their beginning; 2 us for 1,000."""
    length = min(len(one), len(other))
    differ = one[:length] != other[:length]
    return int(differ.argmax()) if differ.any() else length


class Prefixes:
    """Idle sessions by what they have read, bounded by their number and by their tokens together."""

    def __init__(self, tokens: int, sessions: int) -> None:
        """Keep ``tokens`` in ``sessions`` at most; 0 of either keeps nothing."""
        self._most_tokens, self._most_sessions = tokens, sessions
        #: The one used longest ago first.
        self._kept: OrderedDict[int, tuple[Ids, Session]] = OrderedDict()
        self._next = 0
        self.tokens = 0

    def __len__(self) -> int:
        return len(self._kept)

    def best(self, prompt: Ids) -> int:
        """How many tokens of a prompt some kept session has read."""
        return max((shared(ids, prompt) for ids, _ in self._kept.values()), default=0)

    def take(self, prompt: Ids) -> Session | None:
        """A session that has read as much of the beginning of a prompt as any, and nothing else; None if there is none.

        It belongs to the caller.
        """
        found = max(self._kept, key=lambda key: shared(self._kept[key][0], prompt), default=None)
        if found is None:
            return None
        ids, session = self._kept[found]
        length = shared(ids, prompt)
        if length < LEAST:
            return None
        if 2 * length < len(ids):
            self._kept.move_to_end(found)
            other = self.fork(session, spares=1)
            if other is not None:
                return cut(other, length)
        del self._kept[found]
        self.tokens -= len(ids)
        return cut(session, length)

    def keep(self, ids: Ids, session: Session) -> None:
        """Keep a session that has read ``ids``, or close it."""
        if len(ids) < LEAST or len(ids) > self._most_tokens or self._most_sessions < 1:
            session.close()
            return
        for key, (other, _) in list(self._kept.items()):
            common = shared(other, ids)
            if common == len(ids):
                session.close()
                self._kept.move_to_end(key)
                return
            if common == len(other):
                self._drop(key)
        self._kept[self._next] = (ids, session)
        self._next += 1
        self.tokens += len(ids)
        while self.tokens > self._most_tokens or len(self._kept) > self._most_sessions:
            self.drop_oldest()

    def fork(self, session: Session, *, spares: int = 0) -> Session | None:
        """A fork of a session; the oldest ones kept make room, not the ``spares`` newest. None if there is no room."""
        while True:
            try:
                return session.fork()
            except ModelError:
                if len(self._kept) <= spares:
                    return None
                self.drop_oldest()

    def drop_oldest(self) -> bool:
        """Close the session that was not used longest; whether there was one."""
        if not self._kept:
            return False
        self._drop(next(iter(self._kept)))
        return True

    def clear(self) -> None:
        """Close every session."""
        while self.drop_oldest():
            pass

    def _drop(self, key: int) -> None:
        ids, session = self._kept.pop(key)
        self.tokens -= len(ids)
        session.close()


def cut(session: Session, length: int) -> Session | None:
    """A session cut to a length; None, and closed, if the model cannot forget."""
    try:
        if session.length > length:
            session.truncate(length)
    except ModelError:
        session.close()
        return None
    return session
