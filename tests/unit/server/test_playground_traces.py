"""Traces: what the page is told of each step, of an output at its end, and of a token that was asked about."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from maskwright.errors import TokenError
from maskwright.limits import DEFAULT_LIMITS
from maskwright.server.counts import EngineStats
from maskwright.server.forms import Form, read_form
from maskwright.server.jobs import Candidate, Observation, Token
from maskwright.server.traces import FOUND, SAMPLE, Trace, costs, drawn, explained, sampled, verdict

VOCABULARY = mw.Vocabulary.from_tokens(
    [b"", *(bytes([byte]) for byte in range(256)), b"yes", b"no", "\u20ac".encode(), b"<think>"],
    end_ids=[0],
    special_ids=[0, 260],
    special_names={"<think>": 260},
)
SCHEMA = '{"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}'


def _token(number: int, *candidates: tuple[int, float], forced: bool = False) -> Token:
    observed = Observation(1, tuple(Candidate(token, share, allowed=True) for token, share in candidates))
    return Token(id=number, data=VOCABULARY.tokens[number], forced=forced, observed=observed if candidates else None)


def _guide(kind: str, source: str) -> tuple[Form, mw.Guide]:
    form = read_form({"kind": kind, "source": source})
    return form, mw.compile(form.compile(DEFAULT_LIMITS), VOCABULARY)


@pytest.mark.parametrize(
    ("token", "text", "kind"),
    [
        (66, "A", "text"),
        (257, "yes", "text"),
        (259, "€", "text"),
        (0xE3, "e2", "bytes"),
        (0, "", "end"),
        (260, "<think>", "control"),
    ],
)
def test_tokens_are_drawn(token: int, text: str, kind: str) -> None:
    """Text as text, parts of characters as numbers, control tokens by their names."""
    assert drawn(token, VOCABULARY) == {"id": token, "text": text, "kind": kind}


def test_a_step_tells_what_was_before_it() -> None:
    """The allowed set is that of the token's place, not of the next; the model's choices are judged there, too."""
    trace = Trace(VOCABULARY, _guide("choice", "yes\nno")[1].matcher())
    told = trace.step(_token(257, (66, 0.75), (257, 0.25)))
    assert told["allowed"]["count"] == len({"yes", "y", "no", "n"})
    assert [(one["text"], one["p"], one["allowed"]) for one in told["wanted"]] == [
        ("A", 0.75, False),
        ("yes", 0.25, True),
    ]
    assert (told["index"], told["text"], told["forced"]) == (0, "yes", False)
    assert trace.step(_token(0, forced=True))["allowed"] == {"count": 1, "sample": [drawn(0, VOCABULARY)]}
    assert trace.data == b"yes"


def test_free_text_is_judged_until_it_leaves() -> None:
    """The first token that the constraint does not allow is told; after it nothing is known."""
    trace = Trace(VOCABULARY, _guide("choice", "yes\nno")[1].matcher())
    first, second = trace.step(_token(66)), trace.step(_token(257))
    assert "cannot be read" in first["breaks"]
    assert first["allowed"]["count"] == 4
    assert "breaks" not in second
    assert second["allowed"] is None
    assert trace.data == b"Ayes"


def test_a_trace_goes_on_after_a_beginning() -> None:
    """Steps are numbered on, and the output holds the beginning."""
    matcher = _guide("regex", "A+")[1].matcher()
    matcher.advance(66)
    trace = Trace(VOCABULARY, matcher, [66])
    assert trace.step(_token(66))["index"] == 1
    assert trace.data == b"AA"


def test_without_a_constraint_everything_is_allowed() -> None:
    """Free text without anything to judge it by has no allowed set."""
    told = Trace(VOCABULARY, None).step(_token(66, (67, 0.5)))
    assert told["allowed"] is None
    assert told["wanted"][0]["allowed"]


def test_samples_are_short_and_readable() -> None:
    """A set of thousands is counted whole and named in part: the end first, then printable text."""
    mask = _guide("regex", r"(.|\n)*")[1].matcher().mask()
    told = sampled(mask, VOCABULARY)
    bits = np.unpackbits(mask.view(np.uint8))
    assert told["count"] == bits.sum()
    assert len(told["sample"]) == SAMPLE
    assert told["sample"][0]["kind"] == "end"
    assert all(token["kind"] == "text" and token["text"].isprintable() for token in told["sample"][1:])


def test_small_sets_are_told_whole() -> None:
    """All of them, in the order of their ids."""
    told = sampled(_guide("choice", "yes\nno")[1].matcher().mask(), VOCABULARY)
    assert [token["text"] for token in told["sample"]] == ["n", "y", "yes", "no"]


def test_allowed_tokens_are_found_by_their_text() -> None:
    """Those that hold it, the shortest first, at most so many."""
    mask = _guide("regex", ".*")[1].matcher().mask()
    told = sampled(mask, VOCABULARY, find="e")
    assert [token["text"] for token in told["sample"]] == ["e", "yes"]
    assert told["found"] == 2
    assert sampled(mask, VOCABULARY, find="nothing") == {"count": told["count"], "found": 0, "sample": []}
    assert FOUND >= 2


@pytest.mark.parametrize(
    ("kind", "source", "text", "place"),
    [
        ("json_schema", SCHEMA, '{"n": 3}', None),
        ("json_schema", SCHEMA, ' {  "n":\n3.0, "m": []}\n', None),
        ("json_schema", SCHEMA, '{"n": 10}', "/n"),
        ("json_schema", SCHEMA, "{}", ""),
        ("json_schema", SCHEMA, "Sure! {}", ""),
        ("choice", "yes\nno", "yes", None),
        ("choice", "yes\nno", "yesno", ""),
        ("regex", "a+", "", ""),
    ],
)
def test_verdicts(kind: str, source: str, text: str, place: str | None) -> None:
    """JSON is judged in any spelling, with the pointer of what is wrong; everything else as it stands."""
    told = verdict(*_guide(kind, source), text.encode())
    if place is None:
        assert told == {"valid": True}
    else:
        assert not told["valid"]
        assert told["pointer"] == place
        assert told["reason"]


def test_explanations() -> None:
    """Of a token, of a text, of the place itself; with the shortest way to an end."""
    _, guide = _guide("choice", "yes\nno")
    refused = explained(guide, [122], 66)
    assert not refused["is_allowed"]
    assert "expected `e`" in refused["words"]
    assert refused["ending"] == "es"
    assert explained(guide, [122], "es")["is_allowed"]
    assert not explained(guide, [122], "e\ud800")["is_allowed"]
    assert not explained(guide, [], 10**6)["is_allowed"]
    here = explained(guide, [257])
    assert "words" not in here
    assert here["ending"] == ""
    with pytest.raises(TokenError):
        explained(guide, [66])


@pytest.mark.parametrize("asked", [98, "a"])
def test_a_budget_excludes_too(asked: int | str) -> None:
    """What could not be closed in time is told as that, and only under the budget."""
    _, guide = _guide("regex", "a*b")
    assert explained(guide, [98], asked)["is_allowed"]
    told = explained(guide, [98], asked, max_tokens=2)
    assert not told["is_allowed"]
    assert "closed within" in told["words"]


def _stats(**given: Any) -> EngineStats:
    return EngineStats(**{**dict.fromkeys((field.name for field in fields(EngineStats)), 0), **given})


@pytest.mark.parametrize(
    ("before", "after", "is_alone"),
    [
        ({}, {"finished": 1}, True),
        ({}, {"running": 1}, True),
        ({"running": 1}, {"finished": 2}, False),
        ({"queued": 1}, {"finished": 1, "running": 1}, False),
        ({"running": 1}, {"running": 1, "finished": 1}, False),
    ],
)
def test_costs_are_those_of_all_runs(before: dict[str, Any], after: dict[str, Any], is_alone: bool) -> None:
    """What the engine did meanwhile, and whether it was for one run."""
    begun = _stats(steps=5, seconds_model=1.0, seconds_masks=0.5, **before)
    told = costs(begun, replace(begun, **{"queued": 0, "running": 0, **after}, steps=9, seconds_model=3.0))
    assert told == {"passes": 4, "seconds_model": 2.0, "seconds_masks": 0.0, "is_alone": is_alone}
