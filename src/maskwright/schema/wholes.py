"""Whole values as nodes: scalars at once, objects and arrays from their opening bracket on."""

from __future__ import annotations

from maskwright.network.nodes import Production
from maskwright.schema.arrays import Arrays
from maskwright.schema.liveness import Liveness
from maskwright.schema.nodekeys import AtValue
from maskwright.schema.objects import Objects
from maskwright.schema.shape import Shapes

__all__ = ["Wholes"]


class Wholes:
    """The productions of values that are more than a scalar."""

    def __init__(self, shapes: Shapes, liveness: Liveness, objects: Objects, arrays: Arrays) -> None:
        """Share the parts of the network."""
        self._shapes = shapes
        self._liveness = liveness
        self._objects = objects
        self._arrays = arrays

    def at_value(self, key: AtValue) -> list[Production]:
        """A lexeme for all scalars, then objects, then arrays."""
        shape = key.shape
        scalar = self._shapes.scalar(shape)
        productions: list[Production] = [] if scalar is None else [(scalar,)]
        if self._liveness.has_object(shape):
            productions.extend(self._objects.opened(shape.object, key.level))
        if self._liveness.has_array(shape):
            productions.extend(self._arrays.opened(shape.array, key.level))
        return productions
