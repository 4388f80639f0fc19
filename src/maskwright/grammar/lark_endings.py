"""The cheapest way to the end of a text, as the LALR parser sees it: which terminal begins it from a stack.

The search for a shortest completion would try every terminal after every terminal: behind ten open brackets it enters
millions of stacks. What a stack costs is known without the text: an item ``A -> a . b`` in its top state costs the
least text of ``b``, and the stack that is left when A is reduced; the least over all items is a shortest path, stack by
stack from the bottom up. Terminals count as long as their shortest match. What must stand between them is not counted,
and conflicts that Lark resolved are not looked at, so this only says where to look first: if the terminal is not one
that can be completed, all are tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

from maskwright.grammar.lark_lr import END, Cell, Stacks, Table

__all__ = ["Endings"]

#: Stacks that are remembered; about 200 bytes each.
_REMEMBERED: Final = 200_000
#: What has no end.
_NEVER: Final = 1 << 60


class _Way(NamedTuple):
    """What a text costs, and the terminal that it begins with; -1 if it is empty."""

    cost: int
    first: int


class _Item(NamedTuple):
    """An item of a state's kernel: symbols before the point, the origin, and what stands behind the point."""

    size: int
    origin: str
    rest: _Way


class Endings:
    """Costs of the stacks of one table."""

    def __init__(
        self, table: Table, stacks: Stacks, rules: Sequence[Any], start: str, widths: Mapping[str, int]
    ) -> None:
        """``widths`` gives the least bytes of terminals by name (1 for those that are missing)."""
        self._table = table
        self._stacks = stacks
        self._numbers = {name: number for number, name in enumerate(table.names)}
        self._terminals = {name: _Way(widths.get(name, 1), number) for name, number in self._numbers.items()}
        self._origins = {rule.origin.name for rule in rules}
        self._rules = [(rule.origin.name, tuple(symbol.name for symbol in rule.expansion)) for rule in rules]
        self._least = self._least_texts()
        self._kernels = self._find_kernels(start)
        self._known: dict[Cell, _Way] = {}

    def first(self, cell: Cell) -> int:
        """The terminal that begins a cheapest way from a stack to the end; END if the text may end, -1 if none."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        todo = [cell]
        while todo:
            at = todo[-1]
            if at in self._known:
                todo.pop()
                continue
            waiting = self._solve(at)
            todo.extend(waiting)
        way = self._known[cell]
        return way.first if way.cost < _NEVER else -1

    # ------------------------------------------------------------------------------------------------------ stacks

    def _solve(self, cell: Cell) -> list[Cell]:
        """Decide a stack and those that differ from it in the top state; or the lower stacks to be decided before."""
        waiting: dict[Cell, None] = {}
        #: Edges between stacks of one height, backwards: (cost, first, stack above the edge).
        before: dict[Cell, list[tuple[_Way, Cell]]] = {}
        found: list[tuple[int, int, Cell, int]] = []
        seen = {cell: None}
        todo = [cell]
        while todo:
            at = todo.pop()
            if at.state == self._table.end:
                found.append((0, len(found), at, END))
            for item in self._kernels[at.state]:
                then = self._stacks.reduce(at, item.size, item.origin)
                if then is None:
                    continue
                if then in self._known:
                    way = _joined(item.rest, self._known[then])
                    found.append((way.cost, len(found), at, way.first))
                elif then.depth == at.depth:
                    before.setdefault(then, []).append((item.rest, at))
                    if then not in seen:
                        seen[then] = None
                        todo.append(then)
                else:
                    waiting[then] = None
        if not waiting:
            self._settle(seen, before, found)
        return list(waiting)

    def _settle(
        self,
        cells: Mapping[Cell, None],
        before: Mapping[Cell, list[tuple[_Way, Cell]]],
        heap: list[tuple[int, int, Cell, int]],
    ) -> None:
        """Dijkstra's algorithm from what leads to the end."""
        heap.sort()
        count = len(heap)
        while heap:
            cost, _, at, first = heappop(heap)
            if at in self._known:
                continue
            self._known[at] = _Way(cost, first)
            for rest, above in before.get(at, ()):
                way = _joined(rest, self._known[at])
                count += 1
                heappush(heap, (way.cost, count, above, way.first))
        for cell in cells:
            self._known.setdefault(cell, _Way(_NEVER, -1))

    # --------------------------------------------------------------------------------------------------- the grammar

    def _least_texts(self) -> dict[str, _Way]:
        """The least text of every rule's origin: Knuth's generalisation of Dijkstra's algorithm (1977)."""
        known = dict(self._terminals)
        missing = [len({name for name in names if name in self._origins}) for _, names in self._rules]
        uses: dict[str, list[int]] = {}
        heap: list[tuple[int, int, str, int]] = []
        for number, (origin, names) in enumerate(self._rules):
            for name in {name for name in names if name in self._origins}:
                uses.setdefault(name, []).append(number)
            if not missing[number]:
                heappush(heap, (*self._sum(names, known)[:1], number, origin, self._sum(names, known).first))
        while heap:
            cost, _, origin, first = heappop(heap)
            if origin in known:
                continue
            known[origin] = _Way(cost, first)
            for number in uses.get(origin, ()):
                missing[number] -= 1
                if not missing[number]:
                    whole = self._sum(self._rules[number][1], known)
                    heappush(heap, (whole.cost, number, self._rules[number][0], whole.first))
        return known

    @staticmethod
    def _sum(names: Sequence[str], known: Mapping[str, _Way]) -> _Way:
        way = _Way(0, -1)
        for name in names:
            way = _joined(way, known.get(name, _Way(_NEVER, -1)))
        return way

    def _find_kernels(self, start: str) -> list[tuple[_Item, ...]]:
        """The items of every state that have something before the point, found along the table's own transitions."""
        by_origin: dict[str, list[int]] = {}
        for number, (origin, _) in enumerate(self._rules):
            by_origin.setdefault(origin, []).append(number)
        kernels: list[frozenset[tuple[int, int]] | None] = [None] * len(self._table.shifts)
        kernels[self._table.start] = frozenset()
        todo = [self._table.start]
        while todo:
            state = todo.pop()
            names = [start] if state == self._table.start else []
            items = list(kernels[state] or ())
            names += [self._rules[rule][1][at] for rule, at in items if at < len(self._rules[rule][1])]
            entered: set[str] = set()
            while names:
                name = names.pop()
                if name in entered or name not in by_origin:
                    continue
                entered.add(name)
                items += [(rule, 0) for rule in by_origin[name]]
                names += [self._rules[rule][1][0] for rule in by_origin[name] if self._rules[rule][1]]
            moved: dict[str, set[tuple[int, int]]] = {}
            for rule, at in items:
                if at < len(self._rules[rule][1]):
                    moved.setdefault(self._rules[rule][1][at], set()).add((rule, at + 1))
            for name, kernel in moved.items():
                then = self._after(state, name)
                if then is not None and kernels[then] is None:
                    kernels[then] = frozenset(kernel)
                    todo.append(then)
        return [tuple(self._item(rule, at) for rule, at in sorted(kernel or ())) for kernel in kernels]

    def _after(self, state: int, name: str) -> int | None:
        if name in self._origins:
            return self._table.gotos[state].get(name)
        return self._table.shifts[state].get(self._numbers.get(name, -1))

    def _item(self, rule: int, at: int) -> _Item:
        origin, names = self._rules[rule]
        return _Item(at, origin, self._sum(names[at:], self._least))


def _joined(one: _Way, then: _Way) -> _Way:
    return _Way(min(one.cost + then.cost, _NEVER), one.first if one.first >= 0 else then.first)
