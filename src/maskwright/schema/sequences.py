"""Whether an array can be completed, by a search through its residuals; and with which elements, if they must differ.

Residuals of arrays are finitely many, so reaching one that may end decides. Where elements must be unique the path
matters too: its elements need *distinct representatives* (Hall 1935), which is decided by augmenting paths among the
elements that have few values; an element with as many values as the path is long can always be another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import Any

from maskwright.network.lexeme import ANY_CHARACTER, ANYTHING
from maskwright.schema.document import equal_key
from maskwright.schema.elements import ElementRest
from maskwright.schema.leaves import Again, Remembering, Repeated, Unique, with_element
from maskwright.schema.negation import Listed, Negation
from maskwright.schema.residual import FALSE, Alternative, Formula, Formulas, Leaf, parts_of
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

    def follow(self, value: Value, rest: Formula) -> Question:
        """Whether an array can be completed after an element that is read next."""
        if self._is_uniform(rest):
            after = next(iter(self._formulas.alternatives(rest, None)), None)
            if self._formulas.ends(rest) or after is None:
                return self._formulas.ends(rest)
            return (yield from self._has_many(after[0], self._least(rest) + (after[0] is value)))
        for remains in self._after(value, rest):
            if (yield from self.complete(remains, (value,))):
                return True
        return False

    def complete(self, formula: Formula, before: tuple[Value, ...] = ()) -> Question:
        """Whether some elements complete an array, apart from values ``before`` them if they must be unique."""
        if not (yield from self._reach(formula)):
            return False
        if not (self.remembers(formula) and self._is_unique(formula)):
            return True
        return (yield from self._reach_distinct(formula, before))

    def _reach(self, formula: Formula) -> Question:
        """Whether a residual that may end can be reached, equal elements or not."""
        done: set[Formula] = {formula}
        stack = [formula]
        while stack:
            here = stack.pop()
            if self._formulas.ends(here):
                return True
            following: list[Formula] = []
            for value, after in self._steps(here):
                if after not in done:
                    live = yield value
                    if live:
                        done.add(after)
                        following.append(after)
            stack.extend(reversed(following))
        return False

    def _reach_distinct(self, formula: Formula, before: tuple[Value, ...]) -> Question:
        """The same with elements that can all be different.

        No residual comes twice on a path: leaving out what is between would leave fewer elements to tell apart.
        """
        path: _Path = None
        for value in before:
            path = (value, path)
        stack: list[tuple[Formula, _Path, frozenset[Formula]]] = [(formula, path, frozenset((formula,)))]
        while stack:
            here, path, passed = stack.pop()
            # Paths grow one by one; asking at powers of two costs no more than twice what asking at the end does.
            is_end, length = self._formulas.ends(here), len(passed) + len(before)
            if (is_end or length & (length - 1) == 0) and not (yield from self._are_distinct(path)):
                continue
            if is_end:
                return True
            for value, after in reversed(list(self._steps(here))):
                if after not in passed:
                    live = yield value
                    if live:
                        stack.append((after, (value, path), passed | {after}))
        return False

    def _steps(self, here: Formula) -> Iterator[Alternative]:
        for value, rest in self._formulas.alternatives(here, None):
            self._stores.budget.spend(1)
            for after in self._after(value, rest):
                yield value, after

    def _after(self, value: Value, rest: Formula) -> tuple[Formula, ...]:
        """What may remain after an element: as it is, or with the element that is to be repeated."""
        if not self.remembers(rest):
            return (rest,)
        again = self._formulas.replaced(rest, partial(self._again, value))
        return (rest,) if again is rest else (again, rest)

    def foreseen(self, formula: Formula) -> Formula:
        """The residual before an element whose predecessor is not known: it allows what any predecessor would."""
        if not self.remembers(formula):
            return formula
        return self._formulas.replaced(formula, self._or_again)

    def _or_again(self, leaf: Leaf) -> Formula:
        again = self._again(self._stores.values.anything, leaf)
        return leaf if again is leaf else self._formulas.disjoin((leaf, again))

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
        for value, count in Counter(values).items():
            if not (yield from self._has_many(value, len(values))):
                members = yield from self._samples.of(value, len(values))
                few.extend([[equal_key(member) for member in members]] * count)
        taken: dict[str, int] = {}
        return all(_augment(few, place, taken) for place in range(len(few)))

    def _has_many(self, value: Value, most: int) -> Generator[Value, bool, bool]:
        """Whether ``most`` values exist; those that were written are taken off a number that does not change."""
        written = [one.of for one in value.subschemas if isinstance(one, Negation) and isinstance(one.of, Listed)]
        if not written:
            return (yield from self._samples.has(value, most))
        seen = set(written)
        base = self._stores.values.of(
            [one for one in value.subschemas if not (isinstance(one, Negation) and one.of in seen)]
        )
        if (yield from self._samples.has(base, most + sum(len(listed.values) for listed in written))):
            return True
        return len((yield from self._samples.of(value, most))) >= most

    def is_endless(self, value: Value) -> bool:
        """Whether a value is a string of any length, but for those that were written."""
        written = {one.of for one in value.subschemas if isinstance(one, Negation) and isinstance(one.of, Listed)}
        kept = [one for one in value.subschemas if not (isinstance(one, Negation) and one.of in written)]
        shape = self._samples.shape(self._stores.values.of(kept))
        if shape.literals or shape.numbers or shape.array is not FALSE or shape.object is not FALSE:
            return False
        string = shape.string
        return string is ANYTHING or (
            string.op == "repeat" and string.args[0] is ANY_CHARACTER and string.args[2] is None
        )

    def _is_uniform(self, rest: Formula) -> bool:
        """Whether all elements to come are alike, apart from being different."""
        return all(
            isinstance(leaf, Unique) or (isinstance(leaf, ElementRest) and leaf.index >= leaf.elements.prefix)
            for leaf in parts_of(rest)
        )

    def refused(self, value: Value, rest: Formula) -> Generator[Value, bool, list[Any]]:
        """The values of an element after which an array of unique elements could not be completed."""
        formulas = self._formulas
        if formulas.ends(rest) or self._is_uniform(rest):
            return []
        needed = self._least(rest)
        members = yield from self._samples.of(value, needed + 1)
        candidates = list(members) if len(members) <= needed else (yield from self._critical(rest, needed))
        bad: dict[str, Any] = {}
        for member in candidates:
            if not (yield from self.complete(with_element(rest, member, formulas))):
                bad[equal_key(member)] = member
        return list(bad.values())

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
