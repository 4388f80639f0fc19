"""Residual formulas: the laws of a lattice, and derivatives that agree with the meaning."""

from __future__ import annotations

from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from maskwright.schema.references import Document
from maskwright.schema.residual import FALSE, TRUE, Alternative, Atom, Formula, Formulas
from maskwright.schema.value import Values

values = Values(lambda _: None, Document(True).root)
formulas = Formulas(values, lambda _: None)


class Needs(Atom):
    """Some letters must still come; the simplest atom there is."""

    known: dict[frozenset[str], Needs] = {}  # noqa: RUF012
    __slots__ = ("letters",)

    def __init__(self, letters: frozenset[str]) -> None:
        self.letters = letters

    @classmethod
    def of(cls, letters: frozenset[str]) -> Formula:
        return cls.known.setdefault(letters, cls(letters)) if letters else TRUE

    @property
    def ends(self) -> bool:
        return not self.letters

    def derive(self, symbol: Hashable) -> Alternative | None:
        return values.anything, Needs.of(self.letters - {symbol})  # type: ignore[arg-type]

    def meet(self, other: Atom) -> Formula:
        assert isinstance(other, Needs)
        return Needs.of(self.letters | other.letters)


letters = st.sampled_from("abcd")
trees: st.SearchStrategy[Formula] = st.recursive(
    st.just(TRUE) | st.just(FALSE) | st.frozensets(letters, min_size=1, max_size=2).map(Needs.of),
    lambda below: (
        st.builds(formulas.conjoin, st.lists(below, max_size=3))
        | st.builds(formulas.disjoin, st.lists(below, max_size=3))
        | st.builds(formulas.negate, below)
    ),
    max_leaves=10,
)


def holds(formula: Formula, word: str) -> bool:
    """Whether a word completes a formula, by all its alternatives."""
    states = {formula}
    for letter in word:
        states = {rest for state in states for _, rest in formulas.alternatives(state, letter)}
    return any(map(formulas.ends, states))


@given(trees, trees, st.text(letters, max_size=5))
def test_conjunction_and_disjunction_mean_what_they_say(left: Formula, right: Formula, word: str) -> None:
    """Reading a word commutes with both connectives."""
    assert holds(formulas.conjoin((left, right)), word) == (holds(left, word) and holds(right, word))
    assert holds(formulas.disjoin((left, right)), word) == (holds(left, word) or holds(right, word))


@given(trees, st.text(letters, max_size=5))
def test_negation_means_what_it_says(formula: Formula, word: str) -> None:
    """A word completes the negation iff it does not complete the formula; twice negated it is the same formula."""
    assert holds(formulas.negate(formula), word) != holds(formula, word)
    assert holds(formulas.negate(formulas.negate(formula)), word) == holds(formula, word)
    assert formulas.conjoin((formula, formulas.negate(formula))) is FALSE or not isinstance(formula, Atom)


@given(trees, trees, trees)
def test_lattice(a: Formula, b: Formula, c: Formula) -> None:
    """Equal by construction: idempotence, units, order of parts, nesting, absorption of a part."""
    both, either = formulas.conjoin, formulas.disjoin
    assert both((a, a)) is a
    assert either((a, a)) is a
    assert both((a, TRUE)) is a
    assert either((a, FALSE)) is a
    assert both((a, FALSE)) is FALSE
    assert either((a, TRUE)) is TRUE
    assert either((either((a, b)), c)) is either((a, either((b, c))))
    assert either((a, b)) is either((b, a))


@given(trees, st.text(letters, max_size=4))
def test_disjuncts_cover_the_formula(formula: Formula, word: str) -> None:
    """A word completes a formula iff it completes one of its disjuncts."""
    assert holds(formula, word) == any(holds(part, word) for part in formulas.disjuncts(formula))


def test_nesting_is_no_recursion() -> None:
    """Formulas as deep as a hostile schema are evaluated with a stack of their own."""
    formula: Formula = Needs.of(frozenset("a"))
    for i in range(20_000):
        connective = formulas.conjoin if i % 2 else formulas.disjoin
        formula = connective((formula, Needs.of(frozenset(f"{i}")) if i % 2 else Needs.of(frozenset(f"x{i}"))))
    assert not formulas.ends(formula)
    assert formulas.alternatives(formula, "a")
    assert next(formulas.disjuncts(formula)) is not None
