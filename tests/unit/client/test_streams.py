"""Chunks of a streamed answer, out of events that may be broken in every way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from maskwright.client.flow import Flow
from maskwright.client.streams import Chunks
from maskwright.errors import (
    ConnectionFailedError,
    ProtocolError,
    RateLimitedError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
)
from tests.unit.client.plays import EVENTS, Play

USAGE = '{"choices": [], "usage": {"prompt_tokens": 1}}'


def chunk(text: str, finish: str | None = None) -> str:
    return json.dumps({"choices": [{"index": 0, "text": text, "finish_reason": finish}]})


def read(found: list[dict[str, Any]]) -> Flow[None]:
    chunks = Chunks(EVENTS)
    while (one := (yield from chunks.next())) is not None:
        found.append(one)
    assert (yield from chunks.next()) is None


def run(*events: Any) -> tuple[list[str], int]:
    play, found = Play([]), list[dict[str, Any]]()
    play.events = list(events)
    play.run(read(found))
    return [one["choices"][0]["text"] if one.get("choices") else "" for one in found], play.hangups


@pytest.mark.parametrize(
    "events",
    [
        [chunk("a"), chunk("b"), "[DONE]"],
        [chunk("a"), chunk("b", "stop"), "[DONE]"],
        [chunk("a"), chunk("b", "stop")],
        [chunk("a"), " ", chunk("b"), "", " [DONE] "],
        [chunk("a"), chunk("b"), "[DONE]", "[DONE]"],
        [chunk("a"), chunk("b"), "[DONE]", chunk("c"), "{"],
        [chunk("a"), chunk("b", "length"), ConnectionFailedError("reset")],
        [chunk("a"), chunk("b", "stop"), ServiceTimeoutError("silent")],
        [chunk("a"), chunk("b", "stop"), ProtocolError("half an event")],
    ],
)
def test_ends(events: list[Any]) -> None:
    """``[DONE]`` ends a stream, or a finish reason does and then anything; the stream is hung up once."""
    assert run(*events) == (["a", "b"], 1)


def test_usage_after_the_finish_is_read() -> None:
    """It comes in a chunk without choices."""
    assert run(chunk("a", "stop"), USAGE, "[DONE]") == (["a", ""], 1)


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([], ProtocolError),
        (["[DONE]"], ProtocolError),
        ([USAGE, "[DONE]"], ProtocolError),
        ([chunk("a")], ProtocolError),
        ([chunk("a"), "{oops"], ProtocolError),
        ([chunk("a"), "[1]"], ProtocolError),
        ([chunk("a"), "[" * 100_000], ProtocolError),
        ([chunk("a", "stop"), "{oops"], ProtocolError),
        ([chunk("a"), ConnectionFailedError("reset")], ConnectionFailedError),
        ([chunk("a"), ServiceTimeoutError("silent")], ServiceTimeoutError),
        ([chunk("a"), '{"error": {"message": "x"}}'], ServerFailedError),
        ([chunk("a"), '{"error": {"message": "x", "status_code": 429}}'], RateLimitedError),
        ([chunk("a"), '{"error": {"message": "x"}, "status_code": 429}'], RateLimitedError),
        ([chunk("a"), '{"error": "x", "code": 429}'], RateLimitedError),
    ],
)
def test_errors(events: list[Any], kind: type[ServiceError]) -> None:
    """An end too early, what is no JSON object, what the network does, and what the API tells."""
    with pytest.raises(ServiceError) as caught:
        run(*events)
    assert type(caught.value) is kind
