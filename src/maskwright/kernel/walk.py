"""The walk: token trie against configurations, the one loop that must be fast.

An item whose lexeme loops on text (WIDE) would visit the whole trie. Its loop accepts every token made of its
categories, so those are copied from a *cover* that the vocabulary keeps per (categories, length), and only subtrees
that hold something else are walked; loops that are met often have a *profile*. An item that reads one of some words
follows the words along the trie.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import cython

from maskwright.kernel.closures import Closures
from maskwright.kernel.codes import FIRST_CODE, Codes
from maskwright.kernel.covers import Covers
from maskwright.kernel.expressions import EPSILON, LABEL, NEVER, WORDS, Expressions
from maskwright.kernel.frames import REFUSED, Frames
from maskwright.kernel.lexicon import ACCEPTS, CONTINUES, DEAD, UNBOUNDED, UNKNOWN, WIDE, Lexicon
from maskwright.kernel.profiles import Profile
from maskwright.kernel.trie import Trie

__all__ = ["REFUSED", "Walker"]

Item = tuple[int, int, int]


class Walker(Frames):
    """Masks of one network over one vocabulary."""

    def __init__(
        self,
        trie: Trie,
        covers: Covers,
        closures: Closures,
        root: object,
        realize: Callable[[object, str], object],
        end_ids: list[int],
    ) -> None:
        """Start at the node ``root``; see :class:`Frames`."""
        super().__init__(closures, root, realize, trie.longest)
        self.trie = trie
        self.covers = covers
        self.end_ids = end_ids
        self.doubtful = []

    def advance(
        self, configuration: cython.int, token: cython.int, data: bytes, source: Callable[[int], str] | None
    ) -> cython.int:
        """The configuration after a token's bytes, or REFUSED; see ``Frames.advance``.

        Where a single string body goes on, its profile knows the state after the token.
        """
        items: tuple = self.configurations[configuration]
        if len(items) == 1:
            state: cython.int = items[0][0]
            profile: Profile = self.covers.profiles.get(state)
            if profile is not None and profile.spent[token] >= 0 and profile.crossing[token] < 0:
                after: cython.int = profile.landing[token]
                if after != state:
                    configuration = self.configuration([(after, items[0][1], items[0][2])])
                return configuration
        return Frames.advance(self, configuration, token, data, source)  # type: ignore[no-any-return]

    def name(
        self, configuration: cython.int, token: cython.int, data: bytes, source: Callable[[int], str] | None
    ) -> cython.int:
        """The configuration after a token that some grammar names: after its code, and its bytes if it is text."""
        code: bytes = self.lexicon.codes.named[token]
        if not data:
            return self.advance(configuration, token, code, source)
        one = self.read(configuration, data, source)
        captured: cython.int = self.captured
        found = self.join(one, self.read(configuration, code, source))
        if captured <= 0 and self.captured <= 0:
            self.transitions[(cython.cast(cython.longlong, configuration) << 32) | token] = found
        return found

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _walk(
        self,
        trie: Trie,
        row: cython.uint[::1],
        node: cython.int,
        stop: cython.int,
        covered: cython.ulonglong,
        covered_most: cython.int,
    ) -> cython.int:
        """Set the bits of all tokens in nodes ``node .. stop`` that frame 0 can read.

        Frame d is valid for the prefix of the node before ``node`` at depth d. Subtrees wholly made of ``covered``
        categories within ``covered_most`` characters are passed over: their bits are set already.
        """
        lexicon: Lexicon = self.lexicon
        closures: Closures = self.closures
        byte: cython.int[::1] = trie.byte
        depth: cython.int[::1] = trie.depth
        end: cython.int[::1] = trie.end
        first_token: cython.int[::1] = trie.first_token
        offset: cython.int[::1] = self.offset
        unknown: cython.int = UNKNOWN
        dead: cython.int = DEAD
        continues: cython.int = CONTINUES
        accepts: cython.int = ACCEPTS
        states: cython.int[::1] = self.states
        capacity: cython.int = self.capacity
        below: cython.ulonglong[::1] = trie.below
        d: cython.int
        start: cython.int
        top: cython.int
        state: cython.int
        bits: cython.int
        j: cython.int
        k: cython.int
        token: cython.int
        flagged: cython.ulonglong
        known: cython.int = -1
        known_position: cython.int = -1
        known_stack: cython.int = -1
        known_entry: cython.ulonglong = 0
        while node < stop:
            if covered and not (trie.path[node] | below[node]) & ~covered and trie.reach[node] <= covered_most:
                node = end[node]
                continue
            d = depth[node]
            start = offset[d]
            self.captured = 0
            if start - offset[d - 1] == 1:
                j = offset[d - 1]
                state = lexicon.rows[256 * states[j] + byte[node]]
                if state == unknown:
                    state = lexicon.step(states[j], byte[node])
                bits = closures.filter[self.positions[j]]
                if state == dead or (bits >= 0 and not closures.passes(bits, state)):
                    node = end[node]
                    continue
                bits = lexicon.flags[state]
                if bits & accepts and bits & continues and closures.weight[self.positions[j]] == 0:
                    # What follows the end of the lexeme matters only if a character below can begin it.
                    if state != known or self.positions[j] != known_position or self.stacks[j] != known_stack:
                        known = state
                        known_position = self.positions[j]
                        known_stack = self.stacks[j]
                        known_entry = self._beginnings(state, known_position, known_stack)
                    if not below[node] & known_entry:
                        bits = continues
                if bits & accepts:
                    top = start
                    if bits & continues:
                        top = self._add(start, top, state, self.positions[j], self.stacks[j])
                    top = self._leave(start, top, state, self.positions[j], self.stacks[j])
                    if top == start:
                        node = end[node]
                        continue
                else:
                    if start == capacity:
                        capacity = self._widen()
                        states = self.states
                    states[start] = state
                    self.positions[start] = self.positions[j]
                    self.stacks[start] = self.stacks[j]
                    top = start + 1
                offset[d + 1] = top
            elif self._step(d - 1, byte[node]) == 0:
                node = end[node]
                continue
            if self.capacity != capacity:
                capacity = self.capacity
                states = self.states
            k = self.crossed[d - 1]
            self.crossed[d] = k + (self.captured if self.captured >= 0 else 1 if k else 0)
            if self.crossed[d] > 1:
                # Whether a second captured string may end here depends on the text of the first, and what may follow a
                # recall on the value before it, both unknown to a mask.
                for j in range(first_token[node], first_token[end[node]]):
                    self.doubtful.append(trie.order[j])
                node = end[node]
                continue
            top = offset[d + 1]
            # A loop on text takes a whole subtree at once; looking at the first two items is enough in practice.
            k = first_token[node + 1]
            for j in range(start, top if top < start + 2 else start + 2):
                flagged = lexicon.run[states[j]]
                if (
                    flagged
                    and not below[node] & ~flagged
                    and trie.reach[node] - trie.characters[node] <= lexicon.most[states[j]]
                ):
                    k = first_token[end[node]]
                    break
            for j in range(first_token[node], k):
                token = trie.order[j]
                row[token >> 5] |= cython.cast(cython.uint, 1) << (token & 31)
            node = end[node] if k > first_token[node + 1] else node + 1
        return 0

    def _beginnings(self, state: cython.int, position: cython.int, stack: cython.int) -> cython.ulonglong:
        """The categories of characters that can follow a lexeme which ends in a state."""
        closures: Closures = self.closures
        return closures.begin(closures.find(closures.leave(position, self.lexicon.label[state]), stack))

    def fill(self, configuration: cython.int, row: cython.uint[::1]) -> cython.int:
        """Compute a configuration's mask into a zeroed row of ``ceil(width / 32)`` words.

        Tokens that would end two captured strings are left out of the row and listed in ``doubtful``: they are to be
        read one by one, with the text.
        """
        self.source = None
        self.doubtful = []
        self.crossed[0] = 0
        self.effort = 0
        self.closures.effort = 0
        self.next_effort = self.slice
        self.masking = True
        try:
            self._fill_items(self.configurations[configuration], row)
            if self.lexicon.codes.named:
                self._fill_named(self.configurations[configuration], row)
        finally:
            self.masking = False
        if self.accepting[configuration]:
            for token in self.end_ids:
                row[token >> 5] |= 1 << (token & 31)
        return 0

    def _fill_items(self, items: tuple, row: cython.uint[::1]) -> cython.int:
        narrow: list[Item] = []
        fresh = True
        # Wide items first: the first of them may use the row as it is, and takes tokens away again.
        for item in sorted(items, key=self._is_narrow) if len(items) > 1 else items:
            state: cython.int = item[0]
            if self.lexicon.rows[256 * state] == UNKNOWN:
                self.lexicon.fill(state)
            if self.lexicon.flags[state] & WIDE:
                if fresh:
                    self._fill_wide(item, row)
                    fresh = False
                else:
                    scratch: cython.uint[::1] = array("I", bytes(4 * len(row)))
                    self._fill_wide(item, scratch)
                    _unite(row, scratch)
            elif self.lexicon.words_at(state) != NEVER:
                self._fill_words(item, self.lexicon.words_at(state), row)
                fresh = False
            elif item[1] != 0:
                narrow.append(item)
        if narrow:
            self._load(tuple(narrow))
            self._walk_root(row)
        return 0

    def fill_named(self, configuration: cython.int, row: cython.uint[::1]) -> cython.int:
        """Set the bits of the tokens that are named and can follow."""
        self.source = None
        self.doubtful = []
        return self._fill_named(self.configurations[configuration], row)

    def _fill_named(self, items: tuple, row: cython.uint[::1]) -> cython.int:
        """The tokens that are named, by their codes."""
        codes: Codes = self.lexicon.codes
        live: cython.uchar[::1] = bytearray(256)
        self._load(items)
        self._mark_live(0, live)
        for byte in range(FIRST_CODE, 256):
            if live[byte]:
                trie: Trie = codes.trie()
                return self._walk(trie, row, 1, trie.size, 0, 0)
        return 0

    def _is_narrow(self, item: tuple) -> bool:
        return not self.lexicon.flags[item[0]] & WIDE

    def _fill_wide(self, item: tuple, row: cython.uint[::1]) -> cython.int:
        """The tokens of one item that loops on text, into a zeroed row."""
        state: cython.int = item[0]
        lexicon: Lexicon = self.lexicon
        base: cython.int = lexicon.base[state]
        profile: Profile = None if base == DEAD else self.covers.offer(lexicon, base)
        if profile is None:
            self.covers.add(lexicon.run[state], lexicon.most[state], row)
            self._load((item,))
            # Past its bound a loop that stands alone is dead, so what it covers without bound needs no second look.
            if lexicon.most[state] == UNBOUNDED or base != DEAD:
                rest = self.covers.residue(lexicon.run[state], lexicon.is_body(state))
                if rest is not None:
                    small: Trie = rest
                    return self._walk(small, row, 1, small.size, 0, 0)
            return self._walk(self.trie, row, 1, self.trie.size, lexicon.run[state], lexicon.most[state])
        _unite(row, profile.inside)
        found: cython.int = self.closures.find(self.closures.leave(item[1], 0), item[2])
        self._load_closure(found, 0)
        self.crossed[0] = max(self.closures.weight[item[1]], 0)
        self._walk(profile.rests, row, 1, profile.rests.size, 0, 0)
        self.crossed[0] = 0
        if lexicon.limit[state] < profile.most:
            _keep(row, profile.limit(lexicon.limit[state]))
        if lexicon.least[state] > 0:
            _keep(row, profile.floor(min(lexicon.least[state], profile.most + 1)))
        if state != base and lexicon.limit[state] == UNBOUNDED and lexicon.least[state] == 0:
            self._exclude(state, base, row)
        return 0

    def _fill_words(self, item: tuple, run: cython.int, row: cython.uint[::1]) -> cython.int:
        """The tokens of one item that reads the rest of one of some words inside a string.

        Where words stand as they are the trie is followed along the sorted words, without a state for each character:
        the states of a hundred names cost 4 ms. What comes after a closing quote or a backslash is walked as usual.
        """
        e: Expressions = self.lexicon.expressions
        trie: Trie = self.trie
        closures: Closures = self.closures
        position: cython.int = item[1]
        stack: cython.int = item[2]
        minimal: cython.int = e.second[self.lexicon.state_expressions[item[0]]]
        lives = closures.live_words(position, run)
        node: cython.int
        child: cython.int
        d: cython.int
        todo = [(0, run)]
        while todo:
            node, at = todo.pop()
            d = trie.depth[node]
            if e.nullable[at]:
                label: cython.int = (
                    e.first[at] if e.kind[at] == LABEL else e.word_label(at) if e.kind[at] == WORDS else 0
                )
                child = trie._child(node, 0x22)
                if child >= 0 and closures.lets(position, label):
                    self._set(trie, child, row)
                    self._load_closure(closures.find(closures.leave(position, label), stack), d + 1)
                    self.crossed[d + 1] = max(closures.weight[position], 0)
                    self._walk(trie, row, child + 1, trie.end[child], 0, 0)
            child = trie._child(node, 0x5C)
            if child >= 0:
                self._load(((self.lexicon.state(e.body(at, minimal)), position, stack),), d)
                self._walk(trie, row, child, trie.end[child], 0, 0)
            if e.kind[at] != WORDS:
                continue
            for point, _, rest in self.lexicon.moves.of(at):
                if lives is not None and not closures.any_lives(position, lives, rest):
                    continue
                child = self._spell(node, point, row)
                if child >= 0:
                    todo.append((child, rest))
        return 0

    def _spell(self, node: cython.int, point: cython.int, row: cython.uint[::1]) -> cython.int:
        """Follow one character as it stands from a node, setting the tokens on the way; -1 if no token goes there."""
        if point < 0x20 or point == 0x22 or point == 0x5C:
            return -1
        for byte in chr(point).encode():
            node = self.trie._child(node, byte)
            if node < 0:
                return -1
            self._set(self.trie, node, row)
        return node

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _set(self, trie: Trie, node: cython.int, row: cython.uint[::1]) -> cython.int:
        """Set the tokens that end at a node."""
        j: cython.int
        token: cython.int
        for j in range(trie.first_token[node], trie.first_token[node + 1]):
            token = trie.order[j]
            row[token >> 5] |= cython.cast(cython.uint, 1) << (token & 31)
        return 0

    def _walk_root(self, row: cython.uint[::1]) -> cython.int:
        """Walk the root's subtrees that frame 0 can enter: by its items' next bytes, not by the root's 256 children."""
        trie: Trie = self.trie
        live: cython.uchar[::1] = bytearray(256)
        self._mark_live(0, live)
        b: cython.int
        node: cython.int
        for b in range(256):
            if live[b]:
                node = trie.root_child[b]
                if node >= 0:
                    self._walk(trie, row, node, trie.end[node], 0, 0)
        return 0

    def _exclude(self, state: cython.int, base: cython.int, row: cython.uint[::1]) -> cython.int:
        """Clear the tokens that only ``base`` can read: those on which it reaches the end of an excluded word.

        The two states agree as soon as a text leaves the excluded words, so only the paths of those are followed, and
        where words stand as they are, without states for their characters.
        """
        excluded: cython.int = self.lexicon.excluded_at(state)
        if excluded == NEVER:
            return self._exclude_states([(0, state, base)], row)
        e: Expressions = self.lexicon.expressions
        trie: Trie = self.trie
        minimal: cython.int = e.second[self.lexicon.state_expressions[state]]
        node: cython.int
        child: cython.int
        j: cython.int
        todo = [(0, excluded)]
        while todo:
            node, run = todo.pop()
            if e.nullable[run]:
                child = trie._child(node, 0x22)
                if child >= 0:
                    for j in range(trie.first_token[child], trie.first_token[trie.end[child]]):
                        row[trie.order[j] >> 5] &= 0xFFFFFFFF ^ (cython.cast(cython.uint, 1) << (trie.order[j] & 31))
            if trie._child(node, 0x5C) >= 0:
                mine = self.lexicon.state(e.body(e.negate(run), minimal))
                self._exclude_states([(node, mine, base)], row, only=0x5C)
            if run != EPSILON:
                for point, _, rest in self.lexicon.moves.of(run):
                    child = _follow(trie, node, point)
                    if child >= 0:
                        todo.append((child, rest))
        return 0

    def _exclude_states(self, todo: list, row: cython.uint[::1], only: cython.int = -1) -> cython.int:
        """The same by states: below nodes with what is read there and what ``base`` reads; by one byte if ``only``."""
        lexicon: Lexicon = self.lexicon
        trie: Trie = self.trie
        j: cython.int
        token: cython.int
        dead: cython.int = DEAD
        unknown: cython.int = UNKNOWN
        while todo:
            node, one, other = todo.pop()
            child: cython.int = node + 1
            mine: cython.int = one
            theirs: cython.int = other
            stop: cython.int = trie.end[node]
            while child < stop:
                byte: cython.int = trie.byte[child]
                if only < 0 or byte == only:
                    a: cython.int = lexicon.rows[256 * mine + byte]
                    if a == unknown:
                        a = lexicon.step(mine, byte)
                    b: cython.int = lexicon.rows[256 * theirs + byte]
                    if b == unknown:
                        b = lexicon.step(theirs, byte)
                    if a == dead and b != dead:
                        for j in range(trie.first_token[child], trie.first_token[trie.end[child]]):
                            token = trie.order[j]
                            row[token >> 5] &= 0xFFFFFFFF ^ (cython.cast(cython.uint, 1) << (token & 31))
                    elif a != b:
                        todo.append((child, a, b))
                child = trie.end[child]
            only = -1
        return 0


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def _unite(row: cython.uint[::1], other: cython.uint[::1]) -> cython.int:
    i: cython.Py_ssize_t
    for i in range(len(row)):
        row[i] |= other[i]
    return 0


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def _keep(row: cython.uint[::1], other: cython.uint[::1]) -> cython.int:
    i: cython.Py_ssize_t
    for i in range(len(row)):
        row[i] &= other[i]
    return 0


def _follow(trie: Trie, node: cython.int, point: cython.int) -> cython.int:
    """The node after one character as it stands; -1 if there is none, or JSON would not let it stand."""
    if point < 0x20 or point == 0x22 or point == 0x5C:
        return -1
    for byte in chr(point).encode():
        node = trie._child(node, byte)
        if node < 0:
            return -1
    return node
