"""The trie: tokens in order, ends of subtrees, and the longest tokens along a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.kernel.trie import ILL_FORMED, Trie, category_mask

texts = st.lists(st.one_of(st.binary(max_size=5), st.text(max_size=4).map(str.encode)), max_size=30)


def paths(trie: Trie) -> list[bytes]:
    """The prefix of every node."""
    found = [b""]
    path: list[int] = []
    for node in range(1, trie.size):
        del path[trie.depth[node] - 1 :]
        path.append(trie.byte[node])
        found.append(bytes(path))
    return found


@given(texts)
def test_nodes_are_all_prefixes_in_order(tokens: list[bytes]) -> None:
    """Each prefix of a token is one node; nodes come in the order of their bytes."""
    trie = Trie(tokens, range(len(tokens)))
    prefixes = {token[:stop] for token in tokens for stop in range(len(token) + 1)} | {b""}
    assert paths(trie) == sorted(prefixes)
    assert trie.longest == max(map(len, tokens), default=0)


@given(texts)
def test_subtrees_are_runs(tokens: list[bytes]) -> None:
    """``node .. end`` are the prefixes that begin with the node's, and ``order`` holds their tokens as one run."""
    trie = Trie(tokens, range(len(tokens)))
    names = paths(trie)
    for node, name in enumerate(names):
        assert all(below.startswith(name) for below in names[node : trie.end[node]])
        assert not any(other.startswith(name) for other in names[trie.end[node] :])
        stop = trie.first_token[trie.end[node]] if trie.end[node] < trie.size else len(trie.order)
        run = trie.order[trie.first_token[node] : stop]
        assert sorted(run) == [i for i, token in enumerate(tokens) if token and token.startswith(name)]


@given(texts)
def test_children_of_the_root(tokens: list[bytes]) -> None:
    """Every first byte has its node, every other none."""
    trie = Trie(tokens, range(len(tokens)))
    names = paths(trie)
    for byte in range(256):
        node = trie.root_child[byte]
        present = any(token[:1] == bytes([byte]) for token in tokens)
        assert (node >= 0) == present
        assert not present or names[node] == bytes([byte])


@given(texts)
def test_characters_are_counted(tokens: list[bytes]) -> None:
    """A node counts the characters that begin on its path; ``reach`` is the most of any node below it."""
    trie = Trie(tokens, range(len(tokens)))
    names = paths(trie)
    for node, name in enumerate(names):
        if not trie.path[node] & ILL_FORMED:
            assert trie.characters[node] == len(name.decode(errors="ignore")) + (_pending(name) > 0)
        assert trie.reach[node] == max(trie.characters[node : trie.end[node]])


def _pending(name: bytes) -> int:
    """Bytes at the end that begin a character which is not complete."""
    return len(name) - len(name.decode(errors="ignore").encode())


@given(texts)
def test_what_is_well_formed_is_known(tokens: list[bytes]) -> None:
    """A path is ill-formed exactly if no continuation makes it UTF-8."""
    trie = Trie(tokens, range(len(tokens)))
    for node, name in enumerate(paths(trie)):
        assert bool(trie.path[node] & ILL_FORMED) != _begins_text(name), name


def _begins_text(data: bytes) -> bool:
    tails = [b"", b"\x80", b"\xa0", b"\x90", b"\x80\x80", b"\xa0\x80", b"\x90\x80", b"\x80\x80\x80", b"\x90\x80\x80"]
    for tail in tails:
        try:
            (data + tail).decode()
        except UnicodeDecodeError:
            continue
        return True
    return False


@pytest.mark.parametrize(
    ("tokens", "data", "ids"),
    [
        ([b"a", b"b"], b"ab", [0, 1]),
        ([b"a", b"ab", b"b"], b"ab", [1]),
        ([b"a", b"b", b"abc"], b"ab", []),
        ([b"a", b"b", b"bc"], b"ab", [0]),
        ([b"a"], b"ab", [0]),
        ([b"b"], b"ab", []),
        ([b"a", b"aa", b"aaa"], b"aaaaa", [2]),
        ([b"a"], b"", []),
        ([b"a", b"a"], b"a", [0]),
    ],
)
def test_covers_of_a_text(tokens: list[bytes], data: bytes, ids: list[int]) -> None:
    """The longest token each time, up to the first place where a longer one could reach beyond the text."""
    assert Trie(tokens, range(len(tokens))).cover(data) == ids


@given(st.lists(st.tuples(st.integers(0, 0x10FFFF), st.integers(0, 0x10FFFF)), max_size=4))
def test_categories_lie_inside_their_ranges(given_ranges: list[tuple[int, int]]) -> None:
    """A category of the mask holds no ASCII character outside the ranges, and every lead byte's characters inside."""
    ranges: list[tuple[int, int]] = []
    for low, high in sorted((min(pair), max(pair)) for pair in given_ranges):
        if ranges and low <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(high, ranges[-1][1]))
        else:
            ranges.append((low, high))
    mask = category_mask(ranges)
    for code in (
        *range(0x80),
        0x80,
        0xE9,
        0x3B1,
        0x800,
        0xFFF,
        0x1000,
        0x2028,
        0x3000,
        0x4E00,
        0xE000,
        0xFEFF,
        0x1F600,
    ):
        bit = Trie([chr(code).encode()], [0]).path[1]
        if bit & mask:
            assert any(low <= code <= high for low, high in ranges), hex(code)
