"""Expressions: the hash-consed arena in which lexemes are derived.

An expression is an int. Equal structure is the same int, so a *state* of a lexeme simply is the expression of what may
still be read (Brzozowski, "Derivatives of regular expressions", 1964; hash-consing and smart constructors after Owens,
Reppy and Turon, "Regular-expression derivatives re-examined", 2009). Two sorts share the arena: text expressions read
code points, byte expressions read bytes; only :data:`RAW` and :data:`BODY` turn the first into the second.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable

import cython

__all__ = [
    "ALL",
    "AND",
    "BODY",
    "CAT",
    "CHARS",
    "EPSILON",
    "ESCAPE",
    "HEX",
    "LABEL",
    "MACHINE",
    "NEVER",
    "NOT",
    "OR",
    "RAW",
    "REPEAT",
    "SURROGATE_FREE",
    "TAIL",
    "WORDS",
    "Expressions",
]

# Kinds of expression. What the columns first[x], second[x], third[x] and parts[x] hold is told beside each.
LITERAL_KIND = 0  # NEVER and EPSILON themselves
LABEL = 1  # first: which word was read; the empty string, remembered
CHARS = 2  # parts: ((first, last), ...), one code point, no surrogates
WORDS = 3  # first: word table, second..third: run of its words that agree so far; parts: (depth,)
CAT = 4  # first then second; first is never itself a CAT
OR = 5  # parts: sorted ids, at least two
AND = 6  # parts: sorted ids, at least two
NOT = 7  # first
REPEAT = 8  # first, second times at least, third at most (-1: no bound)
MACHINE = 9  # first: machine, second: its state
RAW = 10  # first: a text expression, spelled as UTF-8
BODY = 11  # first: a text expression inside JSON quotes; second: 1 if only demanded escapes are read
ESCAPE = 12  # the same after a backslash
TAIL = 13  # UTF-8 continuation: first more bytes; parts: ((first, last, then), ...) of the value still to come
HEX = 14  # the same for first more hexadecimal digits

NEVER = 0
EPSILON = 1
#: Every string of code points: the third expression of every arena.
ALL = 2

SURROGATE_FREE = ((0, 0xD7FF), (0xE000, 0x10FFFF))


class Expressions:
    """The arena: columns indexed by expression."""

    def __init__(self) -> None:
        """Build an arena that holds NEVER, EPSILON and ALL."""
        self.kind: list[int] = []
        self.first: list[int] = []
        self.second: list[int] = []
        self.third: list[int] = []
        self.parts: list[tuple[Hashable, ...]] = []
        self.nullable: list[bool] = []
        self.hollow: list[bool] = []
        self.ids: dict[tuple[Hashable, ...], int] = {}
        self.tables: list[tuple[list[str], list[int]]] = []
        self.table_ids: dict[tuple[bool, tuple[str, ...]], int] = {}
        self.machines: list[object] = []
        self.machine_ids: dict[object, int] = {}
        self.machine_states: list[list[Hashable]] = []
        self.machine_state_ids: list[dict[Hashable, int]] = []
        self.make(LITERAL_KIND, 0, 0, 0, (), False, False)
        self.make(LITERAL_KIND, 1, 0, 0, (), True, False)
        self.repeat(self.chars(SURROGATE_FREE), 0, -1)
        # chars() made expression 2; ALL is fixed to be 2, so exchange the two ids once.
        self._exchange(2, 3)

    def _exchange(self, one: int, other: int) -> None:
        for column in (self.kind, self.first, self.second, self.third, self.parts, self.nullable, self.hollow):
            column[one], column[other] = column[other], column[one]  # type: ignore[index]
        self.first[ALL] = other
        self.ids = {self._key(x): x for x in range(len(self.kind))}

    def _key(self, x: int) -> tuple[Hashable, ...]:
        return (self.kind[x], self.first[x], self.second[x], self.third[x], self.parts[x])

    def make(
        self,
        kind: cython.int,
        first: cython.int,
        second: cython.int,
        third: cython.int,
        parts: tuple,
        nullable: cython.bint,
        hollow: cython.bint,
    ) -> cython.int:
        """The expression with this structure; only the smart constructors below call it."""
        key = (kind, first, second, third, parts)
        found = self.ids.get(key)
        if found is not None:
            return found  # type: ignore[no-any-return]
        x: cython.int = len(self.kind)
        self.kind.append(kind)
        self.first.append(first)
        self.second.append(second)
        self.third.append(third)
        self.parts.append(parts)
        self.nullable.append(nullable)
        self.hollow.append(hollow)
        self.ids[key] = x
        return x

    def label(self, which: cython.int) -> cython.int:
        """The empty string that remembers which word was read."""
        return self.make(LABEL, which, 0, 0, (), True, False)

    def chars(self, ranges: tuple[tuple[int, int], ...]) -> int:
        """One code point; surrogates are cut out, since no encoding can carry them."""
        clean: list[tuple[int, int]] = []
        for low, high in ranges:
            if low < 0xD800 and high >= 0xD800:
                clean.append((low, 0xD7FF))
            elif high < 0xD800:
                clean.append((low, high))
            if high > 0xDFFF:
                clean.append((max(low, 0xE000), high))
        return self.make(CHARS, 0, 0, 0, tuple(clean), False, False) if clean else NEVER

    def words(self, strings: tuple[str, ...], labelled: cython.bint) -> int:
        """One of the strings; labelled ones report their place in the given order."""
        key = (labelled, strings)
        table = self.table_ids.get(key)
        if table is None:
            order = sorted(range(len(strings)), key=strings.__getitem__)
            table = len(self.tables)
            self.tables.append(([strings[i] for i in order], order if labelled else []))
            self.table_ids[key] = table
        return self.word_run(table, 0, len(strings), 0)

    def word_run(self, table: cython.int, low: cython.int, high: cython.int, depth: cython.int) -> cython.int:
        """The rests, after ``depth`` characters, of the words ``low`` to ``high`` of a table."""
        text, labels = self.tables[table]
        done = len(text[low]) == depth
        if done and high - low == 1:
            return self.label(labels[low]) if labels else EPSILON
        return self.make(WORDS, table, low, high, (depth,), done, False)

    def word_moves(self, x: int) -> list[tuple[int, int, int]]:
        """``(code point, code point, rest)`` for every next character of a run of words."""
        table, low, high = self.first[x], self.second[x], self.third[x]
        depth: int = self.parts[x][0]  # type: ignore[assignment]
        text = self.tables[table][0]
        moves: list[tuple[int, int, int]] = []
        if len(text[low]) == depth:
            low += 1
        while low < high:
            character = text[low][depth]
            # Words are sorted and agree before depth, so those that go on alike are one run.
            point = ord(character)
            stop = low + 1
            if high - low > 1:
                stop = high if point == 0x10FFFF else bisect_left(text, text[low][:depth] + chr(point + 1), low, high)
            if not 0xD800 <= point <= 0xDFFF:
                moves.append((point, point, self.word_run(table, low, stop, depth + 1)))
            low = stop
        return moves

    def narrow(self, x: cython.int, more: str) -> cython.int:
        """What may follow some characters of a run of words; NEVER if no word goes on with them."""
        table: cython.int = self.first[x]
        depth: int = self.parts[x][0]  # type: ignore[assignment]
        text = self.tables[table][0]
        low, high = self.second[x], self.third[x]
        prefix = text[low][:depth] + more
        low = bisect_left(text, prefix, low, high)
        if low == high or not text[low].startswith(prefix):
            return NEVER
        last = ord(prefix[-1])
        stop = high if last == 0x10FFFF else bisect_left(text, prefix[:-1] + chr(last + 1), low, high)
        return self.word_run(table, low, stop, depth + len(more))

    def word_label(self, x: int) -> int:
        """Which word ends here (its place in the given order), 0 for unlabelled words."""
        labels = self.tables[self.first[x]][1]
        return labels[self.second[x]] if labels else 0

    def machine(self, machine: object, state: Hashable) -> int:
        """What a machine may still read in a state."""
        which = self.machine_ids.get(machine)
        if which is None:
            which = self.machine_ids[machine] = len(self.machines)
            self.machines.append(machine)
            self.machine_states.append([])
            self.machine_state_ids.append({})
        ids = self.machine_state_ids[which]
        place = ids.get(state)
        if place is None:
            place = ids[state] = len(ids)
            self.machine_states[which].append(state)
        accepts: bool = machine.accepts(state)  # type: ignore[attr-defined]
        return self.make(MACHINE, which, place, 0, (), accepts, False)

    def is_labelled(self, x: int) -> bool:
        """Whether a text expression is a machine that tells how it accepts."""
        return self.kind[x] == MACHINE and hasattr(self.machines[self.first[x]], "label")

    def text_label(self, x: int) -> int:
        """How a labelled machine accepts in a state, or which of some words ends where others go on."""
        if self.kind[x] == WORDS:
            return self.word_label(x)
        which = self.first[x]
        return self.machines[which].label(self.machine_states[which][self.second[x]])  # type: ignore[attr-defined, no-any-return]

    def goes_on(self, x: int) -> bool:
        """Whether a labelled machine has a move in a state."""
        which = self.first[x]
        return self.machines[which].continues(self.machine_states[which][self.second[x]])  # type: ignore[attr-defined, no-any-return]

    def cat(self, one: cython.int, other: cython.int) -> cython.int:
        """One after the other; right-associated, so that deriving touches the head only."""
        if one == NEVER or other == NEVER:
            return NEVER
        if one == EPSILON:
            return other
        if other == EPSILON:
            return one
        heads = []
        while self.kind[one] == CAT:
            heads.append(self.first[one])
            one = self.second[one]
        heads.append(one)
        for head in reversed(heads):
            if head == ALL and (other == ALL or (self.kind[other] == CAT and self.first[other] == ALL)):
                continue
            null = self.nullable[head] and self.nullable[other]
            hollow = self.hollow[head] or self.hollow[other]
            other = self.make(CAT, head, other, 0, (), null, hollow)
        return other

    def unite(self, given: list[int]) -> int:
        """Any of the expressions."""
        flat: set[int] = set()
        for x in given:
            if self.kind[x] == OR:
                flat.update(self.parts[x])  # type: ignore[arg-type]
            elif x != NEVER:
                flat.add(x)
        if ALL in flat and not any(self.kind[x] >= RAW for x in flat):
            return ALL
        if EPSILON in flat and any(self.nullable[x] for x in flat if x != EPSILON):
            flat.discard(EPSILON)
        if not flat:
            return NEVER
        if len(flat) == 1:
            return flat.pop()
        null = any(self.nullable[x] for x in flat)
        hollow = any(self.hollow[x] for x in flat)
        return self.make(OR, 0, 0, 0, tuple(sorted(flat)), null, hollow)

    def intersect(self, given: list[int]) -> int:
        """What the text expressions have in common; it may be empty without being NEVER (see ``Moves.is_alive``)."""
        flat: set[int] = set()
        for x in given:
            if x == NEVER:
                return NEVER
            if self.kind[x] == AND:
                flat.update(self.parts[x])  # type: ignore[arg-type]
            elif x != ALL:
                flat.add(x)
        if EPSILON in flat:
            return EPSILON if all(self.nullable[x] for x in flat) else NEVER
        counters = [x for x in flat if self.kind[x] == CHARS or self._is_counter(x)]
        if len(counters) > 1:
            flat.difference_update(counters)
            merged = self._merge_counters(counters)
            if merged == NEVER or not flat:
                return merged
            return self.intersect([*flat, merged])
        if not flat:
            return ALL
        if len(flat) == 1:
            return flat.pop()
        null = all(self.nullable[x] for x in flat)
        return self.make(AND, 0, 0, 0, tuple(sorted(flat)), null, True)

    def _is_counter(self, x: int) -> bool:
        return self.kind[x] == REPEAT and self.kind[self.first[x]] == CHARS

    def _merge_counters(self, counters: list[int]) -> int:
        """The intersection of repetitions of single classes is one repetition of the common class."""
        least, most = 0, -1
        common: tuple[tuple[int, int], ...] = SURROGATE_FREE
        for x in counters:
            one = self.kind[x] == CHARS
            low, high = (1, 1) if one else (self.second[x], self.third[x])
            common = _overlap(common, self.parts[x if one else self.first[x]])  # type: ignore[arg-type]
            least = max(least, low)
            most = high if most < 0 else most if high < 0 else min(most, high)
        if most >= 0 and least > most:
            return NEVER
        return self.repeat(self.chars(common), least, most)

    def negate(self, x: int) -> int:
        """Every string of code points that the text expression does not hold."""
        if x == NEVER:
            return ALL
        if x == ALL:
            return NEVER
        if self.kind[x] == NOT:
            return self.first[x]
        return self.make(NOT, x, 0, 0, (), not self.nullable[x], True)

    def repeat(self, x: cython.int, least: cython.int, most: cython.int) -> cython.int:
        """``least`` to ``most`` times (-1: no bound)."""
        if most == 0 or x == EPSILON:
            return EPSILON
        if x == NEVER:
            return EPSILON if least == 0 else NEVER
        if least == most == 1:
            return x
        if self.nullable[x]:
            least = 0
        if self.kind[x] == REPEAT and self.second[x] <= 1 and self.third[x] < 0 and most < 0:
            # (x*)* and the like are x*; (x+)+ is x+.
            return self.repeat(self.first[x], min(self.second[x], least), -1)
        return self.make(REPEAT, x, least, most, (), least == 0, self.hollow[x])

    def raw(self, x: cython.int) -> cython.int:
        """The UTF-8 spelling of a text expression."""
        if x in (NEVER, EPSILON) or self.kind[x] == LABEL:
            return x
        return self.make(RAW, x, 0, 0, (), self.nullable[x], False)

    def body(self, x: cython.int, minimal: cython.int) -> cython.int:
        """A text expression inside JSON quotes, and the closing quote."""
        return NEVER if x == NEVER else self.make(BODY, x, minimal, 0, (), False, False)

    def escape(self, x: cython.int, minimal: cython.int) -> cython.int:
        """The same after a backslash."""
        return self.make(ESCAPE, x, minimal, 0, (), False, False)

    def partial(self, kind: int, more: int, rests: list[tuple[int, int, int]]) -> int:
        """A character of which ``more`` bytes or digits are still to come; ``rests`` are relative to what was read."""
        return self.make(kind, more, 0, 0, tuple(rests), False, False) if rests else NEVER


def _overlap(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    common = []
    i = j = 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if low <= high:
            common.append((low, high))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(common)
