"""Arrays and objects that differ from each of some constants, as one leaf.

A negation for each constant would be right as well, but ``n`` of them split a member into ``2 ** n`` combinations of
which ``n + 1`` have a value. The leaf goes along the constants as along a trie: a member leads on to those that it
agrees with, and once it agrees with none nothing more is asked. Members that lead on to the same are one alternative.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from maskwright.schema.document import equal_key
from maskwright.schema.negation import Listed
from maskwright.schema.residual import TRUE, Alternative, Formula, Formulas, Joining
from maskwright.schema.value import Values

__all__ = ["Constant", "Differs", "differing"]


class Constant:
    """An array or object, or what is left of one; equal if the JSON is."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        """``value`` as :func:`maskwright.schema.document.read_value` gives it."""
        self.value = value
        self.key = equal_key(value)

    def __eq__(self, other: object) -> bool:
        """Equal JSON."""
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self) -> int:
        """By the key."""
        return hash(self.key)

    def part(self, symbol: object) -> tuple[Any, Constant] | None:
        """The member under a key or the first element, and what is left; ``None`` if there is none."""
        value = self.value
        if isinstance(value, list):
            return (value[0], Constant(value[1:])) if value else None
        if not isinstance(symbol, str) or symbol not in value:
            return None
        return value[symbol], Constant({name: below for name, below in value.items() if name != symbol})


class _Step(NamedTuple):
    """Values of a member, by their keys, after which the same must be told apart."""

    values: Mapping[str, Any]
    rest: Formula


class Differs(Joining):
    """What is to come is equal to none of some constants; built with :func:`differing`."""

    __slots__ = ("_constants", "_ends", "_names", "_steps")

    def __init__(self, constants: frozenset[Constant]) -> None:
        """Use :func:`differing`."""
        self._constants = constants
        self._ends = all(constant.value for constant in constants)
        self._names: tuple[str, ...] | None = None
        #: What members lead to, by their symbol, with all their values.
        self._steps: dict[Hashable, tuple[Sequence[_Step], Listed | None]] = {}

    @property
    def constants(self) -> Iterable[Constant]:
        """What must not be equal."""
        return self._constants

    @property
    def parts(self) -> tuple[Differs, ...]:
        """The leaves that were joined to this one."""
        return (self,)

    @property
    def ends(self) -> bool:
        """No constant ends here."""
        return self._ends

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of objects."""
        if self._names is None:
            objects = [one.value for one in self.constants if isinstance(one.value, dict)]
            self._names = tuple(dict.fromkeys([name for value in objects for name in value]))
        return self._names

    def alternatives(self, symbol: Hashable, formulas: Formulas) -> Iterable[Alternative]:
        """A member of some of the constants, or another one."""
        return _alternatives(*self._found(symbol, formulas), formulas.values)

    def _found(self, symbol: Hashable, formulas: Formulas) -> tuple[Iterable[_Step], Iterable[Listed]]:
        """The steps of a member, and all its values as some lists."""
        found = self._steps.get(symbol)
        if found is None:
            found = self._steps[symbol] = self._made(symbol, formulas)
        return found[0], () if found[1] is None else (found[1],)

    def _made(self, symbol: Hashable, formulas: Formulas) -> tuple[Sequence[_Step], Listed | None]:
        groups: dict[str, tuple[Any, list[Constant]]] = {}
        for constant in self.constants:
            part = constant.part(symbol)
            if part is not None:
                groups.setdefault(equal_key(part[0]), (part[0], []))[1].append(part[1])
        if not groups:
            return (), None
        steps = _steps((key, value, differing(formulas, rests)) for key, (value, rests) in groups.items())
        return steps, formulas.values.keyed({key: value for key, (value, _) in groups.items()})

    def joined(self, others: Sequence[Joining], formulas: Formulas) -> Formula:
        """All constants of all leaves."""
        parts = dict.fromkeys(part for leaf in (self, *others) if isinstance(leaf, Differs) for part in leaf.parts)
        return formulas.leaf(_Several, *parts)

    def negate(self, formulas: Formulas) -> Formula:
        """Made only for values that were written, which no schema negates."""
        raise NotImplementedError


class _Several(Differs):
    """What is to come differs from the constants of several leaves; old ones keep what they have learned."""

    __slots__ = ("_parts",)

    def __init__(self, *parts: Differs) -> None:
        """Use :meth:`Differs.joined`."""
        super().__init__(frozenset())
        self._parts = parts
        self._ends = all(part.ends for part in parts)

    @property
    def constants(self) -> Iterator[Constant]:
        """The constants of all parts."""
        return (constant for part in self._parts for constant in part.constants)

    @property
    def parts(self) -> tuple[Differs, ...]:
        """The leaves that were joined to this one."""
        return self._parts

    def _found(self, symbol: Hashable, formulas: Formulas) -> tuple[Iterable[_Step], Iterable[Listed]]:
        found = [part._found(symbol, formulas) for part in self._parts]  # noqa: SLF001  (of its own kind)
        steps = [step for own, _ in found for step in own]
        listed = [one for _, lists in found for one in lists]
        known: set[str] = set()
        twice: set[str] = set()
        for step in steps:
            twice.update(known.intersection(step.values))
            known.update(step.values)
        return (_apart(steps, twice, formulas) if twice else steps), listed


def _steps(found: Iterable[tuple[str, Any, Formula]]) -> Sequence[_Step]:
    """Values by what they lead to."""
    groups: dict[Formula, dict[str, Any]] = {}
    for key, value, rest in found:
        groups.setdefault(rest, {})[key] = value
    return [_Step(values, rest) for rest, values in groups.items()]


def _apart(steps: Sequence[_Step], twice: set[str], formulas: Formulas) -> Iterator[_Step]:
    """Steps with the values that stand in several of them taken out, and together."""
    met: dict[str, tuple[Any, list[Formula]]] = {}
    for step in steps:
        once = {key: value for key, value in step.values.items() if key not in twice}
        if once:
            yield _Step(once, step.rest)
        for key in twice.intersection(step.values):
            met.setdefault(key, (step.values[key], []))[1].append(step.rest)
    yield from _steps((key, value, formulas.conjoin(rests)) for key, (value, rests) in met.items())


def _alternatives(steps: Iterable[_Step], listed: Iterable[Listed], values: Values) -> Iterable[Alternative]:
    lists = tuple(listed)
    if not lists:
        return ((values.anything, TRUE),)
    same = [(values.single(values.keyed(step.values)), step.rest) for step in steps]
    return (*same, (values.of([values.negated(one) for one in lists]), TRUE))


def differing(formulas: Formulas, constants: Iterable[Constant]) -> Formula:
    """What differs from all constants."""
    distinct = frozenset(constants)
    return formulas.leaf(Differs, distinct) if distinct else TRUE
