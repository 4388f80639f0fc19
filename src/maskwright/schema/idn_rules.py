"""What stands where in an internationalized host name, lengths aside (RFC 5891 to 5893)."""

from __future__ import annotations

from typing import NamedTuple

from maskwright.schema.idn_table import Character, compositions

__all__ = ["Rules"]

#: Katakana middle dots (RFC 5892 appendix A.7): none and nothing that allows one, something that does, one that waits.
_NO_KANA, _KANA, _WAITING = 0, 1, 2
#: Places of a label that matter for its hyphens.
_THIRD, _LATER = 3, 4


class Rules(NamedTuple):
    """What was read of a label, as far as the rules ask for it."""

    #: Of the labels before: ``""`` all keep the Bidi rule, ``x`` one does not, ``r`` one is from right to left.
    order: str = ""
    #: Characters so far, at most 4.
    place: int = 0
    #: Whether characters outside ASCII were read.
    wide: bool = False
    #: Whether an ASCII capital was read, which no U-label has.
    capital: bool = False
    #: The character before, if it matters: ``-``, ``l``, ``h`` (Hebrew), ``v`` (virama).
    last: str = ""
    #: Whether a left-joining character was read, and only transparent ones since (RFC 5892 appendix A.1).
    joins: bool = False
    #: What must come: ``l``, ``g`` (Greek), ``j`` (a right-joining character).
    owed: str = ""
    kana: int = _NO_KANA
    #: ``l`` from left to right, ``r`` from right to left, ``x`` without direction, which Bidi names have no label of.
    direction: str = ""
    #: Whether the label may end by the Bidi rule, conditions 3 and 6.
    ends: bool = False
    #: Of a label from right to left: the kind of digits, ``E`` or ``A``.
    digits: str = ""
    #: What the last starter composes with, and the combining class since.
    starter: int = 0
    combining: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether the label may end here."""
        if not self.direction or self.owed or self.kana == _WAITING or self.last == "-":
            return False
        return self.ends or (self.direction != "r" and self.order != "r")

    @property
    def owing(self) -> int:
        """How many characters are needed at most to make the label whole."""
        return 0 if self.is_whole else bool(self.owed) + (self.kana == _WAITING) + 1

    def following(self) -> Rules:
        """After a dot."""
        if self.direction == "r":
            return Rules("r")
        return Rules("x" if self.direction == "x" or not self.ends else self.order)

    def read(self, char: Character) -> Rules | None:
        """After one more character; ``None`` if it cannot stand there."""
        if not (self._begins(char) if not self.direction else self._goes_on(char)):
            return None
        direction = self.direction or {"L": "l", "R": "r"}.get(char.bidi, "x")
        ends = char.bidi in ("L", "E") or (direction == "r" and char.bidi in ("R", "A"))
        return Rules(
            order=self.order,
            place=min(self.place + 1, _LATER),
            wide=self.wide or not char.is_ascii,
            capital=self.capital or char.kind == "C",
            last=char.kind if char.kind in ("-", "l", "v") else "h" if char.script == "h" else "",
            joins=char.joining in ("D", "L") or (char.joining == "T" and self.joins),
            owed=self._owed_after(char),
            kana=self._kana_after(char),
            direction=direction,
            ends=self.ends if char.bidi == "M" else ends,
            digits=char.bidi if direction == "r" and char.bidi in ("E", "A") else self.digits,
            starter=self.starter if char.combining else char.composes,
            combining=char.combining,
        )

    def _owed_after(self, char: Character) -> str:
        if char.kind == "b":
            return "l"
        if char.kind == "g":
            return "g"
        if char.kind == "n":
            return "" if self.last == "v" else "j"
        return "j" if self.owed == "j" and char.joining == "T" else ""

    def _kana_after(self, char: Character) -> int:
        if char.script == "k":
            return _KANA
        return _WAITING if char.kind == "k" and self.kana == _NO_KANA else self.kana

    def _begins(self, char: Character) -> bool:
        """Whether a label can begin so (RFC 5891 section 4.2.3, RFC 5893 section 2, condition 1)."""
        if char.is_mark or char.kind in ("-", "b", "h", "n", "j"):
            return False
        if char.bidi == "R":
            return self.order != "x"
        return char.bidi == "L" or (self.order != "r" and char.bidi != "A")

    def _goes_on(self, char: Character) -> bool:
        if self.owed and not self._pays(char):
            return False
        if self.capital if not char.is_ascii else (char.kind == "C" and self.wide):
            return False
        if char.kind == "-" and self.last == "-" and self.place == _THIRD:
            return False
        return self._in_context(char) and self._in_direction(char) and self._in_normal_form(char)

    def _pays(self, char: Character) -> bool:
        if self.owed == "l":
            return char.kind == "l"
        if self.owed == "g":
            return char.script == "g"
        return char.joining in ("D", "R", "T")

    def _in_context(self, char: Character) -> bool:
        """RFC 5892 appendix A, what must stand before."""
        if char.kind == "b":
            return self.last == "l"
        if char.kind == "h":
            return self.last == "h"
        if char.kind == "n":
            return self.last == "v" or self.joins
        return char.kind != "j" or self.last == "v"

    def _in_direction(self, char: Character) -> bool:
        """RFC 5893 section 2, conditions 2, 4 and 5; it keeps the digits of RFC 5892 appendix A.8 and A.9 apart too."""
        if self.direction != "r":
            return char.bidi not in ("R", "A")
        return char.bidi != "L" and not (char.bidi in ("E", "A") and self.digits not in ("", char.bidi))

    def _in_normal_form(self, char: Character) -> bool:
        """UAX 15: marks in order, and none that composes with the starter, unless another of its class is between."""
        if char.combining and self.combining > char.combining:
            return False
        is_blocked = 0 < self.combining >= char.combining
        return is_blocked or char.mark not in compositions()[self.starter]
