"""The order in which names may come: which ones are still free in a state of an object.

Free names are a pair ``(start, mask)``. In declared order ``names[i]`` is free if ``i >= start`` for a declared name,
and by its bit of ``mask`` for the names that are required but declared nowhere. In any order all names go by the mask.
A mask over all names in declared order would cost a bit per name in every node: 11 GB for 300,000 properties.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskwright.schema.members import Members

__all__ = ["ANY_ORDER", "DECLARED_ORDER", "Free", "Order"]

Free = tuple[int, int]


class Order:
    """One policy of ``property_order``."""

    __slots__ = ("is_declared",)

    def __init__(self, *, is_declared: bool) -> None:
        """``is_declared``: declared names come in their order and before all others."""
        self.is_declared = is_declared

    def _base(self, frame: Members) -> int:
        """The first name that goes by the mask."""
        return frame.declared if self.is_declared else 0

    def begin(self, frame: Members) -> Free:
        """All names."""
        return 0, (1 << len(frame.names) - self._base(frame)) - 1

    def holds(self, frame: Members, free: Free, place: int) -> bool:
        """Whether ``names[place]`` is free."""
        base = self._base(frame)
        return place >= free[0] if place < base else bool(free[1] >> place - base & 1)

    def after(self, frame: Members, free: Free, place: int) -> Free:
        """What is free once ``names[place]`` is written."""
        base = self._base(frame)
        return (place + 1, free[1]) if place < base else (base, free[1] & ~(1 << place - base))

    def after_unnamed(self, frame: Members, free: Free) -> Free:
        """What is free once a key is written that nobody names."""
        return self._base(frame), free[1]

    def places(self, frame: Members, free: Free) -> Iterator[int]:
        """The free names, ascending."""
        start, mask = free
        base = self._base(frame)
        yield from range(start, base)
        if mask:
            digits = bin(mask)[:1:-1]
            place = digits.find("1")
            while place >= 0:
                yield base + place
                place = digits.find("1", place + 1)


DECLARED_ORDER = Order(is_declared=True)
ANY_ORDER = Order(is_declared=False)
