"""What feeds a turn with pieces of text and hands out what it tells; the same for all kinds of turns."""

from __future__ import annotations

import dataclasses
from typing import Protocol

from maskwright.errors import OutputError, PolicyError
from maskwright.tags.parsing_events import Event, Parsed
from maskwright.tags.parsing_source import Source, Step
from maskwright.tags.partial_place import Malformed

__all__ = ["TurnParser"]


class _Turn(Protocol):
    def read(self) -> Step[None]:
        """Read the whole turn, to the end of the text."""

    def parsed(self) -> Parsed:
        """What was read."""


class TurnParser:
    """Reads one turn of a model from text in pieces.

    Feeding takes time linear in the text, all pieces together; where it was cut makes no difference but in how many
    parts a text comes.
    """

    def __init__(self, turn: _Turn, source: Source, events: list[Event]) -> None:
        self._source = source
        self._events = events
        self._turn = turn
        self._steps = turn.read()
        self._error: OutputError | None = None
        self._rest: list[str] = []
        self._is_closed = False

    def feed(self, delta: str | bytes) -> list[Event]:
        """Read a piece, and tell what happened.

        Never raises for what a model could write: where the text goes wrong there is one :class:`Malformed`, what
        follows is not read, and :meth:`close` raises the error. Characters that may begin a call or a mark wait for
        the next piece, or for :meth:`finish`.
        """
        if self._is_closed:
            raise PolicyError("the parser was closed")
        if self._error is None:
            self._source.add(delta)
            self._step()
        else:
            self._rest.append(self._source.decode(delta))
        events = self._events.copy()
        self._events.clear()
        return events

    def finish(self) -> list[Event]:
        """Tell what the end of the text decides: what might still have begun a call, an end that came too early.

        All events of :meth:`feed` and of this together are the whole turn. Nothing can be fed any more;
        :meth:`close` gives the turn, before or after. Never raises: an end that came too early is a
        :class:`Malformed`. Empty the second time.
        """
        self._end()
        events = self._events.copy()
        self._events.clear()
        return events

    def close(self) -> Parsed:
        """The turn, once its text has ended. Whoever streams asks :meth:`finish` for the last events too.

        Raises :class:`maskwright.errors.OutputError` if it went wrong or ended too early; its ``parsed`` is what was
        read, with all calls and tags that were read whole.
        """
        self._end()
        if self._error is not None:
            self._error.parsed = self.parsed
            raise self._error
        return self._turn.parsed()

    @property
    def parsed(self) -> Parsed:
        """What was read by now; O(its length)."""
        return dataclasses.replace(self._turn.parsed(), rest="".join(self._rest))

    def _end(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._source.end()
        if self._error is None:
            self._step()

    def _step(self) -> None:
        try:
            next(self._steps, None)
        except OutputError as error:
            self._fail(error)
        else:
            if self._source.is_broken:
                self._fail(self._source.broken())

    def _fail(self, error: OutputError) -> None:
        self._error = error
        self._rest.append(self._source.kept())
        self._events.append(Malformed(error))
