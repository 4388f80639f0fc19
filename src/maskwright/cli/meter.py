"""How far a long run is: a line that is drawn again and again on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from time import monotonic
from typing import Final

from maskwright.cli.console import Progress, say
from maskwright.pipeline.tally import Prices, Tally

__all__ = ["Meter", "counted", "duration", "summary_lines"]

#: Seconds between two drawings, and between two lines where nobody sees them drawn again: a log of a night has some
#: thousands.
_BLINK: Final = 0.1
_PAUSE: Final = 10.0
_BAR: Final = 20


class Meter:
    """Shows the counts of a run."""

    def __init__(self, prices: Prices, *, is_quiet: bool, clock: Callable[[], float] = monotonic) -> None:
        """Draw where standard error is a terminal, else write lines; nothing at all if ``is_quiet``."""
        self._prices = prices
        self._is_quiet = is_quiet
        self._clock = clock
        self._progress = Progress()
        self._is_drawn = sys.stderr is not None and sys.stderr.isatty()
        self._next = clock() + (0.0 if self._is_drawn else _PAUSE)

    def __call__(self, tally: Tally) -> None:
        """Show the counts, if it is time."""
        if self._is_quiet or self._clock() < self._next:
            return
        self._next = self._clock() + (_BLINK if self._is_drawn else _PAUSE)
        if self._is_drawn:
            width = shutil.get_terminal_size().columns
            line = f"{bar(tally)}{status(tally, self._prices)}"[: max(width - 1, 1)]
            self._progress.draw(line, at_once=True)
        else:
            say(status(tally, self._prices))

    def clear(self) -> None:
        """Remove the line, so that something else can be said."""
        if not self._is_quiet:
            self._progress.clear()


def bar(tally: Tally) -> str:
    """A bar, where it is known how much there is to do."""
    if tally.total:
        share = tally.done / tally.total
    elif tally.size:
        share = tally.read / tally.size
    else:
        return ""
    filled = round(min(share, 1.0) * _BAR)
    return f"[{'#' * filled}{'.' * (_BAR - filled)}] "


def status(tally: Tally, prices: Prices) -> str:
    """One line: rows, rate, failures, cost, time left."""
    of = "" if tally.total is None else f"/{tally.total:,}"
    parts = [f"{tally.done:,}{of} {'row' if (tally.total or tally.done) == 1 else 'rows'}", f"{tally.rate:.1f}/s"]
    failed = tally.failed + tally.failed_before
    if failed:
        parts.append(f"{failed:,} failed")
    parts += _costs(tally, prices)
    if tally.remaining is not None:
        parts.append(f"{duration(tally.remaining)} left")
    return ", ".join(parts)


def _costs(tally: Tally, prices: Prices) -> list[str]:
    parts = []
    if tally.cost.tokens:
        parts.append(f"{tally.cost.tokens:,} tokens")
    if prices.of(tally.cost):
        parts.append(f"cost {prices.of(tally.cost):.4f}")
    return parts


def summary_lines(tally: Tally, prices: Prices) -> list[str]:
    """What a run has done, in a few lines."""
    before = tally.made_before + tally.failed_before
    lines = [f"{counted(tally.made, 'row')} made, {tally.failed:,} failed in {duration(tally.seconds)}"]
    if before:
        lines[0] += f" ({tally.made_before:,} made and {tally.failed_before:,} failed before)"
    cost = tally.cost
    if cost.calls:
        per_row = cost.calls / max(tally.asked, 1)
        line = f"{counted(cost.calls, 'call')} ({per_row:.2f} a row, {cost.retries:,} repeated)"
        line += f", {cost.prompt_tokens:,} + {cost.completion_tokens:,} tokens"
        money = prices.of(cost)
        lines.append(line + (f", cost {money:.4f}" if money else ""))
    return lines


def counted(number: int, what: str) -> str:
    """A number of things: ``1 row``, ``1,200 rows``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A time as people write it: ``0.4 s``, ``12 s``, ``3 min 05 s``, ``2 h 10 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
