"""Constraints: frozen, picklable, and refused with a typed error where they have no meaning."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import MaskwrightError, PolicyError, UnsatisfiableError
from tests.oracle.masks import SINGLES, in_mask, make_vocabulary

BYTES = make_vocabulary(SINGLES)


def test_schemas_are_copied() -> None:
    """What happens to the caller's schema afterwards does not reach the constraint."""
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"properties": {"b": {"type": "integer"}}}}}
    constraint = mw.json_schema(schema)
    schema["properties"]["a"]["properties"]["b"]["type"] = "string"
    guide = mw.compile(constraint, BYTES)
    assert guide.matches('{"a":{"b":1}}')
    assert not guide.matches('{"a":{"b":"1"}}')


@pytest.mark.parametrize(
    "constraint",
    [
        mw.json_schema({"type": "string", "maxLength": 2}, escapes="minimal"),
        mw.json_schema('{"type": "integer"}', property_order="any"),
        mw.json_schema(True),
        mw.regex("a+b?"),
        mw.choice(["yes", "no"]),
    ],
)
def test_pickles_are_the_same_constraint(constraint: mw.Constraint) -> None:
    """A pickled constraint has the same policies and the same first mask."""
    other = pickle.loads(pickle.dumps(constraint))
    assert (other.kind, other.policies) == (constraint.kind, constraint.policies)
    one, two = (in_mask(mw.compile(each, BYTES).matcher()) for each in (constraint, other))
    assert one == two


def test_choices_are_exact() -> None:
    """A choice is its strings, surrogates left out since UTF-8 cannot carry them."""
    guide = mw.compile(mw.choice(["", "é", "a\n", "\ud800"]), BYTES)
    assert [guide.matches(text) for text in ("", "é", "a\n", "a", "\ud800", "e")] == [True] * 3 + [False] * 3
    with pytest.raises(UnsatisfiableError):
        mw.choice(["\ud800"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: mw.choice("abc"),
        lambda: mw.choice(None),  # type: ignore[arg-type]
        lambda: mw.choice([]),
        lambda: mw.choice([1]),  # type: ignore[list-item]
        lambda: mw.regex(None),  # type: ignore[arg-type]
        lambda: mw.regex("("),
        lambda: mw.regex("[^\\s\\S]"),
        lambda: mw.regex("a", dialect="no such"),
        lambda: mw.json_schema(None),  # type: ignore[arg-type]
        lambda: mw.json_schema({}, limits=5),  # type: ignore[arg-type]
        lambda: mw.json_schema({}, whitespace="no such"),
        lambda: mw.json_schema({}, digits=-1),
        lambda: mw.json_schema({5: {}}),  # type: ignore[dict-item]
        lambda: mw.json_schema({"properties": {5: {}}}),
        lambda: mw.json_schema({"minLength": 10**30, "type": "string"}),
        lambda: mw.json_schema({"minLength": 2**31, "type": "string"}),
        lambda: mw.json_schema({"enum": {"a"}}),
        lambda: mw.json_schema({"const": object()}),
        lambda: mw.json_schema({"minimum": float("nan")}),
    ],
)
def test_nonsense_is_refused(make: Any) -> None:
    """Whatever is passed, the error is one of the tree."""
    with pytest.raises(MaskwrightError):
        make()


@pytest.mark.parametrize("most", [10**6, 2**30 - 1, 2**30, 2**31, 2**63, 10**30])
def test_huge_bounds_are_kept_or_have_no_effect(most: int) -> None:
    """No text is as long as these bounds."""
    guide = mw.compile(mw.json_schema({"type": "string", "maxLength": most}), BYTES)
    assert guide.matches('"' + "a" * 100 + '"')


@pytest.mark.parametrize(
    "make",
    [
        partial(mw.json_schema, {}),
        partial(mw.regex, "a"),
        partial(mw.choice, ["a"]),
        partial(mw.lark, 'start: "a"'),
        partial(mw.gbnf, 'root ::= "a"'),
        partial(mw.ebnf, 'root ::= "a"'),
        partial(mw.grammar_root, "value"),
        partial(mw.tools, []),
        partial(mw.structural_tag, {"type": "any_text"}),
        partial(mw.response_format, {"type": "text"}),
    ],
    ids=lambda make: make.func.__name__,
)
def test_limits_that_are_none(make: Callable[..., mw.Constraint]) -> None:
    """Every constructor refuses what is no ``Limits``."""
    with pytest.raises(PolicyError, match="must be a Limits"):
        make(limits=5)
