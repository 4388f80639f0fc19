"""One request while it is answered: events of its jobs go to its choices, and what they cost is added up."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Generic, Protocol, TypeVar
from uuid import uuid4

from maskwright.errors import RequestError
from maskwright.server.jobs import Event, Failed, Finish, Prompted
from maskwright.server.tickets import Ticket
from maskwright.wire.answers import time_info, usage

__all__ = ["Answering", "Choice"]


class Choice(Protocol):
    """What is written by one job."""

    prompted: Prompted | None
    finish: Finish | None

    @property
    def reasoning_tokens(self) -> int:
        """How many of its tokens were thinking."""
        ...

    def take(self, event: Event) -> None:
        """An event of the job."""
        ...


_Choice = TypeVar("_Choice", bound=Choice)


class Answering(Generic[_Choice]):
    """The choices of one request, in the order of its jobs."""

    def __init__(self, ticket: Ticket, choices: Sequence[_Choice], *, jobs_a_prompt: int, prefix: str) -> None:
        """Stand before the first event.

        Args:
            ticket: The jobs.
            choices: One for each.
            jobs_a_prompt: How many jobs have the same prompt, one after the other; it is counted once.
            prefix: What the id of the answer begins with.

        """
        self.ticket = ticket
        self.choices = tuple(choices)
        self.id = f"{prefix}-{uuid4()}"
        self.created = int(time.time())
        self._jobs_a_prompt = jobs_a_prompt
        self._first: list[tuple[int, Event]] = []

    async def gather(self) -> None:
        """Let all choices be written to their ends. Raises what a job failed with."""
        async for _ in self.steps():
            pass

    async def begin(self) -> None:
        """Wait for the first event, so that what fails at once has a status of its own. Raises what it failed with."""
        async for index, event in self.ticket:
            _check(event)
            self._first.append((index, event))
            return

    async def steps(self) -> AsyncIterator[_Choice]:
        """Each choice as it has taken an event. Raises what a job failed with."""
        for index, event in self._first:
            self.choices[index].take(event)
            yield self.choices[index]
        async for index, event in self.ticket:
            _check(event)
            self.choices[index].take(event)
            yield self.choices[index]
        if any(choice.finish is None for choice in self.choices):
            raise RequestError("The work on this request was given up.", status=503, type="server_error", code="ended")

    def usage(self) -> dict[str, Any]:
        """What was read and written, in tokens; of ``best_of`` all candidates count."""
        prompts = [choice.prompted for choice in self.choices[:: self._jobs_a_prompt] if choice.prompted]
        ends = [choice.finish for choice in self.choices if choice.finish]
        return usage(
            prompt_tokens=sum(prompt.prompt_tokens for prompt in prompts),
            cached_tokens=sum(prompt.cached_tokens for prompt in prompts),
            completion_tokens=sum(end.completion_tokens for end in ends),
            accepted_prediction_tokens=sum(end.accepted_prediction_tokens for end in ends),
            rejected_prediction_tokens=sum(end.rejected_prediction_tokens for end in ends),
            reasoning_tokens=sum(choice.reasoning_tokens for choice in self.choices),
        )

    def time_info(self) -> dict[str, float]:
        """Where the time went."""
        ticket, now = self.ticket, time.monotonic()
        started = ticket.started_at or now
        read = ticket.prompt_done_at or started
        ended = ticket.finished_at or now
        return time_info(
            queue_time=max(0.0, started - ticket.queued_at),
            prompt_time=max(0.0, read - started),
            completion_time=max(0.0, ended - read),
            total_time=max(0.0, ended - ticket.queued_at),
            created=time.time(),
        )


def _check(event: Event) -> None:
    if isinstance(event, Failed):
        raise event.error
