"""Our LALR tables are Lark's: the same states, actions and refusals."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest

from maskwright.errors import ConstraintError, GrammarError
from maskwright.grammar.lark_loader import compile_rules, load_lark
from maskwright.grammar.lark_tables import build_table
from tests.properties.contextual_grammars import GRAMMARS, random_grammar


def theirs(rules: Any) -> Any:
    """Lark's parse table, or None if it refuses the grammar."""
    analysis: Any = import_module("lark.parsers.lalr_analysis")
    lark: Any = import_module("lark")
    analyzer = analysis.LALR_Analyzer(import_module("lark.common").ParserConf(list(rules), {}, ["start"]))
    try:
        analyzer.compute_lalr()
    except lark.exceptions.GrammarError:
        return None
    return analyzer.parse_table


def check(grammar: str) -> None:
    compiled = compile_rules(load_lark(grammar))
    expected = theirs(compiled.rules)
    if expected is None:
        with pytest.raises(GrammarError):
            build_table(compiled, "start")
        return
    table = build_table(compiled, "start").table
    same = {expected.start_states["start"]: table.start}
    todo = [expected.start_states["start"]]
    while todo:
        state = todo.pop()
        ours: dict[str, Any] = {table.names[n]: then for n, then in table.shifts[same[state]].items()}
        ours |= table.gotos[same[state]]
        for size, origin, mask in table.reduces[same[state]]:
            ours |= {name: (size, origin) for n, name in enumerate(table.names) if mask >> n & 1}
        assert ours.keys() == expected.states[state].keys()
        for name, (action, argument) in expected.states[state].items():
            if action.name == "Reduce":
                assert ours[name] == (len(argument.expansion), argument.origin.name)
            elif argument in same:
                assert ours[name] == same[argument]
            else:
                same[argument] = ours[name]
                todo.append(argument)
    assert same[expected.end_states["start"]] == table.end


@pytest.mark.parametrize("name", GRAMMARS)
def test_tables_of_the_corpus(name: str) -> None:
    check(GRAMMARS[name])


@pytest.mark.parametrize("seed", range(60))
def test_tables_of_random_grammars(seed: int) -> None:
    """Conflicts, priorities, empty and left-recursive rules among them; collisions are refused where Lark refuses."""
    for number in range(5):
        try:
            check(random_grammar(random.Random(5 * seed + number)))
        except ConstraintError:  # refused before there are tables
            continue


def test_a_chain_of_rules_takes_linear_time() -> None:
    """Lark's own analysis takes the square: 20 seconds for 2,500 rules."""
    rules = "\n".join(f"a{number}: a{number + 1}" for number in range(2_500))
    table = build_table(compile_rules(load_lark(f'start: a0\n{rules}\na2500: "x"')), "start").table
    assert len(table.shifts) > 2_500
