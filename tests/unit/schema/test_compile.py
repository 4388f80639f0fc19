"""What compiled schemas accept: tables by keyword, each verdict worked out by hand from the specification."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.network.nodes import Call, Capture, Lex, Network
from maskwright.schema.compile import compile_schema
from maskwright.schema.layout import Whitespace
from tests.oracle.recogniser import next_bytes
from tests.unit.schema.schemas import network, verdicts

LIST = {
    "type": "object",
    "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}},
    "additionalProperties": False,
}
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"

CASES: list[tuple[str, Any, list[str], list[str]]] = [
    ("anything", True, ["null", '{"a":[1,"x"]}', "-0.5e1"], ["", "{", '{"a":1,"a":2}', " 1"]),
    ("types", {"type": ["string", "null"]}, ["null", '"x"'], ["1", "{}", "true"]),
    ("integer beside number", {"type": ["integer", "number"]}, ["1", "1.5"], ['"1"']),
    (
        "length counts characters",
        {"type": "string", "maxLength": 1},
        ['"\U0001f600"', '"\\ud83d\\ude00"', '"\\n"'],
        ['"ab"'],
    ),
    ("escaped enum", {"enum": ["a"]}, ['"a"', '"\\u0061"'], ['"b"', '"\\u0062"']),
    ("pattern searches", {"type": "string", "pattern": "b+"}, ['"abc"'], ['"ac"']),
    (
        "pattern and length",
        {"type": "string", "pattern": "^a+$", "minLength": 2, "maxLength": 3},
        ['"aa"'],
        ['"a"', '"aaaa"'],
    ),
    ("other types stay free", {"minLength": 2}, ["1", '"ab"', "[]"], ['"a"']),
    ("bounds", {"type": "integer", "minimum": -1, "exclusiveMaximum": 2}, ["-1", "0", "1"], ["-2", "2"]),
    ("decimal multiples", {"type": "number", "multipleOf": 0.1}, ["0.3", "7"], ["0.35"]),
    ("required", {"type": "object", "required": ["a"]}, ['{"a":1}', '{"b":1,"a":1}'], ["{}", '{"b":1}']),
    (
        "closed",
        {"properties": {"a": {}}, "additionalProperties": False, "type": "object"},
        ["{}", '{"a":1}'],
        ['{"b":1}'],
    ),
    (
        "typed rest",
        {"properties": {"a": {}}, "additionalProperties": {"type": "null"}, "type": "object"},
        ['{"a":1,"b":null}'],
        ['{"b":1}', '{"\\u0062":1}'],
    ),
    ("no duplicates", {"type": "object"}, ['{"a":1,"b":2}'], ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}']),
    (
        "a named key in disguise",
        {"type": "object", "properties": {"a": {"type": "null"}}},
        ['{"\\u0061":null}'],
        ['{"\\u0061":1}'],
    ),
    (
        "counts of members",
        {"type": "object", "minProperties": 1, "maxProperties": 2, "properties": {"a": {}}},
        ['{"a":1}', '{"x":1,"y":2}'],
        ["{}", '{"a":1,"x":1,"y":1}'],
    ),
    (
        "required and count",
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"], "maxProperties": 1},
        ['{"b":1}'],
        ['{"a":1}', '{"a":1,"b":1}'],
    ),
    (
        "items",
        {"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 2},
        ["[null]", "[null,null]"],
        ["[]", "[1]", "[null,null,null]"],
    ),
    (
        "prefix",
        {"type": "array", "prefixItems": [{"type": "null"}], "items": False},
        ["[]", "[null]"],
        ["[1]", "[null,1]"],
    ),
    (
        "enum of all kinds",
        {"enum": [None, True, 1.0, "x", [1], {"a": 1}]},
        ["null", "true", "1", '"x"', "[1]", '{"a":1}'],
        ["false", "2", "[]", "[1,1]", "{}", '{"a":2}'],
    ),
    ("const object", {"const": {"a": {"b": []}}}, ['{"a":{"b":[]}}'], ['{"a":{}}', '{"a":{"b":[]},"c":1}']),
    ("enum and type", {"enum": [1, "a"], "type": "string"}, ['"a"'], ["1"]),
    ("enum and minimum", {"enum": [1, 2, 3], "minimum": 2}, ["2", "3"], ["1"]),
    (
        "anyOf of required",
        {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ['{"a":1}', '{"b":1,"c":1}'],
        ["{}", '{"c":1}'],
    ),
    (
        "anyOf by discriminator",
        {
            "anyOf": [
                {"properties": {"k": {"const": 1}, "v": {"type": "null"}}, "required": ["k", "v"]},
                {"properties": {"k": {"const": 2}, "v": {"type": "string"}}, "required": ["k", "v"]},
            ],
            "type": "object",
        },
        ['{"k":1,"v":null}', '{"k":2,"v":""}'],
        ['{"k":1,"v":""}', '{"k":2,"v":null}', '{"k":1}'],
    ),
    (
        "allOf on one property",
        {"type": "object", "allOf": [{"properties": {"a": {"minimum": 2}}}, {"properties": {"a": {"maximum": 3}}}]},
        ['{"a":2}', '{"a":"x"}'],
        ['{"a":1}', '{"a":4}'],
    ),
    (
        "allOf of closed objects",
        {
            "type": "object",
            "allOf": [
                {"properties": {"a": {}, "b": {}}, "additionalProperties": False},
                {"properties": {"b": {}, "c": {}}, "additionalProperties": False},
            ],
        },
        ["{}", '{"b":1}'],
        ['{"a":1}', '{"c":1}'],
    ),
    (
        "siblings of $ref",
        {"$ref": "#/$defs/s", "minLength": 2, "$defs": {"s": {"type": "string"}}},
        ['"ab"'],
        ['"a"', "1"],
    ),
    (
        "$ref hides siblings",
        {"$schema": DRAFT_7, "$ref": "#/definitions/s", "minLength": 2, "definitions": {"s": {}}},
        ['"a"'],
        [],
    ),
    ("recursion", LIST, ["{}", '{"v":1,"next":{"next":{}}}'], ['{"next":{"v":null}}', '{"next":1}']),
    ("draft 4 bounds", {"$schema": DRAFT_4, "type": "integer", "minimum": 1, "exclusiveMinimum": True}, ["2"], ["1"]),
    (
        "tuple items",
        {"$schema": DRAFT_7, "type": "array", "items": [{"type": "null"}], "additionalItems": {"type": "boolean"}},
        ["[null,true]"],
        ["[true]", "[null,null]"],
    ),
    ("anchor", {"$ref": "#s", "$defs": {"x": {"$anchor": "s", "type": "null"}}}, ["null"], ["1"]),
    ("pointer escapes", {"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"type": "null"}}}, ["null"], ["1"]),
    (
        "patterns of keys",
        {"type": "object", "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False},
        ["{}", '{"x1":null,"x2":null}'],
        ['{"x":1}', '{"y":null}', '{"x":null,"x":null}'],
    ),
    (
        "few keys for a count",
        {"type": "object", "patternProperties": {"^[xy]$": {}}, "additionalProperties": False, "minProperties": 2},
        ['{"y":1,"x":1}'],
        ["{}", '{"x":1}', '{"x":1,"x":1}'],
    ),
    ("names of keys", {"type": "object", "propertyNames": {"maxLength": 1}}, ['{"a":1}', '{"":1}'], ['{"ab":1}']),
    (
        "dependent keys",
        {"type": "object", "dependentRequired": {"a": ["b"]}},
        ["{}", '{"b":1}', '{"a":1,"b":1}'],
        ['{"a":1}'],
    ),
    ("an optional key without values", {"type": "object", "properties": {"a": False}}, ["{}", '{"b":1}'], ['{"a":1}']),
    ("a lone surrogate is no key", {"type": "object", "properties": {"\ud800": {"type": "null"}}}, ["{}"], []),
]


@pytest.mark.parametrize(("schema", "accepted", "rejected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_verdicts(schema: Any, accepted: list[str], rejected: list[str]) -> None:
    """In any order of keys, a text is accepted iff its value is valid."""
    assert verdicts(schema, accepted + rejected, property_order="any") == [True] * len(accepted) + [False] * len(
        rejected
    )


ORDERED = {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "required": ["b", "z"]}


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ('{"a":1,"b":1,"z":1}', True),
        ('{"b":1,"c":1,"z":1}', True),
        ('{"b":1,"y":1,"z":1}', True),
        ('{"b":1,"z":1,"y":1}', True),
        ('{"b":1,"a":1,"z":1}', False),
        ('{"y":1,"b":1,"z":1}', False),
        ('{"b":1,"z":1,"c":1}', False),
    ],
)
def test_declared_keys_come_first_and_in_order(text: str, declared: bool) -> None:
    """Declared keys in schema order, then all others in any order; any order admits every text."""
    assert verdicts(ORDERED, [text]) == [declared]
    assert verdicts(ORDERED, [text], property_order="any") == [True]


OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "array", "items": {"type": "null"}}},
    "additionalProperties": False,
}
COMPACT, SPACED, INDENTED = '{"a":[null,null]}', '{"a": [null, null]}', '{\n  "a": [\n    null,\n    null\n  ]\n}'


@pytest.mark.parametrize(
    ("whitespace", "accepted", "rejected"),
    [
        ("flexible", [COMPACT, SPACED, INDENTED, '{ "a" : [ ] }', "{ }"], ['{  "a":[]}', '{"a":\r[]}', '{\n\n"a":[]}']),
        ("compact", [COMPACT, "{}"], [SPACED, "{ }"]),
        ("spaced", [SPACED, "{}"], [COMPACT, '{ "a": []}']),
        ("any", [COMPACT, SPACED, INDENTED, '{ \r\n\t "a"  :[] }'], [" {}", "{} "]),
        (Whitespace(", ", ": "), [SPACED], [COMPACT]),
        (Whitespace(indent=2, colon=": "), [INDENTED, "{}", '{\n  "a": []\n}'], [COMPACT, SPACED]),
    ],
)
def test_whitespace(whitespace: Any, accepted: list[str], rejected: list[str]) -> None:
    """Each layout admits its own whitespace and no other; none around the whole value."""
    found = verdicts(OBJECT, accepted + rejected, whitespace=whitespace)
    assert found == [True] * len(accepted) + [False] * len(rejected)


def test_closed_objects_admit_the_keys_of_all_schemas_of_a_value() -> None:
    """``objects="closed"``: silent schemas with properties admit only keys that some schema of the value names."""
    schema = {"type": "object", "allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}
    assert verdicts(schema, ['{"a":1,"b":1}', '{"c":1}'], objects="closed") == [True, False]
    assert verdicts({"type": "object"}, ['{"c":1}'], objects="closed") == [True]
    opened = {"type": "object", "properties": {"a": {}}, "additionalProperties": True}
    assert verdicts(opened, ['{"c":1}'], objects="closed") == [True]


def test_escapes() -> None:
    """Minimal escapes admit only those that JSON demands."""
    texts = ['"a"', '"\\u0061"', '"\\""', '"\\n"']
    assert verdicts({"type": "string"}, texts, escapes="minimal") == [True, False, True, True]


def test_formats() -> None:
    """Known formats are asserted unless they only annotate."""
    schema = {"type": "string", "format": "date"}
    assert verdicts(schema, ['"2024-02-29"', '"x"']) == [True, False]
    assert verdicts(schema, ['"x"'], formats="annotate") == [True]


def test_equal_values_share_a_node() -> None:
    """Subschemas that admit the same values are one node, wherever they stand."""
    made = network(
        {
            "type": "array",
            "prefixItems": [{"items": {}}, {"type": ["object", "array", "string", "null", "boolean", "number"]}],
        }
    )
    (opened, *_), *_ = [list(made.expand(made.root))]
    (first, after) = next(iter(made.expand(opened[-1].node)))  # type: ignore[union-attr]
    following = next(iter(made.expand(after.node)))[-1]  # type: ignore[union-attr]
    (second, _) = next(iter(made.expand(following.node)))  # type: ignore[union-attr]
    assert first == second
    assert isinstance(first, Call)


def test_scalars_are_one_lexeme_inside_their_parent() -> None:
    """A value that is always scalar costs no node."""
    made: Network = compile_schema({"type": ["string", "null", "integer"]})
    assert [[type(symbol) for symbol in production] for production in made.expand(made.root)] == [[Lex]]


def test_realising_a_key_forbids_it() -> None:
    """After a capture the text is a key that may not come again."""
    made = compile_schema({"type": "object", "maxProperties": 2})
    opened = next(p for p in made.expand(made.root) if isinstance(p[-1], Call))
    (capture,) = next(iter(made.expand(opened[-1].node)))  # type: ignore[union-attr]
    assert isinstance(capture, Capture)
    assert made.realize(capture.node, "k") != capture.node
    assert made.realize(capture.node, "k") == made.realize(made.realize(capture.node, "k"), "k")


def test_only_live_bytes_are_offered() -> None:
    """After a full array only its end may follow."""
    made = network({"type": "array", "items": {"const": 1}, "maxItems": 1}, whitespace="compact")
    assert next_bytes(made, b"[1") == {ord("]")}


def test_policies_are_reported() -> None:
    """Every policy has a name and a value."""
    made = compile_schema(True, digits=None, whitespace="compact")
    assert made.policies["digits"] is None
    assert made.policies["whitespace"] == "compact"
    assert set(made.policies) == {"property_order", "whitespace", "escapes", "digits", "numbers", "objects", "formats"}
