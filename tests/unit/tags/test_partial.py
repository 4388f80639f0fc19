"""JSON values in pieces: the standard library's parser is the oracle, and no cut of the text changes anything."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import OutputError, PolicyError
from maskwright.tags.partial import ValueParser, partial_json
from maskwright.tags.partial_place import Malformed, Place, ValueDelta, ValueEnd

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0x10FFFF, exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    return json.dumps(
        draw(VALUES),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 1, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (" , ", " : "), (",\n", ":\r\n")])),
    )


@st.composite
def spoiled_texts(draw: st.DrawFn) -> str:
    text = draw(json_texts())
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.text('{}[]",:\\u0dD8-+.eEtn \n\x01a', max_size=3)) + text[at + draw(st.integers(0, 3)) :]


def cut(text: str | bytes, cuts: list[int]) -> list[str | bytes]:
    places = sorted({min(at, len(text)) for at in cuts})
    return [text[start:stop] for start, stop in zip([0, *places], [*places, len(text)], strict=True)]


def run(pieces: Iterable[str | bytes], **options: Any) -> tuple[list[Any], Any]:
    """Events with deltas joined, then the value or error."""
    parser = ValueParser(**options)
    joined: list[Any] = []
    for piece in pieces:
        for event in parser.feed(piece):
            if isinstance(event, ValueDelta):
                assert event.text
                if joined and joined[-1][0] == event.place.steps:
                    joined[-1] = (event.place.steps, joined[-1][1] + event.text)
                    continue
                joined.append((event.place.steps, event.text))
            elif isinstance(event, ValueEnd):
                joined.append((event.place.pointer, "end", repr(event.value)))
            else:
                joined.append(("malformed", str(event.error), event.error.offset))
    try:
        return joined, repr(parser.close())
    except OutputError as error:
        return joined, (str(error), error.offset, error.line, error.column, repr(error.parsed.value))


@given(json_texts(), st.lists(st.integers(0, 200)))
def test_a_value_is_what_the_standard_library_reads_however_the_text_is_cut(text: str, cuts: list[int]) -> None:
    """Law: any cut of the text, in characters or bytes, gives the value of ``json.loads``."""
    assert run(cut(text, cuts)) == run([text])
    assert run(cut(text.encode(), cuts)) == run([text])
    assert run(list(text)) == run([text])
    assert run([text])[1] == repr(json.loads(text))


@given(spoiled_texts(), st.lists(st.integers(0, 200)))
def test_spoiled_texts_are_refused_at_the_same_character_however_they_are_cut(text: str, cuts: list[int]) -> None:
    """Law: refused if and only if the standard library refuses, and no cut moves the place."""
    whole = run([text])
    assert run(cut(text, cuts)) == whole
    assert run(cut(text.encode(), cuts)) == whole
    try:
        value = json.loads(text, parse_constant=int)
    except ValueError:
        assert isinstance(whole[1], tuple)
    else:
        assert whole[1] == repr(value)


@given(spoiled_texts())
def test_before_the_place_of_an_error_the_text_begins_some_json(text: str) -> None:
    """Law: the offset is the first wrong character: the text before it can go on, with it it cannot."""
    events, end = run([text])
    if events and events[-1][0] == "malformed":
        offset = end[1]
        assert not any(isinstance(event, Malformed) for event in ValueParser().feed(text[:offset]))
        assert any(isinstance(event, Malformed) for event in ValueParser().feed(text[: offset + 1]))
        lines = text[:offset].split("\n")
        assert end[2:4] == (len(lines), len(lines[-1]) + 1)


@given(json_texts())
def test_every_beginning_has_a_value_that_only_grows(text: str) -> None:
    """Law: of each beginning the containers and strings are beginnings of the whole, and ended values are in it."""
    whole = json.loads(text)

    def begins(part: Any, value: Any, *, is_open: bool) -> bool:
        if isinstance(part, str) and is_open:
            return isinstance(value, str) and value.startswith(part)
        if isinstance(part, list):
            pairs = zip(part, value, strict=False)
            return len(part) <= len(value) and all(begins(a, b, is_open=is_open) for a, b in pairs)
        if isinstance(part, dict):
            return all(key in value and begins(part[key], value[key], is_open=is_open) for key in part)
        return repr(part) == repr(value)

    for stop in range(len(text) + 1):
        partial = partial_json(text[:stop])
        if partial.is_known:
            assert begins(partial.value, whole, is_open=True)
        if partial.is_complete:
            assert begins(partial.value, whole, is_open=False)
        here = whole
        for step in partial.place.steps:
            here = here[step]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"t": "sun', {"t": "sun"}),
        ('{"p": {"q": "ra', {"p": {"q": "ra"}}),
        ('{"x": ["al", "be', {"x": ["al", "be"]}),
        ('["ab', ["ab"]),
        ('{"t": "say \\"hi', {"t": 'say "hi'}),
        ('{"t": "caf\\u00', {"t": "caf"}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": tr', {}),
        ('{"a": 12', {}),
        ('{"a": 12,', {"a": 12}),
        ('["\\ud83d', [""]),
        ('["\\ud83d\\ude', [""]),
        ('["\\ud83d\\ude00', ["\U0001f600"]),
        ('["a\\', ["a"]),
        ('"', ""),
        (" {", {}),
        ("[[], [", [[], []]),
        ('{"a": "x", "a": "', {"a": ""}),
    ],
)
def test_what_is_known_of_a_beginning(text: str, value: Any) -> None:
    """Cases of the field (C01 of the collected reports) and their neighbours."""
    assert partial_json(text).value == value
    assert not partial_json(text).is_complete


@pytest.mark.parametrize(
    ("text", "pointer", "pending"),
    [
        ("", "", ""),
        ("[", "", ""),
        ('{"a', "", ""),
        ('{"a"', "/a", ""),
        ('{"a/~": [1, {"b": "x', "/a~1~0/1/b", ""),
        ("[1, -2.", "/1", "-2."),
        ("[1, fal", "/1", "fal"),
        ("[1, false", "", ""),
        ("[1, ", "/1", ""),
        ('{"a": 1, ', "", ""),
        ("-1e", "", "-1e"),
    ],
)
def test_the_place_that_is_being_written(text: str, pointer: str, pending: str) -> None:
    partial = partial_json(text)
    assert (partial.place.pointer, partial.pending) == (pointer, pending)


def test_null_is_told_from_nothing() -> None:
    assert (partial_json("nul").is_known, partial_json("null").is_known) == (False, True)


def test_values_are_told_when_they_close_and_not_before() -> None:
    """What validators may look at: a half string is never among the ends (C02 of the collected reports)."""
    parser = ValueParser()
    assert parser.feed('{"code": "ab') == [ValueDelta(Place(Place(), "code"), "ab")]
    assert parser.feed('cd", "n": [4') == [
        ValueDelta(Place(Place(), "code"), "cd"),
        ValueEnd(Place(Place(), "code"), "abcd"),
    ]
    assert parser.feed("2]}") == [
        ValueEnd(Place(Place(Place(), "n"), 0), 42),
        ValueEnd(Place(Place(), "n"), [42]),
        ValueEnd(Place(), {"code": "abcd", "n": [42]}),
    ]
    assert parser.close() == {"code": "abcd", "n": [42]}


NINES = "9" * 5000


@pytest.mark.parametrize(
    ("text", "numbers", "value"),
    [
        ("0.1", "exact", Decimal("0.1")),
        ("1e400", "exact", Decimal("1e400")),
        ("1e400", "float", Decimal("1e400")),
        ("-1.5e999", "float", Decimal("-1.5e999")),
        ("12345678901234567890.0", "exact", Decimal("12345678901234567890.0")),
        ("12345678901234567890", "exact", 12345678901234567890),
        ("12345678901234567890", "float", 12345678901234567890),
        (NINES, "exact", Decimal(NINES)),
        (NINES, "float", Decimal(NINES)),
        ("-" + NINES, "float", Decimal("-" + NINES)),
    ],
)
def test_numbers_of_any_size(text: str, numbers: str, value: Any) -> None:
    got = ValueParser(numbers=numbers)
    got.feed(f"[{text}]")
    assert repr(got.close()[0]) == repr(value)


def test_a_number_beyond_any_decimal_is_refused_where_decimals_are_asked_for() -> None:
    """A value that would not be the number is worse than none."""
    text = "[1e" + "9" * 30 + "]"
    with pytest.raises(OutputError):
        partial_json(text)
    with pytest.raises(OutputError, match="exponent") as caught:
        partial_json(text, numbers="exact")
    assert caught.value.offset == len(text) - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1 2]", "1:4: expected , or ]"),
        ("[1,]", "1:4: expected a value"),
        ('{"a" 1}', "1:6: expected :"),
        ('{"a": 1,}', "1:9: expected a key"),
        ("{1}", "1:2: expected a key or }"),
        ("\n\n  trap", "3:5: expected true"),
        ("01", "1:2: expected the end of the text"),
        ("-x", "1:2: expected a digit"),
        ("1e+x", "1:4: expected a digit"),
        ("1ex", "1:3: expected a sign or a digit of the exponent"),
        ('"\n"', "1:2: a control character"),
        ('"\\u12g4"', "1:6: an escape"),
        ('"\\x"', "1:3: an escape"),
        ("{} {}", "1:4: expected the end"),
        ("NaN", "1:1: expected a value"),
        ("\ufeff1", "1:1: expected a value"),
        (b'["\xff"]', "1:3: bytes that are no UTF-8"),
        (b'["\xe2\x28"]', "1:3: bytes that are no UTF-8"),
    ],
)
def test_errors_tell_line_and_column(text: str | bytes, message: str) -> None:
    with pytest.raises(OutputError) as caught:
        partial_json(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message", "value"),
    [
        ("", "1:1: the text holds no value", None),
        ("[1", "1:3: the text ends inside a value", []),
        ("[1,\n 2, ", "2:5: the text ends inside a value", [1, 2]),
        ('{"a": "b', "1:9: the text ends inside a value", {"a": "b"}),
        (b'{"a": "\xe2\x82', "1:8: bytes that are no UTF-8", {"a": ""}),
        ("-", "1:2: the text ends inside a value", None),
    ],
)
def test_a_text_that_ends_too_early_is_an_error_that_keeps_what_was_read(
    text: str | bytes, message: str, value: Any
) -> None:
    parser = ValueParser()
    parser.feed(text)
    with pytest.raises(OutputError) as caught:
        parser.close()
    assert (str(caught.value), caught.value.parsed.value) == (message, value)


def test_after_an_error_nothing_is_read_and_what_was_read_is_kept() -> None:
    parser = ValueParser()
    assert len(parser.feed('{"a": [1, "b"], oops')) == 5
    assert parser.feed('"c": 3}') == []
    assert parser.value == {"a": [1, "b"]}
    with pytest.raises(OutputError, match="1:17: expected a key"):
        parser.close()


def test_text_after_bytes_that_do_not_end_a_character_is_an_error() -> None:
    parser = ValueParser()
    parser.feed(b'"\xe2')
    assert isinstance(parser.feed("x")[-1], Malformed)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(PolicyError, match="numbers"):
        ValueParser(numbers="fraction")
    parser = ValueParser()
    with pytest.raises(PolicyError, match="int"):
        parser.feed(3)
    parser.feed("1")
    parser.close()
    with pytest.raises(PolicyError, match="closed"):
        parser.feed("2")


def test_depth_costs_no_stack() -> None:
    """100,000 arrays in one another: no recursion, and linear although every one of them ends with an event."""
    depth = 100_000
    parser = ValueParser()
    opened = parser.feed("[" * depth)
    closed = parser.feed("]" * depth)
    assert (len(opened), len(closed)) == (0, depth)
    assert isinstance(closed[0], ValueEnd)
    assert len(closed[0].place.steps) == depth - 1
    value = parser.close()
    for _ in range(depth - 1):
        (value,) = value
    assert value == []


def test_a_long_text_in_single_characters_is_read_in_linear_time() -> None:
    """Nothing is read twice: the events of a string in 100,000 pieces are its characters."""
    text = json.dumps(["\U0001f600" * 5000, 10**3000, {"a": ["\\" * 3000]}])
    parser = ValueParser()
    for character in text:
        parser.feed(character)
    assert parser.close() == json.loads(text)


@pytest.mark.parametrize(("text", "value"), [("12", 12), ("-0.5", -0.5), ('"a"', "a")])
def test_the_end_of_the_text_ends_a_number(text: str, value: Any) -> None:
    """Law: all events together tell the whole value."""
    parser = ValueParser()
    events = parser.feed(text) + parser.finish()
    assert [event.value for event in events if isinstance(event, ValueEnd)] == [value]
    assert parser.close() == value
    assert parser.finish() == []


def test_an_early_end_is_told() -> None:
    """It is the error that closing raises."""
    parser = ValueParser()
    parser.feed("[1")
    (event,) = parser.finish()[-1:]
    with pytest.raises(OutputError) as caught:
        parser.close()
    assert isinstance(event, Malformed)
    assert event.error is caught.value
