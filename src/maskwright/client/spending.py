"""Budgets of an answer, and the ledger that holds what was spent against them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from maskwright.client.numbers import count_of
from maskwright.client.report import Report
from maskwright.errors import ExhaustedError, PolicyError, excerpt

__all__ = ["Budget", "Ledger", "counted", "estimated"]

#: Bytes of a token where an API does not tell how many tokens it billed: English text and JSON have 3 to 4.
_BYTES_PER_TOKEN: Final = 3


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that one answer may cost; ``None`` for no bound. What is used up is told by ``ExhaustedError``.

    Attributes:
        calls: Requests that were answered, probes included. Repetitions after failures do not count, nor does
            what bills nothing: the list of models, by which an unknown API is known.
        tokens: Billed tokens, of prompts and completions together, as the API reports them; estimated where it
            does not.
        seconds: Seconds from the beginning to the end, waiting included.
    """

    calls: int | None = 100
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers; raises ``PolicyError``."""
        for name in ("calls", "tokens", "seconds"):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float) if name == "seconds" else int) and not isinstance(value, bool)
            if value is not None and not (is_number and 0 < value < math.inf):
                raise PolicyError(f"a budget of {name} is a number above 0 or None, not {excerpt(value)}")


class Ledger:
    """What an answer cost so far; every call is entered before and after it is made."""

    def __init__(self, budget: Budget, started: float) -> None:
        """Begin at a time of :class:`maskwright.client.flow.Now`."""
        self.budget = budget
        self.started = started
        #: Counts by the names of :class:`Report`'s fields.
        self.counts: dict[str, int] = {}
        #: Probability of tokens that were not reported and might have been allowed, see ``Report.unseen``.
        self.unseen = 0.0
        self.how = ""
        self.is_degraded = False
        self.is_estimated = False
        self.notes: list[str] = []
        self.changes: tuple[str, ...] = ()
        self.request_ids: list[str] = []

    def add(self, field: str, amount: int = 1) -> None:
        """Count something that the report tells."""
        self.counts[field] = self.counts.get(field, 0) + amount

    def note(self, words: str) -> None:
        """Something that a person should know; said once."""
        if words not in self.notes:
            self.notes.append(words)

    @property
    def deadline(self) -> float | None:
        """When, by the clock of flows, time is up."""
        return None if self.budget.seconds is None else self.started + self.budget.seconds

    @property
    def tokens(self) -> int:
        """Billed so far."""
        return self.counts.get("prompt_tokens", 0) + self.counts.get("completion_tokens", 0)

    def room(self, prompt: int) -> int | None:
        """Tokens that a completion may have after a prompt of so many; ``None`` for any number."""
        return None if self.budget.tokens is None else self.budget.tokens - self.tokens - prompt

    def allow(self, now: float, prompt: int, text: str) -> None:
        """Whether another call with a prompt of so many tokens may be made.

        Raises:
            ExhaustedError: it may not; with the text so far and the report.
        """
        budget, room = self.budget, self.room(prompt)
        calls = self.counts.get("calls", 0)
        if budget.calls is not None and calls >= budget.calls:
            raise self.exhausted(f"its budget of {counted(budget.calls, 'call')} is used up", text, now)
        if room is not None and room < 1:
            more = f"the next request has about {prompt} in its prompt alone, so {self.tokens + prompt + 1} are needed"
            reason = f"its budget of {budget.tokens} tokens is too small: {self.tokens} were billed, and {more}"
            raise self.exhausted(reason, text, now)
        if budget.seconds is not None and now - self.started >= budget.seconds:
            raise self.exhausted(f"its budget of {counted(budget.seconds, 'second')} is used up", text, now)

    def exhausted(self, reason: str, text: str, now: float) -> ExhaustedError:
        """The error that tells a budget is used up."""
        words = f"the answer is not complete, and {reason}; give a larger Budget"
        return ExhaustedError(words, text=text, report=self.report(now))

    def enter(self, usage: object, *, prompt: int, completion: int, attempts: int) -> tuple[int, int]:
        """Count an answered call; without a ``usage`` the estimates are counted. Returns tokens of both kinds."""
        told = usage if isinstance(usage, Mapping) else {}
        prompt_tokens, is_told = _number(told.get("prompt_tokens"), prompt)
        completion_tokens, is_told_too = _number(told.get("completion_tokens"), completion)
        self.is_estimated = self.is_estimated or not (is_told and is_told_too)
        details = told.get("prompt_tokens_details")
        cached, _ = _number(details.get("cached_tokens") if isinstance(details, Mapping) else None, 0)
        self.add("calls")
        self.add("retries", attempts - 1)
        self.add("prompt_tokens", prompt_tokens)
        self.add("completion_tokens", completion_tokens)
        self.add("cached_tokens", cached)
        return prompt_tokens, completion_tokens

    def report(self, now: float) -> Report:
        """What it cost so far, frozen."""
        return Report(
            how=self.how,
            seconds=now - self.started,
            unseen=self.unseen,
            is_degraded=self.is_degraded,
            is_estimated=self.is_estimated,
            notes=tuple(self.notes),
            changes=self.changes,
            request_ids=tuple(self.request_ids),
            **self.counts,
        )


def counted(number: float, what: str) -> str:
    """A number of things, in words."""
    return f"{number:g} {what}{'' if number == 1 else 's'}"


def estimated(texts: Iterable[str | bytes]) -> int:
    """About how many tokens texts have."""
    octets = sum(len(text.encode("utf-8", "replace") if isinstance(text, str) else text) for text in texts)
    return -(-octets // _BYTES_PER_TOKEN)


def _number(given: Any, otherwise: int) -> tuple[int, bool]:
    """A count as an API told it, and whether it did."""
    count = count_of(given)
    return (otherwise, False) if count is None else (count, True)
