"""Whether an array can be completed, by a search through its residuals; and with which elements, if they must differ.

Residuals of arrays are finitely many, so reaching one that may end decides. Where elements must be unique the path
matters too: its elements need *distinct representatives* (Hall 1935), which is decided by augmenting paths among the
elements that have few values; an element with as many values as the path is long can always be another one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any

from maskwright.schema.document import equal_key
from maskwright.schema.leaves import Again, Remembering, Repeated, Unique, with_element
from maskwright.schema.residual import Alternative, Formula, Formulas, Leaf
from maskwright.schema.samples import Samples
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["Sequences"]

Question = Generator[Value, bool, bool]
#: Elements that are still to come, last first.
_Path = tuple[Value, "_Path"] | None


class Sequences:
    """The questions about the arrays of one network."""

    def __init__(self, stores: Stores, samples: Samples) -> None:
        """``samples`` list the values of elements that have few."""
        self._stores = stores
        self._formulas: Formulas = stores.formulas
        self._samples = samples
        self._remembers: dict[Formula, bool] = {}

    def remembers(self, formula: Formula) -> bool:
        """Whether what may follow depends on the elements that were written."""
        found = self._remembers.get(formula)
        if found is None:
            found = self._remembers[formula] = any(
                isinstance(leaf, Remembering) for leaf in self._formulas.leaves(formula)
            )
        return found

    def _is_unique(self, formula: Formula) -> bool:
        return any(isinstance(leaf, Unique) for leaf in self._formulas.leaves(formula))

    def complete(self, formula: Formula, before: tuple[Value, ...] = ()) -> Question:
        """Whether some elements complete an array, apart from values ``before`` them if they must be unique."""
        formulas, spend = self._formulas, self._stores.budget.spend
        unique = self.remembers(formula) and self._is_unique(formula)
        done: set[Formula] = {formula}
        path: _Path = None
        for value in before:
            path = (value, path)
        stack: list[tuple[Formula, _Path]] = [(formula, path)]
        while stack:
            here, path = stack.pop()
            if formulas.ends(here) and (not unique or (yield from self._are_distinct(path))):
                return True
            if unique and not (yield from self._are_distinct(path)):
                continue
            following: list[tuple[Formula, _Path]] = []
            for value, rest in formulas.alternatives(here, None):
                spend(1)
                for after in self._after(value, rest):
                    if unique or after not in done:
                        live = yield value
                        if live:
                            done.add(after)
                            following.append((after, (value, path) if unique else None))
            stack.extend(reversed(following))
        return False

    def _after(self, value: Value, rest: Formula) -> tuple[Formula, ...]:
        """What may remain after an element: as it is, or with the element that is to be repeated."""
        if not self.remembers(rest):
            return (rest,)
        again = self._formulas.replaced(rest, partial(self._again, value))
        return (rest,) if again is rest else (again, rest)

    def _again(self, value: Value, leaf: Leaf) -> Formula:
        """What asks for an element that equals any other one, if the one that is just read shall be that."""
        return self._formulas.leaf(Again, value) if isinstance(leaf, Repeated) else leaf

    def _are_distinct(self, path: _Path) -> Question:
        """Whether the elements of a path can all be different."""
        values: list[Value] = []
        while path is not None:
            values.append(path[0])
            path = path[1]
        return (yield from self._have_representatives(values))

    def _have_representatives(self, values: Sequence[Value]) -> Question:
        few: list[list[str]] = []
        for value in values:
            members = yield from self._samples.of(value, len(values))
            if len(members) < len(values):
                few.append([equal_key(member) for member in members])
        taken: dict[str, int] = {}
        return all(_augment(few, place, taken) for place in range(len(few)))

    def refused(self, value: Value, rest: Formula) -> Generator[Value, bool, list[Any]]:
        """The values of an element after which an array of unique elements could not be completed."""
        formulas = self._formulas
        if formulas.ends(rest):
            return []
        needed = self._least(rest)
        members = yield from self._samples.of(value, needed + 1)
        bad: list[Any] = []
        candidates = list(members) if len(members) <= needed else (yield from self._critical(rest, needed))
        for member in candidates:
            if not (yield from self.complete(with_element(rest, member, formulas))):
                bad.append(member)
        return bad

    def _least(self, rest: Formula) -> int:
        """How many elements must come at least; 0 if that does not show."""
        least = [getattr(leaf, "least", 0) for leaf in self._formulas.leaves(rest)]
        return max(least, default=0)

    def _critical(self, rest: Formula, needed: int) -> Generator[Value, bool, list[Any]]:
        """The values of later elements that have few."""
        found: dict[str, Any] = {}
        here = rest
        for _ in range(needed):
            alternatives: Sequence[Alternative] = self._formulas.alternatives(here, None)
            if not alternatives:
                break
            for value, _ in alternatives:
                members = yield from self._samples.of(value, needed + 1)
                if len(members) <= needed:
                    found.update({equal_key(member): member for member in members})
            following = alternatives[0][1]
            if following is here:
                break
            here = following
        return list(found.values())


def _augment(few: Sequence[Sequence[str]], place: int, taken: dict[str, int]) -> bool:
    """Give an element a value of its own, moving others if need be (Kuhn 1955); iterative."""
    came_from: dict[str, tuple[int, str | None]] = {}
    queue: list[tuple[int, str | None]] = [(place, None)]
    while queue:
        element, via = queue.pop()
        for value in few[element]:
            if value in came_from:
                continue
            came_from[value] = (element, via)
            owner = taken.get(value)
            if owner is None:
                step: str | None = value
                while step is not None:
                    element, previous = came_from[step]
                    taken[step] = element
                    step = previous
                return True
            queue.append((owner, value))
    return False
