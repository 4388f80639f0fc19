"""Shortest strings of lexemes: how few bytes end what a lexeme state has begun, and which bytes those are.

Most expressions tell their shortest string by their form: a concatenation adds, a union takes the least, a counted
repetition multiplies. Intersections, complements, machines and characters of which a part was read are searched by
their moves (Dijkstra 1959). Only numbers are kept; a text is put together when it is asked for.

A text expression costs differently where it stands: as UTF-8 (``RAWLY``) or between JSON quotes (``QUOTED``), where
a quote takes two bytes and most controls six. Among characters of equal cost digits come first, then letters.
"""

from __future__ import annotations

from heapq import heappop, heappush

import cython

from maskwright.errors import LimitError, Problem
from maskwright.kernel.expressions import (
    AND,
    BODY,
    CAT,
    CHARS,
    ESCAPE,
    HEX,
    LABEL,
    MACHINE,
    NEVER,
    NOT,
    OR,
    RAW,
    REPEAT,
    TAIL,
    WORDS,
    Expressions,
)
from maskwright.kernel.lexicon import Lexicon
from maskwright.kernel.moves import MADE

__all__ = ["ENDLESS", "Shortest"]

#: The cost of what cannot be written at all.
ENDLESS = 1 << 50
#: How the characters of an expression are written: the expression is one of bytes; UTF-8; inside a JSON string.
BYTEWISE = 0
RAWLY = 1
QUOTED = 2
#: Expressions that are searched by their moves.
SEARCHED = (AND, NOT, MACHINE, ESCAPE, TAIL, HEX)
#: Characters beyond ASCII that are tried for one without bytes that the vocabulary lacks.
TRIED = 64

#: Bytes in the order in which they are liked: digits, letters, what can be printed, all others.
TASTEFUL = ((0x30, 0x39), (0x61, 0x7A), (0x41, 0x5A), (0x21, 0x7E), (0x20, 0x20), (0x00, 0xFF))

SHORT_CONTROLS = {0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0C: b"\\f", 0x0D: b"\\r"}


class Shortest:
    """Costs of expressions over one lexicon; learned on demand."""

    def __init__(self, lexicon: Lexicon, most_states: int) -> None:
        """``most_states`` is how many expressions one search may visit."""
        self.lexicon = lexicon
        self.expressions = lexicon.expressions
        self.most_states = most_states
        self.known = {}
        self.steps = {}
        self.characters = {}
        self.choices = {}
        self.sums = {}
        self.ascii = [[], self._ascii(RAWLY), self._ascii(QUOTED)]

    def _ascii(self, mode: int) -> list[tuple[int, int, bytes]]:
        """``(cost, character, spelling)`` of ASCII, the preferred ones first."""

        def rank(point: int) -> int:
            character = chr(point)
            return 0 if character.isdigit() else 1 if character.islower() else 2 if character.isupper() else 3

        spelt = [(point, spell(chr(point), mode)) for point in range(0x80)]
        clean = [(point, data) for point, data in spelt if self._is_present(data)]
        return sorted(
            [(len(data), point, data) for point, data in clean], key=lambda one: (one[0], rank(one[1]), one[1])
        )

    def _is_present(self, data: bytes) -> bool:
        return not any([byte in data for byte in self.lexicon.absent])

    def character(self, low: cython.int, high: cython.int, mode: cython.int) -> tuple[int, bytes]:
        """The cheapest character of a range: its cost and its spelling."""
        key = (low, high, mode)
        found = self.characters.get(key)
        if found is None:
            if mode == BYTEWISE:
                best = (1, bytes([low]))
            else:
                best = (ENDLESS, b"")
                for cost, point, data in self.ascii[mode]:
                    if low <= point <= high:
                        best = (cost, data)
                        break
                first = max(low, 0x80)
                for point in range(first, min(high, first + TRIED) + 1):
                    if not 0xD800 <= point <= 0xDFFF:
                        data = chr(point).encode()
                        if len(data) < best[0] and self._is_present(data):
                            best = (len(data), data)
            found = self.characters[key] = best
        return found  # type: ignore[no-any-return]

    def of_state(self, state: cython.int) -> int:
        """Bytes that end the lexeme of a state; ``ENDLESS`` if none do."""
        return self.cost(self.lexicon.state_expressions[state], BYTEWISE)

    def text_of_state(self, state: cython.int) -> bytes:
        """Those bytes."""
        return self.text(self.lexicon.state_expressions[state], BYTEWISE)

    def cost(self, x: cython.int, mode: cython.int) -> int:
        """Bytes of the shortest string of an expression. Iterative: expressions may nest as deep as Limits allow."""
        start = 3 * x + mode
        found = self.known.get(start)
        if found is not None:
            return found  # type: ignore[no-any-return]
        todo = [start]
        while todo:
            at = todo[-1]
            if at in self.known:
                todo.pop()
                continue
            below = self._below(at // 3, at % 3)
            waiting = [one for one, _ in below if one not in self.known]
            if waiting:
                todo.extend(waiting)
                continue
            todo.pop()
            if at not in self.known:
                self.known[at] = self._combine(at // 3, at % 3, below)
        return self.known[start]  # type: ignore[no-any-return]

    def _below(self, x: int, mode: int) -> list[tuple[int, int]]:
        """What a cost is made of: operands, each with how often it comes."""
        e: Expressions = self.expressions
        kind = e.kind[x]
        if e.nullable[x] or self.is_searched(x, mode):
            return []
        if kind == RAW:
            return [(3 * e.first[x] + RAWLY, 1)]
        if kind == BODY:
            return [(3 * e.first[x] + QUOTED, 1)]
        if kind == CAT:
            return [(3 * e.first[x] + mode, 1), (3 * e.second[x] + mode, 1)]
        if kind == OR:
            parts: list[int] = list(e.parts[x])  # type: ignore[arg-type]
            return [(3 * part + mode, 1) for part in parts]
        if kind == REPEAT:
            return [(3 * e.first[x] + mode, e.second[x])]
        return []

    def _combine(self, x: int, mode: int, below: list[tuple[int, int]]) -> int:
        e: Expressions = self.expressions
        kind = e.kind[x]
        if e.nullable[x]:
            return 0
        if kind == CHARS:
            return self._cheapest(x, mode)[0]
        if kind == WORDS:
            word = self._word(x, mode)
            return ENDLESS if word is None else len(word)
        if self.is_searched(x, mode):
            return self._search(x, mode)
        if not below:
            return ENDLESS
        costs = [self.known[one] * times for one, times in below]
        if kind == OR:
            return min(costs)  # type: ignore[no-any-return]
        return min(sum(costs) + (1 if kind == BODY else 0), ENDLESS)

    def _cheapest(self, x: int, mode: int) -> tuple[int, bytes]:
        """The cheapest character of a class."""
        found = [self.character(low, high, mode) for low, high in self.expressions.parts[x]]
        cost = min([one[0] for one in found])
        return next(one for one in found if one[0] == cost)

    def _word(self, x: int, mode: int) -> bytes | None:
        """The shortest rest of a run of words, of those that the vocabulary can write."""
        e: Expressions = self.expressions
        depth = e.parts[x][0]
        words = e.tables[e.first[x]][0][e.second[x] : e.third[x]]
        spelt = [spell(word[depth:], mode) for word in words]
        spelt = [data for data in spelt if mode == BYTEWISE or self._is_present(data)]
        return min(spelt, key=len, default=None)

    def _search(self, x: int, mode: int) -> int:
        """Dijkstra over the moves; what is known or told by its form ends a path."""
        came: dict[int, tuple[int, int, bytes]] = {x: (0, NEVER, b"")}
        done: set[int] = set()
        heap = [(0, 0, x, False)]
        count = 0
        most = len(self.expressions.kind) + MADE * self.most_states
        while heap:
            cost, _, at, is_end = heappop(heap)
            if is_end:
                return self._remember(x, mode, at, cost, came)
            if at in done:
                continue
            done.add(at)
            if len(done) > self.most_states or len(self.expressions.kind) > most:
                # Not asked again: a mask would ask at every token.
                self.known[3 * x + mode] = ENDLESS
                reason = f"the shortest string of a pattern is not found within {self.most_states} states"
                raise LimitError(Problem(reason, remedy="raise Limits.emptiness_states"))
            rest = self._rest(at, mode)
            if rest >= 0:
                count += 1
                heappush(heap, (cost + rest, count, at, True))
                continue
            # Dead ends do no harm here, and asking whether an intersection is one costs a search of its own.
            moves = self.lexicon.moves.candidates(at)
            self.lexicon.moves.spend(4 * len(moves))
            for low, high, then in moves:
                step, data = self.character(low, high, mode)
                if step >= ENDLESS or (mode == BYTEWISE and not self._is_present(data)):
                    continue
                known = came.get(then)
                if known is None or cost + step < known[0]:
                    came[then] = (cost + step, at, data)
                    count += 1
                    heappush(heap, (cost + step, count, then, False))
        return ENDLESS

    def _rest(self, at: int, mode: int) -> int:
        """The cost of an expression that a search need not enter; -1 for the others."""
        e: Expressions = self.expressions
        if e.nullable[at]:
            return 0
        known = self.known.get(3 * at + mode)
        if known is not None:
            return known  # type: ignore[no-any-return]
        is_whole = self.is_simple(at) or (mode == BYTEWISE and e.kind[at] in (RAW, BODY))
        return self.cost(at, mode) if is_whole else -1

    def _remember(self, x: int, mode: int, last: int, cost: int, came: dict[int, tuple[int, int, bytes]]) -> int:
        """Keep what is known now of all expressions on the way."""
        at = last
        while at != x:
            _, before, data = came[at]
            self.steps[3 * before + mode] = (data, at)
            self.known[3 * before + mode] = cost - came[before][0]
            at = before
        self.known.setdefault(3 * x + mode, cost)
        return cost

    def text(self, x: cython.int, mode: cython.int) -> bytes:
        """A shortest string of an expression that has one."""
        e: Expressions = self.expressions
        out: list[bytes] = []
        todo: list[tuple[int, int]] = [(x, mode)]
        while todo:
            at, how = todo.pop()
            if at < 0:
                out.append(b'"')
                continue
            self.cost(at, how)
            kind = e.kind[at]
            step = self.steps.get(3 * at + how)
            if e.nullable[at]:
                continue
            if step is not None:
                out.append(step[0])
                todo.append((step[1], how))
            elif kind == RAW:
                todo.append((e.first[at], RAWLY))
            elif kind == BODY:
                todo.append((-1, 0))
                todo.append((e.first[at], QUOTED))
            elif kind == CAT:
                todo.append((e.second[at], how))
                todo.append((e.first[at], how))
            elif kind == OR:
                todo.append((self._cheapest_part(at, how), how))
            elif kind == REPEAT:
                self._repeat(at, how, out, todo)
            elif kind == CHARS:
                out.append(self._cheapest(at, how)[1])
            elif kind == WORDS:
                out.append(self._word(at, how) or b"")
        return b"".join(out)

    def _cheapest_part(self, x: int, mode: int) -> int:
        parts: list[int] = list(self.expressions.parts[x])
        costs = [self.cost(part, mode) for part in parts]
        return parts[costs.index(min(costs))]

    def _repeat(self, x: int, mode: int, out: list[bytes], todo: list[tuple[int, int]]) -> None:
        e: Expressions = self.expressions
        inner = e.first[x]
        if e.kind[inner] == CHARS:
            out.append(self._cheapest(inner, mode)[1] * e.second[x])
        else:
            todo.extend([(inner, mode)] * e.second[x])

    def demand(self, state: cython.int) -> int:
        """The sum of the lower bounds of all counters that a state's lexeme is made of."""
        return self._sum(self.lexicon.state_expressions[state])[0]

    def is_simple(self, x: cython.int) -> bool:
        """Whether nothing that is searched is a part of an expression."""
        return not self._sum(x)[1]

    def is_searched(self, x: cython.int, mode: cython.int) -> bool:
        """Whether an expression is searched: also a union with searched parts, whose dearest need not be found."""
        kind = self.expressions.kind[x]
        return kind in SEARCHED or (kind == OR and mode != BYTEWISE and not self.is_simple(x))

    def _sum(self, start: int) -> tuple[int, int]:
        """Over all parts of an expression: the lower bounds of its counters, and how many are searched."""
        e: Expressions = self.expressions
        todo: list[int] = [start]
        while todo:
            x = todo[-1]
            if x in self.sums:
                todo.pop()
                continue
            below = self._parts(x)
            waiting = [one for one in below if one not in self.sums]
            if waiting:
                todo.extend(waiting)
                continue
            kind = e.kind[x]
            demand = sum([self.sums[one][0] for one in below]) + (e.second[x] if kind == REPEAT else 0)
            self.sums[x] = (demand, sum([self.sums[one][1] for one in below]) + (1 if kind in SEARCHED else 0))
            todo.pop()
        return self.sums[start]  # type: ignore[no-any-return]

    def _parts(self, x: int) -> list[int]:
        e: Expressions = self.expressions
        kind = e.kind[x]
        if kind in (RAW, BODY, ESCAPE, NOT, REPEAT):
            return [e.first[x]]
        if kind == CAT:
            return [e.first[x], e.second[x]]
        if kind in (AND, OR):
            return list(e.parts[x])  # type: ignore[arg-type]
        return [part[2] for part in e.parts[x]] if kind in (TAIL, HEX) else []  # type: ignore[index]

    def options(self, state: cython.int) -> list[tuple[int, int, bytes]]:
        """``(bytes, label, text)`` for every word that a state of labelled words leads to, the shortest first."""
        found = self.choices.get(state)
        if found is None:
            found = self.choices[state] = sorted(self._options(self.lexicon.state_expressions[state]))
        return found  # type: ignore[no-any-return]

    def _options(self, x: int) -> list[tuple[int, int, bytes]]:
        e: Expressions = self.expressions
        head = b""
        while e.kind[x] == CAT and not self._leads_to_label(e.first[x]):
            head += self.text(e.first[x], BYTEWISE)
            x = e.second[x]
        best: dict[int, bytes] = {}
        seen = {x}
        wave: list[tuple[int, bytes]] = [(x, head)]
        # A labelled machine may have more states than anybody wants to see: its near ends are enough.
        while wave and len(seen) < self.most_states:
            following: list[tuple[int, bytes]] = []
            for at, data in wave:
                self.lexicon.moves.spend(4)
                kind = e.kind[at]
                if kind == LABEL:
                    _keep(best, e.first[at], data)
                elif kind == BODY and e.kind[e.first[at]] in (WORDS, LABEL):
                    for label, rest in self._labelled(e.first[at]):
                        _keep(best, label, data + rest + b'"')
                else:
                    if kind == RAW and e.nullable[at] and (e.kind[e.first[at]] == WORDS or e.is_labelled(e.first[at])):
                        _keep(best, e.text_label(e.first[at]), data)
                    for low, high, then in self.lexicon.moves.of(at):
                        if then not in seen:
                            byte = self._byte(low, high, kind)
                            if byte >= 0:
                                seen.add(then)
                                following.append((then, data + bytes([byte])))
            wave = following
        return [(len(data), label, data) for label, data in best.items() if self._is_present(data)]

    def _byte(self, low: int, high: int, kind: int) -> int:
        """A byte of a range that the vocabulary has, ASCII that people can read if possible; -1 if there is none."""
        if kind != WORDS:
            for first, last in TASTEFUL:
                for byte in range(max(low, first), min(high, last) + 1):
                    if byte not in self.lexicon.absent:
                        return byte
        return low if kind == WORDS else -1

    def _leads_to_label(self, x: int) -> bool:
        return self.expressions.kind[x] in (LABEL, ESCAPE, HEX, TAIL)

    def _labelled(self, x: int) -> list[tuple[int, bytes]]:
        e: Expressions = self.expressions
        if e.kind[x] == LABEL:
            return [(e.first[x], b"")]
        words, labels = e.tables[e.first[x]]
        depth = e.parts[x][0]
        places = range(e.second[x], e.third[x])
        return [(labels[i] if labels else 0, spell(words[i][depth:], QUOTED)) for i in places]


def _keep(best: dict[int, bytes], label: int, data: bytes) -> None:
    known = best.get(label)
    if known is None or len(data) < len(known):
        best[label] = data


def spell(text: str, mode: int) -> bytes:
    """The shortest spelling of a text: as bytes, as UTF-8, or inside a JSON string (RFC 8259 section 7)."""
    if mode == BYTEWISE:
        return text.encode("latin-1")
    if mode != QUOTED:
        return text.encode("utf-8", "replace")
    out = bytearray()
    for character in text:
        point = ord(character)
        if point in (0x22, 0x5C):
            out += b"\\" + character.encode()
        elif point < 0x20:
            out += SHORT_CONTROLS.get(point) or b"\\u%04x" % point
        else:
            out += character.encode("utf-8", "replace")
    return bytes(out)
