"""Requests that are sent until they are answered: schedules and errors, on a clock that only pauses move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.client.flow import Call, Hangup, More, Reply, request
from maskwright.client.retries import Retries
from maskwright.errors import (
    ConnectionFailedError,
    CredentialsError,
    ProtocolError,
    RateLimitedError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
)
from tests.unit.client.plays import EVENTS, Play, Scene, played, reply

CALL = Call("/v1/completions", {"prompt": "a"})
STREAM = Call("/v1/completions", {"prompt": "a"}, stream=True)
PATIENT = Retries(most=6, jitter=lambda: 0.0)
OK = reply(data='{"ok": true}')


def failing(
    call: Call, *scenes: Scene, policy: Retries = PATIENT, deadline: float | None = None
) -> tuple[ServiceError, Play]:
    play = Play(list(scenes))
    with pytest.raises(ServiceError) as caught:
        play.run(request(call, policy, deadline=deadline))
    return caught.value, play


def test_an_answer_at_once() -> None:
    """One call, no pause, and the reply as it came."""
    result, play = played(request(CALL), OK)
    assert result.object() == {"ok": True}
    assert (len(play.calls), play.pauses, result.attempts) == (1, [], 1)


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionFailedError("refused"),
        ServiceTimeoutError("silent"),
        *(reply(status) for status in (408, 409, 429, 500, 502, 503, 504)),
        reply(400, x_should_retry="true"),
        reply(503, b"<html>Bad gateway</html>", content_type="text/html"),
    ],
)
def test_passing_failures_are_waited_out(failure: Scene) -> None:
    """The same request again, with waits that double; each says which time it is sent."""
    result, play = played(request(CALL, PATIENT), failure, failure, failure, failure, failure, OK)
    assert play.pauses == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert [call.attempt for call in play.calls] == [1, 2, 3, 4, 5, 6]
    assert {id(call.payload) for call in play.calls} == {id(CALL.payload)}
    assert (result.status, result.attempts) == (200, 6)


@pytest.mark.parametrize(
    "failure",
    [
        ProtocolError("no HTTP"),
        *(reply(status) for status in (400, 401, 403, 404, 413, 422, 501)),
        reply(500, x_should_retry="false"),
        reply(302, location="http://elsewhere/"),
    ],
)
def test_lasting_failures_are_told_at_once(failure: Scene) -> None:
    """One call, no pause."""
    error, play = failing(CALL, failure, OK)
    assert (len(play.calls), play.pauses, error.attempts) == (1, [], 1)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (reply(429, '{"message": "slow down"}'), RateLimitedError),
        (reply(500, "oops"), ServerFailedError),
        (ConnectionFailedError("refused"), ConnectionFailedError),
        (ServiceTimeoutError("silent"), ServiceTimeoutError),
    ],
)
def test_the_last_failure_is_told(failure: Scene, kind: type[ServiceError]) -> None:
    """By its class, with how often it was tried."""
    error, play = failing(CALL, *[failure] * 3, policy=Retries(most=2, jitter=lambda: 0.0))
    assert type(error) is kind
    assert (error.attempts, len(play.calls), play.pauses) == (3, 3, [0.5, 1.0])


def test_what_the_api_asks_to_wait_is_waited() -> None:
    """``retry-after`` in place of the doubled waits; those go on where it is missing."""
    _, play = played(
        request(CALL, PATIENT), reply(429, retry_after="3"), reply(503), reply(429, retry_after_ms="5"), OK
    )
    assert play.pauses == [3.0, 1.0, 0.005]


def test_who_asks_for_too_much_is_not_asked_again() -> None:
    """More than ``patience`` seconds: the error is told instead of waiting."""
    error, play = failing(CALL, reply(429, retry_after="3600"), OK)
    assert isinstance(error, RateLimitedError)
    assert play.pauses == []


@pytest.mark.parametrize(("seconds", "calls"), [(0.4, 1), (0.6, 2), (1.6, 3), (100.0, 7)])
def test_no_wait_goes_beyond_the_deadline(seconds: float, calls: int) -> None:
    """An attempt that could only begin later is not waited for: the failure is told at once."""
    error, play = failing(CALL, *[reply(500)] * 7, deadline=1000.0 + seconds)
    assert (error.attempts, len(play.calls)) == (calls, calls)
    assert play.clock < 1000.0 + seconds
    assert {call.deadline for call in play.calls} == {1000.0 + seconds}


PASSING: list[Scene] = [reply(500), reply(429), ConnectionFailedError("x"), ServiceTimeoutError("x")]
LASTING: list[Scene] = [reply(400), reply(307), ProtocolError("x")]


@given(
    scenes=st.lists(st.sampled_from([*PASSING, *LASTING, OK]), min_size=1, max_size=12),
    most=st.integers(0, 8),
    seconds=st.none() | st.floats(0.01, 20),
    jitter=st.floats(0, 1),
)
def test_laws_of_schedules(scenes: list[Scene], most: int, seconds: float | None, jitter: float) -> None:
    """Whatever happens: attempts are bounded, only passing failures are repeated, nothing begins after the deadline."""
    deadline = None if seconds is None else 1000.0 + seconds
    play = Play([*scenes, OK])
    try:
        outcome = play.run(request(CALL, Retries(most=most, jitter=lambda: jitter), deadline=deadline))
    except ServiceError as error:
        outcome = error
    made = scenes[: len(play.calls)]
    assert len(play.calls) == outcome.attempts == len(play.pauses) + 1 <= most + 1
    assert all(scene in PASSING for scene in made[:-1])
    assert isinstance(outcome, Reply) is (len(play.calls) > len(scenes) or made[-1] is OK)
    assert deadline is None or play.clock < deadline or not play.pauses


def test_no_retries() -> None:
    """With ``most`` 0 every failure is the last."""
    error, play = failing(CALL, reply(500), policy=Retries(most=0))
    assert (error.attempts, play.pauses) == (1, [])


def test_a_stream_keeps_its_first_event() -> None:
    """It was waited for, and ``More`` gives it again."""
    result, play = played(request(STREAM), (EVENTS, ['{"a": 1}', "[DONE]"]))
    assert result.is_stream
    assert play.events == ['{"a": 1}', "[DONE]"]


@pytest.mark.parametrize(
    "events",
    [
        [ConnectionFailedError("reset")],
        [ServiceTimeoutError("silent")],
        [],
        ['{"error": {"message": "busy"}, "status_code": 503}'],
        ['{"error": {"message": "slow down", "code": 429}}'],
        ['{"error": "something broke"}'],
    ],
)
def test_a_stream_that_breaks_before_its_first_event_is_asked_for_again(events: list[Any]) -> None:
    """Nothing was read of it, so nothing is lost."""
    result, play = played(request(STREAM, PATIENT), (EVENTS, events), (EVENTS, ['{"a": 1}']))
    assert (result.attempts, play.pauses, play.events) == (2, [0.5], ['{"a": 1}'])


def test_an_error_as_first_event_is_told_by_its_status() -> None:
    """``status_code`` beside the error decides, and the stream is hung up."""
    event = '{"error": {"message": "no such key", "type": "authentication_error"}, "status_code": 401}'
    error, play = failing(STREAM, (EVENTS, [event]))
    assert isinstance(error, CredentialsError)
    assert (play.hangups, len(play.calls)) == (1, 1)


@pytest.mark.parametrize("body", ['{"error": {"message": "busy", "code": 503}}', '{"error": "overloaded"}'])
def test_an_error_with_status_200_is_one(body: str) -> None:
    """Gateways tell so of what is behind them; it is waited out, or told, as the status in it says."""
    result, play = played(request(CALL, PATIENT), reply(data=body), OK)
    assert (result.attempts, play.pauses, play.hangups) == (2, [0.5], 0)
    error, play = failing(CALL, reply(data='{"error": {"message": "no credits", "code": 402}}'), OK)
    assert (error.attempts, "no credits" in error.message) == (1, True)


def test_text_that_speaks_of_an_error_is_none() -> None:
    """Only a member ``error`` of the event itself counts, and not if it is null or empty."""
    for event in ('{"choices": [{"text": "\\"error\\""}]}', '{"error": null}', '{"choices": [], "x": {"error": 1}}'):
        result, _ = played(request(STREAM), (EVENTS, [event]))
        assert result.is_stream
        assert played(request(CALL), reply(data=event))[0].text == event


@pytest.mark.parametrize(
    ("data", "headers", "words"),
    [
        (b"<html><h1>It works!</h1></html>", {"content-type": "text/html; charset=x"}, "text/html"),
        (b"", {}, "no content type"),
        (b'{"a": 1', {"content-type": "application/json"}, '{"a": 1'),
        (b"\xff\xfe\x00", {}, "no JSON"),
        (b"[" * 100_000, {}, "no JSON"),
        (b"9" * 5_000, {}, "no JSON"),
    ],
)
def test_what_is_no_json(data: bytes, headers: Mapping[str, str], words: str) -> None:
    """A ``ProtocolError`` with the status, the request's id, the attempts, and the beginning of the body."""
    found = Reply(200, {**headers, "x-request-id": "r-1"}, data, attempts=3)
    with pytest.raises(ProtocolError) as caught:
        found.json()
    error = caught.value
    assert words in error.message
    assert (error.status, error.request_id, error.attempts) == (200, "r-1", 3)
    assert data.decode("utf-8", "replace").startswith(error.body)
    assert len(error.message) < 200


@pytest.mark.parametrize("data", [b"[]", b"1", b'"a"', b"null"])
def test_what_is_no_object(data: bytes) -> None:
    """JSON of another kind is no answer either."""
    with pytest.raises(ProtocolError):
        Reply(200, {}, data).object()


@pytest.mark.parametrize("body", ["{}", '{"choices": []}', '{"choices": null}', '{"choices": [5]}', '{"choices": {}}'])
def test_what_is_no_answer(body: str) -> None:
    """Status 200 and an object do not make one: there must be a choice."""
    with pytest.raises(ProtocolError, match="choices"):
        reply(data=body).answer()
    assert reply(data='{"choices": [{}]}').answer() == {"choices": [{}]}


def test_errors_keep_the_beginning_of_the_body_and_the_id() -> None:
    """Some thousand characters at most, whatever came."""
    error, _ = failing(CALL, reply(400, b"\xff<" + b"x" * 1_000_000, x_request_id="r-9"))
    assert 0 < len(error.body) <= 4000
    assert (error.request_id, error.status) == ("r-9", 400)


def test_redirects_are_told_and_not_followed() -> None:
    """The key must not go where it was not meant to; the error says where to look."""
    error, _ = failing(CALL, reply(307, location="https://other.example/v1"))
    assert isinstance(error, ProtocolError)
    assert "https://other.example/v1" in error.message


def test_a_flow_that_is_closed_yields_no_more() -> None:
    """At every command: closing raises nothing."""
    for steps in range(3):
        flow = request(STREAM, PATIENT)
        assert isinstance(next(flow), Call)
        for _ in range(steps):
            command = flow.send(EVENTS if steps == 1 else reply(500))
            assert not isinstance(command, Hangup)
        flow.close()
    flow = request(STREAM)
    next(flow)
    assert flow.send(EVENTS) == More(keep=True)
    flow.close()
