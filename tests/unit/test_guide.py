"""Guides: kept while someone holds them, and whole texts judged whatever their spelling."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
import time
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import PolicyError, UnspellableError
from tests.oracle.masks import SINGLES, make_vocabulary

BYTES = make_vocabulary(SINGLES)


def test_the_same_guide_while_it_is_held() -> None:
    """One guide for a constraint and a vocabulary; another vocabulary has another."""
    constraint = mw.choice(["a", "b"])
    guide = mw.compile(constraint, BYTES)
    assert mw.compile(constraint, BYTES) is guide
    assert mw.compile(constraint, make_vocabulary(SINGLES)) is not guide
    assert (guide.constraint, guide.vocabulary) == (constraint, BYTES)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ('{"a": 1}', True),
        ('{"\\u0061": 1}', True),
        (b'{"a": 1}', True),
        ('{"a": 1', False),
        ('{"a": 1}}', False),
        ('{"a": "1"}', False),
        ("", False),
        (b"\xff", False),
        ("\ud800", False),
    ],
)
def test_whole_texts(text: str | bytes, good: bool) -> None:
    """A text matches if it is an output from its first byte to its last."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
    assert mw.compile(mw.json_schema(schema), BYTES).matches(text) is good


@pytest.mark.parametrize(
    "arguments", [(None, BYTES), (mw.choice(["a"]), None), ("a", BYTES), (BYTES, mw.choice(["a"]))]
)
def test_other_things_are_not_compiled(arguments: Any) -> None:
    """What is no constraint or no vocabulary is named."""
    with pytest.raises(PolicyError):
        mw.compile(*arguments)


def test_a_vocabulary_that_cannot_write_it() -> None:
    """A constraint of which no output can be spelled is refused when it is compiled."""
    with pytest.raises(UnspellableError):
        mw.compile(mw.choice(["ab"]), make_vocabulary([b"a", b"c"]))
    with pytest.raises(UnspellableError):
        mw.compile(mw.json_schema({"type": "string"}), make_vocabulary([b"a", b"1"]))


def test_a_guide_pickles_and_copies_as_its_source() -> None:
    """A copy of a guide judges as the guide does."""
    vocabulary = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])
    guide = mw.compile(mw.json_schema({"type": "integer"}), vocabulary)
    for other in (pickle.loads(pickle.dumps(guide)), copy.deepcopy(guide)):
        assert other.matches("12")
        assert not other.matches('"12"')


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 on: forking beside threads is what is tested
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_waits_for_what_another_thread_learns() -> None:
    """A child that was forked while another thread used the guide can use it too."""
    vocabulary = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])
    guide = mw.compile(mw.json_schema({}), vocabulary)
    done = threading.Event()

    def write() -> None:
        number = 0
        while not done.is_set():
            number += 1
            guide.matcher().advance_bytes(b'{"k%d": [1, {"a": "' % number)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(12):
            child = os.fork()
            if child == 0:
                guide.matcher().advance_bytes(b'{"z%d": 1' % number)
                os._exit(0)
            deadline = time.monotonic() + 20
            while os.waitpid(child, os.WNOHANG)[0] == 0:
                if time.monotonic() > deadline:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    pytest.fail("the child waits for a lock")
                time.sleep(0.005)
    finally:
        done.set()
        thread.join()
