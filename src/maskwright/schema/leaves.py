"""Leaves of array formulas: elements that are counted, and elements that must or must not be told apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from maskwright.schema.document import equal_key
from maskwright.schema.negation import Listed
from maskwright.schema.references import Subschema
from maskwright.schema.residual import FALSE, TRUE, Alternative, Formula, Formulas, Leaf
from maskwright.schema.value import Value, Values

__all__ = ["Again", "Counted", "Remembering", "Repeated", "Unique", "counted", "with_element"]

#: Values of a full list; full ones are merged, so that each value is copied ``log n`` times.
_FEW: Final = 16


class Counted(Leaf):
    """From ``least`` to ``most`` of the elements to come meet a subschema; built with :func:`counted`."""

    __slots__ = ("least", "most", "subschema")

    def __init__(self, subschema: Subschema, least: int, most: int | None) -> None:
        """Use :func:`counted`."""
        self.subschema = subschema
        self.least = least
        self.most = most

    @property
    def ends(self) -> bool:
        """No such element is missing."""
        return self.least <= 0

    def alternatives(self, symbol: object, formulas: Formulas) -> Iterable[Alternative]:
        """An element that is counted, or one that is not."""
        del symbol
        values = formulas.values
        yes, no = values.single(self.subschema), values.opposite(self.subschema)
        least, most = self.least, self.most
        fewer = counted(formulas, self.subschema, max(least - 1, 0), None if most is None else most - 1)
        return ((yes, fewer), (no, self))

    def negate(self, formulas: Formulas) -> Formula:
        """Fewer or more of them."""
        below = counted(formulas, self.subschema, 0, self.least - 1)
        above = FALSE if self.most is None else counted(formulas, self.subschema, self.most + 1, None)
        return formulas.disjoin((below, above))


def counted(formulas: Formulas, subschema: Subschema, least: int, most: int | None) -> Formula:
    """Arrays of which ``least`` to ``most`` elements meet a subschema."""
    if most is not None and most < least:
        return FALSE
    if least <= 0 and most is None:
        return TRUE
    return formulas.leaf(Counted, subschema, least, most)


class Remembering(Leaf):
    """Knows the elements that were written, as lists of falling length."""

    __slots__ = ("seen",)

    def __init__(self, seen: tuple[Listed, ...]) -> None:
        """Use :meth:`Formulas.leaf`."""
        self.seen = seen

    def fresh(self, formulas: Formulas) -> Value:
        """Values that were not written."""
        return formulas.values.of([formulas.values.negated(listed) for listed in self.seen])


class Unique(Remembering):
    """No element to come equals another one (``uniqueItems``)."""

    __slots__ = ()

    @property
    def ends(self) -> bool:
        """Nothing is missing."""
        return True

    def alternatives(self, symbol: object, formulas: Formulas) -> Iterable[Alternative]:
        """An element that was not written before; :func:`with_element` then remembers it."""
        del symbol
        return ((self.fresh(formulas), self),)

    def negate(self, formulas: Formulas) -> Formula:
        """Some element comes twice."""
        return formulas.leaf(Repeated, self.seen)


class Repeated(Remembering):
    """Some element to come equals another one."""

    __slots__ = ()

    @property
    def ends(self) -> bool:
        """It is still missing."""
        return False

    def alternatives(self, symbol: object, formulas: Formulas) -> Iterable[Alternative]:
        """One of the elements that were written, or another one."""
        del symbol
        single = formulas.values.single
        return (*((single(listed), TRUE) for listed in self.seen), (self.fresh(formulas), self))

    def negate(self, formulas: Formulas) -> Formula:
        """No element comes twice."""
        return formulas.leaf(Unique, self.seen)


class Again(Leaf):
    """Some element to come equals one that was just read, of which only its value is known; for searches."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        """Use :meth:`Formulas.leaf`."""
        self.value = value

    @property
    def ends(self) -> bool:
        """It is still missing."""
        return False

    def alternatives(self, symbol: object, formulas: Formulas) -> Iterable[Alternative]:
        """The same again, or anything."""
        del symbol
        return ((self.value, TRUE), (formulas.values.anything, self))


def with_element(formula: Formula, value: Any, formulas: Formulas) -> Formula:
    """The residual that remembers one element more, as :func:`maskwright.schema.document.read_value` gives it."""

    def remembering(leaf: Leaf) -> Formula:
        if not isinstance(leaf, Remembering):
            return leaf
        return formulas.leaf(type(leaf), _added(leaf, value, formulas.values))

    return formulas.replaced(formula, remembering)


def _added(leaf: Remembering, value: Any, values: Values) -> tuple[Listed, ...]:
    """The lists with one value more: the last one grows up to ``_FEW``, full ones are merged as counters carry."""
    lists, fresh = list(leaf.seen), {equal_key(value): value}
    if lists and len(lists[-1].values) < _FEW:
        fresh |= lists.pop().keyed
    if len(fresh) == _FEW:
        while lists and len(lists[-1].values) <= len(fresh):
            fresh |= lists.pop().keyed
    return (*lists, values.keyed(fresh))
