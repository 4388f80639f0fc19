"""Profiles and covers: rows of tokens that stay in a text loop, against reading each token."""

from __future__ import annotations

import json
from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskwright.kernel.covers import Covers
from maskwright.kernel.lexicon import UNBOUNDED, Lexicon
from maskwright.kernel.profiles import Profile
from maskwright.kernel.trie import Trie, category_mask
from maskwright.network.lexeme import ANYTHING, quote

pieces = st.one_of(
    st.sampled_from(
        [b'"', b'"]', b'aaaa"', b'aa"}', b"\\", b"\\n", b"\\u00", b'\\"', b"\xc3", b"\xa9", b"a" * 7, b'ab",']
    ),
    st.text('ab\u00e9\u4e00\U0001f600"\\\n', max_size=5).map(str.encode),
    st.binary(max_size=3),
)
vocabularies = st.lists(pieces, min_size=1, max_size=25)


def ids_of(row: object) -> set[int]:
    return {32 * word + bit for word, bits in enumerate(row) for bit in range(32) if bits >> bit & 1}  # type: ignore[arg-type]


def profile_of(tokens: list[bytes]) -> Profile:
    lexicon = Lexicon(1000)
    opened = lexicon.intern(quote(ANYTHING))
    body = lexicon.state(lexicon.expressions.second[opened])
    return Profile(lexicon, body, Trie(tokens, range(len(tokens))), len(tokens))


def body(token: bytes) -> tuple[int, bytes | None] | None:
    """How a JSON string reads a token: characters begun, and what is left after its quote, if it ends."""
    for stop in range(len(token) + 1):
        if token[stop : stop + 1] == b'"' and _is_whole(token[:stop]):
            return _characters(token[:stop]), token[stop + 1 :]
    return (_characters(token), None) if token and _begins(token) else None


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(b'"' + data + b'"')
    except ValueError:
        return False
    return "\\" not in data.decode() or _begins(data)


def _begins(data: bytes) -> bool:
    """Whether some continuation makes the bytes the inside of a JSON string whose escapes are characters."""
    escapes = (b"", b"n", b"u0041", b"0041", b"041", b"41", b"1", b"\\udc00", b"udc00", b"dc00", b"c00", b"00", b"0")
    characters = (b"\x80", b"\xa0", b"\x90", b"\x80\x80", b"\xa0\x80", b"\x90\x80", b"\x80\x80\x80", b"\x90\x80\x80")
    for tail in (*escapes, *characters):
        try:
            value = json.loads(b'"' + data + tail + b'"')
            value.encode()
        except ValueError:
            continue
        return True
    return False


def _characters(data: bytes) -> int:
    """Characters that begin in a beginning of a string body; an escape is one, a pair of surrogates too."""
    count = at = 0
    while at < len(data):
        if data[at] == 0x5C:
            width = 6 if data[at + 1 : at + 2] == b"u" else 2
            if data[at + 2 : at + 4].lower() in {b"d8", b"d9", b"da", b"db"}:
                width = 12
        else:
            width = 1 if data[at] < 0x80 else 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
        count, at = count + 1, at + width
    return count


@given(vocabularies)
@example([b'aaaa"]', b"a"])
def test_inside_and_rests(tokens: list[bytes]) -> None:
    """Tokens that stay inside or just end the string are ``inside``; those that go on after it are in ``rests``."""
    profile = profile_of(tokens)
    read = [body(token) for token in tokens]
    assert ids_of(profile.inside) == {i for i, found in enumerate(read) if found is not None and not found[1]}
    assert set(profile.rests.order) == {i for i, found in enumerate(read) if found is not None and found[1]}


@given(vocabularies, st.integers(0, 8))
@example([b'aaaa"]', b"a"], 2)
def test_limits(tokens: list[bytes], most: int) -> None:
    """The row of a limit holds the tokens that the loop can read with at most so many characters."""
    row = ids_of(profile_of(tokens).limit(most))
    read = [body(token) for token in tokens]
    assert row == {i for i, found in enumerate(read) if found is not None and found[0] <= most}


@given(vocabularies, st.integers(0, 8))
@example([b'aaaa"]', b"a"], 2)
@example([b'aaaa"]', b"a"], 5)
def test_floors(tokens: list[bytes], least: int) -> None:
    """The row of a floor leaves out the tokens that end the string with fewer characters."""
    profile = profile_of(tokens)
    row = ids_of(profile.floor(min(least, profile.most + 1)))
    read = [body(token) for token in tokens]
    assert row == {i for i, found in enumerate(read) if found is not None and (found[1] is None or found[0] >= least)}


SETS = {
    "letters": [(0x61, 0x7A)],
    "words": [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
    "plain": [(0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF)],
    "greek": [(0xC0, 0x7FF)],
}


@pytest.mark.parametrize("name", SETS)
@given(tokens=vocabularies, most=st.sampled_from([0, 1, 2, 3, 5, 100, UNBOUNDED]))
def test_covers_hold_what_is_made_of_their_categories(name: str, tokens: list[bytes], most: int) -> None:
    """A cover is the tokens whose characters all belong to the categories, at most so many; an open last one counts."""
    ranges = SETS[name]
    covers = Covers(Trie(tokens, range(len(tokens))), tokens, len(tokens), 4)
    row = array("I", bytes(4 * ((len(tokens) + 31) // 32)))
    covers.add(category_mask(ranges), most, row)
    found = ids_of(row)
    for i, token in enumerate(tokens):
        try:
            text = token.decode()
        except UnicodeDecodeError:
            continue
        inside = all(any(low <= ord(c) <= high for low, high in ranges) for c in text) and len(text) <= most
        if i in found:
            assert inside
        elif token:
            assert not inside, (token, ranges)


def test_covers_are_capped() -> None:
    """At most ``cap`` rows are kept, and a row that comes again is what it was."""
    tokens = [b"a" * n for n in range(1, 30)]
    covers = Covers(Trie(tokens, range(29)), tokens, 29, 4)
    mask = category_mask([(0x61, 0x7A)])
    for _ in range(2):
        for most in range(30):
            row = array("I", [0])
            covers.add(mask, most, row)
            assert ids_of(row) == set(range(min(most, 29)))
    assert len(covers.rows) <= 4
