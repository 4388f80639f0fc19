"""What was written last is found from its end, whatever the value and wherever the text was cut."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from maskwright.written import last_value

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=4), below, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, min_size=1, max_size=4), st.booleans(), st.sampled_from(["", " ", "\n  "]))
def test_the_last_value_before_a_comma(written: list[object], ascii_only: bool, blank: str) -> None:
    """In an array that goes on, the value before the last comma is the last element."""
    text = json.dumps(written, ensure_ascii=ascii_only, separators=(f"{blank},{blank}", ":"))[:-1] + f"{blank},{blank}"
    data = text.encode()
    start, stop = last_value(data, is_whole=True)
    assert json.loads(data[start:stop]) == written[-1]


@given(st.lists(values, min_size=1, max_size=3), st.data())
def test_a_cut_text_gives_the_value_or_nothing(written: list[object], data: st.DataObject) -> None:
    """From any later part of the text the same value is found, or it is said that it may begin before."""
    whole = json.dumps(written).encode()[:-1] + b","
    start, stop = last_value(whole, is_whole=True)
    cut = data.draw(st.integers(0, len(whole) - 1))
    begin, end = last_value(whole[cut:], is_whole=cut == 0)
    assert (begin, end) == (-1, -1) or whole[cut + begin : cut + end] == whole[start:stop]
