r"""GBNF, the notation of llama.cpp (its ``grammars/README.md`` and ``src/llama-grammar.cpp``, as of 2026).

Rules are ``name ::= alternatives``, one a line; a line goes on inside brackets and after ``|``. There are literals
(``"text"``), classes (``[a-z]``, ``[^"\\]``), ``.``, groups, ``*``, ``+``, ``?``, ``{n}``, ``{n,}`` and ``{n,m}``,
comments after ``#``, and tokens: ``<[7]>`` by id, ``<think>`` by name, ``!<[7]>`` and ``!<think>`` for any other.
"""

from __future__ import annotations

import re
from typing import Final

from maskwright.grammar.notation import Notation, Reader
from maskwright.grammar.notation_text import Escapes
from maskwright.grammar.rules import Grammar, Text, Token
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import ANY_CHARACTER, other_tokens, token, token_ids

__all__ = ["read_gbnf"]

_LETTERS: Final = {"t": 0x09, "r": 0x0D, "n": 0x0A, "\\": 0x5C, '"': 0x22, "[": 0x5B, "]": 0x5D, "-": 0x2D}
_TOKEN: Final = re.compile(r"(!?)<(?:\[([0-9]+)\]|([^<>\[\]\n\r][^>\n\r]*|))>")
#: The greatest id that is told apart.
_LAST_ID: Final = 2**31 - 1


def _any(reader: Reader) -> bool:
    reader.at += 1
    return reader.add((Text(ANY_CHARACTER),))


def _token(reader: Reader) -> bool:
    start = reader.at
    found = _TOKEN.match(reader.text, start)
    if found is None:
        raise reader.fault(start, start + 1, "a token is written <[7]> or <name>", 'write "<" for the character')
    reader.at = found.end()
    is_other, number, name = found[1], found[2], found[3]
    if number is None:
        if not name:
            raise reader.fault(start, reader.at, "this token has no name")
        named = (other_tokens if is_other else token)(f"<{name}>")
        return reader.add((Token(named),))
    which = int(number) if len(number) < 12 else _LAST_ID + 1
    if which > _LAST_ID:
        raise reader.fault(start, reader.at, "no vocabulary has a token of this id")
    ranges = [(0, which - 1), (which + 1, _LAST_ID)] if is_other else [(which, which)]
    return reader.add((Token(token_ids(ranges)),))


GBNF: Final = Notation(
    title="GBNF",
    name=re.compile(r"[A-Za-z0-9_-]+"),
    escapes=Escapes(
        letters=_LETTERS,
        in_class={},
        digits={"x": 2, "u": 4, "U": 8},
        remedy=r"known are \n \t \r \" \\ \[ \] \- \xNN \uNNNN \UNNNNNNNN; other characters are written as they are",
    ),
    blanks=re.compile(r"(?:[ \t]++|#[^\r\n]*+)*+"),
    blanks_and_lines=re.compile(r"(?:[ \t\r\n]++|#[^\r\n]*+)*+"),
    by_lines=True,
    quotes='"',
    may_be_empty=True,
    others={".": _any, "<": _token, "!": _token},
)


def read_gbnf(text: str, *, start: str = "root", limits: Limits = DEFAULT_LIMITS) -> Grammar:
    """The grammar that a GBNF text describes; linear in its length.

    Raises:
        GrammarError: not GBNF, with line, column and a caret; rules that are missing are told all at once.
        LimitError: a text that is too long, or a count that no text can reach.
    """
    return Reader(text, GBNF, limits).grammar(start)
