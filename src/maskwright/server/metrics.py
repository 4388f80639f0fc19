"""What is counted, and its text for Prometheus (exposition format 0.0.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["Counts", "exposition"]

_PREFIX: Final = "maskwright_"
#: Upper bounds of the histogram of seconds.
_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)

#: What the engine tells that goes up and down, or never changes.
_GAUGES: Final = frozenset(
    {"queued", "queue", "running", "batch", "sessions", "kept_sessions", "kept_tokens", "slowest_mask"}
)


class Counts:
    """Counters of one server; the event loop's thread alone changes them."""

    def __init__(self) -> None:
        #: (path of the route, status) to requests; paths that are no route count as one.
        self.requests: Counter[tuple[str, int]] = Counter()
        #: Requests that are answered now.
        self.active = 0
        #: Clients that went away before their answer ended.
        self.disconnects = 0
        #: Constraints that were compiled, found ready, and refused.
        self.compiled = 0
        self.reused = 0
        self.refused = 0
        self.compile_seconds = 0.0
        #: Answers to seconds: one count for each bound, and one for all.
        self._buckets = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    def record(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self.requests[path, status] += 1
        self._seconds += seconds
        self._buckets[-1] += 1
        for index, bound in enumerate(_BOUNDS):
            if seconds <= bound:
                self._buckets[index] += 1

    def lines(self) -> Iterator[str]:
        """The text, line by line."""
        yield from _head("requests_total", "counter", "Requests answered, by route and status.")
        for (path, status), count in sorted(self.requests.items()):
            yield f'{_PREFIX}requests_total{{path="{path}",status="{status}"}} {count}'
        yield from _head("request_seconds", "histogram", "Seconds from a request's head to the end of its answer.")
        for bound, count in zip((*_BOUNDS, "+Inf"), self._buckets, strict=True):
            yield f'{_PREFIX}request_seconds_bucket{{le="{bound}"}} {count}'
        yield f"{_PREFIX}request_seconds_sum {self._seconds:.6f}"
        yield f"{_PREFIX}request_seconds_count {self._buckets[-1]}"
        yield from _one("requests_active", "gauge", "Requests that are answered now.", self.active)
        yield from _one("disconnects_total", "counter", "Clients that left early.", self.disconnects)
        yield from _one("constraints_compiled_total", "counter", "Constraints compiled.", self.compiled)
        yield from _one("constraints_reused_total", "counter", "Constraints found compiled.", self.reused)
        yield from _one("constraints_refused_total", "counter", "Constraints refused.", self.refused)
        yield from _one("compile_seconds_total", "counter", "Seconds spent on compiling.", self.compile_seconds)


def exposition(counts: Counts, engine: Mapping[str, object]) -> str:
    """All that is counted: by the server, and by its engine (names to numbers; others are left out)."""
    lines = list(counts.lines())
    for name, value in engine.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            is_gauge = name in _GAUGES
            told = f"engine_{name}" if is_gauge else f"engine_{name}_total"
            words = f"The engine's {name.replace('_', ' ')}."
            lines.extend(_one(told, "gauge" if is_gauge else "counter", words, value))
    return "\n".join(lines) + "\n"


def _head(name: str, kind: str, words: str) -> tuple[str, str]:
    return f"# HELP {_PREFIX}{name} {words}", f"# TYPE {_PREFIX}{name} {kind}"


def _one(name: str, kind: str, words: str, value: float) -> Iterator[str]:
    yield from _head(name, kind, words)
    yield f"{_PREFIX}{name} {value:.6f}" if isinstance(value, float) else f"{_PREFIX}{name} {value}"
