"""What was generated, read again: thinking, text and tool calls out of finished or streaming text.

The same table (:mod:`maskwright.tags.formats`) says what a mask lets a model write and how it is read here, so what was
written under a mask of :func:`maskwright.tools` is always read. Text that was written without one may be anything: what
does not fit is told as an error with its place, and what was read before it is kept.

Control tokens must appear in the text by their names, as decoding with ``skip_special_tokens=False`` gives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from maskwright.constraint import Constraint
from maskwright.errors import PolicyError, excerpt
from maskwright.grammar.roots import CALLS
from maskwright.tags.formats import Reading, ToolFormat, format_of
from maskwright.tags.parsing_driver import TurnParser
from maskwright.tags.parsing_events import Event, Parsed
from maskwright.tags.parsing_source import Source
from maskwright.tags.parsing_tags import TagReading, TagTurn
from maskwright.tags.parsing_turns import Turn
from maskwright.tags.partial import ValueParser
from maskwright.tags.partial_numbers import CONVERSIONS
from maskwright.tags.thoughts import thoughts_of

__all__ = ["TagParser", "ToolParser", "parse_tools", "parser_of"]

#: Roots and types of ``response_format`` whose outputs are JSON values.
_VALUES: Final = frozenset({"value", "object", "array", "string", "number", "insidevalue"})
_JSON_TYPES: Final = frozenset({"json_object", "json_schema"})


class ToolParser(TurnParser):
    """Reads one turn with tool calls from text in pieces."""

    def __init__(
        self,
        format: str | ToolFormat | None,  # noqa: A002  (the word of the interface)
        *,
        tools: Iterable[str] | None = None,
        thinking: object = None,
        parameters: Mapping[str, Mapping[str, frozenset[str]]] | None = None,
        numbers: str = "float",
        unique_keys: bool = True,
    ) -> None:
        """Stand before the turn.

        Args:
            format: How calls are written, a name of ``FORMATS`` or an entry of it; with ``None`` there are no calls.
            tools: The names that may be called; ``None`` for any.
            thinking: As for :func:`maskwright.tools`: what ends the thinking before the turn, or that and what begins
                it; ``True`` for the format's own mark. Harmony needs none: thinking has a channel of its own.
            parameters: For formats that write parameters without quotes: tool to parameter to the kinds of values that
                it may be (``Reading.parameters``). Of a parameter that is not there, what reads as JSON is no string.
            numbers: As for :class:`maskwright.tags.partial.ValueParser`.
            unique_keys: Likewise. What is written under the schema of a tool has every key once.

        Raises:
            PolicyError: an argument has no meaning.
        """
        if not isinstance(numbers, str) or numbers not in CONVERSIONS:
            raise PolicyError(f"numbers must be one of {', '.join(CONVERSIONS)}, not {excerpt(numbers)}")
        events: list[Event] = []
        source = Source(numbers, unique_keys=unique_keys)
        form = None if format is None else format_of(format)
        thoughts = thoughts_of(thinking, form)
        turn = Turn(form, source, events, tools=_names(tools), parameters=parameters or {}, thinking=thoughts)
        super().__init__(turn, source, events)


class TagParser(TurnParser):
    """Reads one text of a structural tag in pieces."""

    def __init__(self, reading: TagReading, *, numbers: str = "float") -> None:
        """Stand before the text; :func:`parser_of` knows the reading."""
        events: list[Event] = []
        source = Source(numbers)
        super().__init__(TagTurn(reading, source, events), source, events)


def parse_tools(
    text: str | bytes,
    *,
    format: str | ToolFormat | None,  # noqa: A002  (the word of the interface)
    tools: Iterable[str] | None = None,
    thinking: object = None,
    numbers: str = "float",
) -> Parsed:
    """One finished turn; O(len(text)). Arguments as for :class:`ToolParser`.

    Raises :class:`maskwright.errors.OutputError` if the text does not fit; its ``parsed`` is what was read.
    """
    parser = ToolParser(format, tools=tools, thinking=thinking, numbers=numbers)
    parser.feed(text)
    return parser.close()


def parser_of(constraint: Constraint, *, numbers: str = "float") -> ToolParser | TagParser | ValueParser:
    """The parser of what is generated under a constraint.

    JSON values have a :class:`ValueParser`; where a prompt has begun the value, the parser has read that already.
    Structural tags that are one tag, tags with a separator, or text with tags have a :class:`TagParser`. Turns with
    tool calls, what else comes after thinking, and any other text have a :class:`ToolParser`.

    A key that comes twice in an object is malformed, but for grammar roots, whose objects may have one.

    Raises:
        PolicyError: an argument has no meaning.
    """
    if not isinstance(constraint, Constraint):
        raise PolicyError(f"parser_of() takes a constraint, not {excerpt(constraint)}")
    reading = constraint.reading
    if isinstance(reading, Reading):
        return ToolParser(
            reading.format,
            tools=reading.tools,
            thinking=reading.thinking,
            parameters=reading.parameters,
            numbers=numbers,
        )
    if isinstance(reading, TagReading):
        return TagParser(reading, numbers=numbers)
    kind, policies = constraint.kind, constraint.policies
    root = policies.get("root") if kind == "grammar_root" else None
    if root in CALLS:
        return ToolParser("json", numbers=numbers, unique_keys=policies.get("tools") is not None)
    if kind == "json_schema" or root in _VALUES or (kind == "response_format" and policies.get("type") in _JSON_TYPES):
        parser = ValueParser(numbers=numbers, unique_keys=kind != "grammar_root")
        parser.feed(str(policies["open"]) if root == "insidevalue" else "")
        return parser
    return ToolParser(None, numbers=numbers)


def _names(tools: Iterable[str] | None) -> frozenset[str] | None:
    if tools is None:
        return None
    names = tuple(tools) if isinstance(tools, Iterable) and not isinstance(tools, str) else (None,)
    if not all(isinstance(name, str) for name in names):
        raise PolicyError("tools must be the names of the tools, for example ['search', 'open']")
    return frozenset(map(str, names))
