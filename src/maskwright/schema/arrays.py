"""Arrays as nodes: the next element and what follows it."""

from __future__ import annotations

from maskwright.network.nodes import Call, Production
from maskwright.schema.layout import marks
from maskwright.schema.liveness import Liveness
from maskwright.schema.nodekeys import AFTER_ELEMENT, AT_ELEMENT, AfterElement, AtElement
from maskwright.schema.residual import Alternative, Formula
from maskwright.schema.stores import Stores
from maskwright.schema.symbols import Symbols

__all__ = ["Arrays"]


class Arrays:
    """The productions inside arrays."""

    def __init__(self, stores: Stores, liveness: Liveness, symbols: Symbols) -> None:
        """``symbols`` give the symbols that read values."""
        self._formulas = stores.formulas
        self._liveness = liveness
        self._symbol = symbols.symbol
        self._whitespace = stores.policies.whitespace

    def opened(self, formula: Formula, level: int) -> list[Production]:
        """The productions of a whole array that is known to exist."""
        mark = marks(self._whitespace, level)
        productions: list[Production] = []
        if self._alternatives(formula):
            productions.append((mark.open_array, Call(AtElement(AT_ELEMENT, formula, level))))
        if self._formulas.ends(formula):
            productions.append((mark.empty_array,))
        return productions

    def at_element(self, key: AtElement) -> list[Production]:
        """An element and what follows it, once for each alternative."""
        _, formula, level = key
        inner = marks(self._whitespace, level).inner
        return [
            (self._symbol(value, inner), Call(AfterElement(AFTER_ELEMENT, residual, level)))
            for value, residual in self._alternatives(formula)
        ]

    def after_element(self, key: AfterElement) -> list[Production]:
        """A comma if an element can follow, the end if none must."""
        _, formula, level = key
        mark = marks(self._whitespace, level)
        productions: list[Production] = []
        if self._alternatives(formula):
            productions.append((mark.comma, Call(AtElement(AT_ELEMENT, formula, level))))
        if self._formulas.ends(formula):
            productions.append((mark.close_array,))
        return productions

    def _alternatives(self, formula: Formula) -> tuple[Alternative, ...]:
        liveness = self._liveness
        return tuple(
            [
                (value, rest)
                for value, rest in self._formulas.alternatives(formula, None)
                if liveness.value(value) and liveness.elements(rest)
            ]
        )
