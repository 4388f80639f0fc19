"""The walk: token trie against configurations, the one loop that must be fast.

A *configuration* is the sorted set of items a matcher is in: (lexeme state, position, stack). While walking the trie a
*frame* holds the items after each byte of the path, ``frames[offset[d] .. offset[d + 1]]`` for depth d; no configuration
is built inside a walk. Between tokens configurations are interned, so a matcher is one integer and masks are kept by
configuration.

An item whose lexeme loops on text (WIDE) would visit the whole trie. Its loop accepts every token made of its
categories, so those are copied from a *cover* that the vocabulary keeps per (categories, length), and only subtrees
that hold something else are walked.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import cython

from maskwright.errors import LimitError, Problem
from maskwright.kernel.closures import CAPTURE, ROOT, Closures
from maskwright.kernel.covers import Covers
from maskwright.kernel.lexicon import ACCEPTS, CONTINUES, DEAD, UNBOUNDED, UNKNOWN, WIDE, Lexicon
from maskwright.kernel.profiles import Profile
from maskwright.kernel.trie import Trie

__all__ = ["REFUSED", "Walker"]

#: No configuration: the token cannot be read here.
REFUSED = -1
#: Items that all frames of one walk may hold together, and how many have room at first.
FRAME_ITEMS = 262_144
FIRST_ITEMS = 1_024
#: Forced text is found in pieces of this many bytes at most.
FORCED_BYTES = 65_536

Item = tuple[int, int, int]


class Walker:
    """Configurations, transitions and masks of one network over one vocabulary."""

    def __init__(
        self,
        trie: Trie,
        covers: Covers,
        closures: Closures,
        root: object,
        realize: Callable[[object, str], object],
        end_ids: list[int],
    ) -> None:
        """Start at the node ``root``; ``realize`` names the node that a captured text leads to."""
        self.trie = trie
        self.covers = covers
        self.closures = closures
        self.lexicon = closures.lexicon
        self.realize = realize
        self.end_ids = end_ids
        self.source = None
        self.done = 0
        self.masking = False
        self.capture = CAPTURE
        self.captured = False
        self.doubtful = []
        self.crossed = array("i", bytes(4 * (trie.longest + 3)))
        self.capacity = FIRST_ITEMS
        self.states = array("i", bytes(4 * FIRST_ITEMS))
        self.positions = array("i", bytes(4 * FIRST_ITEMS))
        self.stacks = array("i", bytes(4 * FIRST_ITEMS))
        self.offset = array("i", bytes(4 * (trie.longest + 3)))
        self.configurations = []
        self.configuration_ids = {}
        self.accepting = []
        self.transitions = {}
        starts = closures.starts(closures.node(root))
        self.root = self.configuration(closures.enter([(start, ROOT) for start in starts]))

    def configuration(self, items: list) -> cython.int:
        """The number of a sorted list of items; REFUSED for none."""
        if not items:
            return REFUSED
        key = tuple(items)
        found = self.configuration_ids.get(key)
        if found is None:
            found = self.configuration_ids[key] = len(self.configurations)
            self.configurations.append(key)
            self.accepting.append(any([item[1] == 0 for item in items]))
        return found  # type: ignore[no-any-return]

    def _load(self, items: tuple) -> cython.int:
        """Put items into frame 0."""
        top = 0
        while len(items) > self.capacity:
            self._widen()
        for state, position, stack in items:
            self.states[top] = state
            self.positions[top] = position
            self.stacks[top] = stack
            top += 1
        self.offset[0] = 0
        self.offset[1] = top
        return top

    def _frame(self, d: cython.int) -> list[Item]:
        """The items of a frame, sorted."""
        span = range(self.offset[d], self.offset[d + 1])
        items = [(self.states[i], self.positions[i], self.stacks[i]) for i in span]
        items.sort()
        return items

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _add(self, start: cython.int, top: cython.int, state: cython.int, position: cython.int, stack: cython.int) -> cython.int:
        """Add an item to the frame ``start .. top``, merging stacks; the new top."""
        i: cython.int
        for i in range(start, top):
            if self.states[i] == state and self.positions[i] == position:
                if self.stacks[i] != stack:
                    self.stacks[i] = self.closures.merge(self.stacks[i], stack)
                return top
        if top == self.capacity:
            self._widen()
        self.states[top] = state
        self.positions[top] = position
        self.stacks[top] = stack
        return top + 1

    def _widen(self) -> cython.int:
        """Double the room of the frames."""
        if self.capacity == FRAME_ITEMS:
            reason = f"more than {FRAME_ITEMS} ways to read one token"
            raise LimitError(Problem(reason, remedy="make the grammar less ambiguous"))
        columns = []
        for column in (self._column(0), self._column(1), self._column(2)):
            columns.append(array("i", column.tobytes() + bytes(4 * self.capacity)))
        self.states, self.positions, self.stacks = columns
        self.capacity *= 2
        return self.capacity

    def _column(self, which: cython.int) -> memoryview:
        column = self.states if which == 0 else self.positions if which == 1 else self.stacks
        return memoryview(column)

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _leave(self, start: cython.int, top: cython.int, state: cython.int, position: cython.int, stack: cython.int) -> cython.int:
        """A lexeme may end: add what can be entered after it; the new top."""
        closures: Closures = self.closures
        goto: cython.int = closures.leave(position, self.lexicon.label[state])
        if closures.kind[position] == self.capture:
            self.captured = True
            if self.source is not None:
                key = self.realize(closures.node_keys[closures.target[position]], self.source(self.done))
                goto = closures.goto(closures.node(key), position + 1)
        found: cython.int = closures.find(goto, stack)
        i: cython.int
        first: cython.int = closures.offset[found]
        last: cython.int = closures.offset[found + 1]
        for i in range(first, last):
            state = closures.masked[i] if self.masking else closures.states[i]
            top = self._add(start, top, state, closures.positions[i], closures.stack_of[i])
        return top

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _step(self, d: cython.int, byte: cython.int) -> cython.int:
        """Read a byte from frame d into frame d + 1; the number of items there."""
        lexicon: Lexicon = self.lexicon
        closures: Closures = self.closures
        unknown: cython.int = UNKNOWN
        dead: cython.int = DEAD
        continues: cython.int = CONTINUES
        accepts: cython.int = ACCEPTS
        start: cython.int = self.offset[d + 1]
        top: cython.int = start
        j: cython.int
        state: cython.int
        bits: cython.int
        for j in range(self.offset[d], start):
            state = lexicon.rows[256 * self.states[j] + byte]
            if state == unknown:
                lexicon.fill(self.states[j])
                state = lexicon.rows[256 * self.states[j] + byte]
            if state == dead:
                continue
            bits = closures.filter[self.positions[j]]
            if bits >= 0 and not closures.passes(bits, state):
                continue
            bits = lexicon.flags[state]
            if bits & continues:
                top = self._add(start, top, state, self.positions[j], self.stacks[j])
            if bits & accepts:
                top = self._leave(start, top, state, self.positions[j], self.stacks[j])
        self.offset[d + 2] = top
        return top - start

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
        while node < stop:
            if covered and not (trie.path[node] | below[node]) & ~covered and trie.reach[node] <= covered_most:
                node = end[node]
                continue
            d = depth[node]
            start = offset[d]
            self.captured = False
            if start - offset[d - 1] == 1:
                j = offset[d - 1]
                state = lexicon.rows[256 * states[j] + byte[node]]
                if state == unknown:
                    lexicon.fill(states[j])
                    state = lexicon.rows[256 * states[j] + byte[node]]
                bits = closures.filter[self.positions[j]]
                if state == dead or (bits >= 0 and not closures.passes(bits, state)):
                    node = end[node]
                    continue
                bits = lexicon.flags[state]
                if bits & accepts:
                    top = start
                    if bits & continues:
                        top = self._add(start, top, state, self.positions[j], self.stacks[j])
                    top = self._leave(start, top, state, self.positions[j], self.stacks[j])
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
            self.crossed[d] = self.crossed[d - 1] + self.captured
            if self.crossed[d] > 1:
                # Whether a second captured string may end here depends on the text of the first, which a mask knows not.
                for j in range(first_token[node], first_token[end[node]]):
                    self.doubtful.append(trie.order[j])
                node = end[node]
                continue
            top = offset[d + 1]
            # A loop on text takes a whole subtree at once; looking at the first two items is enough in practice.
            k = first_token[node + 1]
            for j in range(start, top if top < start + 2 else start + 2):
                flagged = lexicon.run[states[j]]
                if flagged and not below[node] & ~flagged and trie.reach[node] - trie.characters[node] <= lexicon.most[states[j]]:
                    k = first_token[end[node]]
                    break
            for j in range(first_token[node], k):
                token = trie.order[j]
                row[token >> 5] |= cython.cast(cython.uint, 1) << (token & 31)
            node = end[node] if k > first_token[node + 1] else node + 1
        return 0

    def fill(self, configuration: cython.int, row: cython.uint[::1]) -> cython.int:
        """Compute a configuration's mask into a zeroed row of ``ceil(width / 32)`` words.

        Tokens that would end two captured strings are left out of the row and listed in ``doubtful``: they are to be
        read one by one, with the text.
        """
        self.source = None
        self.doubtful = []
        self.crossed[0] = 0
        self.masking = True
        try:
            self._fill_items(self.configurations[configuration], row)
        finally:
            self.masking = False
        if self.accepting[configuration]:
            for token in self.end_ids:
                row[token >> 5] |= 1 << (token & 31)
        return 0

    def canonical(self, configuration: cython.int) -> cython.int:
        """The configuration with the same mask that counts as little as it may."""
        lexicon: Lexicon = self.lexicon
        items: dict[tuple[int, int], int] = {}
        for state, position, stack in self.configurations[configuration]:
            key = (lexicon.mask_state(state) if position else state, position)
            known = items.get(key, stack)
            items[key] = stack if known == stack else self.closures.merge(known, stack)
        return self.configuration(sorted([(state, position, stack) for (state, position), stack in items.items()]))

    def _fill_items(self, items: tuple, row: cython.uint[::1]) -> cython.int:
        narrow: list[Item] = []
        fresh = True
        for item in items:
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
            elif item[1] != 0:
                narrow.append(item)
        if narrow:
            self._load(tuple(narrow))
            self._walk_root(row)
        return 0

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
        self._load_closure(found)
        self.crossed[0] = self.closures.kind[item[1]] == CAPTURE
        self._walk(profile.rests, row, 1, profile.rests.size, 0, 0)
        self.crossed[0] = 0
        if lexicon.limit[state] < profile.most:
            _keep(row, profile.limit(lexicon.limit[state]))
        if lexicon.least[state] > 0:
            _keep(row, profile.floor(min(lexicon.least[state], profile.most + 1)))
        if state != base and lexicon.limit[state] == UNBOUNDED and lexicon.least[state] == 0:
            self._exclude(state, base, row)
        return 0

    def _load_closure(self, found: cython.int) -> cython.int:
        """Put a closure's items, as a mask takes them, into frame 0."""
        closures: Closures = self.closures
        first: cython.int = closures.offset[found]
        size: cython.int = closures.offset[found + 1] - first
        i: cython.int
        while size > self.capacity:
            self._widen()
        for i in range(size):
            self.states[i] = closures.masked[first + i]
            self.positions[i] = closures.positions[first + i]
            self.stacks[i] = closures.stack_of[first + i]
        self.offset[0] = 0
        self.offset[1] = size
        return 0

    def _exclude(self, state: cython.int, base: cython.int, row: cython.uint[::1]) -> cython.int:
        """Clear the tokens that only ``base`` can read: those on which it reaches the end of an excluded word.

        The two states agree as soon as a text leaves the excluded words, so only the paths of those are followed.
        """
        lexicon: Lexicon = self.lexicon
        trie: Trie = self.trie
        j: cython.int
        token: cython.int
        dead: cython.int = DEAD
        unknown: cython.int = UNKNOWN
        todo = [(0, state, base)]
        while todo:
            node, one, other = todo.pop()
            child: cython.int = node + 1
            mine: cython.int = one
            theirs: cython.int = other
            if lexicon.rows[256 * mine] == unknown:
                lexicon.fill(mine)
            if lexicon.rows[256 * theirs] == unknown:
                lexicon.fill(theirs)
            stop: cython.int = trie.end[node]
            while child < stop:
                a: cython.int = lexicon.rows[256 * mine + trie.byte[child]]
                b: cython.int = lexicon.rows[256 * theirs + trie.byte[child]]
                if a == dead and b != dead:
                    for j in range(trie.first_token[child], trie.first_token[trie.end[child]]):
                        token = trie.order[j]
                        row[token >> 5] &= 0xFFFFFFFF ^ (cython.cast(cython.uint, 1) << (token & 31))
                elif a != b:
                    todo.append((child, a, b))
                child = trie.end[child]
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

    def advance(
        self, configuration: cython.int, token: cython.int, data: bytes, source: Callable[[int], str] | None
    ) -> cython.int:
        """The configuration after a token's bytes, or REFUSED.

        When a capture ends, ``source`` is called with the number of bytes read so far and gives the string that was
        written. Transitions are remembered unless a capture ended, because then they depend on that string.
        """
        key: cython.longlong = (cython.cast(cython.longlong, configuration) << 32) | token
        found = self.transitions.get(key)
        if found is None:
            found = self.read(configuration, data, source)
            if not self.captured:
                self.transitions[key] = found
        return found  # type: ignore[no-any-return]

    def read(self, configuration: cython.int, data: bytes, source: Callable[[int], str] | None) -> cython.int:
        """The configuration after some bytes, or REFUSED; without ``source`` captures stay unrealised."""
        self.captured = False
        self.source = source
        try:
            self._load(self.configurations[configuration])
            d: cython.int = 0
            self.done = 0
            for byte in data:
                self.done += 1
                if self._step(d, byte) == 0:
                    return REFUSED
                d += 1
                if d > self.trie.longest:
                    self._load(tuple(self._frame(d)))
                    d = 0
            return self.configuration(self._frame(d))
        finally:
            self.source = None

    def _mark_live(self, d: cython.int, live: cython.uchar[::1]) -> cython.int:
        """Mark the bytes that some item of frame d can read; 1 if the output may also end there."""
        lexicon: Lexicon = self.lexicon
        closures: Closures = self.closures
        i: cython.int
        b: cython.int
        state: cython.int
        after: cython.int
        chosen: cython.int
        ends: cython.int = 0
        dead: cython.int = DEAD
        unknown: cython.int = UNKNOWN
        for i in range(self.offset[d], self.offset[d + 1]):
            state = self.states[i]
            if self.positions[i] == 0:
                ends = 1
            if lexicon.rows[256 * state] == unknown:
                lexicon.fill(state)
            chosen: cython.int = closures.filter[self.positions[i]]
            for b in range(256):
                after = lexicon.rows[256 * state + b]
                if after > dead and (chosen < 0 or closures.passes(chosen, after)):
                    live[b] = 1
        return ends

    def next_bytes(self, configuration: cython.int) -> list:
        """The bytes that can follow, ascending."""
        self._load(self.configurations[configuration])
        live = bytearray(256)
        self._mark_live(0, live)
        return [b for b in range(256) if live[b]]

    def forced(self, configuration: cython.int) -> bytes:
        """The bytes that every continuation begins with; empty where the output may end. At most FORCED_BYTES."""
        self._load(self.configurations[configuration])
        data = bytearray()
        live = bytearray(256)
        d: cython.int = 0
        while len(data) < FORCED_BYTES:
            live[:] = bytes(256)
            if self._mark_live(d, live) or live.count(1) != 1:
                break
            byte: cython.int = live.index(1)
            if self._step(d, byte) == 0:
                break
            data.append(byte)
            d += 1
            if d > self.trie.longest:
                self._load(tuple(self._frame(d)))
                d = 0
        return bytes(data)

    def is_final(self, configuration: cython.int) -> bool:
        """Whether nothing but the end can follow."""
        return all([item[1] == 0 for item in self.configurations[configuration]])

    def nodes(self, configuration: cython.int) -> list:
        """The keys of the nodes whose productions are being read."""
        closures: Closures = self.closures
        owners = dict.fromkeys([closures.owner[item[1]] for item in self.configurations[configuration] if item[1]])
        return [closures.node_keys[node] for node in owners]


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
