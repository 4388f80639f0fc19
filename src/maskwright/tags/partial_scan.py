"""One JSON value read from text in pieces, with all that is known of it at any time (RFC 8259)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from maskwright.tags.partial_numbers import BEGIN, CONVERSIONS, EXPECTED, FINAL, NEXT
from maskwright.tags.partial_place import Place, ValueDelta, ValueEnd, ValueEvent

__all__ = ["Fault", "Scan"]

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPE: Final = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_LOW: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
#: The beginnings of an escape, and of one of the lower half of a surrogate pair.
_ESCAPE_BEGINS: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
_LOW_BEGINS: Final = re.compile(r"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?")
_MEANINGS: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final[dict[str, tuple[str, Any]]] = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class Fault(Exception):  # noqa: N818  (never leaves the package: a place in a piece, for an OutputError)
    """What is wrong at an index of the piece that was passed."""

    def __init__(self, reason: str, index: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.index = index


class Scan:
    """One value while it is read.

    Open arrays and objects are a list, not calls: depth costs memory only. Every handler reads some characters of
    ``text`` from ``at`` on and returns where it stopped; which handler is next is the state.
    """

    __slots__ = (
        "_containers", "_convert", "_events", "_held", "_is_key", "_number", "_parts", "_place", "_places", "_state",
        "_unique_keys", "_word", "is_known", "root",
    )  # fmt: skip

    def __init__(self, numbers: str, events: list[ValueEvent] | None = None, *, unique_keys: bool) -> None:
        """Stand before the value; what happens is appended to ``events``."""
        self._unique_keys = unique_keys
        self._convert = CONVERSIONS[numbers]
        self._events = events
        #: The value so far; the string that is open in it may lag behind until :meth:`settle`.
        self.root: Any = None
        self.is_known = False
        #: The open arrays and objects, their places, and the place of the value in the last of them.
        self._containers: list[Any] = []
        self._places: list[Place] = []
        self._place = Place()
        #: The string or scalar that is open.
        self._parts: list[str] = []
        self._is_key = False
        self._number = ""
        self._word = ""
        #: The beginning of an escape, at most 11 characters, which the next piece goes on with.
        self._held = ""
        self._state: Callable[[str, int], int] | None = self._value

    @property
    def is_complete(self) -> bool:
        """Whether the value was read to its end."""
        return self._state is None

    @property
    def place(self) -> Place:
        """The value that is being written: the innermost that is open."""
        between = (self._first_element, self._first_key, self._key, self._after)
        return self._places[-1] if self._is_key or self._state in between else self._place

    @property
    def pending(self) -> str:
        """The number or literal in progress, as written."""
        if self._state not in (self._scalar, self._literal):
            return ""
        self._parts[:] = ["".join(self._parts)]
        return self._parts[0]

    def settle(self) -> None:
        """Bring the open string in ``root`` up to date; O(its length)."""
        if self._state == self._string and not self._is_key:
            self._parts[:] = ["".join(self._parts)]
            self._put(self._parts[0])

    def read(self, text: str, at: int = 0) -> int:
        """Read from ``at`` on; returns where the value ended, or the length of ``text``.

        Linear in what is read, all pieces together. Raises :class:`Fault`; what was read before it stands.
        """
        held = len(self._held)
        if held:
            text, at, shift = self._held + text[at:], 0, at - held
            self._held = ""
        else:
            shift = 0
        try:
            while at < len(text) and self._state is not None:
                at = self._state(text, at)
        except Fault as fault:
            self._held = ""
            raise Fault(fault.reason, fault.index + shift) from None
        return at + shift

    def end(self) -> None:
        """The text ends here. Raises :class:`Fault` if the value has not ended."""
        if self._state == self._scalar and not self._containers and self._number in FINAL:
            self._finish_number(0)
        if self._state is not None:
            raise Fault(
                "the text ends inside a value" if self.is_known or self._parts else "the text holds no value", 0
            )

    # What may be begun ------------------------------------------------------------------------------------------

    def _value(self, text: str, at: int) -> int:
        """Before a value."""
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        first = text[at]
        if first == '"':
            self._parts.clear()
            self._put_first("")
            self._state = self._string
            return at + 1
        if first in "{[":
            return self._open(first, at)
        self._parts.clear()
        if first in _WORDS:
            self._word = _WORDS[first][0]
            self._state = self._literal
        elif first in "-0123456789":
            self._number = BEGIN
            self._state = self._scalar
        else:
            raise Fault("expected a value", at)
        return at

    def _first_element(self, text: str, at: int) -> int:
        """After ``[``."""
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at < len(text):
            if text[at] == "]":
                return self._close(at)
            self._next_element()
        return at

    def _first_key(self, text: str, at: int) -> int:
        """After ``{``."""
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at < len(text) and text[at] == "}":
            return self._close(at)
        return self._key(text, at, "expected a key or }")

    def _key(self, text: str, at: int, expected: str = "expected a key") -> int:
        """After a comma in an object."""
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        if text[at] != '"':
            raise Fault(expected, at)
        self._is_key = True
        self._parts.clear()
        self._state = self._string
        return at + 1

    def _colon(self, text: str, at: int) -> int:
        """After a key."""
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        if text[at] != ":":
            raise Fault("expected :", at)
        self._state = self._value
        return at + 1

    def _after(self, text: str, at: int) -> int:
        """After a value in an array or object."""
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        is_array = isinstance(self._containers[-1], list)
        mark = text[at]
        if mark == ("]" if is_array else "}"):
            return self._close(at)
        if mark != ",":
            raise Fault("expected , or ]" if is_array else "expected , or }", at)
        if is_array:
            self._next_element()
        else:
            self._state = self._key
        return at + 1

    # Strings ----------------------------------------------------------------------------------------------------

    def _string(self, text: str, at: int) -> int:
        """Inside a string or key."""
        stop = _PLAIN.match(text, at).end()  # type: ignore[union-attr]
        if stop > at:
            self._grow(text[at:stop])
        if stop == len(text):
            return stop
        mark = text[stop]
        if mark == '"':
            self._finish_string(stop)
            return stop + 1
        if mark != "\\":
            raise Fault("a control character in a string, which must be escaped", stop)
        return self._escape(text, stop)

    def _escape(self, text: str, at: int) -> int:
        found = _ESCAPE.match(text, at)
        if found is None:
            begun = _ESCAPE_BEGINS.match(text, at).end()  # type: ignore[union-attr]
            if begun < len(text):
                raise Fault("an escape that JSON does not know", begun)
            self._held = text[at:]
            return begun
        code, letter = found.groups()
        if letter is not None:
            self._grow(_MEANINGS[letter])
            return found.end()
        character = chr(int(code, 16))
        if not "\ud800" <= character <= "\udbff":
            self._grow(character)
            return found.end()
        low = _LOW.match(text, found.end())
        if low is not None:
            self._grow(chr(0x10000 + ((ord(character) - 0xD800) << 10) + int(low[1], 16) - 0xDC00))
            return low.end()
        if _LOW_BEGINS.match(text, found.end()).end() == len(text):  # type: ignore[union-attr]
            self._held = text[at:]
            return len(text)
        self._grow(character)
        return found.end()

    def _grow(self, text: str) -> None:
        self._parts.append(text)
        if self._events is not None and not self._is_key:
            self._events.append(ValueDelta(self._place, text))

    def _finish_string(self, at: int) -> None:
        whole = "".join(self._parts)
        if self._is_key:
            if self._unique_keys and whole in self._containers[-1]:
                raise Fault(f"the key {whole[:100]!r} stands there already", at)
            self._is_key = False
            self._place = Place(self._places[-1], whole)
            self._state = self._colon
        else:
            self._put(whole)
            self._finish(whole)

    # Numbers and literals ---------------------------------------------------------------------------------------

    def _scalar(self, text: str, at: int) -> int:
        """Inside a number."""
        state, start = self._number, at
        while at < len(text):
            following = NEXT[state].get(text[at])
            if following is None:
                break
            state = following
            at += 1
        self._number = state
        self._parts.append(text[start:at])
        if at < len(text):
            if state not in FINAL:
                raise Fault(f"expected {EXPECTED.get(state, 'a digit')}", at)
            self._finish_number(at)
        return at

    def _finish_number(self, at: int) -> None:
        try:
            value = self._convert("".join(self._parts))
        except ValueError as error:
            raise Fault(str(error), at) from error
        self._put_first(value)
        self._finish(value)

    def _literal(self, text: str, at: int) -> int:
        """Inside ``true``, ``false`` or ``null``."""
        word = self._word
        read = sum(map(len, self._parts))
        stop = min(len(text), at + len(word) - read)
        start = at
        while at < stop and text[at] == word[read]:
            at, read = at + 1, read + 1
        self._parts.append(text[start:at])
        if at < stop:
            raise Fault(f"expected {word}", at)
        if read == len(word):
            value = _WORDS[word[0]][1]
            self._put_first(value)
            self._finish(value)
        return at

    # Arrays and objects -----------------------------------------------------------------------------------------

    def _open(self, mark: str, at: int) -> int:
        container: Any = {} if mark == "{" else []
        self._put_first(container)
        self._containers.append(container)
        self._places.append(self._place)
        self._state = self._first_key if mark == "{" else self._first_element
        return at + 1

    def _next_element(self) -> None:
        self._place = Place(self._places[-1], len(self._containers[-1]))
        self._state = self._value

    def _close(self, at: int) -> int:
        container = self._containers.pop()
        self._place = self._places.pop()
        self._finish(container)
        return at + 1

    def _put_first(self, value: Any) -> None:
        """Put a value in its place, which it is the first to take."""
        if self._containers and isinstance(self._containers[-1], list):
            self._containers[-1].append(value)
        else:
            self._put(value)

    def _put(self, value: Any) -> None:
        self.is_known = True
        if not self._containers:
            self.root = value
        elif isinstance(self._containers[-1], list):
            self._containers[-1][-1] = value
        else:
            self._containers[-1][self._place.step] = value

    def _finish(self, value: Any) -> None:
        self._parts.clear()
        if self._events is not None:
            self._events.append(ValueEnd(self._place, value))
        self._state = self._after if self._containers else None
