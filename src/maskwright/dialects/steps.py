"""Recursion without the interpreter's stack: a function that yields the calls it waits for."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

__all__ = ["Steps", "run"]

_Result = TypeVar("_Result")
#: A computation that yields other computations, is sent their results, and returns its own.
Steps = Generator[Any, Any, _Result]


def run(steps: Steps[_Result]) -> _Result:
    """The result of a computation; its depth is bounded by memory alone."""
    waiting: list[Steps[Any]] = [steps]
    result: Any = None
    while waiting:
        try:
            below = waiting[-1].send(result)
        except StopIteration as end:
            waiting.pop()
            result = end.value
        else:
            waiting.append(below)
            result = None
    return result  # type: ignore[no-any-return]  # the last one to end is the first of the list
