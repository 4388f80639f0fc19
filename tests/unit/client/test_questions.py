"""What is asked, and what becomes of the answer; enforcement itself is a stand-in here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pydantic
import pytest

from maskwright.client import questions as module
from maskwright.client.answer import Answer
from maskwright.client.connection import Counts, Tally
from maskwright.client.flow import Emit, Flow
from maskwright.client.questions import Questions, added
from maskwright.client.report import Report
from maskwright.client.spending import Budget
from maskwright.client.task import Settings, Task
from maskwright.errors import AnswerError, ConnectionFailedError, ExhaustedError, PolicyError, TruncatedError
from tests.unit.client.plays import Play, reply

REPORT = Report(how="plain", calls=1, prompt_tokens=10, completion_tokens=5, seconds=2.0, notes=("n",))


class Even(pydantic.BaseModel):
    number: int

    @pydantic.field_validator("number")
    @classmethod
    def is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("it must be even")
        return value


class Enforcement:
    """Answers one text after the other; an exception among them is raised."""

    def __init__(self, *outcomes: str | Exception) -> None:
        self.outcomes = list(outcomes)
        self.tasks: list[Task] = []
        self.settings: list[Settings] = []

    def __call__(self, task: Task, settings: Settings) -> Flow[Answer]:
        self.tasks.append(task)
        self.settings.append(settings)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        if task.stream:
            for character in outcome:
                yield Emit(character)
        value = json.loads(outcome) if task.constraint is not None else None
        return Answer(text=outcome, value=value, report=REPORT)
        yield


@pytest.fixture
def enforcing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Enforcement]:
    def install(*outcomes: str | Exception) -> Enforcement:
        stand_in = Enforcement(*outcomes)
        monkeypatch.setattr(module, "enforce", stand_in)
        return stand_in

    return install


def asking(**settings: Any) -> tuple[Questions, Tally]:
    tally = Tally()
    return Questions(Settings(base_url="http://h/v1", model=settings.pop("model", "m"), **settings), tally), tally


def test_what_a_task_is_told(enforcing: Callable[..., Enforcement]) -> None:
    """Options go to the task, and those about whom to ask to the settings."""
    seen = enforcing("a", "{}", "b")
    questions, _ = asking()
    Play([]).run(
        questions.complete("p", None, {"max_tokens": 5, "stop": "x", "timeout": 3.0, "model": "n"}, stream=False)
    )
    Play([]).run(questions.chat("hi", {"type": "object"}, {"system": "s", "temperature": 0.0, "prefer": "loop"}))
    Play([]).run(questions.chat("hi", None, {}, tools=[{"name": "f"}], tool_choice="required", parallel=False))
    first, second, third = seen.tasks
    assert (first.prompt, first.max_tokens, first.stop, first.constraint) == ("p", 5, ("x",), None)
    assert (seen.settings[0].timeout, seen.settings[0].model, seen.settings[1].model) == (3.0, "n", "m")
    assert [message["role"] for message in second.messages] == ["system", "user"]
    assert (second.temperature, second.prefer) == (0.0, "loop")
    assert second.constraint is not None
    assert (third.tools[0]["function"]["name"], third.tool_choice, third.parallel) == ("f", "required", False)


def test_an_instance(enforcing: Callable[..., Enforcement]) -> None:
    """The answer's value is of the type that was asked for; its text is in the user's message, not beside it."""
    seen = enforcing('{"number": 2}')
    questions, tally = asking()
    answer = Play([]).run(questions.extraction("two", Even, "Count.", {}))
    assert answer.value == Even(number=2)
    assert [message["content"] for message in seen.tasks[0].messages] == ["Count.", "two"]
    assert tally.counts == Counts(answers=1, prompt_tokens=10, completion_tokens=5)


def test_a_refused_answer_is_an_error(enforcing: Callable[..., Enforcement]) -> None:
    """With the place, the reason, the text and the report (shared/cases C08); once is enough if nobody says more."""
    seen = enforcing('{"number": 1}', '{"number": 2}')
    questions, tally = asking()
    with pytest.raises(AnswerError, match="even") as caught:
        Play([]).run(questions.extraction("one", Even, None, {}))
    error = caught.value
    assert (error.place, error.text, error.report) == ("/number", '{"number": 1}', REPORT)
    assert len(seen.tasks) == 1
    assert tally.counts == Counts(failures=1, prompt_tokens=10, completion_tokens=5)


def test_a_refused_answer_is_asked_for_again_with_the_reason(enforcing: Callable[..., Enforcement]) -> None:
    """The model sees what it wrote and why that will not do; the report tells what both cost, and that it was asked."""
    seen = enforcing('{"number": 1}', '{"number": 3}', '{"number": 4}')
    questions, _ = asking()
    answer = Play([]).run(questions.extraction("x", Even, None, {"attempts": 3}))
    assert answer.value == Even(number=4)
    assert answer.report == added(added(REPORT, REPORT), added(REPORT, Report(asked_again=2)))
    assert (answer.report.calls, answer.report.asked_again, answer.report.seconds) == (3, 2, 6.0)
    assert answer.report.notes == ("n",)
    roles = [[message["role"] for message in task.messages] for task in seen.tasks]
    assert roles == [["system", "user", *["assistant", "user"] * number] for number in range(3)]
    said = seen.tasks[2].messages
    assert (said[2]["content"], said[4]["content"]) == ('{"number": 1}', '{"number": 3}')
    assert "/number: " in said[3]["content"]
    assert "it must be even" in said[3]["content"]


def test_the_last_refusal_is_told(enforcing: Callable[..., Enforcement]) -> None:
    """With what all attempts cost."""
    enforcing('{"number": 1}', AnswerError("no", text="x", report=REPORT))
    questions, tally = asking()
    with pytest.raises(AnswerError, match="no") as caught:
        Play([]).run(questions.extraction("x", Even, None, {"attempts": 2}))
    assert isinstance(caught.value.report, Report)
    assert (caught.value.report.calls, caught.value.report.asked_again) == (1 + 1, 1)
    assert tally.counts.prompt_tokens == 20


@pytest.mark.parametrize("error", [TruncatedError("cut"), ExhaustedError("spent"), ConnectionFailedError("gone")])
def test_what_asking_again_cannot_help(error: Exception, enforcing: Callable[..., Enforcement]) -> None:
    """Is told at once."""
    seen = enforcing(error, "{}")
    questions, _ = asking()
    with pytest.raises(type(error)):
        Play([]).run(questions.extraction("x", Even, None, {"attempts": 5}))
    assert len(seen.tasks) == 1


def test_one_budget_for_all_attempts(enforcing: Callable[..., Enforcement]) -> None:
    """What the first attempt cost is taken off."""
    seen = enforcing('{"number": 1}', '{"number": 2}')
    questions, _ = asking(budget=Budget(calls=5, tokens=100, seconds=9.0))
    Play([]).run(questions.extraction("x", Even, None, {"attempts": 2}))
    assert [settings.budget for settings in seen.settings] == [
        Budget(calls=5, tokens=100, seconds=9.0),
        Budget(calls=4, tokens=85, seconds=7.0),
    ]


def test_a_budget_that_is_spent_asks_no_more(enforcing: Callable[..., Enforcement]) -> None:
    """The refusal is then told with what was spent."""
    seen = enforcing('{"number": 1}', '{"number": 2}')
    questions, _ = asking(budget=Budget(calls=1))
    with pytest.raises(ExhaustedError, match="calls") as caught:
        Play([]).run(questions.extraction("x", Even, None, {"attempts": 2}))
    assert caught.value.text == '{"number": 1}'
    assert "even" in str(caught.value)
    assert len(seen.tasks) == 1


def test_streams_ask_again_too(enforcing: Callable[..., Enforcement]) -> None:
    """The parts of the second answer begin anew and say so; the last part has the instance (shared/cases C03)."""
    enforcing('{"number":1}', '{"number":2}')
    questions, _ = asking()
    play = Play([])
    answer = play.run(questions.chat("x", Even, {"attempts": 2}, stream=True))
    *parts, last = play.emitted
    assert [part.attempt for part in parts] == [1] * 12 + [2] * 12
    assert (parts[11].text, parts[-1].text, last.text) == ('{"number":1}', '{"number":2}', '{"number":2}')
    assert (parts[11].value, parts[-1].value) == ({"number": 1}, {"number": 2})
    assert [part.is_complete for part in play.emitted] == [False] * 24 + [True]
    assert last.value == answer.value == Even(number=2)
    assert answer.report.asked_again == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda q: q.complete(5, None, {}, stream=False),
        lambda q: q.complete("p", None, {"system": "s"}, stream=False),
        lambda q: q.complete("p", 5, {}, stream=False),
        lambda q: q.chat([], None, {}),
        lambda q: q.chat("x", None, {"max_token": 1}),
        lambda q: q.chat("x", {"type": "object"}, {}, tools=[{"name": "f"}]),
        lambda q: q.chat("x", {"type": "object"}, {"stop": "a"}),
        lambda q: q.chat("x", None, {}, tool_choice="required"),
        lambda q: q.extraction("x", None, None, {}),
        lambda q: q.extraction("x", Even, None, {"system": "s"}),
        lambda q: q.extraction("x", Even, 5, {}),
    ],
)
def test_what_cannot_be_asked_is_told_at_once(wrong: Callable[[Questions], object]) -> None:
    """Before a flow is run, so also before a stream is read."""
    questions, _ = asking()
    with pytest.raises(PolicyError):
        wrong(questions)


def models(*names: str) -> Any:
    return reply(data=json.dumps({"object": "list", "data": [{"id": name} for name in names]}))


def test_the_only_model_is_taken(enforcing: Callable[..., Enforcement]) -> None:
    """Where nobody said which; it is asked for once."""
    seen = enforcing("a", "b")
    questions, _ = asking(model=None)
    play = Play([models("smollm2")])
    for _ in range(2):
        play.run(questions.complete("p", None, {}, stream=False))
    assert [call.path for call in play.calls] == ["/v1/models"]
    assert [settings.model for settings in seen.settings] == ["smollm2", "smollm2"]


@pytest.mark.parametrize("names", [[], ["a", "b"]])
def test_which_model(names: list[str]) -> None:
    """Where there are several, or none, the error lists them."""
    questions, tally = asking(model=None)
    with pytest.raises(PolicyError, match=f"has {len(names)}: {', '.join(names) or 'none'}"):
        Play([models(*names)]).run(questions.complete("p", None, {}, stream=False))
    assert tally.counts.failures == 1


def test_reports_add_up() -> None:
    """Numbers and ids are joined, notes once each, the way is the last that was gone."""
    one = Report(how="a", calls=1, notes=("x", "y"), request_ids=("1",), is_degraded=True, changes=("c",))
    other = Report(how="b", calls=2, notes=("y", "z"), request_ids=("2",), unseen=0.5)
    assert added(one, other) == Report(
        how="b", calls=3, notes=("x", "y", "z"), request_ids=("1", "2"), is_degraded=True, unseen=0.5, changes=("c",)
    )
    assert added(one, None) == one
