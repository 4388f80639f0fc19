"""Left corners: rules that begin with themselves, read from their first byte upwards (Rosenkrantz and Lewis 1970).

A rule A is *left recursive* if A can derive a text of symbols that begins with A; that may pass through other rules,
repetitions, and what may be empty before them. The rules that so depend on each other are a *circle*. A text of A then
is the first symbol of some rule X of the circle that is not in it, the rest of X's alternative, and a *corner* (A, X):
what can follow X on the way up to A. ``corner(A, X)`` is the rest of an alternative of Y that begins with X, and then
``corner(A, Y)``; or nothing, if X is A. Corners call each other last, so a text of any length needs no stack.

What an alternative has before or behind X and may be empty is taken as absent or as not empty, never as either, so that
no corner reaches itself before a byte. Steps that add nothing (Y is X) are taken all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final, NamedTuple

from maskwright.grammar.components import components
from maskwright.grammar.forms import REPEAT, RULE, Body, Forms, Key
from maskwright.network.lexeme import Term

__all__ = ["Circles", "Split"]

#: Members of a circle up to which corners with the same productions are found and made one.
_COMPARED: Final = 200


class Split(NamedTuple):
    """An alternative that begins with the symbol at a place, because what is before it is empty."""

    owner: Key
    #: Which of its owner's alternatives.
    number: int
    body: Body
    at: int
    #: Its place among all splits of a circle.
    order: int = 0


class Circles:
    """The circles of a grammar, and what begins with what in them."""

    def __init__(self, forms: Forms) -> None:
        """Finds the circles: linear in the symbols of the grammar."""
        self._forms = forms
        #: The circle of a rule or repetition that is left recursive.
        self._circle: dict[Key, int] = {}
        self._members: list[list[Key]] = []
        for component in components([(RULE, i) for i in range(len(forms.bodies))], self._left):
            if len(component) > 1 or component[0] in self._left(component[0]):
                self._circle.update(dict.fromkeys(component, len(self._members)))
                self._members.append(component)
        #: By circle: the splits whose first symbol is outside of it, and those by their first symbol inside.
        self._bases: dict[int, list[Split]] = {}
        self._ups: dict[int, dict[Key, list[Split]]] = {}
        #: What a member is a whole text of, itself included; of a large circle only what is a whole text of it too.
        self._level: dict[Key, tuple[Key, ...]] = {}
        #: For members of small circles: their ``ups`` by number; and the first corner that had a top, an end and these.
        self._steps: dict[Key, tuple[int, ...]] = {}
        self._alike: dict[tuple[Key, bool, tuple[int, ...]], Key] = {}

    def __contains__(self, key: Key) -> bool:
        """Whether a key is left recursive."""
        return key in self._circle

    def splits(self, owner: Key) -> Iterator[Split]:
        """Every way that the alternatives of a rule or repetition can begin."""
        for number, body in enumerate(self.bodies(owner)):
            for at, symbol in enumerate(body):
                yield Split(owner, number, body, at)
                if owner[0] == REPEAT or not self._forms.is_nullable(symbol):
                    break

    def bodies(self, owner: Key) -> tuple[Body, ...]:
        """The alternatives of a rule, or the one of a repetition that is not empty.

        What is repeated is not empty at any time, so a repetition of what may be empty may be left out.
        """
        if owner[0] == RULE:
            return self._forms.bodies[owner[1]]
        _, rule, least, most = owner
        if most is None:
            rest: Body = ((REPEAT, rule, max(least - 1, 0), None),)
        else:
            rest = ((REPEAT, rule, max(least - 1, 0), most - 1),) if most > 1 else ()
        return (((RULE, rule), *rest),)

    def _left(self, owner: Key) -> list[Key]:
        found: dict[Key, None] = {}
        for split in self.splits(owner):
            symbol = split.body[split.at]
            if type(symbol) is not Term and symbol[0] in (RULE, REPEAT):  # type: ignore[index]
                found[symbol] = None  # type: ignore[index]
        return list(found)

    def bases(self, key: Key) -> list[Split]:
        """The splits of a circle, of which ``key`` is a member, that begin outside of it."""
        circle = self._circle[key]
        if circle not in self._bases:
            self._sort(circle)
        return self._bases[circle]

    def _sort(self, circle: int) -> None:
        bases: list[Split] = []
        ups: dict[Key, list[Split]] = {}
        order = count()
        for member in self._members[circle]:
            for bare in self.splits(member):
                split = bare._replace(order=next(order))
                first = split.body[split.at]
                if type(first) is not Term and self._circle.get(first) == circle:  # type: ignore[arg-type]
                    ups.setdefault(first, []).append(split)  # type: ignore[arg-type]
                else:
                    bases.append(split)
        self._bases[circle], self._ups[circle] = bases, ups

    def corner(self, top: Key, at: Key) -> Key:
        """The key of the corner (top, at); corners that are seen to have the same productions have one key."""
        level = self.level(at)
        if self._is_large(at):
            return ("corner", top, level[0])
        steps = self._steps.get(at)
        if steps is None:
            steps = self._steps[at] = tuple(split.order for split in self.ups(at))
        same = self._alike.setdefault((top, top in level, steps), at)
        return ("corner", top, same)

    def _is_large(self, key: Key) -> bool:
        return len(self._members[self._circle[key]]) > _COMPARED

    def level(self, key: Key) -> tuple[Key, ...]:
        """The members that a member is a whole text of, by steps that add nothing, itself included.

        In a large circle only those that are whole texts of it in turn; the steps to others are :meth:`onward`.
        """
        found = self._level.get(key)
        if found is None:
            if self._is_large(key):
                for component in components(self._members[self._circle[key]], self._same):
                    self._level.update(dict.fromkeys(component, tuple(component)))
                return self._level[key]
            seen = {key: None}
            todo = [key]
            while todo:
                for owner in self._same(todo.pop()):
                    if owner not in seen:
                        seen[owner] = None
                        todo.append(owner)
            found = self._level[key] = tuple(seen)
        return found

    def onward(self, key: Key) -> list[Key]:
        """In a large circle, what a level is a whole text of, one step further."""
        if not self._is_large(key):
            return []
        level = dict.fromkeys(self.level(key))
        return list(dict.fromkeys(owner for member in level for owner in self._same(member) if owner not in level))

    def _same(self, key: Key) -> list[Key]:
        """The members one of whose alternatives a member may be, alone."""
        return [split.owner for split in self._ups_of(key).get(key, ()) if self._is_blank(split)]

    def ups(self, key: Key) -> list[Split]:
        """The splits that begin with a member, or with what it is a whole text of, and where more can follow it."""
        ups = self._ups_of(key)
        found = [split for member in self.level(key) for split in ups.get(member, ()) if split.at + 1 < len(split.body)]
        return sorted(found, key=_order)

    def _ups_of(self, key: Key) -> dict[Key, list[Split]]:
        circle = self._circle[key]
        if circle not in self._ups:
            self._sort(circle)
        return self._ups[circle]

    def _is_blank(self, split: Split) -> bool:
        return all(self._forms.is_nullable(symbol) for symbol in split.body[split.at + 1 :])


def _order(split: Split) -> int:
    return split.order
