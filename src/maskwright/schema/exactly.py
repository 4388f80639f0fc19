"""Exactly one of several conjunctions holds: ``oneOf`` where its branches overlap.

Written out as a disjunction, each branch with the negations of all others, twenty branches are four hundred parts that
every member splits anew. As one leaf they are a list of residuals: a member moves each of them on, splits only where
branches ask different things of its value, and a branch that it violates is dropped. When one is left it goes on alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Final

from maskwright.schema.residual import FALSE, TRUE, Alternative, Atom, Formula, Formulas, Leaf
from maskwright.schema.value import Value

__all__ = ["Exactly", "exactly_one"]

#: Ways for the branches to agree with a value beyond which those without a value are given up.
_MANY: Final = 4


class Exactly(Leaf):
    """One of the atoms holds and no other; at least two, all different. Built with :func:`exactly_one`."""

    __slots__ = ("rests",)
    is_simple: ClassVar[bool] = False

    def __init__(self, *rests: Atom) -> None:
        """Use :func:`exactly_one`."""
        self.rests = rests

    @property
    def ends(self) -> bool:
        """Whether just one of them may end."""
        return sum(rest.ends for rest in self.rests) == 1

    @property
    def atoms(self) -> Sequence[Atom]:
        """What it is made of."""
        return self.rests

    def alternatives(self, symbol: object, formulas: Formulas) -> Iterable[Alternative]:
        """The ways in which the value of a member can meet some branches and violate the others."""
        moved = [one for one in (rest.derive(symbol) for rest in self.rests) if one is not None]
        ways: list[tuple[Value, tuple[Formula, ...]]] = [(formulas.values.anything, ())]
        for asked in dict.fromkeys([value for value, _ in moved]):
            rests = tuple([rest for value, rest in moved if value is asked])
            if asked is formulas.values.anything:
                ways = [(value, (*met, *rests)) for value, met in ways]
            else:
                ways = list(_split(ways, asked, rests, formulas))
        return [
            (value, formula)
            for value, met in ways
            if (formula := one_of(formulas, met)) is not FALSE and value is not formulas.values.nothing
        ]

    def negate(self, formulas: Formulas) -> Formula:
        """None of them holds, or two do."""
        none = formulas.conjoin([formulas.negate(rest) for rest in self.rests])
        pairs = [(one, other) for place, one in enumerate(self.rests) for other in self.rests[:place]]
        return formulas.disjoin([none, *map(formulas.conjoin, pairs)])

    def branches(self, formulas: Formulas) -> Iterator[Formula]:
        """The disjunction, a branch at a time."""
        for rest in self.rests:
            others = [formulas.negate(other) for other in self.rests if other is not rest]
            yield formulas.conjoin((rest, *others))


def _split(
    ways: list[tuple[Value, tuple[Formula, ...]]], asked: Value, rests: tuple[Formula, ...], formulas: Formulas
) -> Iterator[tuple[Value, tuple[Formula, ...]]]:
    """Each way with a value that meets what some branches ask, and with values that do not."""
    values = formulas.values
    for value, met in ways:
        found = [(values.both(value, asked), (*met, *rests))]
        found.extend((values.both(value, values.opposite(subschema)), met) for subschema in asked.subschemas)
        for way in found:
            if way[0] is not values.nothing and (len(ways) < _MANY or formulas.is_live(way[0])):
                yield way


def one_of(formulas: Formulas, parts: Iterable[Formula]) -> Formula:
    """Exactly one of some formulas holds; those that stand there twice must not hold at all."""
    counts: dict[Formula, int] = {}
    for part in parts:
        if part is not FALSE:
            counts[part] = counts.get(part, 0) + 1
    single = [part for part, count in counts.items() if count == 1]
    refused = [formulas.negate(part) for part, count in counts.items() if count > 1]
    if TRUE in single:
        found = formulas.conjoin([formulas.negate(part) for part in single if part is not TRUE])
    elif len(single) < 2:
        found = single[0] if single else FALSE
    elif all(isinstance(part, Atom) for part in single):
        found = formulas.leaf(Exactly, *single)
    else:
        found = formulas.disjoin(
            [formulas.conjoin((part, *(formulas.negate(p) for p in single if p is not part))) for part in single]
        )
    return formulas.conjoin((found, *refused)) if refused else found


def exactly_one(formulas: Formulas, parts: Sequence[Formula], is_dead: Callable[[Value], bool]) -> Formula:
    """Exactly one of the branches of ``oneOf``; branches that exclude each other at once need no more than ``or``.

    ``is_dead`` tells of the value of a member whether there is none.
    """
    groups: list[list[Formula]] = []
    for part in parts:
        if part is FALSE:
            continue
        meeting = [group for group in groups if any(_overlap(formulas, part, other, is_dead) for other in group)]
        groups = [group for group in groups if group not in meeting]
        groups.append([other for group in meeting for other in group] + [part])
    return formulas.disjoin([one_of(formulas, group) for group in groups])


def _overlap(formulas: Formulas, one: Formula, other: Formula, is_dead: Callable[[Value], bool]) -> bool:
    both = formulas.conjoin((one, other))
    return both is not FALSE and not formulas.is_impossible(both, is_dead)
