"""Choices of a chat while they are written: thinking, content and calls, told apart as they stream in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol
from uuid import uuid4

from maskwright.server.jobs import Event, Finish, Prompted, Token
from maskwright.server.texts import Spelling, Text
from maskwright.tags.parsing_events import ArgumentsDelta, CallBegin, CallEnd, ContentDelta, Parsed, ReasoningDelta
from maskwright.tags.parsing_events import Event as Read
from maskwright.tags.partial_place import Malformed
from maskwright.wire.answers import (
    Scored,
    chat_choice,
    chat_chunk_choice,
    chat_delta,
    chat_logprobs,
    chat_message,
    tool_call,
    tool_delta,
)

__all__ = ["ChatChoice", "Parser"]

#: Formats of reasoning that show it in a field of its own; under the others it is hidden or part of the content.
_APART: Final = frozenset({"none", "parsed", "text_parsed"})


class Parser(Protocol):
    """What reads a turn in pieces: a parser of :mod:`maskwright.tags.parsing`."""

    def feed(self, delta: str | bytes) -> list[Read]:
        """Read a piece."""

    def finish(self) -> list[Read]:
        """The text has ended."""

    @property
    def parsed(self) -> Parsed:
        """What was read."""


class _Call:
    """A call that the model makes."""

    def __init__(self, name: str, given: str | None) -> None:
        self.name = name
        self.id = given or f"call_{uuid4().hex[:24]}"
        self.arguments = ""


class ChatChoice:
    """One choice. Deltas wait until :meth:`drain` hands them out; :meth:`whole` is the choice at the end."""

    def __init__(
        self,
        index: int,
        *,
        spelling: Spelling,
        parser: Parser | None,
        thinking: tuple[str, str] | None,
        marks: tuple[str, str] | None,
        reasoning_format: str,
        logprobs: int | None,
        with_ids: bool = False,
    ) -> None:
        """Stand before the first event.

        Args:
            index: Its number in the answer.
            spelling: How tokens are shown.
            parser: What tells thinking and calls from text; None: all is text.
            thinking: The marks that begin and end the thinking; the first is empty where the prompt has begun it.
            marks: Those marks as raw thinking shows them.
            reasoning_format: How thinking is shown, as in the request.
            logprobs: How many likely tokens are shown beside each one; None: nothing.
            with_ids: Whether the ids of tokens are shown.

        """
        self.index = index
        self.prompted: Prompted | None = None
        self.finish: Finish | None = None
        self.reasoning_tokens = 0
        self._spelling = spelling
        self._parser = parser
        self._style = reasoning_format
        self._logprobs = logprobs
        self._with_ids = with_ids
        self._thoughts = None if thinking is None else _Thoughts(*thinking)
        self._marks = marks if thinking is not None else None
        self._text = Text()
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[_Call] = []
        self._is_open = False
        #: Whether nothing but blanks was written behind a whole call: more calls might follow, none has to.
        self._ends_with_call = False
        self._is_thinking = False
        self._deltas: list[dict[str, Any]] = []
        #: Scores that were not handed out, or all of them where nothing is: of the answer, and of the thinking.
        self._scores: list[Scored] = []
        self._thought_scores: list[Scored] = []
        self._tokens: list[int] = []

    def take(self, event: Event) -> None:
        """An event of the job."""
        if isinstance(event, Token):
            self._write(event)
        elif isinstance(event, Prompted):
            self.prompted = event
        elif isinstance(event, Finish):
            if self._parser is not None:
                self._read(self._parser.finish())
                self._mend(self._parser)
            self._end_thinking()
            self.finish = event

    def whole(self) -> dict[str, Any]:
        """The choice at the end."""
        calls = [tool_call(call.id, call.name, call.arguments) for call in self._calls]
        content = "".join(self._content)
        reasoning = "".join(self._reasoning) if self._style in _APART and self._marks is not None else None
        message = chat_message(
            content=content if content or not calls else None, reasoning=reasoning or None, tool_calls=calls
        )
        made = chat_choice(
            self.index, message=message, finish_reason=self._reason(), closed_early=self._is_early, **self._scored()
        )
        return self._told(made)

    def begin(self) -> dict[str, Any]:
        """The first choice of a stream: who speaks."""
        return chat_chunk_choice(
            self.index, delta=chat_delta(role="assistant", content="" if not self._parser else None)
        )

    def drain(self) -> list[dict[str, Any]]:
        """All that waits, as choices of chunks, the last of them with the reason why the output ended."""
        deltas, self._deltas = self._deltas, []
        if self.finish is not None and not deltas and self._scores:
            deltas = [chat_delta(content="")]
        made = [chat_chunk_choice(self.index, delta=delta) for delta in deltas]
        if made:
            made[0] = self._told({**made[0], **self._scored()})
            self._scores, self._thought_scores, self._tokens = [], [], []
        if self.finish is not None:
            ending = chat_chunk_choice(self.index, delta={}, finish_reason=self._reason(), closed_early=self._is_early)
            made.append(ending)
        return made

    # What is written -------------------------------------------------------------------------------------------------

    def _write(self, token: Token) -> None:
        data = token.data
        if token.id in self._spelling.end_ids and not data:
            return
        if not data and self._parser is not None:
            # Marks that are control tokens have names here even where no grammar asked for them.
            data = self._spelling.name(token.id)
        is_thought = self._thoughts is not None and self._thoughts.takes(data)
        self.reasoning_tokens += is_thought
        self._tokens.append(token.id)
        if self._logprobs is not None and not (is_thought and self._style == "hidden"):
            is_apart = is_thought and self._style in {"none", "parsed"}
            (self._thought_scores if is_apart else self._scores).append(self._spelling.written(token))
        text = self._text.add(data)
        if self._parser is not None:
            self._read(self._parser.feed(text))
        elif text:
            self._say(text)

    def _read(self, events: Sequence[Read]) -> None:
        for event in events:
            if isinstance(event, ContentDelta):
                self._end_thinking()
                self._say(event.text)
            elif isinstance(event, ReasoningDelta):
                self._think(event.text)
            elif isinstance(event, CallBegin):
                self._end_thinking()
                self._call(event)
            elif isinstance(event, ArgumentsDelta):
                self._argue(event)
            elif isinstance(event, CallEnd):
                self._is_open, self._ends_with_call = False, True
            elif isinstance(event, Malformed):
                self._end_thinking()

    def _mend(self, parser: Parser) -> None:
        """What cannot be read is content, as far as it was not told as a call already."""
        if parser.parsed.rest and not self._is_open:
            self._say(parser.parsed.rest)

    def _say(self, text: str) -> None:
        self._content.append(text)
        self._deltas.append(chat_delta(content=text))
        self._ends_with_call = self._ends_with_call and text.isspace()

    def _think(self, text: str) -> None:
        if self._style in _APART:
            self._reasoning.append(text)
            self._deltas.append(chat_delta(reasoning=text))
        elif self._style == "raw" and self._marks is not None:
            if not self._is_thinking:
                self._is_thinking = True
                self._say(self._marks[0])
            self._say(text)

    def _end_thinking(self) -> None:
        if self._is_thinking and self._marks is not None:
            self._is_thinking = False
            self._say(self._marks[1])

    def _call(self, event: CallBegin) -> None:
        call = _Call(event.name, event.id)
        self._calls.append(call)
        self._is_open, self._ends_with_call = True, False
        told = tool_delta(len(self._calls) - 1, id=call.id, name=call.name, arguments="")
        self._deltas.append(chat_delta(tool_calls=[told]))

    def _argue(self, event: ArgumentsDelta) -> None:
        self._calls[-1].arguments += event.text
        self._deltas.append(chat_delta(tool_calls=[tool_delta(len(self._calls) - 1, arguments=event.text)]))

    # How it is told --------------------------------------------------------------------------------------------------

    def _reason(self) -> str | None:
        if self.finish is None:
            return None
        if self._calls and (self.finish.reason == "stop" or self._ends_with_call):
            return "tool_calls"
        return self.finish.reason

    @property
    def _is_early(self) -> bool:
        return self.finish is not None and self.finish.closed_early

    def _scored(self) -> dict[str, Any]:
        if self._logprobs is None:
            return {"logprobs": None}
        made: dict[str, Any] = {"logprobs": chat_logprobs(self._scores)}
        if self._thought_scores:
            made["reasoning_logprobs"] = chat_logprobs(self._thought_scores)
        return made

    def _told(self, made: dict[str, Any]) -> dict[str, Any]:
        return {**made, "token_ids": self._tokens} if self._with_ids else made


class _Thoughts:
    """Which tokens belong to the thinking: all up to the one that ends the mark behind it."""

    def __init__(self, begin: str, end: str) -> None:
        self._begin = begin.encode()
        self._end = end.encode()
        self._tail = b""
        self._is_over = False
        #: Whether the text has shown that it begins with the mark, where it must.
        self._is_sure = not begin

    def takes(self, data: bytes) -> bool:
        """Whether the next token is part of it."""
        if self._is_over:
            return False
        self._tail += data
        if not self._is_sure:
            head = self._tail.lstrip()[: len(self._begin)]
            if not self._begin.startswith(head):
                self._is_over = True
                return False
            self._is_sure = head == self._begin
        if self._end in self._tail:
            self._is_over = True
        elif self._is_sure:
            self._tail = self._tail[-len(self._end) :]
        return True
