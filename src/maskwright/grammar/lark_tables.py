"""From what Lark has compiled to our tables: LALR actions, and lexers in Lark's own order.

Terminals are sorted and keywords found as ``BasicLexer`` and ``_create_unless`` of ``lark.lexer`` do; what ``re`` would
take of a keyword is asked of the scanner, which needs linear time.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any, Final

from maskwright.errors import GrammarError, Problem
from maskwright.grammar.lark_conflicts import are_harmless
from maskwright.grammar.lark_lalr import Collision, Lalr, Production
from maskwright.grammar.lark_loader import CompiledRules
from maskwright.grammar.lark_lr import END, Table
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
    """The LALR table for a start rule, conflicts resolved as Lark resolves them.

    Raises:
        GrammarError: Lark refuses the grammar for its LALR parser; exact reading may still take it.
    """
    names: dict[str, int] = {_END: END} | {terminal.name: place for place, terminal in enumerate(compiled.terminals, 1)}
    origins: dict[str, int] = {}
    for rule in compiled.rules:
        origins.setdefault(rule.origin.name, -1 - len(origins))

    def number(symbol: Any) -> int:
        if symbol.is_term:
            return names.setdefault(symbol.name, len(names))
        if symbol.name not in origins:
            raise GrammarError(Problem(f"the rule {symbol.name} is not defined", keyword=symbol.name))
        return origins[symbol.name]

    productions = [
        Production(origins[rule.origin.name], tuple(map(number, rule.expansion)), rule.options.priority or 0)
        for rule in compiled.rules
    ]
    if len({production[:2] for production in productions}) < len(productions):
        raise GrammarError(Problem("two alternatives of a rule are the same", remedy="remove one of them"))
    lalr = Lalr([*productions, Production(-1 - len(origins), (origins[start],), 0)])
    try:
        actions = lalr.actions()
    except Collision as error:
        raise _collision(compiled, error, list(names)) from error
    titles = {origin: name for name, origin in origins.items()}
    reduces = [
        [
            (len(lalr.productions[rule].symbols), titles[lalr.productions[rule].origin], mask)
            for rule, mask in reduced.items()
        ]
        for reduced in actions
    ]
    shifts = [{symbol: then for symbol, then in moves.items() if symbol >= 0} for moves in lalr.moves]
    gotos = [{titles[symbol]: then for symbol, then in moves.items() if symbol < 0} for moves in lalr.moves]
    table = Table(tuple(names), shifts, reduces, gotos, 0, lalr.end)
    has_conflicts = any(
        mask & ~reduced.get(rule, 0)
        for lookaheads, reduced in zip(lalr.lookaheads, actions, strict=True)
        for rule, mask in lookaheads.items()
    )
    is_clean = _all_productive(compiled.rules) and (not has_conflicts or are_harmless(lalr, actions))
    return Tables(table, is_clean=is_clean)


def _collision(compiled: CompiledRules, error: Collision, names: Sequence[str]) -> GrammarError:
    shown = " and ".join(
        f"{rule.origin.name}: {' '.join(symbol.name for symbol in rule.expansion)}"
        for rule in (compiled.rules[number] for number in error.rules)
    )
    name = names[error.terminal]
    seen = "the end of the text" if name == _END else compiled.titles.get(name, name)
    return GrammarError(
        Problem(
            f"Lark's LALR parser refuses the grammar: before {seen} it cannot choose between the rules {shown}",
            keyword="lalr",
            remedy='give one of them a higher priority, or read the grammar with lexer="exact"',
        )
    )


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
            self._taken[key] = self.scanner.matches(owner, self._definitions[text].pattern.value)
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
