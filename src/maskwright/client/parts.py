"""An answer while it grows: parts of its text, and its value so far."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

from maskwright.client.flow import Command, Emit, Flow
from maskwright.constraint import Constraint
from maskwright.errors import ServiceError
from maskwright.tags.parsing import parser_of
from maskwright.tags.partial import ValueParser, partial_json
from maskwright.tags.partial_place import ValueEvent

__all__ = ["Part", "Progress", "in_parts"]

T = TypeVar("T")


class Part:
    """A piece of an answer, and how far the answer is with it."""

    __slots__ = ("_count", "_pieces", "_snapshot", "attempt", "delta", "events", "is_complete")

    def __init__(
        self,
        delta: str,
        pieces: list[str],
        *,
        events: tuple[ValueEvent, ...] = (),
        attempt: int = 1,
        has_value: bool = False,
    ) -> None:
        #: The text that was added.
        self.delta = delta
        #: What that told of the JSON value: strings that go on, values that were closed, each with its place. What was
        #: closed never changes, so it may be validated at once. These are cheap, however long the answer is.
        self.events = events
        #: Whether this is the last part: its value is what was asked for, an instance of the type if it was one.
        self.is_complete = False
        #: Which answer this is a part of; it goes up, and the text begins anew, if one was refused and asked for again.
        self.attempt = attempt
        self._pieces = pieces
        self._count = len(pieces)
        self._snapshot: Any = _UNREAD if has_value else None

    @classmethod
    def last(cls, value: Any, pieces: list[str], attempt: int) -> Part:
        """The part that ends an answer."""
        part = cls("", pieces, attempt=attempt)
        part.is_complete = True
        part._snapshot = value
        return part

    @property
    def text(self) -> str:
        """All text up to here; put together when it is asked for."""
        return "".join(self._pieces[: self._count])

    @property
    def value(self) -> Any:
        """The JSON value as far as it is known, ``None`` before it begins and for what is no JSON; yours to keep.

        Read again from the text when it is asked for, so it costs as much as the text is long. Nothing is invented:
        strings hold what was received of them, members appear when their values begin, numbers and words when they are
        decided. Validators have not seen it, but for the last part's.
        """
        if self._snapshot is _UNREAD:
            self._snapshot = partial_json(self.text).value
        return self._snapshot

    def __repr__(self) -> str:
        """What was added."""
        return f"Part({self.delta!r}{', is_complete=True' if self.is_complete else ''})"


_UNREAD: Any = object()


class Progress:
    """Makes parts of one answer out of pieces of text."""

    def __init__(self, constraint: Constraint | None, attempt: int) -> None:
        parser = None if constraint is None else parser_of(constraint)
        # What goes on with a value that the prompt has begun is no value by itself.
        is_whole = isinstance(parser, ValueParser) and constraint is not None and not constraint.prefix
        self._parser = parser if isinstance(parser, ValueParser) and is_whole else None
        self._pieces: list[str] = []
        self._attempt = attempt

    def add(self, delta: str) -> Part:
        """The part of another piece."""
        self._pieces.append(delta)
        events = () if self._parser is None else tuple(self._parser.feed(delta))
        return Part(delta, self._pieces, events=events, attempt=self._attempt, has_value=self._parser is not None)

    def last(self, value: Any) -> Part:
        """The part that ends it."""
        return Part.last(value, self._pieces, self._attempt)


def in_parts(flow: Flow[T], progress: Progress) -> Flow[T]:
    """A flow whose texts are emitted as parts."""
    step: Any = partial(next, flow)
    try:
        while True:
            try:
                command: Command = step()
            except StopIteration as end:
                finished: T = end.value
                return finished
            if isinstance(command, Emit):
                command = Emit(progress.add(command.item))
            try:
                step = partial(flow.send, (yield command))
            except ServiceError as error:
                step = partial(flow.throw, error)
    finally:
        flow.close()
