"""Successors: where the tokens of a vocabulary lead from a configuration, grouped by the configuration after them.

A mask only asks whether a token can be read; a budget asks what an output costs after it. The walk is that of a mask,
but for real: states keep their counts, and every configuration behind a token is interned, unless it is the one before.
"""

from __future__ import annotations

from array import array

import cython

from maskwright.kernel.costs import captures
from maskwright.kernel.expressions import BODY, CAT, CHARS, OR, RAW, REPEAT
from maskwright.kernel.lexicon import DEAD, UNKNOWN, WIDE, Lexicon
from maskwright.kernel.profiles import Profile
from maskwright.kernel.trie import LONG_CATEGORIES, Trie
from maskwright.kernel.walk import Walker
from maskwright.patience import rest

__all__ = ["Successors"]

#: No configuration was interned for a prefix yet.
OPEN = -3

#: Tokens, as ``array('i')``, by (configuration after them, captured strings that end in them).
Groups = dict[tuple[int, int], "array[int]"]


class Successors:
    """The walk of one walker."""

    def __init__(self, walker: Walker) -> None:
        """Use the walker's frames; never while it fills a mask."""
        self.walker = walker
        self.at = array("i", bytes(4 * (walker.longest + 3)))
        self.ended = array("i", bytes(4 * (walker.longest + 3)))
        self.free = {}
        self.lengthy = LONG_CATEGORIES

    def all_of(self, configuration: cython.int) -> Groups:
        """Every token that can be read. 2 ms where a string goes on as it may, 20 ms where it counts its characters."""
        walker: Walker = self.walker
        groups: Groups = {}
        walker._load(walker.configurations[configuration])
        self.at[0] = configuration
        self.ended[0] = 0
        self._walk(walker.trie, groups, False)
        if walker.lexicon.codes.named:
            self._walk(walker.lexicon.codes.trie(), groups, False)
        return groups

    def few_of(self, configuration: cython.int) -> tuple[Groups, list[int]]:
        """The tokens that can be read, less those with which an item that loops on text goes on.

        For the latter the second answer holds configurations: after each token that was left out some of these, or one
        that needs a few bytes more because the token ends inside a character or an escape, is a way on.
        """
        walker: Walker = self.walker
        groups: Groups = {}
        loops: set[int] = set()
        narrow = []
        for item in walker.configurations[configuration]:
            profile = self._profile(item[0])
            if profile is not None:
                self._leave(item, profile, groups)
                loops.add(walker.configuration([item]))
            elif item[1] != 0:
                narrow.append(item)
        if narrow:
            walker._load(tuple(narrow))
            self.at[0] = OPEN
            self.ended[0] = 0
            loops.update(self._walk(walker.trie, groups, True))
            if walker.lexicon.codes.named:
                self._walk(walker.lexicon.codes.trie(), groups, False)
        return groups, sorted(loops)

    def _profile(self, state: cython.int) -> Profile | None:
        """The profile of the endless loop that a state equals but for bounds or excluded words, learned if need be."""
        walker: Walker = self.walker
        lexicon: Lexicon = walker.lexicon
        if lexicon.rows[256 * state] == UNKNOWN:
            lexicon.fill(state)
        if not lexicon.flags[state] & WIDE or lexicon.base[state] == DEAD:
            return None
        return walker.covers.profile(lexicon, lexicon.base[state])  # type: ignore[no-any-return]

    def _leave(self, item: tuple, profile: Profile, groups: dict) -> cython.int:
        """Tokens in which the lexeme of an item ends."""
        walker: Walker = self.walker
        closures = walker.closures
        found: cython.int = closures.find(closures.leave(item[1], 0), item[2])
        items = []
        for i in range(closures.offset[found], closures.offset[found + 1]):
            items.append((closures.states[i], closures.positions[i], closures.stack_of[i]))
        if items:
            ended: cython.int = captures(closures.kind[item[1]])
            after = walker.configuration(sorted(items))
            _group(groups, after, ended).extend(profile.ends())
            walker._load(tuple(items))
            self.at[0] = after
            self.ended[0] = ended
            self._walk(profile.rests, groups, False)
        return 0

    def _walk(self, trie: Trie, groups: dict, skipping: cython.bint) -> set:
        """Group all tokens that frame 0 can read; with ``skipping`` without the subtrees that a loop covers."""
        walker: Walker = self.walker
        lexicon: Lexicon = walker.lexicon
        at: cython.int[::1] = self.at
        ended: cython.int[::1] = self.ended
        node: cython.int = 1
        d: cython.int
        j: cython.int
        skipped = set()
        steps: cython.int = 0
        while node < trie.size:
            steps += 1
            if steps & 1023 == 0:
                rest()
            d = trie.depth[node]
            walker.captured = 0
            if walker._step(d - 1, trie.byte[node]) == 0:
                node = trie.end[node]
                continue
            ended[d] = ended[d - 1] + (walker.captured if walker.captured >= 0 else 1 if ended[d - 1] else 0)
            at[d] = at[d - 1] if self._stays(d) else OPEN
            following: cython.int = node + 1
            if trie.end[node] > following and not skipping and self._is_free(lexicon, trie, node, d):
                following = trie.end[node]
            if trie.first_token[node] < trie.first_token[following]:
                if at[d] == OPEN:
                    at[d] = walker.configuration(walker._frame(d))
                tokens = _group(groups, at[d], ended[d])
                if following == node + 1:
                    for j in range(trie.first_token[node], trie.first_token[following]):
                        tokens.append(trie.order[j])
                else:
                    run = trie.order[trie.first_token[node] : trie.first_token[following]]
                    tokens.frombytes(memoryview(run).cast("B"))
            if skipping and trie.end[node] > node + 1 and self._covers(lexicon, trie, node, d):
                if at[d] == OPEN:
                    at[d] = walker.configuration(walker._frame(d))
                skipped.add(at[d])
                following = trie.end[node]
            node = following
        return skipped

    def _is_free(self, lexicon: Lexicon, trie: Trie, node: cython.int, d: cython.int) -> cython.bint:
        """Whether nothing that follows a node can change the frame after it: one item that loops on all of it."""
        walker: Walker = self.walker
        j: cython.int = walker.offset[d]
        if walker.offset[d + 1] - j != 1:
            return False
        state: cython.int = walker.states[j]
        flagged: cython.ulonglong = lexicon.run[state]
        if not flagged or trie.below[node] & (~flagged | self.lengthy):
            return False
        found = self.free.get(state)
        if found is None:
            found = self.free[state] = lexicon.base[state] == state or _is_loop(lexicon, state)
        return found  # type: ignore[no-any-return]

    def _stays(self, d: cython.int) -> cython.bint:
        """Whether the frame after d bytes holds the same single item as the one before."""
        walker: Walker = self.walker
        i: cython.int = walker.offset[d]
        k: cython.int = walker.offset[d - 1]
        if i - k != 1 or walker.offset[d + 1] - i != 1:
            return False
        return (
            walker.states[i] == walker.states[k]
            and walker.positions[i] == walker.positions[k]
            and walker.stacks[i] == walker.stacks[k]
        )

    def _covers(self, lexicon: Lexicon, trie: Trie, node: cython.int, d: cython.int) -> cython.bint:
        """Whether an item of the frame after a node loops on all that can follow, without a choice of loops."""
        walker: Walker = self.walker
        j: cython.int
        start: cython.int = walker.offset[d]
        stop: cython.int = walker.offset[d + 1]
        for j in range(start, stop if stop < start + 2 else start + 2):
            state: cython.int = walker.states[j]
            flagged: cython.ulonglong = lexicon.run[state]
            if (
                flagged
                and not trie.below[node] & ~flagged
                and trie.reach[node] - trie.characters[node] <= lexicon.most[state]
                and not _is_choice(lexicon, state)
            ):
                return True
        return False


def _group(groups: Groups, after: int, ended: int) -> array[int]:
    found = groups.get((after, ended))
    if found is None:
        found = groups[after, ended] = array("i")
    return found


def _is_loop(lexicon: Lexicon, state: int) -> bool:
    """Whether a state is any repetition of one class, outside of strings: each character leads back to it."""
    e = lexicon.expressions
    x = lexicon.state_expressions[state]
    if e.kind[x] != RAW or e.kind[e.first[x]] != REPEAT:
        return False
    x = e.first[x]
    return e.kind[e.first[x]] == CHARS and e.second[x] == 0 and e.third[x] < 0  # type: ignore[no-any-return]


def _is_choice(lexicon: Lexicon, state: int) -> bool:
    e = lexicon.expressions
    x = lexicon.state_expressions[state]
    while e.kind[x] in (CAT, RAW, BODY):
        x = e.first[x]
    return e.kind[x] == OR  # type: ignore[no-any-return]
