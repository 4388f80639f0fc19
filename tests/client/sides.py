"""Both clients behind one face, so that every test is played through both."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from maskwright.client import Answer, AsyncClient, Client, Part
from maskwright.client.async_driver import Result
from maskwright.client.flow import Flow

__all__ = ["SIDES", "AsyncSide", "SyncSide"]


class SyncSide:
    """A :class:`Client`."""

    def __init__(self, url: str, **arguments: Any) -> None:
        self.client = Client(url, **{"model": "m", **arguments})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def ask(self, method: str, *arguments: Any, **options: Any) -> Any:
        """The result of a method."""
        return getattr(self.client, method)(*arguments, **options)

    def run(self, flow: Flow[Any]) -> Any:
        """The result of a flow of one's own."""
        return self.client._driver.run(flow)

    def items(self, flow: Flow[Any], *, most: int = 1000, found: list[Any] | None = None) -> list[Any]:
        """What a flow emits, or the first ``most`` items; added to ``found`` as they come."""
        found = [] if found is None else found
        items = self.client._driver.items(flow)
        for item in items:
            found.append(item)
            if len(found) == most:
                items.close()
        return found

    def parts(self, *arguments: Any, **options: Any) -> tuple[list[Part], Answer]:
        """The parts of a stream, and its answer."""
        with self.client.stream(*arguments, **options) as stream:
            return list(stream), stream.answer


class AsyncSide:
    """An :class:`AsyncClient` in an event loop of its own."""

    def __init__(self, url: str, **arguments: Any) -> None:
        self.runner = asyncio.Runner()
        self.client = AsyncClient(url, **{"model": "m", **arguments})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.runner.run(self.client.close())
        self.runner.close()

    def ask(self, method: str, *arguments: Any, **options: Any) -> Any:
        """The result of a method."""
        return self.runner.run(getattr(self.client, method)(*arguments, **options))

    def run(self, flow: Flow[Any]) -> Any:
        """The result of a flow of one's own."""
        return self.runner.run(self.client._driver.run(flow))

    def items(self, flow: Flow[Any], *, most: int = 1000, found: list[Any] | None = None) -> list[Any]:
        """What a flow emits, or the first ``most`` items; added to ``found`` as they come."""
        found = [] if found is None else found

        async def collect() -> list[Any]:
            items = self.client._driver.items(flow)
            async for item in items:
                if isinstance(item, Result):
                    continue
                found.append(item)
                if len(found) == most:
                    await items.aclose()
            return found

        return self.runner.run(collect())

    def parts(self, *arguments: Any, **options: Any) -> tuple[list[Part], Answer]:
        """The parts of a stream, and its answer."""

        async def collect() -> tuple[list[Part], Answer]:
            async with self.client.stream(*arguments, **options) as stream:
                return [part async for part in stream], stream.answer

        return self.runner.run(collect())


SIDES: tuple[type[SyncSide | AsyncSide], ...] = (SyncSide, AsyncSide)
