"""Mask = brute force, on generated constraints and vocabularies, and at sampled states of real ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import MaskwrightError, UnsatisfiableError
from tests.oracle.masks import SINGLES, along_recogniser, by_reading, in_mask, make_vocabulary
from tests.oracle.recogniser import accepts
from tests.properties.terms import pieces, schemas, values
from tests.registry import fetch

POLICIES = st.fixed_dictionaries(
    {
        "whitespace": st.sampled_from(["compact", "spaced", "flexible", "any"]),
        "property_order": st.sampled_from(["declared", "any"]),
        "escapes": st.sampled_from(["all", "minimal"]),
        "numbers": st.sampled_from(["canonical", "exact"]),
    }
)


def compiled(schema: Any, policies: dict[str, Any], vocabulary: mw.Vocabulary) -> mw.Guide:
    try:
        return mw.compile(mw.json_schema(schema, **policies), vocabulary)
    except UnsatisfiableError:
        assume(False)
        raise


@given(schemas, POLICIES, values, pieces)
@example({"items": {"type": "string", "maxLength": 2}}, {"whitespace": "compact"}, '["a"]', [b'aaaa"]'])
@example({"items": {"type": "string", "minLength": 2}}, {"whitespace": "compact"}, '["a"]', [b'aaaa"]'])
def test_masks_are_what_can_be_read(schema: Any, policies: dict[str, Any], text: str, tokens: list[bytes]) -> None:
    """Before every byte of a value, the mask holds exactly the tokens that the matcher can read."""
    matcher = compiled(schema, policies, make_vocabulary((*SINGLES, *tokens))).matcher()
    for byte in text.encode():
        assert in_mask(matcher) == by_reading(matcher), matcher.text
        if not matcher.allows(byte + 1):
            break
        matcher.advance(byte + 1)


@settings(max_examples=settings().max_examples // 5)  # the recogniser takes seconds for some
@given(schemas, POLICIES, values, pieces.map(lambda tokens: tokens[:6]))
def test_masks_are_those_of_the_recogniser(
    schema: Any, policies: dict[str, Any], text: str, tokens: list[bytes]
) -> None:
    """The same against a recogniser that shares nothing with the kernel."""
    vocabulary = make_vocabulary((*SINGLES, *tokens))
    guide = compiled(schema, policies, vocabulary)
    matcher = guide.matcher()
    # The recogniser takes milliseconds a token, so only few places and tokens are asked.
    asked = {0, *(byte + 1 for byte in b'"a1}]'), *range(257, len(vocabulary.tokens))}
    small = mw.Vocabulary.from_tokens([t if i in asked else b"" for i, t in enumerate(vocabulary.tokens)], end_ids=[0])
    for _, found in along_recogniser(guide.constraint.network, text.encode()[:4], small):
        assert in_mask(matcher) & asked == found, matcher.text
        byte = text.encode()[len(matcher.text) : len(matcher.text) + 1]
        if not byte or not matcher.allows(byte[0] + 1):
            break
        matcher.advance(byte[0] + 1)


@given(schemas, POLICIES, values)
def test_texts_are_judged_as_by_the_recogniser(schema: Any, policies: dict[str, Any], text: str) -> None:
    """A whole text matches exactly if the recogniser accepts it."""
    guide = compiled(schema, policies, make_vocabulary(SINGLES))
    assert guide.matches(text) == accepts(guide.constraint.network, text.encode())


@given(schemas, pieces.filter(bool), st.randoms(use_true_random=False))
def test_no_mask_is_empty_where_bytes_are_missing(schema: Any, tokens: list[bytes], chance: Any) -> None:
    """A vocabulary without most bytes is refused, or every mask along any walk holds a token that can be read."""
    vocabulary = make_vocabulary(dict.fromkeys([*tokens, b'"', b"a", b"1", b"}", b"]", b"{", b"["]))
    try:
        matcher = mw.compile(mw.json_schema(schema, whitespace="compact"), vocabulary).matcher()
    except MaskwrightError:
        return
    for _ in range(12):
        ids = in_mask(matcher)
        assert ids, matcher.text
        assert ids <= by_reading(matcher)
        matcher.advance(chance.choice(sorted(ids)))


# ---- real vocabularies -------------------------------------------------------------------------------------------

#: Schemas, and beginnings after which the mask is compared for every id.
PLACES: list[tuple[Any, list[bytes]]] = [
    (
        {},
        [
            b"",
            b'"',
            b"{",
            b'{"a',
            b'{"a":1, "',
            b"[1,",
            b"-",
            b"1",
            b"1e",
            b'"\\',
            b'"\\u',
            b'"\\ud83d',
            b'"\xc3',
            b"tr",
        ],
    ),
    ({"type": "string", "maxLength": 3}, [b'"', b'"ab', b'"a\\u00', b'"ab\xc3']),
    ({"type": "string", "minLength": 3}, [b'"', b'"ab', b'"abc']),
    ({"type": "string", "minLength": 20, "maxLength": 40}, [b'"', b'"' + b"a" * 19, b'"' + b"a" * 35]),
    ({"type": "array", "items": {"type": "string", "maxLength": 8}}, [b'["', b'["a', b'["a","bcd']),
    ({"type": "string", "maxLength": 10**6}, [b'"', b'"abc']),
    ({"type": "string", "pattern": "^[a-z ]{0,30}$"}, [b'"', b'"the ']),
    ({"type": "string", "pattern": "^[^,]+,\\w+$"}, [b'"', b'"a', b'"a,']),
    ({"type": "string", "pattern": "foo", "maxLength": 12}, [b'"', b'"fo', b'"foo']),
    ({"enum": ['a"b', "\u00e9\\", "\U0001f600x", 12, [1]]}, [b"", b'"', b'"\\', b'"\\ud83d\\u']),
    ({"type": "string", "format": "date-time"}, [b'"20', b'"2020-02-']),
    ({"type": "string", "format": "uri"}, [b'"', b'"http', b'"http://a']),
    ({"type": "integer", "minimum": 3, "maximum": 12345}, [b"", b"1", b"1234"]),
    ({"type": "number", "multipleOf": 0.25}, [b"1.", b"-"]),
    ({"properties": {"name": {}, "named": {"type": "null"}}}, [b"{", b'{"', b'{"na', b'{"name"', b'{"named":']),
    ({"anyOf": [{"items": {"maxLength": 3}}, {"items": {"type": "string", "minLength": 2}}]}, [b'["ab', b'["abc","a']),
]


@pytest.fixture(scope="module", params=["llama3", "smollm2"])
def real(request: pytest.FixtureRequest) -> mw.Vocabulary:
    if request.param == "smollm2":
        return mw.Vocabulary.from_gguf(fetch("smollm2.gguf"))
    return mw.Vocabulary.from_huggingface(str(fetch("llama3/tokenizer.json")))


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(PLACES)))
def test_masks_of_real_vocabularies(real: mw.Vocabulary, place: int) -> None:
    """At each place, the mask of a real vocabulary is right for every id."""
    schema, beginnings = PLACES[place]
    guide = mw.compile(mw.json_schema(schema), real)
    for beginning in beginnings:
        # Once is not enough: what is asked for often gets a profile or a residue, and must stay the same.
        matcher = guide.matcher()
        if beginning:
            matcher.advance_bytes(beginning)
        assert in_mask(matcher) == by_reading(matcher), beginning
