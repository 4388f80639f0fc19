"""``&`` and ``~`` in the terminals of a Lark grammar, rewritten to groups that begin with a mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from maskwright.errors import ConstraintError, GrammarError, LimitError
from maskwright.grammar.faults import fault
from maskwright.grammar.lark_pieces import MARK, Piece

__all__ = ["Edit", "boolean_edits", "boolean_pieces"]

_CLOSER, _OPENER, _REPLACEMENT = range(3)
#: Each is two groups within each other.
_COMPLEMENTS: Final = 50
_NO_OPERAND: Final = "an operator without an operand"
_OPENS: Final = "(["
_CLOSES: Final = ")]"


class Edit(NamedTuple):
    """Characters of the text to be replaced; in the order that they are to be made."""

    start: int
    #: At one place, what closes comes before what opens, and that before what replaces the next character.
    rank: int
    end: int
    text: str


@dataclass
class _Group:
    """An open group, or the whole body."""

    #: Complements that wait for the end of the group.
    waiting: list[Piece]
    #: The first piece of the conjunction, its ``&`` so far, and whether an operand has begun since the last.
    first: Piece | None = None
    ands: list[tuple[int, Piece]] = field(default_factory=list)
    is_begun: bool = False
    #: Complements before the next operand.
    pending: list[Piece] = field(default_factory=list)


def _is(piece: Piece, marks: str) -> bool:
    return piece.kind == "symbol" and piece.text in marks


def boolean_pieces(body: Sequence[Piece]) -> list[int]:
    """The places in the body of ``&`` and of those ``~`` that count nothing."""
    return [
        i
        for i, piece in enumerate(body)
        if _is(piece, "&") or (_is(piece, "~") and not (i + 1 < len(body) and body[i + 1].kind == "number"))
    ]


def boolean_edits(text: str, source: str, body: Sequence[Piece], operators: Sequence[int]) -> list[Edit]:
    """The edits that turn the operators of one terminal into groups.

    Raises :class:`GrammarError` for an operator without an operand.
    """
    return _Booleans(text, source, body, frozenset(operators)).edits


class _Booleans:
    """One reading of a body, with its own stack of groups."""

    def __init__(self, text: str, source: str, body: Sequence[Piece], operators: frozenset[int]) -> None:
        self.edits: list[Edit] = []
        self._text, self._source = text, source
        self._groups = [_Group([])]
        self._last = body[0]
        for index, piece in enumerate(body):
            group = self._groups[-1]
            if index in operators:
                self._operate(group, piece, body[index - 1].end if index else piece.start)
            elif _is(piece, "|") or piece.kind == "arrow":
                self._end(group)
            elif _is(piece, _OPENS):
                self._begin(group, piece)
                self._groups.append(_Group(group.pending))
                group.pending = []
            elif _is(piece, _CLOSES) and len(self._groups) > 1:
                self._end(group)
                self._groups.pop()
                self._complement(group.waiting, piece.end)
            elif piece.kind in ("string", "regexp", "terminal", "rule", "token", "json"):
                self._begin(group, piece)
                if not (index + 1 < len(body) and body[index + 1].kind == "dots" and piece.kind == "string"):
                    self._complement(group.pending, piece.end)
                    group.pending = []
            self._last = piece
        self._end(self._groups[0])

    def _begin(self, group: _Group, piece: Piece) -> None:
        if group.first is None:
            group.first = piece
        group.is_begun = True

    def _operate(self, group: _Group, piece: Piece, before: int) -> None:
        if piece.text == "~":
            self._begin(group, piece)
            group.pending.append(piece)
            if len(group.pending) > _COMPLEMENTS:
                raise self._fault(piece, f"more than {_COMPLEMENTS} complements of each other", LimitError)
            return
        if not group.is_begun or group.pending:
            raise self._fault(piece, _NO_OPERAND)
        group.ands.append((before, piece))
        group.is_begun = False

    def _complement(self, waiting: Sequence[Piece], end: int) -> None:
        """Close complements whose operand ends here."""
        for piece in waiting:
            self.edits.append(Edit(piece.start, _REPLACEMENT, piece.end, f'("{MARK}~" ('))
            self.edits.append(Edit(end, _CLOSER, end, "))"))

    def _end(self, group: _Group) -> None:
        """Close the conjunction of a group after the last piece that was read."""
        if group.pending:
            raise self._fault(group.pending[-1], _NO_OPERAND)
        if group.ands:
            if not group.is_begun or group.first is None:
                raise self._fault(group.ands[-1][1], _NO_OPERAND)
            end = self._last.end
            self.edits.append(Edit(group.first.start, _OPENER, group.first.start, f'("{MARK}&" ('))
            self.edits.append(Edit(end, _CLOSER, end, "))"))
            self.edits.extend(Edit(before, _REPLACEMENT, at.end, ") (") for before, at in group.ands)
        group.first, group.ands, group.is_begun = None, [], False

    def _fault(self, piece: Piece, reason: str, error: type[ConstraintError] = GrammarError) -> ConstraintError:
        return fault(self._text, piece.span, reason, keyword=piece.text, source=self._source, error=error)
