"""Liveness as a least fixpoint: against a naive iteration over small recursive systems."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.errors import UnsatisfiableError
from maskwright.network.nodes import Switch
from maskwright.schema.compile import compile_schema

COUNT = 5
references = st.integers(0, COUNT - 1)
#: One equation: an ``or`` of ``and`` of other unknowns.
equations = st.lists(st.lists(references, max_size=3), min_size=1, max_size=3)
systems = st.lists(equations, min_size=COUNT, max_size=COUNT)


def schema_of(system: list[list[list[int]]]) -> dict[str, Any]:
    """Unknown ``i`` has a value iff some branch needs only unknowns that have one; no branch is empty."""

    def needs(names: list[int]) -> dict[str, Any]:
        members = {f"m{name}": {"$ref": f"#/$defs/{name}"} for name in names}
        return {"type": "object", "properties": members, "required": sorted(members)}

    definitions = {str(i): {"anyOf": [needs(branch) for branch in branches]} for i, branches in enumerate(system)}
    return {"$ref": "#/$defs/0", "$defs": definitions}


def solved(system: list[list[list[int]]]) -> list[bool]:
    """The least solution by iteration from below."""
    live = [False] * COUNT
    for _ in range(COUNT + 1):
        live = [any(all(live[name] for name in branch) for branch in branches) for branches in system]
    return live


@settings(max_examples=200, deadline=None)
@given(systems)
def test_least_fixpoint(system: list[list[list[int]]]) -> None:
    """A schema compiles iff iteration from below says that its root has a value."""
    schema = schema_of(system)
    if solved(system)[0]:
        compile_schema(schema)
    else:
        with pytest.raises(UnsatisfiableError):
            compile_schema(schema)


@settings(max_examples=100, deadline=None)
@given(systems)
def test_every_unknown_is_decided_alike_from_every_root(system: list[list[list[int]]]) -> None:
    """What was assumed on the way to one answer never taints another: optional members are offered iff they live."""
    live = solved(system)
    schema = schema_of(system)
    members = {str(i): {"$ref": f"#/$defs/{i}"} for i in range(COUNT)}
    rooted = {"type": "object", "properties": members, "additionalProperties": False, "$defs": schema["$defs"]}
    made = compile_schema(rooted)
    opened = [production[-1].node for production in made.expand(made.root) if len(production) > 1]  # type: ignore[union-attr]
    offered: set[str] = set()
    for node in opened:
        for production in made.expand(node):
            switch = production[0]
            assert isinstance(switch, Switch)
            words = switch.term.args[0].args[0]  # type: ignore[attr-defined]
            offered.update(word for place, word in enumerate(words) if switch.live >> place & 1)
    assert offered == {str(i) for i in range(COUNT) if live[i]}
