"""Whitespace and punctuation of JSON text, as lexical terms that all schemas share.

The kernel keeps what it learns by term, so the marks of one layout are built once per process: every schema then uses
the same objects for ``{``, ``,`` or ``:`` (RFC 8259 section 2 names the places where whitespace may stand).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from maskwright.errors import PolicyError, excerpt
from maskwright.network.lexeme import EPSILON, Term, characters, concatenate, encode, literal, repeat, unite
from maskwright.network.nodes import Lex

__all__ = ["Marks", "Whitespace", "marks"]

_BLANKS: Final = " \t\n\r"
#: Blanks or tabs that may follow a newline under ``"flexible"``; unbounded runs let a model write blanks for ever.
_INDENT_LIMIT: Final = 64
_NAMED: Final = ("flexible", "compact", "spaced", "any")


@dataclass(frozen=True, slots=True)
class Whitespace:
    """Fixed separators and indentation, as ``json.dumps(separators=(comma, colon), indent=indent)`` writes them.

    ``indent`` counts blanks or is the text of one level; ``None`` keeps everything on one line. Raises
    :class:`maskwright.errors.PolicyError` when a separator is not its mark with JSON whitespace around it.
    """

    comma: str = ","
    colon: str = ":"
    indent: int | str | None = None

    def __post_init__(self) -> None:
        """Refuse separators that would not be JSON."""
        for given, mark in ((self.comma, ","), (self.colon, ":")):
            if str(given).strip(_BLANKS) != mark:
                msg = f"a separator must be {mark!r} with whitespace around it, not {excerpt(given)}"
                raise PolicyError(msg)
        indent = self.indent
        right = indent is None or (isinstance(indent, str) and not indent.strip(_BLANKS))
        if not right and (not isinstance(indent, int) or isinstance(indent, bool) or not 0 <= indent <= _INDENT_LIMIT):
            msg = f"indent must be a number of blanks up to {_INDENT_LIMIT}, whitespace or None, not {excerpt(indent)}"
            raise PolicyError(msg)


@dataclass(frozen=True, slots=True)
class Marks:
    """The punctuation at one level of nesting, whitespace included."""

    open_object: Lex
    close_object: Lex
    empty_object: Lex
    open_array: Lex
    close_array: Lex
    empty_array: Lex
    comma: Lex
    #: The comma in two: what ends with the mark itself, and the whitespace after it; ``None`` if there is none.
    separator: Lex
    gap: Lex | None
    colon: Lex
    #: The level of the values inside; 0 unless the layout indents, so that equal values share their nodes.
    inner: int


def _gap(whitespace: str) -> Term:
    if whitespace == "flexible":
        newline = concatenate(literal("\n"), repeat(characters([(32, 32), (9, 9)]), 0, _INDENT_LIMIT))
        return unite(EPSILON, literal(" "), newline)
    return repeat(characters((ord(c), ord(c)) for c in _BLANKS)) if whitespace == "any" else EPSILON


def _mark(*parts: Term | str) -> Lex:
    return Lex(encode(concatenate(*(literal(part) if isinstance(part, str) else part for part in parts))))


def _loose(gap: Term, comma: Term | str, colon: Term | str, *, after: Term | str) -> Marks:
    return Marks(
        open_object=_mark("{", gap),
        close_object=_mark(gap, "}"),
        empty_object=_mark("{", gap, "}"),
        open_array=_mark("[", gap),
        close_array=_mark(gap, "]"),
        empty_array=_mark("[", gap, "]"),
        comma=_mark(comma) if isinstance(comma, str) else Lex(encode(comma)),
        separator=_mark(gap, ","),
        gap=_mark(after) if after != "" else None,
        colon=_mark(colon) if isinstance(colon, str) else Lex(encode(colon)),
        inner=0,
    )


def _indented(style: Whitespace, level: int) -> Marks:
    unit = style.indent if isinstance(style.indent, str) else " " * (style.indent or 0)
    outer, inner = "\n" + unit * level, "\n" + unit * (level + 1)
    return Marks(
        open_object=_mark("{" + inner),
        close_object=_mark(outer + "}"),
        empty_object=_mark("{}"),
        open_array=_mark("[" + inner),
        close_array=_mark(outer + "]"),
        empty_array=_mark("[]"),
        comma=_mark(style.comma.rstrip(_BLANKS) + inner),
        separator=_mark(style.comma.rstrip(_BLANKS)),
        gap=_mark(inner),
        colon=_mark(style.colon),
        inner=level + 1,
    )


@lru_cache(maxsize=1024)
def marks(whitespace: str | Whitespace, level: int = 0) -> Marks:
    """The punctuation of a layout at one level of nesting (only indented layouts tell levels apart).

    Raises :class:`maskwright.errors.PolicyError` for a layout that does not exist.
    """
    if isinstance(whitespace, Whitespace):
        if whitespace.indent is not None:
            return _indented(whitespace, level)
        before, _, after = whitespace.comma.partition(",")
        made = _loose(EPSILON, whitespace.comma, whitespace.colon, after=after)
        return replace(made, separator=_mark(before + ","))
    if whitespace not in _NAMED:
        msg = f"whitespace must be one of {', '.join(map(repr, _NAMED))} or a Whitespace, not {excerpt(whitespace)}"
        raise PolicyError(msg)
    if whitespace in ("compact", "spaced"):
        blank = " " if whitespace == "spaced" else ""
        return _loose(EPSILON, "," + blank, ":" + blank, after=blank)
    gap = _gap(whitespace)
    return _loose(gap, concatenate(gap, literal(","), gap), concatenate(gap, literal(":"), gap), after=gap)
