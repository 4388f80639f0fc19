"""Whether an object exists that meets one conjunction and violates others.

An object violates a conjunction by lacking a required member, by having too few or too many members, or by one member
whose value some subschema refuses. So each conjunction needs one *witness*, and witnesses restrict names one by one:
a name is absent, or present with further subschemas. The search goes through the witnesses depth first with a stack
of its own; it never looks at the order of members, since names may be written in the order in which they are free.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import NamedTuple

from maskwright.network.lexeme import ANYTHING
from maskwright.schema.counting import count_words
from maskwright.schema.members import Cell, MemberRest, Members
from maskwright.schema.order import Free
from maskwright.schema.residual import FALSE
from maskwright.schema.seen import Seen, keys_of, without
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["Known", "Witnesses"]

Question = Generator[Value, bool, bool]


#: Whether something that meets one conjunction can violate another one, by the frame and the names that are free.
Known = dict[tuple[Members, Free, MemberRest, MemberRest], bool]


class _Choice(NamedTuple):
    """What the witnesses so far ask of the members to come."""

    absent: frozenset[str]
    #: Present names with the values that they take.
    present: tuple[tuple[str, Value], ...]
    #: Keys that no schema names, each of its own, with their values.
    unnamed: tuple[tuple[Cell, Value], ...]
    least: int
    most: int | None


class Witnesses:
    """The search for one state of an object."""

    def __init__(self, stores: Stores, known: Known, frame: Members, free: Free, seen: Seen) -> None:
        """Members may come under the names of ``free`` and under unnamed keys that were not ``seen``.

        ``known`` keeps answers between searches.
        """
        self._known = known
        #: By conjunction that is met: what was asked of each violation, ``None`` if nothing completes it anyway.
        self._asked: dict[MemberRest, dict[MemberRest, bool] | None] = {}
        self._places = free
        self._stores = stores
        self._values = stores.values
        self._frame = frame
        self._names = [frame.names[place] for place in stores.order.places(frame, free)]
        self._free = frozenset(self._names)
        self._seen = seen

    def exist(self, met: MemberRest, violated: list[MemberRest], *, is_whole: bool) -> Question:
        """Whether some completion meets one conjunction and violates all others.

        Of what is not the whole conjunction only each violation alone is asked.
        """
        begin = _Choice(frozenset(), (), (), met.least, met.most)
        if met not in self._asked:
            possible = self._free.issuperset(met.required_names) and (yield from self._is_possible(met, begin))
            possible = possible and (yield from self._completes(met, begin))
            self._asked[met] = {} if possible else None
        asked = self._asked[met]
        if asked is None:
            return False
        if met.least <= len(met.required_names) and all(self._can_be_lacking(met, rest) for rest in violated):
            return True
        for rest in violated:
            if rest not in asked and not (yield from self._may_violate(met, rest, begin, asked)):
                return False
        if not is_whole:
            return True
        # What leaves few ways is decided first: a choice that spoils it is then not made in vain again and again.
        open_ = [rest for rest in violated if asked[rest]]
        open_.sort(key=lambda rest: rest.required.bit_count() + len(rest.members.names))
        return (yield from self._search(met, open_, begin))

    def _can_be_lacking(self, met: MemberRest, rest: MemberRest) -> bool:
        """Whether a conjunction is violated by a name that does not come and that need not come."""
        if not self._free.issuperset(rest.required_names):
            return True
        present = met.required_names
        return any(name not in present for name in rest.required_names)

    def _may_violate(
        self, met: MemberRest, rest: MemberRest, begin: _Choice, asked: dict[MemberRest, bool]
    ) -> Question:
        """Whether one conjunction alone can be violated; notes in ``asked`` whether a choice must see to it."""
        # What needs a name that can no longer come is violated whatever follows.
        if not self._free.issuperset(rest.required_names):
            asked[rest] = False
        elif (yield from self._is_violable(met, rest, begin)):
            asked[rest] = True
        elif (yield from self._exclude(met, rest)):
            asked[rest] = False
        else:
            return False
        return True

    def _exclude(self, met: MemberRest, rest: MemberRest) -> Question:
        """Whether it shows from required members that what meets one conjunction violates the other."""
        both = met.meet(rest)
        if not isinstance(both, MemberRest):
            return both is FALSE
        for value in both.needs():
            live = yield value
            if not live:
                return True
        return False

    def _is_violable(self, met: MemberRest, rest: MemberRest, begin: _Choice) -> Question:
        """Whether one conjunction alone can be violated, which is asked first: most that fails, fails here."""
        key = (self._frame, self._places, met, rest)
        found = self._known.get(key)
        if found is None:
            found = False
            for choice in self._violations(met, rest, begin):
                self._stores.budget.spend(1)
                if (yield from self._is_possible(met, choice)):
                    found = True
                    break
            self._known[key] = found
        return found

    def _search(self, met: MemberRest, violated: list[MemberRest], begin: _Choice) -> Question:
        stack: list[tuple[int, Iterator[_Choice]]] = [(0, iter([begin]))]
        while stack:
            depth, choices = stack[-1]
            choice = next(choices, None)
            if choice is None:
                stack.pop()
                continue
            self._stores.budget.spend(1)
            if not (yield from self._is_possible(met, choice)):
                continue
            if depth < len(violated):
                stack.append((depth + 1, self._violations(met, violated[depth], choice)))
            elif (yield from self._completes(met, choice)):
                return True
        return False

    def _violations(self, met: MemberRest, rest: MemberRest, choice: _Choice) -> Iterator[_Choice]:
        """The choices by which a conjunction is violated, those that ask least first."""
        present = dict(choice.present)
        required = frozenset(met.required_names)
        for name in rest.required_names:
            if name in choice.absent:
                yield choice
            elif name not in required and name not in present:
                yield choice._replace(absent=choice.absent | {name})
        if rest.least > 0:
            yield choice._replace(most=rest.least - 1 if choice.most is None else min(choice.most, rest.least - 1))
        if rest.most is not None:
            yield choice._replace(least=max(choice.least, rest.most + 1))
        for name in self._names:
            if name in choice.absent:
                continue
            given = present.get(name) or met.members.value(name)
            for value in self._refusing(rest.members.value(name), given):
                yield choice._replace(present=(*((n, v) for n, v in choice.present if n != name), (name, value)))
        if not met.members.sealed:
            yield from self._unnamed(met, rest, choice)

    def _unnamed(self, met: MemberRest, rest: MemberRest, choice: _Choice) -> Iterator[_Choice]:
        """The choices by which a key that no schema names violates a conjunction."""
        for cell in self._frame.cells:
            refused = self._values.nothing if rest.members.sealed else rest.members.value(cell)
            for place, (other, value) in enumerate(choice.unnamed):
                if other is cell:
                    for narrower in self._refusing(refused, value):
                        yield choice._replace(
                            unnamed=(*choice.unnamed[:place], (cell, narrower), *choice.unnamed[place + 1 :])
                        )
            for value in self._refusing(refused, met.members.value(cell)):
                yield choice._replace(unnamed=(*choice.unnamed, (cell, value)))

    def _refusing(self, refused: Value, given: Value) -> Iterator[Value]:
        """The values that ``given`` takes where ``refused`` does not hold."""
        if refused is self._values.nothing:
            yield given
        for subschema in refused.subschemas:
            yield self._values.both(given, self._values.opposite(subschema))

    def _is_possible(self, met: MemberRest, choice: _Choice) -> Question:
        """Whether the members that are chosen have values and are not too many."""
        needed = frozenset(met.required_names).union([name for name, _ in choice.present])
        count = len(needed) + len(choice.unnamed)
        if choice.most is not None and (count > choice.most or choice.least > choice.most):
            return False
        for _, value in (*choice.present, *choice.unnamed):
            live = yield value
            if not live:
                return False
        return True

    def _completes(self, met: MemberRest, choice: _Choice) -> Question:
        """Whether the required members and enough others exist beside the chosen ones."""
        chosen = {name for name, _ in choice.present}
        for name in met.required_names:
            if name not in chosen:
                live = yield met.members.value(name)
                if not live:
                    return False
        chosen.update(met.required_names)
        missing = choice.least - len(chosen) - len(choice.unnamed)
        for name in self._names:
            if missing <= 0:
                break
            if name not in chosen and name not in choice.absent:
                live = yield met.members.value(name)
                missing -= live
        return (yield from self._has_keys(met.members, choice, missing))

    def _has_keys(self, members: Members, choice: _Choice, missing: int) -> Question:
        """Whether as many unnamed keys exist as are chosen, and so many more."""
        for cell in self._frame.cells:
            used = sum(1 for other, _ in choice.unnamed if other is cell)
            if not used and missing <= 0:
                continue
            live = used > 0
            if not members.sealed and not live:
                live = yield members.value(cell)
            if not live:
                continue
            if cell.term is ANYTHING:
                missing = 0
                continue
            more = yield members.value(cell)
            wanted = used + (max(missing, 0) if more else 0)
            found = self._count(cell, wanted)
            if found < used:
                return False
            missing -= found - used
        return missing <= 0

    def _count(self, cell: Cell, most: int) -> int:
        stores = self._stores
        term = without(cell.term, self._frame.names, keys_of(self._seen, cell))
        return count_words(term, most, stores.is_empty, stores.limits.satisfiability_steps)
