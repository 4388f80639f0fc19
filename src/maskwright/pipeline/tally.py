"""What a run has done so far, for whoever shows it, and what it may cost at most."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from maskwright.errors import PolicyError, excerpt
from maskwright.pipeline.outcomes import Cost

__all__ = ["Prices", "Spending", "Tally"]

#: Seconds over which a rate is measured: long enough for slow rows, short enough to see a change.
_WINDOW: Final = 30.0


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Money for a million tokens, in whatever currency.

    Attributes:
        prompt: Of what is read.
        completion: Of what is written.
    """

    prompt: float = 0.0
    completion: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers; raises ``PolicyError``."""
        for value in (self.prompt, self.completion):
            if not 0 <= value < math.inf:
                raise PolicyError(f"a price is a number of at least 0, not {excerpt(value)}")

    def of(self, cost: Cost) -> float:
        """The money that tokens cost."""
        return (cost.prompt_tokens * self.prompt + cost.completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What a whole run may take.

    There are never more calls than allowed: rows that would need another are left as they were. Rows that are under way
    when a limit of tokens or seconds is reached are finished, so by those it may be exceeded.

    Attributes:
        calls: Requests, repeated ones too.
        tokens: Billed tokens, of prompts and answers.
        seconds: From the beginning of the run.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers; raises ``PolicyError``."""
        for name in ("calls", "tokens", "seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise PolicyError(f"a budget of {name} is a number above 0, not {excerpt(value)}")

    def used_up(self, name: str) -> str:
        """The words for a limit that is reached."""
        most = getattr(self, name)
        return f"the budget of {most:,} {name.removesuffix('s') if most == 1 else name} is used up"

    def exceeded(self, tally: Tally) -> str:
        """What is used up, in words; ``""`` if nothing is."""
        used = {"calls": tally.cost.calls, "tokens": tally.cost.tokens, "seconds": tally.seconds}
        for name, value in used.items():
            most = getattr(self, name)
            if most is not None and value >= most:
                return self.used_up(name)
        return ""


@dataclass
class Tally:
    """Counts of a run; written by the run, read by anybody.

    Attributes:
        total: Lines of the input, if they could be counted; blank ones are taken off when they are met.
        size, read: Bytes of the input, if they are known, and how many of them lie behind the last row that was
            begun.
        made_before, failed_before: Rows that an earlier run finished: values, and failures.
        made, failed: Rows that this run finished: values, and failures.
        asked: Rows that were asked about, whatever came of it.
        active: Rows that are under way.
        cost: What all that took.
        failure: The last failure in words.
        began, ended: When the run began and ended, in seconds of a clock that never jumps.
    """

    total: int | None = None
    size: int | None = None
    read: int = 0
    made_before: int = 0
    failed_before: int = 0
    made: int = 0
    failed: int = 0
    asked: int = 0
    active: int = 0
    cost: Cost = field(default_factory=Cost)
    failure: str = ""
    began: float = field(default_factory=monotonic)
    ended: float | None = None
    _moments: deque[float] = field(default_factory=lambda: deque(maxlen=1000))

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return (monotonic() if self.ended is None else self.ended) - self.began

    @property
    def done(self) -> int:
        """Rows that are finished, in this run or before."""
        return self.made_before + self.failed_before + self.made + self.failed

    @property
    def left(self) -> int | None:
        """Rows that are not finished, if that is known."""
        return None if self.total is None else max(0, self.total - self.done)

    def finished(self) -> None:
        """Note that a row is finished, for the rate."""
        self._moments.append(monotonic())

    @property
    def rate(self) -> float:
        """Rows a second, lately: in the last half minute, or the last thousand."""
        now = monotonic() if self.ended is None else self.ended
        since = max(self.began, now - _WINDOW)
        if len(self._moments) == self._moments.maxlen:
            since = max(since, self._moments[0])
        recent = sum(moment > since for moment in self._moments)
        return recent / (now - since) if now > since else 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds until the end at this rate, if that can be said."""
        rate = self.rate
        if not rate:
            return None
        if self.left is not None:
            return self.left / rate
        if self.size and self.read and self.done:
            return (self.size - self.read) / self.read * self.done / rate
        return None
