"""How a value is read inside a production: scalars in place, arrays and objects by a node of their own."""

from __future__ import annotations

from typing import cast

from maskwright.network.nodes import Call, Lex
from maskwright.schema.nodekeys import AT_VALUE, AtValue
from maskwright.schema.reader import Reader
from maskwright.schema.residual import FALSE
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["Symbols"]


class Symbols:
    """The symbols of values."""

    def __init__(self, stores: Stores, reader: Reader) -> None:
        """Share the shapes of the network."""
        self._shapes = stores.shapes
        self._reader = reader

    def symbol(self, value: Value, level: int) -> Lex | Call:
        """The symbol that reads a value at a level of nesting."""
        shape = value.shape or self._reader.shape(value)
        if shape.array is FALSE and shape.object is FALSE:
            return cast("Lex", self._shapes.scalar(shape))
        return Call(AtValue(AT_VALUE, shape, level))
