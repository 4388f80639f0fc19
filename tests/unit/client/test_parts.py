"""Answers while they grow: parts of the text, the value so far, and what was closed."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.client.flow import Call, Emit, Flow, More
from maskwright.client.parts import Part, Progress, in_parts
from maskwright.errors import ConnectionFailedError
from maskwright.tags.partial_place import ValueDelta, ValueEnd
from tests.unit.client.plays import Play, reply

ANY = mw.json_schema(True)


def parts(*deltas: str, constraint: mw.Constraint | None = ANY) -> list[Part]:
    progress = Progress(constraint, 1)
    return [progress.add(delta) for delta in deltas]


# shared/cases C01 and C04: what is known of a value at each point.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"t": "sun', [{"t": "sun"}]),
        ('{"p": {"q": "ra', [{"p": {"q": "ra"}}]),
        ('{"x": ["al", "be', [{"x": ["al", "be"]}]),
        ('["ab', [["ab"]]),
        ('{"t": "say \\"hi', [{"t": 'say "hi'}]),
        ('{"t": "caf\\u00', [{"t": "caf"}]),
        ('{"a": 1, "b"', [{"a": 1}]),
        ('{"a": 1, "b":', [{"a": 1}]),
        ('{"a": tr', [{}]),
        ('{"a": 12', [{"a": 12}, {}]),
        ('{"info": {"len": 3', [{"info": {"len": 3}}, {"info": {}}]),
        ('{"info": {"len": 3, "d": "bi', [{"info": {"len": 3, "d": "bi"}}]),
    ],
)
def test_values_so_far(text: str, expected: list[Any]) -> None:
    """Nothing that came is lost, nothing is invented; nested values appear as they grow."""
    assert parts(text)[0].value in expected
    assert parts(*text)[-1].value in expected


def test_values_are_kept() -> None:
    """A part's value does not change when the next part comes, whenever it is asked for."""
    found = parts('{"a": ["x', 'y"', ', "z"]}')
    assert [part.value for part in reversed(found)] == [{"a": ["xy", "z"]}, {"a": ["xy"]}, {"a": ["x"]}]
    assert [part.text for part in found] == ['{"a": ["x', '{"a": ["xy"', '{"a": ["xy", "z"]}']
    found[0].value["a"].append("mine")
    assert found[1].value == {"a": ["xy"]}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=values, data=st.data())
def test_any_cut_tells_the_same(value: Any, data: st.DataObject) -> None:
    """Closed values, strings put together, and the last value: wherever the text is cut (shared/cases C06)."""
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)) | {0, len(text)})
    found = parts(*(text[one:other] for one, other in pairwise(cuts)), "\n")
    whole = parts(text, "\n")
    assert told(found) == told(whole)
    assert found[-1].value == value
    assert "".join(part.delta for part in found) == text + "\n"


def told(found: list[Part]) -> tuple[list[tuple[str, Any]], dict[str, str]]:
    ends, strings = [], dict[str, str]()
    for event in (event for part in found for event in part.events):
        if isinstance(event, ValueEnd):
            ends.append((event.place.pointer, event.value))
        elif isinstance(event, ValueDelta):
            place = event.place.pointer
            strings[place] = strings.get(place, "") + event.text
    return ends, strings


def test_only_closed_values_are_told_as_closed() -> None:
    """A validator may look at them at once (shared/cases C02): half a string is not closed."""
    first, second, third = parts('{"code": "ab', '"', "}")
    assert not [event for event in first.events if isinstance(event, ValueEnd)]
    assert [event.value for event in second.events if isinstance(event, ValueEnd)] == ["ab"]
    assert third.value == {"code": "ab"}


@pytest.mark.parametrize("constraint", [None, mw.regex("[a-z{]+"), mw.grammar_root("insidevalue", prompt='{"a": ')])
def test_what_is_no_value_has_none(constraint: mw.Constraint | None) -> None:
    """Plain text, other grammars, and the rest of a value that the prompt has begun."""
    assert [(part.text, part.value, part.events) for part in parts("ab{", constraint=constraint)] == [("ab{", None, ())]


def test_a_flow_in_parts() -> None:
    """Texts become parts; commands, results and errors pass through."""

    def flow() -> Flow[str]:
        found = yield Call("/v1/x")
        yield Emit(found.text)
        try:
            yield More()
        except ConnectionFailedError:
            yield Emit("?")
        return "end"

    progress = Progress(None, 2)
    play = Play([reply(data="hi")], events=[ConnectionFailedError("reset")])
    assert play.run(in_parts(flow(), progress)) == "end"
    assert [(part.delta, part.text, part.attempt) for part in play.emitted] == [("hi", "hi", 2), ("?", "hi?", 2)]
    last = progress.last(5)
    assert (last.delta, last.text, last.value, last.is_complete) == ("", "hi?", 5, True)


def test_a_flow_in_parts_is_closed_with_its_driver() -> None:
    """And so is the flow within."""
    closed: list[bool] = []

    def flow() -> Flow[None]:
        try:
            yield Emit("a")
        finally:
            closed.append(True)

    outer = in_parts(flow(), Progress(None, 1))
    next(outer)
    outer.close()
    assert closed == [True]
