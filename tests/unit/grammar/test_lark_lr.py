"""Stacks of the LALR parser as cells: they take what Lark's own parser takes."""

from __future__ import annotations

import random
from typing import Any

import lark
import pytest

from maskwright.grammar.lark_loader import compile_rules, load_lark
from maskwright.grammar.lark_lr import END, Stacks
from maskwright.grammar.lark_tables import build_table
from tests.properties.contextual_grammars import GRAMMARS


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_stack_takes_what_lark_s_parser_accepts(name: str) -> None:
    """Along random sequences of terminals, and with reductions that need no terminal done at once."""
    table = build_table(compile_rules(load_lark(GRAMMARS[name])), "start").table
    stacks = Stacks(table)
    parser = lark.Lark(GRAMMARS[name], parser="lalr", lexer="contextual")
    known = {terminal.name for terminal in parser.terminals}
    dice = random.Random(name)
    for _ in range(5):
        theirs: Any = parser.parse_interactive("")
        cell = stacks.root
        for _ in range(20):
            names = {table.names[n] for n in range(len(table.names)) if stacks.takes(cell) >> n & 1}
            assert {name for name in theirs.accepts() if name in known or name == "$END"} == names
            choices = sorted(names - {"$END"})
            if not choices:
                break
            chosen = dice.choice(choices)
            theirs.feed_token(lark.Token(chosen, "x"))
            after = stacks.shift(cell, table.names.index(chosen))
            assert after is not None
            settled = stacks.settle(after)
            cell = settled if stacks.takes(settled) == stacks.takes(after) else after


def test_a_deep_stack_is_neither_recursed_into_nor_reduced_twice() -> None:
    """A right-recursive list of 20,000 elements."""
    grammar = 'start: "[" list "]"\nlist: X | X "," list\nX: "x"'
    table = build_table(compile_rules(load_lark(grammar)), "start").table
    stacks = Stacks(table)
    numbers = {name: number for number, name in enumerate(table.names)}
    cell = stacks.shift(stacks.root, numbers["LSQB"])
    for _ in range(20_000):
        assert cell is not None
        cell = stacks.shift(cell, numbers["X"])
        assert cell is not None
        assert stacks.takes(cell) == 1 << numbers["COMMA"] | 1 << numbers["RSQB"]
        assert stacks.shift(cell, numbers["RSQB"]) is not None
        cell = stacks.shift(cell, numbers["COMMA"])
    assert cell is not None
    assert cell.depth > 40_000
    assert not stacks.takes(cell) >> END & 1
