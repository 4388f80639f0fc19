from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from maskwright.server.schedule import plan


@dataclass(eq=False)
class Reader:
    """A sequence that only reads."""

    unread: int
    session: Any = field(default_factory=lambda: SimpleNamespace(length=0))

    def step(self, most: int) -> int:
        return most


def planned(readers: list[Reader], chunk: int) -> list[tuple[Reader, int]]:
    steps: Any = plan(readers, chunk)
    return list(steps)


READERS = st.lists(st.tuples(st.integers(1, 500), st.integers(0, 300)), max_size=10)


@given(READERS, st.sampled_from([1, 8, 64, 128]))
def test_writers_go_on_in_every_pass_and_prompts_in_their_order(pairs: list[tuple[int, int]], chunk: int) -> None:
    """What is short is read whole; of long texts a bounded part, of the first at least, cut where the text decides."""
    readers = [Reader(unread, SimpleNamespace(length=length)) for unread, length in pairs]
    read = {id(reader): most for reader, most in planned(readers, chunk)}
    short = [reader for reader in readers if reader.unread <= min(32, chunk)]
    long = [reader for reader in readers if reader not in short]
    assert all(read[id(reader)] == reader.unread for reader in short)
    assert not long or id(long[0]) in read
    for reader in long:
        if id(reader) in read:
            stop = reader.session.length + read[id(reader)]
            assert stop % chunk == 0 or read[id(reader)] == reader.unread
    assert sum(read.get(id(reader), 0) for reader in long) <= (chunk if short else 4 * chunk)


def test_the_first_prompt_is_read_to_its_end_in_bounded_passes() -> None:
    writer, prompt = Reader(1), Reader(1_000)
    passes = 0
    while prompt.unread:
        for reader, most in planned([writer, prompt], 64):
            if reader is prompt:
                prompt.unread -= most
                prompt.session.length += most
        passes += 1
    assert passes == 16
