"""The spellings of numbers: equal to brute force over texts, and no state from which nothing can be finished."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.network.lexeme import NEVER, Term
from maskwright.schema import number_machine
from maskwright.schema.decimals import SpelledMachine
from maskwright.schema.number import Numbers, number_term
from maskwright.schema.number_cells import Span
from maskwright.schema.number_machine import PlainMachine
from tests.oracle.terms import matches

SHARED = Path(__file__).parents[4] / "shared"
SYNTAX = re.compile(r"-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)

bounds = st.none() | st.builds(Fraction, st.integers(-120, 120), st.sampled_from([1, 2, 10, 100]))
steps = st.lists(st.builds(Fraction, st.integers(1, 30), st.sampled_from([1, 2, 4, 10, 100])), max_size=2).map(tuple)
numbers = st.builds(
    Numbers,
    integer=st.booleans(),
    lower=bounds,
    lower_open=st.booleans(),
    upper=bounds,
    upper_open=st.booleans(),
    multiples=steps,
)
#: Numbers that the bounds above can tell apart.
texts = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    st.integers(0, 250) | st.sampled_from(["00", "01", ""]),
    st.sampled_from(["", ".0", ".00", ".5", ".25", ".05", ".000", "."]) | st.integers(0, 999).map(".{}".format),
    st.sampled_from(["", "", "e0", "E1", "e+01", "e-1", "e-02", "e3", "e", "e+", "E99999"]),
)
digit_limits = st.sampled_from([1, 2, 3, 40, None])


def spelled(text: str, numbers: Numbers, digits: int | None, *, exact: bool) -> bool:
    """Read the policies of design section 7 literally: is this text one of the spellings?"""
    read = SYNTAX.fullmatch(text)
    if read is None or not numbers.contains(Fraction(text)):
        return False
    whole, part, exponent = read.groups()
    if digits is not None and (
        len(whole) > digits or len(part or "") > digits or len((exponent or "").lstrip("+-")) > 4
    ):
        return False
    if exact or (numbers.is_unbounded and not numbers.integer):
        return True
    return exponent is None and not (numbers.integer and part is not None)


@settings(max_examples=150, deadline=None)
@given(numbers, digit_limits, st.booleans(), st.lists(texts, min_size=20, max_size=20))
def test_terms_spell_their_members(numbers: Numbers, digits: int | None, exact: bool, samples: list[str]) -> None:
    """A text is accepted if and only if it is a JSON number in the policy's spelling and its value is a member."""
    if exact and digits is None:
        samples = [s for s in samples if not s.endswith("99999")]
    term = number_term(numbers, digits=digits, exact=exact)
    for text in samples:
        assert matches(term, text) == spelled(text, numbers, digits, exact=exact), text


SHORT = ["".join(t) for size in range(1, 5) for t in product("-015.e", repeat=size)]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    "numbers",
    [
        Numbers(),
        Numbers(integer=True),
        Numbers(lower=Fraction(0)),
        Numbers(lower=Fraction(0), lower_open=True),
        Numbers(lower=Fraction(1), upper=Fraction(5)),
        Numbers(integer=True, lower=Fraction(-5)),
        Numbers(integer=True, lower=Fraction(3)),
        Numbers(multiples=(Fraction(1, 2),), upper=Fraction(10)),
        Numbers(lower=Fraction(5, 100), upper=Fraction(10), upper_open=True),
        Numbers(integer=True, multiples=(Fraction(5),), lower=Fraction(-50), upper=Fraction(50)),
    ],
    ids=repr,
)
def test_all_short_texts(numbers: Numbers, exact: bool) -> None:
    """Every text of up to four characters out of a small alphabet gets the right verdict."""
    term = number_term(numbers, digits=3, exact=exact)
    wrong = [t for t in SHORT if matches(term, t) != spelled(t, numbers, 3, exact=exact)]
    assert wrong == []


@settings(max_examples=100, deadline=None)
@given(numbers, st.sampled_from([1, 2, 3, None]), st.lists(texts, min_size=20, max_size=20))
def test_unrolled_and_lazy_terms_agree(numbers: Numbers, digits: int | None, samples: list[str]) -> None:
    """Short bounds as ordinary terms and the machine behind them are one language."""
    for span in _spans(numbers):
        machine = PlainMachine(span, numbers.step, digits, integer=numbers.integer)
        term = number_machine.plain_term(span, numbers.step, digits, integer=numbers.integer)
        for text in samples:
            assert matches(term, text) == _runs(machine, text), text


def _spans(numbers: Numbers) -> list[Span]:
    """The part above zero and the mirrored part below."""
    found = []
    for sign in (1, -1):
        low, high = (numbers.lower, numbers.upper) if sign == 1 else (numbers.upper, numbers.lower)
        opens = (numbers.lower_open, numbers.upper_open)[::sign]
        low, high = (None if low is None else sign * low, None if high is None else sign * high)
        if numbers.is_empty or (high is not None and (high < 0 or (high == 0 and opens[1]))):
            continue
        below_zero = low is None or low < 0
        found.append(Span(Fraction(0) if below_zero else low, opens[0] and not below_zero, high, opens[1]))
    return found


def _runs(machine: Any, text: str) -> bool:
    state = machine.start
    for character in text:
        if state is None:
            return False
        moves = machine.moves(state)
        state = next((then for first, last, then in moves if first <= ord(character) <= last), None)
    return state is not None and machine.accepts(state)


@settings(max_examples=200, deadline=None)
@given(numbers, st.sampled_from([1, 2, 3]))
def test_plain_machines_have_no_dead_ends(numbers: Numbers, digits: int) -> None:
    """From every state that can be reached a member can be finished."""
    for span in _spans(numbers):
        assert _dead_ends(PlainMachine(span, numbers.step, digits, integer=numbers.integer)) == []


@settings(max_examples=15, deadline=None)
@given(numbers)
def test_spelled_machines_have_no_dead_ends(numbers: Numbers) -> None:
    """The same with exponents (one digit before and after the point keeps the states countable)."""
    for span in _spans(numbers):
        assert _dead_ends(SpelledMachine(span, numbers.step, 1)) == []


def _dead_ends(machine: Any) -> list[Any]:
    """States from which no accepting state is reached, by walking all of them; also checks the order of moves."""
    if machine.start is None:
        return []
    order, before = [machine.start], {machine.start: set()}
    for state in order:
        last = -1
        for first, end, then in machine.moves(state):
            assert last < first <= end
            last = end
            if then not in before:
                before[then] = set()
                order.append(then)
            before[then].add(state)
    alive = {state for state in order if machine.accepts(state)}
    stack = list(alive)
    while stack:
        for state in before[stack.pop()] - alive:
            alive.add(state)
            stack.append(state)
    return [state for state in order if state not in alive]


LARGE = [
    (Numbers(integer=True, lower=Fraction(-(2**63)), upper=Fraction(2**63 - 1)), 2**63 - 1, 2**63),
    (Numbers(integer=True, upper=Fraction(18446744073709551615)), 18446744073709551615, 18446744073709551616),
    (Numbers(upper=Fraction(18 * 10**307)), 18 * 10**307, 18 * 10**307 + 1),
    (Numbers(integer=True, multiples=(Fraction(1000003),)), 1000003 * 987654321, 1000003 * 987654321 + 1),
]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("numbers", "inside", "outside"), LARGE, ids=["int64", "uint64", "double", "prime"])
def test_large_numbers_are_exact(numbers: Numbers, inside: int, outside: int, exact: bool) -> None:
    """Nothing is rounded at 2**53 or 2**63."""
    term = number_term(numbers, digits=400, exact=exact)
    assert matches(term, str(inside))
    assert not matches(term, str(outside))


@given(
    st.integers(-(10**30), 10**30),
    st.integers(0, 10**25),
    st.integers(1, 10**9),
    st.integers(-(10**31), 10**31),
    st.booleans(),
)
@settings(deadline=None)
def test_large_integers(low: int, width: int, step: int, value: int, exact: bool) -> None:
    """Intervals and multiples of thirty digits agree with integer arithmetic."""
    numbers = Numbers(
        integer=True, lower=Fraction(low), upper=Fraction(low + width), multiples=(Fraction(step, 10**3),)
    )
    term = number_term(numbers, exact=exact)
    for candidate in (value, low, low + width, low + value % (width + 1), low + width // step * step):
        inside = low <= candidate <= low + width and candidate * 1000 % step == 0
        assert matches(term, str(candidate)) == inside


def test_a_tiny_step_has_a_tiny_machine() -> None:
    """``multipleOf: 1e-9`` is nine decimals, then zeros."""
    term = number_term(Numbers(multiples=(Fraction(1, 10**9),)))
    assert matches(term, "3.123456789")
    assert matches(term, "-3.123456789000")
    assert not matches(term, "3.1234567891")


@pytest.mark.parametrize("digits", [1, 5, 40, 64])
def test_digits_bound_every_part(digits: int) -> None:
    """A model that loves digits comes to an end (open case N07)."""
    for numbers in (Numbers(), Numbers(lower=Fraction(0)), Numbers(integer=True)):
        term = number_term(numbers, digits=digits)
        assert matches(term, "4" * digits)
        assert not matches(term, "4" * (digits + 1))
        if not numbers.integer:
            assert matches(term, "0." + "0" * (digits - 1) + "1")
            assert not matches(term, "0." + "0" * (digits + 1))
    assert not matches(number_term(Numbers(), digits=digits), "1e00001")


def test_no_limit_of_digits() -> None:
    """Without limit a number may be as long as it likes."""
    for numbers in (Numbers(), Numbers(lower=Fraction(1)), Numbers(multiples=(Fraction(1, 4),))):
        assert matches(number_term(numbers, digits=None), "4" * 500 + "." + "0" * 500)


def test_what_the_digits_cannot_write_is_never() -> None:
    """A range that has members but none within the digits is refused by its owner, not left open."""
    assert number_term(Numbers(lower=Fraction(10**50)), digits=40) is NEVER
    assert number_term(Numbers(lower=Fraction(1, 10**50), upper=Fraction(2, 10**50)), digits=40) is NEVER
    assert number_term(Numbers(lower=Fraction(10**50)), digits=40, exact=True) is not NEVER


def test_draft_4_integers_are_lexical() -> None:
    """In draft 4 a text with fraction or exponent is no integer; later ``1.0`` and ``1e2`` are."""
    numbers = Numbers(integer=True, upper=Fraction(1000))
    old = number_term(numbers, exact=True, integer_is_lexical=True)
    new = number_term(numbers, exact=True)
    for text in ("1.0", "1e2", "10.0e-1"):
        assert not matches(old, text)
        assert matches(new, text)
    assert not matches(new, "1.5")
    assert not matches(new, "15e-1")


@pytest.mark.parametrize(
    "numbers",
    [Numbers(), Numbers(integer=True), Numbers(lower=Fraction(0)), Numbers(lower=Fraction(0), upper=Fraction(1))],
)
def test_common_numbers_are_counters(numbers: Numbers) -> None:
    """The numbers of most schemas are ordinary terms, so that all schemas share what is learned about them."""
    assert "automaton" not in repr(number_term(numbers))


# -- from outside


class _Text(str):
    """A number as it is spelled in a file."""

    __slots__ = ()


def _term_of(schema: dict[str, Any]) -> Term:
    """The number term of a schema with only number keywords."""
    value = {k: Fraction(v) for k, v in schema.items() if isinstance(v, _Text)}
    lower, lower_open = value.get("minimum"), False
    upper, upper_open = value.get("maximum"), False
    if "exclusiveMinimum" in value:
        lower, lower_open = value["exclusiveMinimum"], True
    if "exclusiveMaximum" in value:
        upper, upper_open = value["exclusiveMaximum"], True
    multiples = (value["multipleOf"],) if "multipleOf" in value else ()
    numbers = Numbers(schema.get("type") == "integer", lower, lower_open, upper, upper_open, multiples)
    return number_term(numbers, digits=100, exact=True)


KEYWORDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "type", "$schema"}


def _official() -> list[Any]:
    folder = SHARED / "data/json-schema-test-suite/tests/draft2020-12"
    names = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "type"]
    files = [folder / f"{n}.json" for n in names] + [
        folder / f"optional/{n}.json" for n in ("bignum", "float-overflow")
    ]
    return [
        pytest.param(group["schema"], test["data"], test["valid"], id=f"{path.stem}: {test['description']}")
        for path in files
        if path.exists()
        for group in json.loads(path.read_text(), parse_int=_Text, parse_float=_Text)
        if set(group["schema"]) <= KEYWORDS and group["schema"].get("type", "number") in ("number", "integer")
        for test in group["tests"]
        if isinstance(test["data"], _Text)
    ]


@pytest.mark.parametrize(("schema", "text", "valid"), _official())
def test_official_suite(schema: dict[str, Any], text: str, valid: bool) -> None:
    """The number files of JSON-Schema-Test-Suite, in the very spelling of the file."""
    assert matches(_term_of(schema), text) == valid


def _open_cases() -> list[Any]:
    path = SHARED / "cases/open.jsonl"
    lines = path.read_text().strip().split("\n") if path.exists() else []
    cases = [json.loads(line, parse_int=_Text, parse_float=_Text) for line in lines]
    return [
        pytest.param(case["constraint"], case["accept"], case["reject"], id=case["id"])
        for case in cases
        if case["id"].startswith("N") and set(case["constraint"]) <= KEYWORDS
    ]


@pytest.mark.parametrize(("schema", "accept", "reject"), _open_cases())
def test_reported_cases(schema: dict[str, Any], accept: list[str], reject: list[str]) -> None:
    """What users of other engines reported (group N of the open cases)."""
    term = _term_of(schema)
    assert all(matches(term, text) for text in accept)
    assert not any(matches(term, text) for text in reject)
