"""Sequences: rollback, forks, pickles, drafts, forced text, and the cut into tokens."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import TokenError, UnsatisfiableError
from maskwright.matcher import fill_masks
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary
from tests.properties.terms import pieces, schemas

chances = st.randoms(use_true_random=False)


def guide_of(schema: Any, tokens: list[bytes], **policies: Any) -> mw.Guide:
    try:
        return mw.compile(mw.json_schema(schema, **policies), make_vocabulary((*SINGLES, *tokens)))
    except UnsatisfiableError:
        assume(False)
        raise


def state(matcher: mw.Matcher) -> tuple[Any, ...]:
    questions = (matcher.is_accepting, matcher.must_end, matcher.is_finished, matcher.forced_bytes())
    return (matcher.text, matcher.tokens, matcher.mask().tobytes(), *questions)


def write(matcher: mw.Matcher, chance: random.Random, steps: int) -> list[int]:
    """Allowed tokens, longer ones rather than single bytes; end tokens too."""
    for _ in range(steps):
        ids = sorted(in_mask(matcher))
        longer = [token for token in ids if token > 256]
        matcher.advance(chance.choice(longer if longer and chance.random() < 0.7 else ids))
    return list(matcher.tokens)


@given(schemas, pieces, chances)
def test_rollback_is_the_identity(schema: Any, tokens: list[bytes], chance: random.Random) -> None:
    """After steps taken back, a matcher is as one that never made them (case B01)."""
    guide = guide_of(schema, tokens)
    matcher = guide.matcher()
    states = [state(matcher)]
    for _ in range(15):
        write(matcher, chance, 1)
        states.append(state(matcher))
    while len(states) > 1:
        steps = chance.randint(1, len(states) - 1)
        matcher.rollback(steps)
        del states[-steps:]
        assert state(matcher) == states[-1]


@given(schemas, pieces, chances)
def test_copies_are_equal(schema: Any, tokens: list[bytes], chance: random.Random) -> None:
    """Forks, pickles and replays of the history are the same sequence (case B04)."""
    matcher = guide_of(schema, tokens).matcher()
    ids = write(matcher, chance, 10)
    replayed = guide_of(schema, tokens).matcher()
    for token in ids:
        replayed.advance(token)
    for other in (matcher.fork(), pickle.loads(pickle.dumps(matcher)), replayed):
        assert state(other) == state(matcher)


@given(schemas, pieces, chances)
def test_drafts(schema: Any, tokens: list[bytes], chance: random.Random) -> None:
    """A draft is accepted up to its first wrong token, its masks are those of single steps, and nothing changes."""
    matcher = guide_of(schema, tokens).matcher()
    write(matcher, chance, chance.randint(0, 5))
    probe = matcher.fork()
    draft = write(probe, chance, 6)[len(matcher.tokens) :]
    wrong = chance.randint(0, 6)
    refused = sorted(set(range(len(matcher.vocabulary))) - _after(matcher, draft[:wrong]))
    draft = [*draft[:wrong], refused[0], *draft[wrong:]] if refused else draft
    expected = wrong if refused else len(draft)
    before = state(matcher)
    assert matcher.validate_tokens(draft) == expected
    rows = matcher.draft_masks(draft)
    assert len(rows) == expected + 1
    step = matcher.fork()
    for row, token in zip(rows, [*draft, 0], strict=False):
        assert row.tolist() == step.mask().tolist()
        if row is not rows[-1] and len(step.tokens) < len(matcher.tokens) + expected:
            step.advance(token)
    assert state(matcher) == before


def _after(matcher: mw.Matcher, ids: list[int]) -> set[int]:
    other = matcher.fork()
    for token in ids:
        other.advance(token)
    return in_mask(other)


@given(schemas, pieces, chances)
def test_forced_text(schema: Any, tokens: list[bytes], chance: random.Random) -> None:
    """Forced bytes are the only ones, and end where there is a choice; forced tokens lie along them."""
    matcher = guide_of(schema, tokens).matcher()
    write(matcher, chance, chance.randint(0, 8))
    if matcher.is_finished:
        return
    forced = matcher.forced_bytes()
    ids = matcher.forced_tokens()
    assert forced.startswith(b"".join(matcher.vocabulary.tokens[token] for token in ids))
    assert matcher.validate_tokens(ids) == len(ids)
    for byte in forced:
        assert [b for b in range(256) if matcher.can_read(bytes([b]))] == [byte]
        assert not matcher.is_accepting
        matcher.advance_bytes(bytes([byte]))
    assert matcher.is_accepting or sum(matcher.can_read(bytes([b])) for b in range(256)) != 1


@given(schemas, pieces, chances)
def test_the_cut_into_tokens_does_not_matter(schema: Any, tokens: list[bytes], chance: random.Random) -> None:
    """The same bytes in other pieces lead to the same masks."""
    guide = guide_of(schema, tokens)
    whole = guide.matcher()
    write(whole, chance, 10)
    assume(not whole.is_finished)
    bytes_alone, cut = guide.matcher(), guide.matcher()
    for byte in whole.text:
        bytes_alone.advance(byte + 1)
    at = 0
    while at < len(whole.text):
        size = chance.randint(1, 5)
        cut.advance_bytes(whole.text[at : at + size])
        at += size
    assert in_mask(bytes_alone) == in_mask(cut) == in_mask(whole) == by_reading(whole)


@given(schemas, pieces, chances, st.integers(1, 300))
def test_refused_tokens_change_nothing(schema: Any, tokens: list[bytes], chance: random.Random, token: int) -> None:
    """A failed step raises and leaves the matcher as it was."""
    matcher = guide_of(schema, tokens).matcher()
    write(matcher, chance, 4)
    before = state(matcher)
    if token in in_mask(matcher):
        return
    with pytest.raises(TokenError):
        matcher.advance(token)
    assert matcher.explain(token)
    assert state(matcher) == before


@given(schemas, pieces, chances)
def test_batches(schema: Any, tokens: list[bytes], chance: random.Random) -> None:
    """A batch of matchers fills the rows that each fills alone."""
    guide = guide_of(schema, tokens)
    matchers = [guide.matcher() for _ in range(3)]
    for steps, matcher in enumerate(matchers):
        write(matcher, chance, 2 * steps)
    rows = np.full((4, len(matchers[0].mask()) + 2), -1, np.int32)
    fill_masks(matchers, rows)
    for row, matcher in zip(rows, matchers, strict=False):
        assert row[:-2].view(np.uint32).tolist() == matcher.mask().tolist()
        assert row[-2:].tolist() == [0, 0]
    assert (rows[3] == -1).all()
