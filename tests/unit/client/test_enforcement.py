"""Whatever an API offers and whatever its model writes: an answer meets its constraint, or a typed error tells why."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwright as mw
from maskwright.client.enforcement import enforce
from maskwright.client.flow import Reply
from maskwright.client.probing import Probes
from maskwright.client.profiles import PROFILES
from maskwright.client.spending import Budget
from maskwright.client.task import Settings, Task
from maskwright.errors import (
    AnswerError,
    CapabilityError,
    ExhaustedError,
    MaskwrightError,
    ServiceError,
    TruncatedError,
)
from tests.unit.client.scripted_model import Distribution, Scripted, drive, intending

TOKENS = [
    *(bytes([byte]) for byte in range(256)),
    *(b'"name"', b'": ', b'", "', b": ", b", ", b'{"', b"Al", b"ice", b'"}', b"}\n", b" yes", b"yes", b"no", b"age"),
    *("é".encode(), "日".encode()[1:], b"```", b"```json\n", b"Sure", b"true", b" 34", b"12"),
]
VOCABULARY = mw.Vocabulary.from_tokens([*TOKENS, b""], end_ids=[len(TOKENS)])
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
GOOD = b'{"name": "Alice", "age": 34}'
CONSTRAINTS = {
    "person": mw.json_schema(PERSON),
    "compact": mw.json_schema(PERSON, whitespace="compact"),
    "list": mw.json_schema({"type": "array", "items": {"enum": ["no", "yes", 12]}, "minItems": 1, "maxItems": 3}),
    "optional": mw.json_schema({"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}),
    "nullable": mw.json_schema({"anyOf": [PERSON, {"type": "null"}, {"type": "number", "maximum": 1e9}]}),
    "choice": mw.choice(["yes", "no", "never"]),
    "code": mw.regex("[A-Z]{2}-[0-9]{1,3}"),
    "word": mw.regex("[a-zé日]+"),
    "object": mw.response_format({"type": "json_object"}),
    "grammar": mw.gbnf('root ::= "(" root ")" | "x"'),
}
TARGETS = [
    GOOD,
    b"Sure! " + GOOD,
    b"```json\n" + GOOD + b"\n```",
    b'{"age": 34, "name": "Alice"}',
    b'{"name": "Alice", "years": 3}',
    b"yes",
    b" yes.",
    b"AB-12",
    "日é".encode(),
    b"((x))",
    b"",
    b'["yes", 12]',
]


def person(**changed: Any) -> Task:
    """A task whose model wants to answer well."""
    fields: dict[str, Any] = {"prompt": "Answer:", "constraint": CONSTRAINTS["person"], "temperature": 0, **changed}
    if "messages" in changed:
        del fields["prompt"]
    return Task(**fields)


def ask(task: Task, server: Scripted, profile: str = "generic", **more: Any) -> Any:
    """The answer of a server."""
    chosen = Settings(base_url="http://toy", model="m", profile=PROFILES[profile], probes=Probes(), **more)
    return drive(enforce(task, chosen), server)


CHAT = ({"role": "user", "content": "Who is it?"},)


def wild(seed: int) -> Distribution:
    """A model that writes anything, and nothing for long."""

    def distribution(text: bytes) -> dict[bytes, float]:
        numbers = random.Random(f"{seed} {text!r}")
        chosen = numbers.sample([*TOKENS, b""], 12)
        return dict.fromkeys(chosen, 1 / 12)

    return distribution


def endless(text: bytes) -> dict[bytes, float]:
    """A model that does not stop."""
    del text
    return {b"a": 1.0}


servers = st.fixed_dictionaries(
    {
        "completions": st.booleans(),
        "prefill": st.sampled_from(["works", "echo", "ignored"]),
        "logprobs": st.sampled_from([None, 0, 1, 5, 20]),
        "bias": st.sampled_from([None, 0, 1, 10, 300]),
        "objects": st.booleans(),
        "native": st.sampled_from(["refused", "ignored", "given"]),
        "native_text": st.sampled_from(["{}", '{"name": "Bo", "age": 3', "no", '{"answer": "yes"}', GOOD.decode()]),
        "usage": st.booleans(),
        "owner": st.sampled_from(["someone", "vllm", "llamacpp", "maskwright"]),
        "minimum": st.booleans(),
        "tells_end": st.booleans(),
        "streams": st.booleans(),
    }
)


@settings(max_examples=150, deadline=None)
@given(
    offered=servers,
    name=st.sampled_from(sorted(CONSTRAINTS)),
    target=st.one_of(st.sampled_from(TARGETS), st.integers(0, 9)),
    profile=st.sampled_from([None, *PROFILES]),
    is_chat=st.booleans(),
    knows=st.booleans(),
    temperature=st.sampled_from([None, 0, 0.7]),
    prefer=st.sampled_from(["auto", "auto", "loop", "native"]),
    may_degrade=st.sampled_from([None, True, False]),
    calls=st.integers(1, 30),
    stream=st.booleans(),
)
def test_an_answer_meets_its_constraint_or_an_error_is_typed(
    offered: dict[str, Any],
    name: str,
    target: bytes | int,
    profile: str | None,
    *,
    is_chat: bool,
    knows: bool,
    temperature: float | None,
    prefer: Any,
    may_degrade: bool | None,
    calls: int,
    stream: bool,
) -> None:
    """And no more calls are made than the budget has, the report adds up, and what was emitted is the answer."""
    distribution = wild(target) if isinstance(target, int) else intending(target, TOKENS)
    server = Scripted(distribution, [*TOKENS, b""], **offered)
    task = Task(
        prompt=None if is_chat else "Answer:",
        messages=CHAT if is_chat else (),
        constraint=CONSTRAINTS[name],
        temperature=temperature,
        seed=3,
        prefer=prefer,
        may_degrade=may_degrade,
        stream=stream,
        max_tokens=200,
    )
    chosen = Settings(
        base_url="http://toy",
        model="m",
        profile=None if profile is None else PROFILES[profile],
        vocabulary=VOCABULARY if knows else None,
        probes=Probes(),
        budget=Budget(calls=calls),
    )
    emitted: list[str] = []
    report: Any = None
    try:
        answer = drive(enforce(task, chosen), server, emitted)
    except (AnswerError, ServiceError) as error:
        report = getattr(error, "report", None)
    else:
        report = answer.report
        assert mw.compile(CONSTRAINTS[name], VOCABULARY).matches(answer.text)
        if may_degrade is False:
            assert not report.is_degraded
        if stream:
            assert "".join(emitted) == answer.text
    answered = [path for path, _ in server.answered]
    billed = len([path for path in answered if path != "/v1/models"])
    assert billed <= calls
    if report is not None:
        assert report.calls == billed
        # What a stream that was left would have billed is told by nobody.
        is_told = offered["usage"] and not (stream and offered["streams"])
        assert not is_told or report.tokens == server.billed


# ---- one by one --------------------------------------------------------------------------------------------------


def test_a_model_that_does_as_told_costs_one_call() -> None:
    """The schema is in the prompt, and the answer comes in one piece."""
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""])
    answer = ask(person(prefer="loop"), server)
    assert answer.text == GOOD.decode()
    assert answer.value == {"name": "Alice", "age": 34}
    assert answer.report.calls == 1
    assert '{"name": string (maxLength 12), "age": integer}' in server.calls[0][1]["prompt"]


def test_what_can_only_be_one_text_costs_no_call() -> None:
    """Forced text is free."""
    server = Scripted(wild(1), [*TOKENS, b""])
    answer = ask(person(constraint=mw.choice(["only this"])), server)
    assert (answer.text, answer.report.calls, server.calls) == ("only this", 0, [])


def test_a_gateway_that_drops_the_constraint_is_found_out() -> None:
    """Case A06: HTTP 200 and a wrong shape; where a chat cannot be continued, that is an error, not an answer."""
    server = Scripted(wild(1), [*TOKENS, b""], native="given", native_text='{"wrong": 1}')
    with pytest.raises(AnswerError) as caught:
        ask(person(messages=CHAT), server, "fireworks")
    assert caught.value.text == '{"wrong": 1}'
    assert caught.value.report.calls == 3


def test_a_violation_is_gone_on_with_where_that_can_be() -> None:
    """From the longest valid beginning of what came."""
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""], native="given", native_text='{"name": "Al", "wrong": 1}')
    answer = ask(person(messages=CHAT), server, "maskwright")
    assert answer.value == {"name": "Al", "age": 34}
    assert answer.report.how == "native+loop:prefill"


def rambling(begun: bytes, then: bytes) -> Distribution:
    """A model that never ends."""

    def distribution(text: bytes) -> dict[bytes, float]:
        left = begun.removeprefix(text) if begun.startswith(text) else b""
        return {left[:1] or then: 1.0}

    return distribution


@pytest.mark.parametrize(
    ("constraint", "begun", "then", "expected"),
    [
        ("code", b"AB-123", b"x", "AB-123"),
        ("code", b"AB-123", b"\n", "AB-123"),
        ("person", GOOD, b"\n", GOOD.decode()),
        ("person", GOOD + b"\n\nThis ", b"is ", GOOD.decode()),
        ("person", b"Sure: " + GOOD, b" ", GOOD.decode()),
        ("person", b'{"age": 34, "name": "Alice"}', b" ok", GOOD.decode()),
    ],
)
def test_a_server_that_drops_the_constraint_is_left(constraint: str, begun: bytes, then: bytes, expected: str) -> None:
    """It would write to the end of its context where nobody bounds it; what it wrote before is used."""
    server = Scripted(rambling(begun, then), [*TOKENS, b""], native="ignored", usage=False, context=100_000)
    answer = ask(person(constraint=CONSTRAINTS[constraint]), server, "maskwright")
    assert answer.text == expected
    assert answer.report.completion_tokens < 2_000


def test_an_answer_that_was_cut_off_is_gone_on_with() -> None:
    """Or told as such where it cannot be."""
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""], native="given", native_text='{"name": "Alice", "a')
    assert ask(person(messages=CHAT), server, "llamacpp").text == GOOD.decode()


def test_what_the_provider_does_not_take_is_left_out_reported_and_checked() -> None:
    """Case A02: minItems is not sent to Cerebras, and an empty list is refused here."""
    schema = {
        "type": "object",
        "properties": {"l": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
        "required": ["l"],
        "additionalProperties": False,
    }
    task = person(messages=CHAT, constraint=mw.json_schema(schema))
    server = Scripted(wild(1), [*TOKENS, b""], native="given", native_text='{"l": []}')
    with pytest.raises(AnswerError, match="minItems") as caught:
        ask(task, server, "cerebras")
    sent = server.calls[0][1]["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert "minItems" not in str(sent["schema"])
    assert any("minItems" in change for change in caught.value.report.changes)
    server.native_text = '{"l": ["a"]}'
    assert ask(task, server, "cerebras").value == {"l": ["a"]}


def test_absent_properties_come_back_absent() -> None:
    """OpenAI wants all properties, nullable; the answer has the shape of the original schema."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"]}
    task = person(messages=CHAT, constraint=mw.json_schema(schema))
    server = Scripted(wild(1), [*TOKENS, b""], native="given", native_text='{"a":null,"b":"x"}')
    assert ask(task, server, "openai").value == {"b": "x"}


@pytest.mark.parametrize("profile", ["openai", "cerebras"])
def test_a_choice_is_asked_for_as_a_property(profile: str) -> None:
    """Where only objects can be asked for."""
    server = Scripted(wild(1), [*TOKENS, b""], native="given", native_text='{"answer": "never"}')
    answer = ask(person(messages=CHAT, constraint=CONSTRAINTS["choice"]), server, profile)
    assert answer.text == "never"


def test_prose_around_a_json_value_is_taken_off() -> None:
    """Where the model can only be asked; and it is noted."""
    server = Scripted(intending(b"Sure: ```json\n" + GOOD + b"\n```", TOKENS), [*TOKENS, b""])
    answer = ask(person(messages=CHAT), server, "openai")
    assert answer.text == GOOD.decode()
    assert "the answer stood in a code fence" in answer.report.notes


def test_keys_in_another_order_are_put_in_order() -> None:
    """The value is right, its spelling is not: no other call is needed."""
    server = Scripted(intending(b'{"age": 34, "name": "Alice"}', TOKENS), [*TOKENS, b""])
    answer = ask(person(messages=CHAT), server, "openai")
    assert (answer.text, answer.report.asked_again) == (GOOD.decode(), 0)


def test_a_bias_that_is_not_applied_is_not_used() -> None:
    """Cerebras in August 2026: the field is taken, and changes nothing; one probe finds out, once."""
    probes = Probes()
    chosen = Settings(
        base_url="http://toy", model="m", profile=PROFILES["cerebras"], vocabulary=VOCABULARY, probes=probes
    )
    for _ in range(2):
        server = Scripted(intending(b"maybe", TOKENS), [*TOKENS, b""], bias=0, logprobs=0)
        answer = drive(enforce(person(constraint=CONSTRAINTS["choice"], prefer="loop"), chosen), server)
        assert answer.text in ("yes", "no", "never")
        assert answer.report.biased == 0
    assert probes.known("http://toy", "m").bias == 0
    assert not any("logit_bias" in payload for _, payload in server.calls)
    assert answer.report.probes == 0


@pytest.mark.parametrize("cap", [1, 7, 100, 250])
def test_the_cap_of_a_bias_is_found_by_refusals(cap: int) -> None:
    """As many entries are used as are taken, and no more are sent once that is known."""
    probes = Probes()
    chosen = Settings(
        base_url="http://toy", model="m", profile=PROFILES["openai"], vocabulary=VOCABULARY, probes=probes
    )
    server = Scripted(intending(b"maybe", TOKENS), [*TOKENS, b""], bias=cap, logprobs=0)
    drive(enforce(person(constraint=CONSTRAINTS["code"], prefer="loop"), chosen), server)
    words = sum(token.isalpha() and token.isascii() for token in TOKENS)
    assert min(cap, words - 8) <= (probes.known("http://toy", "m").bias or 0) <= cap


def test_scores_choose_where_nothing_else_can() -> None:
    """The likeliest way on, in one call."""

    def distribution(text: bytes) -> dict[bytes, float]:
        return {b"x": 0.9, b"no": 0.02, b"yes": 0.05, b"n": 0.01, b"": 0.02}

    server = Scripted(distribution, [*TOKENS, b""], logprobs=0)
    answer = ask(person(constraint=mw.choice(["yes", "no"]), prefer="loop"), server, "together")
    assert (answer.text, answer.report.scored, answer.report.is_degraded) == ("yes", 2, False)


def test_nothing_is_chosen_for_the_model_if_that_is_not_wanted() -> None:
    """The error says what it wrote, and where."""
    server = Scripted(intending(b"maybe", TOKENS), [*TOKENS, b""], logprobs=0)
    with pytest.raises(AnswerError, match="m"):
        ask(person(constraint=CONSTRAINTS["choice"], prefer="loop", may_degrade=False), server)


def test_budgets_end_an_answer_with_what_there_is() -> None:
    """Calls, tokens and seconds."""
    for budget in (Budget(calls=3), Budget(tokens=300), Budget(seconds=0.05)):
        server = Scripted(endless, [*TOKENS, b""])
        with pytest.raises(ExhaustedError) as caught:
            ask(person(constraint=mw.regex("a+b"), prefer="loop"), server, budget=budget)
        assert set(caught.value.text) == {"a"}
        assert caught.value.report.calls == len(server.calls)
        assert budget.tokens is None or server.billed <= budget.tokens


def test_max_tokens_is_told_as_truncation() -> None:
    """The answer would be longer than the task allows."""
    server = Scripted(endless, [*TOKENS, b""])
    with pytest.raises(TruncatedError):
        ask(person(constraint=mw.regex("a+b"), prefer="loop", max_tokens=50), server)
    assert server.billed <= 50 + 10 * len(server.calls)


def test_fields_that_are_refused_are_not_sent_again() -> None:
    """Logprobs here; and the request goes through without them."""
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""], logprobs=None)
    answer = ask(person(prefer="loop"), server)
    assert answer.text == GOOD.decode()
    assert ["logprobs" in payload for _, payload in server.calls] == [True, False]


def test_an_unknown_api_is_known_by_what_it_says_of_its_models() -> None:
    """One request without tokens, once for an address."""
    server = Scripted(
        intending(GOOD, TOKENS), [*TOKENS, b""], owner="llamacpp", native="given", native_text=GOOD.decode()
    )
    probes = Probes()
    chosen = Settings(base_url="http://toy", model="m", probes=probes)
    first = drive(enforce(person(messages=CHAT), chosen), server)
    second = drive(enforce(person(messages=CHAT), replace(chosen, model="n")), server)
    assert [path for path, _ in server.calls] == ["/v1/models", "/v1/chat/completions", "/v1/chat/completions"]
    assert "grammar" in server.calls[1][1]
    assert (first.report.calls, second.report.calls) == (1, 1)


def test_a_task_is_checked() -> None:
    """What has no meaning is refused before anything is sent."""
    for wrong in (
        {"prompt": None},
        {"messages": CHAT, "prompt": "x"},
        {"constraint": "x"},
        {"prefer": "x"},
        {"stop": ("x",)},
    ):
        with pytest.raises(MaskwrightError):
            Task(**{"prompt": "Answer:", "constraint": CONSTRAINTS["choice"], **wrong})  # type: ignore[arg-type]


def test_an_api_that_cannot_do_it_is_told_so() -> None:
    """No native way and nothing to go on with."""
    server = Scripted(wild(1), [*TOKENS, b""], completions=False)
    with pytest.raises(CapabilityError):
        ask(person(), server, "ollama")


def test_pieces_are_certain_when_they_are_emitted() -> None:
    """A stream that goes wrong is left, and the answer goes on from what was emitted."""
    emitted: list[str] = []
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""], native="given", native_text='{"name": "Al", "wrong": 1}')
    chosen = Settings(base_url="http://toy", model="m", profile=PROFILES["maskwright"], probes=Probes())
    answer = drive(enforce(person(messages=CHAT, stream=True), chosen), server, emitted)
    assert "".join(emitted) == answer.text == '{"name": "Al", "age": 34}'
    assert len(emitted) > 2
    assert answer.report.how == "native+loop:prefill"


@pytest.mark.parametrize("told", [{}, {"choices": []}, {"error": {"message": "no"}}, {"choices": None}])
def test_an_answer_without_choices_is_none(told: dict[str, Any]) -> None:
    """Even where the empty text would do."""

    class Odd:
        def reply(self, call: Any) -> Reply:
            del call
            return Reply(200, {}, json.dumps(told).encode())

    with pytest.raises(ServiceError):
        ask(person(constraint=mw.regex("a*"), prefer="loop"), Odd())  # type: ignore[arg-type]
    with pytest.raises(ServiceError):
        ask(person(constraint=None), Odd())  # type: ignore[arg-type]


def test_a_token_in_another_case_stands_for_the_allowed_one() -> None:
    """Where no other was reported: True for true, the likeliest first."""

    def distribution(text: bytes) -> dict[bytes, float]:
        return {b"": 0.99, b"x": 0.01} if text else {b"It": 0.6, b"Never": 0.2, b" YES": 0.15, b"": 0.05}

    server = Scripted(distribution, [*TOKENS, b""])
    answer = ask(person(constraint=CONSTRAINTS["choice"], prefer="loop"), server)
    assert (answer.text, answer.report.repairs, answer.report.is_degraded) == ("never", 1, False)


def test_a_model_that_lost_its_way_is_led_to_the_next_decision() -> None:
    """Marks and keys that must come are written for it; blanks stand as models write them."""
    server = Scripted(intending(b'{"name": "Alice"; 34', TOKENS), [*TOKENS, b""], logprobs=0)
    answer = ask(person(prefer="loop"), server)
    assert answer.text.startswith('{"name": "Alice", "age": ')
    assert any(payload["prompt"].endswith(', "age":') for _, payload in server.calls)


def test_an_api_without_completions_is_not_asked_for_them() -> None:
    """Mistral has chats only."""
    server = Scripted(wild(1), [*TOKENS, b""])
    with pytest.raises(CapabilityError, match="chat"):
        ask(person(), server, "mistral")
    assert not server.calls


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (mw.choice(["only this"]), "only this"),
        (mw.regex("only [t]his"), "only this"),
        (mw.lark('start: "only" " " "this"'), "only this"),
        (mw.gbnf('root ::= "only this"'), "only this"),
        (mw.choice(["12"]), "12"),
        (mw.json_schema({"const": "only this"}), '"only this"'),
    ],
    ids=["choice", "regex", "lark", "gbnf", "digits", "json"],
)
def test_an_answer_has_its_value(constraint: mw.Constraint, text: str) -> None:
    """The JSON value where all answers are JSON, and else the text itself."""
    answer = ask(person(constraint=constraint), Scripted(intending(text.encode(), [*TOKENS, b""]), [*TOKENS, b""]))
    assert answer.text == text
    assert answer.value == (json.loads(text) if constraint.kind == "json_schema" else text)


@pytest.mark.parametrize(
    ("finish", "used", "limit", "expected"),
    [
        ("stop", 5, 12, "stop"),
        ("length", 12, 12, "length"),
        ("stop", 12, 12, "length"),
        ("length", None, None, "length"),
        ("stop", None, 12, "stop"),
    ],
)
def test_an_answer_that_its_bound_may_have_closed_says_so(
    finish: str, used: int | None, limit: int | None, expected: str
) -> None:
    """It is whole and meets the constraint; its reason to end is ``length``, and the report has a note."""

    class Closing:
        def reply(self, _: object) -> Reply:
            choice = {"index": 0, "message": {"content": '{"name": "", "age": 2}'}, "finish_reason": finish}
            usage = {} if used is None else {"usage": {"prompt_tokens": 9, "completion_tokens": used}}
            return Reply(200, {}, json.dumps({"choices": [choice], **usage}).encode())

    task = person(max_tokens=limit, messages=({"role": "user", "content": "Who?"},))
    answer = drive(
        enforce(task, Settings(base_url="http://toy", model="m", profile=PROFILES["cerebras"], probes=Probes())),
        Closing(),  # type: ignore[arg-type]
    )
    assert (answer.value, answer.finish_reason) == ({"name": "", "age": 2}, expected)
    assert any("last token" in note for note in answer.report.notes) is (expected == "length")


@pytest.mark.parametrize("param", [None, "max_tokens"])
def test_what_the_api_said_of_a_bound_is_kept(param: str | None) -> None:
    """It refused with a remedy; the loop, which then ran out of tokens, tells it."""
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""])
    words = "the shortest output that was found takes 8 tokens (raise it)"
    good = server.reply

    def reply(call: Any) -> Reply:
        if "response_format" in (call.payload or {}):
            return Reply(400, {}, json.dumps({"error": {"message": words, "param": param}}).encode())
        return good(call)

    server.reply = reply  # type: ignore[method-assign]
    with pytest.raises(TruncatedError, match="takes 8 tokens"):
        ask(person(max_tokens=2, messages=CHAT), server, "vllm")


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_was_closed_early_is_marked(*, stream: bool) -> None:
    """Where the API says so, as ours does: the report has it as chosen for the model."""
    server = Scripted(intending(GOOD, TOKENS), [*TOKENS, b""], native="given", native_text=GOOD.decode())
    good = server._wrapped

    def wrapped(*arguments: Any, **more: Any) -> dict[str, Any]:
        data = good(*arguments, **more)
        data["choices"][0]["closed_early"] = True
        return data

    server._wrapped = wrapped  # type: ignore[method-assign]
    plain = server._events

    def events(data: dict[str, Any]) -> list[str]:
        *first, done = plain(data)
        return [*first, json.dumps({"choices": [{"index": 0, "delta": {}, "closed_early": True}]}), done]

    server._events = events  # type: ignore[method-assign]
    answer = ask(person(max_tokens=99, messages=CHAT, stream=stream), server, "vllm")
    assert (answer.text, answer.finish_reason) == (GOOD.decode(), "length")
    assert answer.report.is_degraded
