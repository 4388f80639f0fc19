"""Laws of compiled schemas: what they accept is what a validator accepts, and nothing they offer is a dead end."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import jsonschema
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from maskwright.errors import LimitError, SchemaError, UnsatisfiableError
from maskwright.network.lexeme import NEVER
from maskwright.network.nodes import Call, Capture, Lex, Production, Switch
from maskwright.schema.compile import SchemaNetwork
from tests.oracle.recogniser import accepts, inhabited, text
from tests.unit.schema.schemas import instances, network, schemas

ORDERS = st.sampled_from(["any", "declared"])


def compiled(schema: dict[str, Any], **policies: Any) -> SchemaNetwork | None:
    """The network; ``None`` if no value meets the schema. Schemas that apply to themselves in place are skipped."""
    try:
        return network(schema, **policies)
    except UnsatisfiableError:
        return None
    except (SchemaError, LimitError):
        assume(False)
        raise


@settings(max_examples=150, deadline=None)
@given(schemas, st.lists(instances, min_size=1, max_size=8))
def test_any_order_accepts_exactly_what_a_validator_accepts(schema: dict[str, Any], values: list[Any]) -> None:
    """A text is accepted iff its value is valid; a schema without values has no valid instance."""
    made = compiled(schema, property_order="any", numbers="exact")
    validator = jsonschema.Draft202012Validator(schema)
    for value in values:
        valid = validator.is_valid(value)
        assert (made is not None and accepts(made, json.dumps(value).encode())) == valid, value


def orders(value: dict[str, Any]) -> list[str]:
    return [json.dumps(dict(pairs)) for pairs in permutations(value.items())]


@settings(max_examples=100, deadline=None)
@given(schemas, st.dictionaries(st.sampled_from("abcd"), st.sampled_from([None, 1, "a"]), max_size=3))
def test_declared_order_accepts_one_order_of_every_valid_object(schema: dict[str, Any], value: dict[str, Any]) -> None:
    """In declared order a valid object can be written in some order of its keys, an invalid one in none."""
    made = compiled(schema, property_order="declared", numbers="exact")
    valid = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (made is not None and any(accepts(made, order.encode()) for order in orders(value))) == valid


def callees(production: Production) -> list[Any]:
    found: list[Any] = []
    for symbol in production:
        match symbol:
            case Call(node) | Capture(_, node):
                found.append(node)
            case Switch(_, targets, live):
                found.extend(target for place, target in enumerate(targets) if live >> place & 1)
    return found


@settings(max_examples=150, deadline=None)
@given(schemas, ORDERS)
@example({"properties": {"b": True}, "dependentSchemas": {"a": False}, "$defs": {"x": {}, "y": {}}}, "any")
def test_every_production_can_reach_its_end(schema: dict[str, Any], order: str) -> None:
    """No node is empty, no lexeme is, and from every target of every production an end is reached."""
    made = compiled(schema, property_order=order)
    assume(made is not None)
    assert made is not None
    nodes: dict[Any, list[Production]] = {}
    waiting = [made.root]
    while waiting and len(nodes) < 400:
        node = waiting.pop(0)
        if node not in nodes:
            nodes[node] = list(made.expand(node))
            assert nodes[node], made.describe(node)
            waiting.extend(target for production in nodes[node] for target in callees(production))
    live: set[Any] = set(waiting) - set(nodes)
    before = -1
    while before != len(live):
        before = len(live)
        live |= {n for n, options in nodes.items() if any(set(callees(p)) <= live for p in options)}
    for options in nodes.values():
        for production in options:
            assert set(callees(production)) <= live
            assert all(not isinstance(s, Lex) or s.term is not NEVER for s in production)
            assert all(inhabited(text(s.term.args[0])) for s in production if isinstance(s, Capture))


@settings(max_examples=60, deadline=None)
@given(schemas, ORDERS)
def test_a_schema_compiles_alike_from_text_and_from_values(schema: dict[str, Any], order: str) -> None:
    """Whether a schema comes as text or as values makes no difference to what is offered first."""
    made = compiled(schema, property_order=order)
    again = compiled(json.dumps(schema), property_order=order)  # type: ignore[arg-type]
    assert (made is None) == (again is None)
    if made is not None and again is not None:
        shapes = [[len(p) for p in n.expand(n.root)] for n in (made, again)]
        assert shapes[0] == shapes[1]
