"""What has been read of a regular expression, as far as it decides what may follow."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final, NamedTuple

__all__ = ["MOST_GROUPS", "REMEMBERED", "Ground", "Moves", "State", "is_free", "longer", "spread"]

#: Groups that are counted, and the greatest number that a back reference may name.
MOST_GROUPS: Final = 999
#: Names of groups up to this length are remembered; a longer one leaves its *key*, first character and length.
REMEMBERED: Final = 2
#: Greater lengths count as this one.
_LONGEST: Final = 16
#: Characters that a name may go on with.
_LETTERS: Final = 64


class Ground(NamedTuple):
    """What is open, defined and owed between two terms of a pattern."""

    #: Groups that are open, innermost last: ``q`` if it may be repeated once it is closed, ``a`` if it is an assertion.
    open: str = ""
    #: Capturing groups so far.
    groups: int = 0
    #: The greatest back reference, if there are fewer groups than that; else 0.
    wanted: int = 0
    #: The names of groups or their keys, and the names that were referred to and are no group's yet.
    names: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()

    def opened(self, kind: str) -> Ground:
        """Inside a group that captures nothing, or an assertion."""
        return self._replace(open=self.open + kind)

    def captured(self, name: str = "") -> Ground:
        """Inside one more capturing group."""
        groups = min(self.groups + 1, MOST_GROUPS)
        wanted = self.wanted if self.wanted > groups else 0
        new = frozenset((name,)) if name else frozenset()
        return Ground(self.open + "q", groups, wanted, self.names | new, self.missing - new)

    def referring(self, number: int) -> Ground:
        """After a back reference by number."""
        return self._replace(wanted=max(self.wanted, number)) if number > self.groups else self

    def naming(self, name: str) -> Ground:
        """After a back reference by name."""
        return self if name in self.names else self._replace(missing=self.missing | {name})

    @property
    def is_settled(self) -> bool:
        """Whether a pattern may end here."""
        return not (self.open or self.wanted or self.missing)


def longer(key: str) -> str:
    """The key of a name with one more character, where that is not remembered."""
    first, _, length = key.partition("#")
    return f"{first[0]}#{min(int(length or REMEMBERED) + 1, _LONGEST)}"


def is_free(key: str, names: frozenset[str]) -> bool:
    """Whether a name with this key, or one that goes on from there, is still to be had."""
    if key not in names:
        return True
    if len(key) == 1 and sum(len(name) == REMEMBERED and name[0] == key for name in names) < _LETTERS:
        return True
    while longer(key) != key:
        key = longer(key)
        if key not in names:
            return True
    return False


#: Where in the grammar, what of it, and the ground.
State = tuple[str, Hashable, Ground]
Moves = list[tuple[int, int, State]]


def spread(special: Mapping[str, State | None], default: State | None, least: int = 0) -> Moves:
    """Moves by character, and one for all other characters from ``least`` on; ``None`` is no move."""
    moves: Moves = []
    at = least
    for char in sorted(special):
        point = ord(char)
        if default is not None and at < point:
            moves.append((at, point - 1, default))
        at = max(at, point + 1)
        target = special[char]
        if target is not None:
            moves.append((point, point, target))
    if default is not None:
        # No text holds surrogates.
        if at < 0xD800:
            moves.append((at, 0xD7FF, default))
        moves.append((max(at, 0xE000), 0x10FFFF, default))
    return moves
