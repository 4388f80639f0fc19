"""Validation as text streams in: the first wrong byte is exact, and what is said of it is read by a person."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import maskwright as mw
from maskwright.errors import PolicyError, TokenError, UnsatisfiableError
from maskwright.validation import Refusal, Validator

PERSON: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5, "pattern": "^[a-z]*$"},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["a", "bb"]}, "minItems": 1, "maxItems": 2},
        "kind": {"anyOf": [{"const": "x"}, {"type": "null"}]},
        "born": {"$ref": "#/$defs/day"},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
    "$defs": {"day": {"format": "date", "type": "string"}},
}
AGE: Final = "#/properties/age"

#: Text, offset, pointer, places, words of the reason.
PEOPLE: Final[list[tuple[str | bytes, int, str, tuple[str, ...], str]]] = [
    ('{"name":"abc", "age": 200}', 25, "/age", (f"{AGE}/maximum",), "the value `200` does not meet `maximum`: 150"),
    ('{"age":-1', 8, "/age", (f"{AGE}/minimum",), "no value that begins with `-1` meets `minimum`: 0"),
    ('{"age":1.5}', 10, "/age", (f"{AGE}/type",), "the value `1.5` does not meet `type`"),
    ('{"age":"', 7, "/age", (f"{AGE}/type",), 'no value that begins with `"` meets `type`'),
    ('{"name":"abcdefgh"', 14, "/name", ("#/properties/name/maxLength",), "`maxLength`: 5"),
    ('{"name":"aB"', 10, "/name", ("#/properties/name/pattern",), "`pattern`"),
    ('{"nam":1}', 5, "", ("#/additionalProperties",), 'no member may be named `"nam"`'),
    ('{"x":1}', 2, "", ("#/additionalProperties",), 'no member that begins with `"x` may come'),
    ('{"name":"a","name":1}', 13, "", (), "stands there already"),
    ('{"name":"a"}', 11, "", ("#/required",), '"age" is required'),
    ("{}", 1, "", ("#/required",), '"name", "age" are required'),
    ('{"tags":[]}', 9, "/tags", ("#/properties/tags/minItems",), "may not end yet: `minItems`: 1"),
    ('{"tags":["a","a","a"]}', 16, "/tags", ("#/properties/tags/maxItems",), "no further element may come"),
    ('{"tags":["a","c"]}', 14, "/tags/1", ("#/properties/tags/items/enum",), '`enum`: ["a", "bb"]'),
    ('{"kind":"xy"}', 10, "/kind", ("#/properties/kind/anyOf/0/const", "#/properties/kind/anyOf/1/type"), "`const`"),
    ('{"born":"2023-02-29"}', 18, "/born", ("#/$defs/day/format",), '`format`: "date"'),
    ('{"age":1,}', 9, "", (), "not JSON"),
    ('{"age" 1}', 7, "/age", (), "not JSON"),
    ('{"age":01}', 8, "/age", (), "not JSON"),
    ('{"name":"a" "', 12, "", (), "not JSON"),
    ('{"name":tru}', 8, "/name", ("#/properties/name/type",), "begins with `t`"),
    ('{"name":"a\n"}', 10, "/name", (), "not JSON"),
    (b'{"name":"a\xff"}', 10, "/name", (), "not UTF-8"),
    ("[", 0, "", ("#/type",), '`type`: "object"'),
    ("\ufeff{}", 0, "", (), "byte order mark"),
    ("", 0, "", (), "the text is empty"),
    ('{"name":"a', 10, "/name", (), "ends within a string"),
    ('{"name":"a"', 11, "", ("#/required",), 'ends within an object; the object may not end yet: "age" is required'),
    ('{"name":"a","age":1} x', 21, "", (), "goes on after its end"),
]


@cache
def _validator(schema: str, **policies: Any) -> Validator:
    return Validator(schema, **policies)


@pytest.mark.parametrize(("text", "offset", "pointer", "places", "words"), PEOPLE)
def test_people(text: str | bytes, offset: int, pointer: str, places: tuple[str, ...], words: str) -> None:
    """Offset, place in the instance, keywords at fault, and words."""
    found = _validator(json.dumps(PERSON)).check(text)
    assert found is not None
    assert (found.offset, found.pointer, found.places) == (offset, pointer, places)
    assert words in found.reason


#: Schema, text, offset, places.
OTHERS: Final[list[tuple[Any, str, int, tuple[str, ...]]]] = [
    ({"minimum": 2, "maximum": 4, "multipleOf": 3, "type": "number"}, "4", 0, tuple(
        f"#/{name}" for name in ("type", "minimum", "maximum", "multipleOf"))),
    ({"uniqueItems": True}, '["a", "a"]', 8, ("#/uniqueItems",)),
    ({"uniqueItems": True}, "[1, 1.0]", 7, ("#/uniqueItems",)),
    ({"propertyNames": {"pattern": "^x"}}, '{"xa":1,"ya":2}', 9, ("#/propertyNames/pattern",)),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"k": {"$ref": "#/$defs/a"}, "n": {"type": "null"}}}}},
     '{"k":{"k":{"n":1}}}', 15, ("#/$defs/a/properties/n/type",)),
    ({"patternProperties": {"^a/": {"type": "null"}}}, '{"a/b":0}', 7, ("#/patternProperties/^a~1/type",)),
    ({"minProperties": 2}, '{"a":1}', 6, ("#/minProperties",)),
    ({"maxProperties": 1}, '{"a":null,"b":2}', 9, ("#/maxProperties",)),
    ({"items": False, "prefixItems": [{}, {}]}, "[1,2,3]", 4, ("#/items",)),
    ({"properties": {"a": False}}, '{"a":1}', 3, ("#/properties/a",)),
    ({"minLength": 3}, '"ab"', 3, ("#/minLength",)),
    ({"dependentRequired": {"a": ["b"]}}, '{"a":null}', 9, ("#/dependentRequired",)),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": True, "type": "integer"},
     "3", 1, ("#/exclusiveMinimum",)),
    ({"type": "object"}, '{"a":1,"\\u0061":2}', 14, ()),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "text", "offset", "places"), OTHERS)
def test_keywords(schema: Any, text: str, offset: int, places: tuple[str, ...]) -> None:
    """Each keyword is named where it is to blame."""
    found = Validator(schema).check(text)
    assert found is not None
    assert (found.offset, found.places) == (offset, places)


#: Policies, text, words of the reason.
POLICIES: Final[list[tuple[dict[str, Any], str, str]]] = [
    ({"whitespace": "compact"}, '{"name": "a"}', "whitespace='compact'"),
    ({"whitespace": "compact"}, " {}", "whitespace='compact'"),
    ({"escapes": "minimal"}, '{"born":"\\u0032"', "escapes='minimal'"),
    ({"property_order": "declared"}, '{"age":1,"name":"a"}', "order of the schema"),
]


@pytest.mark.parametrize(("policies", "text", "words"), POLICIES)
def test_policies(policies: dict[str, Any], text: str, words: str) -> None:
    """A spelling that only a policy forbids is told as that."""
    schema = {"properties": {"name": {}, "age": {}, "born": {}}}
    found = Validator(schema, **policies).check(text)
    assert found is not None
    assert words in found.reason


def test_line_column_and_text() -> None:
    """Lines and columns count from 1, columns characters; the line for people has all of it."""
    found = Validator({"additionalProperties": {"type": "integer"}}).check('{"é": 1,\n "😀": "x"}')
    assert found is not None
    assert (found.line, found.column) == (2, 7)
    assert str(found).startswith('2:7: /😀: no value that begins with `"` meets `type`')
    assert found.as_dict()["places"] == ["#/additionalProperties/type"]


@pytest.mark.parametrize("text", [' {"a" :\r\n[ 1.0 , 1e2 ] }\t', '{"\\u0061":"\\/"}', "\n12 ", '"\\ud83d\\ude00"'])
def test_every_spelling_is_read(text: str) -> None:
    """Blanks around the value, escapes, exponents, any order."""
    assert Validator(True).check(text) is None


# -------------------------------------------------------------------------------------- laws against brute force

#: Schemas whose values are few; their texts are enumerated with an oracle of its own.
FINITE: Final[list[dict[str, Any]]] = [
    {"properties": {"a": {"enum": [1, 12, "x"]}, "b": {"type": "boolean"}}, "required": ["a"]},
    {"patternProperties": {"^[ab]$": {"enum": [1, 12]}}, "minProperties": 1, "maxProperties": 2},
    {"propertyNames": {"enum": ["a", "aa", "b"]}, "additionalProperties": {"const": 1}, "minProperties": 3},
    {"items": {"enum": [1, 12, "x", None]}, "uniqueItems": True, "maxItems": 3, "minItems": 1},
    {"prefixItems": [{"enum": ["x", 12]}, {"enum": ["x", 1]}], "items": {"const": True}},
    {"anyOf": [{"enum": [1, "x"]}, {"items": {"const": 1}, "minItems": 2}, {"properties": {"a": {"const": "x"}}}]},
    {"contains": {"const": 1}, "items": {"enum": [1, 12]}},
    {"oneOf": [{"enum": [1, 12]}, {"enum": [12, "x"]}, {"required": ["b"], "properties": {"b": {"const": 1}}}]},
    {"dependentRequired": {"a": ["b"]}, "additionalProperties": {"const": 1}},
]
SCALARS: Final = (1, 12, "x", None, True, False)
STRICT: Final[dict[str, Any]] = {"whitespace": "compact", "escapes": "minimal", "numbers": "canonical"}


def _values() -> Iterator[Any]:
    yield from SCALARS
    for size in range(4):
        yield from map(list, itertools.product(SCALARS[:5], repeat=size))
        for names in itertools.permutations(["a", "aa", "b"], size):
            yield from (dict(zip(names, row, strict=True)) for row in itertools.product(SCALARS[:5], repeat=size))


@cache
def _texts(index: int) -> tuple[Validator, frozenset[bytes]]:
    """A validator of values out of the universe, and all texts of those that jsonschema calls valid."""
    own = {"type": ["array", "object", "string", "number", "boolean", "null"], **FINITE[index]}
    bounds = {
        "$defs": {"scalar": {"enum": list(SCALARS)}},
        "if": {"type": ["array", "object"]},
        "then": {
            "items": {"enum": list(SCALARS[:5])}, "maxItems": 3,
            "propertyNames": {"enum": ["a", "aa", "b"]}, "additionalProperties": {"enum": list(SCALARS[:5])},
        },
        "else": {"enum": list(SCALARS)},
    }  # fmt: skip
    schema = {**bounds, "allOf": [own]}
    oracle = Draft202012Validator(schema)
    valid = [value for value in _values() if oracle.is_valid(value)]
    return Validator(schema, **STRICT), frozenset(json.dumps(v, separators=(",", ":")).encode() for v in valid)


def _expected(text: bytes, texts: frozenset[bytes]) -> int | None:
    """The offset of the first wrong byte, or of the end, by looking at all valid texts."""
    if text in texts:
        return None
    return max(size for size in range(len(text) + 1) if any(one.startswith(text[:size]) for one in texts))


@pytest.mark.parametrize("index", range(len(FINITE)))
def test_the_first_wrong_byte_is_exact(index: int) -> None:
    """What comes before it begins some valid text, with it none does: against all valid texts, for texts near them."""
    validator, texts = _texts(index)
    assert texts
    chance, ordered = random.Random(index), sorted(texts)
    for _ in range(150):
        text = bytearray(chance.choice(ordered))
        for _ in range(chance.randint(0, 2)):
            place = chance.randrange(len(text) + 1)
            text[place : place + chance.randint(0, 2)] = chance.choice(
                [b"", b"1", b",", b'"', b"}", b'"a"', b"x", b"]"]
            )
        found = validator.check(bytes(text))
        assert (None if found is None else found.offset) == _expected(bytes(text), texts), bytes(text)


@given(st.integers(0, len(FINITE) - 1), st.binary(max_size=6), st.data())
def test_pieces_do_not_matter(index: int, tail: bytes, data: st.DataObject) -> None:
    """However a text is cut, the refusal is the same, to the last word."""
    validator, texts = _texts(index)
    text = data.draw(st.sampled_from(sorted(texts)))
    text = text[: data.draw(st.integers(0, len(text)))] + tail
    stream = validator.stream()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        stream.feed(text[start:stop])
    assert stream.finish() == validator.check(text)


def test_after_a_refusal_it_stays() -> None:
    """Further pieces, and the end, say the same."""
    stream = Validator({"type": "null"}).stream()
    found = stream.feed("nix")
    assert isinstance(found, Refusal)
    assert (stream.feed("null"), stream.finish(), stream.can_end, stream.offset) == (found, found, False, 1)


def test_can_end_and_is_complete() -> None:
    """A number may go on; an array may not; blanks do not count."""
    stream = Validator(True).stream()
    seen = []
    for piece in ("1", "2", " ", "\n"):
        stream.feed(piece)
        seen.append((stream.can_end, stream.is_complete))
    assert seen == [(True, False), (True, False), (True, True), (True, True)]
    array = Validator(True).stream()
    array.feed("[1")
    assert (array.can_end, array.is_complete) == (False, False)
    array.feed("]")
    assert (array.can_end, array.is_complete, array.finish()) == (True, True, None)


def test_many_keys_and_one_twice() -> None:
    """Where any key could come the engine remembers none: the second of equal ones is found all the same."""
    keys = [f'"k{i}":0' for i in range(2_000)]
    validator = Validator({"additionalProperties": {"type": "integer"}})
    assert validator.check("{" + ",".join(keys) + "}") is None
    text = "{" + ",".join([*keys, '"\\u006b7":0']) + "}"
    found = validator.check(text)
    assert found is not None
    assert text.encode()[: found.offset].endswith(b"\\u006b7")
    assert "stands there already" in found.reason
    limited = Validator({"patternProperties": {"^[a-z][0-9]*$": {}}, "additionalProperties": False})
    found = limited.check(text)
    assert found is not None
    assert found.offset == len(text) - 4


def test_other_constraints() -> None:
    """A pattern or a choice is read as it stands, without blanks around it."""
    validator = Validator(mw.choice(["yes", "no"]))
    assert validator.check("no") is None
    found = validator.check("nope")
    assert found is not None
    assert (found.offset, found.pointer, found.expected) == (2, "", "the end")
    assert Validator(mw.json_schema({"type": "integer"}, whitespace="compact")).check(" 1") is not None


def test_wrong_arguments() -> None:
    """Typed errors."""
    with pytest.raises(PolicyError):
        Validator(mw.choice(["a"]), whitespace="any")
    with pytest.raises(PolicyError):
        Validator(True, whitespace="loose")
    with pytest.raises(UnsatisfiableError):
        Validator(False)
    with pytest.raises(TokenError):
        Validator(True).stream().feed(3)  # type: ignore[arg-type]
