"""Frames and configurations: which items are alive after the bytes of an output, or of a path in the token trie.

A *configuration* is the sorted set of items a matcher is in: (lexeme state, position, stack). Configurations are
interned, so a matcher is one integer. While bytes are followed no configuration is built: *frame* d holds the items
after d bytes, in ``offset[d] .. offset[d + 1]`` of the columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import cython

from maskwright.errors import LimitError, Problem
from maskwright.kernel.closures import CAPTURE, RECALL, ROOT, Closures
from maskwright.kernel.codes import DIGITS, FIRST_CODE
from maskwright.kernel.lexicon import ACCEPTS, CONTINUES, DEAD, UNKNOWN, Lexicon
from maskwright.patience import rest

__all__ = ["REFUSED", "Frames"]

#: No configuration: the token cannot be read here.
REFUSED = -1
#: Items that all frames of one walk may hold together, and how many have room at first.
FRAME_ITEMS = 262_144
FIRST_ITEMS = 1_024
#: Comparisons of items that one mask, or reading one byte of a text, may take: about a second.
EFFORT = 1_000_000_000
#: The same between two rests.
SLICE = 10_000_000
#: Characters below which reading them one by one costs no more.
SHORT = 2
#: Forced text is found in pieces of this many bytes at most.
FORCED_BYTES = 65_536

Item = tuple[int, int, int]


class Frames:
    """Configurations and transitions of one network."""

    def __init__(
        self, closures: Closures, root: object, realize: Callable[[object, str], object], longest: cython.int
    ) -> None:
        """Start at the node ``root``; ``realize`` names the node that a captured text leads to.

        ``longest`` is the greatest number of bytes that are followed without a configuration in between.
        """
        self.closures = closures
        self.lexicon = closures.lexicon
        self.realize = realize
        self.longest = max(longest, DIGITS)
        self.source = None
        self.done = 0
        self.masking = False
        self.capture = CAPTURE
        self.recall = RECALL
        self.captured = 0
        self.crossed = array("i", bytes(4 * (self.longest + 3)))
        self.effort = 0
        self.slice = SLICE
        self.next_effort = SLICE
        self.capacity = FIRST_ITEMS
        self.states = array("i", bytes(4 * FIRST_ITEMS))
        self.positions = array("i", bytes(4 * FIRST_ITEMS))
        self.stacks = array("i", bytes(4 * FIRST_ITEMS))
        self.offset = array("i", bytes(4 * (self.longest + 3)))
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

    def _load(self, items: tuple, d: cython.int = 0) -> cython.int:
        """Put items into frame d."""
        top = 0
        while len(items) > self.capacity:
            self._widen()
        for state, position, stack in items:
            self.states[top] = state
            self.positions[top] = position
            self.stacks[top] = stack
            top += 1
        self.offset[d] = 0
        self.offset[d + 1] = top
        self.crossed[d] = 0
        return top

    def _frame(self, d: cython.int) -> list[Item]:
        """The items of a frame, sorted."""
        span = range(self.offset[d], self.offset[d + 1])
        items = [(self.states[i], self.positions[i], self.stacks[i]) for i in span]
        items.sort()
        return items

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _add(
        self, start: cython.int, top: cython.int, state: cython.int, position: cython.int, stack: cython.int
    ) -> cython.int:
        """Add an item to the frame ``start .. top``, merging stacks; the new top."""
        i: cython.int
        self.effort += top - start
        if self.effort > self.next_effort:
            self._pause()
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

    def _pause(self) -> cython.int:
        """Let other threads run; and end what compares items without end, since nothing else could end it."""
        self.next_effort = self.effort + SLICE
        if self.effort <= EFFORT:
            rest()
            return 0
        self.effort = 0
        self.next_effort = SLICE
        raise LimitError(Problem("too many ways to read the same text", remedy="make the grammar less ambiguous"))

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
    def _leave(
        self, start: cython.int, top: cython.int, state: cython.int, position: cython.int, stack: cython.int
    ) -> cython.int:
        """A lexeme may end: add what can be entered after it; the new top."""
        closures: Closures = self.closures
        goto: cython.int = closures.leave(position, self.lexicon.label[state])
        kind: cython.int = closures.kind[position]
        if closures.weight[position]:
            if self.captured < closures.weight[position] or self.captured == 0:
                self.captured = closures.weight[position]
            if self.source is not None and (kind == self.capture or kind == self.recall):
                text = self.source(self.done) if kind == self.capture else self.source(self.done, True)
                key = self.realize(closures.node_keys[closures.target[position]], text)
                goto = closures.goto(closures.node(key), position + 1)
        found: cython.int = closures.find(goto, stack)
        i: cython.int
        first: cython.int = closures.offset[found]
        last: cython.int = closures.offset[found + 1]
        for i in range(first, last):
            state = closures.masked[i] if self.masking else closures.states[i]
            top = self._add(start, top, state, closures.positions[i], closures.stack_of[i])
        return top

    def _load_closure(self, found: cython.int, d: cython.int = 0) -> cython.int:
        """Put a closure's items, as a mask takes them, into frame d."""
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
        self.offset[d] = 0
        self.offset[d + 1] = size
        self.crossed[d] = 0
        return 0

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
                state = lexicon.step(self.states[j], byte)
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

    def canonical(self, configuration: cython.int) -> cython.int:
        """The configuration with the same mask that counts as little as it may."""
        lexicon: Lexicon = self.lexicon
        items = [
            (lexicon.mask_state(state) if position else state, position, stack)
            for state, position, stack in self.configurations[configuration]
        ]
        return self.configuration(sorted(self._merged(items)))

    def _merged(self, items: list) -> list[Item]:
        """Items with the stacks of those that agree in state and position merged."""
        stacks: dict[tuple[int, int], int] = {}
        for state, position, stack in items:
            known = stacks.get((state, position), stack)
            stacks[state, position] = stack if known == stack else self.closures.merge(known, stack)
        return [(state, position, stack) for (state, position), stack in stacks.items()]

    def advance(
        self, configuration: cython.int, token: cython.int, data: bytes, source: Callable[[int], str] | None
    ) -> cython.int:
        """The configuration after a token's bytes, or REFUSED.

        When a capture ends, ``source`` is called with the number of bytes read so far and gives the string that was
        written; with a second argument ``True`` the JSON text of the value before the separator. Transitions are
        remembered unless a capture ended, because then they depend on that string.
        """
        key: cython.longlong = (cython.cast(cython.longlong, configuration) << 32) | token
        found = self.transitions.get(key)
        if found is None:
            found = self.read(configuration, data, source)
            if self.captured <= 0:
                self.transitions[key] = found
        return found  # type: ignore[no-any-return]

    def join(self, one: cython.int, other: cython.int) -> cython.int:
        """The configuration that goes on as either of two."""
        if one < 0 or other < 0 or one == other:
            return max(one, other)
        return self.configuration(sorted(self._merged([*self.configurations[one], *self.configurations[other]])))

    def read(self, configuration: cython.int, data: bytes, source: Callable[[int], str] | None) -> cython.int:
        """The configuration after some bytes, or REFUSED; without ``source`` captures stay unrealised."""
        self.captured = 0
        self.source = source
        try:
            self._load(self.configurations[configuration])
            d: cython.int = 0
            self.done = self._leap(configuration, data)
            if self.offset[1] == 0:
                return REFUSED
            for byte in data[self.done :] if self.done else data:
                self.done += 1
                self.effort = self.closures.effort = 0
                self.next_effort = self.slice
                if self._step(d, byte) == 0:
                    return REFUSED
                d += 1
                if d > self.longest:
                    self._load(tuple(self._frame(d)))
                    d = 0
            return self.configuration(self._frame(d))
        finally:
            self.source = None

    def _leap(self, configuration: cython.int, data: bytes) -> cython.int:
        """Read the plain characters that some bytes begin with at once, into frame 0, if all items are inside words.

        The number of bytes read; with no item left in frame 0 if none goes on with them.
        """
        stop: cython.int = 0
        for byte in data:
            if byte < 0x20 or byte > 0x7E or byte == 0x22 or byte == 0x5C:
                break
            stop += 1
        if stop < SHORT:
            return 0
        text = data[:stop].decode()
        items: list[Item] = []
        for state, position, stack in self.configurations[configuration]:
            after: cython.int = self.lexicon.leap(state, text)
            if after == UNKNOWN:
                return 0
            chosen: cython.int = self.closures.filter[position]
            if after == DEAD or (chosen >= 0 and not self.closures.passes(chosen, after)):
                continue
            items.append((after, position, stack))
        self._load(tuple(self._merged(items)))
        return stop

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
            if lexicon.rows[256 * state + 0x80] == unknown or lexicon.rows[256 * state + 0x5C] == unknown:
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
        """The bytes that every continuation begins with; empty where the output may end. At most FORCED_BYTES.

        They end before a token that is named.
        """
        self._load(self.configurations[configuration])
        data = bytearray()
        live = bytearray(256)
        d: cython.int = 0
        while len(data) < FORCED_BYTES:
            live[:] = bytes(256)
            if self._mark_live(d, live) or live.count(1) != 1:
                break
            byte: cython.int = live.index(1)
            if byte >= FIRST_CODE:
                break
            if self._step(d, byte) == 0:
                break
            data.append(byte)
            d += 1
            if d > self.longest:
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
