"""Threads beside the event loop: what work raises holds nothing alive."""

from __future__ import annotations

import asyncio
import weakref

import pytest

from maskwright.errors import LimitError, Problem
from maskwright.server.workers import Workers


class _Large:
    """What is half made when an error comes."""


def test_an_error_holds_nothing_alive() -> None:
    """The frames that it passed are empty, those of what it came from too."""
    seen: list[weakref.ref[_Large]] = []

    def inner() -> None:
        large = _Large()
        seen.append(weakref.ref(large))
        raise ValueError("half made")

    def work() -> None:
        large = _Large()
        seen.append(weakref.ref(large))
        try:
            inner()
        except ValueError as cause:
            raise LimitError(Problem("too much")) from cause

    async def ask() -> LimitError:
        workers = Workers(1, queue=1, seconds=5, name="trial")
        with pytest.raises(LimitError) as caught:
            await workers.run(work)
        workers.close()
        return caught.value

    error = asyncio.run(ask())
    assert str(error) == "too much"
    assert len(seen) == 2
    assert [held() for held in seen] == [None, None]
