"""Spelling: no mask leads where the vocabulary cannot go on, even if bytes could."""

from __future__ import annotations

import pytest

import maskwright as mw
from maskwright.errors import UnspellableError
from tests.oracle.masks import SINGLES, in_mask, make_vocabulary


@pytest.mark.parametrize(
    ("tokens", "pattern", "allowed"),
    [
        ([b"a", b"ab", b"bc"], "abc", {1}),
        ([b"a", b"ab", b"bc", b"c"], "abc", {1, 2}),
        ([b"a", b"ab", b"bcd"], "ab(cd)?", {1, 2}),
        ([b"a", b"aa"], "(aaa)+", {1, 2}),
        ([b"aa"], "a*", {0, 1}),
        ([b"aa", b"aaa"], "a{5}", {1, 2}),
        ([b"aa", b"aaaa"], "a{6}", {1, 2}),
        ([b"aa", b"aaaa"], "a{2}|a{5}", {1}),
        ([b"a", b"\xc3", b"\xa9", b"\xc3\xa9"], "a|é", {1, 2, 4}),
        ([b"a", b"\xc3"], "a|é", {1}),
        ([b"xy", b"z", b"xyz"], "(xy|x)z", {1, 3}),
    ],
)
def test_masks_keep_to_what_can_be_spelled(tokens: list[bytes], pattern: str, allowed: set[int]) -> None:
    """A token is allowed only if tokens lead on from it to an end."""
    matcher = mw.compile(mw.regex(pattern), make_vocabulary(tokens)).matcher()
    assert in_mask(matcher) == allowed


@pytest.mark.parametrize(
    ("tokens", "pattern"), [([b"aa"], "a{3}"), ([b"a"], "b"), ([b"ab"], "a|b"), ([b"aa", b"aaaa"], "a{5}|a{7}")]
)
def test_nothing_to_spell(tokens: list[bytes], pattern: str) -> None:
    """Where no sequence of tokens is an output, compiling is refused."""
    with pytest.raises(UnspellableError):
        mw.compile(mw.regex(pattern), make_vocabulary(tokens))


def test_a_closing_brace_only_inside_longer_tokens() -> None:
    """With ``}`` only in ``"}`` and ``{}``, an object ends with a string or is empty; no mask is ever empty."""
    vocabulary = make_vocabulary([*(t for t in SINGLES if t != b"}"), b'"}', b"{}"])
    schema = {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}
    matcher = mw.compile(mw.json_schema(schema, whitespace="compact"), vocabulary).matcher()
    ids = {token: i for i, token in enumerate(vocabulary.tokens)}
    for byte in b'{"a":1':
        assert in_mask(matcher)
        matcher.advance(ids[bytes([byte])])
    assert not matcher.allows(ids[b'"}'])
    for token in (b",", b'"', b"b", b'"', b":", b'"', b'"}'):
        matcher.advance(ids[token])
    assert in_mask(matcher) == {0}


def test_keys_are_still_distinct_where_spelling_is_searched() -> None:
    """The search for an ending does not open keys that were written before."""
    vocabulary = make_vocabulary([*(t for t in SINGLES if t != b"z"), b"zz"])
    schema = {"type": "object", "additionalProperties": {"type": "null"}}
    matcher = mw.compile(mw.json_schema(schema, whitespace="compact"), vocabulary).matcher()
    ids = {token: i for i, token in enumerate(vocabulary.tokens)}
    for byte in b'{"a":null,"a':
        matcher.mask()
        matcher.advance(ids[bytes([byte])])
    assert not matcher.allows(ids[b'"'])
    assert not matcher.can_read(b'"')
