"""Completion: the shortest way to the end, by hand and from any place a text may be cut off at."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import LimitError, TokenError
from maskwright.limits import Limits
from tests.oracle.masks import SINGLES, make_vocabulary

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "tags": {"type": "array", "minItems": 2}},
    "required": ["name", "tags"],
}


def guide_of(constraint: mw.Constraint) -> mw.Guide:
    return mw.compile(constraint, make_vocabulary(SINGLES))


def added(schema: Any, text: str | bytes, **options: Any) -> bytes:
    return guide_of(mw.json_schema(schema, **options)).complete(text)


@pytest.mark.parametrize(
    ("schema", "text", "size"),
    [
        ({}, "", 1),
        ({}, "1", 0),
        ({}, "-", 1),
        ({}, "1e", 1),
        ({}, "tr", 2),
        ({}, '"a', 1),
        ({}, '"\\', 2),
        ({}, '"\\u00', 3),
        ({}, '"\\ud83d', 7),
        ({}, b'"\xe2\x82', 2),
        ({}, '[[{"a":[', 4),
        ({}, '{"a"', 3),
        (PERSON, '{"name":"x', len('y","tags":[0,0]}')),
        (PERSON, '{"na', len('me":"xy","tags":[0,0]}')),
        (PERSON, "{", len('"name":"xy","tags":[0,0]}')),
        ({"enum": ["abcdef", "abx", 12345]}, '"ab', 2),
        ({"enum": ["abcdef", "abx", 12345]}, "", 5),
        ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}, '"A', 7),
        ({"type": "integer", "minimum": 1000}, "", 4),
        ({"type": "integer", "multipleOf": 700}, "3", 3),
        ({"const": 'a"b\\\u00e9'}, '"a', 8),
        ({"anyOf": [{"minLength": 9, "type": "string"}, {"const": "abcd"}]}, '"ab', 3),
        ({"anyOf": [{"minLength": 9, "type": "string"}, {"const": "abcd"}]}, '"b', 9),
    ],
)
def test_sizes(schema: Any, text: str | bytes, size: int) -> None:
    """Bytes that are missing, counted by hand; one spelling of whitespace and numbers is as good as another."""
    assert len(added(schema, text)) == size


@pytest.mark.parametrize(
    ("grammar", "whole"),
    [
        ('start: "[" "x"? "]"', b"[]"),
        ('start: "[" a (b a)? "]"\na: "q"*\nb: "x"', b"[]"),
        ('start: "[" a "]"\na: "x" "y" | "z" |', b"[]"),
        ('start: a a "."\na: "xyz" | b\nb: |"w"', b"."),
    ],
)
def test_rules_that_may_be_empty_are(grammar: str, whole: bytes) -> None:
    """An empty alternative is taken wherever it stands."""
    assert guide_of(mw.lark(grammar, lexer="exact")).complete("") == whole


@pytest.mark.parametrize("order", ["declared", "any"])
@pytest.mark.parametrize("cut", range(len('{"name": "J\\u00fc", "tags": [[1, {"a": null}], -0.5e3]}')))
def test_a_document_cut_off_anywhere(cut: int, order: str) -> None:
    """The mended document is valid; only what was missing is added."""
    whole = '{"name": "J\\u00fc", "tags": [[1, {"a": null}], -0.5e3]}'
    text = whole[:cut] + added(PERSON, whole[:cut], property_order=order, numbers="exact").decode()
    value = json.loads(text)
    assert len(value["name"]) >= 2
    assert len(value["tags"]) >= 2


@pytest.mark.parametrize("text", ["{", '{"', '{"a', '{"a":1,"', '{"":1,"a":1,"b', '{"a":1,"b":2,"c":3'])
def test_keys_are_not_repeated(text: str) -> None:
    """Where free keys must still come, the shortest different ones do."""
    schema = {"type": "object", "minProperties": 4}
    whole = text.encode() + added(schema, text)
    pairs = json.loads(whole, object_pairs_hook=list)
    assert len({key for key, _ in pairs}) == len(pairs) == 4
    shortest = {
        "{": '{"":0,"a":0,"b":0,"c":0}',
        '{"a': '{"a":0,"":0,"b":0,"c":0}',
        '{"a":1,"': '{"a":1,"":0,"b":0,"c":0}',
    }
    assert text not in shortest or len(whole) == len(shortest[text])


def test_keys_of_unequal_length() -> None:
    """Each key that a pattern allows once comes, the order of their lengths costs nothing."""
    schema = {"type": "object", "propertyNames": {"pattern": "^(a|bbbb|c{9})$"}, "minProperties": 3}
    assert len(added(schema, "{")) == len('"a":0,"bbbb":0,"ccccccccc":0}')


def test_many_required_keys_in_any_order() -> None:
    """What must come comes in one order; 60 keys have 2^60 subsets."""
    names = [f"key{i}" for i in range(60)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names[::2]}
    value = json.loads("{" + added(schema, "{", property_order="any").decode())
    assert sorted(value) == sorted(names[::2])


def test_recursion_ends_at_once() -> None:
    """A tree that may go on for ever is left by the shortest way, and as often as it was entered."""
    tree = {"type": "object", "properties": {"l": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["l"]}
    assert added(tree, '{"l":' * 50) == b"null" + b"}" * 50


def test_the_matcher_stays_as_it_is() -> None:
    """Asking changes nothing, and after an end token nothing is missing."""
    matcher = guide_of(mw.choice(["abc"])).matcher()
    matcher.advance_bytes(b"a")
    assert (matcher.complete(), matcher.text, matcher.complete()) == (b"bc", b"a", b"bc")
    matcher.advance_bytes(b"bc")
    assert matcher.complete() == b""
    matcher.advance(0)
    assert matcher.complete() == b""


def test_the_same_text_always() -> None:
    """Of equally short texts ASCII is taken, and asking other questions first changes nothing."""
    constraint = mw.regex("[\u00e9xyz]{2}[^a-z]|0[0-9]{2}")
    fresh, asked = guide_of(constraint), guide_of(constraint)
    for text in ("x", "0", "xy"):
        asked.complete(text)
    assert fresh.complete("x") == asked.complete("x")
    assert fresh.complete("x").isascii()


def test_what_is_no_beginning_is_refused() -> None:
    """The error says where."""
    with pytest.raises(TokenError, match="byte 10"):
        added(PERSON, '{"name": 5')


def test_long_completions() -> None:
    """A minimal length is met without a step for each character; what is too long, or takes too many steps, says so."""
    assert len(added({"type": "string", "minLength": 100_000}, '"')) == 100_001
    with pytest.raises(LimitError, match="5000001 bytes"):
        added({"type": "string", "minLength": 5_000_000}, '"')
    with pytest.raises(LimitError, match="satisfiability_steps"):
        added({"type": "array", "minItems": 500}, "[", limits=Limits(satisfiability_steps=50))
