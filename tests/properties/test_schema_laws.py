"""Laws of JSON Schema: what is accepted is what an oracle accepts, and whatever a mask offers ends in a valid document.

Schemas hold every assertion and applicator of their draft, in any combination. Judged by ``tests/oracle/validator.py``,
which in turn is compared with ``jsonschema``. ``MASKWRIGHT_EXAMPLES`` says how many schemas each law tries, and makes
them different ones each time; without it they are always the same.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import UnsatisfiableError
from tests.oracle.json_text import accepts, parse_strictly
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary
from tests.oracle.validator import Validator, read
from tests.properties.instances import instances, make_instance, respell, spellings
from tests.properties.schemas import DRAFTS, schemas
from tests.properties.walks import DeadEnd, names_of, walk

EXAMPLES: Final = int(os.environ.get("MASKWRIGHT_EXAMPLES", "0"))
law: Final = settings(
    max_examples=EXAMPLES or 60,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
#: Where ``jsonschema`` is wrong, and the schemas in which it may be.
DEFECTS: Final[dict[str, Callable[[str], bool]]] = {
    "additionalItems beside items that is a boolean is a TypeError": lambda text: "additionalItems" in text,
    "uniqueItems sorts, and [0], [false], [0] are no neighbours of their equals": lambda text: "uniqueItems" in text,
    "contains counts as evaluated in 2019-09": lambda text: "contains" in text and "2019-09" in text,
}
EXACT: Final = {"property_order": "any", "numbers": "exact", "digits": None, "whitespace": "any"}
BYTES: Final = make_vocabulary(SINGLES)
#: Pieces of JSON as tokenizers cut it, across strings, keys and brackets.
TOKENS: Final = make_vocabulary(
    (
        *SINGLES,
        *(b'{"', b'"}', b'":', b'","', b'"]', b'["', b"[]", b"{}", b"],[", b"}}", b"null", b"true,", b"\\u00", b'\\"'),
        *(
            b'"a":',
            b'"a":1',
            b'"a',
            b'a",',
            b'"b":1}',
            b'","a":"',
            b"1,",
            b"1]",
            b"[1,1",
            b"0.",
            b"e1",
            b"\xc3",
            b"\n  ",
        ),
    )
)
SAME: Final[dict[str, Any]] = {"ids": [f"draft{draft}" for draft in DRAFTS], "argvalues": list(DRAFTS)}
every_draft: Final = pytest.mark.parametrize("draft", **SAME)


def compiled(text: str, vocabulary: mw.Vocabulary, **policies: Any) -> mw.Guide | None:
    """The guide of a schema; ``None`` if no document meets it. Nothing else is refused."""
    note(f"schema: {text}")
    try:
        return mw.compile(mw.json_schema(text, **policies), vocabulary)
    except UnsatisfiableError:
        return None


def is_valid(oracle: Validator, text: str | bytes) -> bool:
    try:
        return oracle.is_valid(parse_strictly(text if isinstance(text, bytes) else text.encode()))
    except ValueError:
        return False


def texts_near(schema: Any, chance: random.Random) -> list[str]:
    """Texts of values near a schema, in several spellings, one of them damaged."""
    oracle = Validator(schema)
    tried = [make_instance(chance, schema) for _ in range(10)]
    valid = [value for value in tried if oracle.is_valid(value)][:3]
    others = [value for value in tried if not oracle.is_valid(value)][:3]
    texts = [text for value in (*valid, *others) for text in spellings(value, chance)]
    whole = chance.choice(texts)
    place = chance.randrange(len(whole))
    damaged = whole[:place] + chance.choice(("", '"', ",", "1", "}", "]", ":")) + whole[place + 1 :]
    return [*texts, damaged]


# ---- acceptance --------------------------------------------------------------------------------------------------


@every_draft
@law
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_a_text_is_accepted_iff_its_value_is_valid(draft: int, data: st.DataObject, chance: random.Random) -> None:
    """Compact, spaced, with keys in any order and characters escaped; an unsatisfiable schema has no valid value."""
    schema = data.draw(schemas(draft))
    guide = compiled(json.dumps(schema), BYTES, **EXACT)
    oracle = Validator(read(json.dumps(schema)))
    for text in texts_near(schema, chance):
        # Blanks around a document are no part of it.
        if text == text.strip():
            assert (guide is not None and guide.matches(text)) == is_valid(oracle, text), text


@every_draft
@law
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_the_oracles_agree(draft: int, data: st.DataObject, chance: random.Random) -> None:
    """The keywords as the specifications put them, and ``jsonschema``: the same answers but for the known defects."""
    schema = data.draw(schemas(draft))
    text = json.dumps(schema)
    assume(not any(may_be(text) for may_be in DEFECTS.values()))
    value = parse_strictly(respell(data.draw(instances(schema)), chance).encode())
    assert Validator(read(text)).is_valid(value) == accepts(read(text))(value)


# ---- liveness ----------------------------------------------------------------------------------------------------


@every_draft
@law
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_walks_end_in_valid_documents(draft: int, data: st.DataObject, chance: random.Random) -> None:
    """Whatever allowed tokens are chosen, there is a next one and a shortest end, and what was written is valid."""
    schema = data.draw(schemas(draft))
    guide = compiled(json.dumps(schema), TOKENS, **{**EXACT, "digits": 40})
    assume(guide is not None)
    assert guide is not None
    budget = chance.choice((0, 6, 20))
    oracle = Validator(read(json.dumps(schema)))
    ends: list[bytes] = []

    def visit(matcher: mw.Matcher) -> None:
        if len(matcher.tokens) == budget:
            ends.append(matcher.text + matcher.complete())

    try:
        text = walk(guide, chance, budget=budget, patience=300, hints=names_of(schema), visit=visit)
    except DeadEnd as dead:
        if "no token" in str(dead):
            raise
        # A walk is no search: where it does not find the way out there is still one.
    else:
        assert is_valid(oracle, text), text
        assert all(len(end) <= len(text) for end in ends), (ends, text)
    assert all(is_valid(oracle, end) for end in ends), ends


# ---- masks and sequences -----------------------------------------------------------------------------------------


def state(matcher: mw.Matcher) -> tuple[Any, ...]:
    questions = (matcher.is_accepting, matcher.must_end, matcher.is_finished, matcher.forced_bytes())
    return (matcher.text, matcher.tokens, matcher.mask().tobytes(), *questions)


@every_draft
@law
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_masks_along_documents(draft: int, data: st.DataObject, chance: random.Random) -> None:
    """Along a document: the mask is what can be read, forced bytes are the only ones, and steps can be undone."""
    schema = data.draw(schemas(draft))
    guide = compiled(json.dumps(schema), TOKENS, **EXACT)
    assume(guide is not None)
    assert guide is not None
    oracle = Validator(schema)
    values = [make_instance(chance, schema) for _ in range(5)]
    text = respell(next(filter(oracle.is_valid, values), values[0]), chance).encode()
    matcher = guide.matcher()
    states = [state(matcher)]
    while len(matcher.text) < len(text):
        assert in_mask(matcher) == by_reading(matcher), matcher.text
        forced = matcher.forced_bytes()
        fits = [i for i in in_mask(matcher) if i and text.startswith(matcher.text + guide.vocabulary.tokens[i])]
        if not fits:
            break
        token = guide.vocabulary.tokens[chosen := chance.choice(sorted(fits))]
        assert token[: len(forced)] == forced[: len(token)], matcher.text
        matcher.advance(chosen)
        states.append(state(matcher))
    while len(states) > 1:
        steps = chance.randint(1, len(states) - 1)
        matcher.rollback(steps)
        del states[-steps:]
        assert state(matcher) == states[-1]
