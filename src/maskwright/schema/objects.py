"""Objects as nodes: the next key, the value under it, what follows the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from maskwright.network.lexeme import Term, quote, subtract, words
from maskwright.network.nodes import Call, Capture, Lex, Production, Switch
from maskwright.schema.layout import marks
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import Cell, MemberRest
from maskwright.schema.nodekeys import AFTER_MEMBER, AT_KEY, AT_MEMBER, AfterMember, AtKey, AtMember
from maskwright.schema.order import Free
from maskwright.schema.residual import TRUE, Alternative, Formula
from maskwright.schema.stores import Stores
from maskwright.schema.straight import Straight
from maskwright.schema.value import Value

__all__ = ["Objects"]

_NONE: Final[frozenset[str]] = frozenset()
#: States whose keys were looked up for a comma and that no walk has entered yet.
_AHEAD: Final = 4096


class Objects:
    """The productions inside objects."""

    def __init__(self, stores: Stores, liveness: Liveness, symbol: Callable[[Value, int], Lex | Call]) -> None:
        """``symbol`` gives the symbol that reads a value at a level."""
        self._stores = stores
        self._formulas = stores.formulas
        self._liveness = liveness
        self._symbol = symbol
        self._straight = Straight(stores, liveness)
        self._whitespace = stores.policies.whitespace
        self._minimal = stores.policies.escapes == "minimal"
        self._order = stores.order
        #: Productions of the keys that were needed to know whether a comma may come.
        self._ahead: dict[AtKey, tuple[Production, ...]] = {}

    def opened(self, formula: Formula, level: int) -> Iterator[Production]:
        """The productions of a whole object that is known to exist."""
        mark = marks(self._whitespace, level)
        if formula is TRUE:
            formula = self._stores.members.free.initial
        frame = self._liveness.frame(formula)
        key = AtKey(AT_KEY, formula, frame, self._order.begin(frame), _NONE, level)
        if self._goes_on(key):
            yield (mark.open_object, Call(key))
        if self._formulas.ends(formula):
            yield (mark.empty_object,)

    def at_key(self, key: AtKey) -> tuple[Production, ...]:
        """Named keys in one switch, and a capture for each cell of unnamed ones."""
        if self._straight.is_straight(key):
            return self._straight.at_key(key)
        found = self._ahead.pop(key, None)
        if found is not None:
            return found
        rest = self._stores.members.free.initial if key.residual is TRUE else key.residual
        if isinstance(rest, MemberRest) and rest.members is key.frame:
            named, further = self._plain_names(rest, key), self._plain_further(rest, key)
        else:
            named, further = self._names(key), self._further(key)
        productions: list[Production] = []
        pairs = list(named)
        if pairs:
            term = words((name for name, _ in pairs), labelled=True)
            productions.append((Switch(quote(term, minimal=self._minimal), tuple(target for _, target in pairs)),))
        productions.extend((Capture(term, target),) for term, target in further)
        return tuple(productions)

    def at_member(self, key: AtMember) -> Iterator[Production]:
        """A colon, the value and what follows it, once for each alternative."""
        mark = marks(self._whitespace, key.level)
        for value, residual in key.alternatives:
            after = AfterMember(AFTER_MEMBER, residual, key.frame, key.free, key.seen, key.level)
            yield (mark.colon, self._symbol(value, mark.inner), Call(after))

    def after_member(self, key: AfterMember) -> Iterator[Production]:
        """A comma if a member can follow, the end if none must."""
        mark = marks(self._whitespace, key.level)
        following = AtKey(AT_KEY, *key[1:])
        if self._goes_on(following):
            yield (mark.comma, Call(following))
        if self._formulas.ends(key.residual):
            yield (mark.close_object,)

    def _goes_on(self, key: AtKey) -> bool:
        rest = key.residual
        if rest is TRUE:
            return True
        if isinstance(rest, MemberRest) and rest.required:
            return True
        if self._straight.is_straight(key):
            return self._straight.goes_on(key)
        if key not in self._ahead:
            if len(self._ahead) >= _AHEAD:
                self._ahead.clear()
            self._ahead[key] = self.at_key(key)
        return bool(self._ahead[key])

    def _plain_names(self, rest: MemberRest, key: AtKey) -> Iterator[tuple[str, AtMember]]:
        """The names of one description: no formula is touched."""
        if rest.most == 0:
            return
        members, required, liveness, order = rest.members, rest.required, self._liveness, self._order
        is_counted, names, after = rest.is_counted, members.names, rest
        for place in order.places(members, key.free):
            value = members.value(names[place])
            free = order.after(members, key.free, place)
            is_required = required and required >> place & 1
            if is_required or is_counted:
                after = rest.after(required & ~(1 << place))
            if (value.live or liveness.value(value)) and (
                not is_counted or liveness.members(after, members, free, key.seen)
            ):
                yield names[place], AtMember(AT_MEMBER, ((value, after),), members, free, key.seen, key.level)
            if is_required and place < members.declared and order.is_declared:
                return
            after = rest

    def _plain_further(self, rest: MemberRest, key: AtKey) -> Iterator[tuple[Term, AtMember]]:
        members, liveness = rest.members, self._liveness
        if rest.most == 0 or members.sealed or self._must_stay(rest, key):
            return
        free = self._order.after_unnamed(members, key.free)
        after = rest.after(rest.required)
        if rest.is_counted and not liveness.members(after, members, free, key.seen):
            return
        for cell, term in self._unnamed(key):
            value = members.value(cell)
            if liveness.value(value):
                yield term, self._member(((value, after),), key, free)

    def _must_stay(self, rest: MemberRest, key: AtKey) -> bool:
        """Whether a required declared name comes before any that nobody declares."""
        declared = key.frame.declared
        return bool(self._order.is_declared and rest.required and rest.required & ((1 << declared) - 1))

    def _names(self, key: AtKey) -> Iterator[tuple[str, AtMember]]:
        """The names of a formula: by its alternatives, as far as they can be completed."""
        order, frame = self._order, key.frame
        for place in order.places(frame, key.free):
            name = frame.names[place]
            free = order.after(frame, key.free, place)
            alternatives = self._alternatives(key, name, free)
            if alternatives:
                yield name, self._member(alternatives, key, free)
            is_passed = order.is_declared and place < frame.declared
            if is_passed and not self._liveness.members(key.residual, frame, free, key.seen):
                return

    def _further(self, key: AtKey) -> Iterator[tuple[Term, AtMember]]:
        free = self._order.after_unnamed(key.frame, key.free)
        for cell, term in self._unnamed(key):
            alternatives = self._alternatives(key, cell, free)
            if alternatives:
                yield term, self._member(alternatives, key, free)

    def _alternatives(self, key: AtKey, symbol: str | Cell, free: Free) -> tuple[Alternative, ...]:
        liveness = self._liveness
        return tuple(
            (value, rest)
            for value, rest in self._formulas.alternatives(key.residual, symbol)
            if liveness.value(value) and liveness.members(rest, key.frame, free, key.seen)
        )

    def _member(self, alternatives: tuple[Alternative, ...], key: AtKey, free: Free) -> AtMember:
        return AtMember(AT_MEMBER, alternatives, key.frame, free, key.seen, key.level)

    def _unnamed(self, key: AtKey) -> Iterator[tuple[Cell, Term]]:
        """The cells that still hold a key, each with the term of its keys."""
        taken = words((*key.frame.names, *key.seen))
        for cell in key.frame.cells:
            if self._liveness.has_keys(cell, taken):
                yield cell, quote(subtract(cell.term, taken), minimal=self._minimal)
