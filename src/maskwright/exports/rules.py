"""The rules of a grammar that is being written: numbered, found by what they stand for, then made readable."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import isqrt
from typing import Final

from maskwright.errors import Problem, UnsupportedError
from maskwright.exports.expressions import (
    DEPTH,
    EMPTY,
    NEVER,
    Expression,
    alternatives,
    reference,
    references,
    repetition,
    sequence,
    with_parts,
)

__all__ = ["Rules"]

#: Repetitions that llama.cpp counts: 2,000 and more it refuses, or takes for no bound at all.
_COUNTED: Final = 1_000
#: Characters of a rule up to which it is written into the rules that name it, and up to which those may grow.
_SHORT: Final = 24
_LINE: Final = 160


class Rules:
    """Rules by number; a rule may be named before it is written."""

    def __init__(self, most: int, remedy: str) -> None:
        """At most so many rules; ``remedy`` says what to do about more."""
        self._most = most
        self._remedy = remedy
        self._numbers: dict[Hashable, int] = {}
        self.titles: list[str] = []
        #: While :meth:`tidy` works: rules whose bodies are not done yet, and rules that name themselves.
        self._open: set[int] = set()
        self._recursive: set[int] = set()
        self.notes: dict[int, str] = {}
        self.bodies: dict[int, Expression] = {}

    @property
    def room(self) -> int:
        """Rules that may still come."""
        return self._most - len(self.titles)

    def find(self, key: Hashable) -> int | None:
        """The rule that stands for something, if there is one."""
        return self._numbers.get(key)

    def add(self, key: Hashable, title: str) -> int:
        """A new rule, to be written later.

        Raises :class:`maskwright.errors.UnsupportedError` if there are too many.
        """
        if not self.room:
            raise UnsupportedError(
                Problem(
                    f"as a grammar without counters it has more than {self._most} rules",
                    keyword="rules",
                    remedy=self._remedy,
                )
            )
        number = self._numbers[key] = len(self.titles)
        self.titles.append(title)
        return number

    def write(self, rule: int, body: Expression) -> None:
        """Say what a rule reads."""
        self.bodies[rule] = self.shallow(body)

    def named(self, key: Hashable, title: str, body: Expression) -> int:
        """The rule of a body that several places may share."""
        rule = self.find(key)
        if rule is None:
            rule = self.add(key, "ws" if _is_blank(body) else title)
            self.write(rule, body)
        return rule

    def shallow(self, expression: Expression) -> Expression:
        """The same, with parts that nest too deeply as rules of their own."""
        if expression.depth < DEPTH:
            return expression
        parts = [
            reference(self.named(("part", part), "part", part)) if part.depth + 1 >= DEPTH else part
            for part in expression.parts
        ]
        return with_parts(expression, parts)

    def counted(self, part: Expression, least: int, most: int | None) -> Expression:
        """A repetition; where llama.cpp would not count so far, of blocks of repetitions."""
        if max(least, most or 0) <= 1 or (max(least, most or 0) < _COUNTED and part.kind in ("class", "rule")):
            return repetition(part, least, most)
        if part.kind not in ("class", "rule"):
            # What stands in brackets, or is long, counts as often as it has parts.
            part = reference(self.named(("part", part), "part", part))
        if max(least, most or 0) < _COUNTED:
            return repetition(part, least, most)
        rest = repetition(part, 0, None) if most is None else self._up_to(part, most - least)
        return sequence([self._exactly(part, least), rest])

    def _exactly(self, part: Expression, count: int) -> Expression:
        if count < _COUNTED:
            return repetition(part, count, count)
        blocks, further = divmod(count, size := _block(count))
        return sequence([self._exactly(self._times(part, size), blocks), repetition(part, further, further)])

    def _up_to(self, part: Expression, most: int) -> Expression:
        """Whole blocks and less than one, in one way only: each way more is a stack more for llama.cpp."""
        if most < _COUNTED:
            return repetition(part, 0, most)
        blocks, further = divmod(most, size := _block(most))
        block = self._times(part, size)
        fewer = sequence([self._up_to(block, blocks - 1), repetition(part, 0, size - 1)])
        return alternatives([fewer, sequence([self._exactly(block, blocks), repetition(part, 0, further)])])

    def _times(self, part: Expression, count: int) -> Expression:
        return reference(self.named(("times", part, count), f"times-{count}", repetition(part, count, count)))

    def tidy(self, root: int) -> list[int]:
        """Write short rules and those named once into the rules that name them; the rules that are left, root first."""
        self._drop_empty()
        uses = [0] * len(self.titles)
        for rule in self._reachable(root):
            for below in references(self.bodies[rule]):
                uses[below] += 1
        for rule in self._bottom_up(root):
            self.bodies[rule] = self._inlined(rule, uses)
            if rule in references(self.bodies[rule]):
                self._recursive.add(rule)
        return self._reachable(root)

    def _drop_empty(self) -> None:
        """Take out what reads nothing at all, ``NEVER``, and all that needs it."""
        never = {rule for rule, body in self.bodies.items() if body == NEVER}
        if not never:
            return
        users: dict[int, set[int]] = {}
        for rule, body in self.bodies.items():
            for below in references(body):
                users.setdefault(below, set()).add(rule)
        todo = list(never)
        while todo:
            for user in users.get(todo.pop(), ()):
                self.bodies[user] = _replaced(self.bodies[user], dict.fromkeys(never, NEVER))
                if self.bodies[user] == NEVER and user not in never:
                    never.add(user)
                    todo.append(user)

    def _reachable(self, root: int) -> list[int]:
        found = {root: None}
        todo = [root]
        while todo:
            for below in references(self.bodies[todo.pop(0)]):
                if below not in found:
                    found[below] = None
                    todo.append(below)
        return list(found)

    def _bottom_up(self, root: int) -> Iterator[int]:
        """Every rule after those it names, but for those that lead back to it, which come as ``self._open``."""
        done: set[int] = set()
        todo = [root]
        while todo:
            rule = todo[-1]
            if rule in self._open:
                todo.pop()
                if rule not in done:
                    done.add(rule)
                    yield rule
                    self._open.discard(rule)
                continue
            if rule in done:
                todo.pop()
                continue
            self._open.add(rule)
            todo.extend(
                below for below in references(self.bodies[rule]) if below not in done and below not in self._open
            )

    def _inlined(self, rule: int, uses: list[int]) -> Expression:
        body = self.bodies[rule]
        for below in dict.fromkeys(references(body)):
            inner = self.bodies[below]
            is_free = below not in self._open and below not in self._recursive
            if not is_free or not (inner.size <= _SHORT or (uses[below] == 1 and inner.size + body.size <= _LINE)):
                continue
            replaced = _replaced(body, {below: inner})
            if replaced.depth <= DEPTH:
                body = replaced
        looped = _looped(rule, body)
        return looped if looped.depth <= DEPTH else body


def _block(count: int) -> int:
    return min(isqrt(count), _COUNTED - 1)


def _looped(rule: int, body: Expression) -> Expression:
    """``x rule | y``, which only calls itself at the end, as ``x* y``."""
    is_optional = body.kind == "repeat" and (body.least, body.most) == (0, 1)
    inner = body.parts[0] if is_optional else body
    options = inner.parts if inner.kind == "choice" else (inner,)
    again = [option for option in options if option.kind == "sequence" and option.parts[-1:] == (reference(rule),)]
    turns = [sequence(option.parts[:-1]) for option in again]
    rest = [*(option for option in options if option not in again), *([EMPTY] if is_optional else [])]
    if not turns or any(rule in references(part) for part in (*turns, *rest)):
        return body
    return sequence([repetition(alternatives(turns), 0, None), alternatives(rest)])


def _is_blank(expression: Expression) -> bool:
    """Whether an expression reads nothing but whitespace."""
    if expression.parts:
        return all(map(_is_blank, expression.parts))
    points = expression.text or "".join(chr(end) for pair in expression.ranges for end in pair)
    return bool(points) and not points.strip(" \t\n\r")


def _replaced(expression: Expression, bodies: dict[int, Expression]) -> Expression:
    """An expression with references replaced; as deep as expressions are, which is little."""
    if expression.kind == "rule":
        return bodies.get(expression.rule, expression)
    if not expression.parts:
        return expression
    if expression.kind == "repeat" and max(expression.least, expression.most or 0) > 1:
        # llama.cpp multiplies the count with the rules that what stands in brackets takes.
        bodies = {rule: body for rule, body in bodies.items() if body.kind in ("class", "literal") or body == NEVER}
    return with_parts(expression, [_replaced(part, bodies) for part in expression.parts])
