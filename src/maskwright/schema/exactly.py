"""Exactly one of several conjunctions holds: ``oneOf`` where its branches overlap.

Written out as a disjunction, each branch with the negations of all others, twenty branches are four hundred parts that
every member splits anew. As one leaf they are a list of residuals: a member moves each of them on, splits only where
branches ask different things of its value, and a branch that it violates is dropped. When one is left it goes on alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import ClassVar, Final, cast

from maskwright.network.lexeme import NEVER
from maskwright.schema.members import MemberRest
from maskwright.schema.number_sets import NumberLiteral
from maskwright.schema.residual import FALSE, TRUE, Alternative, Atom, Formula, Formulas, Leaf, parts_of
from maskwright.schema.value import Value

__all__ = ["Exactly", "exactly_one"]

#: Ways for the branches to agree with a value beyond which those without a value are given up.
_MANY: Final = 4
#: Atoms of which is kept what a leaf is beside them.
_KEPT: Final = 256


class Exactly(Leaf):
    """One of the atoms holds and no other; at least two, all different. Built with :func:`exactly_one`."""

    __slots__ = ("_spoken", "_within", "rests")
    is_simple: ClassVar[bool] = False

    def __init__(self, *rests: Atom) -> None:
        """Use :func:`exactly_one`."""
        self.rests = rests
        #: ``False`` until it was asked for.
        self._spoken: frozenset[str] | bool | None = False
        #: What it is beside an atom, if that makes branches exclude each other.
        self._within: dict[Atom, Formula | None] = {}

    @property
    def ends(self) -> bool:
        """Whether just one of them may end."""
        return sum(rest.ends for rest in self.rests) == 1

    @property
    def atoms(self) -> Sequence[Atom]:
        """What it is made of."""
        return self.rests

    @property
    def spoken(self) -> frozenset[str] | None:
        """Those of all atoms."""
        if self._spoken is False:
            names = [rest.spoken for rest in self.rests]
            self._spoken = None if None in names else frozenset().union(*(own for own in names if own is not None))
        return self._spoken  # type: ignore[return-value]

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

    def within(self, atom: Atom, formulas: Formulas) -> Formula | None:
        """The branches with an atom in each, if it requires a member of which they have different constants."""
        if not isinstance(atom, MemberRest) or not atom.required:
            return None
        if atom not in self._within:
            if len(self._within) >= _KEPT:
                self._within.clear()
            self._within[atom] = self._narrowed(atom, formulas)
        return self._within[atom]

    def _narrowed(self, atom: MemberRest, formulas: Formulas) -> Formula | None:
        names = atom.required_names
        tags = Counter(name for rest in self.rests for name in _tags(rest, formulas.is_dead, names))
        if max(tags.values(), default=0) < 2:
            return None
        groups = _groups(formulas, [part for rest in self.rests if (part := atom.meet(rest)) is not FALSE])
        return formulas.disjoin([one_of(formulas, group) for group in groups]) if len(groups) > 1 else None

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


def exactly_one(formulas: Formulas, parts: Sequence[Formula]) -> Formula:
    """Exactly one of the branches of ``oneOf``; branches that exclude each other at once need no more than ``or``."""
    groups = _groups(formulas, [part for part in parts if part is not FALSE])
    return formulas.disjoin([one_of(formulas, group) for group in groups])


def _groups(formulas: Formulas, parts: Sequence[Formula]) -> list[list[Formula]]:
    """Branches that may overlap with each other, or with others that do."""
    group_of: dict[int, list[int]] = {}
    for place, others in enumerate(_candidates(parts, formulas.is_dead)):
        group = group_of[place] = [place]
        for other in others:
            if group_of[other] is not group and _overlap(formulas, parts[place], parts[other]):
                group[:0] = group_of[other]
                group_of.update(dict.fromkeys(group_of[other], group))
    groups = {id(group): group for group in group_of.values()}
    return [[parts[place] for place in group] for group in groups.values()]


def _candidates(parts: Sequence[Formula], is_dead: Callable[[Value], bool]) -> Iterator[Iterable[int]]:
    """For each branch those before it that it may overlap: all, but for the constants of a member that most require."""
    tags = [_tags(part, is_dead) for part in parts]
    names = Counter(name for one in tags for name in one)
    tag = max(names, key=names.__getitem__, default="")
    untagged: list[int] = []
    by_constant: dict[Hashable, list[int]] = {}
    for place, one in enumerate(tags):
        if tag not in one:
            yield range(place)
            untagged.append(place)
            continue
        constants = one[tag]
        yield dict.fromkeys([*untagged, *(other for key in constants for other in by_constant.get(key, ()))])
        for key in constants:
            by_constant.setdefault(key, []).append(place)


def _tags(
    part: Formula, is_dead: Callable[[Value], bool], names: Sequence[str] | None = None
) -> dict[str, frozenset[Hashable]]:
    """Members that have few values, with those: required ones, or those of some names."""
    found: dict[str, frozenset[Hashable]] = {}
    for atom in parts_of(part):
        if isinstance(atom, MemberRest):
            for name in atom.required_names if names is None else names:
                value = atom.members.value(name)
                if not is_dead(value) and (constants := _constants(value)) is not None:
                    found[name] = constants
    return found


def _constants(value: Value) -> frozenset[Hashable] | None:
    """The values of a value that was read, if they are listed scalars."""
    shape = value.shape
    if shape is None or shape.array is not FALSE or shape.object is not FALSE:
        return None
    literals = [number for number in shape.numbers if isinstance(number, NumberLiteral)]
    if len(literals) < len(shape.numbers) or (shape.string is not NEVER and shape.string.op != "words"):
        return None
    texts = () if shape.string is NEVER else cast("tuple[str, ...]", shape.string.args[0])
    bits = [bit for bit in (1, 2, 4) if shape.literals & bit]
    return frozenset([*texts, *bits, *((number.value,) for number in literals)])


def _overlap(formulas: Formulas, one: Formula, other: Formula) -> bool:
    both = formulas.conjoin((one, other))
    return both is not FALSE and not formulas.is_impossible(both)
