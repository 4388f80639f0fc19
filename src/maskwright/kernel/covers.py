"""Covers: for a set of categories and a length, the tokens made of nothing else, as a row of bits.

A string body that may go on for 50 characters accepts every token of at most 50 plain characters. Such rows depend on
the vocabulary only, so they are kept with it: 16 KiB each for 128,000 tokens.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import cython

from maskwright.kernel.lexicon import UNBOUNDED, Lexicon
from maskwright.kernel.profiles import Profile
from maskwright.kernel.trie import ILL_FORMED, Trie

__all__ = ["Covers"]


#: A profile, or a residue, costs about as much as this many masks without it.
PATIENCE = 8
#: Tokens of a residue that is worth having; a larger one saves little against the whole trie, and costs too much.
SMALL = 12_000


class Covers:
    """Rows by (categories, most characters), at most ``cap`` of them; the oldest are dropped first."""

    def __init__(self, trie: Trie, tokens: Sequence[bytes], width: int, cap: int) -> None:
        """Sort the tokens by length once. O(nodes)."""
        self.tokens = tokens
        self.residues = {}
        self.width = width
        self.cap = cap
        self.rows = {}
        self.profiles = {}
        self.strings = 0
        self.asked = {}
        self.trie = trie
        self.path = array("Q", bytes(8 * len(trie.order)))
        self.length = array("i", bytes(4 * len(trie.order)))
        self.order = trie.order
        self._summarise(trie)
        places = sorted(range(len(self.length)), key=self.length.__getitem__)
        self.longest = self.length[places[-1]] if places else 0
        self.by_length = array("i", places)
        self.up_to = array("i", bytes(4 * (self.longest + 2)))
        for place in places:
            self.up_to[self.length[place] + 1] += 1
        for n in range(1, self.longest + 2):
            self.up_to[n] += self.up_to[n - 1]

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _summarise(self, trie: Trie) -> None:
        first_token: cython.int[::1] = trie.first_token
        path: cython.ulonglong[::1] = trie.path
        characters: cython.int[::1] = trie.characters
        node: cython.int
        j: cython.int
        for node in range(1, trie.size):
            for j in range(first_token[node], first_token[node + 1]):
                self.path[j] = path[node]
                self.length[j] = characters[node]

    def add(self, categories: cython.ulonglong, most: cython.int, row: cython.uint[::1]) -> cython.void:
        """Set the bits of all tokens of at most ``most`` characters that have no other categories. O(width / 32)."""
        source: cython.uint[::1] = self._find(categories, most if most < self.longest else UNBOUNDED)
        i: cython.Py_ssize_t
        for i in range(len(row)):
            row[i] |= source[i]

    def profile(self, lexicon: Lexicon, state: int) -> Profile:
        """The profile of an endless text loop, learned now if it was not."""
        found = self.profiles.get(state)
        if found is None:
            found = self.profiles[state] = Profile(lexicon, state, self.trie, self.width)
        return found  # type: ignore[no-any-return]

    def offer(self, lexicon: Lexicon, state: int) -> Profile | None:
        """The profile of a loop that was asked for often enough to be worth learning, else None."""
        found = self.profiles.get(state)
        if found is None:
            asked = self.asked[state] = self.asked.get(state, 0) + 1
            if asked > PATIENCE:
                found = self.profile(lexicon, state)
        return found  # type: ignore[no-any-return]

    def residue(self, categories: int, body: bool) -> Trie | None:  # noqa: FBT001
        """A trie of the tokens that hold other categories too and may still be read, if it was asked for often enough.

        Left out are the tokens whose first other character is ill-formed and, inside a string ``body``, a control.
        """
        key = (categories, body)
        found = self.residues.get(key)
        if found is None:
            asked = self.asked[key] = self.asked.get(key, 0) + 1
            if asked != PATIENCE:
                return None
            places = self._uncovered(categories, body)
            if len(places) < SMALL:
                ids = [self.order[place] for place in places]
                found = self.residues[key] = Trie([self.tokens[token] for token in ids], ids)
        return found  # type: ignore[no-any-return]

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _uncovered(self, categories: cython.ulonglong, body: cython.bint) -> list[int]:
        """Places, in trie order, of the tokens of a residue."""
        trie: Trie = self.trie
        ill: cython.ulonglong = ILL_FORMED
        node: cython.int = 1
        places = []
        while node < trie.size:
            if not (trie.path[node] | trie.below[node]) & ~categories:
                node = trie.end[node]
            elif not trie.path[node] & ~categories:
                node += 1
            else:
                if not (trie.path[node] & ill or (body and trie.byte[node] < 0x20)):
                    places.extend(range(trie.first_token[node], trie.first_token[trie.end[node]]))
                node = trie.end[node]
        return places

    def _find(self, categories: int, most: int) -> object:
        key = (categories, most)
        found = self.rows.get(key)
        if found is None:
            found = self._whole(categories) if most == UNBOUNDED else self._shorter(categories, most)
            while len(self.rows) >= self.cap:
                del self.rows[next(iter(self.rows))]
            self.rows[key] = found
        return found

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _whole(self, categories: cython.ulonglong) -> object:
        fresh = array("I", bytes(4 * ((self.width + 31) // 32)))
        row: cython.uint[::1] = fresh
        refused: cython.ulonglong = ~categories | ILL_FORMED
        j: cython.Py_ssize_t
        token: cython.int
        for j in range(len(self.path)):
            if not self.path[j] & refused:
                token = self.order[j]
                row[token >> 5] |= cython.cast(cython.uint, 1) << (token & 31)
        return fresh

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _shorter(self, categories: cython.ulonglong, most: cython.int) -> object:
        """Add the short tokens to nothing, or take the long ones from the whole row, whichever are fewer."""
        refused: cython.ulonglong = ~categories | ILL_FORMED
        stop: cython.int = self.up_to[most + 1]
        total: cython.int = len(self.by_length)
        i: cython.int
        j: cython.int
        token: cython.int
        if stop < total - stop:
            fresh = array("I", bytes(4 * ((self.width + 31) // 32)))
            row: cython.uint[::1] = fresh
            for i in range(stop):
                j = self.by_length[i]
                if not self.path[j] & refused:
                    token = self.order[j]
                    row[token >> 5] |= cython.cast(cython.uint, 1) << (token & 31)
            return fresh
        fresh = array("I", self._find(categories, UNBOUNDED))
        row = fresh
        for i in range(stop, total):
            token = self.order[self.by_length[i]]
            row[token >> 5] &= 0xFFFFFFFF ^ (cython.cast(cython.uint, 1) << (token & 31))
        return fresh
