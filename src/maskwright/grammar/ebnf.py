r"""EBNF in the style of the W3C (XML 1.0, section 6) and of xgrammar, where the two agree.

``name ::= alternatives``; a rule ends where the next one begins. Literals between double quotes have escapes, as in
xgrammar; between single quotes, as in XML, they have none. Classes have escapes and ``#xN``. Further: groups, ``*``,
``+``, ``?``, ``{n}``, ``{n,}``, ``{n,m}``, ``#xN`` as a character, ``A - B`` for what is an A but no B where both are
regular, and comments ``# ...`` and ``/* ... */``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NamedTuple

from maskwright.errors import Problem, UnsupportedError
from maskwright.grammar.faults import fault, fault_problem
from maskwright.grammar.folding import regular_terms
from maskwright.grammar.notation import Group, Item, Notation, Reader
from maskwright.grammar.notation_text import W3C_CHARACTER, Escapes
from maskwright.grammar.rules import Grammar, Rule, Text, Token
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import literal, subtract, token_ids

__all__ = ["read_ebnf"]

_LETTERS: Final = {
    "'": 0x27, '"': 0x22, "?": 0x3F, "\\": 0x5C, "a": 0x07, "b": 0x08, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09,
    "v": 0x0B, "0": 0x00, "e": 0x1B,
}  # fmt: skip
_IN_CLASS: Final = {char: ord(char) for char in "^$.*+?()[]{}|/-"}
#: What stands for something else in xgrammar's EBNF than a rule.
_MACROS: Final = ("TagDispatch", "TokenTagDispatch", "Token", "ExcludeToken", "Regex")
_MACRO: Final = re.compile(rf"({'|'.join(_MACROS)})[ \t]*\(")
_IDS: Final = re.compile(r"\(\s*([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\s*\)")
_ATTRIBUTES: Final = re.compile(r"^[ \t]*[A-Za-z_.-][A-Za-z0-9_.-]*(\[[^\]\n]*\])[ \t]*::=", re.MULTILINE)
#: ``#x20`` is a character; other comments begin with ``#``.
_BLANKS: Final = re.compile(r"(?:[ \t\r\n]++|#(?!x[0-9A-Fa-f]++(?!\w))[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_LAST_ID: Final = 2**31 - 1


class _Exclusion(NamedTuple):
    """``A - B``: the rule that stands for it, and its parts."""

    rule: int
    part: int
    excluded: int
    start: int


class _Ebnf(Reader):
    """EBNF in progress: exclusions are worked out when all rules are known."""

    def __init__(self, text: str, limits: Limits) -> None:
        super().__init__(text, EBNF, limits)
        self._exclusions: list[_Exclusion] = []

    def join(self, group: Group) -> list[Item]:
        """Exclusions become rules of their own, from left to right."""
        items = group.items
        for done, (before, offset) in enumerate(group.minus):
            place = before - done
            if place >= len(items):
                remedy = 'write "-" for the character'
                raise self.fault(offset, offset + 1, "this minus sign has nothing after it", remedy)
            part, excluded = (self.made_rule((item,), offset).rule for item in items[place - 1 : place + 1])
            made = self.made_rule((), offset)
            self._exclusions.append(_Exclusion(made.rule, part, excluded, offset))
            items[place - 1 : place + 1] = [(made,)]
        return items

    def grammar(self, start: str) -> Grammar:
        """The grammar, its exclusions worked out: those first that others are made of."""
        found = super().grammar(start)
        rules = list(found.rules)
        waiting = self._exclusions
        while waiting:
            open_ = {exclusion.rule for exclusion in waiting}
            terms = regular_terms(
                tuple(Rule(r.name, ((_OPEN,),)) if i in open_ else r for i, r in enumerate(rules)), _LARGEST
            )
            later = []
            for exclusion in waiting:
                part, excluded = terms[exclusion.part], terms[exclusion.excluded]
                if part is None or excluded is None:
                    later.append(exclusion)
                    continue
                text = Text(subtract(part, excluded))
                rules[exclusion.rule] = rules[exclusion.rule]._replace(alternatives=((text,),))
            if len(later) == len(waiting):
                span = (later[0].start, later[0].start + 1)
                reason = "an exclusion is enforced only between what is regular: these rules are not, or are too large"
                raise fault(self.text, span, reason, keyword="-", error=UnsupportedError)
            waiting = later
        return Grammar(tuple(rules), found.start)


#: Stands for an exclusion that is not worked out yet: nothing regular.
_OPEN: Final = Token(token_ids([(0, 0)]))
#: Sizes of terms up to which exclusions are worked out.
_LARGEST: Final = 2_000


def _minus(reader: _Ebnf) -> bool:
    group = reader.groups[-1]
    if not group.items or (group.minus and group.minus[-1][0] == len(group.items)):
        remedy = 'write "-" for the character'
        raise reader.fault(reader.at, reader.at + 1, "this minus sign has nothing before it", remedy)
    group.minus.append((len(group.items), reader.at))
    reader.at += 1
    return True


def _number(reader: _Ebnf) -> bool:
    found = W3C_CHARACTER.match(reader.text, reader.at)
    if found is None:
        return False
    reader.characters.numbers.append(reader.at)
    reader.at = found.end()
    return reader.add((Text(literal(chr(reader.characters.by_number(found)))),))


def _bracket(reader: _Ebnf) -> bool:
    if not reader.text.startswith("(=", reader.at):
        return False
    reason = "a lookahead is not enforced; to xgrammar it is a hint that changes no text"
    span = (reader.at, reader.at + 2)
    raise fault(reader.text, span, reason, keyword="(=", remedy="leave it out", error=UnsupportedError)


def _macro(reader: _Ebnf) -> bool:
    found = _MACRO.match(reader.text, reader.at)
    if found is None:
        return False
    name = found[1]
    ids = _IDS.match(reader.text, found.end() - 1) if name in ("Token", "ExcludeToken") else None
    if ids is None:
        remedy = {"Regex": "write it as rules", "Token": "give ids: Token(1, 2)"}.get(
            name, "see maskwright.structural_tag()"
        )
        span = (reader.at, found.end())
        raise fault(
            reader.text, span, f"{name}(...) is not enforced", keyword=name, remedy=remedy, error=UnsupportedError
        )
    reader.at = ids.end()
    numbers = sorted({int(number) for number in ids[1].split(",")})
    if name == "Token":
        return reader.add((Token(token_ids((number, number) for number in numbers)),))
    bounds = [-1, *numbers, _LAST_ID + 1]
    return reader.add((Token(token_ids((a + 1, b - 1) for a, b in pairwise(bounds))),))


EBNF: Final = Notation(
    title="EBNF",
    name=re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*"),
    escapes=Escapes(
        letters=_LETTERS,
        in_class=_IN_CLASS,
        digits={"x": 2, "u": 4, "U": 8},
        has_numbers=True,
        over_lines=False,
        has_any=True,
        remedy=r"known are \n \t \r \a \b \f \v \e \0 \" \' \? \\ \xNN \uNNNN \UNNNNNNNN",
    ),
    blanks=_BLANKS,
    blanks_and_lines=_BLANKS,
    by_lines=False,
    quotes="\"'",
    may_be_empty=False,
    others={
        "-": _minus,
        "#": _number,
        "(": _bracket,
        **dict.fromkeys("TER", _macro),
    },
)


def read_ebnf(
    text: str, *, start: str = "root", limits: Limits = DEFAULT_LIMITS
) -> tuple[Grammar, tuple[Problem, ...]]:
    """The grammar that an EBNF text describes, and what a person should know of it; linear in its length.

    Raises:
        GrammarError: not EBNF, with line, column and a caret; rules that are missing are told all at once.
        UnsupportedError: what is not enforced: lookaheads, attributes and macros of xgrammar, exclusions of what is not
            regular.
        LimitError: a text that is too long, or a count that no text can reach.
    """
    reader = _Ebnf(text, limits)
    attributes = _ATTRIBUTES.search(text)
    if attributes is not None:
        reason = "attributes of rules are not enforced"
        raise fault(
            text, attributes.span(1), reason, keyword=attributes[1], remedy="leave them out", error=UnsupportedError
        )
    grammar = reader.grammar(start)
    warnings = []
    if reader.characters.numbers:
        at = reader.characters.numbers[0]
        reason = (
            "#xN is read as the character of that number, as in W3C's notation; to xgrammar it is text or a comment"
        )
        warnings.append(fault_problem(text, (at, at + 2), reason, keyword="#x"))
    return grammar, tuple(warnings)
