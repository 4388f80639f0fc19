"""One schema while its keywords are read: what they note, and the shape that it makes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from maskwright.network.lexeme import ANYTHING, NEVER, Term
from maskwright.schema.drafts import ALL_TYPES, TYPES
from maskwright.schema.elements import Row
from maskwright.schema.members import Source
from maskwright.schema.number import Numbers
from maskwright.schema.number_sets import ALL_NUMBERS, NO_NUMBERS, NumberSet
from maskwright.schema.references import Subschema
from maskwright.schema.residual import FALSE, TRUE, Formula
from maskwright.schema.shape import FALSE_LITERAL, NULL_LITERAL, TRUE_LITERAL, Shape, length_term, meet_texts
from maskwright.schema.stores import Stores

__all__ = ["Reading"]

_NULL, _BOOLEAN, _NUMBER, _STRING, _ARRAY, _OBJECT = (
    TYPES[name] for name in ("null", "boolean", "number", "string", "array", "object")
)


class Reading:
    """One schema while its keywords are read."""

    __slots__ = (
        "_source", "integer", "least_length", "lower", "lower_open", "met", "most_length", "multiples",
        "names_of", "row", "schema", "shape_of", "stores", "subschema", "text", "types", "upper", "upper_open",
    )  # fmt: skip

    def __init__(
        self,
        subschema: Subschema,
        stores: Stores,
        shape_of: Callable[[Subschema], Shape],
        names_of: Callable[[Subschema], Shape],
    ) -> None:
        """Any value at all.

        ``shape_of`` gives the shapes of subschemas that apply in place (already read), ``names_of`` those of subschemas
        of keys.
        """
        self.names_of = names_of
        self.subschema = subschema
        self.schema: dict[str, Any] = subschema.value
        self.stores = stores
        self.shape_of = shape_of
        self.types = ALL_TYPES
        self.integer = False
        self.text: Term = ANYTHING
        self.least_length = 0
        self.most_length: int | None = None
        self.lower: Fraction | None = None
        self.lower_open = False
        self.upper: Fraction | None = None
        self.upper_open = False
        self.multiples: tuple[Fraction, ...] = ()
        self._source: Source | None = None
        self.row: Row | None = None
        #: Shapes that hold as well.
        self.met: list[Shape] = []

    @property
    def source(self) -> Source:
        """What the object keywords say; one for all of them."""
        if self._source is None:
            self._source = Source(self.subschema)
        return self._source

    def child(self, value: Any, *tokens: str | int) -> Subschema:
        """A subschema of this schema."""
        return self.stores.document.child(self.subschema, value, *tokens)

    def knows(self, keyword: str) -> bool:
        """Whether a keyword is there and the draft knows it."""
        return keyword in self.schema and keyword in self.subschema.resource.draft.keywords

    def restrict(self, *, array: Formula = TRUE, object_: Formula = TRUE) -> None:
        """Ask something more of arrays or objects, and nothing of other values."""
        every = self.stores.shapes.anything
        self.met.append(self.stores.shapes.make(every.literals, every.numbers, every.string, array, object_))

    def shape(self) -> Shape:
        """The shape of everything noted."""
        types, shapes = self.types, self.stores.shapes
        literals = (NULL_LITERAL if types & _NULL else 0) | (FALSE_LITERAL | TRUE_LITERAL if types & _BOOLEAN else 0)
        shape = shapes.make(
            literals,
            self._numbers() if types & _NUMBER else NO_NUMBERS,
            self._texts() if types & _STRING else NEVER,
            self._arrays() if types & _ARRAY else FALSE,
            self._objects() if types & _OBJECT else FALSE,
        )
        for other in self.met:
            shape = shapes.meet(shape, other)
        return shape

    def _numbers(self) -> NumberSet:
        lower, upper = self.lower, self.upper
        if not self.integer and lower is None and upper is None and not self.multiples:
            return ALL_NUMBERS
        numbers = Numbers(self.integer, lower, self.lower_open, upper, self.upper_open, self.multiples)
        return NO_NUMBERS if numbers.is_empty else (numbers,)

    def _texts(self) -> Term:
        if not self.least_length and self.most_length is None:
            return self.text
        return meet_texts(length_term(self.least_length, self.most_length), self.text)

    def _arrays(self) -> Formula:
        row = self.row
        if row is None:
            return TRUE
        if row.most is not None and row.least > row.most:
            return FALSE
        return self.stores.elements.elements((row,)).initial.simple

    def _objects(self) -> Formula:
        source = self._source
        if source is None:
            return TRUE
        if source.most is not None and max(source.least, len(set(source.required))) > source.most:
            return FALSE
        return self.stores.members.one(source).initial.simple
