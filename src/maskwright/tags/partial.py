"""JSON values while their text streams in: the value so far, the place that is being written, what was closed."""

from __future__ import annotations

from typing import Any, Final

from maskwright.errors import OutputError, PolicyError, excerpt
from maskwright.tags.partial_numbers import CONVERSIONS
from maskwright.tags.partial_place import Malformed, PartialValue, ValueEvent
from maskwright.tags.partial_scan import Fault, Scan
from maskwright.tags.partial_text import Pieces

__all__ = ["ValueParser", "partial_json"]

_BLANKS: Final = " \t\n\r"


class ValueParser:
    """Reads one JSON value from text in pieces.

    Feeding takes time linear in the text, all pieces together, and events do not depend on where it was cut, except
    that a string comes in as many parts.
    """

    def __init__(self, *, numbers: str = "float", unique_keys: bool = False) -> None:
        """Stand before the value.

        Args:
            numbers: ``"float"``: as ``json.loads``, ``int`` and ``float``; ``"exact"``: ``int`` and ``Decimal``.
                Integers of more than 4,300 digits, and numbers beyond every float, are a ``Decimal`` either way.
            unique_keys: Whether a key that comes twice in an object is malformed. If not, the last one counts, as in
                ``json.loads``.

        Raises:
            PolicyError: an argument has no meaning.
        """
        if not isinstance(numbers, str) or numbers not in CONVERSIONS:
            raise PolicyError(f"numbers must be one of {', '.join(CONVERSIONS)}, not {excerpt(numbers)}")
        self._pieces = Pieces()
        self._events: list[ValueEvent] = []
        self._scan = Scan(numbers, self._events, unique_keys=unique_keys)
        self._error: OutputError | None = None
        self._is_closed = False

    def feed(self, delta: str | bytes) -> list[ValueEvent]:
        """Read a piece, and tell what happened.

        Never raises for what a model could write: what is no JSON gives one :class:`Malformed`, nothing after it is
        read, and :meth:`close` raises the error.
        """
        if self._is_closed:
            raise PolicyError("the parser was closed")
        if self._error is None:
            self._pieces.add(delta)
            try:
                self._read(self._pieces.text)
            except Fault as fault:
                self._fail(self._pieces.error(fault.reason, fault.index))
            else:
                if self._pieces.is_broken:
                    self._fail(self._pieces.broken())
        events = self._events.copy()
        self._events.clear()
        return events

    def finish(self) -> list[ValueEvent]:
        """Tell what the end of the text decides: a number that is the whole text, an end that came too early.

        Nothing can be fed any more; :meth:`close` gives the value, before or after. Never raises. Empty the second
        time.
        """
        self._end()
        events = self._events.copy()
        self._events.clear()
        return events

    def close(self) -> Any:
        """The value, once its text has ended. Whoever streams asks :meth:`finish` for the last events too.

        Raises :class:`maskwright.errors.OutputError` if the text was no JSON or ended too early; its ``parsed`` is the
        :class:`PartialValue`.
        """
        self._end()
        if self._error is not None:
            self._error.parsed = self.partial
            raise self._error
        return self._scan.root

    @property
    def partial(self) -> PartialValue:
        """What is known by now; O(length of the string in progress).

        Its arrays and objects are those that go on growing: copy them to keep them.
        """
        scan = self._scan
        scan.settle()
        return PartialValue(scan.root, scan.is_known, scan.is_complete, scan.place, scan.pending)

    @property
    def value(self) -> Any:
        """The value so far, see :class:`PartialValue`."""
        self._scan.settle()
        return self._scan.root

    def _end(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._pieces.end()
        if self._error is not None:
            return
        if self._pieces.is_broken:
            self._fail(self._pieces.broken())
            return
        try:
            self._scan.end()
        except Fault as fault:
            self._fail(self._pieces.error(fault.reason))

    def _read(self, text: str) -> None:
        stop = self._scan.read(text)
        if stop < len(text):
            rest = text[stop:].lstrip(_BLANKS)
            if rest:
                raise Fault("expected the end of the text", len(text) - len(rest))
        self._pieces.at = len(text)

    def _fail(self, error: OutputError) -> None:
        self._error = error
        self._events.append(Malformed(error))


def partial_json(text: str | bytes, *, numbers: str = "float", unique_keys: bool = False) -> PartialValue:
    """What is known of a JSON value from the beginning of its text; O(len(text)).

    Raises :class:`maskwright.errors.OutputError` for what begins no JSON text.
    """
    parser = ValueParser(numbers=numbers, unique_keys=unique_keys)
    for event in parser.feed(text):
        if isinstance(event, Malformed):
            event.error.parsed = parser.partial
            raise event.error
    return parser.partial
