"""A Lark grammar read exactly, as ``lexer="exact"`` asks for: its trees become rules without any notation.

A text is accepted if it can be split into terminals somehow: no terminal wins over another, none must take as much as
it can, and priorities, ``?rule``, ``!rule`` and aliases decide nothing. What is ignored may stand before each terminal
and at the end, any number of times. Lark's ``lexer="dynamic_complete"`` is the model: a terminal reads what ``re``
takes for its pattern of its own accord (``lark_first``), and is read alone: a look beyond its edge finds the beginning
or the end of the text. Lark differs in two places: there a look beyond the end sees what follows, and what is ignored
takes all it can.

Repetitions stay repetitions, whatever their number, and groups stay groups: nothing is multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from maskwright.errors import LimitError, Problem
from maskwright.grammar.lark_first import first_match_term
from maskwright.grammar.lark_loader import LoadedGrammar
from maskwright.grammar.lark_templates import Templates
from maskwright.grammar.lark_terms import Special
from maskwright.grammar.lark_trees import bottom_up
from maskwright.grammar.rules import Foreign, Grammar, Reference, Repeat, Rule, Symbol, Text, Token
from maskwright.network.lexeme import EPSILON, NEVER, Term, concatenate, repeat, subtract, unite, words

__all__ = ["exact_grammar"]

_COUNTS: Final = {"?": (0, 1), "*": (0, None), "+": (1, None)}

Alternatives = list[tuple[Symbol, ...]]


def exact_grammar(
    loaded: LoadedGrammar,
    is_empty: Callable[[Term], bool] = lambda _: False,
    warnings: list[Problem] | None = None,
) -> Grammar:
    """The rules of a grammar.

    ``is_empty`` tells whether a text term holds no string; without it the terms are slower and read the same.
    ``warnings`` gets those of terminals that read nothing.

    Raises :class:`GrammarError` for terminals that may be empty and patterns that cannot be read, :class:`LimitError`
    for templates without end. Only what the start rule reaches is looked at.
    """
    return _Reader(loaded, is_empty, [] if warnings is None else warnings).grammar


class _Reader:
    """One grammar on its way; rules are read when something first names them."""

    def __init__(self, loaded: LoadedGrammar, is_empty: Callable[[Term], bool], warnings: list[Problem]) -> None:
        self._loaded, self._is_empty, self._warnings = loaded, is_empty, warnings
        self._templates = Templates(loaded.grammar, loaded.rewritten)
        self._trees = {name: tree for name, (tree, _) in loaded.grammar.term_defs}
        self._rules: list[Rule | None] = []
        self._numbers: dict[str, int] = {}
        self._todo: list[tuple[int, str, Any]] = []
        #: The rule that is read; groups within it are called like it.
        self._name = loaded.start
        self._terminals: dict[object, Symbol] = {}
        self._ignored: Term = EPSILON
        self._ignored_rule: int | None = None
        self._read_ignored(loaded.grammar.ignore)
        first = self._reference(loaded.start)
        while self._todo:
            number, name, tree = self._todo.pop()
            self._name = name
            self._rules[number] = Rule(name, tuple(self._alternatives(tree)), self._place(name))
        start = self._add(loaded.start, [(first, *self._between())])
        rules = tuple(rule for rule in self._rules if rule is not None)
        self.grammar = Grammar(rules, start, loaded.foreign)

    def _place(self, name: str) -> str:
        return self._loaded.rewritten.place(name)

    def _add(self, name: str, alternatives: Alternatives) -> int:
        """A rule that was made up."""
        self._rules.append(Rule(name, tuple(alternatives)))
        return len(self._rules) - 1

    def _reference(self, name: str) -> Symbol:
        """A rule, to be read later if it was not yet."""
        if name not in self._numbers:
            self._numbers[name] = len(self._rules)
            self._todo.append((len(self._rules), name, self._templates.tree(name)))
            self._rules.append(None)
        return Reference(self._numbers[name])

    # --------------------------------------------------------------------------------------------------- terminals

    def _read_ignored(self, names: Sequence[str]) -> None:
        """What may stand between terminals: one term, or a rule if tokens are ignored."""
        symbols = [self._bare(name) for name in dict.fromkeys(names) if self._trees.get(name) is not None]
        terms = [symbol.term for symbol in symbols if isinstance(symbol, Text)]
        if len(terms) == len(symbols):
            self._ignored = repeat(unite(*terms)) if terms else EPSILON
        else:
            self._ignored_rule = self._add("ignored", [(symbol,) for symbol in symbols])
        self._terminals.clear()

    def _between(self) -> tuple[Symbol, ...]:
        """What may stand where a terminal could."""
        if self._ignored_rule is not None:
            return (Repeat(self._ignored_rule, 0, None),)
        return () if self._ignored is EPSILON else (Text(self._ignored),)

    def _after_ignored(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """A terminal after what is ignored; one lexeme if both are text, which leaves nothing to be ambiguous."""
        if isinstance(symbol, Text) and self._ignored_rule is None:
            return (Text(concatenate(self._ignored, symbol.term)),)
        return (*self._between(), symbol)

    def _bare(self, name: str) -> Symbol:
        """A terminal that has a name."""
        if name not in self._terminals:
            self._terminals[name] = self._named(name)
        return self._terminals[name]

    def _named(self, name: str) -> Symbol:
        tree = self._trees.get(name)
        if tree is None:
            return Text(NEVER)
        listed = self._loaded.terminals.listed_words(tree)
        if listed is not None:
            return Text(words(listed))
        pattern = self._loaded.terminals.pattern_of_tree(tree)
        return self._symbol(name, self._loaded.terminals.special(name, pattern, tree), pattern)

    def _literal(self, node: Any) -> Symbol:
        """A string, pattern or range in a rule."""
        terminals = self._loaded.terminals
        pattern = terminals.compiled(lambda: terminals.pattern_of_literal(node), [node])
        if pattern not in self._terminals:
            special = terminals.special("", pattern, None)
            self._terminals[pattern] = self._symbol("", special, pattern)
        return self._terminals[pattern]

    def _symbol(self, name: str, special: Special | None, pattern: Any) -> Symbol:
        if special is None:
            term = self._taken(name, pattern)
            is_nullable = self._loaded.terminals.is_nullable(name, pattern)
        elif special.kind == "foreign":
            return Foreign(special.network)
        else:
            term, is_nullable = special.term, special.is_nullable
        if is_nullable:
            reason = f"the terminal {name or pattern.raw} may be empty"
            raise self._loaded.rewritten.named_fault(
                name or pattern.raw or "", reason, remedy="use ? or * in the rule instead"
            )
        return Text(term) if special is None or special.kind == "text" else Token(term)

    def _taken(self, name: str, pattern: Any) -> Term:
        """What ``re`` takes for a pattern of its own accord: all of its language, for most."""
        term = self._loaded.terminals.pattern_term(name, pattern)
        if pattern.type == "str":
            return term
        taken = first_match_term(pattern.to_regexp(), self._loaded.limits)
        try:
            if self._is_empty(term):
                self._warn(name or pattern.raw)
            return term if self._is_empty(subtract(term, taken)) else taken
        except LimitError:
            return taken

    def _warn(self, name: str) -> None:
        reason = f"{name} reads nothing: a terminal is read alone, and its lookarounds find nothing beside it"
        remedy = 'write what it looks at into the rules, or use lexer="contextual"'
        self._warnings.append(self._loaded.rewritten.problem(name, reason, remedy))

    # ------------------------------------------------------------------------------------------------------- trees

    def _alternatives(self, tree: Any) -> Alternatives:
        """The alternatives of a rule's tree; groups with several become rules of their own."""
        found: dict[int, Alternatives] = {}
        for node in bottom_up(tree, leaves="template_usage"):
            found[id(node)] = self._node(node, [found[id(c)] for c in node.children if id(c) in found])
        return found[id(tree)]

    def _node(self, node: Any, below: list[Alternatives]) -> Alternatives:
        data = node.data
        if data == "expansions":
            return list(dict.fromkeys(alternative for child in below for alternative in child))
        if data == "expansion":
            return [tuple(symbol for child in below for symbol in self._inlined(child))]
        if data in ("literal", "range"):
            return [self._after_ignored(self._literal(node))]
        if data == "value":
            return below[0] if below else [self._named_symbol(node.children[0])]
        if data == "template_usage":
            return [(self._reference(self._templates.instance(node)),)]
        if data == "maybe":
            return [*below[0], ()]
        if data == "expr":
            return self._repeated(below[0], [str(child) for child in node.children[1:]])
        return below[0]  # an alias

    def _inlined(self, alternatives: Alternatives) -> tuple[Symbol, ...]:
        """The symbols of a group within a sequence."""
        if len(alternatives) == 1:
            return alternatives[0]
        return (Reference(self._add(self._name, alternatives)),)

    def _named_symbol(self, symbol: Any) -> tuple[Symbol, ...]:
        if symbol.is_term:
            return self._after_ignored(self._bare(symbol.name))
        return (self._reference(symbol.name),)

    def _repeated(self, inner: Alternatives, operator: list[str]) -> Alternatives:
        least, most = _COUNTS.get(operator[0]) or (int(operator[1]), int(operator[-1]))
        if (least, most) == (0, 1):
            return [*inner, ()]
        match inner:
            case [(Reference(number),)]:
                pass
            case _:
                number = self._add(self._name, inner)
        return [(Repeat(number, least, most),)]
