r"""The text of a Lark grammar before Lark sees it: measured, and our extensions written as strings that Lark can read.

An extension becomes a string that begins with :data:`MARK`, and an offset in the new text leads back to the caller's:

* ``%json {...}`` and a named token (``<|name|>``, ``<[7,10-20]>``, ``<[^7]>``, ``<[*]>``) become ``"<mark>0"``, the
  number of their entry in the :class:`Extensions`;
* ``A & B`` becomes ``("<mark>&" (A) (B))`` and ``~A`` becomes ``("<mark>~" (A))``, in terminals only. Lark resolves the
  names in them, whatever file they come from, and :mod:`maskwright.grammar.lark_terms` reads the trees.

The syntax of the extensions is that of llguidance (docs/syntax.md): ``~`` binds tighter than ``+`` and ``*``,
concatenation tighter than ``&``, ``&`` tighter than ``|``.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from maskwright.errors import ConstraintError, GrammarError, LimitError, Problem, UnsupportedError
from maskwright.grammar.faults import fault, fault_problem, place_of
from maskwright.grammar.lark_booleans import Edit, boolean_edits, boolean_pieces
from maskwright.grammar.lark_pieces import MARK, Piece, Statement, cut, statements
from maskwright.limits import Limits

__all__ = ["Extension", "Extensions", "Rewritten", "rewrite"]

#: What all terminals are long together if the names in them are replaced by what they stand for. Lark walks that three
#: times; a chain of 300 terminals is 90,000 long.
TERMINAL_SYMBOLS: Final = 200_000
#: Options of ``%llguidance`` that change no text.
_HARMLESS: Final = frozenset({"no_forcing"})
#: What Lark cannot read, and our mark, written out or as an escape.
_UNREADABLE: Final = re.compile("[\0\ud800-\udfff\U0010fffd]|\\\\U0010[fF]{3}[dD]")


@dataclass(frozen=True)
class Extension:
    """What stands behind a mark."""

    #: ``token`` or ``json``.
    kind: str
    #: As the caller wrote it: ``<|name|>``, or the JSON Schema.
    source: str
    #: ``line:column``, in an imported file with its name before it.
    place: str


@dataclass
class Extensions:
    """The extensions of one grammar and of all that it imports."""

    entries: list[Extension] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    _known: dict[tuple[str, str], int] = field(default_factory=dict)

    def mark(self, kind: str, source: str, place: Callable[[], str]) -> str:
        """The string that stands for an extension, quotes included; equal ones are one terminal, as in Lark."""
        number = self._known.setdefault((kind, source), len(self.entries))
        if number == len(self.entries):
            self.entries.append(Extension(kind, source, place()))
        return f'"{MARK}{number}"'


@dataclass(frozen=True)
class Rewritten:
    """A text for Lark, and the way back."""

    #: As the caller wrote it.
    original: str
    #: The file that it comes from, ``""`` for the caller's text.
    source: str
    text: str
    #: Where a name stands first, outside of strings and comments.
    names: dict[str, tuple[int, int]]
    #: Where a terminal is defined.
    definitions: dict[str, tuple[int, int]]
    _new: Sequence[int]
    _old: Sequence[int]
    #: Offsets of the newlines.
    _newlines: Sequence[int]

    def offset(self, position: int) -> int:
        """The offset in the original of a position in the text."""
        at = bisect_right(self._new, position) - 1
        most = self._old[at + 1] if at + 1 < len(self._old) else len(self.original)
        return min(self._old[at] + position - self._new[at], most)

    def fault(
        self,
        span: tuple[int, int],
        reason: str,
        *,
        keyword: str = "lark",
        remedy: str = "",
        error: type[ConstraintError] = GrammarError,
    ) -> ConstraintError:
        """An error at a span of the original."""
        return fault(self.original, span, reason, keyword=keyword, remedy=remedy, source=self.source, error=error)

    def place(self, name: str) -> str:
        """Where a name stands first; ``""`` if nowhere."""
        if name not in self.names:
            return ""
        start = self.names[name][0]
        line = bisect_left(self._newlines, start)
        return f"{line + 1}:{start - (self._newlines[line - 1] if line else -1)}"

    def problem(self, name: str, reason: str, remedy: str = "") -> Problem:
        """A problem where a name stands first, or a string or pattern; without a place if it stands nowhere."""
        start = self.original.find(name) if name[:1] in ('"', "/") else -1
        if name in self.names or start >= 0:
            span = self.names.get(name, (start, start + len(name)))
            return fault_problem(self.original, span, reason, keyword=name, remedy=remedy, source=self.source)
        return Problem(reason, place=self.source, keyword=name or "lark", remedy=remedy)

    def named_fault(
        self, name: str, reason: str, *, remedy: str = "", error: type[ConstraintError] = GrammarError
    ) -> ConstraintError:
        """The same as an error."""
        return error(self.problem(name, reason, remedy))


def rewrite(text: str, extensions: Extensions, limits: Limits, *, source: str = "") -> Rewritten:
    """The text with its extensions as strings; linear in the text, and the same text if it has none.

    Raises:
        GrammarError: what has no end, is not closed, is no extension that we know; terminals that contain themselves.
        LimitError: too long, too deep, too many symbols.
        UnsupportedError: notations of llguidance that are not read.
    """
    if len(text) > limits.source_bytes:
        reason = f"a grammar of {len(text)} characters"
        raise LimitError(Problem(reason, keyword="lark", remedy=f"at most {limits.source_bytes} (Limits.source_bytes)"))
    unreadable = _UNREADABLE.search(text)
    if unreadable:
        character = unreadable.group()
        point = ord(character) if len(character) == 1 else ord(MARK)
        remedy = "write it as an escape" if point != ord(MARK) else "it is private, and kept for extensions"
        reason = f"the character U+{point:04X} cannot stand in a grammar"
        raise fault(text, unreadable.span(), reason, keyword="lark", remedy=remedy, source=source)
    return _Rewriter(text, source, extensions, limits).rewritten


class _Rewriter:
    """One text on its way."""

    def __init__(self, text: str, source: str, extensions: Extensions, limits: Limits) -> None:
        self._text, self._source, self._extensions = text, source, extensions
        self._edits: list[Edit] = []
        names: dict[str, tuple[int, int]] = {}
        definitions: dict[str, tuple[int, int]] = {}
        bodies: dict[str, list[Statement]] = {}
        pieces = cut(text, source, limits)
        for piece in pieces:
            if piece.kind in ("rule", "terminal"):
                names.setdefault(piece.text, piece.span)
        for statement in statements(pieces):
            self._read(statement)
            if statement.kind == "terminal":
                defined = next(piece for piece in statement.head if piece.kind == "terminal")
                bodies.setdefault(defined.text, []).append(statement)
                definitions.setdefault(defined.text, defined.span)
        self._measure(bodies)
        self.rewritten = self._written(names, definitions)

    def _fault(
        self, piece: Piece, reason: str, remedy: str = "", error: type[ConstraintError] = GrammarError
    ) -> ConstraintError:
        return fault(
            self._text, piece.span, reason, keyword=piece.text, remedy=remedy, source=self._source, error=error
        )

    def _read(self, statement: Statement) -> None:
        """Collect the edits of a statement."""
        if statement.kind == "other":
            if statement.head and statement.head[0].kind == "llguidance":
                self._drop(statement.head[0])
            return
        for before, piece in zip(statement.head, statement.head[1:], strict=False):
            if piece.kind == "symbol" and piece.text == "[" and before.kind in ("rule", "terminal"):
                reason = "attributes of rules (lazy, stop, max_tokens, capture) are not read"
                raise self._fault(piece, reason, "leave them out", UnsupportedError)
        for piece in statement.body:
            self._replace(statement, piece)
        operators = boolean_pieces(statement.body)
        if operators and statement.kind == "rule":
            piece = statement.body[operators[0]]
            raise self._fault(piece, f"{piece.text} stands in a rule", "use it in a terminal (a name in capitals)")
        if operators:
            self._edits.extend(boolean_edits(self._text, self._source, statement.body, operators))

    def _replace(self, statement: Statement, piece: Piece) -> None:
        """The edit of one piece of a body, if it is an extension."""
        if piece.kind == "regex":
            raise self._fault(piece, "%regex is not read", "write the pattern out", UnsupportedError)
        if piece.kind == "symbol" and piece.text == "@":
            raise self._fault(piece, "grammars within a grammar are not read", "use %import", UnsupportedError)
        if piece.kind not in ("json", "token"):
            return
        source = self._text[piece.start : piece.end]
        if piece.kind == "json":
            source = source[source.index("{") :]
            if statement.kind != "rule":
                raise self._fault(piece, "%json stands in a terminal", "use it in a rule (a name in small letters)")
        mark = self._extensions.mark(piece.kind, source, partial(self._place, piece))
        self._edits.append(Edit(piece.start, 2, piece.end, mark))

    def _place(self, piece: Piece) -> str:
        place = place_of(self._text, piece.start)
        return f"{self._source}:{place}" if self._source else place

    def _drop(self, piece: Piece) -> None:
        """Leave ``%llguidance {}`` out, with a warning."""
        body = self._text[piece.start : piece.end]
        try:
            options = json.loads(body[body.index("{") :])
        except (ValueError, RecursionError) as error:
            raise self._fault(piece, f"the options of %llguidance are no JSON: {error}") from error
        unknown = sorted(set(options) - _HARMLESS)
        if unknown:
            reason = f"the option {unknown[0]} of %llguidance is not read"
            raise self._fault(piece, reason, "leave it out", UnsupportedError)
        warning = fault_problem(
            self._text,
            piece.span,
            "%llguidance is ignored: the grammar means what it means in Lark",
            keyword="%llguidance",
        )
        self._extensions.warnings.append(warning)
        self._edits.append(Edit(piece.start, 2, piece.end, "\n" * body.count("\n")))

    def _measure(self, bodies: dict[str, list[Statement]]) -> None:
        """Refuse terminals that contain themselves, or that are too long when written out."""
        references = {
            name: [
                piece
                for statement in own
                for piece in statement.body
                if piece.kind == "terminal" and piece.text in bodies
            ]
            for name, own in bodies.items()
        }
        lengths: dict[str, int] = {}
        total = 0
        for name in bodies:
            path = [(name, iter(references[name]))]
            entered = {name}
            while path:
                at, rest = path[-1]
                below = next((piece for piece in rest if piece.text not in lengths), None)
                if at in lengths or below is None:
                    own_length = sum(len(statement.body) for statement in bodies[at])
                    lengths.setdefault(at, own_length + sum(lengths[piece.text] for piece in references[at]))
                    entered.discard(at)
                    path.pop()
                elif below.text in entered:
                    raise self._fault(
                        below, f"the terminal {below.text} contains itself", "only rules may be recursive"
                    )
                else:
                    entered.add(below.text)
                    path.append((below.text, iter(references[below.text])))
            total += lengths[name]
            if total > TERMINAL_SYMBOLS:
                piece = next(piece for piece in bodies[name][0].head if piece.kind == "terminal")
                reason = f"terminals of more than {TERMINAL_SYMBOLS} symbols, names in them written out"
                raise self._fault(piece, reason, "make rules of terminals that are used in others", LimitError)

    def _written(self, names: dict[str, tuple[int, int]], definitions: dict[str, tuple[int, int]]) -> Rewritten:
        newlines = [match.start() for match in re.finditer("\n", self._text)]
        parts: list[str] = []
        new, old = [0], [0]
        at = length = 0
        for edit in sorted(self._edits):
            for part in (self._text[at : edit.start], edit.text):
                parts.append(part)
                length += len(part)
            new.extend((length - len(edit.text), length))
            old.extend((edit.start, edit.end))
            at = edit.end
        parts.append(self._text[at:])
        return Rewritten(self._text, self._source, "".join(parts), names, definitions, new, old, newlines)
