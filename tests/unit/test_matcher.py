"""Matchers: steps, masks and what is asked of them, on small vocabularies; every expected value is made by hand."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from maskwright.errors import MaskwrightError, PolicyError, TokenError, VocabularyError
from maskwright.matcher import fill_masks
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary


def matcher_of(constraint: mw.Constraint, *tokens: bytes) -> mw.Matcher:
    return mw.compile(constraint, make_vocabulary((*SINGLES, *tokens))).matcher()


def choice_matcher() -> mw.Matcher:
    """``abc`` or ``abd`` with the ids a=1, b=2, c=3, d=4, ab=5, bc=6; 0 ends."""
    vocabulary = make_vocabulary([b"a", b"b", b"c", b"d", b"ab", b"bc"])
    return mw.compile(mw.choice(["abc", "abd"]), vocabulary).matcher()


def test_masks_along_a_choice() -> None:
    """Each mask holds the tokens that keep the output a beginning of a choice, and the end token at its end only."""
    matcher = choice_matcher()
    seen = []
    for token in (1, 2, 4, 0):
        seen.append(in_mask(matcher))
        matcher.advance(token)
    assert seen == [{1, 5}, {2, 6}, {3, 4}, {0}]
    assert in_mask(matcher) == {0}
    assert (matcher.is_finished, matcher.text, matcher.tokens) == (True, b"abd", (1, 2, 4, 0))


def test_three_questions_about_the_end() -> None:
    """May end, must end and has ended are three things."""
    matcher = mw.compile(mw.regex("ab?"), make_vocabulary([b"a", b"b"])).matcher()
    answers = []
    for token in (1, 2, 0):
        answers.append((matcher.is_accepting, matcher.must_end, matcher.is_finished))
        matcher.advance(token)
    answers.append((matcher.is_accepting, matcher.must_end, matcher.is_finished))
    assert answers == [(False, False, False), (True, False, False), (True, True, False), (True, True, True)]


@pytest.mark.parametrize("steps", range(5))
def test_rollback_crosses_end_tokens(steps: int) -> None:
    """One step back a token, end tokens included (cases B01)."""
    matcher = choice_matcher()
    for token in (5, 3, 0, 0):
        matcher.advance(token)
    matcher.rollback(steps)
    fresh = choice_matcher()
    for token in (5, 3, 0, 0)[: 4 - steps]:
        fresh.advance(token)
    assert in_mask(matcher) == in_mask(fresh)
    assert (matcher.is_finished, matcher.is_accepting) == (fresh.is_finished, fresh.is_accepting)


def test_drafts_stop_after_the_end() -> None:
    """A draft that runs past the end is accepted up to it, and nothing is raised (case B02)."""
    matcher = choice_matcher()
    assert matcher.validate_tokens([5, 4, 0, 1]) == 3
    assert matcher.validate_tokens([5, 5]) == 1
    assert matcher.validate_tokens([]) == 0
    assert (matcher.text, matcher.tokens) == (b"", ())


def test_draft_masks_are_those_of_single_steps() -> None:
    """Row ``i`` is the mask after ``i`` tokens of the draft; there is one row more than tokens that are accepted."""
    matcher = choice_matcher()
    rows = matcher.draft_masks([5, 3, 1])
    assert [rows[i].tolist() for i in range(len(rows))] == [[0b100010], [0b11000], [0b1]]
    out = np.full((4, 1), 7, np.uint32)
    assert matcher.draft_masks([5, 3, 1], out).shape == (3, 1)
    assert out[:3].tolist() == rows.tolist()


def test_only_ends_after_completion() -> None:
    """A complete output that cannot go on allows the end tokens and nothing else (case B07)."""
    matcher = matcher_of(mw.json_schema({"type": "object", "additionalProperties": False}, whitespace="compact"))
    matcher.advance_bytes(b"{}")
    assert matcher.must_end
    assert in_mask(matcher) == {0}


def test_several_end_tokens() -> None:
    """All end tokens are closed until the output is complete, and all open then (case T06)."""
    tokens = [b"", b"", b'{"n":"', b"ab", b'"}', b'"']
    vocabulary = mw.Vocabulary.from_tokens(tokens, end_ids=[0, 1])
    schema = {
        "type": "object",
        "properties": {"n": {"type": "string"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    # No token spells `{`, `:` or a blank on its own, so every step is a token of this table.
    matcher = mw.compile(mw.json_schema(schema, whitespace="compact"), vocabulary).matcher()
    for token, then in ((2, {3, 4}), (3, {3, 4}), (4, {0, 1})):
        matcher.advance(token)
        assert in_mask(matcher) == then
    matcher.advance(1)
    assert matcher.is_finished
    assert in_mask(matcher) == {0, 1}


def test_padding_is_closed() -> None:
    """Ids beyond the tokenizer are never allowed, and rows may be wider than the mask (case T08)."""
    vocabulary = mw.Vocabulary.from_tokens([b"", *SINGLES], end_ids=[0], logit_width=320)
    matcher = mw.compile(mw.json_schema({}), vocabulary).matcher()
    assert max(in_mask(matcher)) < 257
    row = np.full(16, 0xFFFFFFFF, np.uint32)
    matcher.fill_mask(row)
    assert not row[10:].any()
    assert row[:10].tolist() == matcher.mask().tolist()
    with pytest.raises(TokenError):
        matcher.advance(300)


def test_opening_quote_is_found_across_tokens() -> None:
    """A key cut inside its escapes is still the same key when duplicates are refused."""
    matcher = matcher_of(mw.json_schema({"type": "object"}, whitespace="compact"))
    for piece in (b'{"a\\', b'"b":1', b","):
        matcher.advance_bytes(piece)
    assert not matcher.can_read(b'"a\\"b"')
    assert matcher.can_read(b'"b"')
    assert not matcher.can_read(b'"\\u0061\\u0022b"')


def test_two_keys_in_one_token() -> None:
    """A token with two complete keys is allowed if they differ, and refused if they are the same."""
    matcher = matcher_of(mw.json_schema({"type": "object"}, whitespace="compact"), b'"a":1,"a":', b'"a":1,"b":')
    matcher.advance_bytes(b"{")
    assert in_mask(matcher) == by_reading(matcher)
    assert (matcher.allows(257), matcher.allows(258)) == (False, True)
    with pytest.raises(TokenError):
        matcher.advance(257)
    matcher.advance(258)
    assert not matcher.can_read(b'1,"b"')


def test_captures_do_not_leak_between_outputs() -> None:
    """What one output learned about keys does not bind another (transitions are shared, captures are not)."""
    guide = mw.compile(mw.json_schema({"type": "object"}, whitespace="compact"), make_vocabulary(SINGLES))
    first, second = guide.matcher(), guide.matcher()
    first.advance_bytes(b'{"a":1,')
    second.advance_bytes(b'{"b":1,')
    for matcher, key, allowed in ((first, "a", False), (first, "b", True), (second, "a", True), (second, "b", False)):
        probe = matcher.fork()
        for byte in f'"{key}'.encode():
            probe.advance(byte + 1)
        assert probe.allows(ord('"') + 1) is allowed


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_ids_of_every_integer_type(kind: Any) -> None:
    """An id may be an integer of Python or of numpy, at any step."""
    matcher = choice_matcher()
    for token in (1, 2, 4, 0):
        assert matcher.allows(kind(token))
        assert matcher.validate_tokens([kind(token)]) == 1
        matcher.advance(kind(token))
    assert matcher.is_finished
    assert all(type(token) is int for token in matcher.tokens)
    refused = choice_matcher()
    refused.advance(kind(1))
    with pytest.raises(TokenError):
        refused.advance(kind(3))


@pytest.mark.parametrize("token", ["1", 1.0, None, [1], b"a", np.float64(1), -1, 7, 2**40, 2**70, -(2**70)])
@pytest.mark.parametrize("written", [(), (1,), (1, 2)])
def test_ids_that_are_none(token: Any, written: tuple[int, ...]) -> None:
    """What is no id of the vocabulary is refused with a ``TokenError``, and nothing changes."""
    matcher = choice_matcher()
    for good in written:
        matcher.advance(good)
    before = in_mask(matcher)
    with pytest.raises(TokenError):
        matcher.advance(token)
    assert in_mask(matcher) == before
    assert matcher.tokens == written


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.advance_bytes("a"),
        lambda m: m.can_read(None),
        lambda m: m.rollback(1),
        lambda m: m.rollback(-1),
        lambda m: m.rollback("a"),
        lambda m: m.rollback(None),
        lambda m: m.fill_mask(None),
        lambda m: m.fill_mask([0] * 9),
        lambda m: m.fill_mask(np.zeros(9, np.uint64)),
        lambda m: m.fill_mask(np.zeros(9, np.float32)),
        lambda m: m.fill_mask(np.zeros((1, 9), np.uint32)),
        lambda m: m.fill_mask(np.zeros(0, np.uint32)),
        lambda m: m.fill_mask(np.zeros(9, np.dtype(np.uint32).newbyteorder())),
        lambda m: m.validate_tokens(5),
        lambda m: m.draft_masks([1], np.zeros((1, 1), np.uint32)),
        lambda m: fill_masks([m, m], np.zeros((1, 1), np.uint32)),
        lambda m: fill_masks([m], np.zeros(1, np.uint32)),
    ],
)
def test_arguments_without_meaning(call: Any) -> None:
    """Bad arguments raise inside the error tree and change nothing."""
    matcher = choice_matcher()
    with pytest.raises(MaskwrightError):
        call(matcher)
    assert (matcher.tokens, in_mask(matcher)) == ((), {1, 5})


def test_rows_that_cannot_be_written() -> None:
    """A mask is read-only, and a read-only or short row is refused."""
    matcher = choice_matcher()
    with pytest.raises(ValueError, match="read-only"):
        matcher.mask()[0] = 1
    row = np.zeros(1, np.uint32)
    row.flags.writeable = False
    with pytest.raises(PolicyError):
        matcher.fill_mask(row)
    with pytest.raises(VocabularyError):
        matcher.fill_mask(np.zeros(0, np.int32))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@pytest.mark.parametrize("stride", [1, 2])
def test_rows_of_callers(dtype: Any, stride: int) -> None:
    """Signed and strided rows receive the same bits, one row or several."""
    matcher, other = choice_matcher(), choice_matcher()
    other.advance(5)
    rows = np.full((3, 2 * stride), -1).astype(dtype)[:, ::stride]
    fill_masks([matcher, other], rows)
    assert rows[:2].tolist() == [[0b100010, 0], [0b11000, 0]]
    assert rows[2].astype(np.int64).tolist() != [0, 0]


def test_forks_are_independent() -> None:
    """A fork goes its own way."""
    matcher = choice_matcher()
    matcher.advance(1)
    other = matcher.fork()
    other.advance(2)
    matcher.advance(6)
    assert (matcher.text, other.text) == (b"abc", b"ab")


def test_pickles_go_on_where_they_were() -> None:
    """A pickled matcher is the same sequence, ids and raw bytes alike (case B04)."""
    matcher = choice_matcher()
    matcher.advance(1)
    matcher.advance_bytes(b"b")
    other = pickle.loads(pickle.dumps(matcher))
    assert (other.tokens, in_mask(other)) == (matcher.tokens, in_mask(matcher))
    other.advance(3)
    other.rollback(3)
    assert in_mask(other) == {1, 5}


@pytest.mark.parametrize(
    ("tokens", "bytes_", "ids"),
    [
        ([b"a", b"b", b"c"], b"abc", [1, 2, 3]),
        ([b"a", b"b", b"c", b"ab"], b"abc", [4, 3]),
        ([b"a", b"b", b"c", b"abc"], b"abc", [4]),
        ([b"a", b"b", b"c", b"cx"], b"abc", [1, 2]),
    ],
)
def test_forced_text(tokens: list[bytes], bytes_: bytes, ids: list[int]) -> None:
    """Forced bytes are all that can come; forced tokens are the longest along them, each allowed in turn."""
    matcher = mw.compile(mw.choice(["abc"]), make_vocabulary(tokens)).matcher()
    assert matcher.forced_bytes() == bytes_
    assert matcher.forced_tokens() == ids
    for token in ids:
        matcher.advance(token)


def test_forced_tokens_where_bytes_have_no_tokens() -> None:
    """Without a token for ``c`` the text ``abc`` is ``a``, ``bc``; a forced token never leads into a dead end."""
    matcher = mw.compile(mw.choice(["abc"]), make_vocabulary([b"a", b"ab", b"bc"])).matcher()
    assert in_mask(matcher) == {1}
    assert matcher.forced_tokens() in ([], [1], [1, 3])


def test_open_arrays_beyond_the_limit_are_not_entered() -> None:
    """At ``Limits.stack_depth`` masks close what would open one array more; nothing is raised."""
    matcher = matcher_of(mw.json_schema({}, whitespace="compact", limits=mw.Limits(stack_depth=20)))
    depth = 0
    while matcher.allows(ord("[") + 1):
        matcher.advance(ord("[") + 1)
        depth += 1
    assert 15 <= depth <= 20
    assert in_mask(matcher) == by_reading(matcher)
    matcher.advance_bytes(b"]" * depth)
    assert matcher.is_accepting


@pytest.mark.parametrize("limit", range(3, 14))
@pytest.mark.parametrize("opening", [b'{"a":', b"[", b'[{"a":['])
def test_the_limit_is_no_dead_end(limit: int, opening: bytes) -> None:
    """Near ``Limits.stack_depth`` what a mask allows can be read, and no mask is empty."""
    try:
        matcher = matcher_of(mw.json_schema({}, whitespace="compact", limits=mw.Limits(stack_depth=limit)))
    except MaskwrightError:
        return
    for byte in opening * limit:
        if not matcher.allows(byte + 1):
            break
        matcher.advance(byte + 1)
        assert in_mask(matcher) == by_reading(matcher) != set()


@pytest.mark.parametrize(
    ("step", "words"),
    [(3, "byte 1 (`c`) cannot be read"), (0, "ends the output"), (9, "no id of the vocabulary"), (1, "can be read")],
)
def test_explanations_name_the_reason(step: int, words: str) -> None:
    """Why a token is refused, or that it is not."""
    assert words in choice_matcher().explain(step)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {}, "ab": {}}, "required": ["a"]},
        {"properties": {"a": {}, "ab": {}, "abc": {}}, "required": ["a"], "additionalProperties": False},
        {"oneOf": [{"required": ["a"]}, {"required": ["ab"]}], "properties": {"a": {}, "ab": {}}, "maxProperties": 1},
        {"properties": {"": {}, "\u00e9": {}, "\u00e9\U0001f600": {}}, "required": ["", "\u00e9"]},
    ],
)
@pytest.mark.parametrize("order", ["declared", "any"])
def test_escapes_in_keys_lead_on(schema: dict[str, object], order: str) -> None:
    """After every beginning of a key with escapes some byte goes on: no word that may not come is begun."""
    vocabulary = mw.Vocabulary.from_tokens([b"", *SINGLES], end_ids=[0])
    guide = mw.compile(mw.json_schema({"type": "object", **schema}, property_order=order), vocabulary)
    todo, steps = [guide.matcher()], 0
    while todo and steps < 2_000:
        matcher = todo.pop()
        allowed = [token for token in range(1, 257) if matcher.allows(token)]
        assert allowed or matcher.is_accepting, matcher.text
        for token in allowed:
            if token - 1 in b'"\\u06129abcdefABCDEF{\xc3\xa9' and b":" not in matcher.text:
                steps += 1
                probe = matcher.fork()
                probe.advance(token)
                todo.append(probe)


def test_rows_that_are_no_arrays() -> None:
    """What numpy cannot view is refused as such."""
    nested: list[object] = []
    nested.append(nested)
    matcher = mw.compile(mw.choice(["a"]), mw.Vocabulary.from_tokens([b"", b"a"], end_ids=[0])).matcher()
    with pytest.raises(PolicyError):
        matcher.fill_mask(nested)  # type: ignore[arg-type]
    with pytest.raises(PolicyError):
        mw.fill_masks([matcher], nested)  # type: ignore[arg-type]
