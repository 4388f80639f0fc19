"""Arrays as nodes: the next element and what follows it."""

from __future__ import annotations

from typing import Any

from maskwright.network.nodes import Call, Capture, Production
from maskwright.schema.document import read_value
from maskwright.schema.layout import marks
from maskwright.schema.leaves import with_element
from maskwright.schema.liveness import Liveness
from maskwright.schema.nodekeys import AFTER_ELEMENT, AT_ELEMENT, AfterElement, AtElement
from maskwright.schema.residual import Alternative, Formula
from maskwright.schema.stores import Stores
from maskwright.schema.symbols import Symbols
from maskwright.schema.value import Value

__all__ = ["Arrays"]


class Arrays:
    """The productions inside arrays."""

    def __init__(self, stores: Stores, liveness: Liveness, symbols: Symbols) -> None:
        """``symbols`` give the symbols that read values."""
        self._formulas = stores.formulas
        self._values = stores.values
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
        _, formula, level, has_gap = key
        mark = marks(self._whitespace, level)
        gap = (mark.gap,) if has_gap and mark.gap is not None else ()
        return [
            (*gap, self._symbol(value, mark.inner), Call(AfterElement(AFTER_ELEMENT, residual, level)))
            for value, residual in self._alternatives(formula)
        ]

    def after_element(self, key: AfterElement) -> list[Production]:
        """A comma if an element can follow, the end if none must."""
        _, formula, level = key
        mark = marks(self._whitespace, level)
        productions: list[Production] = []
        if self._alternatives(formula):
            if self._liveness.sequences.remembers(formula):
                following = AtElement(AT_ELEMENT, formula, level, has_gap=True)
                productions.append((Capture(mark.separator.term, following, is_recall=True),))
            else:
                productions.append((mark.comma, Call(AtElement(AT_ELEMENT, formula, level))))
        if self._formulas.ends(formula):
            productions.append((mark.close_array,))
        return productions

    def realize(self, key: AtElement, text: str) -> AtElement:
        """The state before an element that knows the one before it, by its JSON text; without productions if dead."""
        formula = with_element(key.residual, read_value(text), self._formulas)
        return key._replace(residual=formula)

    def _alternatives(self, formula: Formula) -> tuple[Alternative, ...]:
        liveness, remembers = self._liveness, self._liveness.sequences.remembers
        found: list[Alternative] = []
        for value, rest in self._formulas.alternatives(formula, None):
            if not liveness.value(value):
                continue
            if not remembers(rest):
                if liveness.elements(rest):
                    found.append((value, rest))
            elif liveness.are_unique(value, rest):
                refused = liveness.refused(value, rest)
                narrower = self._values.both(value, self._without(refused)) if refused else value
                if liveness.value(narrower):
                    found.append((narrower, rest))
        return tuple(found)

    def _without(self, values: list[Any]) -> Value:
        return self._values.opposite(self._values.listed(tuple(values)))
