"""Nothing that is looked for takes longer than Limits say, holds the interpreter, or spoils what comes after it."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import LimitError, MaskwrightError
from maskwright.forks import guarded_lock
from maskwright.patience import LateError, Patience, rest, turn
from tests.conformance.verdicts import BYTES

SHORT = mw.Limits(turn_seconds=0.3)


def _patterns(first: int, last: int) -> dict[str, Any]:
    return {"allOf": [{"type": "string", "pattern": f"a.{{{n}}}b"} for n in range(first, last)]}


HARD = {
    "many patterns": mw.json_schema(_patterns(20, 60), limits=SHORT),
    "three patterns": mw.json_schema(_patterns(18, 21), limits=SHORT),
    "a complement": mw.json_schema(
        {"type": "string", "not": {"pattern": "(a|b)*a(a|b){30}c"}, "pattern": "b.{25}a", "maxLength": 900_000},
        limits=SHORT,
    ),
    "look-aheads": mw.regex("(?=.*a.{20})(?=.*b.{21})(?=.*c.{22})(?!.*d.{18}e).*", limits=SHORT),
    "unique elements": mw.json_schema(
        {
            "type": "array",
            "uniqueItems": True,
            "minItems": 3_000,
            "items": {"type": "integer", "maximum": 5_000, "minimum": 0},
        },
        limits=SHORT,
    ),
}


@pytest.mark.parametrize("constraint", HARD.values(), ids=list(HARD))
def test_budget_ends(constraint: mw.Constraint) -> None:
    """What cannot be found in time is refused; the same again, and other constraints of the vocabulary go on."""
    for _ in range(2):
        with pytest.raises(LimitError):
            mw.compile(constraint, BYTES).matcher(max_tokens=12)
    guide = mw.compile(mw.regex("[0-9]{3}"), BYTES)
    assert guide.matcher(max_tokens=3).complete() == b"000"


@pytest.mark.parametrize("constraint", [HARD["many patterns"], HARD["unique elements"]])
def test_completion_ends(constraint: mw.Constraint) -> None:
    """So is a completion; after it the matcher is where it was."""
    matcher = mw.compile(constraint, BYTES).matcher()
    before = matcher.mask()
    with pytest.raises(LimitError):
        matcher.complete()
    assert (matcher.mask() == before).all()


def test_more_time() -> None:
    """What was not found in time is found with more of it: that it was late is not kept."""
    schema = {"type": "string", "allOf": [{"pattern": f"^[ab]*a[ab]{{{n}}}$"} for n in (6, 7, 8)]}
    guide = mw.compile(mw.json_schema(schema), BYTES)
    engine = guide._engine
    engine.limits = mw.Limits(turn_seconds=0.0)
    with pytest.raises(LateError):
        guide.matcher(max_tokens=40)
    engine.limits = mw.Limits()
    assert guide.matcher(max_tokens=40).tokens_left == 40
    assert guide.complete(b"") == mw.compile(mw.json_schema(schema), BYTES).complete(b"")


def test_others_run() -> None:
    """While one thread looks for something, others run."""
    guide = mw.compile(HARD["many patterns"], BYTES)
    begun, done = Event(), Event()
    count = 0

    def look() -> None:
        begun.set()
        try:
            guide.matcher(max_tokens=12)
        except MaskwrightError:
            done.set()

    thread = Thread(target=look)
    thread.start()
    begun.wait()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 3


def test_turn() -> None:
    """Who waits for others is refused in time, too."""
    lock, held, enough = guarded_lock(), Event(), Event()

    def hold() -> None:
        with lock:
            held.set()
            enough.wait()

    thread = Thread(target=hold)
    thread.start()
    held.wait()
    try:
        with pytest.raises(LateError, match="nothing was done"), turn(lock, Patience(0.01, "nothing was done", "wait")):
            pass
    finally:
        enough.set()
        thread.join()
    with turn(lock, Patience(0.01, "nothing was done", "wait")):
        rest()


def test_nested() -> None:
    """What is asked for within other work ends with it."""
    with Patience(0.0, "outer", ""), Patience(60.0, "inner", ""), pytest.raises(LateError, match="outer"):
        rest()
    rest()
