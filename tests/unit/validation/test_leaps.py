"""Long strings: read in leaps, with the same answers as character by character."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.validation import Validator
from maskwright.validation.leaps import pieces


def _cut(validator: Validator, text: bytes, size: int) -> int | None:
    """The offset at which a text in pieces is refused."""
    stream = validator.stream()
    for start in range(0, len(text), size):
        stream.feed(text[start : start + size])
    found = stream.finish()
    return None if found is None else found.offset


_CHARACTERS = st.lists(st.sampled_from(["a", "é", "日", "😀", '"', "\\", "\n", "/"]), min_size=1, max_size=9)


@given(_CHARACTERS, st.integers(90, 160), st.booleans(), st.integers(-2, 2), st.integers(500, 1500))
def test_lengths_are_exact(some: list[str], times: int, ascii_only: bool, slack: int, size: int) -> None:
    """A string may have as many characters as its bounds allow; the first one too many is refused at its first byte."""
    characters = some * times
    spelled = [json.dumps(one, ensure_ascii=ascii_only)[1:-1].encode() for one in characters]
    text = b'{"a":"' + b"".join(spelled) + b'"}'
    most = len(characters) + slack
    validator = Validator({"properties": {"a": {"type": "string", "minLength": most, "maxLength": most}}})
    expected = None if slack == 0 else len(text) - 2 if slack > 0 else 6 + len(b"".join(spelled[:most]))
    assert _cut(validator, text, size) == _cut(validator, text, len(text)) == expected


@pytest.mark.parametrize("size", [1, 700, 100_000])
@pytest.mark.parametrize(
    ("schema", "policies", "inside", "good"),
    [
        ({}, {}, b"a" * 1000 + b"\x01", 1000),
        ({}, {}, b"a" * 1000 + b"\xff", 1000),
        ({}, {}, b"a" * 1000 + b"\\x", 1001),
        ({}, {}, b"a" * 1000 + b"\\ud800\\n", 1007),
        ({}, {}, b"a" * 1000 + b"\\udc00", 1003),
        ({"maxLength": 5000}, {"escapes": "minimal"}, b"a" * 1000 + b"\\u0061" + b"a" * 900, 1004),
        ({"pattern": "^[a-z]{0,3000}$"}, {}, b"a" * 1000 + b"A" + b"a" * 1000, 1000),
        ({"pattern": "^[a-z]{0,3000}$"}, {}, b"az" * 1500 + b"a", 3000),
        ({"not": {"enum": ["a" * 1000]}}, {}, b"a" * 1000 + b'"', 1000),
    ],
)
def test_wrong_bytes_in_long_strings(
    schema: dict[str, Any], policies: dict[str, Any], inside: bytes, good: int, size: int
) -> None:
    """The first wrong byte is where it is in a short one."""
    validator = Validator({"type": "string", **schema}, **policies)
    assert _cut(validator, b'"' + inside, size) == 1 + good


@given(st.lists(st.sampled_from([b'"', b"a" * 511, b"a" * 600, b"\\"])))
def test_pieces_are_the_bytes(parts: list[bytes]) -> None:
    """Nothing is lost, and no long piece holds a quote."""
    data = b"".join(parts)
    cut = list(pieces(data))
    assert b"".join(cut) == data
    assert all(cut)
