"""Whole turns: where text, thinking and calls stand, as the table of formats describes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from maskwright.tags.formats import ToolFormat
from maskwright.tags.parsing_calls import CallReader, Parameters, words
from maskwright.tags.parsing_events import Event, Parsed
from maskwright.tags.parsing_prose import Prose
from maskwright.tags.parsing_source import Needles, Source, Step
from maskwright.tags.partial_text import Mark

__all__ = ["Turn"]

_THE_CALLS: Final = "the calls"
_FUNCTIONS: Final = "functions."
#: What stands for no format.
_NO_CALLS: Final = ToolFormat("text", body="object", text="before")
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>")
#: The header of a harmony message up to ``<|message|>``. The recipient may stand before or after the channel. Nothing
#: is given back (``*+``), so a header of blanks takes no longer than any other.
_HEADER: Final = re.compile(
    r"(?:<\|start\|>\s*+(?P<role>[^\s<]*+))?+\s*+(?:to=(?P<to>[^\s<]++)\s*+)?+"
    r"<\|channel\|>\s*+(?P<channel>[^\s<]++)\s*+(?:to=(?P<then_to>[^\s<]++)\s*+)?+"
    r"(?:<\|constrain\|>\s*+)?+(?P<kind>[^\s<]*+)\s*+"
)


class Turn:
    """One turn of a model while it is read."""

    def __init__(
        self,
        form: ToolFormat | None,
        source: Source,
        events: list[Event],
        *,
        tools: frozenset[str] | None,
        parameters: Parameters,
        thinking: tuple[str, str] | None,
    ) -> None:
        """Arguments as for :class:`maskwright.tags.parsing.ToolParser`."""
        self._is_text = form is None
        self._form = form = form or _NO_CALLS
        self._source = source
        self._thinking = thinking
        self._calls = CallReader(form, source, events, tools, parameters)
        self._text = Prose(source, events)

    def read(self) -> Step[None]:
        """The whole turn, to the end of the text."""
        if self._form.body == "harmony":
            yield from self._harmony()
            return
        if self._thinking is not None:
            yield from self._text.think(*self._thinking)
        if self._is_text:
            yield from self._text.until(Needles())
        elif self._form.text == "around":
            yield from self._around()
        elif self._form.text == "before":
            yield from self._before()
        elif self._form.text == "instead":
            yield from self._instead()
        else:
            yield from self._blocks()

    def parsed(self) -> Parsed:
        """What was read."""
        return Parsed("".join(self._text.content), "".join(self._text.reasoning), tuple(self._calls.calls))

    def _words(self, literal: str) -> tuple[str, ...]:
        return words(literal, self._form.markers)

    # Calls beside text ----------------------------------------------------------------------------------------------

    def _around(self) -> Step[None]:
        stop = Needles(self._form.trigger)
        while (yield from self._text.until(stop)):
            self._source.keep()
            yield from self._section()
            self._source.forget()
            self._text.has_calls = True

    def _before(self) -> Step[None]:
        comes = yield from self._text.until(Needles(self._form.trigger))
        if not comes:
            return
        self._source.keep()
        yield from self._section()
        if not self._form.section_end and not self._form.is_array:
            yield from self._repeat()
        yield from self._source.nothing_more(_THE_CALLS)

    def _section(self) -> Step[None]:
        """One call, or all of them where something stands around them."""
        form, source = self._form, self._source
        yield from source.expect(self._words(form.section_begin), _THE_CALLS)
        if form.is_array:
            yield from self._array()
        else:
            yield from self._calls.read()
        end = self._words(form.section_end)
        if end and not form.is_array:
            yield from self._repeat(end[0])
        yield from source.expect(end, _THE_CALLS)

    def _repeat(self, end: str = "") -> Step[None]:
        """Further calls, up to a word or the end of the text."""
        source = self._source
        separator = self._words(self._form.separator)
        following = (*separator, *self._words(self._form.call_begin), "{")[0]
        while True:
            yield from source.blanks()
            comes = yield from source.comes(end or following, following, inside=_THE_CALLS)
            if source.at == len(source.text) or (end and comes == end):
                return
            yield from source.expect(separator, _THE_CALLS)
            yield from self._calls.read()

    def _array(self) -> Step[None]:
        source = self._source
        yield from source.expect(("[",), _THE_CALLS)
        goes_on = True
        while goes_on:
            yield from self._calls.read()
            yield from source.blanks()
            goes_on = yield from source.takes(",")
        yield from source.expect(("]",), _THE_CALLS)

    # Calls instead of text ------------------------------------------------------------------------------------------

    def _instead(self) -> Step[None]:
        """The first character that is no blank decides."""
        form, source = self._form, self._source
        blanks = yield from source.blanks()
        source.keep()
        begins = bool(form.optional_begin) and (yield from source.takes(form.optional_begin))
        yield from source.blanks()
        is_array = form.may_be_array and (yield from source.sees("["))
        if is_array:
            yield from self._array()
        elif begins or (yield from source.sees("{")):
            yield from self._calls.read()
            if form.separator:
                yield from self._repeat()
        else:
            source.forget()
            self._text.say(blanks)
            comes = yield from self._text.until(Needles(form.optional_begin))
            if comes:
                raise source.error(f"{form.optional_begin} inside a text")
            return
        yield from source.nothing_more(_THE_CALLS)

    # Text in blocks -------------------------------------------------------------------------------------------------

    def _blocks(self) -> Step[None]:
        """Blocks with a head each, the first of them without the separator, which the prompt wrote."""
        form, source = self._form, self._source
        separator = self._words(form.separator)
        lead = form.separator[: form.separator.index(form.trigger)]
        stop = Needles(form.trigger, lead=lead)
        text_head = form.text_begin.removesuffix(form.name_end)
        while True:
            source.keep()
            head, mark = yield from self._calls.head()
            if head == text_head:
                yield from source.expect(self._words(form.name_end), "the head of a text")
                if form.name_end.endswith("\n"):
                    yield from source.takes("\n")
                source.forget()
                yield from self._text.until(stop)
            else:
                yield from self._calls.named(head, mark)
                yield from source.blanks()
            if source.at == len(source.text):
                return
            source.keep()
            yield from source.expect(separator, _THE_CALLS)

    # Messages in channels -------------------------------------------------------------------------------------------

    def _harmony(self) -> Step[None]:
        """Messages; the prompt ends with ``<|start|>assistant``, and the last message may lack its end token."""
        source = self._source
        stop = Needles("<|message|>")
        begins: tuple[str, ...] = ("<|channel|>", "to=", "<|start|>")
        while True:
            source.keep()
            yield from source.blanks()
            if source.at == len(source.text):
                return
            comes = yield from source.comes(*begins, inside="the header of a message")
            if not comes:
                raise source.error("expected the header of a message")
            begins = ("<|start|>",)
            mark = source.mark()
            header = yield from source.until_there(stop, "the header of a message")
            source.at += len("<|message|>")
            yield from self._message(header, mark)

    def _message(self, header: str, mark: Mark) -> Step[None]:
        source = self._source
        found = _HEADER.fullmatch(header)
        if found is None or (found["to"] and found["then_to"]) or found["role"] not in (None, "assistant"):
            raise source.error("what stands before <|message|> is no header of a message", mark)
        channel, recipient = found["channel"], found["to"] or found["then_to"]
        if recipient is not None:
            if not recipient.startswith(_FUNCTIONS):
                raise source.error(f"the recipient {recipient[:100]!r} is no function", mark)
            yield from self._calls.addressed(recipient.removeprefix(_FUNCTIONS), mark, self._message_ends())
            return
        if channel not in ("analysis", "commentary", "final"):
            raise source.error(f"there is no channel {channel[:100]!r}", mark)
        emit: Callable[[str], None] = self._text.reason if channel == "analysis" else self._text.speak
        source.forget()
        yield from source.until(Needles(*_ENDS, "<|start|>"), emit)
        yield from self._message_ends()

    def _message_ends(self) -> Step[None]:
        """The end token of a message, if it is there."""
        yield from self._source.blanks()
        end = yield from self._source.comes(*_ENDS, inside="a message")
        self._source.at += len(end)
