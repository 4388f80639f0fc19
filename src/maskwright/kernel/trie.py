"""The token trie: every token's bytes in depth-first order, as flat columns.

Nodes are numbered in depth-first order, so a subtree is the run ``node .. end[node]`` and its tokens are the run
``first_token[node] .. first_token[end[node]]`` of ``order``: refusing a byte skips a subtree by one addition, accepting
a whole subtree copies a run. Node 0 is the root (the empty prefix).

*Categories* summarise what a subtree can contain: each printable ASCII punctuation mark is one, letters and digits come
in ranges, well-formed characters beyond ASCII by their leading byte. A lexeme state that loops on a set of categories
accepts a subtree made of those without looking at it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import cython

__all__ = ["BYTE_CATEGORIES", "ILL_FORMED", "LONG_CATEGORIES", "TEXT_CATEGORIES", "Trie", "category_mask"]

#: Inclusive ranges that share a category; every other byte below 0x80 but the controls is a category of its own.
_RANGES = (("a", "f"), ("g", "z"), ("A", "F"), ("G", "Z"), ("1", "9"))


#: Inclusive ranges of UTF-8 leading bytes that share a category, with the code points they lead. ``.`` and ``\\S`` of
#: ECMA-262 leave out a few characters under c2, e1, e2, e3 and ef, and keep all others.
_LEADS = (
    (0xC2, 0xC2, 0x80, 0xBF),
    (0xC3, 0xDF, 0xC0, 0x7FF),
    (0xE0, 0xE0, 0x800, 0xFFF),
    (0xE1, 0xE1, 0x1000, 0x1FFF),
    (0xE2, 0xE2, 0x2000, 0x2FFF),
    (0xE3, 0xE3, 0x3000, 0x3FFF),
    (0xE4, 0xEC, 0x4000, 0xCFFF),
    (0xED, 0xED, 0xD000, 0xD7FF),
    (0xEE, 0xEE, 0xE000, 0xEFFF),
    (0xEF, 0xEF, 0xF000, 0xFFFF),
    (0xF0, 0xF4, 0x10000, 0x10FFFF),
)


def _categories() -> list[int]:
    """The category of each byte that can begin a character; -1 for all others."""
    of = [-1] * 256
    for number, (low, high) in enumerate(_RANGES):
        for byte in range(ord(low), ord(high) + 1):
            of[byte] = number
    fresh = len(_RANGES)
    for byte in (*range(0x20, 0x80), 0x09, 0x0A, 0x0D):
        if of[byte] < 0:
            of[byte] = fresh
            fresh += 1
    for byte in range(0x20):
        if of[byte] < 0:
            of[byte] = fresh
    for number, lead in enumerate(_LEADS, fresh + 1):
        for byte in range(lead[0], lead[1] + 1):
            of[byte] = number
    return of


_CATEGORY = _categories()
#: Bytes that are not UTF-8 at their place, or a character whose beginning lies in an earlier token.
ILL_FORMED = 1 << (max(_CATEGORY) + 1)
_BIT = [1 << c if c >= 0 else ILL_FORMED for c in _CATEGORY]
#: The category of a byte, as a bit, where a character may begin. Bit 63 stands for none.
BYTE_CATEGORIES = tuple(_BIT)
#: Characters of more than one byte, in the middle of which a token may end.
LONG_CATEGORIES = sum({_BIT[byte] for byte in range(0x80, 0x100) if _CATEGORY[byte] >= 0})
#: Letters, and characters of scripts with many tokens: a state that loops on one of these allows thousands of tokens.
TEXT_CATEGORIES = _BIT[ord("g")] | _BIT[ord("G")] | _BIT[0xC3] | _BIT[0xE4]


def category_mask(ranges: Sequence[tuple[int, int]]) -> int:
    """The categories that lie wholly inside inclusive, ascending, disjoint code point ranges."""
    mask = missing = 0
    for byte in range(0x80):
        mask |= _BIT[byte]
        if not any(low <= byte <= high for low, high in ranges):
            missing |= _BIT[byte]
    for lead, _, first, last in _LEADS:
        if any(low <= first and last <= high for low, high in ranges):
            mask |= _BIT[lead]
    return mask & ~missing


class Trie:
    """Frozen columns over the nodes of a vocabulary's token trie; see the header for what each holds."""

    def __init__(self, texts: Sequence[bytes], ids: Sequence[int]) -> None:
        """Build from byte strings and their token ids; empty strings are no text and are left out. O(total bytes)."""
        places = sorted([i for i, text in enumerate(texts) if text], key=texts.__getitem__)
        sorted_texts = [texts[i] for i in places]
        count: cython.Py_ssize_t = sum(map(len, sorted_texts)) + 2
        self.byte = array("i", bytes(4 * count))
        self.depth = array("i", bytes(4 * count))
        self.end = array("i", bytes(4 * count))
        self.first_token = array("i", bytes(4 * count))
        self.order = array("i", [ids[i] for i in places])
        self.longest = max(map(len, sorted_texts), default=0)
        self.size = self._fill(sorted_texts)
        self.below = array("Q", bytes(8 * self.size))
        self.path = array("Q", bytes(8 * self.size))
        self.reach = array("i", bytes(4 * self.size))
        self.characters = array("i", bytes(4 * self.size))
        self._summarise()
        self.root_child = array("i", [-1] * 256)
        node: cython.Py_ssize_t = 1
        while node < self.size:
            self.root_child[self.byte[node]] = node
            node = self.end[node]

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _fill(self, texts: list) -> cython.int:
        """Number the nodes. Loop invariant: ``open_node[0..d]`` is the path of the last token, ends not yet known."""
        byte: cython.int[::1] = self.byte
        depth: cython.int[::1] = self.depth
        end: cython.int[::1] = self.end
        first_token: cython.int[::1] = self.first_token
        open_node: cython.int[::1] = array("i", bytes(4 * (self.longest + 2)))
        node: cython.Py_ssize_t = 1
        level: cython.Py_ssize_t = 0
        shared: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        length: cython.Py_ssize_t
        last: bytes = b""
        for i in range(len(texts)):
            token: bytes = texts[i]
            length = len(token)
            shared = 0
            while shared < level and shared < length and token[shared] == last[shared]:
                shared += 1
            while level > shared:
                end[open_node[level]] = node
                level -= 1
            for j in range(shared, length):
                byte[node] = token[j]
                depth[node] = j + 1
                first_token[node] = i
                level += 1
                open_node[level] = node
                node += 1
            last = token
        while level > 0:
            end[open_node[level]] = node
            level -= 1
        end[0] = node
        first_token[node] = len(texts)
        return node

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _summarise(self) -> cython.int:
        """Fill path (downwards), then below and reach (upwards)."""
        byte: cython.int[::1] = self.byte
        depth: cython.int[::1] = self.depth
        end: cython.int[::1] = self.end
        below: cython.ulonglong[::1] = self.below
        path: cython.ulonglong[::1] = self.path
        reach: cython.int[::1] = self.reach
        characters: cython.int[::1] = self.characters
        bits: cython.ulonglong[::1] = array("Q", _BIT)
        ill: cython.ulonglong = ILL_FORMED
        everything: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        # pending[d]: bytes still owed by the character that is open at depth d; low/high: bounds of the next one.
        pending: cython.int[::1] = array("i", bytes(4 * (self.longest + 2)))
        low: cython.int[::1] = array("i", bytes(4 * (self.longest + 2)))
        high: cython.int[::1] = array("i", bytes(4 * (self.longest + 2)))
        parent: cython.int[::1] = array("i", bytes(4 * (self.longest + 2)))
        own: cython.ulonglong[::1] = array("Q", bytes(8 * self.size))
        node: cython.Py_ssize_t
        size: cython.Py_ssize_t = self.size
        d: cython.Py_ssize_t
        b: cython.int
        for node in range(1, size):
            d = depth[node]
            b = byte[node]
            above = parent[d - 1]
            own[node] = 0
            characters[node] = characters[above]
            pending[d] = 0
            if pending[d - 1] > 0:
                if low[d - 1] <= b <= high[d - 1]:
                    pending[d] = pending[d - 1] - 1
                    low[d] = 0x80
                    high[d] = 0xBF
                else:
                    own[node] = ill
            elif b < 0x80:
                own[node] = bits[b]
                characters[node] += 1
            else:
                own[node] = bits[b]
                characters[node] += 1
                low[d] = 0xA0 if b == 0xE0 else 0x90 if b == 0xF0 else 0x80
                high[d] = 0x9F if b == 0xED else 0x8F if b == 0xF4 else 0xBF
                if 0xC2 <= b <= 0xDF:
                    pending[d] = 1
                elif 0xE0 <= b <= 0xEF:
                    pending[d] = 2
                elif 0xF0 <= b <= 0xF4:
                    pending[d] = 3
                else:
                    own[node] = ill
            path[node] = path[above] | own[node]
            parent[d] = node
        for node in range(size - 1, -1, -1):
            reach[node] = characters[node]
            child: cython.Py_ssize_t = node + 1
            while child < end[node]:
                below[node] |= below[child] | own[child]
                if reach[child] > reach[node]:
                    reach[node] = reach[child]
                child = end[child]
        # Below a token that begins inside a character nothing is known to be well-formed: never skip there.
        for node in range(1, size):
            if path[node] & ill:
                below[node] = everything
        return 0

    def cover(self, data: bytes) -> list:
        """The longest tokens along some bytes, up to the first place where a token could reach beyond their end."""
        tokens = []
        at = 0
        while at < len(data):
            node, best, stop = 0, -1, at
            for place in range(at, len(data)):
                node = self._child(node, data[place])
                if node < 0:
                    break
                if self.first_token[node] < self.first_token[node + 1]:
                    best, stop = self.order[self.first_token[node]], place + 1
            else:
                if self.end[node] > node + 1:
                    break
            if best < 0:
                break
            tokens.append(best)
            at = stop
        return tokens

    def _child(self, node: cython.int, wanted: cython.int) -> cython.int:
        if node == 0:
            return self.root_child[wanted]
        child: cython.int = node + 1
        while child < self.end[node]:
            if self.byte[child] == wanted:
                return child
            child = self.end[child]
        return -1
