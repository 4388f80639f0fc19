"""What Lark asks of the names in a grammar, asked in linear time; with the places that Lark does not tell.

Lark's own check walks each terminal once for each of its parts: 32 s for a chain of 300.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from maskwright.errors import ConstraintError, GrammarError, Problem
from maskwright.grammar.lark_text import Rewritten
from maskwright.grammar.lark_trees import bottom_up

__all__ = ["checked_grammar"]

#: Rules named in a message.
_NAMED: Final = 8


def checked_grammar(builder: Any, start: str, rewritten: Rewritten, warnings: list[Problem]) -> Any:
    """The ``lark.load_grammar.Grammar`` of a ``GrammarBuilder``, once every name and count in it has a meaning.

    Adds warnings for terminals that are used but only declared: nothing ever reads them.

    Raises :class:`GrammarError` with the place of the name.
    """
    definitions = builder._definitions  # noqa: SLF001  (Lark has no public name for it)
    ignored = builder._ignore_names  # noqa: SLF001
    _Checks(definitions, rewritten, warnings)
    for name in ignored:
        if name not in definitions:
            raise rewritten.named_fault(name, f"the terminal {name} is ignored but not defined")
    _check_start(definitions, start)
    rules, terminals = [], []
    for name, d in definitions.items():
        if d.is_term:
            terminals.append((name, (d.tree, d.options)))
        elif d.tree is not None:
            rules.append((name, d.params, d.tree, d.options))
    return import_module("lark.load_grammar").Grammar(rules, terminals, ignored)


def _check_start(definitions: Mapping[str, Any], start: str) -> None:
    first = definitions.get(start)
    if first is not None and not first.is_term and not first.params and first.tree is not None:
        return
    rules = sorted(name for name, d in definitions.items() if not d.is_term and not d.params)
    known = ", ".join(rules[:_NAMED]) + (", ..." if len(rules) > _NAMED else "")
    remedy = f"there are: {known}" if known else "the grammar has no rules (names in small letters)"
    raise GrammarError(Problem(f"there is no rule {start!r} to start with", keyword="start", remedy=remedy))


class _Checks:
    """All definitions of one grammar."""

    def __init__(self, definitions: Mapping[str, Any], rewritten: Rewritten, warnings: list[Problem]) -> None:
        self._definitions, self._rewritten = definitions, rewritten
        declared: dict[str, None] = {}
        for name, definition in definitions.items():
            if definition.tree is None:
                continue
            self._check_parameters(name, definition.params)
            for node in bottom_up(definition.tree):
                self._check_node(name, node, definition, declared)
            if not definition.is_term:
                self._check_templates(definition)
                self._check_aliases(definition.tree)
        for name in declared:
            reason = f"nothing ever reads {name}: it is only declared"
            warnings.append(rewritten.problem(name, reason, "define it, or write <|name|> for a token"))

    def _check_parameters(self, name: str, params: Sequence[str]) -> None:
        for index, parameter in enumerate(params):
            if parameter in params[:index] or parameter in self._definitions:
                what = "twice" if parameter in params[:index] else "and also a rule"
                raise self._rewritten.named_fault(name, f"{parameter} is a parameter of {name} {what}")

    def _check_node(self, name: str, node: Any, definition: Any, declared: dict[str, None]) -> None:
        if node.data == "expr":
            self._check_count(name, node.children[1:])
        elif node.data == "range":
            self._check_range(name, node.children)
        elif node.data == "template_usage":
            self._check_arguments(name, node, definition.params)
        elif node.data == "alias" and definition.is_term:
            raise self._rewritten.named_fault(name, f"-> stands in the terminal {name}", remedy="use it in a rule")
        if node.data not in ("value", "template_usage") or definition.is_term:
            return
        for child in node.children:
            symbol = getattr(child, "name", None)
            if symbol is None or symbol in definition.params:
                continue
            if symbol not in self._definitions:
                kind = "terminal" if child.is_term else "rule"
                raise self._rewritten.named_fault(symbol, f"the {kind} {symbol} is used in {name} but not defined")
            used = self._definitions[symbol]
            if used.tree is None and not used.is_term:
                raise self._rewritten.named_fault(symbol, f"the rule {symbol} is declared and used but not defined")
            if used.tree is None:
                declared[symbol] = None

    def _check_count(self, name: str, operator: Sequence[Any]) -> None:
        if str(operator[0]) != "~":
            return
        least, most = int(operator[1]), int(operator[-1])
        if least < 0 or most < least:
            reason = f"~{least}..{most} is no range" if len(operator) > 2 else f"~{least} counts nothing"
            raise self._at(name, operator[1], reason, "write ~least..most")

    def _check_range(self, name: str, ends: Sequence[Any]) -> None:
        evaluate = import_module("lark.load_grammar").eval_escaping
        for end in ends:
            try:
                is_single = str(end).endswith('"') and len(evaluate(str(end)[1:-1])) == 1
            except Exception:  # noqa: BLE001  (whatever Lark makes of a broken escape)
                is_single = False
            if not is_single:
                raise self._at(name, end, f"{end} is not one character", 'write a range as "a".."z"')

    def _check_arguments(self, name: str, node: Any, params: Sequence[str]) -> None:
        symbol = node.children[0].name
        if symbol in params or symbol not in self._definitions:
            return
        wanted, given = len(self._definitions[symbol].params), len(node.children) - 1
        if wanted != given:
            raise self._rewritten.named_fault(symbol, f"{symbol} takes {wanted} arguments, not {given} (in {name})")

    def _check_templates(self, definition: Any) -> None:
        """Refuse templates that are used as rules; as arguments of templates they may stand."""
        for node in bottom_up(definition.tree, leaves="template_usage"):
            symbol = getattr(node.children[0], "name", "") if node.data == "value" else ""
            if symbol and symbol not in definition.params and self._definitions[symbol].params:
                raise self._rewritten.named_fault(symbol, f"the template {symbol} is used without arguments")

    def _check_aliases(self, tree: Any) -> None:
        """Refuse aliases within groups, which Lark cannot compile; ``%extend`` nests alternatives without a group."""
        allowed = set()
        todo = [tree]
        while todo:
            node = todo.pop()
            if node.data == "expansions":
                todo.extend(node.children)
            elif node.data == "alias":
                allowed.add(id(node))
        for node in bottom_up(tree):
            if node.data == "alias" and id(node) not in allowed:
                alias = node.children[1].name
                raise self._rewritten.named_fault(alias, f"-> {alias} stands in a group", remedy="make it a rule")

    def _at(self, name: str, token: Any, reason: str, remedy: str) -> ConstraintError:
        """An error at a token, if it is one of the caller's text."""
        start = getattr(token, "start_pos", None)
        if start is None or not self._rewritten.text.startswith(str(token), start):
            return self._rewritten.named_fault(name, reason, remedy=remedy)
        first = self._rewritten.offset(start)
        return self._rewritten.fault((first, first + len(token)), reason, remedy=remedy)
