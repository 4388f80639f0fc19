"""Bad input of ``check`` and ``rewrite``: typed errors, no depth and no cycle that stops the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from maskwright.dialects import DIALECTS, check, rewrite
from maskwright.errors import ConstraintError, LimitError, MaskwrightError, SchemaError
from maskwright.limits import Limits

both = pytest.mark.parametrize("call", [check, rewrite])
Call = Callable[..., Any]


@both
@pytest.mark.parametrize(
    "source",
    [
        "", "{", "[]", "null", "3", b"\xff", '{"type": "objec"}', '{"minLength": -1}', '{"properties": []}',
        '{"properties": {"a": 3}}', '{"$ref": "#/nowhere"}', '{"$ref": 3}', '{"required": "a"}', '{"enum": 3}',
        '{"$schema": "http://example.com/none"}', '{"$defs": 3}', '{"$defs": {"a": 3}}', '{"anyOf": []}', "NaN",
        '{"minimum": NaN}', None, 3, [], {1: 2}, {"a": object()}, {"enum": [{1, 2}]}, {"minimum": float("nan")},
        {"properties": {"a": ()}}, {"items": {"type": "string", "pattern": 3}},
    ],
)  # fmt: skip
def test_what_is_no_schema_is_refused(call: Call, source: Any) -> None:
    """A typed error, whatever is wrong."""
    with pytest.raises(ConstraintError):
        call(source, "openai")


@both
def test_all_malformed_keywords_are_told(call: Call) -> None:
    """One error has a problem for each, with its place."""
    with pytest.raises(SchemaError) as caught:
        call({"properties": {"a": {"minLength": -1}, "b": {"type": "x"}}}, "openai")
    assert [problem.place for problem in caught.value.problems] == ["#/properties/a/minLength", "#/properties/b/type"]


@both
@pytest.mark.parametrize("name", DIALECTS)
def test_a_value_that_contains_itself_is_refused(call: Call, name: str) -> None:
    """Python values can be cyclic."""
    loop: dict[str, Any] = {"type": "array"}
    loop["items"] = loop
    with pytest.raises(SchemaError, match="contains itself"):
        call(loop, name)


@both
@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("schema", [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}, {"anyOf": [{"$ref": "#"}, True]}])
def test_a_schema_that_applies_to_itself_ends(call: Call, name: str, schema: Any) -> None:
    """No reference is followed for ever."""
    assert call(schema, name) is not None


def _nested(keyword: str, levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {keyword: [schema] if keyword.endswith("Of") else schema}
    return schema


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("keyword", ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties"])
def test_deep_schemas_are_an_answer(name: str, keyword: str) -> None:
    """Nesting up to the limit is no recursion of the interpreter; beyond it there is a typed error."""
    schema = _nested(keyword, 300)
    check(schema, name)
    made = rewrite(schema, name)
    if not made.unmendable:
        assert check(made.schema, name) == ()
    with pytest.raises(LimitError):
        check(_nested(keyword, 2_001), name)
    with pytest.raises(LimitError):
        check('{"items":' * 100_000 + "{}" + "}" * 100_000, name)


def test_values_of_any_depth_are_unwrapped() -> None:
    """A deep value does not end the interpreter."""
    made = rewrite({"type": "object", "properties": {"a": {"$ref": "#"}}}, "openai")
    value: Any = {"a": None}
    for _ in range(3_000):
        value = {"a": value}
    found, depth = made.unwrap(value), 0
    while "a" in found:
        found, depth = found["a"], depth + 1
    assert (found, depth) == ({}, 3_000)


def test_alternatives_are_not_multiplied_without_end() -> None:
    """Twenty choices of two are not a million branches; what is given up is said."""
    choice = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    made = rewrite({"type": "object", "properties": {"a": {"allOf": [choice] * 20}}}, "openai")
    assert made.is_wider
    assert len(made.schema["properties"]["a"]["anyOf"]) <= 65


@both
def test_shared_values_are_counted(call: Call) -> None:
    """A small Python value can be an endless tree; a limit stops it."""
    schema: Any = {"type": "string"}
    for _ in range(60):
        schema = {"anyOf": [schema, schema]}
    with pytest.raises(LimitError):
        call(schema, "openai", limits=Limits(subschemas=10_000))


def test_a_document_that_is_not_at_hand_is_reported() -> None:
    """Nothing is fetched: the reference is a finding, and cannot be mended without the document."""
    schema = {"type": "object", "properties": {"a": {"$ref": "http://example.com/other"}}}
    assert "#/properties/a/$ref" in [finding.place for finding in check(schema, "openai")]
    assert [finding.place for finding in rewrite(schema, "openai").unmendable] == ["#/properties/a/$ref"]


def test_errors_are_of_one_family() -> None:
    """One ``except`` catches them all."""
    with pytest.raises(MaskwrightError):
        check("{", "openai")
