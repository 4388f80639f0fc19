"""Constraints are compiled beside the loop: within bounds, once for all who ask, and kept."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.server import guides
from maskwright.server.guides import Guides
from maskwright.server.metrics import Counts
from maskwright.server.settings import Settings
from tests.unit.server.fakes import BYTES


def _guides(**more: Any) -> tuple[Guides, Counts]:
    counts = Counts()
    return Guides(Settings(model="m", **more), BYTES, counts), counts


def test_the_same_key_is_compiled_once() -> None:
    """Whoever asks while it is compiled waits for it; whoever asks later finds it."""
    made = 0

    def make() -> mw.Constraint:
        nonlocal made
        made += 1
        time.sleep(0.05)
        return mw.choice(["a"])

    async def run() -> None:
        kept, counts = _guides()
        first = await asyncio.gather(*(kept.guide("key", make) for _ in range(20)))
        assert made == 1
        assert len(set(map(id, first))) == 1
        assert await kept.guide("key", make) is first[0]
        assert (counts.compiled, counts.reused) == (1, 1)
        assert await kept.guide(None, make) is None
        kept.close()

    asyncio.run(run())


def test_the_oldest_is_dropped() -> None:
    """A cap on what is kept; what was asked for last stays."""

    async def run() -> None:
        kept, counts = _guides(kept_guides=2)
        for key in ("a", "b", "a", "c", "a", "b"):
            await kept.guide(key, lambda key=key: mw.choice([key]))  # type: ignore[misc]
        assert counts.compiled == 4
        kept.close()

    asyncio.run(run())


def test_old_ones_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that hold what their vocabulary dropped are not kept: it would never be free."""

    async def run() -> None:
        kept, counts = _guides()
        old = await kept.guide("a", lambda: mw.choice(["a"]))
        monkeypatch.setattr(type(old), "is_current", property(lambda guide: guide is not old))
        for key in ("a", "b", "b", "a"):
            await kept.guide(key, lambda key=key: mw.choice([key]))  # type: ignore[misc]
        assert (counts.compiled, counts.reused) == (3, 2)
        kept.close()

    asyncio.run(run())


def test_refusals_are_for_all_who_wait_and_not_kept() -> None:
    """What cannot be compiled is told to everybody who waits for it, and tried again for the next."""
    tries = 0

    def make() -> mw.Constraint:
        nonlocal tries
        tries += 1
        return mw.regex("(")

    async def run() -> None:
        kept, counts = _guides()
        found = await asyncio.gather(*(kept.guide("key", make) for _ in range(3)), return_exceptions=True)
        assert all(isinstance(one, mw.ConstraintError) for one in found)
        assert tries == counts.refused == 1
        with pytest.raises(mw.ConstraintError):
            await kept.guide("key", make)
        assert tries == 2
        kept.close()

    asyncio.run(run())


def test_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes too long is refused, and the loop was never held."""
    monkeypatch.setattr(guides, "_PATIENCE", 0.05)
    done = threading.Event()

    def make() -> None:
        done.wait(5)

    async def run() -> None:
        kept, _ = _guides(limits=Limits(compile_seconds=0.0))
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0.002)
                beats += 1

        heart = asyncio.ensure_future(beat())
        with pytest.raises(RequestError) as told:
            await kept.guide("key", make)
        assert told.value.status == 400
        assert beats > 5
        heart.cancel()
        done.set()
        kept.close()

    asyncio.run(run())


def test_the_queue_is_bounded() -> None:
    """Where too many wait, the next is told to come again; those that wait are served."""
    done = threading.Event()

    def make() -> mw.Constraint:
        done.wait(5)
        return mw.choice(["a"])

    async def run() -> None:
        kept, _ = _guides(compilers=1, compile_queue=2)
        waiting = [asyncio.ensure_future(kept.guide(str(number), make)) for number in range(3)]
        await asyncio.sleep(0.02)
        with pytest.raises(RequestError) as told:
            await kept.guide("one more", make)
        assert (told.value.status, told.value.retry_after) == (503, 1.0)
        done.set()
        assert all(await asyncio.gather(*waiting))
        assert await kept.guide("one more", make)
        kept.close()

    asyncio.run(run())


def test_whoever_leaves_takes_nothing_from_others() -> None:
    """A client that goes away while its constraint is compiled does not end that for the next one."""

    async def run() -> None:
        kept, counts = _guides()
        first = asyncio.ensure_future(kept.guide("key", lambda: time.sleep(0.05) or mw.choice(["a"])))  # type: ignore[func-returns-value]
        await asyncio.sleep(0.01)
        second = asyncio.ensure_future(kept.guide("key", lambda: mw.choice(["b"])))
        await asyncio.sleep(0)
        first.cancel()
        found = await second
        assert found is not None
        assert found.matches("a")
        assert counts.compiled == 1
        kept.close()

    asyncio.run(run())
