"""The straight path: an object under one description and no counts, which is what two thirds of real schemas are.

The names of the description make one switch for all its states: a state only says, by a bit set, which names may come
now, and the node behind a name is made when the name is read. So a node costs a few microseconds whatever the number
of properties, and the kernel learns the names' characters once for all states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, overload

from maskwright.network.lexeme import Term, quote, subtract, words
from maskwright.network.nodes import Capture, NodeKey, Production, Switch
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import Cell, MemberRest, Members
from maskwright.schema.nodekeys import AT_MEMBER, AtKey, AtMember
from maskwright.schema.order import Free, Order
from maskwright.schema.stores import Stores

__all__ = ["Straight"]

#: Names up to which the keys of unnamed members are told apart by one set of words with the keys that were seen;
#: beyond, sorting them anew for every state costs more than two sets do.
_FEW: Final = 64


class _Description:
    """What all states of one description share."""

    __slots__ = ("cells", "live", "switch", "taken")

    def __init__(self, members: Members, cells: tuple[Cell, ...], live: int, *, minimal: bool) -> None:
        #: Bit ``i`` set: a value exists under ``names[i]``.
        self.live = live
        #: The lexeme of all names.
        self.switch: Term = quote(words(members.names, labelled=True), minimal=minimal)
        #: The cells under which a value exists.
        self.cells = cells
        self.taken = words(members.names)


class _Targets(Sequence[NodeKey]):
    """The nodes behind the names, made one by one."""

    __slots__ = ("_key", "_order", "_rest")

    def __init__(self, rest: MemberRest, key: AtKey, order: Order) -> None:
        self._rest = rest
        self._key = key
        self._order = order

    def __len__(self) -> int:
        return len(self._rest.members.names)

    @overload
    def __getitem__(self, place: int) -> NodeKey: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[NodeKey]: ...
    def __getitem__(self, place: int | slice) -> NodeKey | Sequence[NodeKey]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        rest, key, members = self._rest, self._key, self._rest.members
        after = rest.after(rest.required & ~(1 << place))
        free = self._order.after(members, key.free, place)
        value = members.value(members.names[place])
        return AtMember(AT_MEMBER, ((value, after.simple),), members, free, key.seen, key.level)


class Straight:
    """Keys of plain objects."""

    def __init__(self, stores: Stores, liveness: Liveness) -> None:
        """Descriptions are learned when first met."""
        self._liveness = liveness
        self._order = stores.order
        self._minimal = stores.policies.escapes == "minimal"
        self._known: dict[Members, _Description] = {}

    def is_straight(self, key: AtKey) -> bool:
        """Whether a state is under one description, uncounted."""
        rest = key.residual
        return isinstance(rest, MemberRest) and rest.members is key.frame and not rest.is_counted

    def goes_on(self, key: AtKey) -> bool:
        """Whether any key may come."""
        rest: MemberRest = key.residual  # type: ignore[assignment]
        if rest.required or self._names(rest, key.free):
            return True
        return any(True for _ in self._unnamed(rest, key))

    def at_key(self, key: AtKey) -> tuple[Production, ...]:
        """A switch over the names that may come, and a capture for each cell of unnamed keys."""
        rest: MemberRest = key.residual  # type: ignore[assignment]
        productions: list[Production] = []
        live = self._names(rest, key.free)
        if live:
            switch = self._description(rest.members).switch
            productions.append((Switch(switch, _Targets(rest, key, self._order), live),))
        productions.extend(self._unnamed(rest, key))
        return tuple(productions)

    def _description(self, members: Members) -> _Description:
        found = self._known.get(members)
        if found is None:
            value, names = self._liveness.value, members.names
            live = sum(1 << place for place, name in enumerate(names) if value(members.value(name)))
            cells = () if members.sealed else tuple(c for c in members.cells if value(members.value(c)))
            found = self._known[members] = _Description(members, cells, live, minimal=self._minimal)
        return found

    def _names(self, rest: MemberRest, free: Free) -> int:
        """The names that may come now, as bits: those that are free, up to the first that must."""
        members = rest.members
        start, mask = free
        declared = members.declared if self._order.is_declared else 0
        now = mask << declared
        ahead = ((1 << declared) - 1) >> start << start
        needed = rest.required & ahead
        if needed:
            now, ahead = 0, ahead & ((needed & -needed) << 1) - 1
        return (now | ahead) & self._description(members).live

    def _unnamed(self, rest: MemberRest, key: AtKey) -> Iterator[Production]:
        members = rest.members
        if members.sealed:
            return
        if self._order.is_declared and rest.required & ((1 << members.declared) - 1):
            return
        description = self._description(members)
        free = self._order.after_unnamed(members, key.free)
        for cell in description.cells:
            term = self._other_keys(cell, description, members, key.seen)
            if term is not None:
                value = members.value(cell)
                target = AtMember(AT_MEMBER, ((value, rest.simple),), members, free, key.seen, key.level)
                yield (Capture(quote(term, minimal=self._minimal), target),)

    def _other_keys(self, cell: Cell, description: _Description, members: Members, seen: frozenset[str]) -> Term | None:
        """The keys of a cell that are neither named nor seen; None if there are none."""
        few = len(members.names) <= _FEW
        taken = description.taken if not (seen and few) else words((*members.names, *seen))
        if not self._liveness.has_keys(cell, taken):
            return None
        term = subtract(cell.term, taken)
        return term if few or not seen else subtract(term, words(seen))
