"""Objects as nodes: the next key, the value under it, what follows the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, overload

from maskwright.network.lexeme import ANYTHING, Term, quote
from maskwright.network.nodes import Call, Capture, NodeKey, Production, Switch
from maskwright.schema.layout import marks
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import Cell, MemberRest, Members, mask_of
from maskwright.schema.nodekeys import AFTER_MEMBER, AT_KEY, AT_MEMBER, AfterMember, AtKey, AtMember
from maskwright.schema.order import Free, Order
from maskwright.schema.residual import TRUE, Alternative, And, Formula, Or
from maskwright.schema.seen import NOTHING, keys_of, without
from maskwright.schema.stores import Stores
from maskwright.schema.straight import Straight
from maskwright.schema.symbols import Symbols

__all__ = ["Objects"]

#: States whose keys were looked up for a comma and that no walk has entered yet.
_AHEAD: Final = 4096
Follow = Callable[[AtKey, "str | Cell", Free], tuple[Alternative, ...]]


class _Targets(Sequence[NodeKey]):
    """The nodes behind the names of an object, made one by one."""

    __slots__ = ("_follow", "_key", "_order")

    def __init__(self, key: AtKey, order: Order, follow: Follow) -> None:
        self._key = key
        self._order = order
        self._follow = follow

    def __len__(self) -> int:
        return len(self._key.frame.names)

    @overload
    def __getitem__(self, place: int) -> NodeKey: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[NodeKey]: ...
    def __getitem__(self, place: int | slice) -> NodeKey | Sequence[NodeKey]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        key = self._key
        frame = key.frame
        free = self._order.after(frame, key.free, place)
        alternatives = self._follow(key, frame.names[place], free)
        return AtMember(AT_MEMBER, alternatives, frame, free, key.seen, key.level)


class Objects:
    """The productions inside objects."""

    def __init__(self, stores: Stores, liveness: Liveness, symbols: Symbols) -> None:
        """``symbols`` give the symbols that read values."""
        self._stores = stores
        self._formulas = stores.formulas
        self._liveness = liveness
        self._symbol = symbols.symbol
        self._straight = Straight(stores, liveness)
        self._whitespace = stores.policies.whitespace
        self._minimal = stores.policies.escapes == "minimal"
        self._order = stores.order
        #: The lexemes of the keys of a cell while none was written; ``None`` if there are none.
        self._terms: dict[tuple[Members, Cell], Term | None] = {}
        #: Productions of the keys that were needed to know whether a comma may come.
        self._ahead: dict[AtKey, tuple[Production, ...]] = {}

    def opened(self, formula: Formula, level: int) -> list[Production]:
        """The productions of a whole object that is known to exist."""
        mark = marks(self._whitespace, level)
        if formula is TRUE:
            formula = self._stores.members.free.initial
        frame = self._liveness.frame(formula)
        key = AtKey(AT_KEY, formula, frame, self._order.begin(frame), NOTHING, level)
        productions: list[Production] = []
        if self._goes_on(key):
            productions.append((mark.open_object, Call(key)))
        if self._formulas.ends(formula):
            productions.append((mark.empty_object,))
        return productions

    def at_key(self, key: AtKey) -> tuple[Production, ...]:
        """Named keys in one switch, and a capture for each cell of unnamed ones."""
        keys = self._straight.keys(key)
        if keys is None:
            found = self._ahead.pop(key, None)
            return self._one_by_one(key) if found is None else found
        live, cells = keys
        productions: list[Production] = []
        if live:
            targets = _Targets(key, self._order, self._follow)
            productions.append((Switch(self._straight.switch(key.frame), targets, live),))
        if cells:
            free = self._order.after_unnamed(key.frame, key.free)
            for cell in cells:
                term = self._other_keys(cell, key)
                if term is not None:
                    alternatives = self._follow(key, cell, free)
                    productions.append((Capture(term, self._member(alternatives, key, free, cell)),))
        return tuple(productions)

    def enough(self, key: AtKey) -> int:
        """The words of the switch at a key that suffice for a shortest text, as bits; 0 for all productions."""
        return self._straight.enough(key)

    def at_member(self, key: AtMember) -> list[Production]:
        """A colon, the value and what follows it, once for each alternative."""
        mark = marks(self._whitespace, key.level)
        _, alternatives, frame, free, seen, level, _ = key
        return [
            (
                mark.colon,
                self._symbol(value, mark.inner),
                Call(AfterMember(AFTER_MEMBER, residual, frame, free, seen, level)),
            )
            for value, residual in alternatives
        ]

    def after_member(self, key: AfterMember) -> list[Production]:
        """A comma if a member can follow, the end if none must."""
        mark = marks(self._whitespace, key.level)
        _, residual, frame, free, seen, level = key
        following = AtKey(AT_KEY, residual, frame, free, seen, level)
        productions: list[Production] = []
        if self._goes_on(following):
            productions.append((mark.comma, Call(following)))
        if self._formulas.ends(residual):
            productions.append((mark.close_object,))
        return productions

    def _goes_on(self, key: AtKey) -> bool:
        """Whether any key may come."""
        at_once = self._straight.goes_on(key)
        if at_once is not None:
            return at_once
        keys = self._straight.keys(key)
        if keys is not None:
            return bool(keys[0]) or any(self._other_keys(cell, key) for cell in keys[1])
        if key not in self._ahead:
            if len(self._ahead) >= _AHEAD:
                self._ahead.clear()
            self._ahead[key] = self._one_by_one(key)
        return bool(self._ahead[key])

    def _follow(self, key: AtKey, symbol: str | Cell, free: Free) -> tuple[Alternative, ...]:
        """The alternatives of a key that may come, as far as they can be completed."""
        rest = key.residual
        if isinstance(rest, MemberRest):
            one = rest.derive(symbol)
            return () if one is None else (one,)
        return self._decided(key, symbol, free)

    def _decided(self, key: AtKey, symbol: str | Cell, free: Free) -> tuple[Alternative, ...]:
        liveness = self._liveness
        return tuple(
            [
                (value, rest)
                for value, rest in self._formulas.alternatives(key.residual, symbol)
                if liveness.value(value) and liveness.members(rest, key.frame, free, key.seen)
            ]
        )

    def _one_by_one(self, key: AtKey) -> tuple[Production, ...]:
        """The productions of a key where each name has to be decided by itself."""
        productions: list[Production] = []
        live = mask_of(self._named(key))
        if live:
            targets = _Targets(key, self._order, self._follow)
            productions.append((Switch(self._straight.switch(key.frame), targets, live),))
        free = self._order.after_unnamed(key.frame, key.free)
        for cell in key.frame.cells:
            other = self._other_keys(cell, key)
            if other is not None and self._may_come(key, cell, free):
                alternatives = self._decided(key, cell, free)
                productions.append((Capture(other, self._member(alternatives, key, free, cell)),))
        return tuple(productions)

    def _named(self, key: AtKey) -> Iterator[int]:
        """The places of the names that may come."""
        order, frame = self._order, key.frame
        for place in order.places(frame, key.free):
            free = order.after(frame, key.free, place)
            if self._may_come(key, frame.names[place], free):
                yield place
            is_passed = order.is_declared and place < frame.declared
            if is_passed and not self._liveness.members(key.residual, frame, free, key.seen):
                return

    def _may_come(self, key: AtKey, symbol: str | Cell, free: Free) -> bool:
        """Whether a key leaves a way to the end, by the first branch that does; all ways are made when it is read."""
        liveness, alternatives, ends = self._liveness, self._formulas.alternatives, self._formulas.ends
        branches = key.residual.parts if isinstance(key.residual, Or) else (key.residual,)
        if self._ends_after(key.residual, symbol):
            return True
        return any(
            liveness.value(value) and liveness.members(rest, key.frame, free, key.seen)
            for branch in branches
            # What may end at once needs no search.
            for value, rest in sorted(alternatives(branch, symbol), key=lambda pair: not ends(pair[1]))
        )

    def _ends_after(self, formula: Formula, symbol: str | Cell) -> bool:
        """Whether the end may come now and still after a key, which few parts of a conjunction speak of."""
        formulas = self._formulas
        if not isinstance(formula, And) or not formulas.ends(formula):
            return False
        touched = formulas.conjoin(formulas.touched(formula, symbol))
        return any(
            formulas.ends(rest) and self._liveness.value(value)
            for value, rest in formulas.alternatives(touched, symbol)
        )

    def _member(
        self, alternatives: tuple[Alternative, ...], key: AtKey, free: Free, cell: Cell | None = None
    ) -> AtMember:
        return AtMember(AT_MEMBER, alternatives, key.frame, free, key.seen, key.level, cell)

    def _other_keys(self, cell: Cell, key: AtKey) -> Term | None:
        """The lexeme of the keys of a cell that are neither named nor written; ``None`` if there are none."""
        keys = keys_of(key.seen, cell)
        if keys.few or keys.chunks:
            term = without(cell.term, key.frame.names, keys)
            return self._quoted(cell, term)
        pair = (key.frame, cell)
        if pair not in self._terms:
            self._terms[pair] = self._quoted(cell, without(cell.term, key.frame.names, keys))
        return self._terms[pair]

    def _quoted(self, cell: Cell, term: Term) -> Term | None:
        is_there = cell.term is ANYTHING or not self._stores.is_empty(term)
        return quote(term, minimal=self._minimal) if is_there else None
