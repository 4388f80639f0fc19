"""What schemas say about the elements of an array, and its residual after some of them were read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from maskwright.schema.references import Document, Subschema
from maskwright.schema.residual import FALSE, TRUE, Alternative, Atom, Formula
from maskwright.schema.value import Value, Values

__all__ = ["ElementRest", "Elements", "ElementsStore", "Row"]


class Row:
    """The array keywords of one schema, still unread below."""

    __slots__ = ("least", "most", "owner", "prefix", "prefix_keyword", "rest", "rest_keyword")

    def __init__(self, owner: Subschema) -> None:
        """Any array; the reader of keywords fills in the rest."""
        self.owner = owner
        self.prefix: Sequence[Any] = ()
        #: The keyword that holds the prefix, for places.
        self.prefix_keyword = "prefixItems"
        #: The schema of the elements after the prefix.
        self.rest: Any = True
        self.rest_keyword = "items"
        self.least = 0
        self.most: int | None = None

    def below(self, document: Document, index: int) -> Subschema | None:
        """The subschema of the element at an index; ``None`` where there can be none."""
        if index < len(self.prefix):
            return document.child(self.owner, self.prefix[index], self.prefix_keyword, index)
        return None if self.rest is False else document.child(self.owner, self.rest, self.rest_keyword)


class ConstantRow(Row):
    """The elements of one array of ``const`` or ``enum``."""

    __slots__ = ()

    def __init__(self, owner: Subschema, elements: Sequence[Any]) -> None:
        """Exactly these elements."""
        super().__init__(owner)
        self.prefix = elements
        self.rest = False
        self.least = self.most = len(elements)

    def below(self, document: Document, index: int) -> Subschema | None:
        """The constant, as a subschema."""
        return document.constant(self.owner, self.prefix[index], index) if index < len(self.prefix) else None


class Elements:
    """A conjunction of rows: the frozen description that residuals of one array share."""

    __slots__ = ("_begins", "_rests", "_store", "_values", "prefix", "rows", "silent")

    def __init__(self, store: ElementsStore, rows: tuple[Row, ...]) -> None:
        """Nothing is read yet."""
        self._store = store
        self.rows = rows
        #: Elements up to this index may differ; all later ones are alike.
        self.prefix = max([len(row.prefix) for row in rows])
        self.silent = False not in [not row.prefix and row.rest is True for row in rows]
        self._values: dict[int, Value] = {}
        self._rests: dict[tuple[int, int, int | None], ElementRest] = {}
        mosts = [row.most for row in rows if row.most is not None]
        self._begins = (0, max([row.least for row in rows]), min(mosts) if mosts else None)

    @property
    def initial(self) -> ElementRest:
        """The residual of the whole array."""
        return self.rest(*self._begins)

    def rest(self, index: int, least: int, most: int | None) -> ElementRest:
        """The residual before the element at ``index``, with ``least`` to ``most`` elements still to come."""
        key = (index, least, most)
        found = self._rests.get(key)
        if found is None:
            found = self._rests[key] = ElementRest(self, index, least, most)
        return found

    def joined(self, other: Elements) -> Elements:
        """The conjunction of both."""
        return self if self is other else self._store.elements((*self.rows, *other.rows))

    def value(self, index: int) -> Value:
        """The value at an index (any index from ``prefix`` on is the same)."""
        found = self._values.get(index)
        if found is None:
            found = self._values[index] = self._store.value(self.rows, index)
        return found

    def release(self) -> None:
        """Drop what was interned: it refers back to its owner."""
        self._values.clear()
        self._rests.clear()


class ElementRest(Atom):
    """Elements still to come, from ``index`` on, between ``least`` and ``most`` of them."""

    __slots__ = ("elements", "index", "least", "most")

    def __init__(self, elements: Elements, index: int, least: int, most: int | None) -> None:
        """Use :meth:`Elements.rest`."""
        self.elements = elements
        self.index = index
        self.least = least
        self.most = most

    @property
    def ends(self) -> bool:
        """No element is missing."""
        return self.least <= 0

    def derive(self, _symbol: object) -> Alternative | None:
        """The value of the next element, and what remains."""
        if self.most == 0:
            return None
        value = self.elements.value(self.index)
        if value.live is False:
            return None
        least, most = self.least, self.most
        index = self.index if self.index >= self.elements.prefix else self.index + 1
        rest = self.elements.rest(index, least - 1 if least > 0 else 0, most if most is None else most - 1)
        return value, rest.simple

    @property
    def simple(self) -> Formula:
        """``TRUE`` if nothing is asked any more."""
        done = self.elements.silent and self.least <= 0 and self.most is None
        return TRUE if done else self

    def needs(self) -> Iterable[Value]:
        """The values of the first elements that must come."""
        return map(self.elements.value, range(self.index, min(self.index + self.least, self.elements.prefix + 1)))

    def meet(self, other: Atom) -> Formula:
        """Both at once; they stand at the same element."""
        if not isinstance(other, ElementRest) or self is other:
            return self if self is other else FALSE
        elements = self.elements.joined(other.elements)
        index = min(max(self.index, other.index), elements.prefix)
        least = max(self.least, other.least)
        mosts = [most for most in (self.most, other.most) if most is not None]
        most = min(mosts) if mosts else None
        return FALSE if most is not None and least > most else elements.rest(index, least, most).simple


class ElementsStore:
    """The interned descriptions of one network."""

    def __init__(self, document: Document, values: Values, spend: Callable[[int], None]) -> None:
        """Share the document and the values of the network; ``spend`` counts the work of merging."""
        self._document = document
        self._values = values
        self._spend = spend
        self._known: dict[tuple[Row, ...], Elements] = {}

    def elements(self, rows: Iterable[Row]) -> Elements:
        """The description of a conjunction of rows."""
        key = tuple(dict.fromkeys(rows))
        found = self._known.get(key)
        if found is None:
            self._spend(len(key))
            found = self._known[key] = Elements(self, key)
        return found

    def release(self) -> None:
        """Drop what was interned: it refers back to this store."""
        for elements in self._known.values():
            elements.release()
        self._known.clear()

    def value(self, rows: tuple[Row, ...], index: int) -> Value:
        """The value at an index: every subschema that some row applies to it."""
        found: list[Subschema] = []
        for row in rows:
            applied = row.below(self._document, index)
            if applied is None:
                return self._values.nothing
            found.append(applied)
        return self._values.of(found)
