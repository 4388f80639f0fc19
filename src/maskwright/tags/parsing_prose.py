"""The text and the thinking of a turn, beside which calls or tags stand."""

from __future__ import annotations

from typing import Final

from maskwright.tags.parsing_events import ContentDelta, Event, ReasoningDelta
from maskwright.tags.parsing_source import Needles, Source, Step

__all__ = ["Prose"]

_BLANKS: Final = " \t\n\r"


class Prose:
    """Collects what is neither a call nor a tag, and tells it."""

    def __init__(self, source: Source, events: list[Event], *, keeps_blanks: bool = False) -> None:
        """``keeps_blanks``: blanks alone are content too."""
        self.content: list[str] = []
        self.reasoning: list[str] = []
        #: Whether a call was read: beside calls, blanks alone are no content.
        self.has_calls = False
        self._source = source
        self._events = events
        #: Blanks at the beginning of a stretch of text that has nothing else as yet; ``None`` once it has.
        self._blanks: list[str] | None = None if keeps_blanks else []
        self._keeps_blanks = keeps_blanks

    def say(self, text: str) -> None:
        """Text for the user; blanks wait for something else."""
        if self._blanks is not None:
            self._blanks.append(text)
            if not text.strip(_BLANKS):
                return
            text = "".join(self._blanks)
            self._blanks = None
        self.speak(text)

    def speak(self, text: str) -> None:
        """Text for the user, as it is."""
        self.content.append(text)
        self._events.append(ContentDelta(text))

    def reason(self, text: str) -> None:
        """Thinking."""
        self.reasoning.append(text)
        self._events.append(ReasoningDelta(text))

    def until(self, stop: Needles) -> Step[bool]:
        """A stretch of text, and whether what stops it came."""
        comes = yield from self._source.until(stop, self.say)
        if self._blanks and not comes and not self.has_calls:
            self.speak("".join(self._blanks))
        self._blanks = None if self._keeps_blanks else []
        return comes

    def think(self, end: str, begin: str) -> Step[None]:
        """Thinking, if it begins, and the blanks that separate it from the turn.

        Without ``begin`` the prompt has begun it; a model may still write the mark that goes with the end.
        """
        blanks = yield from self._source.blanks()
        begins = yield from self._source.takes(begin or end.replace("/", "", 1))
        if not begins and begin:
            if blanks:
                self.say(blanks)
            return
        if not begins and blanks:
            self.reason(blanks)
        comes = yield from self._source.until(Needles(end), self.reason)
        if not comes:
            raise self._source.error("the text ends inside the thinking")
        self._source.at += len(end)
        yield from self._source.blanks()
