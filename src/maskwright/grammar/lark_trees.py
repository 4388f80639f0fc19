"""Trees of Lark grammars: walked, measured and freed of templates, all without recursion.

Lark's trees share nodes: a name in a terminal is replaced by the very tree of what it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

__all__ = ["Template", "bottom_up", "count_alternatives", "instantiate"]

#: Alternatives that are more than anybody counts.
_MANY: Final = 1 << 40


def _is_tree(node: Any) -> bool:
    return hasattr(node, "children")


def bottom_up(tree: Any) -> Iterator[Any]:
    """Every node once, children before their parents."""
    stack = [(tree, iter(tree.children))]
    seen = {id(tree)}
    while stack:
        node, rest = stack[-1]
        child = next((child for child in rest if _is_tree(child) and id(child) not in seen), None)
        if child is None:
            yield node
            stack.pop()
        else:
            seen.add(id(child))
            stack.append((child, iter(child.children)))


class Template(NamedTuple):
    """A rule with parameters."""

    parameters: tuple[str, ...]
    tree: Any


def count_alternatives(tree: Any) -> tuple[int, int]:
    """Alternatives of a rule once Lark has multiplied its groups out, and those of the rules that it makes up."""
    counts: dict[int, int] = {}
    made_up = 0
    for node in bottom_up(tree):
        below = [counts[id(child)] for child in node.children if _is_tree(child)]
        if node.data == "expansions":
            count = sum(below)
        elif node.data == "expansion":
            count = 1
            for factor in below:
                count = min(count * factor, _MANY)
        elif node.data == "maybe":
            count = below[0] + 1
        elif node.data == "expr":
            count, more = _repetition(below[0], [str(child) for child in node.children[1:]])
            made_up += more
        else:
            count = below[0] if node.data in ("alias", "value") and below else 1
        counts[id(node)] = min(count, _MANY)
    return counts[id(tree)], min(made_up, _MANY)


def _repetition(count: int, operator: list[str]) -> tuple[int, int]:
    """The alternatives of a repetition and of the rules made for it; Lark writes fewer than 50 times out."""
    if operator[0] == "?":
        return count + 1, 0
    if operator[0] in ("*", "+"):
        return 2, 2 * count
    least, most = int(operator[1]), int(operator[-1])
    if most >= 50:  # noqa: PLR2004  (Lark's own number; then in steps of at most five)
        return 1, min(count**5 * 64, _MANY)
    total = 0
    for times in range(max(least, 0), most + 1):
        total = min(total + count**times, _MANY)
    return total, 0


def instantiate(template: Template, arguments: Mapping[str, Any]) -> Any:
    """The tree of a template with its parameters replaced; what has no parameter in it is shared."""
    lark: Any = import_module("lark")
    made: dict[int, Any] = {}
    for node in bottom_up(template.tree):
        children = [made.get(id(child), child) for child in node.children]
        if node.data == "value" and len(children) == 1 and getattr(children[0], "name", None) in arguments:
            made[id(node)] = arguments[children[0].name]
            continue
        if node.data == "template_usage" and children[0].name in arguments:
            (children[0],) = arguments[children[0].name].children
        if any(new is not old for new, old in zip(children, node.children, strict=True)):
            made[id(node)] = lark.Tree(node.data, children)
    return made.get(id(template.tree), template.tree)
