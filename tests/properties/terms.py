"""Strategies: text terms, vocabularies and schemas, small enough for brute force."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from maskwright.network.lexeme import (
    ANYTHING,
    Term,
    characters,
    complement,
    concatenate,
    intersect,
    repeat,
    subtract,
    unite,
    words,
)

__all__ = ["LETTERS", "pieces", "schemas", "terms", "texts", "values"]

#: Characters of one to four bytes, some of which JSON must escape.
LETTERS = 'ab"\\\n\u00e9\u4e00\U0001f600'

texts = st.text(LETTERS, max_size=4)
_classes = st.one_of(
    st.sampled_from([[(0x61, 0x61)], [(0x61, 0x62)], [(0, 0x60)], [(0x62, 0x10FFFF)], [(0xE9, 0x4E00)]]).map(characters)
)
_counts = st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 4)))
_leaves = st.one_of(_classes, st.lists(texts, min_size=1, max_size=3).map(words), st.just(ANYTHING))


def _repeated(part: Term, counts: tuple[int, int | None]) -> Term:
    return repeat(part, counts[0], counts[1])


terms: st.SearchStrategy[Term] = st.recursive(
    st.one_of(_leaves, st.builds(_repeated, _classes, _counts)),
    lambda inner: st.one_of(
        st.builds(concatenate, inner, inner),
        st.builds(unite, inner, inner),
        st.builds(intersect, inner, inner),
        st.builds(subtract, inner, inner),
        st.builds(complement, inner),
        st.builds(_repeated, inner, _counts),
    ),
    max_leaves=5,
)

#: Tokens: pieces of JSON as tokenizers cut it, across strings, keys and brackets.
pieces = st.lists(
    st.one_of(
        st.sampled_from(
            [
                b'{"',
                b'"}',
                b'":',
                b'","',
                b'"]',
                b'["',
                b"[]",
                b"{}",
                b'"a":1',
                b"1,",
                b"null",
                b"\\u00",
                b'\\"',
                b"\xc3",
            ]
        ),
        st.sampled_from([b'aaaa"', b'aaaa"]', b'","a":"', b"],[", b'":"b"}', b"0.", b"e1", b" ", b"\n  ", b'a","b":']),
        st.text('ab1"\\:,[]{}\u00e9', min_size=1, max_size=4).map(str.encode),
    ),
    max_size=20,
)

_strings = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(3, 6),
        "pattern": st.sampled_from(["^a*b?$", "a", "^[^a]*$", "^(ab|b)*$", "^.a"]),
    },
)
_numbers = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        "minimum": st.integers(-3, 12),
        "maximum": st.integers(12, 140),
        "multipleOf": st.sampled_from([1, 2, 5]),
    },
)
_enums = st.fixed_dictionaries(
    {
        "enum": st.lists(
            st.sampled_from([None, True, 0, 12, "", "a", 'a"b', "\u00e9", [1], {"a": 1}]), min_size=1, max_size=4
        )
    }
)
_names = st.sampled_from(["a", "ab", "b", 'a"', "\u00e9"])


def _objects(inner: Any) -> Any:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(_names, inner, max_size=3)},
        optional={
            "required": st.lists(_names, max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "maxProperties": st.integers(2, 3),
        },
    )


def _arrays(inner: Any) -> Any:
    return st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(2, 4),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
        },
    )


#: Schemas of the keywords that are enforced.
schemas: st.SearchStrategy[Any] = st.recursive(
    st.one_of(_strings, _numbers, _enums, st.just({}), st.just({"type": ["null", "boolean"]})),
    lambda inner: st.one_of(
        _objects(inner),
        _arrays(inner),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda one, two: {"allOf": [one, two]}, inner, inner),
    ),
    max_leaves=5,
)

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-20, 150), st.text('ab"\u00e9', max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_names, inner, max_size=3)),
    max_leaves=5,
).map(lambda value: json.dumps(value, ensure_ascii=False))
