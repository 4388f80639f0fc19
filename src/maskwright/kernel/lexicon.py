"""The lexicon: lexical terms become expressions, and byte expressions become states with transition rows.

A *state* is a byte expression that the walk has met, numbered densely so that ``rows[256 * state + byte]`` is one load.
Rows are filled whole, on first use. The lexicon belongs to a vocabulary and is shared by all its guides: the string
body of a thousand schemas is one state.
"""

from __future__ import annotations

import mmap

import cython

from maskwright.kernel.bounds import Bounds
from maskwright.kernel.codes import Codes
from maskwright.kernel.expressions import (
    ALL,
    AND,
    BODY,
    CAT,
    CHARS,
    EPSILON,
    ESCAPE,
    HEX,
    LABEL,
    NEVER,
    NOT,
    RAW,
    REPEAT,
    TAIL,
    WORDS,
    Expressions,
)
from maskwright.kernel.loops import SPECIAL_IN_BODY, UNBOUNDED, Loops
from maskwright.kernel.moves import Moves
from maskwright.kernel.trie import TEXT_CATEGORIES

__all__ = ["ACCEPTS", "CONTINUES", "DEAD", "UNBOUNDED", "UNKNOWN", "WIDE", "Lexicon", "mapped_column"]

#: ``rows`` entries that are no states: a row that was not filled yet (so fresh memory needs no writing), and a byte
#: that cannot be read.
UNKNOWN = 0
DEAD = 1
#: ``flags`` bits: more bytes can be read; the lexeme may end here; the state loops on text (thousands of tokens); its
#: row is filled, but perhaps for the entry of the backslash, which few walks need and which costs a state.
CONTINUES = 1
ACCEPTS = 2
WIDE = 4
FILLED = 8

#: Anonymous maps are shared with forked processes unless told otherwise; Windows knows neither forks nor the flag.
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}

Run = tuple[int, int]


class Lexicon:
    """States of lexemes; see the header for what each column holds."""

    def __init__(
        self,
        emptiness_states: int,
        absent: bytes = b"",
        reserve: int = 1024,
        longest: int = 1 << 30,
        codes: Codes | None = None,
    ) -> None:
        """Start with the dead state and the finished one.

        ``absent`` are bytes that no token of the vocabulary holds. Address space is taken for ``reserve`` states,
        memory only as they come. ``codes`` knows the tokens that grammars name.
        """
        self.absent = sorted(absent)
        self.codes = Codes({}, ()) if codes is None else codes
        self.longest = longest
        self.masked = {}
        self.spelled = {}
        self.expressions = Expressions()
        self.moves = Moves(self.expressions, emptiness_states)
        self.loops = Loops(self.expressions, self.moves)
        self.bounds = Bounds(self.expressions, self.moves, longest)
        self.terms = {}
        self.state_ids = {}
        self._columns = None
        self.state_expressions = [NEVER]
        self._allocate(reserve)
        self.state(NEVER)
        self.state(EPSILON)

    def _allocate(self, capacity: int) -> None:
        size = len(self.state_expressions)
        old = self._columns
        self._columns = [mapped_column(256 * capacity, "i"), *[mapped_column(capacity, code) for code in "iiQiiii"]]
        if old is not None:
            for new, column in zip(self._columns, old, strict=True):
                stop = size * (len(column) // self.capacity)
                new[:stop] = column[:stop]
        self.capacity = capacity
        self.rows: memoryview = self._columns[0]
        self.flags: memoryview = self._columns[1]
        self.label, self.run, self.most, self.base, self.least, self.limit = self._columns[2:]

    def intern(self, term: object) -> int:
        """The expression of a term; NEVER if the term is empty. Iterative: terms may nest as deep as Limits allow."""
        todo = [term]
        while todo:
            at = todo[-1]
            if at in self.terms:
                todo.pop()
                continue
            waiting = [part for part in at.args if hasattr(part, "op") and part not in self.terms]  # type: ignore[attr-defined]
            if waiting:
                todo.extend(waiting)
                continue
            self.terms[at] = self._build(at)
            todo.pop()
        return self.terms[term]

    def _build(self, term: object) -> int:
        e = self.expressions
        op: str = term.op  # type: ignore[attr-defined]
        args = term.args  # type: ignore[attr-defined]
        if op == "characters":
            return e.chars(args[0])
        if op in ("words", "labelled"):
            return e.words(args[0], op == "labelled")
        if op == "automaton":
            # A machine that begins in one of many states names the machine that they are states of.
            return e.machine(getattr(args[0], "machine", args[0]), args[0].start)
        if op in ("encode", "quote"):
            return self._spell(op, args)
        if op in ("token", "other_tokens", "token_ids", "marker"):
            return self._name(op, args[0])
        if op == "repeat":
            return e.repeat(self.terms[args[0]], args[1], -1 if args[2] is None else args[2])
        if op == "complement":
            return e.negate(self.terms[args[0]])
        below = [self.terms[part] for part in args]
        if op == "concatenate":
            whole = EPSILON
            for part in reversed(below):
                whole = e.cat(part, whole)
            return whole
        if op == "unite":
            return e.unite(below)
        if op == "intersect":
            return e.intersect(below)
        return EPSILON if op == "epsilon" else NEVER

    def _spell(self, op: str, args: tuple[object, ...]) -> int:
        e = self.expressions
        text = self.terms[args[0]]
        if not self.moves.is_alive(text):
            return NEVER
        if op == "encode":
            return e.raw(text)
        return e.cat(e.raw(e.words(('"',), False)), e.body(text, 1 if args[1] else 0))

    def _name(self, op: str, argument: object) -> int:
        """The code of tokens that are named; a marker without a token of its name is a text."""
        e = self.expressions
        found = self.codes.codes(op, argument)
        if found:
            return e.words(found, False)
        return e.raw(e.words((argument,), False)) if op == "marker" else NEVER

    def mask_state(self, s: cython.int) -> cython.int:
        """The state that a mask may take for a state: counters far from their ends are forgotten."""
        found = self.masked.get(s)
        if found is None:
            found = self.masked[s] = self.state(self.bounds.forget(self.state_expressions[s]))
        return found  # type: ignore[no-any-return]

    def words_at(self, s: cython.int) -> int:
        """The run of words that a state inside a string reads, as an expression; NEVER if it reads anything else."""
        x: cython.int = self.state_expressions[s]
        e: Expressions = self.expressions
        if self.absent or e.kind[x] != BODY or e.kind[e.first[x]] != WORDS:
            return NEVER
        return e.first[x]  # type: ignore[no-any-return]

    def excluded_at(self, s: cython.int) -> int:
        """The run of words that a state inside a string excludes, as an expression; NEVER if none or several."""
        x: cython.int = self.state_expressions[s]
        e: Expressions = self.expressions
        if self.absent or e.kind[x] != BODY or e.kind[e.first[x]] != NOT:
            return NEVER
        inner: cython.int = e.first[e.first[x]]
        return inner if e.kind[inner] == WORDS else NEVER

    def leap(self, s: cython.int, text: str) -> cython.int:
        """The state after several plain characters inside a string that reads words, excludes them, or reads anything.

        No state is made for the characters in between. UNKNOWN for states of another kind.
        """
        e: Expressions = self.expressions
        x: cython.int = self.state_expressions[s]
        if self.absent or e.kind[x] != BODY:
            return UNKNOWN
        inner: cython.int = e.first[x]
        if inner == ALL:
            return s
        if e.kind[inner] == WORDS:
            run: cython.int = e.narrow(inner, text)
            return DEAD if run == NEVER else self.state(e.body(run, e.second[x]))
        if e.kind[inner] == NOT and e.kind[e.first[inner]] == WORDS:
            return self.state(e.body(e.negate(e.narrow(e.first[inner], text)), e.second[x]))
        return UNKNOWN

    def is_body(self, s: cython.int) -> cython.bint:
        """Whether a state is inside a JSON string."""
        x: cython.int = self.state_expressions[s]
        while self.expressions.kind[x] == CAT:
            x = self.expressions.first[x]
        return self.expressions.kind[x] == BODY

    def is_empty(self, term: object) -> bool:
        """Whether a term holds no string at all."""
        return not self.moves.is_alive(self.intern(term))

    def state(self, x: cython.int) -> cython.int:
        """The state of a byte expression."""
        found = self.state_ids.get(x)
        if found is not None:
            return found  # type: ignore[no-any-return]
        s = len(self.state_expressions)
        if s == self.capacity:
            self._allocate(2 * self.capacity)
        self.state_ids[x] = s
        self.state_expressions.append(x)
        self._describe(s, x)
        return s

    def _describe(self, s: cython.int, x: cython.int) -> cython.void:
        e: Expressions = self.expressions
        kind: cython.int = e.kind[x]
        bits: cython.int = 0 if kind == LABEL or x in (NEVER, EPSILON) else CONTINUES
        if e.nullable[x]:
            bits |= ACCEPTS
        self.label[s] = e.first[x] if kind == LABEL else 0
        if kind == RAW and (e.kind[e.first[x]] == WORDS or e.is_labelled(e.first[x])):
            if e.kind[e.first[x]] != WORDS and not e.goes_on(e.first[x]):
                bits = ACCEPTS
            if bits & ACCEPTS:
                self.label[s] = e.text_label(e.first[x])
        if kind in (ESCAPE, HEX, TAIL, LABEL) or (kind == BODY and e.kind[e.first[x]] in (WORDS, LABEL)):
            self.run[s] = self.most[s] = 0
            self.base[s] = DEAD
            self.flags[s] = bits
            return
        self.run[s], self.most[s] = self.loops.run(x)
        if self.run[s] & TEXT_CATEGORIES:
            bits |= WIDE
        self.flags[s] = bits
        self.base[s] = DEAD
        if bits & WIDE and kind == BODY:
            self._compare(s, e.first[x], e.second[x])

    def _compare(self, s: int, text: int, minimal: int) -> None:
        """Find the endless loop that a string body equals but for bounds on its length, or for excluded words."""
        e = self.expressions
        parts = e.parts[text] if e.kind[text] == AND else (text,)
        kept = [part for part in parts if not (e.kind[part] == NOT and self.loops.is_words(e.first[part]))]
        loop = e.intersect(kept)
        if e.kind[loop] != REPEAT or e.kind[e.first[loop]] != CHARS:
            return
        least, limit = e.second[loop], UNBOUNDED if e.third[loop] < 0 else e.third[loop]
        if len(kept) < len(parts) and (least > 0 or limit != UNBOUNDED):
            return
        self.least[s], self.limit[s] = least, limit
        endless = e.body(e.repeat(e.first[loop], 0, -1), minimal)
        base = s if endless == self.state_expressions[s] else self.state(endless)
        self.base[s] = base

    def holds(self, x: int, live: int) -> bool:
        """Whether a rest of labelled words leads to one whose bit is set in ``live``."""
        e = self.expressions
        todo = [x]
        while todo:
            at = todo.pop()
            kind = e.kind[at]
            if kind == LABEL:
                if live >> e.first[at] & 1:
                    return True
            elif kind == WORDS:
                if any(live >> which & 1 for which in e.tables[e.first[at]][1][e.second[at] : e.third[at]]):
                    return True
            elif kind in (HEX, TAIL):
                todo.extend([part[2] for part in e.parts[at]])
            elif kind == ESCAPE:
                # The character that the backslash begins is still to come: the word that ends before it does not count.
                todo.extend([rest for _, _, rest in self.moves.of(e.first[at])])
            elif at not in (NEVER, EPSILON):
                todo.append(e.second[at] if kind == CAT else e.first[at])
        return False

    def is_spellable(self, x: int) -> bool:
        """Whether bytes that occur in the vocabulary lead from a byte expression to its end; remembered."""
        if not self.absent or x == NEVER or self.expressions.kind[x] == WORDS:
            return x != NEVER
        if x in self.spelled:
            return self.spelled[x]  # type: ignore[no-any-return]
        came_from = {x: -1}
        todo = [x]
        while todo:
            at = todo.pop()
            if self.expressions.nullable[at] or self.spelled.get(at):
                while at >= 0:
                    self.spelled[at] = True
                    at = came_from[at]
                return True
            ends = []
            for _, _, then in self._present(self.moves.of(at)):
                if then not in came_from and self.spelled.get(then) is not False:
                    came_from[then] = at
                    # What ends at once is looked at next: a name of 253 characters need not be spelled out first.
                    if self.expressions.nullable[then] or self.spelled.get(then):
                        ends.append(then)
                    else:
                        todo.append(then)
            todo.extend(ends)
        self.spelled.update(dict.fromkeys(came_from, False))
        return False

    def _present(self, moves: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """The moves without absent bytes."""
        for byte in self.absent:
            cut = [move for move in moves if not move[0] <= byte <= move[1]]
            for low, high, then in moves:
                if low < byte <= high:
                    cut.append((low, byte - 1, then))
                if low <= byte < high:
                    cut.append((byte + 1, high, then))
            moves = cut
        return moves

    def _fill_words(self, s: cython.int, x: cython.int) -> cython.bint:
        """Fill the row of a string body that is one of some words, if its next characters are plain.

        A member name costs a state a character, so this is the row that is filled most often.
        """
        e: Expressions = self.expressions
        text: cython.int = e.first[x]
        minimal: cython.int = e.second[x]
        moves = e.word_moves(text)
        byte: cython.int
        start: cython.Py_ssize_t = 256 * s
        if not _is_plain(moves):
            return False
        targets = [self.state(e.body(then, minimal)) for _, _, then in moves]
        closed: cython.int = DEAD
        if e.nullable[text]:
            labels = e.tables[e.first[text]][1]
            closed = self.state(e.label(labels[e.second[text]])) if labels else self.state(EPSILON)
        escaped: cython.int = UNKNOWN if moves and not minimal else DEAD
        rows: cython.int[::1] = self.rows
        for byte in range(256):
            rows[start + byte] = DEAD
        for move, target in zip(moves, targets, strict=True):
            byte = move[0]
            rows[start + byte] = target
        rows[start + 0x22] = closed
        rows[start + 0x5C] = escaped
        return True

    def _fill_other(self, s: cython.int, x: cython.int) -> cython.bint:
        """Fill the row of a string body that is anything but some words, if their next characters are plain.

        It is the row of any body, patched there.
        """
        e: Expressions = self.expressions
        text: cython.int = e.first[x]
        minimal: cython.int = e.second[x]
        moves = self.moves.of(e.first[text])
        byte: cython.int
        start: cython.Py_ssize_t = 256 * s
        if not _is_plain(moves):
            return False
        free: cython.int = self.state(e.body(ALL, minimal))
        if self.rows[256 * free] == UNKNOWN:
            self.fill(free)
        targets = [self.state(e.body(e.negate(then), minimal)) for _, _, then in moves]
        rows: cython.int[::1] = self.rows
        for byte in range(256):
            rows[start + byte] = rows[256 * free + byte]
        for move, target in zip(moves, targets, strict=True):
            byte = move[0]
            rows[start + byte] = target
        if e.nullable[e.first[text]]:
            rows[start + 0x22] = DEAD
        rows[start + 0x5C] = UNKNOWN
        return True

    def _fill_ascii(self, s: cython.int, x: cython.int) -> cython.void:
        """Fill the row of a string body for what ASCII characters may stand there as they are.

        The rest is left open: escapes and other characters take ten states more, for each character of a string whose
        length is counted.
        """
        e: Expressions = self.expressions
        inner = self.moves.of(e.first[x])
        minimal: cython.int = e.second[x]
        rows: cython.int[::1] = self.rows
        byte: cython.int
        start: cython.Py_ssize_t = 256 * s
        for byte in range(128):
            rows[start + byte] = DEAD
        other: cython.int = UNKNOWN if inner and inner[-1][1] > 0x7F else DEAD
        for byte in range(128, 256):
            rows[start + byte] = other
        for low, high, then in inner:
            if low < 0x80:
                target: cython.int = self.state(e.body(then, minimal))
                rows = self.rows
                for byte in range(low if low > 0x20 else 0x20, high + 1 if high < 0x80 else 0x80):
                    rows[start + byte] = target
        rows[start + 0x22] = self.state(EPSILON) if e.nullable[e.first[x]] else DEAD
        if other == DEAD and not self.moves.needs_escape(inner, minimal):
            rows[start + 0x5C] = DEAD
        else:
            rows[start + 0x5C] = UNKNOWN
        if not self.run[s]:
            self._learn_run(s, x)

    def step(self, s: cython.int, byte: cython.int) -> cython.int:
        """The state after a byte, whatever was filled so far."""
        while self.rows[256 * s + byte] == UNKNOWN:
            self.fill(s)
        return self.rows[256 * s + byte]

    def fill(self, s: cython.int) -> cython.void:
        """Fill a state's row; a second time, what was left open in it."""
        e: Expressions = self.expressions
        x: cython.int = self.state_expressions[s]
        if self.flags[s] & FILLED and self.rows[256 * s + 0x80] != UNKNOWN:
            self.rows[256 * s + 0x5C] = self.state(e.escape(e.first[x], e.second[x]))
            return
        if e.kind[x] == BODY and not self.absent and not self.flags[s] & FILLED:
            self.flags[s] |= FILLED
            kind: cython.int = e.kind[e.first[x]]
            if kind == WORDS and self._fill_words(s, x):
                return
            if kind == NOT and self.loops.is_words(e.first[e.first[x]]) and self._fill_other(s, x):
                return
            if kind != WORDS and kind != LABEL and e.first[x] != EPSILON:
                self._fill_ascii(s, x)
                return
        self.flags[s] |= FILLED
        moves = self.moves.of(self.state_expressions[s])
        if self.absent and e.kind[x] != WORDS:
            moves = [move for move in self._present(moves) if self.is_spellable(move[2])]
        targets = [self.state(move[2]) for move in moves]
        rows: cython.int[::1] = self.rows
        start: cython.Py_ssize_t = 256 * s
        byte: cython.Py_ssize_t
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        target: cython.int
        for byte in range(start, start + 256):
            rows[byte] = DEAD
        for move, then in zip(moves, targets, strict=True):
            low = move[0]
            high = move[1]
            target = then
            for byte in range(start + low, start + high + 1):
                rows[byte] = target
        if not self.run[s]:
            self._learn_run(s, x)

    def _learn_run(self, s: cython.int, x: cython.int) -> cython.void:
        """Find the characters on which a state stays as it is; its moves are known now."""
        e: Expressions = self.expressions
        while e.kind[x] == CAT:
            x = e.first[x]
        kind: cython.int = e.kind[x]
        if kind not in (RAW, BODY):
            return
        mask, most = self.loops.loop(e.first[x])
        if kind == BODY:
            mask &= ~SPECIAL_IN_BODY
        if mask & TEXT_CATEGORIES:
            self.run[s] = mask
            self.most[s] = most
            self.flags[s] |= WIDE


def _is_plain(moves: list[tuple[int, int, int]]) -> bool:
    """Whether all next characters are one byte that a JSON string may hold as it is."""
    return all([0x20 <= point < 0x80 and point != 0x22 and point != 0x5C for point, _, _ in moves])


def mapped_column(length: int, code: str) -> memoryview:
    """A zeroed column whose memory is taken page by page, when first written; private to the process after a fork."""
    size = length * (8 if code == "Q" else 4)
    return memoryview(mmap.mmap(-1, size, **_PRIVATE)).cast(code)
