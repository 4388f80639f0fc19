"""Rules: a context-free grammar without any notation; what the readers of notations make and the compilers take.

Terminals here are exact: a text may be split wherever some split parses. The contextual reading of Lark grammars, where
a terminal takes as much as it can, does not pass through these rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from maskwright.network.lexeme import Term
from maskwright.network.nodes import Network

__all__ = ["Foreign", "Grammar", "Reference", "Repeat", "Rule", "Symbol", "Text", "Token"]


class Text(NamedTuple):
    """Characters: a text term, read as UTF-8. It may hold the empty string."""

    term: Term


class Token(NamedTuple):
    """Tokens that are named: a byte term made by ``token`` or ``marker`` of :mod:`maskwright.network.lexeme`."""

    term: Term


class Reference(NamedTuple):
    """A rule, by its place in ``Grammar.rules``."""

    rule: int


class Repeat(NamedTuple):
    """``least`` to ``most`` times a rule (``None``: no bound). Bounds may be huge: nothing is ever copied."""

    rule: int
    least: int
    most: int | None


class Foreign(NamedTuple):
    """What another network reads, such as a JSON Schema: its place in ``Grammar.foreign``."""

    network: int


Symbol = Text | Token | Reference | Repeat | Foreign


class Rule(NamedTuple):
    """One rule: any of its alternatives, each a sequence of symbols (an empty one reads nothing)."""

    name: str
    alternatives: tuple[tuple[Symbol, ...], ...]
    #: ``line:column`` of its definition, for messages; ``""`` for rules that were made up.
    place: str = ""


@dataclass(frozen=True)
class Grammar:
    """All rules and the one to start with. Left recursion, cycles, ambiguity and unproductive rules are allowed."""

    rules: tuple[Rule, ...]
    start: int
    foreign: tuple[Network, ...] = ()
