"""Text to pattern tree, by an iterative reader with an explicit stack of open groups."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from maskwright.errors import PatternError
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.regex.brackets import ASCII_ONLY, IGNORE_CASE, bracket_end, fold_case, read_brackets
from maskwright.regex.dialects import Dialect, dialect_named, shorthand
from maskwright.regex.escapes import read_escape
from maskwright.regex.faults import limit_fault, pattern_fault
from maskwright.regex.ranges import ALL, inversion, is_surrogate
from maskwright.regex.syntax import (
    NOWHERE,
    Anchor,
    Characters,
    Look,
    Node,
    Text,
    choice,
    fixed_width,
    repetition,
    sequence,
)

__all__ = ["MAX_COUNT", "parse"]

#: The greatest count of a quantifier: counters are 32 bits wide.
MAX_COUNT: Final = 2**31 - 2

MULTILINE: Final = 4
DOT_ALL: Final = 8
VERBOSE: Final = 16
_FLAG_BITS: Final = {"i": IGNORE_CASE, "a": ASCII_ONLY, "m": MULTILINE, "s": DOT_ALL, "x": VERBOSE, "u": 0, "U": 0}

#: Characters that stand for themselves; surrogates do not, no text holds one.
_RUN: Final = re.compile(r"[^\\\[\](){}.*+?|^$\ud800-\udfff]+")
_VERBOSE_SKIP: Final = re.compile(r"(?:\s|#[^\n]*+)++")
_COUNT: Final = re.compile(r"\{(\d*)(?:(,)(\d*))?\}")
_NAME: Final = re.compile(r"([^\W\d][\w$]*|\$[\w$]*)>")
_INLINE: Final = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")

_REFUSED_GROUPS: Final = {
    "(?>": "an atomic group is not supported",
    "(?(": "a conditional group is not supported",
    "(?P=": "a back reference is not supported: a finite automaton cannot require again what was matched",
    "(?P>": "recursion is not supported",
    "(?R": "recursion is not supported",
    "(?&": "recursion is not supported",
    "(?0": "recursion is not supported",
    "(?1": "recursion is not supported",
    "(?|": "a branch reset group is not supported",
    "(?#": "this dialect has no comments",
    "(?P<": "this dialect writes a named group (?<name>...)",
    "(?<": "this dialect writes a named group (?P<name>...)",
    "(?=": "this dialect has no lookahead",
    "(?!": "this dialect has no lookahead",
    "(?<=": "this dialect has no lookbehind",
    "(?<!": "this dialect has no lookbehind",
}

_Part = Node | str


@dataclass(slots=True)
class _Group:
    """An open group, or the whole pattern."""

    start: int
    #: Flags in force outside, restored at the end.
    flags: int
    #: Opening characters of a lookaround, "" of a plain group.
    look: str = ""
    branches: list[Node] = field(default_factory=list)
    #: The branch being read; strings are characters that stand for themselves.
    parts: list[_Part] = field(default_factory=list)

    def close_branch(self) -> None:
        self.branches.append(sequence(self.parts))
        self.parts = []

    def node(self) -> Node:
        self.close_branch()
        return self.branches[0] if len(self.branches) == 1 else choice(self.branches)


class _Reader:
    """Reads one pattern. Each method reads one construct at ``self.at`` and moves behind it."""

    def __init__(self, text: str, dialect: Dialect, limits: Limits) -> None:
        self.text = text
        self.dialect = dialect
        self.limits = limits
        self.at = 0
        self.flags = 0
        self.names: set[str] = set()
        self.group = _Group(0, 0)
        self.open: list[_Group] = []
        #: Whether the last part is a quantified one, so that another quantifier is an error.
        self.quantified = False
        #: The last part if it is an assertion outside a group of its own.
        self.last: Anchor | Look | None = None

    def read(self) -> Node:
        text, size = self.text, len(self.text)
        readers = _READERS
        while self.at < size:
            if self.flags & VERBOSE and self._skip_blanks():
                continue
            reader = readers.get(text[self.at])
            if reader is not None:
                reader(self)
            else:
                self.characters()
        if self.open:
            raise self._fault(
                self.group.start, self.group.start + 1, "this group is not closed", r"write \( for a bracket"
            )
        return self.group.node()

    def _fault(self, start: int, end: int, reason: str, remedy: str = "") -> PatternError:
        return pattern_fault(self.text, (start, end), reason, remedy)

    def _skip_blanks(self) -> bool:
        found = _VERBOSE_SKIP.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found is not None

    def characters(self) -> None:
        """Characters that stand for themselves."""
        found = _RUN.match(self.text, self.at)
        if found is None:  # a surrogate
            self._add(NOWHERE)
            self.at += 1
        elif self.flags:
            self.at += 1
            self._add_point(ord(found[0][0]))
        else:
            self.at = found.end()
            self._add(found[0])

    def _add(self, part: _Part) -> None:
        self.group.parts.append(part)
        self.quantified = False
        self.last = None

    def _add_assertion(self, part: Anchor | Look) -> None:
        """An anchor or lookaround that is not wrapped into a group."""
        self._add(part)
        self.last = part

    def _add_point(self, point: int) -> None:
        """One character, or its set under ``(?i)``."""
        if is_surrogate(point):
            self._add(NOWHERE)
        elif self.flags & IGNORE_CASE:
            ranges = fold_case(((point, point),), self.dialect, self.flags)
            self._add(Characters(ranges) if ranges != ((point, point),) else chr(point))
        else:
            self._add(chr(point))

    def escape(self) -> None:
        start = self.at
        ascii_only = bool(self.flags & ASCII_ONLY)
        meaning, self.at = read_escape(self.text, start, self.dialect, brackets=False, ascii_only=ascii_only)
        if isinstance(meaning, int):
            self._add_point(meaning)
        elif isinstance(meaning, str):
            word = shorthand(self.dialect, "w", ascii_only=ascii_only) if "boundary" in meaning else ()
            self._add_assertion(Anchor(meaning, (start, self.at), word))
        else:
            self._add(Characters(fold_case(meaning, self.dialect, self.flags)))

    def brackets(self) -> None:
        start = self.at
        self.at = bracket_end(self.text, start, self.dialect)
        flags = self.flags & (IGNORE_CASE | ASCII_ONLY)
        ranges = read_brackets(self.text, start, self.at, self.dialect, flags)
        self._add(Characters(ranges))

    def dot(self) -> None:
        self.at += 1
        self._add(Characters(ALL if self.flags & DOT_ALL else inversion(self.dialect.line_ends)))

    def caret(self) -> None:
        self.at += 1
        self._add_assertion(Anchor("line start" if self.flags & MULTILINE else "start", (self.at - 1, self.at)))

    def dollar(self) -> None:
        self.at += 1
        self._add_assertion(
            Anchor("line end" if self.flags & MULTILINE else self.dialect.dollar, (self.at - 1, self.at))
        )

    def bar(self) -> None:
        self.at += 1
        self.group.close_branch()
        self.quantified = False

    def stray(self) -> None:
        """``]`` or ``}`` that closes nothing."""
        if not self.dialect.stray_closing:
            raise self._fault(self.at, self.at + 1, "this bracket closes nothing", f"write \\{self.text[self.at]}")
        self._add_point(ord(self.text[self.at]))
        self.at += 1

    def brace(self) -> None:
        """A count, or ``{`` itself."""
        found = _COUNT.match(self.text, self.at)
        if found is None or (not found[1] and not (self.dialect.open_minimum and found[2])):
            if found is not None and found[2] and found[3] and not self.dialect.annex_b:
                raise self._fault(self.at, found.end(), "a count without its least number", f"write {{0,{found[3]}}}")
            if not self.dialect.stray_braces:
                raise self._fault(self.at, self.at + 1, "this brace begins no count", r"write \{ for a brace")
            self._add_point(0x7B)
            self.at += 1
            return
        start, self.at = self.at, found.end()
        if max(len(found[1]), len(found[3] or "")) > 10:
            raise self._too_often(start)
        least = int(found[1] or 0)
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if most is not None and most < least:
            raise self._fault(start, self.at, "a count whose least number is above its greatest", "swap the numbers")
        self._repeat(start, least, most)

    def quantifier(self) -> None:
        start = self.at
        self.at += 1
        char = self.text[start]
        self._repeat(start, int(char == "+"), 1 if char == "?" else None)

    def _repeat(self, start: int, least: int, most: int | None) -> None:
        """Repeat the last part; ``self.at`` is behind the quantifier."""
        parts = self.group.parts
        if not parts:
            raise self._fault(start, self.at, "this quantifier has nothing to repeat", f"write \\{self.text[start]}")
        if self.quantified and not self.dialect.stacked:
            raise self._fault(start, self.at, "this quantifier repeats a quantifier", "group the inner one: (?:...)")
        part = parts.pop()
        if type(part) is str:
            if len(part) > 1:
                parts.append(part[:-1])
            part = Text(part[-1])
        if self.last is not None:
            self._check_repeatable(self.last, start)
        if type(part) is not Characters and not (type(part) is Text and len(part.text) == 1):
            bound = self.limits.pattern_repeat
        else:
            bound = MAX_COUNT
        if max(least, most or 0) > bound:
            raise self._too_often(start)
        self._suffix(start)
        parts.append(repetition(part, least, most, (start, self.at)))  # type: ignore[arg-type]  # never a str here
        self.quantified = True

    def _too_often(self, start: int) -> Exception:
        remedy = f"at most {self.limits.pattern_repeat} times, {MAX_COUNT} times for a single character"
        return limit_fault(self.text, (start, self.at), "a repetition with too great a count", remedy)

    def _suffix(self, start: int) -> None:
        """``?`` makes a quantifier lazy: the same language. ``+`` makes it possessive where that exists."""
        if self.flags & VERBOSE:
            self._skip_blanks()
        following = self.text[self.at : self.at + 1]
        if following == "?":
            self.at += 1
        elif following == "+" and self.dialect.possessive:
            reason = "a possessive quantifier is not supported"
            raise self._fault(start, self.at + 1, reason, "leave the last + out if backtracking does not matter")

    def _check_repeatable(self, part: Anchor | Look, start: int) -> None:
        allowed = self.dialect.repeatable
        if allowed == "all":
            return
        if isinstance(part, Anchor):
            raise self._fault(start, self.at, "this quantifier has nothing to repeat: an anchor is no text")
        if allowed == "nothing" or (allowed == "lookahead" and not part.ahead):
            raise self._fault(start, self.at, "this quantifier has nothing to repeat: a lookaround is no text")

    def opening(self) -> None:
        start = self.at
        if not self.text.startswith("?", start + 1):
            self.at += 1
            self._push("")
            return
        # The last opening is "(", which always fits.
        opening, kind = next(pair for pair in self.dialect.groups.items() if self.text.startswith(pair[0], start))
        if opening == "(":
            self._inline_flags()
            return
        self.at += len(opening)
        if kind == "comment":
            end = self.text.find(")", self.at)
            if end < 0:
                raise self._fault(start, self.at, "this comment is not closed")
            self.at = end + 1
            return
        if kind == "name":
            self._name(start)
        self._push(opening if kind == "look" else "", start)

    def _push(self, look: str, start: int | None = None) -> None:
        if len(self.open) >= self.limits.pattern_depth:
            remedy = f"at most {self.limits.pattern_depth} groups within each other"
            raise limit_fault(self.text, (self.at - 1, self.at), "groups nest too deeply", remedy)
        self.open.append(self.group)
        self.group = _Group(self.at - 1 if start is None else start, self.flags, look)
        self.quantified = False

    def _name(self, start: int) -> None:
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self._fault(start, self.at, "a group needs a name that is closed by >")
        if found[1] in self.names:
            raise self._fault(self.at, found.end() - 1, f"two groups are named {found[1]}", "rename one")
        self.names.add(found[1])
        self.at = found.end()

    def _inline_flags(self) -> None:
        """``(?i)``, ``(?i-s:...)``; or a group that is refused with its name."""
        start = self.at
        found = _INLINE.match(self.text, start)
        if found is None or not (found[1] or found[2] or found[3] == ":") or not self.dialect.flags:
            raise self._refused_group(start)
        for letter in found[1] + (found[2] or ""):
            if letter not in self.dialect.flags:
                raise self._fault(
                    start, found.end(), f"the flag {letter} is not supported in the dialect {self.dialect.name}"
                )
        if "u" in (found[2] or ""):
            raise self._fault(start, found.end(), "matching bytes is not supported", "leave the flag u on")
        whole = found[3] == ")"
        if (
            whole
            and not self.dialect.flags_anywhere
            and (self.open or self.group.parts or self.group.branches or found[2])
        ):
            raise self._fault(
                start, found.end(), "flags for the whole pattern stand at its beginning", "write (?i:...)"
            )
        self.at = found.end()
        if not whole:
            self._push("", start)
        for letter in found[1]:
            self.flags |= _FLAG_BITS[letter]
        for letter in found[2] or "":
            self.flags &= ~_FLAG_BITS[letter]
        if "u" in found[1]:
            self.flags &= ~ASCII_ONLY

    def _refused_group(self, start: int) -> PatternError:
        known = [opening for opening in _REFUSED_GROUPS if self.text.startswith(opening, start)]
        if known:
            opening = max(known, key=len)
            return self._fault(start, start + len(opening), _REFUSED_GROUPS[opening])
        if _INLINE.match(self.text, start):
            reason = f"the dialect {self.dialect.name} has no inline flags"
            return self._fault(start, start + 3, reason, "write both cases: [aA]")
        return self._fault(start, start + 2, "no such kind of group", "(?:...) groups without capturing")

    def closing(self) -> None:
        if not self.open:
            raise self._fault(self.at, self.at + 1, "this bracket closes nothing", r"write \) for a bracket")
        self.at += 1
        group = self.group
        node = group.node()
        self.group = self.open.pop()
        self.flags = group.flags
        if group.look:
            if "<" in group.look and self.dialect.fixed_lookbehind and fixed_width(node) is None:
                raise self._fault(group.start, self.at, "a lookbehind of more than one length", "write one for each")
            self._add_assertion(Look(node, "<" not in group.look, "!" in group.look, (group.start, self.at)))
        else:
            self._add(node)


_READERS: Final = {
    "\\": _Reader.escape,
    "[": _Reader.brackets,
    "(": _Reader.opening,
    ")": _Reader.closing,
    ".": _Reader.dot,
    "^": _Reader.caret,
    "$": _Reader.dollar,
    "|": _Reader.bar,
    "{": _Reader.brace,
    "}": _Reader.stray,
    "]": _Reader.stray,
    "*": _Reader.quantifier,
    "+": _Reader.quantifier,
    "?": _Reader.quantifier,
}


def parse(text: str, *, dialect: str = "ecma", limits: Limits = DEFAULT_LIMITS) -> Node:
    """The tree of a pattern, in time linear in its length.

    Raises :class:`PatternError` with a caret under the fault, :class:`LimitError` beyond ``limits.pattern_length``,
    ``pattern_depth`` or ``pattern_repeat``, :class:`PolicyError` if the dialect is unknown.
    """
    if len(text) > limits.pattern_length:
        raise limit_fault(text, (0, 1), "the pattern is too long", f"at most {limits.pattern_length} characters")
    return _Reader(text, dialect_named(dialect), limits).read()
