"""Arrays and objects that differ from each of some constants, as one leaf.

A negation for each constant would be right as well, but ``n`` of them split a member into ``2 ** n`` combinations of
which ``n + 1`` have a value. The leaf goes along the constants as along a trie: a member leads on to those that it
agrees with, and once it agrees with none nothing more is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from maskwright.schema.document import equal_key
from maskwright.schema.residual import TRUE, Alternative, Formula, Formulas, Leaf

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


class Differs(Leaf):
    """What is to come is equal to none of some constants; built with :func:`differing`."""

    __slots__ = ("constants",)

    def __init__(self, constants: frozenset[Constant]) -> None:
        """Use :func:`differing`."""
        self.constants = constants

    @property
    def ends(self) -> bool:
        """No constant ends here."""
        return all(constant.value for constant in self.constants)

    @property
    def names(self) -> Iterable[str]:
        """The keys of objects."""
        return dict.fromkeys(name for one in self.constants if isinstance(one.value, dict) for name in one.value)

    def alternatives(self, symbol: object, formulas: Formulas) -> Iterable[Alternative]:
        """A member of some of the constants, or another one."""
        values = formulas.values
        groups: dict[str, tuple[Any, list[Constant]]] = {}
        for constant in self.constants:
            found = constant.part(symbol)
            if found is not None:
                groups.setdefault(equal_key(found[0]), (found[0], []))[1].append(found[1])
        if not groups:
            return ((values.anything, TRUE),)
        same = [
            (values.single(values.listed((value,))), differing(formulas, rests)) for value, rests in groups.values()
        ]
        other = values.opposite(values.listed(tuple([value for value, _ in groups.values()])))
        return (*same, (other, TRUE))

    def negate(self, formulas: Formulas) -> Formula:
        """Made only for values that were written, which no schema negates."""
        raise NotImplementedError


def differing(formulas: Formulas, constants: Iterable[Constant]) -> Formula:
    """What differs from all constants."""
    distinct = frozenset(constants)
    return formulas.leaf(Differs, distinct) if distinct else TRUE
