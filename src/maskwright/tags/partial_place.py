"""Places in a JSON value, and what is told of a value while its text streams in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maskwright.errors import OutputError

__all__ = ["Malformed", "PartialValue", "Place", "ValueDelta", "ValueEnd", "ValueEvent"]


class Place:
    """Where a value stands in the whole: a chain of steps, made in O(1) however deep; equal if the steps are equal.

    With a tuple of steps in each event an array in an array, 100,000 deep, took time that grows with the square.
    """

    __slots__ = ("parent", "step")

    def __init__(self, parent: Place | None = None, step: str | int | None = None) -> None:
        """Without arguments, the whole."""
        self.parent = parent
        #: The key or index below the parent; ``None`` for the whole.
        self.step = step

    @property
    def steps(self) -> tuple[str | int, ...]:
        """Keys and indices from the whole to here; O(depth)."""
        steps: list[str | int] = []
        place: Place | None = self
        while place is not None and place.step is not None:
            steps.append(place.step)
            place = place.parent
        return tuple(reversed(steps))

    @property
    def pointer(self) -> str:
        """The JSON pointer (RFC 6901), ``""`` for the whole; O(depth)."""
        return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in self.steps)

    def __eq__(self, other: object) -> bool:
        return self.steps == other.steps if isinstance(other, Place) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.steps)

    def __repr__(self) -> str:
        """The pointer."""
        return f"Place({self.pointer!r})"


@dataclass(frozen=True, slots=True)
class ValueDelta:
    """A string at a place goes on."""

    place: Place
    #: Characters, never half of one; escapes are resolved.
    text: str


@dataclass(frozen=True, slots=True)
class ValueEnd:
    """A value was read to its end: from now on it may be validated, it never changes."""

    place: Place
    value: Any


@dataclass(frozen=True, slots=True)
class Malformed:
    """The text went wrong; nothing that follows is read, and closing the parser raises the error."""

    error: OutputError


#: What :meth:`maskwright.tags.partial.ValueParser.feed` returns.
ValueEvent = ValueDelta | ValueEnd | Malformed


@dataclass(frozen=True, slots=True)
class PartialValue:
    """What is known of a value whose text has not ended."""

    #: The value so far: strings as far as they were written; numbers, ``true``, ``false``, ``null`` and keys once they
    #: ended. ``None`` if nothing is known.
    value: Any
    #: Whether anything is known: tells ``null`` from nothing.
    is_known: bool
    #: Whether the value was read to its end. A number that is the whole text ends with the text.
    is_complete: bool
    #: The value that is being written: the innermost that is open.
    place: Place
    #: The number or literal in progress, as written; ``""`` if none.
    pending: str
