"""Dynamic references: what they mean depends on the resources entered on the way (2020-12 and 2019-09)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.errors import LimitError, SchemaError
from maskwright.limits import Limits
from maskwright.schema.compile import compile_schema
from maskwright.schema.policies import Policies
from maskwright.schema.references import Document
from maskwright.schema.scan import scan
from tests.unit.schema.schemas import verdicts

DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
KEYS = ("a", "b", "c")
NAMES = ("m", "n")

#: A resource: the anchors that it defines, and for each key that its objects may have a reference: ``(target, name)``,
#: where ``None`` instead of a name makes it a plain ``$ref``.
Plan = tuple[frozenset[str], dict[str, tuple[int, str | None]]]
plans: st.SearchStrategy[list[Plan]] = st.lists(
    st.tuples(
        st.frozensets(st.sampled_from(NAMES)),
        st.dictionaries(st.sampled_from(KEYS), st.tuples(st.integers(0, 3), st.sampled_from([None, *NAMES]))),
    ),
    min_size=4,
    max_size=4,
)
documents: st.SearchStrategy[Any] = st.recursive(
    st.just({}), lambda below: st.dictionaries(st.sampled_from(KEYS), below, max_size=2), max_leaves=5
)


def accepts(plan: list[Plan], here: int, value: dict[str, Any], way: tuple[int, ...]) -> bool:
    """The specification, word for word: the outermost resource of the way that defines the anchor."""
    way = (*way, here)
    for key, below in value.items():
        if key not in plan[here][1]:
            return False
        target, name = plan[here][1][key]
        if name is not None and name in plan[target][0]:
            target = next((one for one in way if name in plan[one][0]), target)
        if not accepts(plan, target, below, way):
            return False
    return True


def written(plan: list[Plan]) -> dict[str, Any]:
    """The resources of a plan as one document; each has an anchor for each name, a plain one if it is not dynamic."""
    resources: list[dict[str, Any]] = []
    for index, (anchors, references) in enumerate(plan):
        properties = {
            key: {"$ref": f"{target}"} if name is None else {"$dynamicRef": f"{target}#{name}"}
            for key, (target, name) in references.items()
        }
        named = {name: {"$dynamicAnchor" if name in anchors else "$anchor": name, "$ref": "#"} for name in NAMES}
        resource = {"$id": f"http://x/{index}", "type": "object", "properties": properties, "$defs": named}
        resources.append({**resource, "additionalProperties": False})
    root = resources[0]
    root["$defs"] |= {str(index): resource for index, resource in enumerate(resources) if index}
    return root


@settings(max_examples=150, deadline=None)
@given(plans, st.lists(documents, min_size=1, max_size=6))
def test_the_outermost_anchor_counts(plan: list[Plan], values: list[Any]) -> None:
    """Verdicts are those of a reading that keeps the whole way and searches it at each reference."""
    expected = [accepts(plan, 0, value, ()) for value in values]
    assert verdicts(written(plan), [json.dumps(value) for value in values], property_order="any") == expected


recursive_plans: st.SearchStrategy[list[Plan]] = st.lists(
    st.tuples(
        st.sampled_from([frozenset(), frozenset({"#"})]),
        st.dictionaries(st.sampled_from(KEYS), st.tuples(st.integers(0, 3), st.sampled_from([None, "#"]))),
    ),
    min_size=4,
    max_size=4,
)


@settings(max_examples=100, deadline=None)
@given(recursive_plans, st.lists(documents, min_size=1, max_size=6))
def test_the_outermost_recursive_anchor_counts(plan: list[Plan], values: list[Any]) -> None:
    """The same of 2019-09, where a reference begins at its own resource and one anchor has no name."""
    plan = [
        (anchors, {key: (index if name else target, name) for key, (target, name) in references.items()})
        for index, (anchors, references) in enumerate(plan)
    ]
    resources: list[dict[str, Any]] = [
        {
            "$id": f"http://x/{index}",
            "$recursiveAnchor": bool(anchors),
            "type": "object",
            "properties": {
                key: {"$recursiveRef": "#"} if name else {"$ref": f"{target}"}
                for key, (target, name) in references.items()
            },
            "additionalProperties": False,
        }
        for index, (anchors, references) in enumerate(plan)
    ]
    schema = {"$schema": DRAFT_2019, **resources[0], "$defs": {str(i): r for i, r in enumerate(resources) if i}}
    expected = [accepts(plan, 0, value, ()) for value in values]
    assert verdicts(schema, [json.dumps(value) for value in values], property_order="any") == expected


def test_without_dynamic_references_nothing_is_tracked() -> None:
    """Anchors alone, and dynamic references out of reach, cost nothing."""
    schema = {"$dynamicAnchor": "m", "$ref": "#/$defs/a", "$defs": {"a": {}, "b": {"$dynamicRef": "#m"}}}
    document = Document(schema)
    scan(document, Policies(), Limits())
    assert not document.is_scoped
    document = Document({"items": {"$dynamicRef": "#m"}, **schema})
    scan(document, Policies(), Limits())
    assert document.is_scoped


@pytest.mark.parametrize(
    ("schema", "places"),
    [
        ({"$dynamicAnchor": "m", "$dynamicRef": "#m"}, ["# -> #"]),
        ({"$schema": DRAFT_2019, "anyOf": [{"$recursiveRef": "#"}, {}]}, ["# -> #/anyOf/0 -> #"]),
        (
            {
                "$id": "http://x/",
                "$dynamicAnchor": "m",
                "$ref": "inner",
                "$defs": {
                    "inner": {"$id": "inner", "allOf": [{"$dynamicRef": "#m"}], "$defs": {"x": {"$dynamicAnchor": "m"}}}
                },
            },
            ["# -> #/$defs/inner -> #/$defs/inner/allOf/0 -> #"],
        ),
    ],
)
def test_dynamic_cycles_in_place(schema: dict[str, Any], places: list[str]) -> None:
    """A way that comes back to the same schema, in the same scope, at the same value is refused and shown."""
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema)
    assert all(shown in str(caught.value) for shown in places)


def test_what_looks_like_a_cycle_and_is_none() -> None:
    """The inner anchor alone would refer to itself; the outer one that takes its place does not."""
    inner = {"$id": "inner", "$dynamicAnchor": "m", "type": "array", "prefixItems": [{"$dynamicRef": "#m"}]}
    outer = {"$defs": {"leaf": {"$dynamicAnchor": "m", "type": "null"}, "inner": inner | {"minItems": 1}}}
    assert verdicts({"$ref": "inner", **outer}, ["[null]", "[[null]]", "[]"]) == [True, False, False]
    in_place = {"$id": "x", "$defs": {"m": {"$dynamicAnchor": "m", "allOf": [{"$dynamicRef": "#m"}]}}, "$ref": "#m"}
    leaf = {"$dynamicAnchor": "m", "type": "null"}
    assert verdicts({"$ref": "x", "$defs": {"leaf": leaf, "x": in_place}}, ["null", "1"]) == [True, False]


def ways(count: int, names: int) -> dict[str, Any]:
    """Resources that all refer to each other, each with an anchor."""
    resources = {
        str(index): {
            "$id": f"http://x/{index}",
            "$dynamicAnchor": f"m{index % names}",
            "properties": {str(other): {"$ref": f"http://x/{other}"} for other in range(count)},
        }
        for index in range(count)
    }
    return {"$ref": "http://x/0", "items": {"$dynamicRef": "http://x/1#m1"}, "$defs": resources}


def test_scopes_have_a_limit() -> None:
    """Ways are told apart only where that can matter, and not beyond reason."""
    compile_schema(ways(20, names=20))
    compile_schema(ways(8, names=2))
    with pytest.raises(LimitError, match="ways"):
        compile_schema(ways(12, names=6))
