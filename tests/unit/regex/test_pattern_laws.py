"""Laws of compiled patterns."""

from __future__ import annotations

import re
import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.errors import ConstraintError
from maskwright.network.lexeme import Term, characters, literal, repeat, unite
from maskwright.regex.compile import full_term, search_term
from maskwright.regex.languages import Language, chain, either, repeated
from tests.oracle.terms import matches

TEXTS = st.text("abc", max_size=8)
COUNTS = st.tuples(st.integers(0, 3), st.integers(0, 3) | st.none()).filter(
    lambda count: count[1] is None or count[0] <= count[1]
)
BASES = st.sampled_from(
    [literal("a"), literal("ab"), characters([(97, 98)]), literal(""), unite(literal("a"), repeat(literal("b")))]
)
CORPUS = [
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
    r"^\d{4}-\d{2}-\d{2}(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$",
    r"^(([a-zA-Z0-9_.%+-]+)@[a-z0-9.-]+\.[a-z]{2,4})$",
    r"^#([A-Fa-f0-9]{6}|[A-Fa-f0-9]{3})$",
    r"^(\$|@)?[^\s/]+(/[^\s/]+)*$",
    r"[A-Z]{3}|^x-",
    r"^v?\d+\.\d+(\.\d+)?(-[\w.]+)?$",
    r"^$|(^(?:\S+\s+){0,19}\S+$)",
]


def language(term: Term) -> Language:
    """A term with the fact that the oracle says about it."""
    return Language(term, nullable=matches(term, ""))


@settings(deadline=None, max_examples=60)
@given(BASES, COUNTS, COUNTS, TEXTS)
def test_repetitions_of_repetitions(
    base: Term, inner: tuple[int, int | None], outer: tuple[int, int | None], text: str
) -> None:
    """Joining counts never changes the language, and nullable is what the oracle says."""
    once = repeat(base, *inner)
    plain, joined = repeat(once, *outer), repeated(repeated(language(base), *inner), *outer)
    assert matches(plain, text) == matches(joined.term, text)
    assert matches(plain, "") == joined.nullable


TERMS = st.recursive(
    BASES,
    lambda inner: (
        st.builds(lambda a, b: either(language(a), language(b)).term, inner, inner)
        | st.builds(lambda a, b: chain(language(a), language(b)).term, inner, inner)
        | st.builds(repeat, inner)
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(TERMS, min_size=1, max_size=3), TEXTS)
def test_combinators(terms: list[Term], text: str) -> None:
    """A union holds what any part holds; a chain holds a text iff it splits; both know whether they are nullable."""
    union, row = either(*map(language, terms)), chain(*map(language, terms))
    assert matches(union.term, text) == any(matches(term, text) for term in terms)
    assert union.nullable == matches(union.term, "")
    splits = {0}
    for term in terms:
        splits = {end for start in splits for end in range(start, len(text) + 1) if matches(term, text[start:end])}
    assert matches(row.term, text) == (len(text) in splits)
    assert row.nullable == matches(row.term, "")


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(CORPUS).flatmap(
        lambda pattern: st.tuples(st.just(pattern), st.from_regex(pattern) | st.text(max_size=9))
    )
)
def test_real_patterns_accept_what_re_finds(case: tuple[str, str]) -> None:
    """On patterns of real schemas, positives drawn from the pattern and arbitrary texts are judged as by `re`."""
    pattern, text = case
    expected = re.search(pattern, text) is not None
    assert matches(search_term(pattern, dialect="python"), text) == expected


@settings(deadline=None, max_examples=60)
@given(
    st.text("ab[](){}*+?|^$\\.-,:=!<>1dwx ", max_size=12),
    st.sampled_from(["ecma", "ecma-unicode", "ecma-legacy", "python", "rust"]),
)
def test_any_text_is_a_term_or_a_typed_error(pattern: str, dialect: str) -> None:
    """Nothing but errors of the tree comes out, whatever goes in."""
    try:
        term = search_term(pattern, dialect=dialect)
    except ConstraintError as error:
        assert error.problems[0].place  # noqa: PT017 - either outcome is fine
    else:
        assert isinstance(term, Term)


@settings(deadline=None, max_examples=60)
@given(st.text("ab[](){}*+?|^$\\.-,:=!<>1dw ", max_size=10), st.text("ab1- \n", max_size=5))
def test_python_dialect_agrees_with_re(pattern: str, text: str) -> None:
    """What `re` accepts and we read means the same; what `re` refuses is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = re.compile(pattern)
    except re.error:
        theirs = None
    try:
        term = search_term(pattern, dialect="python")
    except ConstraintError:
        return
    assert theirs is not None
    assert matches(term, text) == (theirs.search(text) is not None)


def test_equal_patterns_are_cached() -> None:
    """The same pattern gives the same term object."""
    assert search_term("^a[bc]+$") is search_term("^a[bc]+$")
    assert full_term("a[bc]+") is search_term("^a[bc]+$")
