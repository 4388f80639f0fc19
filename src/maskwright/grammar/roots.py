"""The roots of ``grammars/json.lark``: the file as rules, with the few rules replaced that arguments decide.

What each root accepts stands in that file, a definition of ours (the names are public, the languages are not).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from maskwright.errors import PolicyError, excerpt
from maskwright.grammar.lark_loader import load_lark
from maskwright.grammar.lark_rules import exact_grammar
from maskwright.grammar.library import read
from maskwright.grammar.rules import Foreign, Grammar, Reference, Symbol, Text
from maskwright.network.lexeme import (
    ANYTHING,
    COUNTABLE,
    EPSILON,
    NEVER,
    Term,
    characters,
    concatenate,
    literal,
    repeat,
    subtract,
    unite,
    words,
)
from maskwright.network.nodes import Network

__all__ = ["CALLS", "ROOTS", "blanks_of", "root_grammar"]

#: All roots, in the order of the interface that names them.
ROOTS: Final = (
    "root",
    "fcall",
    "nofcall",
    "insidevalue",
    "value",
    "object",
    "array",
    "string",
    "number",
    "funcarray",
    "func",
    "ws",
)
#: Roots in which calls of tools are written.
CALLS: Final = ("root", "fcall", "funcarray", "func")

_BLANK: Final = characters([(0x20, 0x20), (0x09, 0x0A), (0x0D, 0x0D)])
#: Blanks or tabs that may follow a line break under ``"flex"``, as in the converters of llama.cpp.
_INDENT: Final = 20
_FLEX: Final = unite(
    EPSILON, literal(" "), concatenate(literal("\n"), repeat(characters([(0x20, 0x20), (0x09, 0x09)]), 0, _INDENT))
)
_BLANKS: Final[dict[str, Term]] = {
    "none": EPSILON,
    "single": unite(EPSILON, literal(" ")),
    "flex": _FLEX,
    "any": repeat(_BLANK),
}


def blanks_of(whitespace: str | int) -> Term:
    """What ``ws`` reads under a policy: a name, or the most blanks that may stand in one place.

    Raises:
        PolicyError: no such policy.
    """
    if isinstance(whitespace, str) and whitespace in _BLANKS:
        return _BLANKS[whitespace]
    if isinstance(whitespace, int) and not isinstance(whitespace, bool) and 0 <= whitespace < COUNTABLE:
        return repeat(_BLANK, 0, whitespace)
    raise PolicyError(
        f"whitespace must be {', '.join(map(repr, _BLANKS))} or the most blanks in one place, not {excerpt(whitespace)}"
    )


def root_grammar(
    root: str,
    *,
    blanks: Term,
    tools: Mapping[str, Network] | None = None,
    parallel: bool = True,
    without: Iterable[str] = (),
) -> Grammar:
    """The rules of a root.

    Args:
        root: One of :data:`ROOTS`.
        blanks: What ``ws`` reads.
        tools: The networks of arguments by the name of the tool; ``None``: any name with any object.
        parallel: Whether an array of calls may hold more than one.
        without: Strings that no text of ``nofcall`` contains.
    """
    grammar = _load(root)
    changed: dict[str, Iterable[tuple[Symbol, ...]]] = {"ws": [(Text(blanks),)]}
    if tools is not None:
        arguments = Reference(_rule(grammar, "arguments"))
        changed["tool"] = [
            (Text(literal(f'"{name}"')), arguments, Foreign(len(grammar.foreign) + i)) for i, name in enumerate(tools)
        ]
    if not parallel:
        changed["others"] = [()]
    excluded = words(without)
    if excluded is not NEVER:
        changed["nofcall"] = [(Text(_text_without(grammar, blanks, excluded)),)]
    rules = tuple(
        rule._replace(alternatives=tuple(changed[rule.name])) if rule.place and rule.name in changed else rule
        for rule in grammar.rules
    )
    return replace(grammar, rules=rules, foreign=(*grammar.foreign, *(tools or {}).values()))


@lru_cache(maxsize=len(ROOTS))
def _load(root: str) -> Grammar:
    """The file as it is. It takes Lark 20 ms to read."""
    return exact_grammar(load_lark(read("json"), root))


def _rule(grammar: Grammar, name: str) -> int:
    """The place of a rule that has a definition of its own; groups within a rule are called like it."""
    return next(i for i, rule in enumerate(grammar.rules) if rule.place and rule.name == name)


def _text_without(grammar: Grammar, blanks: Term, excluded: Term) -> Term:
    """What ``nofcall`` reads without any of some strings, across its blanks and its text."""
    last = grammar.rules[_rule(grammar, "nofcall")].alternatives[0][-1]
    text = last.term if isinstance(last, Text) else ANYTHING
    return subtract(concatenate(blanks, text), concatenate(ANYTHING, excluded, ANYTHING))
