"""The reader that GBNF and EBNF share: rules, alternatives, groups and repetitions, on a stack of its own.

A notation says how names look, where a rule ends and what else may stand in a sequence; all else is the same. Groups
become rules only where something repeats them or they have alternatives, so nested brackets cost nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from maskwright.errors import ConstraintError, GrammarError, LimitError, PolicyError, Problem
from maskwright.grammar.faults import fault, fault_problem
from maskwright.grammar.notation_text import Characters, Escapes
from maskwright.grammar.rules import Grammar, Reference, Repeat, Rule, Symbol, Text
from maskwright.limits import Limits
from maskwright.network.lexeme import COUNTABLE, characters, literal

__all__ = ["Group", "Item", "Notation", "Reader"]

Item = tuple[Symbol, ...]
_COUNT: Final = re.compile(r"\{\s*([0-9]*)\s*(?:(,)\s*(-1(?=\s*\})|[0-9]*)\s*)?\}")
_ASSIGN: Final = re.compile(r"[ \t\r\n]*::=")
#: What people write for ``::=`` who come from other notations.
_OTHER_ASSIGN: Final = re.compile(r"[ \t]*(:=|->|=>|→|=|:)")
_SURROGATE: Final = re.compile("[\ud800-\udfff\0]")
#: Symbols of a group with one alternative up to which it is written out where it stands.
_SHORT: Final = 8
#: Problems of one kind that are told, and then how many more there are.
_TOLD: Final = 20


class Notation(NamedTuple):
    """What sets a notation apart."""

    #: As in ``GBNF``.
    title: str
    name: re.Pattern[str]
    escapes: Escapes
    #: Blanks and comments, without and with line ends.
    blanks: re.Pattern[str]
    blanks_and_lines: re.Pattern[str]
    #: Whether a rule ends with its line, outside of groups.
    by_lines: bool
    quotes: str
    #: Whether a sequence may be left out where one is expected.
    may_be_empty: bool
    #: By first character: what reads another symbol at the reader's place; False where it is none.
    others: dict[str, Callable[[Any], bool]]


class Group:
    """A bracket that is open, or the rule itself."""

    __slots__ = ("alternatives", "items", "minus", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.alternatives: list[list[Item]] = []
        self.items: list[Item] = []
        #: Minus signs of the sequence in progress: how many items are before it, and its offset.
        self.minus: list[tuple[int, int]] = []


class Reader:
    """One grammar text in progress."""

    def __init__(self, text: str, notation: Notation, limits: Limits) -> None:
        """Check that it is a text at all.

        Raises :class:`PolicyError` for what is no string, :class:`LimitError` for what is too long.
        """
        if not isinstance(text, str):
            raise PolicyError(f"a grammar is a str, not {type(text).__name__}")
        if len(text) > limits.source_bytes:
            raise LimitError(Problem(f"a grammar of {len(text)} characters", remedy="raise Limits.source_bytes"))
        self.text = text
        self.notation = notation
        self.characters = Characters(text, notation.escapes)
        self.at = 0
        self.rules: list[Rule | None] = []
        #: Name to the number of its rule, its first mention, and its definition.
        self._numbers: dict[str, int] = {}
        self._mentions: list[tuple[int, int]] = []
        self._defined: dict[str, int] = {}
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._name = ""
        self.groups: list[Group] = []

    def add(self, item: Item) -> bool:
        """Append to the sequence in progress."""
        self.groups[-1].items.append(item)
        return True

    def fault(self, start: int, end: int, reason: str, remedy: str = "", keyword: str = "") -> ConstraintError:
        """An error with line, column and a caret."""
        return fault(self.text, (start, end), reason, remedy=remedy, keyword=keyword or self._name)

    def place(self, offset: int) -> str:
        """``line:column``; logarithmic, as there is one for each rule."""
        line = bisect_right(self._lines, offset)
        return f"{line}:{offset - self._lines[line - 1] + 1}"

    def grammar(self, start: str) -> Grammar:
        """The whole text as a grammar.

        Raises :class:`GrammarError`, with all rules that are missing at once.
        """
        if not isinstance(start, str):
            raise PolicyError(f"start is the name of a rule, not {start!r}")
        self._check_text()
        self.skip(lines=True)
        while self.at < len(self.text):
            self._rule()
            self.skip(lines=True)
        self._check_rules(start)
        return Grammar(tuple(rule for rule in self.rules if rule is not None), self._numbers[start])

    def skip(self, *, lines: bool) -> None:
        """Pass over blanks and comments."""
        pattern = self.notation.blanks_and_lines if lines else self.notation.blanks
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()

    def _check_text(self) -> None:
        found = _SURROGATE.search(self.text)
        if found is not None:
            what = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
            raise self.fault(found.start(), found.end(), f"{what} has no place in a grammar")
        if self.text.lstrip()[:1] == "{":
            at = self.text.index("{")
            remedy = "give a JSON Schema to maskwright.json_schema()"
            raise self.fault(at, at + 1, f"this is JSON, not {self.notation.title}", remedy)

    def _rule(self) -> None:
        start = self.at
        found = self.notation.name.match(self.text, start)
        if found is None and self.text[start] == "|" and self._name:
            remedy = "end the line before with |, or put the rule into brackets"
            raise self.fault(start, start + 1, f"rule {self._name} has ended with its line", remedy)
        if found is None:
            raise self.fault(start, start + 1, "a rule begins with its name", 'as in: root ::= "text"')
        self._name = name = found[0]
        assign = _ASSIGN.match(self.text, found.end())
        if assign is None:
            self._no_assign(found.end())
            raise AssertionError
        if name in self._defined:
            reason = f"rule {name} is defined twice, first in line {self.place(self._defined[name]).split(':')[0]}"
            raise self.fault(start, found.end(), reason, "join the two with |, or rename one")
        self._defined[name] = start
        number = self._number(name, found.span())
        self.at = assign.end()
        self.skip(lines=True)
        alternatives = self._alternatives()
        self.rules[number] = Rule(name, alternatives, self.place(start))

    def _no_assign(self, at: int) -> None:
        """Raise the error for a name without ``::=``."""
        other = _OTHER_ASSIGN.match(self.text, at)
        if other is not None:
            remedy = "write ::=" + (", or read it with maskwright.lark()" if other[1] == ":" else "")
            raise self.fault(other.start(1), other.end(1), f"{self.notation.title} defines a rule by ::=", remedy)
        self.at = at
        self.skip(lines=False)
        raise self.fault(self.at, self.at + 1, f"::= is expected after the rule name {self._name}")

    def _number(self, name: str, span: tuple[int, int]) -> int:
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self.rules)
            self.rules.append(None)
            self._mentions.append(span)
        return found

    def _alternatives(self) -> tuple[Item, ...]:
        self.groups = [Group(self.at)]
        while True:
            self.skip(lines=len(self.groups) > 1 or not self.notation.by_lines)
            if self.at >= len(self.text) or not self._symbol():
                break
        if len(self.groups) > 1:
            start = self.groups[-1].start
            raise self.fault(start, start + 1, "this bracket is not closed", "end the group with )")
        return self._close_alternatives(self.groups.pop())

    def _symbol(self) -> bool:
        """Read what stands at this place; False where the rule has ended."""
        char = self.text[self.at]
        group = self.groups[-1]
        if char in self.notation.others and self.notation.others[char](self):
            return True
        if char == "|":
            self._end_alternative(group)
            self.at += 1
            self.skip(lines=True)
        elif char == "(":
            self.groups.append(Group(self.at))
            self.at += 1
        elif char == ")":
            self._close()
        elif char in self.notation.quotes:
            string, self.at = self.characters.literal(self.at)
            group.items.append((Text(literal(string)),))
        elif char == "[":
            ranges, self.at = self.characters.brackets(self.at)
            group.items.append((Text(characters(ranges)),))
        elif char in "*+?{":
            self._quantifier()
        elif char in "\r\n":
            return False
        else:
            return self._reference()
        return True

    def _reference(self) -> bool:
        """A rule's name; or the beginning of the next rule."""
        found = self.notation.name.match(self.text, self.at)
        if found is None:
            raise self.fault(
                self.at, self.at + 1, "this character has no meaning here", 'text goes between quotes: "..."'
            )
        if _ASSIGN.match(self.text, found.end()) is not None:
            if self.notation.by_lines and _is_same_line(self.text, found.end()):
                raise self.fault(
                    self.at, found.end(), "a rule begins in the middle of a line", "begin it on a new line"
                )
            if not self.notation.by_lines and len(self.groups) == 1:
                return False
        self.at = found.end()
        self.groups[-1].items.append((Reference(self._number(found[0], found.span())),))
        return True

    def _end_alternative(self, group: Group) -> None:
        if not group.items and not self.notation.may_be_empty:
            raise self.fault(self.at, self.at + 1, "nothing stands before this place", 'write "" for the empty text')
        group.alternatives.append(self.join(group))
        group.items, group.minus = [], []

    def join(self, group: Group) -> list[Item]:
        """The items of a sequence that is over."""
        return group.items

    def _close_alternatives(self, group: Group) -> tuple[Item, ...]:
        self._end_alternative(group)
        return tuple(tuple(symbol for item in items for symbol in item) for items in group.alternatives)

    def _close(self) -> None:
        if len(self.groups) == 1:
            raise self.fault(self.at, self.at + 1, "this bracket closes nothing", 'write ")" for the character')
        group = self.groups.pop()
        if not group.items and not group.alternatives:
            self.groups[-1].items.append(())
        else:
            alternatives = self._close_alternatives(group)
            if len(alternatives) == 1 and len(alternatives[0]) <= _SHORT:
                self.groups[-1].items.append(alternatives[0])
            else:
                self.groups[-1].items.append((self.made_rule(alternatives, group.start),))
        self.at += 1

    def made_rule(self, alternatives: tuple[Item, ...], start: int) -> Reference:
        """A rule without a name of its own."""
        place = self.place(start)
        self.rules.append(Rule(f"{self._name} ({place})", alternatives, place))
        return Reference(len(self.rules) - 1)

    def _quantifier(self) -> None:
        start = self.at
        char = self.text[start]
        if char == "{":
            least, most = self._counts(start)
        else:
            self.at += 1
            least, most = int(char == "+"), 1 if char == "?" else None
        items, minus = self.groups[-1].items, self.groups[-1].minus
        if not items or (minus and minus[-1][0] == len(items)):
            raise self.fault(start, self.at, "this repeats nothing", f'write "{char}" for the character')
        item = items.pop()
        if not item or (least, most) == (1, 1):
            items.append(item)
            return
        only = item[0] if len(item) == 1 else None
        star = type(only) is Repeat and only.least <= 1 and (only.most is None or only[1:] == (0, 1))
        if star and type(only) is Repeat and least <= 1 and most != 0:
            # A star of a star is that star; so a thousand of them are no deeper than one.
            items.append((Repeat(only.rule, least * only.least, only.most and most),))
            return
        rule = only if type(only) is Reference else self.made_rule((item,), start)
        items.append((Repeat(rule.rule, least, most),))

    def _counts(self, start: int) -> tuple[int, int | None]:
        found = _COUNT.match(self.text, start)
        if found is None or not found[1]:
            raise self.fault(
                start, start + 1, "a repetition is written {2}, {2,} or {2,5}", 'write "{" for the character'
            )
        self.at = found.end()
        if max(len(found[1]), len(found[3] or "")) > 4_000:
            raise self.fault(start, self.at, "this count has too many digits")
        least = int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] not in ("", "-1") else None
        if most is not None and most < least:
            raise self.fault(start, self.at, f"at least {least} and at most {most} is impossible", "swap the numbers")
        if least >= COUNTABLE:
            reason, remedy = "no text is as long as this repetition", f"at most {COUNTABLE - 1}"
            raise fault(self.text, (start, self.at), reason, remedy=remedy, error=LimitError)
        return least, most

    def _check_rules(self, start: str) -> None:
        if not self._defined:
            raise self.fault(0, 1, f"there is no rule in this {self.notation.title} text", 'as in: root ::= "text"')
        problems = []
        if start not in self._defined:
            self._number(start, (0, 1))
            close = get_close_matches(start.lower(), list(map(str.lower, self._defined)), 1)
            names = [name for name in self._defined if name.lower() in close] or list(self._defined)[:1]
            remedy = f"rename {names[0]}, or say start={names[0]!r}"
            problems.append(fault_problem(self.text, (0, 1), f"there is no rule {start} to start with", remedy=remedy))
        missing = [name for name in self._numbers if name not in self._defined and name != start]
        spans = sorted(
            (self._mentions[i], name) for i, name in enumerate(self._numbers) if name in set(missing[:_TOLD])
        )
        problems.extend(
            fault_problem(self.text, span, f"rule {name} is not defined", keyword=name, remedy=f"add: {name} ::= ...")
            for span, name in spans
        )
        if len(missing) > _TOLD:
            problems.append(Problem(f"and {len(missing) - _TOLD} more rules are not defined"))
        if problems:
            raise GrammarError(*problems)


def _is_same_line(text: str, at: int) -> bool:
    assign = _ASSIGN.match(text, at)
    return assign is not None and "\n" not in assign[0] and "\r" not in assign[0]
