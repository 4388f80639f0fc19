"""Closures: which lexeme states can be entered at a place of the network, with which stack.

Productions are laid out as *positions*, one per symbol and one for the end. A *stack* is a hash-consed map from the
position to return to, to the stack below it; several entries mean that several derivations share what lies above
(a graph-structured stack, Tomita 1985). An *item* is (lexeme state, position, stack). The closure of a place is the set
of items that are entered before the next byte is read; it is computed once per (place, stack).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable

import cython

from maskwright.errors import LimitError, Problem
from maskwright.kernel.expressions import WORDS
from maskwright.kernel.lexicon import ACCEPTS, CONTINUES, DEAD, UNKNOWN, Lexicon
from maskwright.kernel.trie import BYTE_CATEGORIES
from maskwright.patience import rest

__all__ = ["CALL", "CAPTURE", "END", "FINAL", "LEX", "NIL", "RECALL", "ROOT", "Closures"]

# Kinds of position.
FINAL = 0  # position 0: the whole output may end here
END = 1  # the end of a production
LEX = 2  # a lexeme; its gotos lead on by label
CAPTURE = 3  # a lexeme whose text names the node that is called next
CALL = 4  # a node
RECALL = 5  # a separator; the value before it names the node that is called next

#: The empty stack below everything, and the stack that every matcher starts with: return to FINAL.
NIL = 0
ROOT = 1
#: No stack: a call that would go too deep.
REFUSED = -1
#: How much higher than twice ``stack_depth`` a stack may grow where nothing flat can be entered instead.
STEEP = 64

#: Slots of the memory in front of the table of closures, a power of two; a look-up costs 5 ns there and 50 in a dict.
MEMO = 1024
#: Entries of stacks and items that one mask, or reading one byte of a text, may merge and enter: a second.
EFFORT = 500_000
#: The same between two rests.
SLICE = 5_000

#: Bit of ``entry`` that says that it was computed; no category has it.
KNOWN = 1 << 63

Item = tuple[int, int, int]


class Closures:
    """Positions, stacks and closures of one network over one lexicon; see the header for the columns."""

    def __init__(
        self, lexicon: Lexicon, expand: Callable[[Hashable], Iterable[tuple[object, ...]]], stack_depth: int
    ) -> None:
        """Start with the FINAL position and the ROOT stack; ``expand`` gives a node's productions."""
        self.lexicon = lexicon
        self.expand = expand
        self.stack_depth = stack_depth
        self.unspellable = False
        self.effort = 0
        self.most_effort = EFFORT
        self.next_effort = SLICE
        self.node_ids = {}
        self.node_keys = []
        self.node_starts = []
        self.places = 0
        self.kind = array("i", bytes(4 * 256))
        self.state = array("i", bytes(4 * 256))
        self.target = array("i", bytes(4 * 256))
        self.goto_base = array("i", bytes(4 * 256))
        self.owner = array("i", bytes(4 * 256))
        self.filter = array("i", bytes(4 * 256))
        self.weight = array("i", bytes(4 * 256))
        self._add(FINAL, DEAD, -1, -1)
        self.lives = []
        self.live_ids = {}
        self.passed = {}
        self.choices = {}
        self.counts = {}
        self.goto_node = []
        self.goto_position = []
        self.goto_ids = {}
        self.stacks = [(), ((0, NIL),)]
        self.stack_ids = {self.stacks[0]: NIL, self.stacks[1]: ROOT}
        self.depth = [0, 1]
        self.merged = {}
        self.returned = {NIL: []}
        self.ids = {}
        self.offset = array("i", bytes(4 * 256))
        self.states = array("i", bytes(4 * 1024))
        self.positions = array("i", bytes(4 * 1024))
        self.stack_of = array("i", bytes(4 * 1024))
        self.masked = array("i", bytes(4 * 1024))
        self.entry = array("Q", bytes(8 * 256))
        self.count = 0
        self.memo_key = array("q", b"\xff" * (8 * MEMO))
        self.memo_value = array("i", bytes(4 * MEMO))

    def node(self, key: Hashable) -> int:
        """The number of a node; nothing is expanded."""
        found = self.node_ids.get(key)
        if found is None:
            found = self.node_ids[key] = len(self.node_keys)
            self.node_keys.append(key)
            self.node_starts.append(None)
        return found  # type: ignore[no-any-return]

    def starts(self, node: int, depth: int = 0) -> tuple[int, ...]:
        """The first positions of a node's productions; expands it when first asked.

        On a stack of ``stack_depth`` and more only productions that call nothing are entered, where there are any: the
        output then closes what is open.
        """
        found = self.node_starts[node]
        if found is None:
            rest()
            productions = self.expand(self.node_keys[node])
            found = self.node_starts[node] = tuple([self._lay_out(node, production) for production in productions])
        if depth >= self.stack_depth:
            return tuple([start for start in found if self._is_flat(start)]) or found  # type: ignore[no-any-return]
        return found  # type: ignore[no-any-return]

    def _is_flat(self, position: int) -> bool:
        while self.kind[position] == LEX and position not in self.choices:
            position += 1
        return self.kind[position] == END

    def _lay_out(self, node: int, production: tuple[object, ...]) -> int:
        start = self.places
        for symbol in production:
            position = self.places
            name = type(symbol).__name__
            if name == "Call":
                self._add(CALL, 0, self.node(symbol.node), node)  # type: ignore[attr-defined]
                continue
            state = self._first_state(symbol.term)  # type: ignore[attr-defined]
            captures = name == "Capture"
            self._add(LEX if not captures else RECALL if symbol.is_recall else CAPTURE, state, -1, node)  # type: ignore[attr-defined]
            self.weight[position] = _weight(symbol)
            self.goto_base[position] = len(self.goto_node)
            if captures:
                self.target[position] = self.node(symbol.node)  # type: ignore[attr-defined]
                self._add_goto(self.target[position], position + 1)
            elif name == "Switch":
                self.goto_base[position] = -1
                self.choices[position] = symbol.targets  # type: ignore[attr-defined]
                if symbol.live >= 0:  # type: ignore[attr-defined]
                    self.filter[position] = self._filter(symbol.live)  # type: ignore[attr-defined]
            else:
                self._add_goto(-1, position + 1)
        self._add(END, 0, -1, node)
        return start

    def _first_state(self, term: object) -> int:
        expression = self.lexicon.intern(term)
        if not self.lexicon.is_spellable(expression):
            self.unspellable = True
            return DEAD
        return self.lexicon.state(expression)  # type: ignore[no-any-return]

    def _add(self, kind: int, state: int, target: int, node: int) -> None:
        place = self.places
        if place == len(self.kind):
            self._widen()
        self.kind[place] = kind
        self.state[place] = state
        self.target[place] = target
        self.owner[place] = node
        self.goto_base[place] = self.filter[place] = -1
        self.weight[place] = 0
        self.places = place + 1

    def _widen(self) -> None:
        self.kind = _doubled(self.kind)
        self.state = _doubled(self.state)
        self.target = _doubled(self.target)
        self.goto_base = _doubled(self.goto_base)
        self.owner = _doubled(self.owner)
        self.filter = _doubled(self.filter)
        self.weight = _doubled(self.weight)

    def _add_goto(self, node: int, position: int) -> int:
        self.goto_node.append(node)
        self.goto_position.append(position)
        return len(self.goto_node) - 1

    def _filter(self, live: int) -> int:
        found = self.live_ids.get(live)
        if found is None:
            found = self.live_ids[live] = len(self.lives)
            self.lives.append(live)
        return found  # type: ignore[no-any-return]

    def passes(self, filter_: cython.int, state: cython.int) -> cython.bint:
        """Whether a state of a filtered lexeme still leads to one of the words that may be read."""
        key: cython.longlong = (cython.cast(cython.longlong, filter_) << 32) | state
        found = self.passed.get(key)
        if found is None:
            expression = self.lexicon.state_expressions[state]
            found = self.passed[key] = self.lexicon.holds(expression, self.lives[filter_])
        return found  # type: ignore[no-any-return]

    def lets(self, position: cython.int, label: cython.int) -> cython.bint:
        """Whether the word with a label may be read at a position."""
        chosen: cython.int = self.filter[position]
        return chosen < 0 or self.lives[chosen] >> label & 1

    def live_words(self, position: cython.int, run: cython.int) -> list[int] | None:
        """How many of the first n words of a run's table, sorted, may be read, for every n; None if all may."""
        chosen: cython.int = self.filter[position]
        if chosen < 0:
            return None
        table = self.lexicon.expressions.first[run]
        key = (chosen, table)
        found = self.counts.get(key)
        if found is None:
            live, found = self.lives[chosen], [0]
            for label in self.lexicon.expressions.tables[table][1]:
                found.append(found[-1] + (live >> label & 1))
            self.counts[key] = found
        return found  # type: ignore[no-any-return]

    def any_lives(self, position: cython.int, counts: list[int], rest: cython.int) -> bool:
        """Whether a word of a run, or the one that a label stands for, may be read at a position."""
        e = self.lexicon.expressions
        if e.kind[rest] != WORDS:
            return self.lets(position, e.first[rest])  # type: ignore[no-any-return]
        return counts[e.third[rest]] > counts[e.second[rest]]

    def leave(self, position: cython.int, label: cython.int) -> cython.int:
        """The place after a lexeme that has read a word; a switch's targets are asked for one by one."""
        goto: cython.int = self.goto_base[position]
        if goto >= 0:
            return goto
        key: cython.longlong = (cython.cast(cython.longlong, position) << 32) | label
        found = self.goto_ids.get(key)
        if found is None:
            found = self.goto_ids[key] = self.goto(self.node(self.choices[position][label]), position + 1)
        return found  # type: ignore[no-any-return]

    def goto(self, node: int, position: int) -> int:
        """A place made at run time: call a realised node, then go on at a position."""
        key = (node, position)
        found = self.goto_ids.get(key)
        if found is None:
            found = self.goto_ids[key] = self._add_goto(node, position)
        return found  # type: ignore[no-any-return]

    def push(self, position: int, below: int) -> int:
        """The stack that returns to a position with another stack below; ends of productions need no entry.

        REFUSED where the stack would grow higher than it may: what needs it is then not entered at all.
        """
        if self.kind[position] == END:
            return below
        if self.depth[below] >= 2 * self.stack_depth + STEEP:
            return REFUSED
        return self._stack(((position, below),))

    def _stack(self, entries: tuple[tuple[int, int], ...]) -> int:
        found = self.stack_ids.get(entries)
        if found is not None:
            return found  # type: ignore[no-any-return]
        self.stacks.append(entries)
        self.depth.append(1 + max([self.depth[below] for _, below in entries]))
        found = self.stack_ids[entries] = len(self.stacks) - 1
        return found

    def merge(self, one: int, other: int) -> int:
        """The union of two stacks; entries that return to the same place are merged below it. Iterative."""
        todo = [(one, other) if one < other else (other, one)]
        while todo:
            pair = todo[-1]
            if pair in self.merged:
                todo.pop()
                continue
            self._spend(len(self.stacks[pair[0]]) + len(self.stacks[pair[1]]))
            entries = dict(self.stacks[pair[0]])
            waiting = []
            for position, below in self.stacks[pair[1]]:
                mine = entries.get(position, below)
                if mine != below:
                    inner = (mine, below) if mine < below else (below, mine)
                    mine = self.merged.get(inner, REFUSED)
                    if mine == REFUSED:
                        waiting.append(inner)
                entries[position] = mine
            if waiting:
                todo.extend(waiting)
                continue
            self.merged[pair] = self._stack(tuple(sorted(entries.items())))
            todo.pop()
        return self.merged[(one, other) if one < other else (other, one)]  # type: ignore[no-any-return]

    def find(self, goto: cython.int, stack: cython.int) -> cython.int:
        """The closure of a place with a stack: items ``offset[c] .. offset[c + 1]`` of the columns."""
        key: cython.longlong = (cython.cast(cython.longlong, goto) << 32) | stack
        slot: cython.int = (goto * 31 + stack) & 1023
        if self.memo_key[slot] == key:
            return self.memo_value[slot]
        found = self.ids.get(key)
        if found is None:
            node = self.goto_node[goto]
            position = self.goto_position[goto]
            if node < 0:
                places = [(position, stack)]
            else:
                below = self.push(position, stack)
                places = []
                if below != REFUSED:
                    places = [(start, below) for start in self.starts(node, self.depth[below])]
            found = self.ids[key] = self._store(self.enter(places))
        self.memo_key[slot] = key
        self.memo_value[slot] = found
        return found

    def begin(self, found: cython.int) -> cython.ulonglong:
        """The categories of the characters that a closure's items can begin with, and KNOWN."""
        mask: cython.ulonglong = self.entry[found]
        if mask:
            return mask
        lexicon: Lexicon = self.lexicon
        categories: cython.ulonglong[::1] = array("Q", BYTE_CATEGORIES)
        i: cython.int
        state: cython.int
        byte: cython.int
        dead: cython.int = DEAD
        unknown: cython.int = UNKNOWN
        mask = KNOWN
        for i in range(self.offset[found], self.offset[found + 1]):
            state = self.masked[i]
            if state == dead:
                continue
            if lexicon.rows[256 * state] == unknown:
                lexicon.fill(state)
            for byte in range(256):
                if lexicon.rows[256 * state + byte] != dead:
                    mask |= categories[byte]
        self.entry[found] = mask
        return mask

    def enter(self, places: list[tuple[int, int]]) -> list[Item]:
        """The items that are entered from positions with stacks.

        What is entered after a production has ended depends on the stack only, so it is computed once for each stack:
        where a long text has left many productions that what follows may be empty in, each byte would pop them all.
        """
        waiting: dict[int, None] = {}
        todo: list[tuple[int, list[tuple[int, int]]]] = [(NIL, places)]
        while True:
            stack, at = todo[-1]
            missing, items = self._enter(at, waiting)
            if missing != NIL:
                waiting[missing] = None
                todo.append((missing, list(self.stacks[missing])))
                continue
            todo.pop()
            if not todo:
                return items
            self.returned[stack] = items
            del waiting[stack]

    def _enter(self, places: list[tuple[int, int]], waiting: dict[int, None]) -> tuple[int, list[Item]]:
        """The same; or the stack of which it must be known first, if it is not already waiting for itself."""
        items: dict[tuple[int, int], int] = {}
        seen = set(places)
        todo = list(reversed(places))
        while todo:
            self._spend(1)
            position, stack = todo.pop()
            fresh: list[tuple[int, int]] = []
            kind = self.kind[position]
            if kind == END:
                if stack in waiting:
                    fresh.extend(self.stacks[stack])
                elif stack not in self.returned:
                    return stack, []
                else:
                    self._spend(len(self.returned[stack]))
                    for state, place, below in self.returned[stack]:
                        self._add_item(items, (state, place), below)
            elif kind == CALL:
                below = self.push(position + 1, stack)
                if below != REFUSED:
                    target = self.target[position]
                    fresh.extend([(start, below) for start in self.starts(target, self.depth[below])])
            else:
                self._enter_lexeme(items, fresh, kind, position, stack)
            for place in fresh:
                if place not in seen:
                    seen.add(place)
                    todo.append(place)
        return NIL, sorted([(state, position, stack) for (state, position), stack in items.items()])

    def _spend(self, effort: cython.int) -> cython.int:
        """Count what entering takes; it holds the interpreter's lock, so nothing else could end it."""
        self.effort += effort
        if self.effort < self.next_effort - SLICE:
            # A mask or byte later.
            self.next_effort = SLICE
        if self.effort > self.next_effort:
            if self.effort > self.most_effort:
                self.effort = 0
                reason = "too many ways to go on at one place"
                raise LimitError(Problem(reason, remedy="make the grammar less ambiguous"))
            self.next_effort = self.effort + SLICE
            rest()
        return 0

    def _add_item(self, items: dict[tuple[int, int], int], key: tuple[int, int], stack: int) -> None:
        known = items.get(key, stack)
        items[key] = stack if known == stack else self.merge(known, stack)

    def _enter_lexeme(
        self, items: dict[tuple[int, int], int], fresh: list[tuple[int, int]], kind: int, position: int, stack: int
    ) -> None:
        state = self.state[position]
        bits = self.lexicon.flags[state]
        if kind == FINAL or bits & CONTINUES:
            self._add_item(items, (state, position), stack)
        if kind != FINAL and bits & ACCEPTS:
            fresh.append((position + 1, stack))

    def _store(self, items: list[Item]) -> int:
        start = self.offset[self.count]
        stop = start + len(items)
        while stop > len(self.states):
            self.states = _doubled(self.states)
            self.positions = _doubled(self.positions)
            self.stack_of = _doubled(self.stack_of)
            self.masked = _doubled(self.masked)
        for i, (state, position, stack) in enumerate(items, start):
            self.states[i] = state
            self.positions[i] = position
            self.stack_of[i] = stack
            self.masked[i] = self.lexicon.mask_state(state) if state != DEAD else DEAD
        self.count += 1
        if self.count == len(self.offset):
            self.offset = _doubled(self.offset)
            self.entry = array("Q", memoryview(self.entry).tobytes() + bytes(8 * len(self.entry)))
        self.offset[self.count] = stop
        return self.count - 1


def _weight(symbol: object) -> int:
    """What the end of a lexeme adds to what a mask leaves open, -1 if only after a capture: see ``Frames.crossed``."""
    name = type(symbol).__name__
    if name == "Capture":
        return 2 if symbol.is_recall and not symbol.is_open else 1  # type: ignore[attr-defined]
    return -1 if name == "Lex" and symbol.is_crossing else 0  # type: ignore[attr-defined]


def _doubled(column: cython.int[::1]) -> object:
    """A column of twice the length that begins with the given one."""
    wider = array("i", bytes(8 * len(column)))
    view: cython.int[::1] = wider
    view[: len(column)] = column
    return wider
