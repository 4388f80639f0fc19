"""A run: rows go through a worker, several at a time, and what becomes of them is written as soon as it is known.

Nothing here knows HTTP or a model: a *worker* is any coroutine function from a row to what was made of it. Times are
those of a clock that never jumps; the clock on the wall is never asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal

from maskwright.errors import AnswerError, InputError, MaskwrightError, PolicyError, ServiceError
from maskwright.pipeline.breaker import Breaker
from maskwright.pipeline.feed import Feed
from maskwright.pipeline.ledger import Ledger
from maskwright.pipeline.outcomes import Cost, Made, failure_line, made_line
from maskwright.pipeline.purse import Purse, SpentError
from maskwright.pipeline.rows import Row
from maskwright.pipeline.sources import Source
from maskwright.pipeline.tally import Spending, Tally

__all__ = ["Pace", "Pipeline", "Summary", "Worker"]

Worker = Callable[[Row], Awaitable[Made]]
#: Seconds between two looks at budgets and progress.
_BEAT: Final = 0.2
#: Characters of a failure that are told before its file is read.
_TOLD: Final = 200


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How a run goes about its rows.

    Attributes:
        concurrency: Rows under way at once.
        spending: What the whole run may take.
        give_up: Failures of the service in a row, with no answer between them, that end the run; 0 for never.
        ordered: Whether the values are brought into the order of the input when all rows are done.
        with_cost: Whether each line tells what its row cost.
        sync: Seconds between two times that all is put on disk: what a power failure, and nothing less, can
            cost.
        grace: Seconds that rows under way have to finish when a run is interrupted.
    """

    concurrency: int = 8
    spending: Spending = field(default_factory=Spending)
    give_up: int = 10
    ordered: bool = False
    with_cost: bool = False
    sync: float = 1.0
    grace: float = 5.0

    def __post_init__(self) -> None:
        """Check the numbers; raises ``PolicyError``."""
        if self.concurrency < 1:
            raise PolicyError(f"the concurrency is at least 1, not {self.concurrency}")
        if self.give_up < 0 or self.sync < 0 or self.grace < 0:
            raise PolicyError("give_up, sync and grace are at least 0")


@dataclass(frozen=True)
class Summary:
    """How a run ended.

    Attributes:
        tally: The counts.
        stopped: Why before all rows were done; ``None`` if they are.
        reason: The same in words.
        error: What stopped it, if that was an error.
    """

    tally: Tally
    stopped: Literal["interrupted", "budget", "error"] | None = None
    reason: str = ""
    error: MaskwrightError | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every row is done, well or not."""
        return self.stopped is None


class Pipeline:
    """One run over one input. To be used once."""

    def __init__(
        self,
        source: Source,
        ledger: Ledger,
        pace: Pace | None = None,
        observe: Callable[[Tally], None] = lambda _: None,
    ) -> None:
        """Compare what is done with the input, where that can be read twice.

        Args:
            source: The rows.
            ledger: The results, open; the caller closes it.
            pace: How it goes about them.
            observe: Called with the counts, several times a second and after each row.

        Raises:
            InputError: the input cannot be read, or is another one than the outputs' rows had.
        """
        self._source = source
        self._ledger = ledger
        self._pace = pace or Pace()
        self._observe = observe
        if source.is_repeatable:
            ledger.check(source.rows())
        self.tally = Tally(total=source.count(), size=source.size, made_before=ledger.made, failed_before=ledger.failed)
        #: What requests of this run are taken from: workers take one before each that they make.
        self.purse = Purse(self._pace.spending)
        self._breaker = Breaker(self._pace.give_up)
        self._is_halted = asyncio.Event()
        self._summary = Summary(self.tally)
        self._last: Exception | None = None
        #: What is wrong with the input.
        self._refusal: MaskwrightError | None = None
        #: The tasks, and which of them have a row.
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: set[asyncio.Task[None] | None] = set()

    def interrupt(self) -> None:
        """Take no more rows, and end when those under way are done or after ``pace.grace`` seconds.

        A second call ends without waiting for them. To be called in the thread of the event loop, as its signal
        handlers are.
        """
        if self._is_halted.is_set():
            self._cancel(self._tasks)
        self._halt("interrupted", "interrupted")

    async def run(self, worker: Worker) -> Summary:
        """Go through all rows that are not done, and return how that ended.

        Args:
            worker: What makes a row's value; what it raises makes the row a failure.

        When this task is cancelled, what is under way is dropped and what is done is kept.

        Raises:
            InputError: the input cannot be read, or has another row where one was done; what is done is kept.
        """
        self.tally.began = monotonic()
        feed = Feed(self._rows(), ahead=self._pace.concurrency)
        self._tasks = {asyncio.create_task(self._serve(feed, worker)) for _ in range(self._pace.concurrency)}
        beat = asyncio.create_task(self._beat())
        try:
            await self._wait()
            if not self._is_halted.is_set():
                self._guarded(self._breaker.finished, self._last)
                self._look_at_breaker()
        finally:
            feed.close()
            self._cancel({*self._tasks, beat})
            await asyncio.gather(*self._tasks, beat, return_exceptions=True)
            self._finish()
        if self._refusal is not None:
            raise self._refusal
        return self._summary

    async def _wait(self) -> None:
        """Wait until all tasks have ended by themselves, or for what a halt leaves them."""
        halt = asyncio.create_task(self._is_halted.wait())
        try:
            waiting = set(self._tasks)
            while waiting and not halt.done():
                done, _ = await asyncio.wait({*waiting, halt}, return_when=asyncio.FIRST_COMPLETED)
                waiting -= done
                for task in done - {halt}:
                    if not task.cancelled():
                        task.result()
            self._cancel(self._tasks - self._busy)
            if self._summary.stopped == "error":
                return
            if waiting:
                limit = self._pace.grace if self._summary.stopped == "interrupted" else None
                await asyncio.wait(waiting, timeout=limit)
        finally:
            halt.cancel()

    def _cancel(self, tasks: set[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()

    def _rows(self) -> Iterator[Row]:
        """The rows to do, read by the feed's thread; blank lines are taken off the total as they are met."""
        before = 0
        for row in self._source.rows():
            if self.tally.total is not None:
                self.tally.total -= row.number - before - 1
            before = row.number
            self.tally.read = row.end
            if not self._ledger.is_done(row):
                yield row

    async def _serve(self, feed: Feed, worker: Worker) -> None:
        """One of the tasks that take rows."""
        task = asyncio.current_task()
        while not self._is_halted.is_set():
            try:
                row = await feed.next()
            except MaskwrightError as error:
                # Not a run that ended early: with this input it must not go on.
                self._refusal = error
                self._fail(error)
                return
            if row is None:
                return
            self._busy.add(task)
            self.tally.active += 1
            try:
                await self._do(row, worker)
            finally:
                self.tally.active -= 1
                self._busy.discard(task)

    async def _do(self, row: Row, worker: Worker) -> None:
        """Make one row's value and write it, or why there is none."""
        mark = self._breaker.mark()
        try:
            if row.error is not None:
                # Nothing is waited for here, and a file of broken lines must not stop everything else.
                await asyncio.sleep(0)
                self._guarded(self._write_failure, row, row.error, Cost())
                return
            made = await worker(row)
            self.tally.asked += 1
            self._guarded(self._write_value, row, made, mark)
        except MemoryError:
            raise
        except SpentError as error:
            self._halt("budget", str(error))
            return
        # Whatever it is: a bug that one row meets must not keep the others from being done, today and at each resume.
        except Exception as error:  # noqa: BLE001
            self._note(row, error, mark)
        self._look_at_budget()
        self._observe(self.tally)

    def _note(self, row: Row, error: Exception, mark: int) -> None:
        cost = _cost_of(error)
        self.tally.asked += 1
        self.tally.cost += cost
        self._last = error
        self._guarded(self._breaker.failed, error, mark, lambda: self._write_failure(row, error, cost))
        self._look_at_breaker()

    def _write_value(self, row: Row, made: Made, mark: int) -> None:
        self.tally.cost += made.cost
        line = made_line(row, self._ledger.job.key(row.digest), made, with_cost=self._pace.with_cost)
        self._ledger.add_value(line)
        self.tally.made += 1
        self.tally.finished()
        self._breaker.passed(mark)

    def _write_failure(self, row: Row, error: Exception, cost: Cost) -> None:
        line = failure_line(row, self._ledger.job.key(row.digest), error, cost, with_cost=self._pace.with_cost)
        self._ledger.add_failure(line)
        self.tally.failed += 1
        self.tally.failure = f"row {row.number}: {type(error).__name__}: {' '.join(str(error).split())[:_TOLD]}"
        self.tally.finished()

    def _guarded(self, write: Callable[..., None], *arguments: object) -> None:
        """Write, and end the run if that cannot be done."""
        try:
            write(*arguments)
        except InputError as error:
            self._fail(error)

    def _look_at_breaker(self) -> None:
        if self._breaker.error is not None:
            self._fail(self._breaker.error)

    def _look_at_budget(self) -> None:
        used = self._pace.spending.exceeded(self.tally)
        if used:
            self._halt("budget", used)

    def _fail(self, error: MaskwrightError) -> None:
        self._halt("error", str(error), error)

    def _halt(
        self,
        stopped: Literal["interrupted", "budget", "error"],
        reason: str,
        error: MaskwrightError | None = None,
    ) -> None:
        """End the run; an error is told even if something else came first, since nothing can be written then."""
        if self._summary.stopped is None or (stopped == "error" and self._summary.stopped != "error"):
            self._summary = Summary(self.tally, stopped, reason, error)
        self._is_halted.set()

    async def _beat(self) -> None:
        """Now and then: put all on disk, look at the budget of seconds, and tell how far the run is."""
        synced = monotonic()
        while True:
            await asyncio.sleep(_BEAT)
            self._look_at_budget()
            self._observe(self.tally)
            if monotonic() - synced >= self._pace.sync:
                try:
                    await asyncio.to_thread(self._ledger.sync)
                except InputError as error:
                    self._fail(error)
                synced = monotonic()

    def _finish(self) -> None:
        """Put all on disk, in order if that is wanted and all is done."""
        self._guarded(self._ledger.sync)
        if self._summary.stopped in {"budget", "interrupted"} and self.tally.left == 0:
            # It ended with the last row.
            self._summary = Summary(self.tally)
        if self._summary.is_complete:
            self.tally.total = self.tally.done
            if self._pace.ordered:
                self._guarded(self._ledger.sort)
        self.tally.ended = monotonic()
        self._observe(self.tally)


def _cost_of(error: Exception) -> Cost:
    """What a failure cost, as far as it tells."""
    if isinstance(error, AnswerError):
        return Cost.of(error.report)
    if isinstance(error, ServiceError):
        return Cost(calls=error.attempts, retries=error.attempts - 1)
    return Cost()
