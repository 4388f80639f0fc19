"""Spans in the text that was typed: what a pointer or a line and column names, in UTF-16 units."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import ConstraintError, PolicyError, Problem
from maskwright.server.places import described, problems_of, value_span

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def _pointers(value: object, so_far: str = "#") -> list[tuple[str, object]]:
    """Every pointer into a value and what it names, by the definition of RFC 6901."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    steps = [(str(key).replace("%", "%25").replace("~", "~0").replace("/", "~1"), inner) for key, inner in below]
    return [(so_far, value), *(found for step, inner in steps for found in _pointers(inner, f"{so_far}/{step}"))]


@given(VALUES, st.sampled_from([None, 2]))
def test_a_pointer_names_the_text_of_its_value(value: object, indent: int | None) -> None:
    """What stands in the span is the JSON text of the value."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    for pointer, named in _pointers(value):
        span = value_span(text, pointer)
        assert span is not None
        assert json.loads(text[span[0] : span[1]]) == named


@pytest.mark.parametrize(
    ("text", "pointer", "named"),
    [
        ('{"a": {"b": [1, {"c": "x"}]}}', "#/a/b/1/c", '"x"'),
        ('{"a/b": 1, "c~d": 2}', "#/a~1b", "1"),
        ('{"a/b": 1, "c~d": 2}', "#/c~0d", "2"),
        ('{"a b": 1}', "#/a%20b", "1"),
        ('{"\\u0061": [2]}', "#/a/0", "2"),
        ('{"a": 1, "a": 2}', "#/a", "1"),
        ('{"a": 1}', "#/b", None),
        ('{"a": ', "#/a", None),
        ("", "#/a", None),
        ("]}{", "#/a", None),
        ('{"a": [1, 2', "#/a/1", "2"),
        ("[" * 5000, "#/0/0/1", None),
    ],
)
def test_pointers_into_any_text(text: str, pointer: str, named: str | None) -> None:
    """Of broken text a pointer names what is whole of it, or nothing; no text makes trouble."""
    span = value_span(text, pointer)
    assert (None if span is None else text[span[0] : span[1]]) == named


def test_offsets_count_utf16() -> None:
    """A character beyond the first plane counts twice, as in a browser."""
    text = '{"\U0001f600": "é", "b": 1}'
    span = described(Problem("x", place="#/b"), text)["span"]
    units = text.encode("utf-16-le")
    assert units[2 * span[0] : 2 * span[1]].decode("utf-16-le") == "1"


@pytest.mark.parametrize(
    ("place", "span"),
    [
        ("1:1", [0, 1]),
        ("2:2", [4, 5]),
        ("2:9", [5, 5]),
        ("3:1", None),
        ("0:1", None),
        ("", None),
        ("7", None),
        ("#", None),
    ],
)
def test_lines_and_columns(place: str, span: list[int] | None) -> None:
    """Line and column count from 1; a column beyond a line is its end."""
    assert described(Problem("x", place=place), "ab\ncd")["span"] == span


def test_excerpts_are_apart_from_reasons() -> None:
    """The lines with carets that a reason carries are told as an excerpt."""
    told = described(Problem("not closed\n    (a\n    ^", "1:1", "pattern", "close it"), "(a")
    assert told == {
        "reason": "not closed",
        "excerpt": "    (a\n    ^",
        "place": "1:1",
        "keyword": "pattern",
        "remedy": "close it",
        "span": [0, 1],
    }


def test_all_problems_are_told() -> None:
    """Every problem of an error, and the message of an error that has none."""
    told = problems_of(ConstraintError(Problem("one"), Problem("two")), "")
    assert [problem["reason"] for problem in told] == ["one", "two"]
    assert [problem["reason"] for problem in problems_of(PolicyError("no"), "")] == ["no"]
