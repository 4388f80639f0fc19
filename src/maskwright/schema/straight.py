"""The straight path: objects whose keys are decided by bit sets, which is what almost all real schemas are.

A residual is a union of few conjunctions (one, for two thirds of real schemas). All names of an object make one switch
for all its states: a state only says, by a bit set, which names may come now, and the node behind a name is made when
the name is read. What does not depend on the state is decided once: which names have a value under which conjunction.
So a node costs a few microseconds whatever the number of properties, and the kernel learns the names' characters once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from maskwright.network.lexeme import ANYTHING, Term, quote, words
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import Cell, MemberRest, Members, mask_of
from maskwright.schema.nodekeys import AtKey
from maskwright.schema.residual import TRUE, Formula, leaves_of
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["Straight"]

#: Conjunctions up to which a residual is split; each is asked at every key.
_BRANCHES: Final = 16


#: What may come: names as bits, and the cells of keys that nobody names.
Keys = tuple[int, tuple[Cell, ...]]
_NONE: Final[Keys] = (0, ())


class _Description:
    """What one conjunction says about the names and cells of a frame, in whatever state."""

    __slots__ = ("ahead", "cells", "declared", "further", "is_finite", "is_frame", "is_open")

    def __init__(self, members: Members, frame: Members, declared: int, value: Callable[[Value], bool]) -> None:
        of = members.value
        live = mask_of([place for place, name in enumerate(frame.names) if value(of(name))])
        #: How many names go by their order.
        self.declared = declared
        #: Bit ``i`` set: a value exists under ``frame.names[i]``, and the name goes by its order ...
        self.ahead = live & ((1 << declared) - 1)
        #: ... or (less ``declared``) it does not.
        self.further = live >> declared
        #: The cells under which a value exists.
        self.cells = () if members.sealed else tuple([cell for cell in frame.cells if value(of(cell))])
        #: The keys that nobody names never run out, or they do without being none.
        self.is_open = any(cell.term is ANYTHING for cell in self.cells)
        self.is_finite = bool(self.cells) and not self.is_open
        self.is_frame = members is frame


class Straight:
    """Which keys may come, as bits."""

    def __init__(self, stores: Stores, liveness: Liveness) -> None:
        """Descriptions are learned when first met."""
        self._stores = stores
        self._liveness = liveness
        self._is_declared = stores.order.is_declared
        self._minimal = stores.policies.escapes == "minimal"
        self._descriptions: dict[tuple[Members, Members], _Description] = {}
        self._branches: dict[Formula, tuple[MemberRest, ...] | None] = {}
        self._switches: dict[Members, Term] = {}

    def switch(self, frame: Members) -> Term:
        """The lexeme of all names of an object."""
        found = self._switches.get(frame)
        if found is None:
            found = self._switches[frame] = quote(words(frame.names, labelled=True), minimal=self._minimal)
        return found

    def keys(self, key: AtKey) -> Keys | None:
        """The keys that may come; ``None`` if the residual is many conjunctions, negates one, or counts scarce keys."""
        rest = key.residual
        if isinstance(rest, MemberRest):
            return self._of(rest, key)
        if rest not in self._branches:
            self._branches[rest] = self._split(rest)
        branches = self._branches[rest]
        if branches is None:
            return None
        names, cells = 0, set[Cell]()
        for branch in branches:
            keys = self._of(branch, key)
            if keys is None:
                return None
            names |= keys[0]
            cells.update(keys[1])
        return names, tuple([cell for cell in key.frame.cells if cell in cells]) if cells else ()

    def enough(self, key: AtKey) -> int:
        """The first name that must come, as a bit, if shortest texts need no other here; 0 if they might.

        All names that must come do, and their order costs nothing; without this a search for the shortest text would
        visit every subset of them.
        """
        rest = key.residual
        if not isinstance(rest, MemberRest) or not rest.required:
            return 0
        keys = self.keys(key)
        if keys is None or (self._is_declared and rest.least > rest.required.bit_count()):
            return 0
        required = rest.required
        if rest.members is not key.frame:
            required = mask_of(map(key.frame.index.__getitem__, rest.required_names))
        needed = required & keys[0]
        return needed & -needed

    def goes_on(self, key: AtKey) -> bool | None:
        """Whether any key may come, where that can be told at once."""
        rest = key.residual
        if not isinstance(rest, MemberRest):
            return True if rest is TRUE else None
        if rest.required:
            # It can come, or the state would not have been entered.
            return True
        return True if rest.most is None and self._about(rest, key).is_open else None

    def _split(self, formula: Formula) -> tuple[MemberRest, ...] | None:
        if not all(isinstance(leaf, MemberRest) for leaf in leaves_of(formula)):
            return None
        found = self._stores.formulas.branches(formula, _BRANCHES)
        if found is None:
            return None
        rests = [self._stores.members.free.initial if rest is TRUE else rest for rest in found]
        conjunctions = tuple([rest for rest in rests if isinstance(rest, MemberRest)])
        return conjunctions if len(conjunctions) == len(rests) else None

    def _about(self, rest: MemberRest, key: AtKey) -> _Description:
        pair = (rest.members, key.frame)
        found = self._descriptions.get(pair)
        if found is None:
            declared = key.frame.declared if self._is_declared else 0
            found = self._descriptions[pair] = _Description(*pair, declared, self._liveness.value)
        return found

    def _of(self, rest: MemberRest, key: AtKey) -> Keys | None:
        """The keys of one conjunction: names that are free, up to the first that must come, and cells if none must."""
        about = self._about(rest, key)
        start, mask = key.free
        declared, cells = about.declared, about.cells
        ahead = about.ahead >> start << start
        further = (about.further & mask) << declared
        now = ahead | further
        required = rest.required
        if required:
            if not about.is_frame:
                required = mask_of(map(key.frame.index.__getitem__, rest.required_names))
            if required & ~now:
                return _NONE
            needed = required & ahead
            if needed:
                now, cells = ahead & ((needed & -needed) << 1) - 1, ()
        if rest.most is not None and rest.most <= required.bit_count():
            now, cells = (now & required if rest.most == required.bit_count() else 0), ()
        if rest.least > 1 and not about.is_open:
            if about.is_finite:
                return None
            now &= _leaving(rest.least - 1, ahead, further)
        return now, cells


def _leaving(count: int, ahead: int, further: int) -> int:
    """The names after which ``count`` others can still come: those ahead of a declared name and all further ones."""
    beside = further.bit_count()
    if ahead.bit_count() + beside <= count:
        return 0
    kept = further if beside > count else 0
    rest = ahead
    for _ in range(max(count - beside, 0)):
        rest ^= 1 << rest.bit_length() - 1
    return kept | rest
