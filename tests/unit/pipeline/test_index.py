"""The index of rows that are done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maskwright.pipeline.index import RowIndex


@given(st.lists(st.tuples(st.integers(1, 20_000), st.integers(0, 2**63 - 1))))
def test_it_is_a_dictionary(pairs: list[tuple[int, int]]) -> None:
    """What is added first stays; length, membership and the greatest row agree with a dictionary's."""
    index, known = RowIndex(), {}
    for row, number in pairs:
        assert index.add(row, number) == (row not in known)
        known.setdefault(row, number)
    assert len(index) == len(known)
    assert index.last == max(known, default=0)
    assert all(index.get(row) == number and row in index for row, number in known.items())
    assert 20_001 not in index


def test_a_stray_row_costs_a_page() -> None:
    """No list as long as its number is made."""
    index = RowIndex()
    assert index.add(10**15, 3)
    assert index.get(10**15) == 3
    assert index.get(10**15 - 1) is None
