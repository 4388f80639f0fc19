"""Templates of Lark grammars: rules with parameters, and the rules that are made of them and their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from maskwright.errors import LimitError
from maskwright.grammar.lark_text import Rewritten
from maskwright.grammar.lark_trees import bottom_up

__all__ = ["Templates"]

#: Rules made of templates. A template may use itself with ever larger arguments, and Lark would never return.
_INSTANCES: Final = 4_000


class Templates:
    """The rules of one grammar, and those that its templates become; equal arguments make one rule."""

    def __init__(self, grammar: Any, rewritten: Rewritten) -> None:
        """``grammar`` is a ``lark.load_grammar.Grammar``."""
        self._rewritten = rewritten
        self._definitions = {name: (params, tree) for name, params, tree, _ in grammar.rule_defs}
        self._made: dict[tuple[object, ...], str] = {}

    def tree(self, name: str) -> Any:
        """The tree of a rule, or of one that :meth:`instance` has made."""
        parameters, tree = self._definitions[name]
        if parameters:
            raise self._rewritten.named_fault(name, f"the template {name} is used without arguments")
        return tree

    def rules(self) -> list[str]:
        """The names of all rules that are no templates."""
        return [name for name, (parameters, _) in self._definitions.items() if not parameters]

    def instance(self, usage: Any) -> str:
        """The name of the rule that a ``template_usage`` stands for; made if it is new.

        Raises :class:`LimitError` for more than 4,000. Arguments that are templates themselves become rules first, so
        the recursion is as deep as what the text nests, and no argument grows.
        """
        name = usage.children[0].name
        arguments = [self._argument(child) for child in usage.children[1:]]
        key = (name, *(key for key, _ in arguments))
        if key not in self._made:
            if len(self._made) >= _INSTANCES:
                reason = f"the template {name} is used with more than {_INSTANCES} different arguments"
                remedy = "a template may not use itself with ever larger arguments"
                raise self._rewritten.named_fault(name, reason, remedy=remedy, error=LimitError)
            parameters, tree = self._definitions[name]
            if len(parameters) != len(arguments):
                reason = f"{name} takes {len(parameters)} arguments, not {len(arguments)}"
                raise self._rewritten.named_fault(name, reason)
            replaced = dict(zip(parameters, (argument for _, argument in arguments), strict=True))
            made = f"{name}{{{len(self._made)}}}"
            self._made[key] = made
            self._definitions[made] = ((), _replaced(tree, replaced))
        return self._made[key]

    def _argument(self, node: Any) -> tuple[object, Any]:
        """What tells an argument from others, and its tree."""
        (child,) = node.children
        if hasattr(child, "name"):
            return child.name, node
        if child.data == "template_usage":
            made = self.instance(child)
            return made, import_module("lark").Tree("value", [import_module("lark.grammar").NonTerminal(made)])
        return (child.data, *map(str, child.children)), node


def _replaced(tree: Any, arguments: Mapping[str, Any]) -> Any:
    """A tree with its parameters replaced; what has no parameter in it is shared."""
    make = import_module("lark").Tree
    made: dict[int, Any] = {}
    for node in bottom_up(tree):
        children = [made.get(id(child), child) for child in node.children]
        if node.data == "value" and len(children) == 1 and getattr(children[0], "name", None) in arguments:
            made[id(node)] = arguments[children[0].name]
            continue
        if node.data == "template_usage" and children[0].name in arguments:
            (children[0],) = arguments[children[0].name].children
        if any(new is not old for new, old in zip(children, node.children, strict=True)):
            made[id(node)] = make(node.data, children)
    return made.get(id(tree), tree)
