"""Choices of a completion while they are written: events of a job in, pieces of the answer out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maskwright.server.jobs import Event, Finish, Prompted, Token
from maskwright.server.texts import Spelling, Text
from maskwright.wire.answers import Scored, completion_choice, completion_logprobs
from maskwright.wire.completions import CompletionRequest

__all__ = ["CompletionChoice"]


class CompletionChoice:
    """One choice. What was written and not handed out waits; :meth:`drain` hands it out, once at the end or often."""

    def __init__(
        self,
        index: int,
        prompt: Sequence[int],
        *,
        text: str,
        opening: int,
        asked: CompletionRequest,
        spelling: Spelling,
    ) -> None:
        """Stand before the first event.

        Args:
            index: Its number in the answer.
            prompt: The ids of the prompt.
            text: The prompt as a text.
            opening: How many of the first ids are no part of that text.
            asked: The request; its ``logprobs`` are those that are to be shown.
            spelling: How tokens are shown.

        """
        self.index = index
        self.prompted: Prompted | None = None
        self.finish: Finish | None = None
        #: The sum of the logarithms of what was written, and how many they are: what ``best_of`` compares.
        self.logprob = 0.0
        self.scored = 0
        self._prompt = tuple(prompt)
        self._opening = opening
        self._asked = asked
        self._spelling = spelling
        self._echo = text if asked.echo else ""
        #: Characters of the prompt and of what was handed out.
        self._offset = 0 if asked.echo else len(text)
        self._text = Text()
        self._pending = ""
        #: Whether anything was handed out.
        self._is_begun = False
        self._tokens: list[int] = []
        self._scores: list[Scored] = []

    @property
    def reasoning_tokens(self) -> int:
        """Completions do not think."""
        return 0

    @property
    def mean_logprob(self) -> float:
        """The quality that ``best_of`` goes by: the mean for each token."""
        return self.logprob / self.scored if self.scored else 0.0

    def take(self, event: Event) -> None:
        """An event of the job."""
        if isinstance(event, Token):
            self._write(event)
        elif isinstance(event, Prompted):
            self.prompted = event
            self._pending = self._echo
            if self._asked.echo and event.scores and self._asked.logprobs is not None:
                self._scores = self._spelling.read(self._prompt, event.scores)[self._opening :]
        elif isinstance(event, Finish):
            self.finish = event

    @property
    def is_ready(self) -> bool:
        """Whether there is anything for a chunk of a stream; tokens wait for the character that they are part of."""
        return bool(self._pending) or (self._asked.return_raw_tokens and bool(self._tokens)) or self.finish is not None

    def drain(self) -> dict[str, Any]:
        """All that waits, as a choice."""
        asked, text = self._asked, self._pending
        made = completion_choice(
            self.index,
            text=None if asked.return_raw_tokens else text,
            finish_reason=self.finish.reason if self.finish is not None else None,
            logprobs=self._logprobs(),
            tokens=self._tokens if asked.return_raw_tokens else None,
            closed_early=self.finish is not None and self.finish.closed_early,
        )
        if asked.return_token_ids:
            made["token_ids"] = self._tokens
            if not self._is_begun:
                made["prompt_token_ids"] = list(self._prompt)
        self._is_begun = True
        self._offset += len(text)
        self._pending, self._tokens, self._scores = "", [], []
        return made

    def _logprobs(self) -> dict[str, Any] | None:
        if self._asked.logprobs is None:
            return None
        return completion_logprobs(self._scores, offset=self._offset, top=self._asked.logprobs)

    def _write(self, token: Token) -> None:
        if token.logprob is not None:
            self.logprob += token.logprob
            self.scored += 1
        if token.id in self._spelling.end_ids and not token.data:
            return
        self._pending += self._text.add(token.data)
        self._tokens.append(token.id)
        if self._asked.logprobs is not None:
            self._scores.append(self._spelling.written(token))
