"""Engines: shared by threads, evicted at tiny limits, and after a fork of the process; masks stay what they are."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

import maskwright as mw
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "maxLength": 9},
        "b": {"type": "array", "items": {"type": "number"}},
        "c": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["a", "b", "c"],
}
DOCUMENTS = [
    json.dumps({"a": "x" * i, "b": list(range(i)), "c": {f"k{j}": j for j in range(i)}}).encode() for i in range(6)
]
TINY = mw.Limits(lexeme_states=300, configurations=50, masks=3)
TOKENS = (*SINGLES, b"ab", b'{"', b'":', b'"a":"', b'"b":[', b"1,", b'],"c":{"')


def masks_along(guide: mw.Guide, document: bytes) -> list[bytes]:
    matcher = guide.matcher()
    found = [matcher.mask().tobytes()]
    for byte in document:
        matcher.advance(byte + 1)
        found.append(matcher.mask().tobytes())
    return found


@pytest.fixture(scope="module")
def expected() -> dict[bytes, list[bytes]]:
    guide = mw.compile(mw.json_schema(SCHEMA), make_vocabulary(TOKENS))
    return {document: masks_along(guide, document) for document in DOCUMENTS}


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_tiny_limits_change_no_mask(expected: dict[bytes, list[bytes]]) -> None:
    """Dropping what was learned, in the middle of an output, changes nothing but the time."""
    guide = mw.compile(mw.json_schema(SCHEMA, limits=TINY), make_vocabulary(TOKENS))
    for document in DOCUMENTS * 2:
        assert masks_along(guide, document) == expected[document]


def test_old_guides_are_told() -> None:
    """A guide is current until what all guides of its vocabulary learned is dropped, and again when it is used."""
    vocabulary = make_vocabulary(TOKENS)
    guide = mw.compile(mw.json_schema(SCHEMA, limits=TINY), vocabulary)
    matcher = guide.matcher()
    assert guide.is_current
    long = {f"{number:x}" * 9: True for number in range(60)}
    mw.compile(mw.json_schema({"properties": long, "required": list(long)}), vocabulary).complete(b"{")
    masks_along(mw.compile(mw.json_schema(SCHEMA), vocabulary), DOCUMENTS[0])
    assert guide.is_current
    younger = mw.compile(mw.json_schema(SCHEMA, limits=TINY, whitespace="compact"), vocabulary)
    assert younger.is_current
    assert not guide.is_current
    matcher.advance_bytes(b'{"a": "q')
    assert guide.is_current


def test_rollback_and_forks_survive_eviction() -> None:
    """A matcher that slept while the engine forgot everything goes on as if nothing had happened."""
    guide = mw.compile(mw.json_schema(SCHEMA, limits=TINY), make_vocabulary(TOKENS))
    sleeper = guide.matcher()
    sleeper.advance_bytes(b'{"a": "q\\u00')
    sleeper.advance_bytes(b'e9", ')
    copy, before = sleeper.fork(), in_mask(sleeper)
    for document in DOCUMENTS:
        masks_along(guide, document)
    assert in_mask(sleeper) == before == in_mask(copy)
    sleeper.rollback()
    assert in_mask(sleeper) == by_reading(sleeper)


@pytest.mark.parametrize("limits", [mw.Limits(), TINY])
@pytest.mark.parametrize("shared", [True, False])
def test_threads(limits: mw.Limits, shared: bool, expected: dict[bytes, list[bytes]], hasty: None) -> None:
    """Threads that share a guide, or a vocabulary, see the masks that one alone sees."""
    vocabulary = make_vocabulary(TOKENS)
    common = mw.compile(mw.json_schema(SCHEMA, limits=limits), vocabulary)
    faults: list[str] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        try:
            for _ in range(4):
                guide = common if shared else mw.compile(mw.json_schema(SCHEMA, limits=limits), vocabulary)
                document = chance.choice(DOCUMENTS)
                if masks_along(guide, document) != expected[document]:
                    faults.append("another mask")
        except Exception as error:  # noqa: BLE001  (whatever a thread meets is a fault)
            faults.append(repr(error))

    threads = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_learns_for_itself() -> None:
    """After a fork the child's new states do not appear in the parent, nor the parent's in the child."""
    vocabulary = make_vocabulary(TOKENS)
    guide = mw.compile(mw.json_schema({}), vocabulary)
    matcher = guide.matcher()
    matcher.advance_bytes(b'{"a')
    before = in_mask(matcher)
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = _learn(vocabulary, "child") and _learn(vocabulary, "another") and in_mask(matcher) == before
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert in_mask(matcher) == before == by_reading(matcher)
    assert _learn(vocabulary, "parent")


def _learn(vocabulary: mw.Vocabulary, word: str) -> bool:
    """New lexemes, and whether every mask along them is right."""
    schema = {"type": "string", "pattern": f"^[a-c]{{2}}{word}[0-9]*$"}
    matcher = mw.compile(mw.json_schema(schema), vocabulary).matcher()
    good = True
    for byte in f'"ab{word}12"'.encode():
        good = good and in_mask(matcher) == by_reading(matcher)
        matcher.advance(byte + 1)
    return good and in_mask(matcher) == by_reading(matcher)
