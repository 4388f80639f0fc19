"""Budgets: what a matcher with ``max_tokens`` allows, counts and refuses, on small vocabularies and by hand."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from maskwright.errors import PolicyError, TokenError, UnspellableError
from maskwright.matcher import fill_masks
from tests.oracle.masks import SINGLES, in_mask, make_vocabulary


def matcher_of(words: list[str], tokens: list[bytes], most: int) -> Any:
    """``0`` ends; the tokens have the ids from 1."""
    return mw.compile(mw.choice(words), make_vocabulary(tokens)).matcher(max_tokens=most)


def test_masks_close_in_time() -> None:
    """A token is allowed if what must follow still fits: ``a`` leaves 1 token, ``b`` would need 3 more."""
    words, tokens = ["aa", "bbbb"], [b"a", b"b", b"bb"]
    assert in_mask(matcher_of(words, tokens, 2)) == {1, 3}
    assert in_mask(matcher_of(words, tokens, 3)) == {1, 2, 3}
    assert in_mask(matcher_of(["aaa", "bbbb"], tokens, 2)) == {3}


def test_tokens_are_counted_and_given_back() -> None:
    """End tokens do not count; without a budget there is no number."""
    matcher = matcher_of(["ab"], [b"a", b"b"], 2)
    lefts = [matcher.tokens_left]
    for token in (1, 2, 0):
        matcher.advance(token)
        lefts.append(matcher.tokens_left)
    assert lefts == [2, 1, 0, 0]
    matcher.rollback(2)
    assert matcher.tokens_left == 1
    matcher.reset()
    assert matcher.tokens_left == 2
    assert mw.compile(mw.choice(["a"]), make_vocabulary([b"a"])).matcher().tokens_left is None


def test_what_may_go_on_must_end_without_tokens() -> None:
    """With no token left only the end is allowed, though the constraint could go on."""
    matcher = mw.compile(mw.regex("a+"), make_vocabulary([b"a"])).matcher(max_tokens=2)
    matcher.advance(1)
    assert (in_mask(matcher), matcher.must_end) == ({0, 1}, False)
    matcher.advance(1)
    assert (in_mask(matcher), matcher.must_end, matcher.is_accepting) == ({0}, True, True)
    with pytest.raises(TokenError, match="no tokens are left"):
        matcher.advance(1)
    assert matcher.explain(1) != matcher.explain(0)


def test_what_is_withheld_is_what_no_budget_would_leave_out() -> None:
    """At every step a mask and what is withheld are apart, and together they are the mask without a budget."""
    for most in range(2, 6):
        guide = mw.compile(mw.regex("x(aa)*b+"), make_vocabulary([b"a", b"b", b"x", b"aa", b"bb"]))
        matcher, patient = guide.matcher(max_tokens=most), guide.matcher()
        for token in (3, *[4] * (most - 2), 2):
            assert not (matcher.withheld() & matcher.mask()).any()
            assert np.array_equal(matcher.withheld() | matcher.mask(), patient.mask())
            assert not patient.withheld().any()
            matcher.advance(token)
            patient.advance(token)
        assert matcher.withheld().any()


def test_longer_texts_of_fewer_tokens() -> None:
    """``b`` is the shorter output, ``aaaaaa`` the one of fewer tokens: it is found where only it fits."""
    words, tokens = ["bcd", "aaaaaa"], [b"a", b"b", b"c", b"d", b"aaa"]
    matcher = matcher_of(words, tokens, 2)
    assert in_mask(matcher) == {5}
    matcher.advance(5)
    matcher.advance(5)
    assert in_mask(matcher) == {0}
    with pytest.raises(UnspellableError, match="at most 1 tokens: the shortest that was found takes 2"):
        matcher_of(words, tokens, 1)


def test_a_refused_token_changes_nothing() -> None:
    """The message tells the budget; the matcher goes on as before."""
    matcher = matcher_of(["aa", "bbbb"], [b"a", b"b", b"bb"], 2)
    with pytest.raises(TokenError, match="within the 2 tokens that are left"):
        matcher.advance(2)
    assert "could not be closed" in matcher.explain(2)
    assert "can be read here" in matcher.explain(1)
    with pytest.raises(TokenError, match="x"):
        matcher_of(["a"], [b"a", b"x"], 3).advance(2)
    assert (matcher.tokens, matcher.tokens_left, in_mask(matcher)) == ((), 2, {1, 3})


def test_raw_bytes_cost_the_fewest_tokens() -> None:
    """Three bytes that two tokens spell cost two; what does not fit is refused."""
    matcher = matcher_of(["bbbbb"], [b"b", b"bb"], 4)
    matcher.advance_bytes(b"bbb")
    assert matcher.tokens_left == 2
    matcher = matcher_of(["bbbbb"], [b"b", b"bb"], 3)
    matcher.advance_bytes(b"b")
    with pytest.raises(TokenError, match="2 tokens"):
        matcher.advance_bytes(b"b")
    assert (matcher.complete(), matcher.tokens_left) == (b"bbbb", 2)


def test_copies_keep_the_budget() -> None:
    """Forks and pickles have as many tokens left, and go on independently."""
    matcher = matcher_of(["aaaa", "b"], [b"a", b"b", b"aa"], 3)
    matcher.advance(1)
    fork, copy = matcher.fork(), pickle.loads(pickle.dumps(matcher))
    matcher.advance(3)
    assert (matcher.tokens_left, fork.tokens_left, copy.tokens_left) == (1, 2, 2)
    assert in_mask(fork) == in_mask(copy) == {1, 3}
    assert type(fork) is type(copy) is type(matcher)


def test_drafts_and_batches() -> None:
    """Masks of a draft are those of its steps, each with what is left; a batch may hold matchers with and without."""
    guide = mw.compile(mw.regex("a+"), make_vocabulary([b"a", b"aa"]))
    matcher = guide.matcher(max_tokens=2)
    rows = matcher.draft_masks([1, 2, 1])
    assert rows.tolist() == [[0b110], [0b111], [0b001]]
    assert matcher.validate_tokens([1, 2, 1]) == 2
    out = np.zeros((2, 1), np.uint32)
    fill_masks([guide.matcher(max_tokens=0 + 1), guide.matcher()], out)
    assert out.tolist() == [[0b110], [0b110]]


def test_forced_tokens_fit() -> None:
    """Forced text is not spelled with more tokens than are left."""
    matcher = matcher_of(["abcd"], [b"a", b"abc", b"bcd", b"d", b"b", b"c"], 2)
    for token in matcher.forced_tokens():
        matcher.advance(token)
    while not matcher.must_end:
        matcher.advance(min(in_mask(matcher)))
    assert (matcher.text, matcher.tokens_left >= 0) == (b"abcd", True)


@pytest.mark.parametrize("most", [-1, "3", 2.5, None])
def test_bad_budgets(most: Any) -> None:
    """A budget is a whole number of at least 0; None is none."""
    guide = mw.compile(mw.choice(["a"]), make_vocabulary([b"a"]))
    if most is None:
        assert guide.matcher(max_tokens=None).tokens_left is None
    else:
        with pytest.raises(PolicyError, match="max_tokens"):
            guide.matcher(max_tokens=most)


def test_an_empty_output_needs_no_token() -> None:
    """Zero tokens are enough where the output may end at once."""
    matcher = mw.compile(mw.regex("a*"), make_vocabulary([b"a"])).matcher(max_tokens=0)
    assert in_mask(matcher) == {0}


def test_a_dear_branch_is_open_while_it_fits() -> None:
    """A key whose value takes 40 tokens of one byte is allowed with 60 tokens left and not with 20."""
    schema = {"type": "object", "properties": {"dear": {"type": "string", "minLength": 40}, "x": {"type": "null"}}}
    guide = mw.compile(mw.json_schema({**schema, "additionalProperties": False}), make_vocabulary(SINGLES))
    for most, is_open in ((60, True), (20, False)):
        matcher = guide.matcher(max_tokens=most)
        matcher.advance_bytes(b'{"')
        assert (ord("d") + 1 in in_mask(matcher)) == is_open
        assert ord("x") + 1 in in_mask(matcher)


def test_dropped_tables_keep_the_budget() -> None:
    """When what was learned is dropped in the middle of an output, tokens left and plans stay."""
    limits = mw.Limits(configurations=20, lexeme_states=400)
    constraint = mw.json_schema({"type": "array", "items": {"type": "integer"}, "minItems": 30}, limits=limits)
    matcher = mw.compile(constraint, make_vocabulary(SINGLES)).matcher(max_tokens=70)
    while not matcher.must_end:
        ids = in_mask(matcher) - {0}
        matcher.advance(max(ids))
    assert len(matcher.tokens) <= 70
    assert matcher.is_accepting


def test_tokens_that_end_inside_a_character() -> None:
    """Near the end of a budget a token is allowed iff it can be advanced by, also if it ends in half a character."""
    tokens = [
        b"",
        *(bytes([byte]) for byte in range(256)),
        b"\xd0\xbe\xd0",
        b"\xd0\xbe",
        b"ab\xf0\x9f",
        b"\xf0\x9f\x98",
    ]
    guide = mw.compile(mw.json_schema({"type": "string"}), mw.Vocabulary.from_tokens(tokens, end_ids=[0]))
    matcher = guide.matcher(max_tokens=8)
    matcher.advance(1 + ord('"'))
    while matcher.tokens_left:
        for token in range(1, len(tokens)):
            probe = matcher.fork()
            try:
                probe.advance(token)
                is_read = True
            except mw.MaskwrightError:
                is_read = False
            assert matcher.allows(token) is is_read, (matcher.tokens_left, tokens[token])
        matcher.advance(1 + ord("F") if matcher.tokens_left > 1 else 1 + ord('"'))
