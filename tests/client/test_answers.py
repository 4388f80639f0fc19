"""Both clients against scripted APIs: answers are what was asked for, or errors say why not."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import threading
from typing import Any

import pydantic
import pytest

from maskwright.client import Answer, AsyncClient, Client, Part, Pool, Retries
from maskwright.errors import (
    AnswerError,
    CapabilityError,
    ConnectionFailedError,
    CredentialsError,
    PolicyError,
    ProtocolError,
    RejectedError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
    TruncatedError,
)
from tests.client.scripted import (
    CLOSE,
    HOLD,
    RESET,
    Script,
    Scripted,
    chat,
    chunked,
    delta,
    events,
    json_answer,
    streamed,
)
from tests.client.sides import SIDES, AsyncSide, SyncSide

Side = type[SyncSide] | type[AsyncSide]
QUICK = Retries(most=2, first=0.0)
both = pytest.mark.parametrize("side", SIDES, ids=["sync", "async"])


class Person(pydantic.BaseModel):
    name: str
    age: int

    @pydantic.field_validator("age")
    @classmethod
    def is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("the age must be even")
        return value


ADA = '{"name": "Ada", "age": 36}'
ODD = '{"name": "Ada", "age": 35}'
CODE = {
    "type": "object",
    "properties": {"code": {"type": "string", "minLength": 4}},
    "required": ["code"],
    "additionalProperties": False,
}


def answers(*texts: str, **options: Any) -> list[Script]:
    """One whole chat after the other."""
    return [[json_answer(chat(text, **options))] for text in texts]


@both
def test_plain_chat(side: Side) -> None:
    """Text, tokens, retries; the client's counts add up."""
    with (
        Scripted([[json_answer({}, 503)], *answers("Hello", "again")]) as server,
        side(server.url, profile="openai", retries=QUICK) as client,
    ):
        answer: Answer = client.ask("chat", "hi", system="be brief", max_tokens=9, temperature=0.5)
        assert (answer.text, answer.value, answer.finish_reason) == ("Hello", None, "stop")
        report = answer.report
        assert (report.how, report.calls, report.retries) == ("plain", 1, 1)
        assert (report.prompt_tokens, report.completion_tokens) == (7, 3)
        client.ask("chat", [{"role": "user", "content": "hi"}])
        counts = client.client.counts
        assert (counts.calls, counts.retries, counts.prompt_tokens, counts.completion_tokens) == (3, 1, 14, 6)
        assert (counts.answers, counts.failures) == (2, 0)
    sent = server.heard[1].payload
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["model"], sent["temperature"]) == ("m", 0.5)


@both
@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "a", "reasoning": "hm"}, "a", "hm"),
        ({"content": "a", "reasoning_content": "hm"}, "a", "hm"),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "a"}]}, "a", None),
        ({"content": None, "refusal": "I cannot"}, "I cannot", None),
        ({"content": None}, "", None),
        ({}, "", None),
    ],
)
def test_shapes_of_messages(side: Side, message: dict[str, Any], text: str, reasoning: str | None) -> None:
    """Text in parts, thinking under two names, refusals: nothing that was said is lost."""
    body = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}]}
    with Scripted([[json_answer(body)]]) as server, side(server.url, profile="openai") as client:
        answer = client.ask("chat", "hi")
    assert (answer.text, answer.reasoning) == (text, reasoning)


@both
def test_plain_completion(side: Side) -> None:
    """``/v1/completions``, with texts that end it."""
    body = {"choices": [{"index": 0, "text": " world", "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}
    with Scripted([[json_answer(body)]]) as server, side(server.url, profile="openai") as client:
        answer = client.ask("complete", "hello", stop=["\n"], seed=3)
    assert answer.text == " world"
    assert (server.heard[0].path, server.heard[0].payload["stop"]) == ("/v1/completions", ["\n"])


@both
def test_models(side: Side) -> None:
    """Their names; an answer of another shape is no list of models."""
    scripts: list[Script] = [[json_answer({"data": [{"id": "a"}, {"id": "b"}]})], [json_answer({"models": []})]]
    with Scripted(scripts) as server, side(server.url) as client:
        assert client.ask("models") == ("a", "b")
        with pytest.raises(ProtocolError):
            client.ask("models")


@both
def test_an_instance(side: Side) -> None:
    """``extract`` gives it; ``extraction`` all there is to know."""
    with Scripted(answers(ADA)) as server, side(server.url, profile="openai") as client:
        assert client.ask("extract", "Ada is 36.", Person) == Person(name="Ada", age=36)
        answer = client.ask("extraction", "Ada is 36.", Person)
        assert (answer.value, answer.text) == (Person(name="Ada", age=36), ADA)
        assert answer.report.how.startswith("native:")
        assert client.ask("extract", "Ada is 36.", Person.model_json_schema()) == {"name": "Ada", "age": 36}
    assert server.heard[0].payload["response_format"]["type"] == "json_schema"


@both
def test_a_validator_that_refuses(side: Side) -> None:
    """Raises with text, JSON pointer and reason (shared/cases C08)."""
    with Scripted(answers(ODD)) as server, side(server.url, profile="openai") as client:
        with pytest.raises(AnswerError, match="the age must be even") as caught:
            client.ask("extract", "x", Person)
        assert (caught.value.place, caught.value.text) == ("/age", ODD)
        assert caught.value.report.calls == 1


@both
def test_a_validator_that_refuses_is_told_to_the_model(side: Side) -> None:
    """With ``attempts``; one answer more is counted (shared/cases C03)."""
    with Scripted(answers(ODD, ADA)) as server, side(server.url, profile="openai") as client:
        answer = client.ask("extraction", "x", Person, attempts=2)
        assert answer.value == Person(name="Ada", age=36)
        assert (answer.report.calls, answer.report.asked_again) == (2, 1)
        assert client.client.counts.answers == 1
    assert server.heard[1].payload["messages"][-2] == {"role": "assistant", "content": ODD}
    assert "the age must be even" in server.heard[1].payload["messages"][-1]["content"]


@both
def test_a_validator_that_refuses_a_stream(side: Side) -> None:
    """The same while streaming: the instance of the second answer, one more counted (shared/cases C03)."""
    with Scripted([streamed(ODD), streamed(ADA)]) as server, side(server.url, profile="openai") as client:
        parts, answer = client.parts("x", Person, attempts=2)
    assert {part.attempt for part in parts} == {1, 2}
    assert "".join(part.delta for part in parts if part.attempt == 2) == ADA
    assert parts[-1].is_complete
    assert parts[-1].value == answer.value == Person(name="Ada", age=36)
    assert answer.report.asked_again == 1


@both
def test_a_server_that_ignores_the_schema(side: Side) -> None:
    """A wrong shape with status 200 is an error and no success (shared/cases A06)."""
    with Scripted(answers('{"who": "Ada"}')) as server, side(server.url, profile="openai") as client:
        with pytest.raises(AnswerError) as caught:
            client.ask("chat", "x", Person, prefer="native")
        assert caught.value.report.calls >= 1
        assert client.client.counts.failures == 1


@both
def test_an_answer_that_was_cut_off(side: Side) -> None:
    """Is told as such, with what came."""
    cut = answers('{"name": "Ad', finish="length")
    with Scripted(cut) as server, side(server.url, profile="openai") as client, pytest.raises(TruncatedError) as caught:
        client.ask("chat", "x", Person, prefer="native", max_tokens=5)
    assert caught.value.text.startswith('{"name": "Ad')


@both
def test_a_stream_of_values(side: Side) -> None:
    """They grow; the last part and the answer have the instance."""
    script = streamed(['{"na', 'me": "A', 'da", "a', 'ge": 3', "6", "}"])
    with Scripted([script]) as server, side(server.url, profile="openai") as client:
        parts, answer = client.parts("x", Person)
    seen = [part.value for part in parts if not part.is_complete]
    assert [value for value in seen if value is not None][0] in ({}, {"name": "A"})  # noqa: RUF015
    assert {"name": "A"} in seen
    assert seen[-1] == {"name": "Ada", "age": 36}
    assert "".join(part.delta for part in parts) == answer.text == ADA
    assert answer.value == Person(name="Ada", age=36)
    assert server.heard[0].payload["stream"] is True


@both
def test_a_streamed_completion(side: Side) -> None:
    """``read`` gives the whole answer without the parts."""
    said = [{"choices": [{"index": 0, "text": text, "finish_reason": None}]} for text in (" wor", "ld")]
    last = {"choices": [{"index": 0, "text": "", "finish_reason": "stop"}], "usage": {"prompt_tokens": 5}}
    script: Script = [*events(*said, last, "[DONE]"), chunked("")]
    with Scripted([script]) as server, side(server.url, profile="openai") as client:
        stream = client.client.stream_completion("hello", stop="\n")
        answer = stream.read() if isinstance(client, SyncSide) else client.runner.run(stream.read())
        assert stream.answer is answer
    assert (answer.text, answer.report.prompt_tokens) == (" world", 5)
    assert server.heard[0].path == "/v1/completions"


@both
def test_a_stream_that_goes_wrong_is_hung_up_at_once(side: Side) -> None:
    """At the first byte that no valid answer has, though half a string was no error (shared/cases C02)."""
    script: Script = [*events(delta('{"code": "ab')), *events(delta('"'))[1:], HOLD]
    with Scripted([script]) as server, side(server.url, profile="openai", timeout=5.0) as client:
        texts: list[str] = []
        with pytest.raises(AnswerError) as caught:
            texts += [part.delta for part in client.parts("x", CODE, prefer="native")[0]]
        server.wait_until_open(0)
    assert "code" in str(caught.value)
    assert caught.value.text.startswith('{"code": "ab')


@both
@pytest.mark.parametrize(
    "rest",
    [
        [chunked("")],
        [RESET],
        [HOLD],
        [*events("[DONE]", "[DONE]", delta("more"))[1:], HOLD],
        [chunked("data: {"), CLOSE],
    ],
)
@pytest.mark.parametrize("constraint", [None, Person])
def test_a_stream_that_breaks_after_its_end(side: Side, rest: Script, constraint: object) -> None:
    """Is whole: the text had told why it ended."""
    script: Script = [*events(delta(ADA), delta(None, "stop")), *rest]
    with Scripted([script]) as server, side(server.url, profile="openai", timeout=0.4) as client:
        _, answer = client.parts("x", constraint)
    assert answer.text == ADA


@both
@pytest.mark.parametrize(
    ("rest", "kind"),
    [
        ([RESET], ConnectionFailedError),
        ([HOLD], ServiceTimeoutError),
        ([chunked("")], ProtocolError),
        ([chunked("data: oops\n\n"), HOLD], ProtocolError),
        ([*events({"error": {"message": "boom"}, "status_code": 500})[1:], HOLD], ServerFailedError),
    ],
)
@pytest.mark.parametrize("constraint", [None, Person])
def test_a_stream_that_breaks_in_the_middle(
    side: Side, rest: Script, kind: type[ServiceError], constraint: object
) -> None:
    """Is a typed error after the parts that came; no connection is left."""
    script: Script = [*events(delta('{"name": "A')), *rest]
    with Scripted([script]) as server, side(server.url, profile="openai", timeout=0.4, retries=QUICK) as client:
        with pytest.raises(ServiceError) as caught:
            client.parts("x", constraint, prefer="native")
        assert type(caught.value) is kind
        server.wait_until_open(0, 1)


@both
def test_any_cut_of_a_stream_gives_the_same(side: Side) -> None:
    """A hundred random cuts, in characters and escapes too: the same text, value and closed values (cases C06)."""
    text = json.dumps({"t": "né👍", "l": [1, 2.5, "\u2028\n"], "k\u00fc": {"a": None}}, ensure_ascii=False)
    text = text.replace("\u2028", "\\u2028")
    lots = random.Random(6)
    scripts = []
    for _ in range(100):
        cuts = sorted(lots.sample(range(1, len(text)), lots.randint(0, 8)))
        pieces = [text[one:other] for one, other in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        scripts.append(recut(streamed(pieces), lots))
    found = []
    with Scripted(scripts) as server, side(server.url, profile="vllm") as client:
        for _ in range(100):
            parts, answer = client.parts("x", {"type": "object"})
            found.append((answer.text, answer.value, closed(parts)))
    assert found == [(text, json.loads(text), found[0][2])] * 100


def recut(script: Script, lots: random.Random) -> Script:
    """The same bytes in chunks of other sizes."""
    head, body = script[0], b"".join(step.split(b"\r\n", 1)[1][:-2] for step in script[1:] if isinstance(step, bytes))
    cuts = sorted(lots.sample(range(1, len(body)), 20))
    pieces = [body[one:other] for one, other in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    return [head, b"".join(chunked(piece) for piece in pieces), chunked("")]


def closed(parts: list[Part]) -> list[str]:
    return [repr(event) for part in parts for event in part.events if type(event).__name__ == "ValueEnd"]


def weather(city: str, days: int = 1) -> None:
    """The weather of a city."""


@both
def test_tools(side: Side) -> None:
    """Calls with arguments that are what the tool takes: name, text, value."""
    arguments = '{"city": "Rome", "days": 2}'
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": arguments}}],
    }
    body = {**chat(""), "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    with Scripted([[json_answer(body)]]) as server, side(server.url, profile="openai") as client:
        answer = client.ask("chat", "Rome?", tools=[weather], tool_choice="required")
    (call,) = answer.calls
    assert (call.name, call.arguments, call.value) == ("weather", arguments, {"city": "Rome", "days": 2})
    assert server.heard[0].payload["tools"][0]["function"]["description"] == "The weather of a city."


#: Status, body, the class of the error, and a part of its message.
REFUSALS: list[tuple[int, Any, type[ServiceError], str]] = [
    (
        401,
        {"message": "Wrong API Key", "type": "invalid_request_error", "code": "wrong_api_key"},
        CredentialsError,
        "Key",
    ),
    (404, {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}, RejectedError, "model"),
    (400, {"message": "Tools with strict=True are not supported by this model"}, CapabilityError, "not supported"),
]


@both
@pytest.mark.parametrize(("status", "body", "kind", "words"), REFUSALS)
def test_refusals(side: Side, status: int, body: Any, kind: type[ServiceError], words: str) -> None:
    """By class, with what the API said; nothing is tried again."""
    with (
        Scripted([[json_answer(body, status)]]) as server,
        side(server.url, profile="openai", retries=QUICK) as client,
        pytest.raises(ServiceError, match=words) as caught,
    ):
        client.ask("chat", "hi")
    assert type(caught.value) is kind
    assert (caught.value.attempts, caught.value.status) == (1, status)
    assert len(server.heard) == 1


@both
def test_a_stream_that_is_left_early(side: Side) -> None:
    """Hangs up; there is no answer then."""
    script: Script = [*events(delta("a"), delta("b")), HOLD]
    with Scripted([script]) as server, side(server.url, profile="openai", timeout=5.0) as client:
        if isinstance(client, SyncSide):
            with client.client.stream("x") as stream:
                assert next(stream).delta == "a"
        else:
            stream = client.runner.run(first(client.client))
        server.wait_until_open(0)
        with pytest.raises(PolicyError, match="all parts"):
            _ = stream.answer


async def first(client: AsyncClient) -> Any:
    async with client.stream("x") as stream:
        assert (await anext(stream)).delta == "a"
        return stream


def test_a_stream_that_is_dropped_hangs_up() -> None:
    """Leaving a loop is enough for a synchronous one."""
    script: Script = [*events(delta("a"), delta("b")), HOLD]
    with Scripted([script]) as server, Client(server.url, model="m", profile="openai", timeout=5.0) as client:
        for part in client.stream("x"):
            assert part.delta == "a"
            break
        server.wait_until_open(0)


def test_an_asynchronous_stream_that_is_dropped_hangs_up() -> None:
    """Leaving a loop is enough there, too."""

    async def main(server: Scripted) -> None:
        async with AsyncClient(server.url, model="m", profile="openai", timeout=5.0) as client:
            async for part in client.stream("x"):
                assert part.delta == "a"
                break
            await asyncio.to_thread(server.wait_until_open, 0)

    with Scripted([[*events(delta("a"), delta("b")), HOLD]]) as server:
        asyncio.run(main(server))


def test_many_questions_of_one_asynchronous_client() -> None:
    """Each gets its own answer; those that are cancelled hang up and harm no other."""

    async def main(url: str) -> None:
        async with AsyncClient(url, model="m", profile="openai") as client:
            tasks = [asyncio.create_task(client.chat("x")) for _ in range(30)]
            await asyncio.sleep(0.01)
            for task in tasks[::3]:
                task.cancel()
            found = await asyncio.gather(*tasks, return_exceptions=True)
        kinds = [type(one) for one in found]
        assert [kind for index, kind in enumerate(kinds) if index % 3] == [Answer] * 20
        assert set(kinds[::3]) <= {asyncio.CancelledError, Answer}

    with Scripted([[0.05, json_answer(chat("Hello"))]]) as server:
        asyncio.run(main(server.url))
        server.wait_until_open(0)


def test_an_asynchronous_client_outlives_its_event_loop() -> None:
    """Programs may run one loop after the other; connections of a loop that has ended are not used."""
    with Scripted([[json_answer(chat("Hello"))]]) as server:
        client = AsyncClient(server.url, model="m", profile="openai", limits=Pool(idle=0))
        for _ in range(3):
            assert asyncio.run(client.chat("x")).text == "Hello"
        asyncio.run(client.close())
        with pytest.raises(PolicyError, match="closed"):
            asyncio.run(client.chat("x"))


def test_an_interrupt_hangs_up() -> None:
    """Ctrl-C while a program waits: the server sees it at once, and the client is as good as new."""
    with (
        Scripted([[HOLD], [json_answer(chat("Hello"))]]) as server,
        Client(server.url, model="m", profile="openai", limits=Pool(connections=1)) as client,
    ):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            client.chat("x")
        server.wait_until_open(0)
        assert client.chat("x").text == "Hello"
