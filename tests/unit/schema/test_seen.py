"""Keys that were written: sets that share most of what they hold."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from maskwright.network.lexeme import ANYTHING, Term
from maskwright.network.nodes import Call, Capture
from maskwright.schema.compile import compile_schema
from maskwright.schema.members import Cell
from maskwright.schema.seen import NOTHING, Keys, Seen, keys_of, with_key, without
from tests.oracle.terms import matches

CELLS = [Cell(ANYTHING, frozenset(), place) for place in range(3)]
texts = st.text(st.sampled_from("ab"), max_size=3)


def written(keys: list[tuple[int, str]]) -> Seen:
    seen = NOTHING
    for place, text in keys:
        seen = with_key(seen, CELLS[place], text)
    return seen


def listed(keys: Keys) -> set[str]:
    return set(keys.few).union(*(chunk.args[0] for chunk in keys.chunks))  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(0, 2), texts), max_size=60, unique=True))
def test_cells_hold_their_keys(keys: list[tuple[int, str]]) -> None:
    """Each cell has the keys that were written into it, whatever the order of the cells."""
    seen = written(keys)
    for place, cell in enumerate(CELLS):
        assert listed(keys_of(seen, cell)) == {text for at, text in keys if at == place}
    by_cell = sorted(keys, key=lambda pair: pair[0])
    assert written(by_cell) == seen
    assert hash(written(by_cell)) == hash(seen)


@given(st.lists(texts, max_size=40, unique=True), st.lists(texts, max_size=3), texts)
def test_without(keys: list[str], names: list[str], text: str) -> None:
    """The other keys are all that is neither a name nor written."""
    seen = written([(0, key) for key in keys])
    term: Term = without(ANYTHING, tuple(names), keys_of(seen, CELLS[0]))
    assert matches(term, text) == (text not in keys and text not in names)


def test_long_outputs_share_their_sets() -> None:
    """Of n keys, log n sets are told apart, each at least twice as large as the next, and few keys are in none."""
    seen = NOTHING
    for number in range(1000):
        seen = with_key(seen, CELLS[0], str(number))
    few, chunks = keys_of(seen, CELLS[0])
    sizes = [len(chunk.args[0]) for chunk in chunks]  # type: ignore[arg-type]
    assert sum(sizes) + len(few) == 1000
    assert all(large >= 2 * small for large, small in pairwise(sizes))
    assert len(few) < 16


def test_a_key_leaves_the_other_cells_alone() -> None:
    """A key that one pattern matches does not change the lexeme of the keys that no pattern matches."""
    made = compile_schema({"type": "object", "patternProperties": {"^a": {}}})
    opened = next(p for p in made.expand(made.root) if isinstance(p[-1], Call))[-1]

    def captures(node: object) -> list[Capture]:
        return [production[0] for production in made.expand(node) if isinstance(production[0], Capture)]  # type: ignore[arg-type]

    before = captures(opened.node)  # type: ignore[union-attr]
    member = made.realize(before[0].node, "ab")
    after = captures(next(iter(made.expand(next(iter(made.expand(member)))[-1].node)))[-1].node)  # type: ignore[union-attr]
    assert before[0].term is not after[0].term
    assert before[1].term is after[1].term
