"""Tools: every call that is returned names a tool of the task and has arguments that its schema accepts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import maskwright as mw
from maskwright.client.enforcement import enforce
from maskwright.client.flow import Call, Reply
from maskwright.client.probing import Probes
from maskwright.client.profiles import PROFILES
from maskwright.client.task import Settings, Task
from maskwright.errors import AnswerError, CapabilityError
from tests.unit.client.scripted_model import Scripted, drive, intending

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
CLOCK = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}}
CHAT = ({"role": "user", "content": "How is the weather in Rome?"},)
BYTES = [bytes([byte]) for byte in range(256)]


class Calling:
    """A server that answers with calls; asked for JSON, with what a script gives."""

    def __init__(
        self, calls: list[tuple[str, str]], text: str = "", then: Callable[[dict[str, Any]], str] | None = None
    ) -> None:
        self.calls, self.text, self.then = calls, text, then
        self.asked: list[dict[str, Any]] = []

    def reply(self, call: Call) -> Reply:
        """Calls if there are tools."""
        payload = dict(call.payload or {})
        self.asked.append(payload)
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if "tools" in payload:
            message["tool_calls"] = [
                {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for i, (name, arguments) in enumerate(self.calls)
            ]
        elif self.then is not None:
            message["content"] = self.then(payload)
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Reply(200, {}, json.dumps({"choices": [choice]}).encode())


def ask(server: Any, profile: str = "openai", tool_format: str | None = None, **changed: Any) -> Any:
    """The answer of a server."""
    task = Task(**{"messages": CHAT, "tools": (WEATHER, CLOCK), "temperature": 0, **changed})
    settings = Settings(
        base_url="http://toy", model="m", profile=PROFILES[profile], probes=Probes(), tool_format=tool_format
    )
    return drive(enforce(task, settings), server)


def test_good_calls_are_returned_as_they_are() -> None:
    """In one call, with the ids of the API."""
    server = Calling([("weather", '{"city": "Rome", "days": 2}'), ("clock", "{}")])
    answer = ask(server)
    assert [(call.name, call.value, call.id) for call in answer.calls] == [
        ("weather", {"city": "Rome", "days": 2}, "c0"),
        ("clock", {}, "c1"),
    ]
    assert (answer.finish_reason, answer.report.calls) == ("tool_calls", 1)


def test_strict_tools_are_sent_in_the_providers_subset() -> None:
    """And what is absent in the original is absent in the arguments."""
    server = Calling([("weather", '{"city": "Rome", "days": null}')])
    answer = ask(server)
    sent = server.asked[0]["tools"][0]["function"]
    assert sent["strict"] is True
    assert sorted(sent["parameters"]["required"]) == ["city", "days"]
    assert answer.calls[0].value == {"city": "Rome"}


@pytest.mark.parametrize("wrong", ['{"city": 5}', '{"city": "Ro', '{"city": "Rome", "days": 0}', "Rome", ""])
def test_malformed_arguments_are_asked_for_again(wrong: str) -> None:
    """As JSON with the schema of the tool."""
    server = Calling([("weather", wrong)], then=lambda _: '{"city": "Rome"}')
    answer = ask(server)
    assert answer.calls[0].value == {"city": "Rome"}
    assert answer.calls[0].id == "c0"
    assert "response_format" in server.asked[1]


def test_arguments_that_stay_wrong_are_an_error() -> None:
    """Never a call."""
    server = Calling([("weather", "x")], then=lambda _: "[]")
    with pytest.raises(AnswerError):
        ask(server)


def test_a_call_that_must_be_made_is_made() -> None:
    """The model wrote text: the tool is chosen among the names, then its arguments."""

    def then(payload: dict[str, Any]) -> str:
        asked = payload["messages"][-1]["content"]
        return '{"answer": "weather"}' if "Which of these" in asked else '{"city": "Rome"}'

    server = Calling([], text="It is sunny.", then=then)
    answer = ask(server, tool_choice="required")
    assert [(call.name, call.value) for call in answer.calls] == [("weather", {"city": "Rome"})]


def test_text_is_an_answer_where_calls_need_not_be() -> None:
    """tool_choice auto."""
    answer = ask(Calling([], text="It is sunny."))
    assert (answer.text, answer.calls) == ("It is sunny.", ())


def test_one_call_is_kept_where_there_may_be_one() -> None:
    """Parallel is off."""
    answer = ask(Calling([("clock", "{}"), ("clock", "{}")]), parallel=False)
    assert len(answer.calls) == 1
    assert "of 2 calls" in answer.report.notes[0]


def test_calls_that_the_server_left_in_the_text_are_read() -> None:
    """Servers without a parser for the model's format."""
    text = 'Let me see.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    answer = ask(Calling([], text=text), tool_format="hermes")
    assert answer.calls[0].value == {"city": "Rome"}


def test_the_loop_writes_calls_in_the_models_format() -> None:
    """Where the API has no tools for the model, and chats can be gone on with."""
    target = b'<tool_call>\n{"name": "weather", "arguments": {"city": "Rome", "days": "two"}}\n</tool_call>'
    server = Scripted(intending(target, BYTES), [*BYTES, b""], native="refused", objects=True)
    answer = ask(server, "llamacpp", tool_format="hermes", tool_choice="required", prefer="loop")
    assert answer.calls[0].name == "weather"
    assert mw.compile(
        mw.json_schema(WEATHER["function"]["parameters"]),  # type: ignore[index]
        mw.Vocabulary.from_tokens([*BYTES, b""], end_ids=[256]),
    ).matches(answer.calls[0].arguments)
    assert answer.report.how == "tools+loop:prefill"


def test_without_tools_and_format_that_is_told() -> None:
    """An API without tools."""
    server = Scripted(intending(b"Hello", BYTES), [*BYTES, b""])
    with pytest.raises(CapabilityError):
        ask(server, "ollama", prefer="loop")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("weather", {"type": "function", "function": {"name": "weather"}}),
        ({"type": "function", "name": "weather"}, {"type": "function", "function": {"name": "weather"}}),
        ("auto", "auto"),
        ("required", "required"),
        (None, "auto"),
    ],
)
def test_a_choice_is_sent_as_apis_read_it(given: object, sent: object) -> None:
    """A tool's name, however it is given, as the object that names a function."""
    server = Calling([("weather", '{"city": "Rome"}')])
    ask(server, tool_choice=given)
    assert server.asked[0]["tool_choice"] == sent


def test_every_call_has_an_id_of_its_own() -> None:
    """Where the API tells none or one twice, and where the call was written from here."""
    server = Calling([("weather", '{"city": "Rome"}'), ("weather", '{"city": "Oslo"}')])
    good = server.reply

    def reply(call: Call) -> Reply:
        data = json.loads(good(call).data)
        for one in data["choices"][0]["message"]["tool_calls"]:
            one["id"] = "same"
        return Reply(200, {}, json.dumps(data).encode())

    server.reply = reply  # type: ignore[method-assign]
    ids = [call.id for call in ask(server).calls]
    assert len(set(ids)) == 2
    assert all(ids)
    made_up = Calling([], then=lambda _: '{"city": "Rome"}')
    assert ask(made_up, tool_choice="weather").calls[0].id


def test_a_turn_without_calls_has_its_text_as_value() -> None:
    """And one with calls has none."""
    assert ask(Calling([], text="It rains.")).value == "It rains."
    assert ask(Calling([("clock", "{}")])).value is None
