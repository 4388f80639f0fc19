"""Protocol buffers against hand-written bytes of the documentation, and any damage."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.tokenizers.protobuf import fields

MESSAGES = [
    (b"", []),
    (b"\x08\x96\x01", [(1, 150, b"")]),
    (b"\x12\x07testing", [(2, 0, b"testing")]),
    (b"\x0d\x00\x00\x80\x3f\x11" + bytes(8), [(1, 0, b"\0\0\x80?"), (2, 0, bytes(8))]),
    (b"\xba\x01\x00\x08\x01\x08\x02", [(23, 0, b""), (1, 1, b""), (1, 2, b"")]),
    (b"\x08" + b"\xff" * 9 + b"\x01", [(1, 2**64 - 1, b"")]),
]


@pytest.mark.parametrize(("message", "expected"), MESSAGES)
def test_fields_are_read_in_order(message: bytes, expected: list[tuple[int, int, bytes]]) -> None:
    """Varints, strings and fixed-width numbers are read; repeated fields come as often as they are there."""
    assert list(fields(message)) == expected


@pytest.mark.parametrize("message", [b"\x08", b"\x12\x02a", b"\x0d\x00", b"\x0b", b"\x08" + b"\xff" * 11, b"\x80"])
def test_damage_is_a_value_error(message: bytes) -> None:
    """What is cut off, too long or of an obsolete kind is no message."""
    with pytest.raises(ValueError, match="byte"):
        list(fields(message))


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(message: bytes) -> None:
    """No bytes raise anything but ValueError."""
    with suppress(ValueError):
        list(fields(message))
