"""Bounds: hard questions end in a typed error soon, and what was compiled is freed without a collector."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from maskwright.errors import LimitError
from maskwright.limits import Limits
from maskwright.network.nodes import Call, Capture, Switch
from maskwright.schema.budget import Budget
from maskwright.schema.compile import compile_schema
from tests.unit.schema.schemas import network


def test_a_budget_is_for_one_question() -> None:
    """Units add up within a question and not beyond it."""
    budget = Budget(Limits(satisfiability_steps=100))
    for _ in range(3):
        budget.begin()
        budget.spend(400)
    with pytest.raises(LimitError, match="satisfiability_steps"):
        budget.spend(400)


def test_a_budget_looks_at_the_clock() -> None:
    """Time runs out before the units do."""
    budget = Budget(Limits(compile_seconds=0.0))
    budget.spend(5_000)
    with pytest.raises(LimitError, match="compile_seconds"):
        budget.spend(5_000)


def clauses(count: int, names: int) -> dict[str, Any]:
    """Clauses of three literals over booleans, as ``allOf`` of ``anyOf``."""

    def literal(clause: int, place: int) -> dict[str, Any]:
        return {"properties": {f"x{(7 * clause + 11 * place) % names}": {"const": bool((clause + place) % 2)}}}

    variables = {f"x{name}": {"type": "boolean"} for name in range(names)}
    together = [{"anyOf": [literal(clause, place) for place in range(3)]} for clause in range(count)]
    return {"type": "object", "properties": variables, "required": list(variables), "allOf": together}


def test_satisfiability_is_bounded() -> None:
    """A hard instance is given up, by the work that was done and not by the values that were met."""
    with pytest.raises(LimitError, match="satisfiability_steps"):
        compile_schema(clauses(100, 30), limits=Limits(satisfiability_steps=2_000))


def test_what_contradicts_itself_is_not_refined() -> None:
    """Choices are given up at the first contradiction: two thousand million combinations, and a value."""
    assert compile_schema(clauses(20, 30)) is not None


SCHEMAS: list[tuple[str, Any]] = [
    ("plain", {"type": "object", "properties": {"a": {"type": "string"}, "b": {"minimum": 1}}, "required": ["a"]}),
    ("recursive", {"properties": {"n": {"$ref": "#"}, "l": {"items": {"$ref": "#"}, "minItems": 1}}}),
    ("choices", {"anyOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(3)]}),
    ("together", {"allOf": [{"properties": {"a": {}}}, {"patternProperties": {"^a": {"minLength": 1}}}]}),
    (
        "counted",
        {"type": "object", "minProperties": 2, "patternProperties": {"^a{1,3}$": {}}, "additionalProperties": False},
    ),
    ("named", {"$id": "http://x/y", "$defs": {"a": {"$anchor": "here", "type": "null"}}, "items": {"$ref": "#here"}}),
    ("constants", {"enum": [{"a": [1, {"b": None}]}, ["x"], 1.5]}),
]


def explore(schema: Any, order: str) -> None:
    """Compile and expand some nodes, realising every key that nobody names."""
    made = network(schema, property_order=order)
    waiting, seen = [made.root], set()
    while waiting and len(seen) < 60:
        node = waiting.pop(0)
        if node in seen:
            continue
        seen.add(node)
        for production in made.expand(node):
            for symbol in production:
                match symbol:
                    case Call(below):
                        waiting.append(below)
                    case Capture(_, below):
                        waiting.append(made.realize(below, "aa"))
                    case Switch(_, targets, live):
                        waiting.extend(target for place, target in enumerate(targets) if live >> place & 1)


@pytest.mark.parametrize("order", ["any", "declared"])
@pytest.mark.parametrize("schema", [s[1] for s in SCHEMAS], ids=[s[0] for s in SCHEMAS])
def test_networks_are_freed_without_a_collector(schema: Any, order: str) -> None:
    """Nothing of a network waits for the cycle collector, whose pauses would fall into the middle of an output."""
    explore(schema, order)
    gc.collect()
    gc.disable()
    try:
        explore(schema, order)
        assert gc.collect() == 0
    finally:
        gc.enable()
