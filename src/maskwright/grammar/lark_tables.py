"""From what Lark has compiled to our tables: LALR actions by Lark's own analysis, lexers in Lark's own order.

Nothing is decided here: conflicts are resolved by ``LALR_Analyzer``, and terminals are sorted and keywords found as
``BasicLexer`` and ``_create_unless`` of ``lark.lexer`` do, with the same patterns and Python's own ``re``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Final

from maskwright.errors import GrammarError, LimitError, Problem
from maskwright.grammar.lark_conflicts import are_harmless
from maskwright.grammar.lark_loader import CompiledRules
from maskwright.grammar.lark_lr import Table
from maskwright.grammar.lark_programs import Programs
from maskwright.grammar.lark_scanner import Lexer, Pattern, Scanner
from maskwright.limits import Limits

__all__ = ["Lexers", "Tables", "build_table"]

_END: Final = "$END"


class Tables:
    """The LALR table of a grammar, and whether following it can ever end in a place that cannot be completed."""

    def __init__(self, table: Table, *, is_clean: bool) -> None:
        self.table = table
        #: Every stack has a completion: all rules have one, and no conflict was resolved that matters.
        self.is_clean = is_clean


def build_table(compiled: CompiledRules, start: str) -> Tables:
    """Lark's LALR table for a start rule.

    Raises:
        GrammarError: Lark refuses the grammar for its LALR parser; exact reading may still take it.
    """
    lark: Any = import_module("lark")
    analysis: Any = import_module("lark.parsers.lalr_analysis")
    try:
        analyzer = analysis.LALR_Analyzer(import_module("lark.common").ParserConf(list(compiled.rules), {}, [start]))
        analyzer.compute_lalr()
    except lark.exceptions.GrammarError as error:
        raise GrammarError(
            Problem(
                f"Lark's LALR parser refuses the grammar: {error}",
                keyword="lalr",
                remedy='resolve the collision with rule priorities, or read the grammar with lexer="exact"',
            )
        ) from error
    except RecursionError as error:
        raise LimitError(
            Problem("the rules nest too deeply for Lark's LALR analysis", remedy='use lexer="exact"')
        ) from error
    parsed = analyzer.parse_table
    origins = frozenset(rule.origin.name for rule in compiled.rules)
    names = {_END: 0} | {terminal.name: place for place, terminal in enumerate(compiled.terminals, 1)}
    for actions in parsed.states.values():
        for name, (action, _) in actions.items():
            if name not in names and not (action is analysis.Shift and name in origins):
                names[name] = len(names)
    size = max(parsed.states) + 1
    shifts: list[dict[int, int]] = [{} for _ in range(size)]
    gotos: list[dict[str, int]] = [{} for _ in range(size)]
    reduces: list[list[tuple[int, str, int]]] = [[] for _ in range(size)]
    for state, actions in parsed.states.items():
        rules: dict[Any, int] = {}
        for name, (action, argument) in actions.items():
            if action is not analysis.Shift:
                rules[argument] = rules.get(argument, 0) | 1 << names[name]
            elif name in origins:
                gotos[state][name] = argument
            else:
                shifts[state][names[name]] = argument
        reduces[state] = [(len(rule.expansion), rule.origin.name, mask) for rule, mask in rules.items()]
    table = Table(tuple(names), shifts, reduces, gotos, parsed.start_states[start], parsed.end_states[start])
    conflicts = any(
        len(rules) > 1 or symbol in itemset.transitions
        for itemset in analyzer.lr0_itemsets
        for symbol, rules in itemset.lookaheads.items()
    )
    is_clean = _all_productive(compiled.rules) and (not conflicts or are_harmless(analyzer, start))
    return Tables(table, is_clean=is_clean)


def _all_productive(rules: Sequence[Any]) -> bool:
    """Whether every rule's origin has a finite expansion, if every terminal has one."""
    waiting: dict[str, list[int]] = {}
    missing: list[int] = []
    done: set[str] = set()
    todo: list[str] = []
    for number, rule in enumerate(rules):
        needed = {symbol.name for symbol in rule.expansion if not symbol.is_term}
        missing.append(len(needed))
        for name in needed:
            waiting.setdefault(name, []).append(number)
        if not needed:
            todo.append(rule.origin.name)
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        for number in waiting.get(name, ()):
            missing[number] -= 1
            if not missing[number]:
                todo.append(rules[number].origin.name)
    return all(rule.origin.name in done for rule in rules)


class Lexers:
    """The scanner of a grammar, and the lexer of each state of its parser."""

    def __init__(self, compiled: CompiledRules, table: Table, limits: Limits) -> None:
        self.numbers = {name: place for place, name in enumerate(table.names)}
        ignored = frozenset(compiled.ignored)
        accepted = list(_accepted(table))
        # Lark looks at the patterns of a lexer when it makes one, so those that no state accepts may be anything.
        used = functools.reduce(int.__or__, accepted, sum(1 << self.numbers[name] for name in ignored))
        self._texts = {name: special for name, special in compiled.specials.items() if special.kind == "text"}
        others = compiled.specials.keys() - self._texts.keys()
        self._definitions = sorted(
            (one for one in compiled.terminals if one.name not in others and used >> self.numbers[one.name] & 1),
            key=self._order,
        )
        programs = Programs(limits)
        patterns = []
        for owner, definition in enumerate(self._definitions):
            name, special = definition.name, self._texts.get(definition.name)
            if special.is_nullable if special is not None else definition.pattern.min_width == 0:
                raise _empty(definition)
            if special is not None:
                start = programs.add_term(name, special.term, owner)
            else:
                start = programs.add(name, definition.pattern.to_regexp(), 0, owner)
            patterns.append(Pattern(name, self.numbers[name], start, is_ignored=name in ignored))
        self.scanner = Scanner(programs, patterns, limits)
        self._ignored = sum(1 << self.numbers[name] for name in ignored)
        self._by_terminals: dict[int, Lexer] = {}
        self._taken: dict[tuple[int, int], bool] = {}
        #: ``of[state]``: the lexer of a state of the parser.
        self.of = [self._lexer(mask) for mask in accepted]

    def _lexer(self, accepted: int) -> Lexer:
        found = self._by_terminals.get(accepted)
        if found is None:
            wanted = accepted | self._ignored
            tried = [i for i, pattern in enumerate(self.scanner.patterns) if wanted >> pattern.terminal & 1]
            found = self._by_terminals[accepted] = self._with_words(tried, accepted)
        return found

    def _with_words(self, tried: Sequence[int], accepted: int) -> Lexer:
        """What ``_create_unless`` makes of the terminals: keywords instead of alternatives of their own."""
        texts = [i for i in tried if not self._is_pattern(i)]
        embedded: set[int] = set()
        words: dict[int, tuple[int, ...]] = {}
        for owner in tried:
            definition = self._definitions[owner]
            if not self._is_pattern(owner):
                continue
            taken = [i for i in texts if self._definitions[i].priority == definition.priority and self._takes(owner, i)]
            if taken:
                words[owner] = tuple(taken)
                flags = frozenset() if definition.name in self._texts else definition.pattern.flags
                embedded.update(i for i in taken if self._definitions[i].pattern.flags <= flags)
        return Lexer(tuple(i for i in tried if i not in embedded), words, accepted)

    def _takes(self, owner: int, text: int) -> bool:
        key = (owner, text)
        if key not in self._taken:
            string = self._definitions[text].pattern.value
            definition = self._definitions[owner]
            if definition.name in self._texts:
                self._taken[key] = self.scanner.matches(owner, string)
            else:
                match = re.match(definition.pattern.to_regexp(), string)
                self._taken[key] = match is not None and match.group(0) == string
        return self._taken[key]

    def _is_pattern(self, owner: int) -> bool:
        """Whether a terminal is a regular expression to Lark, or more than that."""
        definition = self._definitions[owner]
        return definition.name in self._texts or definition.pattern.type == "re"

    def _order(self, definition: Any) -> tuple[int, int, int, str]:
        """The order in which ``BasicLexer`` tries terminals."""
        special = self._texts.get(definition.name)
        if special is not None:
            return -definition.priority, -special.max_width, -special.length, definition.name
        pattern = definition.pattern
        return -definition.priority, -pattern.max_width, -len(pattern.value), definition.name


def _empty(definition: Any) -> GrammarError:
    return GrammarError(
        Problem(
            f"terminal {definition.name} may be empty: {definition.pattern.value!r}",
            keyword=definition.name,
            remedy='let the rules that use it make it optional, or read the grammar with lexer="exact"',
        )
    )


def _accepted(table: Table) -> Iterable[int]:
    """The terminals of each state's actions, as bits: what Lark's contextual lexer is made for."""
    for shifts, reduces in zip(table.shifts, table.reduces, strict=True):
        mask = sum(1 << terminal for terminal in shifts)
        for _, _, looked_at in reduces:
            mask |= looked_at
        yield mask
