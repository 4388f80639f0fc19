"""Arrays as nodes: the next element and what follows it."""

from __future__ import annotations

from typing import Any, Final, cast

from maskwright.network.nodes import Call, Capture, Lex, Production, Symbol
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

#: States after an element that are kept.
_REALIZED: Final = 64


class Arrays:
    """The productions inside arrays."""

    def __init__(self, stores: Stores, liveness: Liveness, symbols: Symbols) -> None:
        """``symbols`` give the symbols that read values."""
        self._formulas = stores.formulas
        self._values = stores.values
        self._liveness = liveness
        self._symbol = symbols.symbol
        self._whitespace = stores.policies.whitespace
        #: States after an element, by the state before and the element's text: hundreds of tokens read the same comma.
        self._realized: dict[tuple[Formula, str], Formula] = {}

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
        _, formula, level, has_gap, _ = key
        mark = marks(self._whitespace, level)
        gap = (mark.gap,) if has_gap and mark.gap is not None else ()
        return [
            (*gap, self._element(value, residual, mark.inner), Call(AfterElement(AFTER_ELEMENT, residual, level)))
            for value, residual in self._alternatives(formula)
        ]

    def _element(self, value: Value, residual: Formula, level: int) -> Symbol:
        """The symbol that reads an element; of elements that must differ its end is told to the kernel."""
        symbol = self._symbol(value, level)
        if isinstance(symbol, Lex) and self._liveness.sequences.remembers(residual):
            return symbol._replace(is_crossing=True)
        return symbol

    def after_element(self, key: AfterElement) -> list[Production]:
        """A comma if an element can follow, the end if none must."""
        _, formula, level = key
        mark = marks(self._whitespace, level)
        productions: list[Production] = []
        foreseen = self._liveness.sequences.foreseen(formula)
        if self._alternatives(foreseen):
            if self._liveness.sequences.remembers(formula):
                following = AtElement(AT_ELEMENT, foreseen, level, has_gap=True, known=formula)
                is_open = self._is_open(foreseen)
                productions.append((Capture(mark.separator.term, following, is_recall=True, is_open=is_open),))
            else:
                productions.append((mark.comma, Call(AtElement(AT_ELEMENT, formula, level))))
        if self._formulas.ends(formula):
            productions.append((mark.close_array,))
        return productions

    def _is_open(self, formula: Formula) -> bool:
        """Whether whatever begins an element can go on to one that was not written: strings of any length are."""
        alternatives = self._alternatives(formula)
        return len(alternatives) == 1 and self._liveness.sequences.is_endless(alternatives[0][0])

    def realize(self, key: AtElement, text: str) -> AtElement:
        """The state before an element that knows the one before it, by its JSON text; without productions if dead."""
        known = cast("Formula", key.known)
        pair = (known, text)
        formula = self._realized.get(pair)
        if formula is None:
            if len(self._realized) >= _REALIZED:
                self._realized.clear()
            formula = self._realized[pair] = with_element(known, read_value(text), self._formulas)
        return key._replace(residual=formula, known=None)

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
