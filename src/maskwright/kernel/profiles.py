"""Profiles: what a text loop does with the whole vocabulary, learned once and shared by every schema.

For a state that loops on text without end (the body of a JSON string, ``[a-z]*``) the profile keeps

* ``inside``: the tokens after which the lexeme still goes on or has just ended;
* ``rests``: a trie of what is left of the tokens in which it ended earlier, each rest with its tokens;
* ``landing``: the state after each token that stays inside;
* ``spent``: how many characters of the loop each of those tokens uses up.

A mask then is ``inside`` and a walk of the small trie from what follows the lexeme. A bounded loop (``maxLength``) is
the endless one less the tokens that spend too much, or, at its end, too little: two rows kept by count.
"""

from __future__ import annotations

from array import array

import cython

from maskwright.kernel.lexicon import CONTINUES, DEAD, UNKNOWN, Lexicon
from maskwright.kernel.trie import Trie

__all__ = ["Profile"]


class Profile:
    """The profile of one endless text loop over one vocabulary."""

    def __init__(self, lexicon: Lexicon, state: int, trie: Trie, width: int) -> None:
        """Walk the trie with the state alone. About 1 ms for a string body and 128,000 tokens, once per vocabulary."""
        self.state = state
        self.words = (width + 31) // 32
        self.inside = array("I", bytes(4 * self.words))
        self.spent = array("i", b"\xff" * (4 * width))
        self.crossing = array("i", b"\xff" * (4 * width))
        self.landing = array("i", bytes(4 * width))
        self.most = 0
        self.limits = {}
        self.floors = {}
        self.ending = []
        rests: list[bytes] = []
        owners: list[int] = []
        self._explore(lexicon, trie, rests, owners)
        self.rests = Trie(rests, owners)

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _explore(self, lexicon: Lexicon, trie: Trie, rests: list, owners: list) -> cython.int:
        """Follow the loop along every token until it ends or dies.

        ``states[d]`` and ``count[d]`` are the state and the characters spent after the d-th byte of the present path.
        """
        byte: cython.int[::1] = trie.byte
        depth: cython.int[::1] = trie.depth
        end: cython.int[::1] = trie.end
        first_token: cython.int[::1] = trie.first_token
        order: cython.int[::1] = trie.order
        inside: cython.uint[::1] = self.inside
        spent: cython.int[::1] = self.spent
        crossing: cython.int[::1] = self.crossing
        states: cython.int[::1] = array("i", bytes(4 * (trie.longest + 2)))
        count: cython.int[::1] = array("i", bytes(4 * (trie.longest + 2)))
        node: cython.int = 1
        d: cython.int
        state: cython.int
        after: cython.int
        j: cython.int
        token: cython.int
        home: cython.int = self.state
        unknown: cython.int = UNKNOWN
        dead: cython.int = DEAD
        continues: cython.int = CONTINUES
        states[0] = home
        while node < trie.size:
            d = depth[node]
            state = states[d - 1]
            after = lexicon.rows[256 * state + byte[node]]
            if after == unknown:
                after = lexicon.step(state, byte[node])
            if after == dead:
                node = end[node]
                continue
            count[d] = count[d - 1]
            if state == home and lexicon.flags[after] & continues:
                count[d] += 1
            for j in range(first_token[node], first_token[node + 1]):
                token = order[j]
                inside[token >> 5] |= cython.cast(cython.uint, 1) << (token & 31)
                spent[token] = count[d]
                self.landing[token] = after
                if count[d] > self.most:
                    self.most = count[d]
                if not lexicon.flags[after] & continues:
                    crossing[token] = 1
            if not lexicon.flags[after] & continues:
                self._cross(trie, node, count[d], rests, owners)
                node = end[node]
                continue
            states[d] = after
            node += 1
        return 0

    def _cross(self, trie: Trie, node: int, count: int, rests: list[bytes], owners: list[int]) -> None:
        """The lexeme ended at a node: what follows below it are rests."""
        base = trie.depth[node]
        path = bytearray()
        for below in range(node + 1, trie.end[node]):
            del path[trie.depth[below] - base - 1 :]
            path.append(trie.byte[below])
            for j in range(trie.first_token[below], trie.first_token[below + 1]):
                token = trie.order[j]
                rests.append(bytes(path))
                owners.append(token)
                self.spent[token] = count
                self.most = max(self.most, count)
                self.crossing[token] = 1

    def ends(self) -> list:
        """The tokens with which the lexeme ends exactly, found when first asked for."""
        token: cython.int
        if not self.ending:
            for token in range(len(self.crossing)):
                if self.crossing[token] == 1 and self.inside[token >> 5] >> (token & 31) & 1:
                    self.ending.append(token)
        return self.ending

    def limit(self, most: cython.int) -> object:
        """The tokens that spend at most ``most`` characters, as a row."""
        row = self.limits.get(most)
        if row is None:
            row = self.limits[most] = self._row(0, most, 0)
        return row

    def floor(self, least: cython.int) -> object:
        """The tokens that stay inside, or end the lexeme having spent at least ``least`` characters, as a row."""
        row = self.floors.get(least)
        if row is None:
            row = self.floors[least] = self._row(least, self.most, 1)
        return row

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _row(self, least: cython.int, most: cython.int, ended: cython.int) -> object:
        """Tokens that spend ``least`` to ``most``; with ``ended`` the lower bound is for tokens that end the lexeme."""
        fresh = array("I", bytes(4 * self.words))
        row: cython.uint[::1] = fresh
        count: cython.int = len(self.spent)
        word: cython.int
        bit: cython.int
        token: cython.int
        n: cython.int
        bits: cython.uint
        # Word by word and without branches: 0.1 ms for 128,000 tokens, against 0.3 ms bit by bit.
        for word in range(self.words):
            bits = 0
            for bit in range(32 if count - 32 * word >= 32 else count - 32 * word):
                token = 32 * word + bit
                n = self.spent[token]
                kept: cython.uint = (n >= 0) & (n <= most) & ((n >= least) | (ended & (self.crossing[token] < 0)))
                bits |= kept << bit
            row[word] = bits
        return fresh
