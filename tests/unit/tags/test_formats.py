"""The table of formats: every entry can be compiled, read again and told from text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import PolicyError, SchemaError, UnsatisfiableError, UnsupportedError
from maskwright.tags.formats import FORMATS, Reading, ToolFormat, split_markers
from maskwright.tags.tools import tools
from tests.conformance.verdicts import BYTES
from tests.unit.tags.turns import RENDERERS, Wish, rendered

CITY = {
    "name": "get",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}},
}


@pytest.mark.parametrize("name", FORMATS)
def test_markers_are_parts_of_the_format(name: str) -> None:
    """Every marker stands in a literal, and literals fall into markers and what is between them."""
    form = FORMATS[name]
    literals = [value for value in vars(form).values() if isinstance(value, str)]
    for marker in form.markers:
        assert form.body == "harmony" or any(marker in literal for literal in literals)
    for literal in literals:
        parts = split_markers(literal, form.markers)
        assert "".join(part for part, _ in parts) == literal
        assert all(is_marker == (part in form.markers) for part, is_marker in parts)


@pytest.mark.parametrize(("name", "renderer"), RENDERERS)
def test_what_the_renderer_writes_is_accepted(name: str, renderer: Any) -> None:
    """One call, two calls and text, as a writer that knows nothing of the table writes them."""
    name = "glm_4.5" if name == "glm" else name
    guide = mw.compile(tools([CITY], format=name), BYTES)
    one, other = Wish("get", {"city": "Rome <b>"}), Wish("get", {"city": "", "n": -3})
    for text in (rendered(renderer, "", [one]), rendered(renderer, "", [one, other]), rendered(renderer, "Hello", [])):
        assert guide.matches(text), text
    for bad in ([Wish("get", {"city": "a", "n": "x"})], [Wish("got", {"city": "a"})], [Wish("get", {"m": 1})]):
        broken = rendered(renderer, "", bad)
        is_open = bad[0].arguments == {"m": 1} and FORMATS[name].body != "parameters"
        assert guide.matches(broken) == is_open, broken


@pytest.mark.parametrize(
    ("values", "accepted"),
    [
        ({"a": "ab"}, True),
        ({"a": "b"}, False),
        ({}, False),
        ({"a": "a", "n": "3"}, True),
        ({"a": "a", "n": "x"}, False),
        ({"a": "a", "u": "3"}, True),
        ({"a": "a", "u": "x"}, True),
        ({"a": "a", "u": '"x"'}, False),
        ({"a": "a", "o": '{"b": [1]}'}, True),
        ({"a": "a", "o": "b"}, False),
        ({"a": 'a\n<b> & "\n\n'}, True),
        ({"a": "a</parameter>"}, False),
        ({"n": "3", "a": "a"}, False),
        ({"a": "a", "z": "1"}, False),
    ],
)
def test_parameters_are_elements(values: dict[str, str], accepted: bool) -> None:
    """Strings are raw, all else is JSON; references find the schema of the arguments; the order is declared."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/s"},
            "n": {"type": "integer"},
            "u": {"anyOf": [{"type": "integer"}, {"enum": ["x", "y"]}]},
            "o": {"type": "object"},
        },
        "required": ["a"],
        "$defs": {"s": {"type": "string", "pattern": "^a"}},
    }
    guide = mw.compile(tools([{"name": "f", "parameters": schema}], format="qwen3_coder", choice="required"), BYTES)
    inner = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in values.items())
    assert guide.matches(f"<tool_call>\n<function=f>\n{inner}</function>\n</tool_call>") == accepted


@pytest.mark.parametrize(
    ("schema", "kind", "place"),
    [
        ({"type": "object", "minProperties": 1}, UnsupportedError, "#/0/parameters/minProperties"),
        (
            {"properties": {"a": {"const": "x</parameter>"}}, "required": ["a"]},
            UnsatisfiableError,
            "#/0/parameters/properties",
        ),
        ({"properties": {"a": {"type": "x"}}}, SchemaError, "#/0/parameters/properties/a/type"),
    ],
)
def test_schemas_that_elements_cannot_have(schema: Any, kind: type[mw.ConstraintError], place: str) -> None:
    """Are refused, with the tool and the pointer."""
    with pytest.raises(kind) as caught:
        tools([{"name": "f", "parameters": schema}], format="qwen3_coder")
    assert caught.value.problems[0].place == place
    assert "tool 0 (f)" in caught.value.problems[0].reason


def test_a_format_of_ones_own() -> None:
    """The table is data: another entry is another format."""
    own = replace(FORMATS["functionary_v3.1"], name="own", call_begin="[[", name_end="(", call_end=")]]")
    made = tools([CITY], format=own)
    assert made.reading == Reading(own, ("get",), None)
    guide = mw.compile(made, BYTES)
    assert guide.matches('so [[get({"city": "Rome"})]] and [[get({})]]')
    assert not guide.matches("so [[got({})]]")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"format": "nothing"}, "format is one of"),
        ({"format": 3}, "format is one of"),
        ({"parallel": "no"}, "parallel is"),
        ({"strict": "no"}, "strict is"),
        ({"choice": "got"}, "not in the list: got; the tools are get"),
        ({"choice": 3}, "choice is"),
        ({"choice": {"type": "function"}}, "choice is"),
        ({"choice": {"type": "allowed_tools", "mode": "none", "tools": []}}, "allowed_tools has a mode"),
        ({"choice": {"type": "allowed_tools", "mode": "required", "tools": []}}, "demands a call"),
        ({"thinking": 3}, "thinking is"),
        ({"whitespace": "wide"}, "whitespace must be"),
        ({"wrong": 1}, "wrong"),
    ],
)
def test_arguments_without_a_meaning(arguments: dict[str, Any], said: str) -> None:
    """Are told as such."""
    with pytest.raises((PolicyError, TypeError), match=re.escape(said)):
        tools([CITY], **arguments)


def test_every_odd_tool_is_told_at_once() -> None:
    """By index, name and JSON pointer."""
    with pytest.raises(SchemaError) as caught:
        tools(
            [
                CITY,
                {"name": "a b"},
                CITY,
                {"function": {"name": "q", "parameters": {"type": "array"}}},
                3,
                {"name": "w", "x": 1},
            ]
        )
    assert [problem.place for problem in caught.value.problems] == [
        "#/1/name",
        "#/2",
        "#/3/function/parameters/type",
        "#/4",
        "#/5",
    ]
    with pytest.raises(SchemaError) as caught:
        tools([CITY, {"name": "a", "parameters": {"properties": 1}}, {"name": "b", "parameters": {"required": 3}}])
    assert [problem.place for problem in caught.value.problems] == [
        "#/1/parameters/properties",
        "#/2/parameters/required",
    ]
    assert all(name in str(caught.value) for name in ("tool 1 (a)", "tool 2 (b)"))


@pytest.mark.parametrize(
    ("tool", "place", "said"),
    [
        ({"type": "custom", "custom": {"name": "a"}}, "#/0/type", "only functions"),
        ({"type": "function"}, "#/0/name", "no name"),
        ({"type": "function", "function": "a"}, "#/0", "no object"),
        ({"function": {"name": "a"}, "strict": True}, "#/0", "unknown fields: strict"),
        ({"name": "a" * 65}, "#/0/name", "a name that is none"),
        ({"name": "a\n"}, "#/0/name", "a name that is none"),
        ({"name": "a", "strict": "yes"}, "#/0/strict", "no boolean"),
        ({"name": "a", "parameters": []}, "#/0/parameters", "no JSON Schema"),
        ({"name": "a", "parameters": {"type": 3}}, "#/0/parameters/type", "arguments are an object"),
    ],
)
def test_what_is_no_tool(tool: Any, place: str, said: str) -> None:
    """Is told with the place in the list."""
    with pytest.raises(SchemaError) as caught:
        tools([tool])
    assert caught.value.problems[0].place == place
    assert said in caught.value.problems[0].reason


@pytest.mark.parametrize("name", ["functionary_v3.2", "functionary_v2"])
def test_names_that_begin_text(name: str) -> None:
    """Cannot be those of tools."""
    with pytest.raises(PolicyError, match="cannot be called 'all'"):
        tools([{"name": "all"}], format=name)


def test_defaults_are_those_of_a_bare_format() -> None:
    """A format needs no more than what it is called, what calls are and where text stands."""
    bare = ToolFormat("bare", body="object", text="instead")
    assert mw.compile(tools([CITY], format=bare, choice="required"), BYTES).matches('{"name": "get", "arguments": {}}')
