"""What networks and servers do wrong, on real sockets, through both drivers: typed errors or answers, no leaks."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import zlib
from typing import Any

import httpx
import pytest

from maskwright.client import AsyncClient, Client, Pool, Retries
from maskwright.client.encodings import Unpacking
from maskwright.client.flow import Call, Emit, Flow, Now, Reply, request
from maskwright.client.streams import Chunks
from maskwright.client.transport import translated
from maskwright.errors import (
    CapabilityError,
    ConnectionFailedError,
    PolicyError,
    ProtocolError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
)
from tests.client.scripted import (
    CLOSE,
    HOLD,
    RESET,
    Script,
    Scripted,
    chunked,
    delta,
    events,
    json_answer,
    response,
    streamed,
)
from tests.client.sides import SIDES, AsyncSide, SyncSide

Side = type[SyncSide] | type[AsyncSide]
#: Retries without waiting.
QUICK = Retries(most=2, first=0.0)
NONE = Retries(most=0)
OK: Script = [json_answer({"ok": True})]
CALL = Call("/v1/completions", {"prompt": "a"})
STREAM = Call("/v1/chat/completions", {"messages": []}, stream=True)

both = pytest.mark.parametrize("side", SIDES, ids=["sync", "async"])


def texts(policy: Retries = NONE, call: Call = STREAM, deadline: float | None = None) -> Flow[str]:
    """A stream's texts, each emitted; their sum is returned."""
    if deadline is not None:
        deadline += yield Now()
    reply = yield from request(call, policy, deadline=deadline)
    chunks = Chunks(reply)
    found = ""
    while (chunk := (yield from chunks.next())) is not None:
        text = chunk["choices"][0]["delta"].get("content", "")
        found += text
        yield Emit(text)
    return found


def timed(policy: Retries, seconds: float, call: Call = CALL) -> Flow[Reply]:
    """A request with a deadline."""
    now = yield Now()
    return (yield from request(call, policy, deadline=now + seconds))


@both
def test_what_is_sent(side: Side) -> None:
    """Method, path, JSON in UTF-8, the key, headers of one's own; of a retry, its number."""
    with Scripted([[json_answer({}, 503)], OK]) as server:
        with side(f"{server.url}/prefix/", api_key="sk-1", headers={"X-Cerebras-Version-Patch": "2"}) as client:
            client.run(request(Call("/v1/completions", {"prompt": "é\n"}), QUICK))
        first, second = server.heard
    assert (first.method, first.path) == ("POST", "/prefix/v1/completions")
    assert first.body == '{"prompt":"é\\n"}'.encode()
    assert first.headers["authorization"] == "Bearer sk-1"
    assert first.headers["content-type"] == "application/json"
    assert first.headers["x-cerebras-version-patch"] == "2"
    assert "x-stainless-retry-count" not in first.headers
    assert second.headers["x-stainless-retry-count"] == "1"
    assert second.body == first.body


PACKED = gzip.compress(b" " * 10_000_000, mtime=0)
#: A name, what the server does, the class of the error, and words of its message.
BROKEN: list[tuple[str, Script, type[ServiceError], str]] = [
    ("closed at once", [CLOSE], ConnectionFailedError, "broke off"),
    ("reset at once", [RESET], ConnectionFailedError, "broke off"),
    ("half of the head", [b"HTTP/1.1 200 OK\r\ncontent-le", CLOSE], ConnectionFailedError, "broke off"),
    ("half of the body", [response('{"a": 1', length=100), CLOSE], ConnectionFailedError, "broke off"),
    ("reset in the body", [response('{"a": 1', length=100), 0.05, RESET], ConnectionFailedError, "broke off"),
    ("half of a chunk", [events()[0], b"ff\r\n{", CLOSE], ConnectionFailedError, "broke off"),
    ("no end of chunks", [events()[0], chunked("{}"), CLOSE], ConnectionFailedError, "broke off"),
    ("no HTTP", [b"220 smtp.example ESMTP\r\n\r\n", CLOSE], ProtocolError, "no HTTP"),
    ("a wrong chunk", [events()[0], b"zz\r\n{}\r\n", CLOSE], ProtocolError, "no HTTP"),
    ("an endless head", [b"HTTP/1.1 200 OK\r\nx: " + b"y" * 300_000, CLOSE], ProtocolError, "no HTTP"),
    ("no gzip", [response("{}", headers={"content-encoding": "gzip"})], ProtocolError, "encoded"),
    ("silence", [HOLD], ServiceTimeoutError, "silent"),
    ("silence in the head", [b"HTTP/1.1 200 OK\r\n", HOLD], ServiceTimeoutError, "silent"),
    ("silence in the body", [response('{"a": 1', length=100), HOLD], ServiceTimeoutError, "silent"),
    ("too long", [response(b" " * 2000)], ProtocolError, "longer than 1000 bytes"),
    ("too long when unpacked", [response(PACKED, headers={"content-encoding": "gzip"})], ProtocolError, "longer than"),
    ("too long, no end", [events()[0], *([chunked(" " * 500)] * 20), HOLD], ProtocolError, "longer than 1000 bytes"),
    ("a redirect", [json_answer({}, 307, location="http://127.0.0.1:1/")], ProtocolError, "http://127.0.0.1:1/"),
    ("a page", [response("<h1>hi</h1>", 400, {"content-type": "text/html"})], RejectedError, ""),
    ("half of a 500", [response("oops", 500, length=99), CLOSE], ServerFailedError, ""),
    ("an endless 500", [response("x" * 1_500_000, 500, length=9_000_000), HOLD], ServerFailedError, ""),
    ("429", [json_answer({"message": "slow"}, 429)], RateLimitedError, "slow"),
]


@both
@pytest.mark.parametrize(("script", "kind", "words"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_what_breaks_is_a_typed_error(side: Side, script: Script, kind: type[ServiceError], words: str) -> None:
    """Never an exception of httpx; the connection is closed by then, and the client goes on to work."""
    with (
        Scripted([script, OK]) as server,
        side(server.url, timeout=0.3, limits=Pool(most_bytes=1000, connections=1)) as client,
    ):
        with pytest.raises(ServiceError) as caught:
            client.run(request(CALL, NONE))
        error = caught.value
        assert type(error) is kind
        assert words in error.message
        assert error.attempts == 1
        assert len(error.body) <= 4000
        assert client.run(request(CALL, NONE)).object() == {"ok": True}
        server.wait_until_open(0, 1)
    assert len(server.heard) == 2


@both
def test_the_beginning_of_a_half_body_is_kept(side: Side) -> None:
    """With the status and the id of the request."""
    script: Script = [response('{"a": 1', headers={"x-request-id": "r-7"}, length=100), CLOSE]
    with Scripted([script]) as server, side(server.url) as client, pytest.raises(ConnectionFailedError) as caught:
        client.run(request(CALL, NONE))
    error = caught.value
    assert (error.status, error.request_id, error.body) == (200, "r-7", '{"a": 1')


@both
@pytest.mark.parametrize("failure", [[CLOSE], [RESET], [json_answer({}, 500)], [json_answer({}, 429)], [HOLD]])
def test_a_storm_that_ends_is_waited_out(side: Side, failure: Script) -> None:
    """Two failures, then the answer: it was sent three times, and counted."""
    with Scripted([failure, failure, OK]) as server, side(server.url, timeout=0.2) as client:
        reply = client.run(request(CALL, QUICK))
        assert (reply.object(), reply.attempts) == ({"ok": True}, 3)
        assert (client.client.counts.calls, client.client.counts.retries) == (3, 2)
        server.wait_until_open(0, 1)


@both
def test_nobody_listens(side: Side) -> None:
    """A port without a server: tried three times."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with side(f"http://127.0.0.1:{port}") as client, pytest.raises(ConnectionFailedError) as caught:
        client.run(request(CALL, QUICK))
    assert caught.value.attempts == 3


@both
def test_a_name_that_is_none(side: Side) -> None:
    """``.invalid`` never resolves (RFC 6761)."""
    with side("http://api.invalid") as client, pytest.raises(ConnectionFailedError):
        client.run(request(CALL, NONE))


def test_no_free_connection() -> None:
    """Whoever finds the pool empty waits no longer than ``timeout``."""
    with Scripted([[0.6, *OK], OK]) as server, AsyncSide(server.url, timeout=5.0, limits=Pool(connections=1)) as client:

        async def two() -> tuple[Any, ...]:
            driver = client.client._driver
            slow = Call("/v1/completions", {}, timeout=0.1)
            both = driver.run(request(CALL, NONE)), driver.run(request(slow, NONE))
            return tuple(await asyncio.gather(*both, return_exceptions=True))

        first, second = client.runner.run(two())
    assert isinstance(first, Reply)
    assert isinstance(second, ServiceTimeoutError)
    assert "Pool.connections" in second.message


@both
@pytest.mark.parametrize(
    "script",
    [
        [b"HTTP/1.1 200 OK\r\nx: ", *([b"y", 0.05] * 400)],
        [response("", length=1000), *([b" ", 0.05] * 400)],
        [0.0, HOLD],
        [*events(), *([chunked(" "), 0.05] * 400)],
    ],
    ids=["drip", "drip of a body", "silence", "drip of chunks"],
)
def test_a_deadline_ends_whatever_drips(side: Side, script: Script) -> None:
    """Each byte comes in time, all of them do not: the deadline decides, and nothing is tried again after it."""
    with Scripted([script]) as server, side(server.url, timeout=3.0) as client:
        with pytest.raises(ServiceTimeoutError) as caught:
            client.run(timed(QUICK, 0.3))
        assert caught.value.attempts == 1
        server.wait_until_open(0)
    assert len(server.heard) == 1


@both
def test_no_time_is_left_at_all(side: Side) -> None:
    """Nothing is sent."""
    with Scripted([OK]) as server, side(server.url) as client, pytest.raises(ServiceTimeoutError):
        client.run(timed(QUICK, 0.0))
    assert server.heard == []


@both
def test_gzip_is_read(side: Side) -> None:
    """Bodies that are encoded as their header says."""
    script: Script = [response(gzip.compress(b'{"ok": 1}', mtime=0), headers={"content-encoding": "gzip"})]
    with Scripted([script]) as server, side(server.url) as client:
        assert client.run(request(CALL)).object() == {"ok": 1}
    assert server.heard[0].headers["accept-encoding"] == "gzip, deflate"


def raw(data: bytes) -> bytes:
    """Deflated without a wrapper, as some servers do."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@both
@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("X-GZIP", gzip.compress(b'{"ok": 1}', mtime=0)),
        ("gzip", gzip.compress(b'{"ok"', mtime=0) + gzip.compress(b": 1}", mtime=0)),
        ("deflate", zlib.compress(b'{"ok": 1}')),
        ("deflate", raw(b'{"ok": 1}')),
        ("identity", b'{"ok": 1}'),
        ("identity, gzip", gzip.compress(b'{"ok": 1}', mtime=0)),
    ],
)
def test_what_is_packed_is_read(side: Side, header: str, body: bytes) -> None:
    """In each way that was asked for, also byte by byte."""
    whole = response(body, headers={"content-encoding": header})
    pieces: Script = [bytes([byte]) for byte in whole]
    with Scripted([[whole], pieces]) as server, side(server.url) as client:
        for _ in range(2):
            assert client.run(request(CALL)).object() == {"ok": 1}


@both
@pytest.mark.parametrize("header", ["gzip, gzip", "gzip gzip", "br", "zstd", "gzip, br", "deflate,gzip,deflate"])
def test_what_was_not_asked_for_is_not_unpacked(side: Side, header: str) -> None:
    """A body that is packed more than once, or in another way, is refused."""
    script: Script = [
        response(gzip.compress(gzip.compress(b'{"ok": 1}', mtime=0)), headers={"content-encoding": header})
    ]
    with Scripted([script]) as server, side(server.url) as client, pytest.raises(ProtocolError, match="not asked for"):
        client.run(request(CALL, NONE))


def test_no_more_is_unpacked_than_is_read() -> None:
    """Of a piece that stands for a gigabyte, 64 KiB at a time."""
    pieces = Unpacking("gzip").pieces(PACKED)
    assert [len(next(pieces)) for _ in range(3)] == [65536] * 3


@both
def test_who_is_not_there_is_named(side: Side) -> None:
    """The address, and what the system said of it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with side(f"http://127.0.0.1:{port}") as client, pytest.raises(ConnectionFailedError) as caught:
            client.run(request(CALL, NONE))
    assert f"http://127.0.0.1:{port}/v1" in str(caught.value)
    assert "Errno 111" in str(caught.value)


@both
def test_a_path_that_is_not_there_is_named(side: Side) -> None:
    """With the address that was asked."""
    nothing = json_answer({"message": "There is no such path."}, 404)
    with (
        Scripted([[nothing]]) as server,
        side(f"{server.url}/elsewhere") as client,
        pytest.raises(CapabilityError) as caught,
    ):
        client.run(request(CALL, NONE))
    assert f"{server.url}/elsewhere/v1/completions" in str(caught.value)
    assert "base_url" in caught.value.message


@both
def test_connections_are_used_again(side: Side) -> None:
    """Also after a refusal, whose body was read to its end."""
    refused: Script = [json_answer({"message": "no"}, 422)]
    with Scripted([OK, refused, OK]) as server, side(server.url) as client:
        client.run(request(CALL))
        with pytest.raises(ServiceError):
            client.run(request(CALL))
        client.run(request(CALL))
        server.wait_until_open(1)
    assert [heard.connection for heard in server.heard] == [0, 0, 0]


@both
def test_a_connection_that_the_server_closed_meanwhile(side: Side) -> None:
    """Is not used again, or the request is sent once more."""
    with Scripted([[*OK, CLOSE], [*OK, CLOSE], OK]) as server, side(server.url) as client:
        for _ in range(3):
            assert client.run(request(CALL, QUICK)).object() == {"ok": True}
    assert len(server.heard) <= 5


# ---------------------------------------------------------------------------------------------------------- streams

ENDINGS: list[tuple[str, Script]] = [
    ("as it should", [*events("[DONE]"), chunked("")]),
    ("done twice", [*events("[DONE]", "[DONE]"), chunked("")]),
    ("events after it", [*events("[DONE]", delta("more"), "broken {"), chunked("")]),
    ("silence after it", [*events("[DONE]"), HOLD]),
    ("reset after it", [*events("[DONE]"), RESET]),
    ("nothing", [chunked("")]),
    ("closed", [CLOSE]),
    ("half of an event", [chunked("data: {"), CLOSE]),
    ("no blank line", [chunked("data: [DONE]\n"), chunked("")]),
    ("usage", [*events({"choices": [{"delta": {}}], "usage": {"prompt_tokens": 1}}, "[DONE]"), chunked("")]),
]


@both
@pytest.mark.parametrize("ending", [case[1] for case in ENDINGS], ids=[case[0] for case in ENDINGS])
def test_how_streams_end(side: Side, ending: Script) -> None:
    """Once the answer has told why it ended, whatever follows does no harm, and nothing of it is text."""
    begin = events(delta("ab"), delta("c"), delta(None, "stop"))
    rest = [step for step in ending if not (isinstance(step, bytes) and step.startswith(b"HTTP"))]
    with Scripted([[*begin, *rest], OK]) as server, side(server.url, timeout=2.0) as client:
        assert "".join(client.items(texts())) == "abc"
        assert client.run(request(CALL, QUICK)).object() == {"ok": True}
        server.wait_until_open(0, 1)


MALFORMED: list[tuple[str, Script, type[ServiceError]]] = [
    ("closed", [CLOSE], ConnectionFailedError),
    ("reset", [0.05, RESET], ConnectionFailedError),
    ("silence", [HOLD], ServiceTimeoutError),
    ("an end too early", [chunked("")], ProtocolError),
    ("half of an event", [chunked("data: {"), chunked("")], ConnectionFailedError),
    ("no JSON", [chunked("data: {oops\n\n"), HOLD], ProtocolError),
    ("no object", [chunked("data: [1]\n\n"), HOLD], ProtocolError),
    ("a number", [chunked("data: 1\n\n"), HOLD], ProtocolError),
    ("no UTF-8", [chunked(b"data: \xff\xfe\n\n"), HOLD], ProtocolError),
    ("an endless event", [*([chunked("data: " + "x" * 9_000)] * 20), HOLD], ProtocolError),
    ("endless comments", [*([chunked(": " + "x" * 9_000 + "\n")] * 20), HOLD], ProtocolError),
    ("an error", [chunked('data: {"error": {"message": "boom"}, "status_code": 500}\n\n'), HOLD], ServerFailedError),
    ("a limit", [chunked('data: {"error": {"message": "slow", "code": 429}}\n\n'), HOLD], RateLimitedError),
    ("no chunk", [b"zz\r\n", HOLD], ProtocolError),
]


@both
@pytest.mark.parametrize(("rest", "kind"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED])
def test_streams_that_break(side: Side, rest: Script, kind: type[ServiceError]) -> None:
    """In the middle: a typed error with status, id and attempts, nothing asked again, the connection closed."""
    with (
        Scripted([[*events(delta("ab")), *rest], OK]) as server,
        side(server.url, timeout=0.4, limits=Pool(most_bytes=50_000, connections=1)) as client,
    ):
        found: list[str] = []
        with pytest.raises(ServiceError) as caught:
            client.items(texts(QUICK), found=found)
        assert found == ["ab"]
        error = caught.value
        assert type(error) is kind
        assert error.attempts == 1
        assert error.request_id == "r-1"
        assert client.run(request(CALL, NONE)).object() == {"ok": True}
        server.wait_until_open(1)
    assert len(server.heard) == 2


@both
@pytest.mark.parametrize(
    "first",
    [
        [events()[0], CLOSE],
        [events()[0], 0.05, RESET],
        [events()[0], HOLD],
        [events()[0], chunked("")],
        [events()[0], chunked("data: {"), CLOSE],
        [*events({"error": {"message": "busy"}, "status_code": 503}), chunked("")],
        [json_answer({"message": "busy"}, 503)],
        [CLOSE],
    ],
)
def test_streams_that_break_before_their_first_event(side: Side, first: Script) -> None:
    """Are asked for again: nobody has read anything of them."""
    with Scripted([first, streamed("abc")]) as server, side(server.url, timeout=0.4) as client:
        assert client.items(texts(QUICK)) == ["a", "b", "c", ""]
    assert len(server.heard) == 2


@both
@pytest.mark.parametrize("kind", ["text/event-stream; charset=utf-8", "TEXT/EVENT-STREAM", "text/plain", ""])
def test_events_of_another_kind(side: Side, kind: str) -> None:
    """What is neither JSON nor a page is read as events, whatever it calls itself."""
    script = [*events(delta("x"), delta(None, "stop"), "[DONE]", kind=kind), chunked("")]
    with Scripted([script]) as server, side(server.url) as client:
        assert client.run(texts()) == "x"


@both
def test_json_in_place_of_events(side: Side) -> None:
    """A server that does not stream answers at once: the reply is whole."""
    with Scripted([OK]) as server, side(server.url) as client:
        reply = client.run(request(STREAM))
    assert (reply.is_stream, reply.object()) == (False, {"ok": True})


@both
def test_a_page_in_place_of_events(side: Side) -> None:
    """Is no answer."""
    script: Script = [response("<h1>Sign in</h1>", headers={"content-type": "text/html"})]
    with Scripted([script]) as server, side(server.url) as client, pytest.raises(ProtocolError, match="Sign in"):
        client.run(request(STREAM)).object()


@both
def test_any_cut_of_the_bytes_gives_the_same_events(side: Side) -> None:
    """Also in the middle of a character, of a line end, of a chunk's length."""
    whole = b"".join(step for step in streamed(["é", "👍", "\r\n", "c"]) if isinstance(step, bytes))
    scripts: list[Script] = [[whole[:at], 0.01, whole[at:]] for at in range(150, len(whole), 29)]
    with Scripted([*scripts, OK]) as server, side(server.url) as client:
        for _ in scripts:
            assert client.items(texts()) == ["é", "👍", "\r\n", "c", ""]


@both
def test_a_stream_that_is_left_hangs_up(side: Side) -> None:
    """After the first part: the server sees it at once, although it would go on."""
    script: Script = [*events(delta("a")), HOLD]
    with Scripted([script]) as server, side(server.url) as client:
        assert client.items(texts(), most=1) == ["a"]
        server.wait_until_open(0)


@both
def test_a_deadline_ends_a_stream(side: Side) -> None:
    """Events that keep coming do not help."""
    drip: Script = [chunked(": still here\n"), 0.05]
    script: Script = [*events(delta("a")), *drip * 200]
    with Scripted([script]) as server, side(server.url, timeout=3.0) as client:
        with pytest.raises(ServiceTimeoutError):
            client.items(texts(deadline=0.3))
        server.wait_until_open(0)


@pytest.mark.parametrize(
    "script", [[HOLD], [b"HTTP/1.1 200 OK\r\n", HOLD], [*events(delta("a")), HOLD], [*events(), HOLD]]
)
def test_a_task_that_is_cancelled_hangs_up(script: Script) -> None:
    """Wherever it is: while it waits for the head, for the first event, for the next."""

    async def main(server: Scripted) -> None:
        async with AsyncClient(server.url, model="m") as client:
            task = asyncio.create_task(client._driver.run(texts()))
            await asyncio.to_thread(server.wait_until_open, 1)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(server.wait_until_open, 0)

    with Scripted([script]) as server:
        asyncio.run(main(server))


@both
def test_a_client_that_is_closed(side: Side) -> None:
    """Says so, and does so twice without harm."""
    with Scripted([OK]) as server, side(server.url) as client:
        client.run(request(CALL))
        client.ask("close")
        client.ask("close")
        server.wait_until_open(0)
        with pytest.raises(PolicyError, match="closed"):
            client.run(request(CALL))


def test_threads_share_a_client() -> None:
    """Each gets its own answer; connections stay within the pool."""
    with Scripted([[0.005, *OK]]) as server, SyncSide(server.url, limits=Pool(connections=4)) as client:
        found: list[Any] = []

        def work() -> None:
            found.extend(client.run(request(CALL, QUICK)).object() for _ in range(10))

        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [{"ok": True}] * 120
        assert client.client.counts.calls == 120
        server.wait_until_open(0, 4)


def test_no_exception_of_httpx_is_left_out() -> None:
    """Whatever httpx may raise while it sends and reads has a class of ours."""
    known = {ConnectionFailedError, ServiceTimeoutError, ProtocolError}
    todo: list[type[Exception]] = [httpx.RequestError]
    while todo:
        kind = todo.pop()
        todo.extend(kind.__subclasses__())
        assert type(translated(kind("words"), None, expired=False)) in known


def test_payloads_that_cannot_be_written() -> None:
    """Are told before anything is sent."""
    cyclic: dict[str, Any] = {}
    cyclic["a"] = cyclic
    for payload in ({"a": float("nan")}, {"a": "\ud800"}, {"a": object()}, cyclic):
        with Scripted([OK]) as server, SyncSide(server.url) as client, pytest.raises(PolicyError):
            client.run(request(Call("/v1/x", payload)))
        assert server.heard == []


def test_a_gate_is_passed_before_each_request() -> None:
    """Repeated ones too, lists of models not; what it raises ends the question, and nothing is sent."""
    passed: list[int] = []

    def gate() -> None:
        if len(passed) == 2:
            raise ClosedError
        passed.append(1)

    listed = json_answer({"data": [{"id": "m"}]})
    with (
        Scripted([[listed], [json_answer({}, 500)], [json_answer({}, 500)]]) as server,
        Client(server.url, model="m", profile="vllm", retries=QUICK).with_options(gate=gate) as client,
    ):
        assert client.models() == ("m",)
        with pytest.raises(ClosedError):
            client.complete("a")
    assert [heard.method for heard in server.heard] == ["GET", "POST", "POST"]


class ClosedError(Exception):
    """Of the test's own."""
