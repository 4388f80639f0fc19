"""Stop texts: found in a stream of bytes, wherever tokens are cut.

Source: Knuth, Morris and Pratt, "Fast Pattern Matching in Strings" (1977). How many bytes at the end of what was
written begin a stop text is the state of their automaton, so nothing is searched twice and a stop text may be long.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["StopWatch"]


class StopWatch:
    """Watches for several stop texts. The first one to be complete counts; among those complete at once the longest."""

    def __init__(self, stops: Iterable[bytes]) -> None:
        """Watch for texts; empty ones are never found."""
        self._stops = sorted({stop for stop in stops if stop}, key=len, reverse=True)
        self._borders = [_borders(stop) for stop in self._stops]
        #: ``_states[i]``: bytes at the end of what was read that begin stop i, fewer than its length.
        self._states = [0] * len(self._stops)

    @property
    def held(self) -> int:
        """How many of the last bytes may belong to a stop text that is not complete yet."""
        return max(self._states, default=0)

    def read(self, data: bytes, *, counts: bool = True) -> tuple[int, bytes] | None:
        """Read bytes; a stop text that is complete within them, as ``(bytes of data read, stop text)``.

        Where ``counts`` is false a complete text is passed over, and what follows may still complete another.
        """
        if not self._stops:
            return None
        for place, byte in enumerate(data):
            found = self._step(byte)
            if found is not None and counts:
                return place + 1, found
        return None

    def _step(self, byte: int) -> bytes | None:
        found = None
        for index, stop in enumerate(self._stops):
            state, borders = self._states[index], self._borders[index]
            while state and stop[state] != byte:
                state = borders[state]
            state += stop[state] == byte
            if state == len(stop):
                found = found or stop
                state = borders[state]
            self._states[index] = state
        return found


def _borders(text: bytes) -> list[int]:
    """``[n]``: the longest proper beginning of ``text[:n]`` that also ends it."""
    borders, state = [0, 0], 0
    for place in range(1, len(text)):
        while state and text[state] != text[place]:
            state = borders[state]
        state += text[state] == text[place]
        borders.append(state)
    return borders
