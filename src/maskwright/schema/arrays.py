"""Arrays as nodes: the next element and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from maskwright.network.nodes import Call, Lex, Production
from maskwright.schema.layout import marks
from maskwright.schema.liveness import Liveness
from maskwright.schema.nodekeys import AFTER_ELEMENT, AT_ELEMENT, AfterElement, AtElement
from maskwright.schema.residual import Alternative, Formula
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["Arrays"]


class Arrays:
    """The productions inside arrays."""

    def __init__(self, stores: Stores, liveness: Liveness, symbol: Callable[[Value, int], Lex | Call]) -> None:
        """``symbol`` gives the symbol that reads a value at a level."""
        self._formulas = stores.formulas
        self._liveness = liveness
        self._symbol = symbol
        self._whitespace = stores.policies.whitespace

    def opened(self, formula: Formula, level: int) -> Iterator[Production]:
        """The productions of a whole array that is known to exist."""
        mark = marks(self._whitespace, level)
        if self._alternatives(formula):
            yield (mark.open_array, Call(AtElement(AT_ELEMENT, formula, level)))
        if self._formulas.ends(formula):
            yield (mark.empty_array,)

    def at_element(self, key: AtElement) -> Iterator[Production]:
        """An element and what follows it, once for each alternative."""
        inner = marks(self._whitespace, key.level).inner
        for value, residual in self._alternatives(key.residual):
            yield (self._symbol(value, inner), Call(AfterElement(AFTER_ELEMENT, residual, key.level)))

    def after_element(self, key: AfterElement) -> Iterator[Production]:
        """A comma if an element can follow, the end if none must."""
        mark = marks(self._whitespace, key.level)
        if self._alternatives(key.residual):
            yield (mark.comma, Call(AtElement(AT_ELEMENT, key.residual, key.level)))
        if self._formulas.ends(key.residual):
            yield (mark.close_array,)

    def _alternatives(self, formula: Formula) -> tuple[Alternative, ...]:
        liveness = self._liveness
        return tuple(
            (value, rest)
            for value, rest in self._formulas.alternatives(formula, None)
            if liveness.value(value) and liveness.elements(rest)
        )
