"""The field response_format, and thinking before an answer."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import LimitError, PolicyError, SchemaError, UnsatisfiableError
from maskwright.tags.response import response_format
from maskwright.tags.thoughts import thinking
from tests.conformance.verdicts import BYTES
from tests.oracle.masks import SINGLES, along_recogniser, by_reading, in_mask, make_vocabulary

NUMBER = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}


def schema(**fields: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "a_name", "schema": NUMBER, **fields}}


@pytest.mark.parametrize(
    ("given", "good", "bad"),
    [
        (None, ["", "anything < at {all"], []),
        ({"type": "text"}, ["", "hello"], []),
        ({"type": "json_object"}, ["{}", '{"a": [1]}'], ["", "[]", "1", "{"]),
        ({"type": "json_object", "schema": NUMBER}, ['{"x": 1}'], ["{}"]),
        (schema(), ['{"x": 1}'], ["{}", '{"x": 1, "y": 2}']),
        (schema(strict=True, description="words"), ['{"x":1}'], ["{}"]),
        (schema(strict=False), ['{"x":1}'], ["{}"]),
        (schema(strict=None, schema=True), ["1", "[]"], [""]),
        ({"type": "json_schema", "name": "p", "schema": NUMBER}, ['{"x": 1}'], ["{}"]),
        ({"type": "json_schema", "name": "p", "schema": NUMBER, "strict": True, "description": "d"}, ['{"x":1}'], []),
        ({"type": "regex", "pattern": "a+"}, ["a", "aa"], ["", "b"]),
        ({"type": "grammar", "grammar": 'root ::= "a" root "b" | "c"'}, ["c", "aacbb"], ["", "acbb"]),
        (
            {"type": "structural_tag", "format": {"type": "const_string", "value": "yes"}},
            ["yes"],
            ["no"],
        ),
        ('{"type": "json_object"}', ["{}"], ["1"]),
    ],
)
def test_what_objects_ask_for(given: Any, good: list[str], bad: list[str]) -> None:
    """Each type, also after pickling."""
    for made in (response_format(given), pickle.loads(pickle.dumps(response_format(given)))):
        guide = mw.compile(made, BYTES)
        assert [text for text in good if not guide.matches(text)] == []
        assert [text for text in bad if guide.matches(text)] == []


@pytest.mark.parametrize(
    ("given", "place", "said"),
    [
        (3, "response_format", "an object"),
        ({}, "response_format.type", "no type"),
        ({"type": "xml"}, "response_format.type", "unknown type 'xml'"),
        ({"type": "text", "x": 1}, "response_format.x", "unknown field"),
        ({"type": "json_schema"}, "response_format.json_schema", "no json_schema"),
        ({"type": "json_schema", "json_schema": 3}, "response_format.json_schema", "an object"),
        ({"type": "json_schema", "json_schema": {"schema": {}}}, "response_format.json_schema.name", "no name"),
        ({"type": "json_schema", "json_schema": {"name": "a"}}, "response_format.json_schema.schema", "no schema"),
        (schema(name="a b"), "response_format.json_schema.name", "a name that is none"),
        (schema(name="a" * 65), "response_format.json_schema.name", "a name that is none"),
        (schema(strict="yes"), "response_format.json_schema.strict", "boolean"),
        (schema(extra=1), "response_format.json_schema.extra", "unknown field"),
        (
            schema(schema={"properties": {"a": {"type": "x"}}}),
            "response_format.json_schema.schema#/properties/a/type",
            "",
        ),
        ({"type": "structural_tag"}, "response_format#/format", "has a format"),
        ({"type": "structural_tag", "format": {"type": "x"}}, "response_format#/format/type", "unknown type"),
    ],
)
def test_faults_are_told_with_their_path(given: Any, place: str, said: str) -> None:
    """A path into the field, and a JSON pointer behind it into what it holds."""
    with pytest.raises(SchemaError) as caught:
        response_format(given)
    assert caught.value.problems[0].place == place
    assert said in caught.value.problems[0].reason


def test_what_nothing_meets_is_refused() -> None:
    """With the kind of error that the schema alone would raise."""
    with pytest.raises(UnsatisfiableError):
        response_format(schema(schema=False))


CASES = [
    ("hm</think>1", True),
    ("</think>1", True),
    ("hm</think>\n\n1", True),
    ("a < b </thi</think>1", True),
    ("hm</think>\n\n\n1", False),
    ("hm</think>x", False),
    ("a</think></think>1", False),
    ("1", False),
    ("hm", False),
]


@pytest.mark.parametrize(("text", "accepted"), CASES)
def test_thinking_comes_first(text: str, accepted: bool) -> None:
    """Any text up to the first mark, at most two newlines, then the constraint."""
    inner = mw.json_schema({"type": "integer"})
    for made in (thinking(inner), response_format(schema(schema={"type": "integer"}), thinking=True)):
        assert mw.compile(made, BYTES).matches(text) == accepted
    begun = mw.compile(pickle.loads(pickle.dumps(thinking(inner, begin="<think>"))), BYTES)
    assert begun.matches(f"<think>{text}") == accepted
    assert not begun.matches(text)


def test_thinking_stands_before_every_constraint() -> None:
    """Patterns, choices and itself."""
    end = "</t>"
    for inner, good in (
        (mw.regex("a+"), "aa"),
        (mw.choice(["yes"]), "yes"),
        (thinking(mw.choice(["yes"])), "</think>yes"),
    ):
        guide = mw.compile(thinking(inner, end=end), BYTES)
        assert guide.matches(f"so{end}{good}")
        assert not guide.matches(good)


def test_masks_around_the_mark() -> None:
    """Tokens that end in it, begin in it and span it, as brute force has them."""
    tokens = [b"</", b"think>", b"</think>", b">1", b"m</think>2", b"k>\n\n", b"</think>\n", b"<<"]
    vocabulary = make_vocabulary([*SINGLES, *tokens])
    made = thinking(mw.json_schema({"type": "integer"}))
    guide = mw.compile(made, vocabulary)
    for read, expected in along_recogniser(made.network, b"m<</think>\n-1", vocabulary):
        matcher = guide.matcher()
        for byte in read:
            matcher.advance(byte + 1)
        assert in_mask(matcher) == expected == by_reading(matcher), read


def test_the_mark_may_be_a_control_token() -> None:
    """Then only the token ends the thinking; the text of its name does not come about."""
    vocabulary = mw.Vocabulary.from_tokens([b"", *SINGLES, b"nk>", b""], end_ids=[0], special_names={"</think>": 258})
    matcher = mw.compile(thinking(mw.choice(["7"])), vocabulary).matcher()
    for byte in b"a</thi":
        matcher.advance(byte + 1)
    assert not matcher.allows(257)
    matcher.advance(258)
    assert in_mask(matcher) == {ord("7") + 1, ord("\n") + 1}


@pytest.mark.parametrize("given", ["", 3, ("a", "b", "c"), (1,)])
def test_marks_that_are_none(given: Any) -> None:
    """Are policies without a meaning."""
    with pytest.raises(PolicyError):
        response_format({"type": "text"}, thinking=given)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"name": "p"}, "response_format.schema"),
        ({"schema": NUMBER}, "response_format.name"),
        ({"name": "p q", "schema": NUMBER}, "response_format.name"),
        ({"name": "p", "schema": NUMBER, "strict": 1}, "response_format.strict"),
        ({"name": "p", "schema": NUMBER, "more": 1}, "response_format.more"),
        ({"name": "p", "schema": {"type": "nothing"}}, "response_format.schema#/type"),
        ({}, "response_format.json_schema"),
        ({"name": "p", "json_schema": {}}, "response_format.name"),
    ],
)
def test_schemas_beside_the_type_have_their_places(given: dict[str, Any], place: str) -> None:
    """The form of the Responses interface is read as strictly as the other one."""
    with pytest.raises(SchemaError) as caught:
        response_format({"type": "json_schema", **given})
    assert caught.value.problems[0].place == place


def test_sections_of_thinking_have_a_cap() -> None:
    """Sixteen stand within each other, are pickled and exported; one more is refused, however it is reached."""
    made = mw.regex("a")
    for number in range(16):
        made = thinking(made, end=f"<{number}>")
    text = "".join(f"t<{number}>" for number in range(15, -1, -1)) + "a"
    assert mw.compile(pickle.loads(pickle.dumps(made)), BYTES).matches(text)
    assert mw.to_gbnf(made)
    with pytest.raises(LimitError, match="too deeply"):
        thinking(made)
