r"""The format ``regex``: the patterns of ECMA-262 section 22.2.1 under the u flag, as a machine with a stack.

Read are the patterns that every edition from ES2018 to ES2024 reads: names of groups are unique in the whole pattern,
and groups have no modifiers ``(?i:`` (both came in ES2025).

Valid and yet never written, because they would need a state for every text or character (a mask after ``(?<`` took 80
seconds and 11 GB with the names remembered in full):

* names of groups that are not ASCII or hold escapes; of names longer than two characters, those that agree with an
  earlier one in first character and length, and references to them (``\k<n>`` is read, ``\k<quote>`` is not);
* back references above 999;
* ranges in brackets that begin with a literal character outside ASCII and end within the same few dozen characters
  (``[か-く]``; ``[\u304b-\u304f]``, ``[ぁ-ん]``, ``[à-ü]`` and ``[一-龥]`` are read).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, Final, cast

from maskwright.network.lexeme import (
    ANY_CHARACTER,
    Term,
    approximate,
    automaton,
    characters,
    complement,
    concatenate,
    repeat,
)
from maskwright.schema import regex_characters as chars
from maskwright.schema.regex_states import MOST_GROUPS, REMEMBERED, Ground, Moves, State, is_free, longer, spread

__all__ = ["Patterns", "regex"]

_DIGITS: Final = "0123456789"
_NAME_BEGINS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_"


class Patterns:
    """All valid patterns: an ``Automaton``."""

    start: Final[State] = ("start", None, Ground())

    def __eq__(self, other: object) -> bool:
        """Compare by value: there is one."""
        return isinstance(other, Patterns)

    def __hash__(self) -> int:
        """Hash by value: there is one."""
        return hash(Patterns)

    def accepts(self, state: Hashable) -> bool:
        """Whether a whole pattern was read."""
        mode, detail, ground = cast("State", state)
        if mode == "number":
            ground = ground.referring(cast("int", detail))
        return ground.is_settled and mode in _ENDS

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, State]]:
        """``(first, last, next state)``."""
        mode, detail, ground = cast("State", state)
        return _MODES[mode](detail, ground)


#: Modes in which a term is complete.
_ENDS: Final = frozenset({"start", "atom", "lazy", "null", "number"})


def _terms(ground: Ground) -> dict[str, State | None]:
    """What the syntax characters do between two terms."""
    start, atom = ("start", None, ground), ("atom", None, ground)
    close: State | None = None
    if ground.open:
        close = ("atom" if ground.open[-1] == "q" else "start", None, ground._replace(open=ground.open[:-1]))
    return {
        **dict.fromkeys("^$|", start),
        **dict.fromkeys("*+?{}]"),
        ".": atom,
        "\\": ("escape", None, ground),
        "(": ("open", None, ground),
        ")": close,
        "[": ("class begin", None, ground),
    }


def _start(_: None, ground: Ground) -> Moves:
    """Where nothing can be repeated."""
    return spread(_terms(ground), ("atom", None, ground))


def _repeatable(ground: Ground) -> dict[str, State | None]:
    special = _terms(ground)
    special.update(dict.fromkeys("*+?", ("lazy", None, ground)))
    special["{"] = ("count", None, ground)
    return special


def _atom(_: None, ground: Ground) -> Moves:
    """After what can be repeated."""
    return spread(_repeatable(ground), ("atom", None, ground))


def _lazy(_: None, ground: Ground) -> Moves:
    """After a quantifier."""
    return spread({**_terms(ground), "?": ("start", None, ground)}, ("atom", None, ground))


def _null(_: None, ground: Ground) -> Moves:
    r"""After ``\0``: no digit, which would make it octal."""
    return spread({**_repeatable(ground), **dict.fromkeys(_DIGITS)}, ("atom", None, ground))


def _number(number: int, ground: Ground) -> Moves:
    """After the digits of a back reference."""
    settled = ground.referring(number)
    more = {
        digit: ("number", number * 10 + int(digit), ground) if number * 10 + int(digit) <= MOST_GROUPS else None
        for digit in _DIGITS
    }
    return spread({**_repeatable(settled), **more}, ("atom", None, settled))


def _open(_: None, ground: Ground) -> Moves:
    """After an opening parenthesis."""
    inside = ground.captured()
    return spread({**_terms(inside), "?": ("special", None, ground)}, ("atom", None, inside))


def _special(_: None, ground: Ground) -> Moves:
    """After ``(?``."""
    look: State = ("start", None, ground.opened("a"))
    special: dict[str, State | None] = {":": ("start", None, ground.opened("q")), "=": look, "!": look}
    return spread({**special, "<": ("angle", None, ground)}, None)


def _angle(_: None, ground: Ground) -> Moves:
    """After ``(?<``."""
    look: State = ("start", None, ground.opened("a"))
    names = {letter: ("name", (letter, True), ground) for letter in _NAME_BEGINS}
    return spread({"=": look, "!": look, **names}, None)


def _name(detail: tuple[str, bool], ground: Ground) -> Moves:
    """Within the name of a group: its key so far, and whether it names a new group."""
    key, defines = detail
    special: dict[str, State | None] = {}
    if len(key) < REMEMBERED:
        for letter in _NAME_BEGINS + _DIGITS if key else _NAME_BEGINS:
            if not defines or is_free(key + letter, ground.names):
                special[letter] = ("name", (key + letter, defines), ground)
    elif defines and is_free(longer(key), ground.names):
        special = dict.fromkeys(_NAME_BEGINS + _DIGITS, ("name", (longer(key), defines), ground))
    if key and not defines:
        special[">"] = ("atom", None, ground.naming(key))
    elif key and key not in ground.names:
        special[">"] = ("start", None, ground.captured(key))
    return spread(special, None)


def _reference(_: None, ground: Ground) -> Moves:
    r"""After ``\k``."""
    return spread({"<": ("name", ("", False), ground)}, None)


def _escape(_: None, ground: Ground) -> Moves:
    """After a backslash outside of brackets."""
    special = chars.values(chars.OUTSIDE, (0, 0), ground)
    special.update(dict.fromkeys("bB", ("start", None, ground)))
    special.update({digit: ("number", int(digit), ground) for digit in _DIGITS[1:]})
    special["0"] = ("null", None, ground)
    special["k"] = ("reference", None, ground)
    return spread(special, None)


def _count(_: None, ground: Ground) -> Moves:
    """After the opening brace of a quantifier."""
    return spread({digit: ("least", int(digit), ground) for digit in _DIGITS}, None)


def _least(least: int, ground: Ground) -> Moves:
    """Within the least count."""
    special: dict[str, State | None] = {d: ("least", least * 10 + int(d), ground) for d in _DIGITS}
    special[","] = ("most", (least, -1), ground)
    special["}"] = ("lazy", None, ground)
    return spread(special, None)


def _most(detail: tuple[int, int], ground: Ground) -> Moves:
    """Within the greatest count: the least count, and what was read (-1: nothing). Once it is enough, both are 0."""
    least, most = detail
    special: dict[str, State | None] = {}
    for digit in _DIGITS:
        after = max(most, 0) * 10 + int(digit)
        special[digit] = ("most", (0, 0) if after >= least else (least, after), ground)
    if most < 0 or most >= least:
        special["}"] = ("lazy", None, ground)
    return spread(special, None)


_MODES: Final[dict[str, Callable[[Any, Ground], Moves]]] = {
    "start": _start,
    "atom": _atom,
    "lazy": _lazy,
    "null": _null,
    "number": _number,
    "open": _open,
    "special": _special,
    "angle": _angle,
    "name": _name,
    "reference": _reference,
    "escape": _escape,
    "count": _count,
    "least": _least,
    "most": _most,
    "class begin": chars.begin,
    "class": chars.inside,
    "class escape": chars.escape,
    "dash": chars.dash,
    "hex": chars.hexadecimal,
    "unicode": chars.unicode,
    "brace": chars.braces,
    "control": chars.control,
    "property": chars.named,
}


@cache
def regex() -> Term:
    """Every pattern of ECMA-262, but for those that the module's docstring names.

    ``not`` it is what begins with a quantifier or a closing parenthesis, which no edition reads, whatever the flags.
    """
    # The bound makes it a term that no pattern of a schema is.
    begun = concatenate(characters([(0x29, 0x2B), (0x3F, 0x3F)]), repeat(ANY_CHARACTER, 0, 1_000_000_000))
    return approximate(automaton(Patterns()), complement(begun))
