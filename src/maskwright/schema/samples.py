"""The values that a place of the output has, if they are few: for elements that must differ from each other."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

from maskwright.network.lexeme import ANYTHING, NEVER
from maskwright.schema.counting import list_words
from maskwright.schema.differences import Differs
from maskwright.schema.document import equal_key
from maskwright.schema.leaves import with_element
from maskwright.schema.members import MemberRest, Source
from maskwright.schema.number_sets import members_of
from maskwright.schema.reader import Reader
from maskwright.schema.residual import FALSE, TRUE, Formula
from maskwright.schema.shape import Shape
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["Samples"]

#: Nesting below which arrays and objects are taken to have many values.
_DEEPEST: Final = 6
_LITERALS: Final = ((1, None), (2, False), (4, True))
_Listing = Generator[Value, bool, list[Any]]


class Samples:
    """Lists of values, made when asked for."""

    def __init__(self, stores: Stores, reader: Reader) -> None:
        """Share the stores and shapes of a network."""
        self._stores = stores
        self._reader = reader
        self._known: dict[tuple[Value, int], list[Any]] = {}

    def of(self, value: Value, most: int, depth: int = 0) -> _Listing:
        """All values if they are fewer than ``most``; otherwise a list of ``most`` whatever they are.

        Asks whether values exist by yielding them.
        """
        key = (value, most)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = yield from self._listed(value, most, depth)
        return found

    def shape(self, value: Value) -> Shape:
        """The shape of a value."""
        return self._reader.shape(value)

    def has(self, value: Value, most: int) -> Generator[Value, bool, bool]:
        """Whether there are ``most`` values; asked for by powers of two, so that growing questions are known."""
        found = yield from self.of(value, 1 << (most - 1).bit_length())
        return len(found) >= most

    def _listed(self, value: Value, most: int, depth: int) -> _Listing:
        shape = self._reader.shape(value)
        many: list[Any] = [None] * most
        found: list[Any] = [text for bit, text in _LITERALS if shape.literals & bit]
        found.extend(members_of(shape.numbers, most))
        if len(found) >= most or shape.string is ANYTHING:
            return many
        if shape.string is not NEVER:
            stores = self._stores
            words = list_words(shape.string, most, stores.is_empty, stores.limits.satisfiability_steps)
            if words is None:
                return many
            found.extend(words)
        if shape.array is not FALSE:
            if shape.array is TRUE or depth == _DEEPEST:
                return many
            found.extend((yield from self._arrays(shape.array, most, depth)))
        if shape.object is not FALSE and len(found) < most:
            if shape.object is TRUE or depth == _DEEPEST:
                return many
            found.extend((yield from self._objects(shape.object, most, depth)))
        return found if len(found) < most else many

    def _arrays(self, formula: Formula, most: int, depth: int) -> _Listing:
        found: dict[str, Any] = {}
        stack: list[tuple[Formula, list[Any]]] = [(formula, [])]
        while stack and len(found) < most:
            here, elements = stack.pop()
            self._stores.budget.spend(1)
            if self._stores.formulas.ends(here):
                found[equal_key(elements)] = elements
            for value, rest in self._stores.formulas.alternatives(here, None):
                live = yield value
                if live:
                    samples = yield from self.of(value, most, depth + 1)
                    if len(samples) >= most:
                        return [None] * most
                    following = [(with_element(rest, sample, self._stores.formulas), sample) for sample in samples]
                    stack.extend((after, [*elements, sample]) for after, sample in following)
        return list(found.values())

    def _objects(self, formula: Formula, most: int, depth: int) -> _Listing:
        formulas = self._stores.formulas
        atoms = [atom for atom in formulas.atoms(formula) if isinstance(atom, MemberRest)]
        sources = [source for atom in atoms for source in atom.members.sources]
        root, leaves = self._stores.document.root, formulas.leaves(formula)
        sources += [Source(root, dict.fromkeys(leaf.names, True)) for leaf in leaves if isinstance(leaf, Differs)]
        frame = self._stores.members.members(sources)
        found: dict[str, Any] = {}
        stack: list[tuple[Formula, int, dict[str, Any]]] = [(formula, 0, {})]
        while stack and len(found) < most:
            here, place, members = stack.pop()
            self._stores.budget.spend(1)
            if place == len(frame.names):
                if formulas.ends(here):
                    found[equal_key(members)] = members
                for cell in frame.cells:
                    for value, _ in formulas.alternatives(here, cell):
                        live = yield value
                        if live:
                            return [None] * most
                continue
            name = frame.names[place]
            stack.append((here, place + 1, members))
            for value, rest in formulas.alternatives(here, name):
                live = yield value
                if live:
                    samples = yield from self.of(value, most, depth + 1)
                    if len(samples) >= most:
                        return [None] * most
                    stack.extend((rest, place + 1, {**members, name: sample}) for sample in samples)
        return list(found.values())
