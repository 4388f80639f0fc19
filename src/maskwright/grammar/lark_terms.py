"""Terminals of Lark grammars as terms; with what is no Python pattern: named tokens, ``&`` and ``~``, JSON Schemas.

A terminal is one Python pattern, as Lark joins it, so a look at the edge of one part sees the next part. It is read
alone: what a lookaround at the edge of the whole terminal would see beside it is not there. A terminal with an operator
of ours is put together from the terms of its parts instead, each of which is read alone in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple

from maskwright.errors import ConstraintError, GrammarError, Problem
from maskwright.grammar.lark_faults import Guard
from maskwright.grammar.lark_pieces import MARK
from maskwright.grammar.lark_programs import is_readable
from maskwright.grammar.lark_text import Extension
from maskwright.grammar.lark_trees import bottom_up
from maskwright.limits import Limits
from maskwright.network.lexeme import (
    EPSILON,
    Term,
    complement,
    concatenate,
    intersect,
    repeat,
    token,
    token_ids,
    unite,
)
from maskwright.regex.compile import full_term

__all__ = ["Special", "Terminals"]

#: The width of what has none, as in Lark (``MAXREPEAT`` of Python's ``re``).
_ENDLESS: Final = (1 << 32) - 1
_NUMBER: Final = re.compile(f"{MARK}([0-9]+)")
_IDS: Final = re.compile(r"<\[(\^?)((?:[0-9]{1,9}(?:-[0-9]{1,9})?|\*)(?:,[0-9]{1,9}(?:-[0-9]{1,9})?)*)\]>")
_LAST_ID: Final = (1 << 31) - 1
_COUNTS: Final = {"?": (0, 1), "*": (0, None), "+": (1, None)}


@dataclass(frozen=True)
class Special:
    """A terminal that is no Python pattern."""

    #: ``text``: a text term, to be read by maximal munch among the other terminals; ``token``: a byte term of named
    #: tokens; ``foreign``: what a network reads.
    kind: Literal["text", "token", "foreign"]
    #: The term of ``text`` and ``token``.
    term: Term = EPSILON
    #: Of ``foreign``: the place in ``LoadedGrammar.foreign``.
    network: int = -1
    #: What Lark orders terminals by, after their priority: the most characters (``pattern.max_width``) and the length
    #: of the pattern (``len(pattern.value)``); and whether the empty text is read.
    max_width: int = 0
    length: int = 0
    is_nullable: bool = False


class _Part(NamedTuple):
    """What a node of a terminal's tree reads; ``operator`` is ``&`` or ``~`` for the string that stands for one."""

    kind: str
    term: Term
    width: int
    length: int
    is_nullable: bool
    operator: str = ""


class Terminals:
    """The terminals of one grammar: trees and patterns to terms.

    Args:
        networks: Number of an extension to place in ``LoadedGrammar.foreign``.
        limits: For patterns.
        guard: Calls Lark, and knows what the marks stand for.
        trees: Of terminals and rules by name, to find what an error is about.
    """

    def __init__(self, networks: dict[int, int], limits: Limits, guard: Guard, trees: Mapping[str, Any]) -> None:
        self._extensions, self._networks, self._limits = guard.entries, networks, limits
        self.trees = trees
        self._guard, self._fault = guard, guard.rewritten.named_fault
        self._lark: Any = import_module("lark.load_grammar")

    def pattern_of_tree(self, tree: Any) -> Any:
        """Lark's pattern of a terminal (``lark.lexer.Pattern``): what ``special`` and ``pattern_term`` take."""

        def compiled() -> Any:
            transformer = self._lark.PrepareLiterals() * self._lark.TerminalTreeToPattern()
            return transformer.transform(self._lark.nr_deepcopy_tree(tree))

        return self.compiled(compiled, [tree])

    def compiled(self, call: Callable[[], Any], trees: Iterable[Any]) -> Any:
        """What Lark makes of some trees; an error is told at the pattern that it is about."""
        try:
            return self._guard(call)
        except GrammarError as error:
            if any(problem.place for problem in error.problems):
                raise
            raise self._blamed(trees) or error from error

    def pattern_of_literal(self, node: Any) -> Any:
        """Lark's pattern of a string, pattern or range (``"a".."z"``) in a tree."""

        def compiled() -> Any:
            if node.data == "range":
                return self._lark.PrepareLiterals().range(*node.children).children[0]
            return self._lark._literal_to_pattern(node.children[0])  # noqa: SLF001  (Lark has no public name for it)

        return self._guard(compiled)

    def is_nullable(self, name: str, pattern: Any) -> bool:
        """Whether Lark counts a pattern among those that may be empty, which it refuses."""
        if pattern.type == "str":
            return not pattern.value
        if len(pattern.value) <= self._limits.pattern_length:
            try:
                self.pattern_term(name, pattern)  # our reader tells better what is wrong with a pattern
            except ConstraintError:
                if not is_readable(pattern.to_regexp(), self._limits):
                    raise
        return bool(self._guard(lambda: pattern.min_width == 0))

    def listed_words(self, tree: Any) -> list[str] | None:
        """The strings of a terminal that is a list of them and nothing else, else ``None``.

        Lark tries the longest first, so it may take any of them. Such lists may be longer than a pattern may be.
        """
        strings = []
        for node in bottom_up(tree):
            if node.data not in ("expansions", "expansion", "value", "literal") or (
                node.data == "expansion" and len(node.children) != 1
            ):
                return None
            if node.data == "literal":
                strings.append(str(node.children[0]))
        if not all(string.endswith('"') and string[1] != MARK for string in strings):
            return None
        return [self.pattern_of_literal(node).value for node in bottom_up(tree) if node.data == "literal"]

    def special(self, name: str, pattern: Any, tree: Any) -> Special | None:
        """The terminal if it is no Python pattern, else ``None``. ``tree`` is ``None`` for one without a name."""
        if MARK not in pattern.value:
            return None
        number = _NUMBER.fullmatch(pattern.value)
        part = self._part_of_mark(name, int(number.group(1))) if number else self._compiled(name, tree)
        if part.kind == "foreign":
            return Special("foreign", network=self._networks[int(number.group(1))] if number else -1)
        return Special(
            "token" if part.kind == "token" else "text",
            part.term,
            max_width=part.width,
            length=part.length,
            is_nullable=part.is_nullable,
        )

    def pattern_term(self, name: str, pattern: Any) -> Term:
        """The text term of one of Lark's patterns; raises what the reader of patterns does, with its place."""
        text = pattern.to_regexp()
        try:
            return full_term(text, dialect="python", limits=self._limits)
        except ConstraintError as error:
            raise self._misread(name, pattern, error) from error

    def _misread(self, name: str, pattern: Any, error: ConstraintError) -> ConstraintError:
        """The error of a pattern, at its character in the grammar if it stands there as it was read."""
        (problem, *_) = error.problems
        reason = problem.reason.split("\n", 1)[0]
        raw = pattern.raw or ""
        rewritten = self._guard.rewritten
        start = rewritten.original.find(raw) if raw else -1
        if start >= 0 and raw == f"/{pattern.value}/":
            return self._at_pattern(start, raw, error)
        blamed = self._blamed([self.trees[name]], reason) if name in self.trees else None
        if blamed is not None:
            return blamed
        span = rewritten.definitions.get(name)
        if span is None or (raw and raw in rewritten.original):
            return self._fault(raw or name, problem.reason, remedy=problem.remedy, error=type(error))
        joined = f"{reason}, in the terminal as Lark joins it: {pattern.value:.60}"
        return rewritten.fault(span, joined, keyword=name, remedy=problem.remedy, error=type(error))

    def _at_pattern(self, start: int, raw: str, error: ConstraintError) -> ConstraintError:
        """The error of what stands between slashes at an offset, at its character."""
        (problem, *_) = error.problems
        reason, *shown = problem.reason.splitlines()
        line, _, column = problem.place.partition(":")
        span = (start, start + len(raw))
        if line == "1" and column.isdecimal() and raw.endswith("/"):
            first = start + int(column)
            span = (first, first + (shown[-1].count("^") if shown else 1))
        return self._guard.rewritten.fault(span, reason, remedy=problem.remedy, error=type(error))

    def _blamed(self, trees: Iterable[Any], reason: str = "") -> ConstraintError | None:
        """The error of the first pattern of some trees that cannot be read alone (for a reason), at its place."""
        rewritten = self._guard.rewritten
        for tree in trees:
            for node in bottom_up(tree):
                token = node.children[0] if node.data == "literal" else ""
                start = getattr(token, "start_pos", None)
                if start is None or not token.startswith("/") or not rewritten.text.startswith(token, start):
                    continue
                first = rewritten.offset(start)
                try:
                    full_term(self.pattern_of_literal(node).to_regexp(), dialect="python", limits=self._limits)
                except GrammarError as error:
                    return rewritten.fault((first, first + len(token)), error.problems[0].reason)
                except ConstraintError as error:
                    if not reason or error.problems[0].reason.startswith(reason):
                        return self._at_pattern(first, str(token), error)
        return None

    def _part_of_mark(self, name: str, number: int) -> _Part:
        """What an extension reads."""
        if number >= len(self._extensions):
            raise self._fault(name, "a terminal with a character that no grammar has a use for")
        extension = self._extensions[number]
        if extension.kind == "json":
            return _Part("foreign", EPSILON, 0, 0, False)
        return _Part("token", self._token(extension), 0, len(extension.source), False)

    def _token(self, extension: Extension) -> Term:
        source = extension.source
        if not source.startswith("<["):
            return token(source)
        match = _IDS.fullmatch(source.replace(" ", ""))
        ranges = _ranges(match.group(2)) if match else None
        if match is None or ranges is None or (match.group(1) and match.group(2) == "*"):
            reason = f"{source} names no tokens"
            remedy = "write <[7]>, <[7,10-20]>, <[^7]> or <[*]>"
            raise GrammarError(Problem(reason, place=extension.place, keyword=source, remedy=remedy))
        return token_ids(_others(ranges) if match.group(1) else ranges)

    def _compiled(self, name: str, tree: Any) -> _Part:
        """The part that a terminal's tree describes; children first, without recursion."""
        parts: dict[int, _Part] = {}
        for node in bottom_up(tree):
            below = [parts[id(child)] for child in node.children if id(child) in parts]
            parts[id(node)] = self._node(name, node, below)
        return parts[id(tree)]

    def _node(self, name: str, node: Any, below: list[_Part]) -> _Part:
        data = node.data
        if data in ("literal", "range"):
            return self._leaf(name, node)
        if data == "expansion":
            return self._sequence(name, below)
        if data == "expansions":
            return self._alternatives(name, below)
        if data == "expr":
            operator, *numbers = node.children[1:]
            least, most = _COUNTS.get(str(operator)) or (int(numbers[0]), int(numbers[-1]))
            if most is not None and most < least:
                raise self._fault(name, f"{least} to {most} times")
            return self._repeated(name, below[0], least, most)
        if data == "maybe":
            return self._repeated(name, below[0], 0, 1)
        if data == "value":
            return below[0]
        reason = "-> stands in a terminal" if data == "alias" else f"a {data} stands in a terminal"
        raise self._fault(name, reason, remedy="use it in a rule")

    def _leaf(self, name: str, node: Any) -> _Part:
        """A string, a pattern or a range."""
        pattern = self.compiled(lambda: self.pattern_of_literal(node), [node])
        if pattern.value.startswith(MARK):
            rest = pattern.value[1:]
            if rest in ("&", "~"):
                return _Part("operator", EPSILON, 0, 0, False, rest)
            return self._part_of_mark(name, int(rest)) if rest.isdecimal() else self._part_of_mark(name, _LAST_ID)
        term = self.pattern_term(name, pattern)
        width = int(self._guard(lambda: pattern.max_width))
        return _Part("text", term, width, len(pattern.value), self.is_nullable(name, pattern))

    def _sequence(self, name: str, below: list[_Part]) -> _Part:
        """One after the other; or what an operator says, if one comes first."""
        if len(below) == 1:
            return below[0]
        if below and below[0].operator:
            operator, *operands = below
            self._only_text(name, operands, operator.operator)
            length = sum(part.length for part in operands)
            if operator.operator == "~":
                (part,) = operands
                return _Part("text", complement(part.term), _ENDLESS, length, not part.is_nullable)
            term = intersect(*(part.term for part in operands))
            width = min(part.width for part in operands)
            return _Part("text", term, width, length, all(part.is_nullable for part in operands))
        self._only_text(name, below, "a sequence")
        return _Part(
            "text",
            concatenate(*(part.term for part in below)),
            min(sum(part.width for part in below), _ENDLESS),
            sum(part.length for part in below),
            all(part.is_nullable for part in below),
        )

    def _alternatives(self, name: str, below: list[_Part]) -> _Part:
        if len(below) == 1:
            return below[0]
        if {part.kind for part in below} != {"token"}:
            self._only_text(name, below, "|")
        return _Part(
            below[0].kind,
            unite(*(part.term for part in below)),
            max(part.width for part in below),
            sum(part.length for part in below),
            any(part.is_nullable for part in below),
        )

    def _repeated(self, name: str, part: _Part, least: int, most: int | None) -> _Part:
        self._only_text(name, [part], "a repetition")
        width = _ENDLESS if most is None else min(part.width * most, _ENDLESS)
        return _Part("text", repeat(part.term, least, most), width, part.length + 1, part.is_nullable or least == 0)

    def _only_text(self, name: str, parts: Sequence[_Part], where: str) -> None:
        if any(part.kind != "text" for part in parts):
            reason = f"a named token stands in a terminal, under {where}"
            raise self._fault(
                name, reason, remedy="a terminal is text, or one of some tokens; put them together in a rule"
            )


def _ranges(listed: str) -> list[tuple[int, int]] | None:
    """The ranges of ``7,10-20`` or ``*``; ``None`` if one goes backwards."""
    if listed == "*":
        return [(0, _LAST_ID)]
    if "*" in listed:
        return None
    ranges = []
    for part in listed.split(","):
        first, _, last = part.partition("-")
        ranges.append((int(first), int(last or first)))
    return ranges if all(first <= last for first, last in ranges) else None


def _others(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """All ids that are in none of the ranges."""
    others, at = [], 0
    for first, last in sorted(ranges):
        if at < first:
            others.append((at, first - 1))
        at = max(at, last + 1)
    return [*others, (at, _LAST_ID)]
