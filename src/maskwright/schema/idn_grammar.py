"""The format ``idn-hostname``: the names of RFC 5890 section 2.3.2.3, as a machine that reads from left to right.

A label is a U-label or an NR-LDH label. Checked are the code points and contexts of RFC 5892 (Unicode 17), hyphens and
leading marks (RFC 5891 section 4.2), normalization form C, the Bidi rule over the whole name (RFC 5893), and lengths in
A-form: 63 a label, 253 a name. Any of the four dots of RFC 3490 separates labels.

Valid and yet never written, because no automaton of reasonable size decides them:

* A-labels, ``xn--``: they are valid if what they decode to is, and a state for each text of them were needed;
* U-labels whose A-form fits only because of the order of their letters: a label is refused when some label with as many
  letters from the same blocks does not fit. There is always room for 27 Russian, 23 Greek, Arabic or Devanagari, 14 Han
  or Hangul letters, and for 40 letters of which one is an umlaut;
* names beside the limit of 253, when a U-label comes after others: what stands before it is rounded up to a multiple of
  16, so that names share their states;
* the combining marks of Latin, Greek and Cyrillic that make up composed letters (U+0300 and 27 more), even after
  letters that they compose nothing with.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Final, NamedTuple, cast

from maskwright.network.lexeme import Term, approximate, automaton, repeat
from maskwright.network.lexeme import characters as characters_of
from maskwright.schema.idn_rules import Rules
from maskwright.schema.idn_table import characters, windows

__all__ = ["NAMES", "InternationalizedNames", "internationalized_hostname"]

#: The longest label and name in A-form (RFC 1035 section 2.3.4), in half characters.
_LABEL: Final = 2 * 63
_NAME: Final = 2 * 253
#: ``xn--``, and the hyphen behind the ASCII characters of a label.
_PREFIX: Final = 8
_HYPHEN: Final = 2
#: What stands before a label, before a U-label, and before its first character that is not ASCII, is rounded up to
#: multiples of these, so that names share states: one has 2,300 ranges, and takes a hundred more for its UTF-8.
_ROUNDED: Final = 16
_ROUNDED_NAME: Final = 64
_ROUNDED_LABEL: Final = 10
#: How many half characters of ASCII a U-label may begin with.
_BEGUN: Final = 50
#: The dots of RFC 3490 section 3.1.
_DOTS: Final = (0x2E, 0x3002, 0xFF0E, 0xFF61)


class Lengths(NamedTuple):
    """How much was read, in half characters of A-form, at most."""

    #: Before the label, dots included.
    before: int = 0
    label: int = 0
    #: The window of the characters that are not ASCII; -1 if there are none.
    window: int = -1
    #: Whether a character of ASCII was read.
    mixed: bool = False

    def read(self, window: int) -> Lengths:
        """After a character of a window, -1 for ASCII."""
        if window < 0:
            first = self.window >= 0 and not self.mixed
            own = windows()[self.window]
            return self._replace(label=self.label + 2 + (_HYPHEN + own.mixed - own.pure if first else 0), mixed=True)
        if self.window < 0:
            new = windows()[window]
            added = _PREFIX + new.slope + (_HYPHEN + new.mixed if self.mixed else new.pure)
            before = -(-self.before // _ROUNDED_NAME) * _ROUNDED_NAME
            return Lengths(before, -(-self.label // _ROUNDED_LABEL) * _ROUNDED_LABEL + added, window, self.mixed)
        joined = _joined(self.window, window)
        label = self.label if joined == self.window else self._widened(joined)
        return self._replace(label=label + windows()[joined].slope, window=joined)

    def following(self) -> Lengths:
        """After a dot."""
        return Lengths(-(-(self.before + self.label + 2) // _ROUNDED) * _ROUNDED)

    def _widened(self, window: int) -> int:
        """The label, if all that can have been of the old window is paid for as in a wider one."""
        old, new = windows()[self.window], windows()[window]
        constant = _PREFIX + (_HYPHEN + old.mixed if self.mixed else old.pure)
        others = (self.label - constant - 2 * self.mixed) // old.slope
        added = new.mixed - old.mixed if self.mixed else new.pure - old.pure
        return self.label + added + max(new.slope - old.slope, 0) * others

    def fits(self, more: int) -> bool:
        """Whether label and name are short enough, with room for so many characters that must come."""
        room = self.label
        if more:
            own = windows()[self.window]
            room += 2 * more if self.window < 0 else more * own.slope + 2 * more + (0 if self.mixed else _HYPHEN)
            room += max(own.mixed - own.pure, 0) if self.window >= 0 and not self.mixed else 0
        return room <= _LABEL and self.before + room <= _NAME


@cache
def _joined(one: int, other: int) -> int:
    """The smallest window that holds two."""
    low = min(windows()[one].first, windows()[other].first)
    high = max(windows()[one].last, windows()[other].last)
    return next(i for i, window in enumerate(windows()) if window.first <= low and high <= window.last)


@cache
def _ruled(rules: Rules) -> tuple[Rules | None, ...]:
    """What the rules say after each class of characters: some hundred states in practice."""
    return tuple(map(rules.read, characters().classes))


_State = tuple[bool, Lengths, Rules]


class InternationalizedNames:
    """All names: an ``Automaton`` with the states (may it end here?, lengths, rules). There is one, see ``NAMES``."""

    start: Final[_State] = (False, Lengths(), Rules())

    def accepts(self, state: Hashable) -> bool:
        """Whether a whole name was read."""
        return cast("_State", state)[0]

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, _State]]:
        """``(first, last, next state)``; there are 2,300 ranges."""
        is_whole, lengths, rules = cast("_State", state)
        table = characters()
        longer: dict[int, Lengths] = {-1: lengths.read(-1)}
        if lengths.window >= 0 or lengths.label <= _BEGUN:
            longer.update((window, lengths.read(window)) for window in range(len(windows())))
        after: list[_State | None] = []
        for char, allowed in zip(table.classes, _ruled(rules), strict=True):
            new = longer.get(char.window)
            if allowed is None or new is None or not new.fits(allowed.owing):
                after.append(None)
            else:
                after.append((allowed.is_whole, new, allowed))
        found = [(first, last, then) for first, last, which in table.ranges if (then := after[which]) is not None]
        if is_whole and lengths.following().before + 2 <= _NAME:
            following = (False, lengths.following(), rules.following())
            found += [(dot, dot, following) for dot in _DOTS]
            found.sort()
        return found


#: Equal machines must be one; hashing by identity saves a fifth of a mask, which asks for it at each of 2,300 ranges.
NAMES: Final = InternationalizedNames()


@cache
def internationalized_hostname() -> Term:
    """Every name, but for what the module's docstring names; ``not`` it is what has a character that no name has."""
    wide = repeat(characters_of([(0x2D, 0x2E), (0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A), (0x80, 0x10FFFF)]), 1, _NAME)
    return approximate(automaton(NAMES), wide)
