"""What a caller hands in stays his: constraints hold on to none of it, and no value breaks the message about it."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import maskwright as mw
from maskwright.constraint import frozen
from maskwright.tags.partial import ValueParser
from tests.conformance.verdicts import BYTES

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": OrderedDict({"x": {"type": "integer", "minimum": 1}}),
    "required": ["x"],
    "additionalProperties": False,
}
CALL = '{"name": "f", "arguments": {"x": %s}}'
#: What makes a constraint of a schema, and how a text of it is written around the value of x.
MAKERS: list[tuple[str, Callable[[Any], mw.Constraint], str]] = [
    ("json_schema", mw.json_schema, '{"x": %s}'),
    ("bare tool", lambda s: mw.tools([{"name": "f", "parameters": s}], format="json", choice="required"), CALL),
    (
        "tool",
        lambda s: mw.tools(
            [{"type": "function", "function": {"name": "f", "parameters": s}}], format="json", choice="required"
        ),
        CALL,
    ),
    ("grammar_root", lambda s: mw.grammar_root("func", tools=[{"name": "f", "parameters": s}]), CALL),
    ("structural_tag", lambda s: mw.structural_tag({"type": "json_schema", "json_schema": s}), '{"x": %s}'),
    (
        "response_format",
        lambda s: mw.response_format({"type": "json_schema", "json_schema": {"name": "p", "schema": s}}),
        '{"x": %s}',
    ),
]


def accepts(constraint: mw.Constraint, text: str) -> bool:
    return mw.compile(constraint, BYTES).matches(text)


@pytest.mark.parametrize("kind", [dict, OrderedDict])
@pytest.mark.parametrize(("name", "make", "text"), MAKERS)
def test_changing_a_schema_changes_no_constraint(
    name: str, make: Callable[[Any], mw.Constraint], text: str, kind: type
) -> None:
    """A constraint, what it pickles to, and a later one of the changed schema each have their own language."""
    del name
    schema = copy.deepcopy(SCHEMA)
    schema["properties"] = kind(schema["properties"])
    made = make(schema)
    schema["properties"]["x"]["type"] = "string"
    del schema["properties"]["x"]["minimum"]
    for constraint in (made, pickle.loads(pickle.dumps(made))):
        assert accepts(constraint, text % "1")
        assert not accepts(constraint, text % '"1"')
    changed = make(schema)
    assert accepts(changed, text % '"1"')
    assert not accepts(changed, text % "1")


def test_changing_a_choice_changes_no_constraint() -> None:
    """The choice is read once."""
    choice = {"type": "function", "function": {"name": "f"}}
    made = mw.tools([{"name": "f"}, {"name": "g"}], choice=choice, format="json")
    choice["function"] = {"name": "g"}
    again = pickle.loads(pickle.dumps(made))
    assert accepts(again, '{"name": "f", "arguments": {}}')
    assert not accepts(again, '{"name": "g", "arguments": {}}')


def test_equal_policies_are_told_apart() -> None:
    """True is no number of digits, also where 1 was asked for before."""
    mw.tools([{"name": "f"}], digits=1)
    with pytest.raises(mw.MaskwrightError):
        mw.tools([{"name": "f"}], digits=True)


def test_frozen_copies_every_container() -> None:
    """A copy is equal and shares nothing that can be changed; depth costs no stack, and cycles end."""
    given = OrderedDict({"a": [Decimal("1.5"), OrderedDict({"b": (1, [2])})], "c": int})
    copied = frozen(given)
    assert copied == {"a": [Decimal("1.5"), {"b": [1, [2]]}], "c": int}
    given["a"][1]["b"][1].append(3)
    assert copied["a"][1]["b"] == [1, [2]]
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    copied = frozen(deep)
    for _ in range(100_000):
        (copied,) = copied
    assert copied == []
    ring: list[Any] = [Decimal(1)]
    ring.append(ring)
    assert frozen(ring)[1][1][0] == 1


def test_json_text_is_what_it_is() -> None:
    """Text cannot be changed, and is read as before."""
    assert accepts(mw.response_format(json.dumps({"type": "json_object"})), "{}")


class Rude:
    """A value whose repr raises, and which nothing can hash."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no")


def keyed(value: Any) -> Any:
    return value if isinstance(value, int) else 10**5_000


def nested() -> list[Any]:
    deep: list[Any] = []
    for _ in range(3_000):
        deep = [deep]
    return deep


TOOL: list[Any] = [{"name": "f"}]
#: What hands a foreign value in, in every place where there may be one.
PLACES: dict[str, Callable[[Any], object]] = {
    "tools": lambda x: mw.tools([x]),
    "tools of a tool": lambda x: mw.tools([{"name": x}]),
    "tools of a type": lambda x: mw.tools([{"type": x, "name": "f"}]),
    "tools of a field": lambda x: mw.tools([{"name": "f", "strict": x}]),
    "tools of parameters": lambda x: mw.tools([{"name": "f", "parameters": x}]),
    "tools of a type of parameters": lambda x: mw.tools([{"name": "f", "parameters": {"type": x}}]),
    "choice": lambda x: mw.tools(TOOL, choice=x),
    "choice of a kind": lambda x: mw.tools(TOOL, choice={"type": x}),
    "choice of a tool": lambda x: mw.tools(TOOL, choice={"type": "allowed_tools", "tools": [x]}),
    "parallel": lambda x: mw.tools(TOOL, parallel=x),
    "strict": lambda x: mw.tools(TOOL, strict=x),
    "format": lambda x: mw.tools(TOOL, format=x),
    "thinking": lambda x: mw.tools(TOOL, thinking=x),
    "whitespace": lambda x: mw.tools(TOOL, whitespace=x),
    "escapes": lambda x: mw.tools(TOOL, escapes=x),
    "thinking()": mw.thinking,
    "thinking(end=)": lambda x: mw.thinking(mw.regex("a"), end=x),
    "response_format": mw.response_format,
    "response_format of a type": lambda x: mw.response_format({"type": x}),
    "response_format of a name": lambda x: mw.response_format(
        {"type": "json_schema", "json_schema": {"name": x, "schema": True}}
    ),
    "response_format of a schema": lambda x: mw.response_format({"type": "json_schema", "json_schema": x}),
    "response_format thinking": lambda x: mw.response_format({"type": "text"}, thinking=x),
    "structural_tag": mw.structural_tag,
    "structural_tag of a type": lambda x: mw.structural_tag({"type": x}),
    "structural_tag of a value": lambda x: mw.structural_tag({"type": "const_string", "value": x}),
    "structural_tag of an end": lambda x: mw.structural_tag(
        {"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": {"type": "token", "token": x}}
    ),
    "regex(match=)": lambda x: mw.regex("a", match=x),
    "regex(dialect=)": lambda x: mw.regex("a", dialect=x),
    "json_schema": lambda x: mw.json_schema({"type": x}),
    "json_schema of a dialect": lambda x: mw.json_schema({"$schema": x}),
    "json_schema of a length": lambda x: mw.json_schema({"minLength": x if isinstance(x, Rude | list) else -x}),
    "json_schema of a key": lambda x: mw.json_schema({"type": {keyed(x): 1}}),
    "json_schema of a constant": lambda x: mw.json_schema({"const": {keyed(x): 1}}),
    "json_schema of a number": lambda x: mw.json_schema({"const": x if isinstance(x, Rude) else Rude()}),
    "json_schema(registry=)": lambda x: mw.json_schema({}, registry=x),
    "json_schema(digits=)": lambda x: mw.json_schema({}, digits=x),
    "json_schema(limits=)": lambda x: mw.json_schema({}, limits=x),
    "grammar_root": mw.grammar_root,
    "grammar_root(whitespace=)": lambda x: mw.grammar_root("func", tools=TOOL, whitespace=x),
    "grammar_root(profile=)": lambda x: mw.grammar_root("root", profile=x),
    "Limits": lambda x: mw.Limits(schema_depth=x),
    "parser_of(numbers=)": lambda x: mw.parser_of(mw.regex("a"), numbers=x),
    "ValueParser": lambda x: ValueParser(numbers=x),
}
VALUES: list[tuple[str, Callable[[], Any]]] = [
    ("huge", lambda: -(10**5_000)),
    ("rude", Rude),
    ("deep", nested),
]


@pytest.mark.parametrize(("name", "value"), VALUES)
@pytest.mark.parametrize("place", PLACES)
def test_foreign_values_get_typed_errors(place: str, name: str, value: Callable[[], Any]) -> None:
    """Whatever stands in the place of an argument, the error is one of the package, and short."""
    del name
    with pytest.raises(mw.MaskwrightError) as caught:
        PLACES[place](value())
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("make", [mw.structural_tag, mw.response_format])
def test_foreign_keys_get_typed_errors(make: Callable[[Any], object]) -> None:
    """A field that is no string is an unknown field."""
    kind = {"type": "text"} if make is mw.response_format else {"type": "any_text"}
    with pytest.raises(mw.MaskwrightError, match="unknown field"):
        make({**kind, 10**5_000: 1})


@pytest.mark.parametrize("form", ["hermes", "glm"])
def test_huge_numbers_are_numbers(form: str) -> None:
    """A constant of 5,000 digits is JSON, and is refused only where it cannot be written."""
    schema = {"properties": {"x": {"type": "integer", "maximum": 10**5_000}}}
    assert mw.compile(mw.tools([{"name": "f", "parameters": schema}], format=form, choice="f"), BYTES).complete("")
