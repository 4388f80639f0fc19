"""The flows behind the methods of both clients: what is asked, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from maskwright.client.answer import Answer
from maskwright.client.connection import Tally
from maskwright.client.conversations import messages_of, tools_of
from maskwright.client.enforcement import enforce
from maskwright.client.flow import Call, Emit, Flow, request
from maskwright.client.options import checked_options
from maskwright.client.parts import Progress, in_parts
from maskwright.client.report import Report
from maskwright.client.spending import Budget
from maskwright.client.targets import Target
from maskwright.client.task import Settings, Task
from maskwright.errors import (
    AnswerError,
    ExhaustedError,
    MaskwrightError,
    PolicyError,
    TruncatedError,
    excerpt,
)

__all__ = ["Questions", "added"]

_INSTRUCTIONS: Final = "Take what is asked for out of the text that follows. Answer with JSON and nothing else."
#: Most characters of a refused answer, and of the reason, that are sent back.
_SHOWN: Final = 20_000


class Questions:
    """Makes flows of what people ask. Arguments are checked at once, not when a flow is first run."""

    def __init__(self, settings: Settings, tally: Tally) -> None:
        """Ask whom the settings name, and count in ``tally``."""
        self.settings = settings
        self._tally = tally

    def complete(self, prompt: str, constraint: object, given: Mapping[str, Any], *, stream: bool) -> Flow[Answer]:
        """Go on with a text."""
        if not isinstance(prompt, str):
            raise PolicyError(f"prompt is a text, not {excerpt(prompt)}")
        options = checked_options(given)
        if "system" in options:
            raise PolicyError("a completion has no system message: put it into the prompt, or use chat()")
        return self._ask({"prompt": prompt, "stream": stream}, Target.of(constraint), options)

    def chat(
        self,
        messages: object,
        constraint: object,
        given: Mapping[str, Any],
        *,
        stream: bool = False,
        tools: Iterable[object] | None = None,
        tool_choice: object = "auto",
        parallel: bool = True,
    ) -> Flow[Answer]:
        """The next message of a conversation."""
        options = checked_options(given)
        task = {"messages": messages_of(messages, system=options.pop("system", None)), "stream": stream}
        given_tools = None if tools is None else _listed(tools)
        listed = tools_of(given_tools)
        if listed:
            task.update(tools=listed, tool_choice=tool_choice, parallel=parallel)
        elif tool_choice not in ("auto", "none"):
            raise PolicyError(f"tool_choice is {excerpt(tool_choice)}, but there are no tools")
        return self._ask(task, Target.of(constraint, given_tools or ()), options)

    def extraction(
        self, source: object, model: object, instructions: str | None, given: Mapping[str, Any]
    ) -> Flow[Answer]:
        """What a text says, as a value of a type or schema."""
        options = checked_options(given)
        if "system" in options:
            raise PolicyError("give the system message of an extraction as instructions")
        target = Target.of(model)
        if target.constraint is None:
            raise PolicyError("an extraction needs a schema, a constraint or a Python type")
        system = _INSTRUCTIONS if instructions is None else instructions
        return self._ask({"messages": messages_of(source, system=system)}, target, options)

    def models(self) -> Flow[tuple[str, ...]]:
        """The names of the models that the API has."""
        settings = self.settings
        call = Call("/v1/models", method="GET", timeout=settings.timeout)
        reply = yield from request(call, settings.retries)
        data = reply.object().get("data")
        if not isinstance(data, list):
            raise reply.fault(f"a list of models has `data`: {excerpt(reply.text)}")
        return tuple(str(model["id"]) for model in data if isinstance(model, dict) and "id" in model)

    def _ask(self, asked: dict[str, Any], target: Target, options: dict[str, Any]) -> Flow[Answer]:
        attempts: int = options.pop("attempts", 1)
        changes = {name: options.pop(name) for name in ("budget", "timeout", "model") if name in options}
        task = Task(constraint=target.constraint, **asked, **options)
        return self._counted(self._answered(task, target, replace(self.settings, **changes), attempts))

    def _answered(self, task: Task, target: Target, settings: Settings, attempts: int) -> Flow[Answer]:
        spent = Report()
        if settings.model is None:
            settings = replace(settings, model=(yield from self._only_model()))
        for attempt in range(1, attempts + 1):
            progress = Progress(task.constraint, attempt)
            flow = enforce(task, replace(settings, budget=_left(settings.budget, spent)))
            try:
                answer = yield from in_parts(flow, progress) if task.stream else flow
                answer = replace(target.read(answer), report=added(spent, answer.report))
            except AnswerError as error:
                error.report = spent = added(spent, error.report)
                if attempt == attempts or isinstance(error, (TruncatedError, ExhaustedError)):
                    raise
                _check_left(settings.budget, spent, error)
                spent = replace(spent, asked_again=spent.asked_again + 1)
                task = _again(task, error)
            else:
                if task.stream:
                    yield Emit(progress.last(answer.value if answer.value is not None else answer.text))
                return answer
        raise AssertionError("unreachable: the last attempt answers or raises")

    def _only_model(self) -> Flow[str]:
        models = yield from self.models()
        if len(models) != 1:
            names = ", ".join(models[:20]) or "none"
            raise PolicyError(f"which model? The API has {len(models)}: {names}; give model=")
        self.settings = replace(self.settings, model=models[0])
        return models[0]

    def _counted(self, flow: Flow[Answer]) -> Flow[Answer]:
        try:
            answer = yield from flow
        except MaskwrightError as error:
            self._count(getattr(error, "report", None), failures=1)
            raise
        self._count(answer.report, answers=1)
        return answer

    def _count(self, report: object, **more: int) -> None:
        if isinstance(report, Report):
            more.update(prompt_tokens=report.prompt_tokens, completion_tokens=report.completion_tokens)
        self._tally.add(**more)


def _listed(tools: Iterable[object]) -> Iterable[object]:
    """Tools that can be gone through twice; what is no list is refused where they are read."""
    return tools if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable) else tuple(tools)


def added(first: Report, second: object) -> Report:
    """What two answers cost together; the way is that of the second."""
    if not isinstance(second, Report):
        return first
    both: dict[str, Any] = {}
    for field in fields(Report):
        one, other = getattr(first, field.name), getattr(second, field.name)
        if field.name in {"how", "changes"}:
            both[field.name] = other or one
        elif isinstance(one, bool):
            both[field.name] = one or other
        elif field.name == "notes":
            both[field.name] = tuple(dict.fromkeys((*one, *other)))
        else:
            both[field.name] = one + other
    return Report(**both)


def _left(budget: Budget, spent: Report) -> Budget:
    """What is left of a budget of which not all is spent."""
    return Budget(
        calls=None if budget.calls is None else budget.calls - spent.calls,
        tokens=None if budget.tokens is None else budget.tokens - spent.tokens,
        seconds=None if budget.seconds is None else budget.seconds - spent.seconds,
    )


def _check_left(budget: Budget, spent: Report, error: AnswerError) -> None:
    """Raise ``ExhaustedError`` if nothing is left to ask again with."""
    for name in ("calls", "tokens", "seconds"):
        most, used = getattr(budget, name), getattr(spent, name)
        if most is not None and used >= most:
            reason = f"the answer was refused ({error}), and the budget of {most:g} {name} is spent"
            raise ExhaustedError(reason, text=error.text, place=error.place, report=spent) from error


def _again(task: Task, error: AnswerError) -> Task:
    """The same task with the refused answer and the reason."""
    refused, reason = error.text[:_SHOWN], str(error)[:_SHOWN]
    words = f"This answer is not accepted: {reason}. Answer once more, in full and without that mistake."
    if task.prompt is not None:
        return replace(task, prompt=f"{task.prompt}{refused}\n\n{words}\n\n")
    said = {"role": "assistant", "content": refused}
    return replace(task, messages=(*task.messages, said, {"role": "user", "content": words}))
