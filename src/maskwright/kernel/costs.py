"""Costs: the fewest bytes that bring an output to its end, and the text that they are.

The cost of a node is the least, over its productions, of the sum of its symbols' costs: a superior function, so
Knuth's generalisation of Dijkstra's algorithm finds it ("A generalization of Dijkstra's algorithm", 1977), recursion
included. It runs forward, from the place that is asked about: whatever stands behind a prefix that costs more than the
answer is never entered, so the optional members of a large schema are not even expanded.

A *weight* packs three numbers that add up along a text: its bytes, an upper bound of its tokens (lexeme by lexeme), and
the captures that it ends. Comparing weights compares bytes first.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from heapq import heappop, heappush

import cython

from maskwright.errors import LimitError, Problem
from maskwright.kernel.closures import CALL, CAPTURE, END, RECALL, Closures
from maskwright.kernel.codes import DIGITS, FIRST_CODE
from maskwright.kernel.shortest import ENDLESS, Shortest
from maskwright.kernel.trie import Trie
from maskwright.patience import LateError, rest

__all__ = ["BYTE", "NO_END", "TOKEN", "Costs", "bytes_of", "captures", "captures_of", "tokens_of"]

#: One capture more is 1.
TOKEN = 1 << 16
BYTE = 1 << 40
#: The weight of what cannot be brought to an end.
NO_END = ENDLESS * BYTE
#: The tokens of an unspellable piece: more than any budget.
UNSPELLABLE = 1 << 22
#: Bytes up to which the tokens of one lexeme are counted; beyond, one a byte is taken.
COUNTED = 256
#: Bytes of a completion that is put together.
WRITTEN = 1 << 22

#: Events of a search: at a symbol; a lexeme was read and its node is to be called; the next word of a switch.
AT, CALLING, OPTION = 0, 1, 2


def bytes_of(weight: int) -> int:
    """The bytes of a weight."""
    return weight // BYTE


def tokens_of(weight: int) -> int:
    """The upper bound of tokens in a weight."""
    return weight % BYTE // TOKEN


def captures(kind: int) -> int:
    """What the end of a lexeme adds to a weight's captures: 2 where what may follow depends on what came before it."""
    return 1 if kind == CAPTURE else 2 if kind == RECALL else 0


def captures_of(weight: int) -> int:
    """The captures of a weight."""
    return weight % TOKEN


class Costs:
    """Costs over the closures of one network; see the header for what each column holds."""

    def __init__(
        self,
        closures: Closures,
        trie: Trie,
        enough: Callable[[Hashable], int],
        most_steps: int,
        most_states: int,
    ) -> None:
        """``enough`` names the words of a node's switch that suffice for a shortest text, as bits; 0 for all."""
        self.closures = closures
        self.trie = trie
        self.enough = enough
        self.most_steps = most_steps
        self.shortest = Shortest(closures.lexicon, most_states)
        self.nodes = {}
        self.starts = {}
        self.rests = {}
        self.labels = {}
        self.lexemes = {}
        self.pieces = {}
        self.switches = {}
        self.stacks = {0: 0}
        self.ways = {}
        self.scanned = 0
        self.recalls = False

    def lexeme(self, state: cython.int) -> int:
        """The weight of what ends a lexeme."""
        found = self.lexemes.get(state)
        if found is None:
            count = self.shortest.of_state(state)
            if count >= ENDLESS:
                found = NO_END
            elif count > COUNTED:
                found = count * (BYTE + TOKEN)
            else:
                found = self.piece(self.shortest.text_of_state(state))
            self.lexemes[state] = found
        return found  # type: ignore[no-any-return]

    def piece(self, text: bytes) -> int:
        """The weight of a text that is written whole."""
        found = self.pieces.get(text)
        if found is None:
            count = self.fewest(text)[0][0] if len(text) <= COUNTED else len(text)
            found = self.pieces[text] = len(text) * BYTE + min(count, UNSPELLABLE) * TOKEN
        return found  # type: ignore[no-any-return]

    def fewest(self, text: bytes, like: tuple | None = None) -> tuple:
        """The best tokenisation of every suffix of a text: ``(counts[len + 1], first tokens[len])``.

        A count of ``UNSPELLABLE`` and more means that there is none. ``like`` is a text with its answer: what both
        texts end with is not computed again. O(bytes times the length of a token).
        """
        trie: Trie = self.trie
        size: cython.int = len(text)
        counts: cython.int[::1] = array("i", bytes(4 * (size + 1)))
        firsts: cython.int[::1] = array("i", bytes(4 * (size + 1)))
        data: bytes = text
        i: cython.int
        j: cython.int
        node: cython.int
        start: cython.int = size
        if like is not None:
            start = size - self._alike(text, like, counts, firsts)
        for i in range(start - 1, -1, -1):
            counts[i] = UNSPELLABLE
            firsts[i] = -1
            node = 0
            if data[i] >= FIRST_CODE:
                self._count_code(data, i, counts, firsts)
                continue
            for j in range(i, size):
                node = trie._child(node, data[j])
                if node < 0:
                    break
                if trie.first_token[node] < trie.first_token[node + 1] and counts[j + 1] + 1 <= counts[i]:
                    counts[i] = counts[j + 1] + 1
                    firsts[i] = trie.order[trie.first_token[node]]
        return counts, firsts

    def _count_code(self, data: bytes, i: cython.int, counts: cython.int[::1], firsts: cython.int[::1]) -> cython.int:
        """A token that is named by its code is one token; inside a code nothing begins."""
        token = self.closures.lexicon.codes.ids.get(data[i : i + DIGITS])
        if token is not None:
            counts[i] = counts[i + DIGITS] + 1
            firsts[i] = token
        return 0

    def _alike(self, text: bytes, like: tuple, counts: cython.int[::1], firsts: cython.int[::1]) -> cython.int:
        """Copy what is known of the longest common suffix; its length."""
        other: bytes = like[0]
        old_counts: cython.int[::1] = like[1]
        old_firsts: cython.int[::1] = like[2]
        mine: cython.int = len(text)
        theirs: cython.int = len(other)
        common: cython.int = 0
        while common < mine and common < theirs and text[mine - 1 - common] == other[theirs - 1 - common]:
            common += 1
            counts[mine - common] = old_counts[theirs - common]
            firsts[mine - common] = old_firsts[theirs - common]
        return common

    def node(self, node: cython.int) -> int:
        """The weight of a node."""
        found = self.nodes.get(node)
        return self._solve(2 * node) if found is None else found

    def rest(self, position: cython.int) -> int:
        """The weight from a position to the end of its production."""
        if self.closures.kind[position] == END:
            return 0
        found = self.rests.get(position)
        return self._solve(2 * position + 1) if found is None else found

    def item(self, state: cython.int, position: cython.int, stack: cython.int) -> int:
        """The weight from an item to the end of the output."""
        if position == 0:
            return 0
        inner = self.within(state, position)
        below = self.stack(stack)
        return NO_END if inner >= NO_END or below >= NO_END else inner + below

    def within(self, state: cython.int, position: cython.int) -> int:
        """The weight from a lexeme state to the end of the production."""
        closures: Closures = self.closures
        if position in closures.choices:
            return self.switch(state, position)[0]  # type: ignore[no-any-return]
        found = self.lexeme(state)
        kind = closures.kind[position]
        if captures(kind):
            found += captures(kind) + self.node(closures.target[position])
        return min(found + self.rest(position + 1), NO_END)

    def switch(self, state: cython.int, position: cython.int) -> tuple[int, int, bytes]:
        """``(weight, target, text)`` of the best word that a switch can still read."""
        key = (state, position)
        found = self.switches.get(key)
        if found is None:
            closures: Closures = self.closures
            options = [one for one in self.shortest.options(state) if closures.lets(position, one[1])]
            try:
                found = _Search(self).run_switch(position, options)
            except LateError:
                raise
            except LimitError:
                # Kept also where limits end the search: a mask would ask again at every token.
                self.switches[key] = (NO_END, -1, b"")
                raise
            self.switches[key] = found
        return found  # type: ignore[no-any-return]

    def stack(self, stack: cython.int) -> int:
        """The weight of returning through a stack. Iterative: stacks are as high as the output is deep."""
        todo = [stack]
        while todo:
            at = todo[-1]
            if at in self.stacks:
                todo.pop()
                continue
            entries = self.closures.stacks[at]
            waiting = [below for _, below in entries if below not in self.stacks]
            if waiting:
                todo.extend(waiting)
                continue
            best, way = NO_END, entries[0]
            for entry in entries:
                weight = self.stacks[entry[1]] + (self.rest(entry[0]) if entry[0] else 0)
                if weight < best:
                    best, way = weight, entry
            self.stacks[at] = best
            self.ways[at] = way
            todo.pop()
        return self.stacks[stack]  # type: ignore[no-any-return]

    def has_recalls(self) -> bool:
        """Whether what may follow depends anywhere, as far as it was expanded, on values that were written before."""
        closures: Closures = self.closures
        position: cython.int
        for position in range(self.scanned, closures.places):
            if closures.kind[position] == RECALL:
                self.recalls = True
        self.scanned = closures.places
        return self.recalls

    def _solve(self, goal: int) -> int:
        """The weight of a node (even numbers) or of a position's rest (odd), and of what is finished on the way."""
        known = self.rests if goal & 1 else self.nodes
        try:
            found = _Search(self).run(goal)
        except LateError:
            raise
        except LimitError:
            # Kept also where limits end the search: a mask would ask again at every token.
            known[goal >> 1] = NO_END
            raise
        if found >= NO_END:
            known[goal >> 1] = NO_END
        return found

    def places(self, one: int) -> tuple[int, ...]:
        """Where the derivations of a node begin, or that of a position's rest; switches of it that are cut down."""
        if one & 1:
            return (one >> 1,)
        closures: Closures = self.closures
        node = one >> 1
        starts = closures.starts(node)
        enough = self.enough(closures.node_keys[node])
        if enough:
            for start in starts:
                if start in closures.choices:
                    return (start,)
        return starts  # type: ignore[no-any-return]

    def options(self, position: cython.int) -> list[tuple[int, int, bytes]]:
        """The words that suffice at a switch, the shortest first."""
        closures: Closures = self.closures
        enough = self.enough(closures.node_keys[closures.owner[position]])
        found = self.shortest.options(closures.state[position])
        return [one for one in found if closures.lets(position, one[1]) and (not enough or enough >> one[1] & 1)]

    def text(self, state: cython.int, position: cython.int, stack: cython.int) -> bytes:
        """The text of an item's weight."""
        weight = self.item(state, position, stack)
        if weight >= WRITTEN * BYTE:
            reason = "no way to the end was found" if weight >= NO_END else f"it takes {bytes_of(weight)} bytes"
            raise LimitError(Problem(f"the output cannot be completed: {reason}"))
        out: list[bytes] = []
        if position:
            self._write_within(state, position, out)
            while stack:
                entry, stack = self.ways[stack]
                if entry:
                    self._write_rest(entry, out)
        return b"".join(out)

    def _write_within(self, state: int, position: int, out: list[bytes]) -> None:
        closures: Closures = self.closures
        if position in closures.choices:
            _, target, text = self.switch(state, position)
            out.append(text)
            self._write([2 * target, 2 * position + 3], out)
            return
        out.append(self.shortest.text_of_state(state))
        todo = [2 * position + 3]
        if captures(closures.kind[position]):
            todo.insert(0, 2 * closures.target[position])
        self._write(todo, out)

    def _write_rest(self, position: int, out: list[bytes]) -> None:
        self._write([2 * position + 1], out)

    def _write(self, ids: list[int], out: list[bytes]) -> None:
        """Nodes (even) and rests of productions (odd), one after the other."""
        closures: Closures = self.closures
        todo = ids[::-1]
        while todo:
            one = todo.pop()
            if not one & 1:
                self.node(one >> 1)
                todo.append(2 * self.starts[one >> 1] + 1)
                continue
            position = one >> 1
            kind = closures.kind[position]
            if kind == END:
                continue
            self.rest(position)
            todo.append(one + 2)
            if position in closures.choices:
                target, text = self.labels[position]
                out.append(text)
                todo.append(2 * target)
            elif kind == CALL:
                todo.append(2 * closures.target[position])
            else:
                out.append(self.shortest.text_of_state(closures.state[position]))
                if captures(kind):
                    todo.append(2 * closures.target[position])


#: The goal of a search that begins within a switch; it is neither a node nor the rest of a production.
WITHIN = -1

#: Where a derivation came by: (the step before, position, weight before it, target and text of a switch).
Trail = tuple[object, int, int, tuple[int, bytes] | None]


class _Search:
    """One search, forward from a goal.

    ``begun[one]`` is the weight of the prefix before which a node was first called; inside a node weights are relative
    to it. Invariant: events come out of the heap by their whole weight, so a node that ends has its least weight.
    """

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.closures = costs.closures
        self.heap: list[tuple[int, int, int, int, int, int, int, object]] = []
        self.begun: dict[int, int] = {}
        self.waiting: dict[int, list[tuple[int, int, int, object]]] = {}
        self.settled: set[tuple[int, int]] = set()
        #: ``words[one, position]``: the words of a switch, the shortest first.
        self.words: dict[tuple[int, int], list[tuple[int, int, bytes]]] = {}
        self.count = 0
        self.goal = -1
        self.found = -1
        self.way: tuple[int, bytes] = (-1, b"")

    def run(self, goal: int) -> int:
        self.goal = goal
        self._begin(goal, 0)
        return self._run()

    def run_switch(self, position: int, options: list[tuple[int, int, bytes]]) -> tuple[int, int, bytes]:
        """The best way from within a switch that can still read some words: one search for all of them.

        A search for each would look for the end behind words that are dear.
        """
        self.goal = WITHIN
        self.begun[WITHIN] = 0
        self.words[WITHIN, position] = options
        if options:
            self._push(WITHIN, position, OPTION, 0, options[0][0] * BYTE, None)
        return (self._run(), *self.way)

    def _run(self) -> int:
        heap = self.heap
        while heap and self.found < 0:
            _, _, one, position, event, extra, weight, trail = heappop(heap)
            if event == AT:
                self._enter(one, position, weight, trail)
            elif event == OPTION:
                self._read_word(one, position, extra, weight, trail)
            else:
                self._call(one, extra, position + 1, weight, trail)
        return self.found if self.found >= 0 else NO_END

    def _push(self, one: int, position: int, event: int, extra: int, weight: int, trail: object) -> None:
        if weight >= NO_END:
            return
        self.count += 1
        if self.count & 255 == 0:
            rest()
        if self.count > self.costs.most_steps:
            reason = f"the shortest completion is not found within {self.costs.most_steps} steps"
            raise LimitError(Problem(reason, remedy="raise Limits.satisfiability_steps"))
        heappush(self.heap, (self.begun[one] + weight, self.count, one, position, event, extra, weight, trail))

    def _begin(self, one: int, offset: int) -> None:
        self.begun[one] = offset
        for position in self.costs.places(one):
            self._push(one, position, AT, 0, 0, None)

    def _enter(self, one: int, position: int, weight: int, trail: object) -> None:
        if (one, position) in self.settled:
            return
        self.settled.add((one, position))
        closures: Closures = self.closures
        costs: Costs = self.costs
        kind = closures.kind[position]
        step = (trail, position, weight, None)
        if kind == END:
            self._finish(one, position, weight, trail)
        elif position in closures.choices:
            words = self.words[one, position] = costs.options(position)
            if words:
                self._push(one, position, OPTION, 0, weight + words[0][0] * BYTE, trail)
        elif kind == CALL:
            self._call(one, closures.target[position], position + 1, weight, step)
        elif captures(kind):
            read = weight + costs.lexeme(closures.state[position]) + captures(kind)
            self._push(one, position, CALLING, closures.target[position], read, step)
        else:
            self._push(one, position + 1, AT, 0, weight + costs.lexeme(closures.state[position]), step)

    def _read_word(self, one: int, position: int, which: int, weight: int, trail: object) -> None:
        """The ``which``-th word of a switch; the event's weight holds its bytes only."""
        words = self.words[one, position]
        size, label, text = words[which]
        before = weight - size * BYTE
        if which + 1 < len(words):
            self._push(one, position, OPTION, which + 1, before + words[which + 1][0] * BYTE, trail)
        target = self.closures.node(self.closures.choices[position][label])
        step = (trail, position, before, (target, text))
        self._push(one, position, CALLING, target, before + self.costs.piece(text), step)

    def _call(self, one: int, node: int, after: int, weight: int, trail: object) -> None:
        costs: Costs = self.costs
        known = costs.nodes.get(node)
        if known is not None:
            self._push(one, after, AT, 0, weight + known, trail)
            return
        callee = 2 * node
        self.waiting.setdefault(callee, []).append((one, after, weight, trail))
        if callee not in self.begun:
            self._begin(callee, self.begun[one] + weight)

    def _finish(self, one: int, end: int, weight: int, trail: object) -> None:
        """A node has ended for the first time, at the end of a production: that is its weight."""
        if one == self.goal:
            self.found = weight
        costs: Costs = self.costs
        first = -1
        while trail is not None:
            trail, first, before, word = trail  # type: ignore[misc]
            if one == WITHIN and trail is None:
                self.way = word
                return
            if first not in costs.rests:
                costs.rests[first] = weight - before
                if word is not None:
                    costs.labels[first] = word
        if not one & 1 and one >> 1 not in costs.nodes:
            costs.nodes[one >> 1] = weight
            costs.starts[one >> 1] = first if first >= 0 else end
        for caller, after, so_far, steps in self.waiting.pop(one, ()):
            self._push(caller, after, AT, 0, so_far + weight, steps)
