"""Masks of arrays whose elements must be told apart: each token is allowed iff the matcher can advance by it."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

import maskwright as mw
from tests.oracle.masks import in_mask

_PIECES: Final = (
    rb'","|", "|"a"|,"a"|"]|["|","a"]|","a","|,"|,1|,1,2|1]|,1]|{"|a":|{"a":1}|,{"a":1}|},{|"a|a"]|a","a|\u0061|null|'
    rb",null|true|,true]|[[|]]|],[|, |,  "
).split(b"|")
#: Every byte, and pieces that reach over the ends of elements.
TOKENS: Final = [b"", *(bytes([byte]) for byte in range(256)), *_PIECES]
_PLAIN: Final = b'"],[ab12{}:'

_TEXTS: Final = {"type": "array", "uniqueItems": True, "items": {"type": "string"}}
_CLOSED: Final = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
SCHEMAS: Final[dict[str, Any]] = {
    "texts": _TEXTS,
    "short texts": {"type": "array", "uniqueItems": True, "items": {"type": "string", "maxLength": 2}},
    "anything": {"type": "array", "uniqueItems": True},
    "integers": {"type": "array", "uniqueItems": True, "items": {"type": "integer"}},
    "objects": {"type": "array", "uniqueItems": True, "items": _CLOSED},
    "choices": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b", "ab", 1]}, "minItems": 2},
    "repeated": {"type": "array", "not": {"uniqueItems": True}, "items": {"enum": ["a", "b", 1]}},
    "in an object": {"type": "object", "properties": {"a": _TEXTS}, "additionalProperties": {"type": "integer"}},
    "contained": {**_TEXTS, "contains": {"const": "a"}},
    "nested": {"type": "array", "uniqueItems": True, "items": _TEXTS},
}


@pytest.mark.parametrize("whitespace", ["compact", "flexible"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_masks_are_what_can_be_read(name: str, whitespace: str) -> None:
    """Along random walks, the mask of each state is the set of tokens that advance."""
    vocabulary = mw.Vocabulary.from_tokens(TOKENS, end_ids=[0])
    guide = mw.compile(mw.json_schema(SCHEMAS[name], property_order="any", whitespace=whitespace), vocabulary)
    chance = random.Random(name)
    for _ in range(3):
        matcher = guide.matcher()
        for _ in range(25):
            allowed = in_mask(matcher)
            assert allowed == {token for token in range(len(TOKENS)) if _advances(matcher, token)}, matcher.text
            likely = [t for t in sorted(allowed) if t > 256 or (t and t - 1 in _PLAIN)] or sorted(allowed)
            matcher.advance(chance.choice(likely))
            if matcher.is_finished:
                break


def _advances(matcher: mw.Matcher, token: int) -> bool:
    probe = matcher.fork()
    try:
        probe.advance(token)
    except mw.MaskwrightError:
        return False
    return True
