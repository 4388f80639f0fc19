"""The server as people start it: a process, sockets, and the real model."""

from __future__ import annotations

import gzip
import json
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from maskwright.cli.main import main
from tests.server.serving import Serving, eventually, serving

KEY: Final = "the-key"
SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
TEXT: Final = "Text: Alice Martin, 34, moved from Paris to Berlin last year."
EXTRACT: Final = {
    "messages": [{"role": "user", "content": f"Extract name, age and city from the text as a JSON object.\n{TEXT}"}],
    "temperature": 0,
    "response_format": {"type": "json_schema", "json_schema": {"name": "person", "strict": True, "schema": SCHEMA}},
}


@pytest.fixture(scope="module")
def server(smollm2: Path) -> Iterator[Serving]:
    """One server for all tests that do not end it."""
    with serving("--model", str(smollm2), "--name", "m", "--access-log", MASKWRIGHT_API_KEYS=f"other, {KEY}") as ready:
        yield ready


@pytest.fixture
def client(server: Serving) -> Iterator[httpx.Client]:
    headers = {"authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as made:
        yield made


def _post(client: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    response = client.post(f"/v1/{path}", json={"model": "m", **body})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def _running(client: httpx.Client) -> int:
    told = client.get("/health").json()
    return int(told["running"] + told["queued"])


def test_a_person(client: httpx.Client) -> None:
    """The answer to the shared example is right, and the second time its prompt comes from the cache."""
    first = _post(client, "chat/completions", **EXTRACT)
    assert json.loads(first["choices"][0]["message"]["content"]) == {
        "name": "Alice Martin",
        "age": 34,
        "city": "Berlin",
    }
    assert first["choices"][0]["finish_reason"] == "stop"
    second = _post(client, "chat/completions", **EXTRACT)
    assert second["choices"][0]["message"] == first["choices"][0]["message"]
    prompt = second["usage"]["prompt_tokens"]
    assert prompt // 2 < second["usage"]["prompt_tokens_details"]["cached_tokens"] <= prompt


def test_a_stream_is_its_answer(client: httpx.Client) -> None:
    """Deltas put together are the message; the usage is the same."""
    whole = _post(client, "chat/completions", **EXTRACT)
    body = {"model": "m", **EXTRACT, "stream": True, "stream_options": {"include_usage": True}}
    with client.stream("POST", "/v1/chat/completions", json=body) as response:
        lines = [line.removeprefix("data: ") for line in response.iter_lines() if line]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    deltas = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
    assert "".join(deltas) == whole["choices"][0]["message"]["content"]
    assert chunks[-1]["usage"]["completion_tokens"] == whole["usage"]["completion_tokens"]
    assert len(deltas) > 5


def test_scores_of_a_prompt(client: httpx.Client) -> None:
    """``echo`` without new tokens scores a text; the offsets say where its tokens stand."""
    text = "The capital of France is Paris"
    choice = _post(client, "completions", prompt=text, echo=True, logprobs=2, max_tokens=0)["choices"][0]
    assert choice["text"] == text
    told = choice["logprobs"]
    assert "".join(told["tokens"]) == text
    assert told["text_offset"] == [text.index(token) for token in told["tokens"]]
    assert told["token_logprobs"][0] is None
    assert all(score < 0 for score in told["token_logprobs"][1:])
    assert " Paris" in told["top_logprobs"][-1]


def test_ids_and_texts(client: httpx.Client) -> None:
    """A prompt of ids is the prompt of their text; raw tokens are the ids of the text."""
    asked = {"temperature": 0, "max_tokens": 6, "return_token_ids": True}
    by_text = _post(client, "completions", prompt="One, two, three,", **asked)["choices"][0]
    by_ids = _post(client, "completions", prompt=by_text["prompt_token_ids"], **asked)["choices"][0]
    assert by_ids["text"] == by_text["text"]
    raw = _post(client, "completions", prompt="One, two, three,", return_raw_tokens=True, temperature=0, max_tokens=6)
    assert raw["choices"][0]["tokens"] == by_text["token_ids"]
    assert raw["choices"][0]["text"] is None


def test_bias(client: httpx.Client) -> None:
    """A bias decides between what is allowed, and never breaks a constraint."""
    ask = {"prompt": "Answer:", "temperature": 0, "structured_outputs": {"choice": ["a", "b"]}}
    first = _post(client, "completions", **ask, return_token_ids=True)["choices"][0]
    other = {"a": "b", "b": "a"}[first["text"]]
    assert _post(client, "completions", **ask, logit_bias={first["token_ids"][0]: -100})["choices"][0]["text"] == other
    both = _post(client, "completions", prompt=other, max_tokens=0, echo=True, return_token_ids=True)["choices"][0]
    banned = {first["token_ids"][0]: -100, both["prompt_token_ids"][0]: -100}
    assert _post(client, "completions", **ask, logit_bias=banned)["choices"][0]["text"] in {"a", "b"}


def test_seeds(client: httpx.Client) -> None:
    """A seed gives the same choices again, and they differ from each other."""
    ask = {"prompt": "Once upon a time", "n": 3, "seed": 5, "temperature": 1.5, "max_tokens": 8}
    first, second = (_post(client, "completions", **ask) for _ in range(2))
    texts = [choice["text"] for choice in first["choices"]]
    assert texts == [choice["text"] for choice in second["choices"]]
    assert len(set(texts)) > 1


def test_calls(client: httpx.Client) -> None:
    """A required tool is called, with arguments of its schema."""
    tool = {"type": "function", "function": {"name": "weather", "parameters": {**SCHEMA, "required": ["city"]}}}
    ask = {"messages": [{"role": "user", "content": "The weather in Paris?"}], "temperature": 0, "max_tokens": 80}
    choice = _post(client, "chat/completions", **ask, tools=[tool], tool_choice="required", parallel_tool_calls=False)
    (call,) = choice["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "weather"
    assert isinstance(json.loads(call["function"]["arguments"])["city"], str)


def test_keys_over_sockets(server: Serving, client: httpx.Client) -> None:
    """Without the key nothing is answered; the log shows neither the right nor a wrong one."""
    assert client.get("/v1/models").json()["data"][0]["id"] == "m"
    wrong = httpx.get(f"{server.url}/v1/models", headers={"authorization": "Bearer wrong-key"})
    assert wrong.status_code == 401
    assert "wrong-key" not in server.said
    assert KEY not in server.said


def test_bodies_over_sockets(client: httpx.Client) -> None:
    """A body that is too long is told so although its client is still sending; the connection serves the next one."""
    assert client.post("/v1/completions", content=b" " * 6_000_000).status_code == 413
    assert client.post("/v1/completions", content=iter([b" " * 100_000] * 60)).status_code == 413
    packed = gzip.compress(json.dumps({"model": "m", "prompt": "a", "max_tokens": 1}).encode())
    assert client.post("/v1/completions", content=packed, headers={"content-encoding": "gzip"}).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
def test_leaving_frees_the_work(client: httpx.Client, server: Serving, stream: bool) -> None:
    """A client that leaves in the middle of a long answer leaves no work behind."""
    body = {"model": "m", "prompt": "Once", "max_tokens": 2_000, "min_tokens": 2_000, "stream": stream}
    head = f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nContent-Length: "
    data = json.dumps(body).encode()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(f"{head}{len(data)}\r\n\r\n".encode() + data)
        assert eventually(lambda: _running(client) == 1)
    assert eventually(lambda: _running(client) == 0)


def test_many_at_once(client: httpx.Client) -> None:
    """Answers of requests at the same time are those that each has alone."""
    prompts = [f"{number} plus {number} is" for number in range(12)]
    alone = [
        _post(client, "completions", prompt=one, temperature=0, max_tokens=4)["choices"][0]["text"] for one in prompts
    ]
    found: list[str] = [""] * len(prompts)

    def ask(place: int) -> None:
        answer = _post(client, "completions", prompt=prompts[place], temperature=0, max_tokens=4)
        found[place] = answer["choices"][0]["text"]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(prompts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


def test_one_bad_request_harms_no_other(client: httpx.Client) -> None:
    """While good requests run, bad ones of every kind come; the good ones are answered as ever."""
    whole = _post(client, "chat/completions", **EXTRACT)["choices"][0]["message"]["content"]
    found: list[str] = []
    good = threading.Thread(
        target=lambda: found.append(_post(client, "chat/completions", **EXTRACT)["choices"][0]["message"]["content"])
    )
    good.start()
    for body in (
        {"grammar": "root ::= ("},
        {"prompt": [10**9]},
        {"logit_bias": {"99999999": 1}},
        {"n": 10**6},
        {"regex": "("},
    ):
        assert client.post("/v1/completions", json={"model": "m", "prompt": "a", **body}).status_code == 400
    good.join()
    assert found == [whole]


# Ending ---------------------------------------------------------------------------------------------------------------


def test_the_end_lets_work_finish(smollm2: Path) -> None:
    """After SIGTERM a running stream is finished, a new request gets 503, and the process ends with 0."""
    with (
        serving("--model", str(smollm2), "--name", "m") as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        body = {
            "model": "m",
            "prompt": "Once",
            "max_tokens": 60,
            "min_tokens": 60,
            "stream": True,
            "return_raw_tokens": True,
        }
        with client.stream("POST", "/v1/completions", json=body) as response:
            lines = response.iter_lines()
            next(lines)
            server.process.send_signal(signal.SIGTERM)
            assert eventually(lambda: httpx.get(f"{server.url}/health").status_code == 503)
            refused = httpx.post(f"{server.url}/v1/completions", json={"model": "m", "prompt": "a"})
            rest = [line for line in lines if line]
        assert refused.status_code == 503
        assert refused.headers["retry-after"]
        assert rest[-1] == "data: [DONE]"
        tokens = [choice["tokens"] for line in rest[:-1] for choice in json.loads(line[6:])["choices"]]
        assert sum(map(len, tokens)) >= 59
        assert server.wait() == 0
        assert "Traceback" not in server.said


def test_the_end_does_not_wait_for_ever(smollm2: Path) -> None:
    """What is not finished within the grace is given up, and its client is told."""
    with serving("--model", str(smollm2), "--name", "m", "--grace", "0.5") as server:
        body = {"model": "m", "prompt": "Once", "max_tokens": 7_000, "min_tokens": 7_000, "stream": True}
        with httpx.stream("POST", f"{server.url}/v1/completions", json=body, timeout=60) as response:
            lines = response.iter_lines()
            next(lines)
            server.process.send_signal(signal.SIGTERM)
            rest = [line for line in lines if line]
        assert rest[-1] == "data: [DONE]"
        assert json.loads(rest[-2][6:])["status_code"] == 503
        assert server.wait() == 0


def test_time_and_interrupting(smollm2: Path) -> None:
    """A request ends after its time; Ctrl-C ends the server with 130 and a word, and no traceback."""
    with serving("--model", str(smollm2), "--name", "m", "--request-seconds", "0.5") as server:
        body = {"model": "m", "prompt": "Once", "max_tokens": 4_000, "min_tokens": 4_000}
        response = httpx.post(f"{server.url}/v1/completions", json=body, timeout=60)
        assert response.status_code in {408, 504}, response.text
        assert response.json()["error"]["message"]
        assert server.end(signal.SIGINT) == 130
        assert "interrupted" in server.said
        assert "Traceback" not in server.said


def test_killing(smollm2: Path) -> None:
    """A client of a server that is killed gets an error of the connection; the port is free at once."""
    with serving("--model", str(smollm2), "--name", "m") as server:
        body = {"model": "m", "prompt": "Once", "max_tokens": 1_000, "min_tokens": 1_000, "stream": True}
        with httpx.stream("POST", f"{server.url}/v1/completions", json=body) as response:
            lines = response.iter_lines()
            next(lines)
            server.process.kill()
            with pytest.raises(httpx.TransportError):
                list(lines)
        assert server.wait() == -signal.SIGKILL
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", server.port))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--model", "no-such-model"], 2, "no-such-model"),
        (["--model", "/no/such/file.gguf"], 2, "/no/such/file.gguf"),
        (["--host", "256.1.1.1"], 2, "no address"),
        (["--host", "192.0.2.1"], 2, "cannot listen"),
        (["--api-key", "a b"], 2, "key"),
    ],
)
def test_refusals(arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be served is told in a line, with an exit code."""
    assert main(["serve", "--port", "0", *arguments]) in {code, 1}
    assert words in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """It is told before the model is loaded."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    said = capsys.readouterr().err
    assert "cannot listen" in said
    assert "loading" not in said
