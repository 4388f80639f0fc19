r"""Python's regular expressions as programs with priorities: what ``re`` would try first stands first.

Patterns are read by ``re`` itself (``re._parser``), since Lark hands them to it; a tree becomes instructions, and an
instruction that reads a character knows the ordered list of those that may read the next one (Thompson 1968; Pike's
priorities as in Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009). A repetition that read nothing
is left as ``re`` leaves it: its body is not tried again, what follows is.

Assertions are *conditions* of an entry in such a list. Lookaheads are programs of their own. Lookbehinds have one
length in Python; each is a program that is begun at every character, so that a bit says whether it has just matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final, NamedTuple

from maskwright.errors import ConstraintError, LimitError, PatternError, Problem, UnsupportedError
from maskwright.kernel.lexicon import Lexicon
from maskwright.limits import Limits
from maskwright.network.lexeme import Term
from maskwright.regex.classes import fold
from maskwright.regex.dialects import DIALECTS, shorthand
from maskwright.regex.ranges import ALL, Ranges, intersection, inversion, normal, union

#: The reader of ``re``, and the names of its nodes: private, but what gives a pattern its meaning.
sre_parser: Any = import_module("re._parser")
sre: Any = import_module("re._constants")

__all__ = ["ACCEPT", "AT_START", "CHAR", "EOF", "Condition", "Entry", "Programs", "is_readable"]

# Kinds of instruction; the first three are where a thread may stand.
CHAR: Final = 0  # reads a character of the set ``argument``
ACCEPT: Final = 1  # the program of owner ``argument`` has matched
EOF: Final = 2  # matches at the end of the text only
_JUMP: Final = 3
_SPLIT: Final = 4  # tries the targets of ``argument`` in this order
_ENTER: Final = 5  # a loop begins anew
_ITER: Final = 6  # (loop, body, exit, lazy): once more, or go on
_CHECK: Final = 7  # a condition

#: The bit of lookbehinds that says: nothing was read yet.
AT_START: Final = 0
#: Instructions of one grammar, and entries looked at for one list.
_INSTRUCTIONS: Final = 300_000
_ENTRIES: Final = 200_000

_PYTHON: Final = DIALECTS["python"]
_NEWLINE: Final[Ranges] = ((0x0A, 0x0A),)


class Condition(NamedTuple):
    """What must hold where an instruction is entered."""

    #: A lookahead: its place in ``Programs.looks``; otherwise a lookbehind: its bit.
    is_ahead: bool
    which: int
    positive: bool


#: The conditions, and the instruction that is entered.
Entry = tuple[tuple[Condition, ...], int]

_CATEGORIES: Final = {
    sre.CATEGORY_DIGIT: ("d", False),
    sre.CATEGORY_NOT_DIGIT: ("d", True),
    sre.CATEGORY_SPACE: ("s", False),
    sre.CATEGORY_NOT_SPACE: ("s", True),
    sre.CATEGORY_WORD: ("w", False),
    sre.CATEGORY_NOT_WORD: ("w", True),
}


class Programs:
    """The instructions of all patterns of a grammar; ``kinds[pc]`` and ``arguments[pc]``."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.kinds: list[int] = []
        self.arguments: list[Any] = []
        #: Character sets, without repetition.
        self.sets: list[Ranges] = []
        self._set_ids: dict[Ranges, int] = {}
        #: First instruction of each lookahead.
        self.looks: list[int] = []
        #: First instruction of each lookbehind, by bit; bit AT_START has none.
        self.behinds: list[int] = [-1]
        #: Characters that a lookbehind looks at.
        self.widths: list[int] = [0]
        self._behind_ids: dict[tuple[Any, ...], int] = {}
        self._loops = 0
        self._name = ""
        self._depth = 0
        self._in_behind = 0
        self._closures: dict[int, tuple[Entry, ...]] = {}

    def add(self, name: str, pattern: str, flags: int, owner: int) -> int:
        """Compile a pattern, called ``name`` in messages; the instruction that it begins with."""
        self._name = name
        self._depth = self._in_behind = 0
        try:
            tree = sre_parser.parse(pattern, flags)
        except (re.error, OverflowError) as error:
            raise PatternError(Problem(f"terminal {name}: {error}", keyword=name)) from error
        except RecursionError as error:
            raise LimitError(Problem(f"terminal {name} nests too deeply", keyword=name)) from error
        start = len(self.kinds)
        self._sequence(tree, tree.state.flags)
        self._emit(ACCEPT, owner)
        return start

    def add_term(self, name: str, term: Term, owner: int) -> int:
        """Compile a text term, which reads as much as it can; the instruction that it begins with."""
        self._name = name
        lexicon = Lexicon(self.limits.emptiness_states)
        first = lexicon.intern(term)
        places = {first: self._emit(_JUMP)}
        todo = [first]
        jumps: list[tuple[int, int]] = []
        while todo:
            at = todo.pop()
            self.arguments[places[at]] = split = self._emit(_SPLIT)
            targets: dict[int, list[tuple[int, int]]] = {}
            for low, high, then in lexicon.moves.of(at):
                targets.setdefault(then, []).append((low, high))
            starts = []
            for then, ranges in targets.items():
                starts.append(len(self.kinds))
                self._character(normal(ranges))
                jumps.append((self._emit(_JUMP), then))
                if then not in places:
                    places[then] = self._emit(_JUMP)
                    todo.append(then)
            if lexicon.expressions.nullable[at]:
                starts.append(self._emit(ACCEPT, owner))
            self.arguments[split] = tuple(starts)
        for jump, then in jumps:
            self.arguments[jump] = places[then]
        return places[first]

    # -- instructions

    def _emit(self, kind: int, argument: Any = None) -> int:
        if len(self.kinds) >= _INSTRUCTIONS:
            raise LimitError(
                Problem(
                    f"terminal {self._name}: the patterns of the grammar need more than {_INSTRUCTIONS} characters",
                    keyword=self._name,
                    remedy='bound repetitions by smaller numbers, or use lexer="exact"',
                )
            )
        self.kinds.append(kind)
        self.arguments.append(argument)
        return len(self.kinds) - 1

    def _character(self, ranges: Ranges) -> None:
        known = self._set_ids.get(ranges)
        if known is None:
            known = self._set_ids[ranges] = len(self.sets)
            self.sets.append(ranges)
        self._emit(CHAR, known)

    def _sequence(self, tree: Iterable[tuple[Any, Any]], flags: int) -> None:
        self._depth += 1
        if self._depth > self.limits.pattern_depth:
            raise LimitError(
                Problem(
                    f"terminal {self._name} nests groups deeper than {self.limits.pattern_depth}",
                    keyword=self._name,
                    remedy="raise Limits.pattern_depth, or use rules instead of one terminal",
                )
            )
        for op, argument in tree:
            self._node(op, argument, flags)
        self._depth -= 1

    def _node(self, op: Any, argument: Any, flags: int) -> None:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            self._character(_ranges(op, argument, flags))
        elif op is sre.SUBPATTERN:
            _, added, removed, inner = argument
            if added & sre_parser.TYPE_FLAGS:
                flags &= ~sre_parser.TYPE_FLAGS
            self._sequence(inner, (flags | added) & ~removed)
        elif op is sre.BRANCH:
            self._branch(argument[1], flags)
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, inner = argument
            self._repeat(least, most, inner, flags, lazy=op is sre.MIN_REPEAT)
        elif op is sre.POSSESSIVE_REPEAT and _is_one(argument[2]):
            least, most, inner = argument
            self._possess(least, most, inner, flags)
        elif op is sre.ATOMIC_GROUP and len(argument) == 1 and argument[0][0] is sre.MAX_REPEAT:
            self._node(sre.POSSESSIVE_REPEAT, argument[0][1], flags)
        elif op is sre.AT:
            self._anchor(argument, flags)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            direction, inner = argument
            self._look(direction, inner, flags, positive=op is sre.ASSERT)
        elif op is sre.FAILURE:
            self._character(())
        else:
            self._refuse(str(op).lower().replace("_", " "))

    def _refuse(self, what: str) -> None:
        raise UnsupportedError(
            Problem(
                f"terminal {self._name} uses what no automaton decides here: {what}",
                keyword=self._name,
                remedy='write the terminal without it, or as a rule with lexer="exact"',
            )
        )

    def _branch(self, alternatives: list[Any], flags: int) -> None:
        split = self._emit(_SPLIT)
        starts, jumps = [], []
        for alternative in alternatives:
            starts.append(len(self.kinds))
            self._sequence(alternative, flags)
            jumps.append(self._emit(_JUMP))
        self.arguments[split] = tuple(starts)
        for jump in jumps:
            self.arguments[jump] = len(self.kinds)

    def _repeat(self, least: int, most: Any, inner: Any, flags: int, *, lazy: bool) -> None:
        bound = least if most is sre.MAXREPEAT else int(most)
        if bound > self.limits.pattern_repeat:
            raise LimitError(
                Problem(
                    f"terminal {self._name} repeats {bound} times",
                    keyword=self._name,
                    remedy=f"at most {self.limits.pattern_repeat} (Limits.pattern_repeat)",
                )
            )
        for _ in range(least):
            self._sequence(inner, flags)
        self._loops += 1
        loop = self._loops
        empty = inner.getwidth()[0] == 0
        if empty:
            self._emit(_ENTER, loop)
        if most is sre.MAXREPEAT:
            self._turn(loop, inner, flags, lazy=lazy, empty=empty, back=True)
            return
        turns = [self._turn(loop, inner, flags, lazy=lazy, empty=empty, back=False) for _ in range(bound - least)]
        for turn in turns:
            self._point(turn, loop, len(self.kinds), lazy=lazy, empty=empty)

    def _possess(self, least: int, most: Any, inner: Any, flags: int) -> None:
        """Repeat one character as often as it stands there: after the last, it must not stand there again."""
        if most is not sre.MAXREPEAT:
            self._refuse("a possessive repetition with a bound")
        self._repeat(least, most, inner, flags, lazy=False)
        op, argument = inner[0]
        self._ahead(self._character_ahead(_ranges(op, argument, flags)), positive=False)

    def _turn(self, loop: int, inner: Any, flags: int, *, lazy: bool, empty: bool, back: bool) -> int:
        """The choice to read the body once more, and the body; ``back``: then the same choice again."""
        turn = self._emit(_ITER if empty else _SPLIT)
        self._sequence(inner, flags)
        if back:
            self._emit(_JUMP, turn)
            self._point(turn, loop, len(self.kinds), lazy=lazy, empty=empty)
        return turn

    def _point(self, turn: int, loop: int, out: int, *, lazy: bool, empty: bool) -> None:
        if empty:
            self.arguments[turn] = (loop, turn + 1, out, lazy)
        else:
            self.arguments[turn] = (out, turn + 1) if lazy else (turn + 1, out)

    # -- assertions

    def _anchor(self, which: Any, flags: int) -> None:
        if which is sre.AT_BEGINNING_STRING or (which is sre.AT_BEGINNING and not flags & re.MULTILINE):
            self._check(AT_START, positive=True)
        elif which is sre.AT_BEGINNING:
            self._either([(AT_START, True, None)], [(self._character_behind(_NEWLINE), True, None)])
        elif which is sre.AT_END_STRING:
            self._ahead(self._end_program(()), positive=True)
        elif which is sre.AT_END:
            self._ahead(self._end_program(_NEWLINE, must_end=not flags & re.MULTILINE), positive=True)
        elif which in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
            word = shorthand(_PYTHON, "w", ascii_only=bool(flags & re.ASCII))
            behind, ahead = self._character_behind(word), self._character_ahead(word)
            same = which is sre.AT_NON_BOUNDARY
            self._either([(behind, True, None), (ahead, same, True)], [(behind, False, None), (ahead, not same, True)])
        else:
            self._refuse(str(which).lower())

    def _either(self, *branches: list[tuple[int, bool, bool | None]]) -> None:
        """Alternatives of conditions ``(which, positive, is_ahead)``."""
        split = self._emit(_SPLIT)
        starts, jumps = [], []
        for branch in branches:
            starts.append(len(self.kinds))
            for which, positive, is_ahead in branch:
                if is_ahead:
                    self._ahead(which, positive=positive)
                else:
                    self._check(which, positive=positive)
            jumps.append(self._emit(_JUMP))
        self.arguments[split] = tuple(starts)
        for jump in jumps:
            self.arguments[jump] = len(self.kinds)

    def _check(self, bit: int, *, positive: bool) -> None:
        self._emit(_CHECK, Condition(is_ahead=False, which=bit, positive=positive))

    def _ahead(self, which: int, *, positive: bool) -> None:
        if self._in_behind:
            self._refuse("a lookahead within a lookbehind")
        self._emit(_CHECK, Condition(is_ahead=True, which=which, positive=positive))

    def _aside(self) -> int:
        """Begin a program in the midst of another: the jump that leads around it."""
        return self._emit(_JUMP)

    def _end_program(self, before: Ranges, *, must_end: bool = True) -> int:
        """A lookahead: the end of the text, or what stands in ``before`` (and then the end)."""
        jump = self._aside()
        split = self._emit(_SPLIT)
        starts = []
        if before:
            starts.append(len(self.kinds))
            self._character(before)
            self._emit(EOF if must_end else ACCEPT, -1)
        starts.append(self._emit(EOF))
        self.arguments[split] = tuple(starts)
        return self._finish_look(jump)

    def _character_ahead(self, ranges: Ranges) -> int:
        jump = self._aside()
        self._character(ranges)
        self._emit(ACCEPT, -1)
        return self._finish_look(jump)

    def _finish_look(self, jump: int) -> int:
        self.arguments[jump] = len(self.kinds)
        self.looks.append(jump + 1)
        return len(self.looks) - 1

    def _character_behind(self, ranges: Ranges) -> int:
        known = self._behind_ids.get(ranges)
        if known is None:
            jump = self._aside()
            self._character(ranges)
            known = self._behind_ids[ranges] = self._finish_behind(jump, 1)
        return known

    def _finish_behind(self, jump: int, width: int) -> int:
        bit = len(self.behinds)
        self._emit(ACCEPT, bit)
        self.arguments[jump] = len(self.kinds)
        self.behinds.append(jump + 1)
        self.widths.append(width)
        return bit

    def _look(self, direction: int, inner: Any, flags: int, *, positive: bool) -> None:
        jump = self._aside()
        if direction > 0:
            self._sequence(inner, flags)
            self._emit(ACCEPT, -1)
            self._ahead(self._finish_look(jump), positive=positive)
            return
        least, most = inner.getwidth()
        if least != most:
            self._refuse("a lookbehind of several lengths")
        self._in_behind += 1
        self._sequence(inner, flags)
        self._in_behind -= 1
        self._check(self._finish_behind(jump, least), positive=positive)

    # -- what may be entered

    def entered(self, pc: int) -> tuple[Entry, ...]:
        """Where a thread may stand that is at an instruction, in the order in which ``re`` tries."""
        found = self._closures.get(pc)
        if found is None:
            found = self._closures[pc] = self._enter(pc)
        return found

    def _enter(self, start: int) -> tuple[Entry, ...]:
        entries: dict[Entry, None] = {}
        unconditional: set[int] = set()
        todo: list[tuple[int, frozenset[int], tuple[Condition, ...]]] = [(start, frozenset(), ())]
        seen: set[tuple[int, frozenset[int], tuple[Condition, ...]]] = set()
        while todo:
            way = todo.pop()
            if way in seen:
                continue
            seen.add(way)
            pc, begun, conditions = way
            kind = self.kinds[pc]
            if kind <= EOF:
                if pc not in unconditional:
                    entries[conditions, pc] = None
                    if not conditions:
                        unconditional.add(pc)
                continue
            todo.extend(reversed(_onward(pc, kind, self.arguments[pc], begun, conditions)))
            if len(todo) + len(seen) > _ENTRIES:
                raise LimitError(
                    Problem(
                        f"more than {_ENTRIES} ways through a terminal without reading a character",
                        remedy='simplify nested repetitions of what may be empty, or use lexer="exact"',
                    )
                )
        return tuple(entries)


def _is_one(tree: Any) -> bool:
    """Whether a tree reads one character."""
    return len(tree) == 1 and tree[0][0] in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


def is_readable(pattern: str, limits: Limits) -> bool:
    """Whether a pattern can be compiled; more than the terms of :mod:`maskwright.regex` can say is possible here."""
    try:
        Programs(limits).add("", pattern, 0, 0)
    except ConstraintError:
        return False
    return True


def _onward(
    pc: int, kind: int, argument: Any, begun: frozenset[int], conditions: tuple[Condition, ...]
) -> list[tuple[int, frozenset[int], tuple[Condition, ...]]]:
    """What an instruction that reads nothing leads to, in order."""
    if kind == _JUMP:
        return [(argument, begun, conditions)]
    if kind == _SPLIT:
        return [(target, begun, conditions) for target in argument]
    if kind == _ENTER:
        return [(pc + 1, begun - {argument}, conditions)]
    if kind == _CHECK:
        return [(pc + 1, begun, conditions if argument in conditions else (*conditions, argument))]
    loop, body, out, lazy = argument
    leave = (out, begun, conditions)
    if loop in begun:
        return [leave]
    again = (body, begun | {loop}, conditions)
    return [leave, again] if lazy else [again, leave]


def _ranges(op: Any, argument: Any, flags: int) -> Ranges:
    """The characters of a node that reads exactly one."""
    if op is sre.ANY:
        return ALL if flags & re.DOTALL else inversion(_NEWLINE)
    if op is sre.IN:
        return _bracket(argument, flags)
    found = _folded(normal([(argument, argument)]), flags)
    return inversion(found) if op is sre.NOT_LITERAL else found


def _bracket(items: list[tuple[Any, Any]], flags: int) -> Ranges:
    negative = bool(items) and items[0][0] is sre.NEGATE
    points: list[tuple[int, int]] = []
    classes: list[Ranges] = []
    for op, argument in items[1:] if negative else items:
        if op is sre.CATEGORY:
            letter, inverted = _CATEGORIES[argument]
            ranges = shorthand(_PYTHON, letter, ascii_only=bool(flags & re.ASCII))
            classes.append(inversion(ranges) if inverted else ranges)
        else:
            points.append((argument, argument) if op is sre.LITERAL else argument)
    found = union(_folded(normal(points), flags), *classes)
    return inversion(found) if negative else found


def _folded(ranges: Ranges, flags: int) -> Ranges:
    if not flags & re.IGNORECASE:
        return ranges
    if flags & re.ASCII:
        letters = ((0x41, 0x5A), (0x61, 0x7A))
        return union(ranges, intersection(fold(intersection(ranges, letters), python=False), letters))
    return fold(ranges, python=True)
