from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from maskwright.server.stops import StopWatch

BYTES = st.binary(max_size=40).map(lambda data: bytes(byte % 3 + 97 for byte in data))


def naive(stops: list[bytes], text: bytes, ignored: int) -> tuple[int, bytes] | None:
    """The first place from ``ignored`` on at which a stop text is complete, and the longest one that is."""
    for end in range(ignored + 1, len(text) + 1):
        found = [stop for stop in stops if stop and text[:end].endswith(stop)]
        if found:
            return end, max(found, key=len)
    return None


@given(st.lists(BYTES, max_size=3), BYTES, st.lists(st.integers(0, 40), max_size=5), st.integers(0, 40))
def test_stop_texts_are_found_wherever_tokens_are_cut(
    stops: list[bytes], text: bytes, cuts: list[int], ignored: int
) -> None:
    """The same stop text at the same place however the text is cut; before ``ignored`` bytes none counts."""
    places = sorted({0, *(min(cut, len(text)) for cut in cuts), min(ignored, len(text)), len(text)})
    watch, found = StopWatch(stops), None
    for start, end in pairwise(places):
        hit = watch.read(text[start:end], counts=start >= ignored)
        if hit is not None:
            found = (start + hit[0], hit[1])
            break
        ends = [stop[:length] for stop in stops for length in range(1, len(stop)) if text[:end].endswith(stop[:length])]
        assert watch.held == max(map(len, ends), default=0)
    assert found == naive(stops, text, min(ignored, len(text)))


def test_a_long_stop_text_is_watched_in_linear_time() -> None:
    """Steps are counted by the automaton's own law: no state goes back further than it came."""
    watch = StopWatch([b"a" * 20_000 + b"b"])
    assert watch.read(b"a" * 100_000) is None
    assert watch.held == 20_000
    assert watch.read(b"b") == (1, b"a" * 20_000 + b"b")
