"""The pieces of a Lark grammar text, cut as Lark's own lexer cuts them, and its statements.

Strings, patterns and comments hide what stands in them. What has no end or nests too deeply is refused here, with its
place: on a string without an end Lark's lexer takes exponential time, and Lark's transformers recurse on groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from maskwright.errors import LimitError
from maskwright.grammar.faults import fault
from maskwright.limits import Limits

__all__ = ["MARK", "Piece", "Statement", "cut", "statements"]

#: What begins a string that stands for an extension: the last private character of Unicode.
MARK: Final = "\U0010fffd"
#: Groups within groups: at 400 Lark's transformers meet Python's limit of 1,000 frames.
NESTING: Final = 200

_PIECES: Final = re.compile(
    r"""(?P<gap>(?:[^\S\n]|//[^\n]*|\#[^\n]*|\\[ ]*\n)+)
    |(?P<newline>\n)
    |(?P<string>"(?:\\[^\n]|[^"\\\n])*"i?)
    |(?P<regexp>/(?!/)(?:\\.|[^/\\])+/[imslux]*)
    |(?P<token><\[[^\]\n]*\]>|<[^<>\s]+>)
    |(?P<arrow>->)
    |(?P<dots>\.\.)
    |(?P<rule>_?[a-z][_a-z0-9]*)
    |(?P<terminal>_?[A-Z][_A-Z0-9]*)
    |(?P<number>[+-]?[0-9]+)
    |(?P<directive>%[a-z]+)
    |(?P<symbol>.)""",
    re.DOTALL | re.VERBOSE,
)
#: Digits of a count or priority.
_DIGITS: Final = 10
#: What opens, closes or hides braces in JSON. An open string matches its quote alone.
_JSON: Final = re.compile(r'"(?:\\.|[^"\\])*"|["{}\[\]]', re.DOTALL)
_GAPS: Final = re.compile(r"(?:\s|//[^\n]*|#[^\n]*)*")
_CLOSES: Final = {")": "(", "]": "[", "}": "{"}


class Piece(NamedTuple):
    """A part of the text: a kind (``json`` and ``options``, or the name of a group of the pattern) and its span."""

    kind: str
    start: int
    end: int
    #: The characters, for what stands in rules: names, symbols, numbers, tokens, directives.
    text: str

    @property
    def span(self) -> tuple[int, int]:
        """The span alone."""
        return self.start, self.end


class Statement(NamedTuple):
    """One definition or directive; gaps and the newlines before ``|`` are left out."""

    #: ``rule``, ``terminal``, ``ignore`` or ``other``.
    kind: str
    #: What stands before the colon: modifiers, name, parameters, priority; of ``other`` all of it.
    head: Sequence[Piece]
    #: The alternatives.
    body: Sequence[Piece]


def cut(text: str, source: str, limits: Limits) -> list[Piece]:
    """All pieces but gaps. Linear in the text.

    Raises:
        GrammarError: a string, pattern or JSON without an end; a bracket that closes nothing.
        LimitError: more pieces or deeper groups than Lark can read.
    """
    pieces: list[Piece] = []
    open_: list[tuple[str, int]] = []
    at = 0
    while at < len(text):
        kind, word = _first(text, at)
        start, end = at, at + len(word)
        at = end
        if kind == "gap":
            continue
        if kind == "symbol":
            if word in '"/':
                raise _unended(text, source, start)
            _nest(text, source, word, start, open_)
        elif word in ('""', '""i'):
            raise fault(text, (start, end), "an empty string", keyword=word, remedy="use ? in a rule", source=source)
        elif kind == "number" and len(word) > _DIGITS:
            raise fault(text, (start, end), "a number that counts nothing", keyword="number", source=source)
        elif word in ("%json", "%llguidance", "%regex"):
            kind, at = word[1:], _json_end(text, source, _skipped(text, end), word)
        pieces.append(Piece(kind, start, at, word))
        if len(pieces) > limits.grammar_symbols:
            raise fault(
                text,
                (start, end),
                f"more than {limits.grammar_symbols} names, strings and operators",
                keyword="lark",
                remedy="the lark package reads 20,000 a second; raise Limits.grammar_symbols, or write GBNF",
                source=source,
                error=LimitError,
            )
    if open_:
        word, start = open_[-1]
        raise fault(text, (start, start + 1), f"{word} is not closed", keyword=word, source=source)
    return pieces


def _first(text: str, at: int) -> tuple[str, str]:
    """The kind of the piece at a place and its characters."""
    match = _PIECES.match(text, at)
    return (match.lastgroup or "symbol", match.group()) if match else ("symbol", text[at])


def _unended(text: str, source: str, start: int) -> Exception:
    if text[start] == '"':
        return fault(
            text,
            (start, start + 1),
            "a string without an end",
            keyword="string",
            remedy=r"write \" inside",
            source=source,
        )
    reason = "a pattern without an end" if text[start + 1 : start + 2] != "/" else "an empty pattern"
    return fault(text, (start, start + 1), reason, keyword="regexp", remedy=r"write \/ inside", source=source)


def _nest(text: str, source: str, word: str, start: int, open_: list[tuple[str, int]]) -> None:
    """Keep the open brackets up to date."""
    if word in "([{":
        open_.append((word, start))
        if len(open_) > NESTING:
            raise fault(
                text,
                (start, start + 1),
                f"more than {NESTING} groups within each other",
                keyword=word,
                remedy="give inner groups a name, as rules or terminals of their own",
                source=source,
                error=LimitError,
            )
    elif word in ")]}":
        if not open_ or open_[-1][0] != _CLOSES[word]:
            raise fault(text, (start, start + 1), f"{word} closes nothing", keyword=word, source=source)
        open_.pop()


def _skipped(text: str, at: int) -> int:
    match = _GAPS.match(text, at)
    return match.end() if match else at


def _json_end(text: str, source: str, start: int, word: str) -> int:
    """The offset after the JSON object that begins at ``start``."""
    depth = 0
    if text[start : start + 1] == "{":
        for match in _JSON.finditer(text, start):
            mark = match.group()
            if mark == '"':
                break
            if mark in "{[":
                depth += 1
            elif mark in "}]":
                depth -= 1
                if not depth:
                    return match.end()
        raise fault(text, (start, start + 1), f"the object after {word} has no end", keyword=word, source=source)
    raise fault(
        text,
        (start, start + 1),
        f"{word} takes a JSON object",
        keyword=word,
        remedy=f"write {word} {{...}}",
        source=source,
    )


def statements(pieces: Sequence[Piece]) -> Iterator[Statement]:
    """The statements: one ends with its line, unless the next begins with ``|`` (or ``&``, where an operand is due)."""
    current: list[Piece] = []
    for index, piece in enumerate(pieces):
        if piece.kind != "newline":
            current.append(piece)
        elif current and not _goes_on(pieces, index):
            yield _statement(current)
            current = []
    if current:
        yield _statement(current)


def _goes_on(pieces: Sequence[Piece], index: int) -> bool:
    while index < len(pieces) and pieces[index].kind == "newline":
        index += 1
    return index < len(pieces) and pieces[index].kind == "symbol" and pieces[index].text in "|&"


def _statement(pieces: list[Piece]) -> Statement:
    first = pieces[0]
    if first.kind == "directive" and first.text == "%ignore":
        return Statement("ignore", pieces[:1], pieces[1:])
    if first.kind in ("directive", "llguidance") and first.text not in ("%override", "%extend"):
        return Statement("other", pieces, ())
    colon = next((i for i, piece in enumerate(pieces) if piece.kind == "symbol" and piece.text == ":"), len(pieces))
    head = pieces[:colon]
    kind = next((piece.kind for piece in head if piece.kind in ("rule", "terminal")), "other")
    return Statement(kind, head, pieces[colon + 1 :])
