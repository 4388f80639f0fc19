"""Bounds: states whose counters are far from their ends, replaced by ones that count no more.

One token cannot use up a counter that allows more characters than the longest token has, so for a mask ``.{0,445}`` is
``.*``, and strings of every length share the states, rows and masks of the endless loop. An intersection with a bound
on the length may also forget it, if from everywhere in the rest an end is so near that the bound cannot come between.
"""

from __future__ import annotations

from maskwright.kernel.expressions import AND, BODY, CAT, CHARS, OR, RAW, REPEAT, Expressions
from maskwright.kernel.moves import Moves

__all__ = ["Bounds"]

#: Expressions that are explored to see how far the nearest end can be; beyond, a bound is kept.
EXPLORED = 300


class Bounds:
    """Expressions without far bounds, over one arena and for tokens of at most ``longest`` characters."""

    def __init__(self, expressions: Expressions, moves: Moves, longest: int) -> None:
        """Start with nothing simplified."""
        self.expressions = expressions
        self.moves = moves
        self.longest = longest
        #: ``known[x]``: what x is for a mask.
        self.known: dict[int, int] = {}
        #: ``distance[x]``: the farthest that the nearest end can be from any derivative of x; -1 if too many to tell.
        self.distance: dict[int, int] = {}

    def forget(self, x: int) -> int:
        """The expression that a mask may take for x: it reads and refuses the same tokens."""
        found = self.known.get(x)
        if found is None:
            found = self.known[x] = self._forget(x)
        return found

    def _forget(self, x: int) -> int:
        e = self.expressions
        kind = e.kind[x]
        if kind == BODY:
            return e.body(self.forget(e.first[x]), e.second[x])
        if kind == RAW:
            return e.raw(self.forget(e.first[x]))
        if kind == CAT:
            return self._forget_cat(x)
        if kind == OR:
            return e.unite([self.forget(part) for part in e.parts[x]])  # type: ignore[arg-type]
        if kind == REPEAT and e.kind[e.first[x]] == CHARS:
            return self._forget_counter(x)
        return self._forget_length(x) if kind == AND else x

    def _forget_cat(self, x: int) -> int:
        e = self.expressions
        heads = []
        while e.kind[x] == CAT:
            heads.append(self.forget(e.first[x]))
            x = e.second[x]
        rest = self.forget(x)
        for head in reversed(heads):
            rest = e.cat(head, rest)
        return rest

    def _forget_counter(self, x: int) -> int:
        e = self.expressions
        least, most = e.second[x], e.third[x]
        if most >= self.longest:
            most = -1
        return e.repeat(e.first[x], min(least, self.longest + 1) if most < 0 else least, most)

    def _forget_length(self, x: int) -> int:
        """Without the upper bounds of an intersection, if its ends are near enough."""
        e = self.expressions
        parts: list[int] = list(e.parts[x])  # type: ignore[arg-type]
        bound = -1
        for i, part in enumerate(parts):
            if e.kind[part] == REPEAT and e.kind[e.first[part]] == CHARS and e.third[part] >= 0:
                bound = e.third[part] if bound < 0 else min(bound, e.third[part])
                parts[i] = e.repeat(e.first[part], e.second[part], -1)
        if bound < self.longest:
            return x
        free = e.intersect(parts)
        far = self._distance(free)
        return free if 0 <= far <= bound - self.longest else x

    def _distance(self, x: int) -> int:
        found = self.distance.get(x)
        if found is None:
            found = self.distance[x] = self._explore(x)
        return found

    def _explore(self, x: int) -> int:
        """Breadth first over all derivatives, then backwards from those that may end."""
        order = [x]
        before: dict[int, list[int]] = {x: []}
        for at in order:
            for _, _, then in self.moves.of(at):
                if then not in before:
                    before[then] = []
                    order.append(then)
                before[then].append(at)
            if len(order) > EXPLORED:
                return -1
        near = {at: 0 for at in order if self.expressions.nullable[at]}
        wave = list(near)
        steps = 0
        while wave:
            steps += 1
            fresh = {one for at in wave for one in before[at] if one not in near}
            near.update(dict.fromkeys(fresh, steps))
            wave = list(fresh)
        return max(near.values(), default=-1) if len(near) == len(order) else -1
