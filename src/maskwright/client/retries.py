"""When a request is sent again, and after how long: numbers and headers in, seconds out. No clock runs here.

The rules are those of the SDKs of OpenAI and Cerebras: connections that fail, 408, 409, 429 and from 500 on are tried
again; ``x-should-retry`` overrides that; ``retry-after-ms`` comes before ``retry-after`` (RFC 9110 section 10.2.3:
seconds or a date), and without either the wait doubles from half a second to eight.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

from maskwright.errors import PolicyError, excerpt

__all__ = ["Retries", "is_transient", "waiting_asked"]

#: Statuses below 500 that may be gone the next time: a timeout, a conflict of locks, too many requests.
_TRANSIENT: Final = frozenset({408, 409, 429})
_FAILED: Final = 500
#: Statuses from 500 on that will not be gone: not implemented, a version of HTTP that is not spoken.
_LASTING: Final = frozenset({501, 505})
#: The part of a wait that jitter may take off, so that clients that failed together do not return together.
_JITTER: Final = 0.25


@dataclass(frozen=True)
class Retries:
    """How often a request is sent again, and after how long.

    Attributes:
        most: Most repetitions of one request; 0 for none.
        first: Seconds before the first repetition; they double with each.
        longest: Most seconds that are waited where the API does not say how long.
        patience: Most seconds that an API may ask to wait; who asks for more is not asked again.
        jitter: A number from 0 to 1, drawn before each wait.
        clock: Seconds since 1970, for a ``retry-after`` that is a date where the response does not tell its own
            time.
    """

    most: int = 2
    first: float = 0.5
    longest: float = 8.0
    patience: float = 60.0
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        """Check the numbers; raises ``PolicyError``."""
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 0:
            raise PolicyError(f"retries is a whole number of at least 0, not {excerpt(self.most)}")
        for name in ("first", "longest", "patience"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
                raise PolicyError(f"{name} is a number of seconds, not {excerpt(value)}")

    def wait(self, attempt: int, headers: Mapping[str, str] | None = None) -> float | None:
        """Seconds to wait after a failed attempt, the first being 1; ``None``: it is not to be sent again.

        Args:
            attempt: How often the request was sent by now.
            headers: Those of the response, names in lower case; ``None`` if there was no response.
        """
        if attempt > self.most:
            return None
        asked = waiting_asked(headers or {}, self.clock)
        if asked is not None:
            return asked if asked <= self.patience else None
        doubled = min(self.longest, self.first * 2.0 ** min(attempt - 1, 64))
        return doubled * (1.0 - _JITTER * self.jitter())


def is_transient(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the same request may succeed later; ``x-should-retry`` decides if it is there."""
    told = headers.get("x-should-retry", "").strip().lower()
    if told in {"true", "false"}:
        return told == "true"
    return status in _TRANSIENT or (status >= _FAILED and status not in _LASTING)


def waiting_asked(headers: Mapping[str, str], clock: Callable[[], float] = time.time) -> float | None:
    """Seconds that a response asks to wait; ``None`` if it does not, or not in a way that can be read.

    A date is compared with the ``date`` of the response, so a wrong clock on this side does no harm.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000.0
    given = headers.get("retry-after")
    seconds = _seconds(given)
    if seconds is not None or given is None:
        return seconds
    until = _date(given)
    if until is None:
        return None
    now = _date(headers.get("date", ""))
    return max(0.0, until - (clock() if now is None else now))


def _seconds(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
