"""What a client knows of its API: address, key, times and bounds; and what it counts."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from maskwright.client.endpoint import Endpoint
from maskwright.errors import PolicyError, excerpt

__all__ = ["Connection", "Counts", "Pool", "Tally", "checked_seconds"]

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?")


@dataclass(frozen=True)
class Pool:
    """How many connections there are, and how much is read from one.

    Attributes:
        connections: Most connections at once; whoever needs another waits.
        idle, idle_seconds: Most that are kept while nobody uses them, and for how many seconds.
        most_bytes: Most bytes of one answer, or of all events of one stream.
    """

    connections: int = 100
    idle: int = 20
    idle_seconds: float = 15.0
    most_bytes: int = 64_000_000

    def __post_init__(self) -> None:
        """Check the numbers; raises ``PolicyError``."""
        for name in ("connections", "idle", "most_bytes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < (0 if name == "idle" else 1):
                raise PolicyError(f"Pool.{name} is a whole number, not {excerpt(value)}")
        checked_seconds("Pool.idle_seconds", self.idle_seconds)


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Where and how requests are sent."""

    endpoint: Endpoint
    api_key: str | None = field(default=None, repr=False)
    #: Seconds that a server may be silent: before its answer, and between two pieces of it.
    timeout: float = 60.0
    connect_timeout: float = 5.0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    pool: Pool = field(default_factory=Pool)
    #: Called before each request that may be billed, repeated ones too; what it raises ends the question.
    gate: Callable[[], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check what is given; raises ``PolicyError``."""
        checked_seconds("timeout", self.timeout)
        checked_seconds("connect_timeout", self.connect_timeout)
        if self.api_key is not None and (
            not isinstance(self.api_key, str) or not self.api_key or not _VALUE.fullmatch(self.api_key)
        ):
            raise PolicyError("api_key is a text of printable ASCII characters without blanks around it, or None")
        if not isinstance(self.headers, Mapping):
            raise PolicyError(f"headers are names and texts, not {excerpt(self.headers)}")
        for name, value in self.headers.items():
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise PolicyError(f"this is no name of a header: {excerpt(name)}")
            if not isinstance(value, str) or not _VALUE.fullmatch(value):
                raise PolicyError(f"the header {name} is printable ASCII characters without blanks around them")

    def pass_gate(self, method: str) -> None:
        """Ask whether a request may be made; lists of models bill nothing."""
        if self.gate is not None and method != "GET":
            self.gate()

    def all_headers(self) -> dict[str, str]:
        """The headers of every request, names in lower case; those that were given come last, so they win."""
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if self.api_key is not None:
            headers["authorization"] = f"Bearer {self.api_key}"
        headers.update({name.lower(): value for name, value in self.headers.items()})
        return headers


@dataclass(frozen=True)
class Counts:
    """What a client has done so far.

    Attributes:
        calls, retries: Requests sent, retries among them.
        prompt_tokens, completion_tokens: Tokens that the API says it read and wrote.
        answers, failures: Answers given, and questions that ended in an error.
    """

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    answers: int = 0
    failures: int = 0


class Tally:
    """Counts that threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}

    def add(self, **more: int) -> None:
        """Add to fields of :class:`Counts`."""
        with self._lock:
            for name, number in more.items():
                self._counts[name] = self._counts.get(name, 0) + number

    @property
    def counts(self) -> Counts:
        """What was counted by now."""
        with self._lock:
            return Counts(**self._counts)


def checked_seconds(name: str, value: Any) -> float:
    """A positive number of seconds, or ``PolicyError``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise PolicyError(f"{name} is a number of seconds above 0, not {excerpt(value)}")
    return float(value)
