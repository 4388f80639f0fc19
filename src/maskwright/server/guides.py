"""Constraints of requests, compiled beside the event loop, within bounds, and kept for the next request."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, TypeVar

from maskwright.constraint import Constraint
from maskwright.guide import Guide, compile_guide
from maskwright.server.metrics import Counts
from maskwright.server.settings import Settings
from maskwright.server.workers import Workers
from maskwright.vocabulary import Vocabulary

__all__ = ["Guides"]

_Made = TypeVar("_Made")
#: Seconds that a compilation may go on beyond ``Limits.compile_seconds``, which it watches by itself: waiting for the
#: interpreter's lock counts, too.
_PATIENCE: Final = 5.0
#: Longer keys are not kept: a cache of 128 schemas of 2 MB would be 256 MB.
_LONGEST_KEY: Final = 100_000


class Guides:
    """Compiled constraints by the text that asks for them."""

    def __init__(self, settings: Settings, vocabulary: Vocabulary, counts: Counts) -> None:
        self._settings = settings
        self._vocabulary = vocabulary
        self._counts = counts
        self._kept: OrderedDict[str, Guide] = OrderedDict()
        #: Compilations that have begun or wait, so that 64 requests with one schema compile it once.
        self._coming: dict[str, asyncio.Future[Guide | None]] = {}
        self._workers = Workers(
            settings.compilers,
            queue=settings.compile_queue,
            seconds=settings.limits.compile_seconds + _PATIENCE,
            name="compilation",
        )

    async def guide(self, key: str | None, make: Callable[[], Constraint | None]) -> Guide | None:
        """The guide of a constraint: kept, being compiled for somebody else, or compiled now.

        Args:
            key: A text that is the same for requests with the same constraint; ``None`` for free text.
            make: What makes the constraint, called in a thread of its own.

        Raises:
            MaskwrightError: what ``make`` and the compiler raise.
            RequestError: 400 after too much time, 503 where too many wait already.

        """
        if key is None:
            return None
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            self._counts.reused += 1
            return found
        coming = self._coming.get(key)
        if coming is None:
            coming = self._coming[key] = asyncio.ensure_future(self._compile(key, make))
            coming.add_done_callback(lambda done: self._landed(key, done))
        # A client that goes away must not take the compilation from the others that wait for it.
        return await asyncio.shield(coming)

    async def apart(self, work: Callable[[], _Made]) -> _Made:
        """What some work on a constraint gives, in the threads for compiling.

        Raises :class:`RequestError` as :meth:`guide`, and what the work raises.
        """
        return await self._workers.run(work)

    def forget(self, guide: Guide) -> None:
        """Keep a guide no longer: what it learned before a limit ended it is large, and of no use."""
        for key in [key for key, kept in self._kept.items() if kept is guide]:
            del self._kept[key]

    def close(self) -> None:
        """Take no more work; what runs ends by itself."""
        self._workers.close()

    async def _compile(self, key: str, make: Callable[[], Constraint | None]) -> Guide | None:
        begun = time.monotonic()
        try:
            made = await self._workers.run(lambda: self._made(make))
        except Exception:
            self._counts.refused += 1
            raise
        self._counts.compile_seconds += time.monotonic() - begun
        self._counts.compiled += 1
        if made is not None and len(key) <= _LONGEST_KEY:
            self._kept[key] = made
            self._drop_old()
            while len(self._kept) > self._settings.kept_guides:
                self._kept.popitem(last=False)
        return made

    def _drop_old(self) -> None:
        """Guides that keep a lexicon alive which nobody else uses: that is 100 MB for one that hard patterns filled."""
        for key in [key for key, guide in self._kept.items() if not guide.is_current]:
            del self._kept[key]

    def _made(self, make: Callable[[], Constraint | None]) -> Guide | None:
        constraint = make()
        return None if constraint is None else compile_guide(constraint, self._vocabulary)

    def _landed(self, key: str, done: asyncio.Future[Guide | None]) -> None:
        self._coming.pop(key, None)
        if not done.cancelled():
            # Where every client has left, nobody else asks what it raised.
            done.exception()
