"""What a request may not do, and that nothing it does harms the next one."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from starlette.applications import Starlette

from maskwright.errors import ModelError, PolicyError, RequestError
from maskwright.server.settings import Settings
from maskwright.wire.openapi import openapi
from tests.unit.server.asking import ask, make, post
from tests.unit.server.fakes import FakeEngine

HELLO = {"prompt": "Say hello"}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "invalid_json"),
        (b"{", 400, "invalid_json"),
        (b"[1]", 400, "invalid_json"),
        (b"null", 400, "invalid_json"),
        (b'"x"', 400, "invalid_json"),
        (b"\xff\xfe{}", 400, "invalid_json"),
        (b'{"model": NaN}', 400, "invalid_json"),
        (b'{"model": "m", "prompt": "\\ud800"}', 400, "invalid_json"),
        (b'{"model": "m", "\\uDFFF": 1}', 400, "invalid_json"),
        (b'{"model": "m", "seed": ' + b"9" * 5_000 + b"}", 400, "invalid_json"),
        (b'{"model": "m", "prompt": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400, "invalid_json"),
        (b'{"a":' * 100_000, 400, "invalid_json"),
        (b'{"prompt": "' + b"x" * 200_000 + b'"}', 413, "request_too_large"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bodies_that_are_none(body: bytes, status: int, code: str) -> None:
    """What is no JSON object, or cannot be used behind the parser, is refused in the API's shape."""
    response = post(make(body_bytes=150_000 if status == 413 else 1_000_000), "completions", body)
    assert response.status_code == status
    assert response.json()["error"]["code"] == code


@pytest.mark.parametrize("quoted", ["[[[[[[", '\\"[[[[[[', "\\\\"])
def test_brackets_in_strings_are_no_nesting(quoted: str) -> None:
    """Only nesting counts as nesting."""
    body = f'{{"model": "m", "max_tokens": 1, "prompt": "{quoted * 100}"}}'.encode()
    assert post(make(json_depth=5), "completions", body).status_code == 200


def test_pairs_of_surrogates_are_characters() -> None:
    """An escaped pair is one character; half of one is none."""
    engine = FakeEngine()
    assert post(make(engine), "completions", b'{"model": "m", "prompt": "\\ud83d\\ude00"}').status_code == 200
    assert engine.jobs[0].prompt == tuple("😀".encode())


def test_packed_bodies() -> None:
    """Gzip is read, within the same bound; another encoding is told."""
    app = make(body_bytes=100_000)
    body = json.dumps({"model": "m", **HELLO}).encode()
    assert post(app, "completions", gzip.compress(body), content_encoding="gzip").status_code == 200
    bomb = gzip.compress(b" " * 50_000_000)
    assert len(bomb) < 100_000
    assert post(app, "completions", bomb, content_encoding="gzip").status_code == 413
    assert post(app, "completions", b"no gzip", content_encoding="gzip").status_code == 400
    assert post(app, "completions", gzip.compress(body)[:-9], content_encoding="gzip").status_code == 400
    assert post(app, "completions", body, content_encoding="br").status_code == 415


def test_bodies_without_a_length() -> None:
    """A body in chunks is bounded, too."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * 1_000

    response = ask(make(body_bytes=100_000), "POST", "/v1/completions", content=chunks())
    assert response.status_code == 413


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 400, "١"])
def test_lengths_that_are_none(length: str) -> None:
    """A length that is no number, or too large to be one, is refused."""
    headers = {"content-length": length.encode()} if not length.isascii() else {"content-length": length}
    assert ask(make(), "POST", "/v1/completions", content=b"{}", headers=headers).status_code == 413


def _scope(path: str = "/v1/completions", **headers: str) -> dict[str, Any]:
    told = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http",
        "query_string": b"", "headers": told, "http_version": "1.1", "client": ("127.0.0.1", 1), "server": ("h", 80),
    }  # fmt: skip


async def _run(app: Starlette, receive: Any, scope: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await asyncio.wait_for(app(scope or _scope(), receive, send), 10)  # type: ignore[arg-type]
    return sent


def test_a_body_that_never_comes() -> None:
    """A slow client is told so, and does not hold its place."""

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    sent = asyncio.run(_run(make(body_seconds=0.05), receive))
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
def test_clients_that_leave(path: str, stream: bool) -> None:
    """Whoever leaves frees the work: the ticket is cancelled long before the text is written."""
    engine = FakeEngine("x" * 1_000)
    engine.pause = 0.01
    body = {"model": "m", "stream": stream, "prompt": "a", "messages": [{"role": "user", "content": "a"}]}

    async def run() -> tuple[list[dict[str, Any]], float]:
        messages = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await asyncio.sleep(0.1)
            return {"type": "http.disconnect"}

        before = asyncio.get_running_loop().time()
        sent = await _run(app, receive, _scope(path))
        return sent, asyncio.get_running_loop().time() - before

    app = make(engine)
    sent, _ = asyncio.run(run())
    assert engine.tickets[0].is_cancelled
    assert bool(sent) is stream
    assert app.state.service.counts.disconnects == 1


def test_clients_that_leave_with_the_body_unsent() -> None:
    """Leaving in the middle of a body is no error of the server."""
    messages: list[dict[str, Any]] = [
        {"type": "http.disconnect"},
        {"type": "http.request", "body": b"{", "more_body": True},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop()

    assert asyncio.run(_run(make(), receive)) == []


KEYS = frozenset({"first-key", "second-key"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"authorization": "Bearer third-key"}, 401),
        ({"authorization": "Basic first-key"}, 401),
        ({"authorization": "first-key"}, 401),
        ({"authorization": "Bearer first-key, second-key"}, 401),
        ({"authorization": "Bearer first-key"}, 200),
        ({"authorization": "bearer   second-key "}, 200),
    ],
)
def test_keys(headers: dict[str, str], status: int) -> None:
    """One of the keys is asked for, before the body is read."""
    app = make(keys=KEYS)
    response = post(app, "completions", HELLO, **headers)
    assert response.status_code == status
    assert ask(app, "GET", "/v1/models", headers=headers).status_code == status
    if status == 401:
        assert response.headers["www-authenticate"] == "Bearer"
        assert "key" in response.json()["error"]["message"]
        assert not any(key in response.text for key in KEYS)


def test_no_key_for_monitors() -> None:
    """What monitors and clients ask first needs no key."""
    app = make(keys=KEYS)
    for path in ("/health", "/metrics", "/v1/tcp_warming"):
        assert ask(app, "GET", path).status_code == 200, path


@pytest.mark.parametrize("key", ["", "a b", "schlüssel", "a\nb"])
def test_keys_that_no_header_carries(key: str) -> None:
    """A key that nobody could send is refused at the start."""
    with pytest.raises(PolicyError, match="key"):
        Settings(model="m", keys=frozenset({key}))


def test_keys_are_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    """No key stands in a log or a representation, whether right or wrong."""
    with caplog.at_level(logging.DEBUG):
        app = make(keys=KEYS, access_log=True)
        post(app, "completions", HELLO, authorization="Bearer first-key")
        post(app, "completions", HELLO, authorization="Bearer wrong-key")
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("maskwright")]
    assert len(ours) == 2
    assert not any("-key" in line for line in ours)
    assert "-key" not in repr(app.state.service.settings)
    assert {json.loads(line)["status"] for line in ours} == {200, 401}


@pytest.mark.parametrize(
    ("origins", "origin", "status"),
    [
        ((), None, 200),
        ((), "http://server", 200),
        ((), "https://evil.example", 403),
        ((), "null", 403),
        (("https://good.example",), "https://good.example", 200),
        (("https://good.example",), "https://evil.example", 403),
        (("*",), "https://evil.example", 200),
    ],
)
def test_pages_of_other_sites(origins: tuple[str, ...], origin: str | None, status: int) -> None:
    """A page of another site may not ask: a browser would send its request to this machine."""
    headers = {} if origin is None else {"origin": origin}
    response = post(make(origins=origins), "completions", HELLO, **headers)
    assert response.status_code == status
    allowed = response.headers.get("access-control-allow-origin")
    assert (allowed is not None) is (status == 200 and bool(origins))


def test_preflights() -> None:
    """Origins are allowed to browsers only where the settings name them."""
    headers = {"origin": "https://a.example", "access-control-request-method": "POST"}
    assert ask(
        make(origins=("https://a.example",), keys=KEYS), "OPTIONS", "/v1/completions", headers=headers
    ).is_success
    assert not ask(make(), "OPTIONS", "/v1/completions", headers=headers).is_success


@pytest.mark.parametrize("compat", ["lenient", "openai", "cerebras"])
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/completions", 405),
        ("PUT", "/v1/chat/completions", 405),
        ("POST", "/v1/models", 405),
        ("GET", "/v1/models/other", 404),
    ],
)
def test_paths(compat: str, method: str, path: str, status: int) -> None:
    """Unknown paths and methods are told in the API's shape, with an id."""
    response = ask(make(compat=compat), method, path)
    assert response.status_code == status
    told = response.json() if compat == "cerebras" else response.json()["error"]
    assert set(told) >= {"message", "type", "param", "code"}
    assert response.headers["x-request-id"].startswith("req_")
    # RFC 9110, 15.5.6: a 405 tells the methods that there are.
    wanted = {"GET", "HEAD"} if path == "/v1/models" else {"POST"}
    assert set(response.headers.get("allow", "").split(", ")) == (wanted if status == 405 else {""})


@pytest.mark.parametrize("path", ["completions", "chat/completions"])
def test_models_that_are_not_here(path: str) -> None:
    """Another model's name is a 404, unless every name may pass."""
    body = {"prompt": "a", "messages": [{"role": "user", "content": "a"}], "model": "other"}
    response = post(make(), path, body)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "model_not_found"
    assert response.json()["error"]["param"] == "model"
    assert post(make(any_model=True), path, body).status_code == 200
    assert post(make(aliases=frozenset({"other"})), path, body).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
def test_a_full_queue(stream: bool) -> None:
    """429 tells when to come again, in both spellings that clients read."""
    engine = FakeEngine()
    engine.refuses = RequestError("full", status=429, code="queue_full", retry_after=1.5)
    response = post(make(engine), "completions", {**HELLO, "stream": stream})
    assert response.status_code == 429
    assert (response.headers["retry-after"], response.headers["retry-after-ms"]) == ("2", "1500")


@pytest.mark.parametrize("stream", [False, True])
def test_what_nobody_foresaw(stream: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Any exception is a 500 that tells nothing but its id; the log has the rest, and the server goes on."""

    class Broken(FakeEngine):
        def submit(self, jobs: Any) -> Any:  # noqa: ARG002 - the engine's signature
            raise ZeroDivisionError("a secret of the inside")

    app = make(Broken())
    response = post(app, "completions", {**HELLO, "stream": stream})
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "a secret of the inside" in caplog.text
    assert response.headers["x-request-id"] in caplog.text
    assert ask(app, "GET", "/health").status_code == 200


@pytest.mark.parametrize("error", [ModelError("broken"), RequestError("late", status=408), ZeroDivisionError("inside")])
@pytest.mark.parametrize("path", ["completions", "chat/completions"])
def test_streams_that_fail(path: str, error: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A job that fails at once has a status; one that fails later is told as the last event."""
    body = {"prompt": "a", "messages": [{"role": "user", "content": "a"}], "stream": True}
    engine = FakeEngine("text")
    engine.fails = (0, error)
    status = error.status if isinstance(error, RequestError) else 500
    assert post(make(engine), path, body).status_code == status
    engine.fails = (2, error)
    response = post(make(engine), path, body)
    assert response.status_code == 200
    last = json.loads(response.text.split("\n\n")[-3].removeprefix("data: "))
    assert last["status_code"] == status
    assert set(last["error"]) == {"message", "type", "param", "code", "id"}
    assert last["error"]["id"] == response.headers["x-request-id"]
    # What is the server's own fault stands in the log under the id; refusals do not.
    assert (response.headers["x-request-id"] in caplog.text) is not isinstance(error, RequestError)
    assert post(make(engine), path, {**body, "stream": False}).status_code == status


def test_the_end() -> None:
    """While it ends, nothing new is taken, and health says so."""
    engine = FakeEngine()
    app = make(engine)
    asyncio.run(app.state.service.close(3.0))
    assert engine.closed == 3.0
    for response in (ask(app, "GET", "/health"), post(app, "completions", HELLO)):
        assert response.status_code == 503
    assert post(app, "completions", HELLO).headers["retry-after"]


def test_lifespan() -> None:
    """The engine starts with the application and is closed with it."""
    engine = FakeEngine()

    async def run() -> None:
        app = make(engine, grace=2.0)
        async with app.router.lifespan_context(app):
            assert engine.is_started
            assert engine.closed is None
        assert engine.closed == 2.0

    asyncio.run(run())


def test_metrics() -> None:
    """Counters are told in Prometheus' text; strangers' paths do not make it grow."""
    app = make(FakeEngine())
    post(app, "completions", HELLO)
    for number in range(5):
        ask(app, "GET", f"/nothing/{number}")
        ask(app, "GET", f"/v1/models/{number}")
    text = ask(app, "GET", "/metrics").text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert lines['maskwright_requests_total{path="/v1/completions",status="200"}'] == "1"
    assert lines['maskwright_requests_total{path="other",status="404"}'] == "5"
    assert lines['maskwright_requests_total{path="/v1/models/{name:path}",status="404"}'] == "5"
    assert lines["maskwright_engine_tokens_total"] == "3"
    assert lines["maskwright_engine_running"] == "2"
    assert float(lines["maskwright_request_seconds_count"]) == 11


@pytest.mark.parametrize("is_closing", [False, True])
def test_health_is_what_the_description_says(is_closing: bool) -> None:
    app = make()
    app.state.service.is_closing = is_closing
    response = ask(app, "GET", "/health")
    assert response.status_code == (503 if is_closing else 200)
    schema = openapi()["components"]["schemas"]["Health"]
    Draft202012Validator(schema).validate(response.json())


def test_choices_are_bounded() -> None:
    """One request cannot ask for more choices than the server gives."""
    response = post(make(choices=4), "completions", {"prompt": ["a", "b", "c"], "n": 2})
    assert response.status_code == 400
    assert response.json()["error"]["param"] == "n"


def test_prompts_that_no_context_holds() -> None:
    """They are refused before they are read: tokenizing megabytes takes seconds."""
    engine = FakeEngine()
    engine.runtime.encode = lambda _: pytest.fail("it was read")  # type: ignore[assignment]
    response = post(make(engine), "completions", {"prompt": "é" * 2_049})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "context_length_exceeded"


def test_requests_at_the_same_time() -> None:
    """Requests do not wait for each other, and each has an id of its own."""
    engine = FakeEngine("x" * 20)
    engine.pause = 0.005

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=make(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            asked = [client.post("/v1/completions", json={"model": "m", **HELLO}) for _ in range(20)]
            return await asyncio.gather(*asked)

    responses = asyncio.run(run())
    assert {response.status_code for response in responses} == {200}
    assert len({response.headers["x-request-id"] for response in responses}) == 20


def test_a_conversation_that_the_model_refuses_is_the_callers_fault() -> None:
    """A template that knows no such roles, text without bytes: 400 for the messages, not a failure of the server."""
    engine = FakeEngine()

    def refuse(*_: Any, **__: Any) -> list[int]:
        raise ModelError("roles must alternate")

    engine.runtime.chat = refuse  # type: ignore[method-assign]
    response = post(make(engine), "chat/completions", {"messages": [{"role": "user", "content": "Hi"}]})
    assert response.status_code == 400
    assert response.json()["error"]["param"] == "messages"
    assert "alternate" in response.json()["error"]["message"]
