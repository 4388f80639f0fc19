"""Completions and budgets: nothing shorter exists, and every walk under a budget ends in time with a valid document."""

from __future__ import annotations

import itertools
import pickle
import random
import re
from decimal import InvalidOperation
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import TokenError, UnsatisfiableError, UnspellableError
from tests.oracle.json_text import accepts, parse_strictly
from tests.oracle.masks import SINGLES, in_mask, make_vocabulary
from tests.properties.terms import pieces, schemas
from tests.registry import fetch

chances = st.randoms(use_true_random=False)
budgets = st.integers(0, 60)

#: Patterns over ``a`` and ``b``, of which texts of a few characters can be listed.
patterns = st.recursive(
    st.sampled_from(["a", "b", "ab", "[ab]", "a?", "b{3}", "(?:ab){2}"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"{two[0]}{two[1]}"),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}"])).map(lambda two: f"(?:{two[0]}){two[1]}"),
    ),
    max_leaves=6,
)
words = st.text("ab", min_size=1, max_size=7)
tokens_of_ab = st.lists(st.text("ab", min_size=2, max_size=4).map(str.encode), max_size=6, unique=True)

#: What the generated schemas seldom hold: keys that may not repeat and must come, long strings, dear branches.
HARD: list[Any] = [
    {"type": "object", "minProperties": 3},
    {"type": "object", "propertyNames": {"pattern": "^(a|bbbb|c{9})$"}, "minProperties": 3},
    {"type": "object", "patternProperties": {"^x[0-9]$": {"type": "null"}}, "additionalProperties": False}
    | {"minProperties": 2},
    {"type": "string", "minLength": 25},
    {"type": "string", "pattern": "^([a-z]+|0[a-z]{12,})$"},
    {"anyOf": [{"const": 1}, {"type": "array", "items": {"const": "abc"}, "minItems": 4}]},
    {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"enum": ["a", "bb", 0, [1], {"c": 1}]}},
    {"type": "array", "contains": {"type": "string", "minLength": 4}, "minContains": 2},
    {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["bbb", "c"]}], "not": {"required": ["d"]}},
    {"properties": {"a": {"type": "object", "required": ["deep", "deeper", "deepest"]}, "b": {"type": "boolean"}}}
    | {"type": "object"},
    {
        "$ref": "#/$defs/tree",
        "$defs": {
            "tree": {
                "type": "object",
                "properties": {"left": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]}},
                "required": ["left"],
            }
        },
    },
]


def guide_of(schema: Any, tokens: list[bytes], **policies: Any) -> mw.Guide:
    try:
        return mw.compile(mw.json_schema(schema, **policies), make_vocabulary((*SINGLES, *tokens)))
    except UnsatisfiableError:
        assume(False)
        raise


def is_valid(schema: Any, text: bytes) -> bool:
    """Whether the oracle accepts a text, or cannot tell: it divides decimals of up to 28 digits."""
    try:
        return accepts(schema)(parse_strictly(text))
    except InvalidOperation:
        return True


def choose(matcher: mw.Matcher, chance: random.Random) -> int:
    """An allowed token, seldom one that ends; every other time by its first byte, so that rare ones are met too."""
    tokens, ends = matcher.vocabulary.tokens, matcher.vocabulary.end_ids
    ids = sorted(in_mask(matcher))
    assert ids, f"no token is allowed after {matcher.text!r}"
    if chance.random() < 0.9:
        ids = [token for token in ids if token not in ends] or ids
    if chance.random() < 0.5:
        first = chance.choice(sorted({tokens[token][:1] for token in ids}))
        ids = [token for token in ids if tokens[token][:1] == first]
    return chance.choice(ids)


def finish(matcher: mw.Matcher, chance: random.Random, most: int) -> bytes:
    """Walk to the end under a budget; in time, whatever is chosen."""
    while not matcher.is_finished:
        written = sum(token not in matcher.vocabulary.end_ids for token in matcher.tokens)
        assert matcher.tokens_left == most - written
        matcher.advance(choose(matcher, chance))
    assert len(matcher.tokens) - 1 <= most
    return matcher.text


def has_shorter(matcher: mw.Matcher, most: int) -> bool:
    """Whether fewer than ``most`` bytes bring the output to its end, by trying them all; gives up after a while."""
    wave = {matcher._now(): matcher}
    seen = set(wave)
    for _ in range(most):
        if any(one.is_accepting for one in wave.values()):
            return True
        following = {}
        for one in wave.values():
            for byte in range(256):
                if one.can_read(bytes([byte])):
                    after = one.fork()
                    after.advance_bytes(bytes([byte]))
                    if after._now() not in seen:
                        seen.add(after._now())
                        following[after._now()] = after
            if len(seen) > 600:
                return False
        wave = following
    return False


def fewest_tokens(guide: mw.Guide, most: int) -> int | None:
    """The tokens of the shortest output, by trying all of up to ``most``; None if none is found in time."""
    wave, seen = {guide.matcher()._now(): guide.matcher()}, set[int]()
    for count in range(most + 1):
        if any(one.is_accepting for one in wave.values()):
            return count
        following = {}
        for one in wave.values():
            for token in in_mask(one) - guide.vocabulary.end_ids:
                after = one.fork()
                after.advance(token)
                if after._now() not in seen:
                    seen.add(after._now())
                    following[after._now()] = after
            if len(seen) > 3000:
                return None
        wave = following
    return None


@settings(max_examples=25)
@given(schemas, chances, st.integers(0, 25))
def test_completions_are_valid_and_shortest(schema: Any, chance: random.Random, steps: int) -> None:
    """From any beginning: the completed document is valid, and no shorter text completes it."""
    matcher = guide_of(schema, []).matcher()
    for _ in range(steps):
        token = choose(matcher, chance)
        if token in matcher.vocabulary.end_ids:
            break
        matcher.advance(token)
    added = matcher.complete()
    assert is_valid(schema, matcher.text + added)
    assert not has_shorter(matcher, len(added))


@given(patterns, st.text("ab", max_size=3))
def test_completions_of_patterns_are_shortest(pattern: str, start: str) -> None:
    """Among all texts of up to 9 characters none is shorter, by the regular expressions of Python."""
    guide = mw.compile(mw.regex(pattern), make_vocabulary(SINGLES))
    assume(guide.matcher().can_read(start.encode()))
    added = guide.complete(start)
    assert re.fullmatch(pattern, start + added.decode())
    for size in range(min(len(added), 9)):
        for rest in itertools.product("ab", repeat=size):
            assert not re.fullmatch(pattern, start + "".join(rest))


@settings(max_examples=40)
@given(schemas, pieces, chances, budgets)
def test_walks_end_in_time(schema: Any, tokens: list[bytes], chance: random.Random, most: int) -> None:
    """Whatever is chosen, the document is valid and has at most as many tokens; or no output has that few."""
    guide = guide_of(schema, tokens, property_order=chance.choice(["declared", "any"]))
    try:
        matcher = guide.matcher(max_tokens=most)
    except UnspellableError:
        assert fewest_tokens(guide, min(most, 4)) is None
        return
    assert is_valid(schema, finish(matcher, chance, most))


@pytest.mark.parametrize("schema", HARD, ids=range(len(HARD)))
def test_hard_schemas_end_in_time(schema: Any) -> None:
    """The same where captured keys, long strings and dear branches meet the budget."""
    chance = random.Random(1)
    guide = guide_of(schema, [b'":', b'"a":', b'","', b'{"', b'"}', b"aa", b"abc", b'"abc",'])
    for most in (*range(1, 40, 3), 60):
        try:
            matcher = guide.matcher(max_tokens=most)
        except UnspellableError:
            assert fewest_tokens(guide, min(most, 4)) is None
            continue
        assert is_valid(schema, finish(matcher, chance, most))


@given(st.lists(words, min_size=1, max_size=6), tokens_of_ab, chances)
def test_the_least_budget_is_exact(choices: list[str], tokens: list[bytes], chance: random.Random) -> None:
    """A budget works if and only if some output has that few tokens; the error tells how many are needed."""
    guide = mw.compile(mw.choice(choices), make_vocabulary([b"a", b"b", *tokens]))
    least = fewest_tokens(guide, 8)
    assert least is not None
    for most in range(least):
        with pytest.raises(UnspellableError, match=rf"at most {most} tokens: .* takes {least} "):
            guide.matcher(max_tokens=most)
    for most in range(least, least + 3):
        assert finish(guide.matcher(max_tokens=most), chance, most).decode() in choices


@settings(max_examples=25)
@given(schemas, pieces, chances, st.integers(0, 30))
def test_masks_are_what_can_be_advanced(schema: Any, tokens: list[bytes], chance: random.Random, most: int) -> None:
    """A token is in the mask exactly if it can be read; forks, pickles and rollbacks keep the budget."""
    guide = guide_of(schema, tokens)
    try:
        matcher = guide.matcher(max_tokens=most)
    except UnspellableError:
        return
    before = [(matcher.tokens_left, in_mask(matcher))]
    while not matcher.is_finished and len(before) < 8:
        allowed = in_mask(matcher)
        for token in range(len(guide.vocabulary)):
            fork = matcher.fork()
            try:
                fork.advance(token)
            except TokenError:
                assert token not in allowed
            else:
                assert token in allowed
        matcher.advance(choose(matcher, chance))
        before.append((matcher.tokens_left, in_mask(matcher)))
        copy = pickle.loads(pickle.dumps(matcher))
        assert (copy.tokens_left, in_mask(copy)) == before[-1]
    for left, allowed in reversed(before[:-1]):
        matcher.rollback()
        assert (matcher.tokens_left, in_mask(matcher)) == (left, allowed)


@pytest.fixture(scope="module")
def llama() -> mw.Vocabulary:
    return mw.Vocabulary.from_huggingface(str(fetch("llama3/tokenizer.json")))


@pytest.mark.parametrize("schema", [{"type": "object"}, *HARD[3:]], ids=str)
def test_real_vocabularies_end_in_time(llama: mw.Vocabulary, schema: Any) -> None:
    """128,000 tokens, and budgets from too few to enough."""
    chance = random.Random(2)
    guide = mw.compile(mw.json_schema(schema), llama)
    for most in (3, 14, 40):
        try:
            matcher = guide.matcher(max_tokens=most)
        except UnspellableError:
            continue
        assert is_valid(schema, finish(matcher, chance, most))
