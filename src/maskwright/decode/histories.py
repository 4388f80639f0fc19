"""Matchers by token history: the state of a sequence as a pure function of the tokens written so far.

Engines that move rows about (beam search), shorten histories and repeat them (assisted decoding) name a sequence by
its tokens only. A history is looked up by its digest; if it is new, so mostly is only its last token, and a fork of
the state before it reads that one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.errors import TokenError
from maskwright.matcher import Matcher

__all__ = ["Dead", "Histories", "History"]

History = NDArray[np.int64]

#: Bytes of a digest: with 2^40 histories the chance that any two collide is 2^-49.
_DIGEST: Final = 16
#: Digests that are remembered, some 8 MB.
_ASKED: Final = 65_536


class Dead:
    """The state after a token that was not allowed; every history that goes on from it is dead too."""


class Histories:
    """States of the histories asked for last, at most ``capacity``; those dropped are read again from the start.

    What was asked for is remembered longer than its state: a digest is 16 bytes, a state holds its whole history.
    """

    def __init__(self, root: Matcher, capacity: int) -> None:
        self._root = root
        self.capacity = capacity
        self._states: OrderedDict[bytes, Matcher | Dead] = OrderedDict()
        #: Digests of the histories asked for, the oldest first.
        self._asked: dict[bytes, None] = {}
        #: Those of the last batch.
        self._last: frozenset[bytes] = frozenset()

    def __len__(self) -> int:
        """Number of states held."""
        return len(self._states)

    def clear(self) -> None:
        """Forget every history."""
        self._states.clear()
        self._asked.clear()
        self._last = frozenset()

    def goes_on(self, history: History) -> bool:
        """Whether an engine that asked for earlier histories may come to this one.

        That is so if it was asked for before, or was without its last token. If this token is not allowed, the shorter
        history must have been in the last batch: beam search and unchecked drafts bring such tokens, but at once.
        """
        if _digest(history) in self._asked:
            return True
        before = _digest(history[:-1])
        if len(history) == 0 or before not in self._asked:
            return False
        return before in self._last or not isinstance(self._learn(history), Dead)

    def states(self, batch: Sequence[History]) -> list[Matcher | Dead]:
        """Return the state after each history. The matchers are shared: they must not be changed.

        One look-up where a history is known, one step where all but its last token is, else a step for each token.
        """
        keys = [_digest(history) for history in batch]
        states = [self._state(key, history) for key, history in zip(keys, batch, strict=True)]
        self._last = frozenset(keys)
        self._asked |= dict.fromkeys(keys)
        while len(self._asked) > _ASKED:
            del self._asked[next(iter(self._asked))]
        while len(self._states) > self.capacity:
            self._states.popitem(last=False)
        return states

    def _state(self, key: bytes, history: History) -> Matcher | Dead:
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = self._learn(history)
        else:
            self._states.move_to_end(key)
        return state

    def _learn(self, history: History) -> Matcher | Dead:
        if len(history) == 0:
            return self._root
        before = self._states.get(_digest(history[:-1]))
        return _after(self._root, history.tolist()) if before is None else _after(before, [int(history[-1])])


def _digest(history: History) -> bytes:
    return blake2b(np.ascontiguousarray(history).data, digest_size=_DIGEST).digest()


def _after(state: Matcher | Dead, tokens: list[int]) -> Matcher | Dead:
    """After the end any token may follow: rows that are done are filled up while others go on."""
    if isinstance(state, Dead) or state.is_finished:
        return state
    after = state.fork()
    for token in tokens:
        if after.is_finished:
            break
        try:
            after.advance(token)
        except TokenError:
            return Dead()
    return after
