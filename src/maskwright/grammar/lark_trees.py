"""Trees of Lark grammars: walked and measured, all without recursion.

Lark's trees share nodes: a name in a terminal is replaced by the very tree of what it names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

__all__ = ["bottom_up", "count_alternatives"]

#: Alternatives that are more than anybody counts.
_MANY: Final = 1 << 40


def _is_tree(node: Any) -> bool:
    return hasattr(node, "children")


def bottom_up(tree: Any, *, leaves: str = "") -> Iterator[Any]:
    """Every node once, children before their parents; of ``leaves`` the children are not visited."""
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
            stack.append((child, iter(() if child.data == leaves else child.children)))


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
    if most >= 50:
        return 1, min(count**5 * 64, _MANY)
    total = 0
    for times in range(max(least, 0), most + 1):
        total = min(total + count**times, _MANY)
    return total, 0
