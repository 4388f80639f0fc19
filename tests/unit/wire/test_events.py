"""Server-sent events: what is written is read again however it is cut, and what breaks off is told."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskwright.errors import ProtocolError
from maskwright.wire.events import DONE, EventReader, encode_event


def read(*pieces: bytes) -> list[str]:
    """The events of pieces of a stream that ends well."""
    reader = EventReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events + reader.close()


def feed_all(reader: EventReader, pieces: list[bytes]) -> None:
    for piece in pieces:
        reader.feed(piece)


def slowly(text: str) -> list[str]:
    """The events of a whole stream by the words of the specification, for a test's eyes only (WHATWG HTML, 9.2.6)."""
    lines: list[str] = []
    line = ""
    characters = list(text.removeprefix("\ufeff"))
    while characters:
        character = characters.pop(0)
        if character == "\r" and characters[:1] == ["\n"]:
            characters.pop(0)
        if character in "\r\n":
            lines.append(line)
            line = ""
        else:
            line += character
    events, data = [], None
    for one in lines:
        if not one:
            if data is not None:
                events.append(data)
            data = None
        elif one == "data" or one.startswith("data:"):
            value = one[5:]
            value = value.removeprefix(" ")
            data = value if data is None else f"{data}\n{value}"
    return events


#: Pieces from which every stream that matters is made.
PIECES = st.sampled_from(
    ["data:", "data: ", "data", ":", " ", "a", "é", "😀", "{}", "[DONE]", "\r", "\n", "\r\n", "\n\n",
     "event: x", "id:1", "\ufeff", "dat", "retry: 1"]
)  # fmt: skip


@st.composite
def cut(draw: st.DrawFn) -> tuple[str, list[bytes]]:
    """A stream that ends with an empty line, and its bytes cut anywhere."""
    text = "".join(draw(st.lists(PIECES, max_size=25))) + "\n\n"
    data = text.encode()
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    ends = [0, *places, len(data)]
    return text, [data[a:b] for a, b in pairwise(ends)]


@given(cut())
@example(("data: a\r\n\r\n", [b"data: a\r", b"\n\r", b"\n"]))
@example(("\ufeffdata: a\n\n", [b"\xef", b"\xbb", b"", b"\xbfdata: a\n\n"]))
def test_the_cut_makes_no_difference(stream: tuple[str, list[bytes]]) -> None:
    """Any cut of the bytes gives the events that the specification gives for the whole."""
    text, pieces = stream
    assert read(*pieces) == slowly(text)
    assert read(*(bytes([byte]) for byte in text.encode())) == slowly(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(JSON, max_size=4), st.integers(1, 9))
def test_what_is_written_is_read(values: list[object], size: int) -> None:
    """Any JSON values, in pieces of any size, also with line breaks of every kind in their texts."""
    stream = b"".join(map(encode_event, values)) + DONE
    pieces = [stream[i : i + size] for i in range(0, len(stream), size)]
    assert [json.loads(event) for event in read(*pieces)[:-1]] == values
    assert read(*pieces)[-1] == "[DONE]"


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"", []),
        (b"\n\n\n", []),
        (b": ping\n\n", []),
        (b"data\n\n", [""]),
        (b"data:\n\n", [""]),
        (b"data:  a\n\n", [" a"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data: a\n: in between\ndata: b\n\n", ["a\nb"]),
        (b"event: x\nid: 1\nretry: 5\n\n", []),
        (b"event: error\ndata: {}\n\n", ["{}"]),
        (b"Data: a\n\ndatax: a\n\n", []),
        (b"data: a\r\rdata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        (b"data: a\x00b\x0c\xe2\x80\xa8c\n\n", ["a\x00b\x0c\u2028c"]),
        (b"data: [DONE]\n", ["[DONE]"]),
        (b"data: [DONE]", ["[DONE]"]),
    ],
)
def test_streams(stream: bytes, events: list[str]) -> None:
    """Lines, comments, fields, marks; only ``[DONE]`` may lack its last line break."""
    assert read(stream) == events


@pytest.mark.parametrize("stream", [b"data: {", b"data: {}\n", b"data: {}\ndata", b"data: a\n\ndata: b", b"\xef\xbb"])
def test_streams_that_break_off(stream: bytes) -> None:
    """The end of the connection in the middle of an event is no event."""
    reader = EventReader()
    reader.feed(stream)
    with pytest.raises(ProtocolError, match="broke off"):
        reader.close()


@pytest.mark.parametrize("stream", [b"data: " + b"a" * 100, b"data: aaaaaaaa\n" * 10, b"x" * 100, b":" + b" " * 100])
def test_events_that_are_too_long(stream: bytes) -> None:
    """Neither a line nor the lines of an event together fill the memory."""
    for pieces in ([stream], [bytes([byte]) for byte in stream]):
        with pytest.raises(ProtocolError, match="longer than 64"):
            feed_all(EventReader(most=64), pieces)


def test_many_events_are_not_one_long_one() -> None:
    """The bound is on each event; comments between them count for nothing."""
    reader = EventReader(most=64)
    stream = b"data: aaaaaaaa\n\n: comment\n" * 100
    assert [event for byte in stream for event in reader.feed(bytes([byte]))] == ["aaaaaaaa"] * 100


def test_what_cannot_be_an_event() -> None:
    """NaN is no JSON."""
    with pytest.raises(ValueError, match="JSON"):
        encode_event({"a": float("nan")})


def test_an_error_in_a_stream_is_an_event() -> None:
    """What a server says in the middle of a stream comes out as it is."""
    fault = {"error": {"message": "m", "type": "t", "param": None, "code": None, "id": "i"}, "status_code": 500}
    assert [json.loads(event) for event in read(encode_event({"a": 1}) + encode_event(fault))] == [{"a": 1}, fault]
