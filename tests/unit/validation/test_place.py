"""The cursor: where a JSON text stands, whatever pieces it comes in."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.validation.place import Cursor, State

#: Text -> pointer steps of the value, state.
STANDS: Final[list[tuple[str, tuple[str | int, ...], State]]] = [
    ("", (), State.VALUE),
    ("1", (), State.SCALAR),
    ("[", (0,), State.VALUE),
    ("[1", (0,), State.SCALAR),
    ("[1 ", (0,), State.AFTER_VALUE),
    ("[1,", (1,), State.VALUE),
    ("[[1],[", (1, 0), State.VALUE),
    ("[[1]", (0,), State.AFTER_VALUE),
    ("{", (), State.KEY),
    ('{"a', (), State.IN_KEY),
    ('{"a"', ("a",), State.AFTER_KEY),
    ('{"a":', ("a",), State.VALUE),
    ('{"a":"', ("a",), State.SCALAR),
    ('{"a":"b"', ("a",), State.AFTER_VALUE),
    ('{"a":1,', (), State.KEY),
    ('{"\\u0061":{"b":[1,{"c":"}],{"', ("a", "b", 1, "c"), State.AFTER_VALUE),
    ('{"a":"\\"', ("a",), State.SCALAR),
    ('{"a":"\\\\"', ("a",), State.AFTER_VALUE),
    ("[1,2] ", (), State.AFTER_VALUE),
]


@pytest.mark.parametrize(("text", "steps", "state"), STANDS)
def test_place(text: str, steps: tuple[str | int, ...], state: State) -> None:
    """Steps and state are those that a person reads off the text."""
    cursor = Cursor()
    assert cursor.read(text.encode()) == len(text.encode())
    assert (cursor.value(), cursor.state) == (steps, state)


def _seen(cursor: Cursor) -> tuple[Any, ...]:
    return cursor.offset, cursor.line, cursor.column(None), cursor.value(), cursor.state, cursor.scalar, cursor.names


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a"\\\né😀,:[{}]'), max_size=4),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text('ab\\"é', max_size=2), below, max_size=3),
    max_leaves=6,
)


@given(_JSON, st.sampled_from([None, 1]), st.booleans(), st.data())
def test_pieces_do_not_matter(value: Any, indent: int | None, ascii_only: bool, data: st.DataObject) -> None:
    """A text cut at any bytes, and cut off anywhere, is at the same place."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    text = text[: data.draw(st.integers(0, len(text)))]
    whole, pieces = Cursor(), Cursor()
    whole.read(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        pieces.read(text[start:stop])
    assert _seen(pieces) == _seen(whole)


@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_key_that_comes_twice_stops_before_its_last_quote(size: int) -> None:
    """However it is spelled, and only within one object."""
    text = b'[{"a":{"a":1},"b":{"a":2}},{"a":1,"\\u0061":2}]'
    cursor, read = Cursor(), 0
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        read += cursor.read(piece)
        if read < start + len(piece):
            break
    assert text[:read].endswith(b'"\\u0061')
    assert (cursor.offset, cursor.state, cursor.container()) == (read, State.IN_KEY, (1,))


def test_columns_count_characters() -> None:
    """Of a character of several bytes each has the same column; lines end with a newline."""
    cursor = Cursor()
    cursor.read('"é\n'.encode() + "😀".encode()[:2])
    assert (cursor.line, cursor.column(0x98), cursor.column(0x41)) == (2, 1, 2)
