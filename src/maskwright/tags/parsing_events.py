"""What is told of a turn with tool calls while its text streams in, and what it was in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maskwright.tags.partial_place import Malformed

__all__ = [
    "ArgumentsDelta",
    "Call",
    "CallBegin",
    "CallEnd",
    "ContentDelta",
    "Event",
    "Parsed",
    "ReasoningDelta",
    "Tag",
    "TagBegin",
    "TagDelta",
    "TagEnd",
]


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call."""

    name: str
    #: The arguments as a JSON text: as it was written, or put together where the format writes no JSON.
    arguments: str
    #: The arguments as a value, a dict of the parameters.
    value: Any
    #: The id that the model wrote, ``None`` if none.
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """The text for the user goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The model's thinking goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class CallBegin:
    """A call whose name is known; ``id`` is ``None`` if the model wrote none or writes it after the arguments."""

    index: int
    name: str
    id: str | None


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """The JSON text of a call's arguments goes on."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CallEnd:
    """A call was read to its end."""

    index: int
    call: Call


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag of a structural tag: what began it, what stood in it, and what ended it."""

    begin: str
    text: str
    end: str
    #: The JSON value in it, ``None`` if something else stood there.
    value: Any


@dataclass(frozen=True, slots=True)
class TagBegin:
    """A tag begins."""

    index: int
    begin: str


@dataclass(frozen=True, slots=True)
class TagDelta:
    """The text in a tag goes on."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class TagEnd:
    """A tag was read to its end."""

    index: int
    tag: Tag


#: What :meth:`maskwright.tags.parsing.ToolParser.feed` returns.
Event = ContentDelta | ReasoningDelta | CallBegin | ArgumentsDelta | CallEnd | TagBegin | TagDelta | TagEnd | Malformed


@dataclass(frozen=True, slots=True)
class Parsed:
    """A turn of a model.

    Blanks between calls, and between thinking and what follows, are no content; between tags they are.
    """

    content: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    tags: tuple[Tag, ...] = ()
    #: What was not read because the text went wrong, from the beginning of the call it went wrong in; else ``""``.
    rest: str = ""
