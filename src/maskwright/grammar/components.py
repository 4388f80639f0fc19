"""Strongly connected components of a graph that is asked for, not given."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

__all__ = ["components"]

Node = TypeVar("Node", bound=Hashable)


def components(roots: Iterable[Node], below: Callable[[Node], Iterable[Node]]) -> Iterator[list[Node]]:
    """The components that can be reached, those below first; linear and iterative (Tarjan 1972)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_: dict[Node, None] = {}
    for root in roots:
        work = [(root, iter(below(root)))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                open_[node] = None
            for other in rest:
                if other not in index:
                    work.append((other, iter(below(other))))
                    break
                if other in open_:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[Node] = []
                    while not component or component[-1] != node:
                        component.append(open_.popitem()[0])
                    yield component
