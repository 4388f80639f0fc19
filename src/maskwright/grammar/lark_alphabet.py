"""The characters that a set of patterns tells apart: code points in classes, character sets as bits of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from maskwright.regex.ranges import Ranges

__all__ = ["Alphabet"]

#: Partitions whose ranges are kept; what is met after that is laid out again when asked.
_LAYOUTS: Final = 4096


class Alphabet:
    """Classes of code points that every one of some sets holds or lacks as a whole.

    ``masks[i]`` has bit ``c`` set if set ``i`` holds class ``c``. Code points of no set have no class.
    """

    def __init__(self, sets: Sequence[Ranges]) -> None:
        """Sweep over the ends of all ranges; sorts them, so ``n log n`` for n ranges."""
        self._runs, members = _sweep(sets)
        self.masks: list[int] = [0] * len(sets)
        for number, inside in enumerate(members):
            rest = inside
            while rest:
                low = rest & -rest
                self.masks[low.bit_length() - 1] |= 1 << number
                rest ^= low
        self._count = len(members)
        columns = np.array(self._runs, np.int64).reshape(-1, 3)
        self._firsts, self._lasts, self._kinds = columns[:, 0], columns[:, 1], columns[:, 2]
        self._layouts: dict[tuple[int, ...], tuple[tuple[int, int, int], ...]] = {}

    def layout(self, groups: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
        """``(first, last, group)`` ascending for disjoint sets of classes; neighbours of one group are joined."""
        found = self._layouts.get(groups)
        if found is None:
            found = self._lay_out(groups)
            if len(self._layouts) >= _LAYOUTS:
                self._layouts.clear()
            self._layouts[groups] = found
        return found

    def _lay_out(self, groups: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
        r"""Join the runs of each group; with arrays, because ``\w`` alone has 750."""
        owner = np.full(self._count, -1, np.int64)
        for number, mask in enumerate(groups):
            rest = mask
            while rest:
                low = rest & -rest
                owner[low.bit_length() - 1] = number
                rest ^= low
        of = owner[self._kinds]
        inside = of >= 0
        first, last, of = self._firsts[inside], self._lasts[inside], of[inside]
        if not len(of):
            return ()
        begins = np.ones(len(of), bool)
        begins[1:] = (of[1:] != of[:-1]) | (first[1:] != last[:-1] + 1)
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(of)) - 1
        return tuple(zip(first[starts].tolist(), last[ends].tolist(), of[starts].tolist(), strict=True))

    def class_of(self, point: int) -> int:
        """The class of a code point as a bit, 0 if it belongs to no set."""
        for first, last, kind in self._runs:
            if first <= point <= last:
                return 1 << kind
        return 0


def _sweep(sets: Sequence[Ranges]) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Runs ``(first, last, class)``, ascending, and for each class the sets that hold it, as bits."""
    changes: dict[int, int] = {}
    for number, ranges in enumerate(sets):
        bit = 1 << number
        for first, last in ranges:
            changes[first] = changes.get(first, 0) ^ bit
            changes[last + 1] = changes.get(last + 1, 0) ^ bit
    ordered = sorted(changes)
    runs: list[tuple[int, int, int]] = []
    classes: dict[int, int] = {}
    inside = 0
    for place, point in enumerate(ordered):
        inside ^= changes[point]
        if inside:
            runs.append((point, ordered[place + 1] - 1, classes.setdefault(inside, len(classes))))
    return runs, list(classes)
