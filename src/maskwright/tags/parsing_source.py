"""The text of a turn, read by generators: each yields when it cannot decide without more text.

So a format reads like its grammar, and where the text was cut makes no difference: what was not decided stays unread,
and is never longer than a marker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any, Final, TypeVar

from maskwright.tags.partial_scan import Fault, Scan
from maskwright.tags.partial_text import Mark, Pieces

__all__ = ["Needles", "Source", "Step"]

T = TypeVar("T")
Step = Generator[None, None, T]

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_INSIDE: Final = "the text ends inside "


class Needles:
    """Strings that end a text, each with or without ``lead``, which is then no part of the text either."""

    __slots__ = ("_all", "_first", "_longest", "_pattern")

    def __init__(self, *given: str, lead: str = "") -> None:
        strings = tuple(filter(None, given))
        alternatives = "|".join(map(re.escape, sorted(strings, key=len, reverse=True)))
        self._pattern = re.compile(f"(?:{re.escape(lead)})?({alternatives})") if strings else re.compile("(?!)()")
        self._all = tuple(lead + string for string in strings) + (strings if lead else ())
        self._longest = max(map(len, self._all), default=1)
        self._first = re.compile(f"[{''.join({re.escape(s[0]) for s in self._all})}]") if strings else self._pattern

    def find(self, text: str, at: int) -> tuple[int, int] | None:
        """Where the text before the first of them ends, and where that one begins without its lead."""
        found = self._pattern.search(text, at)
        return None if found is None else (found.start(), found.start(1))

    def held(self, text: str, at: int) -> int:
        """How many characters at the end may begin one of them."""
        for first in self._first.finditer(text, max(at, len(text) - self._longest + 1)):
            tail = text[first.start() :]
            if any(string.startswith(tail) for string in self._all):
                return len(tail)
        return 0


class Source(Pieces):
    """A turn's text. Every method that is a generator reads on from ``at``."""

    __slots__ = ("_kept", "_kept_from", "numbers", "unique_keys")

    def __init__(self, numbers: str, *, unique_keys: bool = True) -> None:
        """Arguments as for :class:`maskwright.tags.partial.ValueParser`."""
        super().__init__()
        self.numbers = numbers
        self.unique_keys = unique_keys
        #: What was read since :meth:`keep` and dropped, and where in ``text`` the rest of it begins; -1: nothing.
        self._kept: list[str] = []
        self._kept_from = -1

    def keep(self) -> None:
        """Remember what is read from here on, for :meth:`kept`."""
        self._kept.clear()
        self._kept_from = self.at

    def forget(self) -> None:
        """Stop remembering."""
        self._kept.clear()
        self._kept_from = -1

    def kept(self) -> str:
        """What was read since :meth:`keep`, and what was not read."""
        return "".join(self._kept) + self.text[self.at if self._kept_from < 0 else self._kept_from :]

    def _drop(self) -> None:
        if self._kept_from >= 0:
            self._kept.append(self.text[self._kept_from : self.at])
            self._kept_from = 0
        super()._drop()

    def blanks(self) -> Step[str]:
        """Read blanks, and return them."""
        parts = []
        while True:
            stop = _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]
            parts.append(self.text[self.at : stop])
            self.at = stop
            if stop < len(self.text) or self.is_ended:
                return "".join(parts)
            yield

    def sees(self, literal: str) -> Step[bool]:
        """Whether a literal comes next; it is not read."""
        while not self.text.startswith(literal, self.at):
            if self.is_ended or not literal.startswith(self.text[self.at : self.at + len(literal)]):
                return False
            yield
        return True

    def takes(self, literal: str) -> Step[bool]:
        """Read a literal if it comes next, and tell whether it did."""
        comes = yield from self.sees(literal)
        if comes:
            self.at += len(literal)
        return comes

    def comes(self, *literals: str, inside: str) -> Step[str]:
        """Which of some literals comes next, ``""`` if none; it is not read. A text that ends in one is an error."""
        while True:
            rest = self.text[self.at : self.at + max(map(len, literals))]
            for literal in literals:
                if rest.startswith(literal):
                    return literal
            if not any(literal.startswith(rest) for literal in literals) or (self.is_ended and not rest):
                return ""
            if self.is_ended:
                raise self.error(_INSIDE + inside, len(self.text))
            yield

    def expect(self, words: tuple[str, ...], inside: str) -> Step[None]:
        """Read words, any blanks before each. ``inside`` tells what ends too early if the text does."""
        for word in words:
            yield from self.blanks()
            comes = yield from self.takes(word)
            if not comes:
                same = 0
                while self.text[self.at + same : self.at + same + 1] == word[same]:
                    same += 1
                index = self.at + same
                raise self.error(f"{_INSIDE}{inside}" if index == len(self.text) else f"expected {word}", index)

    def until(self, needles: Needles, emit: Callable[[str], None]) -> Step[bool]:
        """Read text up to one of some strings, and tell whether one came; ``emit`` gets the text in parts."""
        while True:
            found = needles.find(self.text, self.at)
            if found is not None:
                stop, self.at, start = found[0], found[1], self.at
            else:
                held = 0 if self.is_ended else needles.held(self.text, self.at)
                stop, start = len(self.text) - held, self.at
                self.at = stop
            if stop > start:
                emit(self.text[start:stop])
            if found is not None or self.is_ended:
                return found is not None
            yield

    def until_there(self, needles: Needles, inside: str) -> Step[str]:
        """The text up to one of some strings, which must come."""
        parts: list[str] = []
        comes = yield from self.until(needles, parts.append)
        if not comes:
            raise self.error(_INSIDE + inside)
        return "".join(parts)

    def value(self, inside: str, emit: Callable[[str], None] | None = None) -> Step[Any]:
        """The JSON value that comes next; ``emit`` gets its text in parts."""
        scan = Scan(self.numbers, unique_keys=self.unique_keys)
        while True:
            fault, start = None, self.at
            try:
                self.at = scan.read(self.text, start)
            except Fault as caught:
                fault, self.at = caught, caught.index
            if emit is not None and self.at > start:
                emit(self.text[start : self.at])
            if fault is not None:
                raise self.error(fault.reason)
            if scan.is_complete:
                return scan.root
            if self.is_ended:
                return self._ended(scan, inside)
            yield

    def _ended(self, scan: Scan, inside: str) -> Any:
        """A number may end with the text."""
        try:
            scan.end()
        except Fault as fault:
            raise self.error(_INSIDE + inside) from fault
        return scan.root

    def string(self, what: str, inside: str) -> Step[tuple[str, Mark]]:
        """The JSON string that comes next, blanks before it, and its place."""
        yield from self.blanks()
        if self.at < len(self.text) and self.text[self.at] != '"':
            raise self.error(f"expected {what}")
        mark = self.mark()
        text = yield from self.value(inside)
        return text, mark

    def is_over(self) -> Step[bool]:
        """Whether the text ends here."""
        while self.at == len(self.text) and not self.is_ended:
            yield
        return self.at == len(self.text)

    def nothing_more(self, after: str) -> Step[None]:
        """Read blanks to the end of the text."""
        yield from self.blanks()
        if self.at < len(self.text):
            raise self.error(f"expected the end of the text after {after}")
