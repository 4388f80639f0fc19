"""Answers of a model that is given tools: every call names a tool and has arguments that its schema accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final
from uuid import uuid4

from maskwright.client.answer import Answer
from maskwright.client.constrained import constrained
from maskwright.client.discovery import prefill_of
from maskwright.client.draws import Drawn
from maskwright.client.exchange import Exchange
from maskwright.client.flow import Emit, Flow, Now
from maskwright.client.forms import forms_of
from maskwright.client.native import rewritten
from maskwright.client.profiles import Profile
from maskwright.client.prompts import named_tools
from maskwright.client.spending import Ledger
from maskwright.client.task import Settings, Task
from maskwright.client.verification import verify
from maskwright.client.writing import byte_vocabulary
from maskwright.constraint import Constraint, choice, json_schema
from maskwright.dialects import Rewriting
from maskwright.errors import AnswerError, CapabilityError, OutputError, RejectedError, TruncatedError
from maskwright.guide import compile_guide
from maskwright.tags.parsing import parse_tools, parser_of
from maskwright.tags.parsing_events import Call, Parsed
from maskwright.tags.tools import tools as tools_constraint
from maskwright.tags.toolset import Choice, Tool, read_choice, read_tools

__all__ = ["called", "identified"]

_ANY_OBJECT: Final = '{"type": "object"}'
_KEPT: Final = 256
#: Characters of an id that is made here, as many as OpenAI's have.
_ID: Final = 24
#: Families whose calls are plain text, by the names of their models; calls with control tokens do not pass through the
#: texts of APIs.
_FAMILIES: Final = ((r"qwen3[-_]?coder", "qwen3_coder"), (r"qwen|hermes|smollm", "hermes"), (r"llama-?3", "llama3"))


def called(task: Task, settings: Settings, profile: Profile, ledger: Ledger) -> Flow[Answer]:
    """Text or calls, as the task's ``tool_choice`` says.

    The API's own tools are asked for and every call is verified; arguments that are malformed are written again from
    their longest valid beginning, or asked for as JSON. Where the API has no tools, and the format of the model's calls
    is known (``Settings.tool_format``), the whole turn is written under a constraint; a call that must be made is asked
    for as a name and arguments.

    Raises:
        ServiceError: the API gave no answer.
        AnswerError: it does not make the calls that it must make.
    """
    return (yield from _Turn(task, settings, profile, ledger).run())


@dataclass(frozen=True)
class _Sent:
    """A tool as it was sent."""

    given: Mapping[str, Any]
    rewriting: Rewriting | None = None


class _Turn:
    """One answer of a model with tools."""

    def __init__(self, task: Task, settings: Settings, profile: Profile, ledger: Ledger) -> None:
        self._task, self._settings, self._profile, self._ledger = task, settings, profile, ledger
        listed = read_tools(task.tools, strict=None)
        self._choice: Choice = read_choice(task.tool_choice, listed)
        self._tools = {tool.name: tool for tool in listed}
        self._functions = {tool.name: _function(given) for tool, given in zip(listed, task.tools, strict=True)}
        #: How the calls came, but for what had to be asked for beside them.
        self._how = "tools"
        names = self._choice.names
        self._names = [name for name in self._tools if names is None or name in names]

    def run(self) -> Flow[Answer]:
        if self._task.prefer != "loop" and self._profile.tools:
            try:
                return (yield from self._native())
            except (CapabilityError, RejectedError) as error:
                if self._task.prefer == "native" or not isinstance(error, CapabilityError):
                    raise
                self._ledger.note(f"tools were refused: {error.message[:200]}")
        form = self._form
        if form is not None:
            plain = Exchange(self._task, self._settings, self._profile, self._ledger, messages=self._task.messages)
            if (yield from prefill_of(plain)):
                return (yield from self._written(form))
        return (yield from self._made_up(Drawn()))

    @property
    def _form(self) -> str | None:
        """How the model writes calls, as told or by its name."""
        model = (self._settings.model or "").lower()
        known = next((form for pattern, form in _FAMILIES if re.search(pattern, model)), None)
        return self._settings.tool_format or known

    # ---- the API's own tools --------------------------------------------------------------------------------------

    def _native(self) -> Flow[Answer]:
        self._how = self._ledger.how = "native:tools"
        sent = self._sent()
        fields: dict[str, Any] = {"tools": [one.given for one in sent.values()], "tool_choice": self._sent_choice}
        if not self._task.parallel:
            fields["parallel_tool_calls"] = False
        exchange = Exchange(self._task, self._settings, self._profile, self._ledger, messages=self._task.messages)
        if self._task.stream:
            stream = yield from exchange.open(limit=self._task.max_tokens, more=fields)
            while (piece := (yield from stream.piece())) is not None:
                if piece:
                    yield Emit(piece)
            drawn = yield from stream.close()
        else:
            drawn = yield from exchange.ask(limit=self._task.max_tokens, more=fields)
        if not drawn.calls:
            return (yield from self._without_calls(drawn))
        calls = []
        for call in drawn.calls:
            calls.append((yield from self._checked(call, sent, drawn)))
            if not self._task.parallel:
                if len(drawn.calls) > 1:
                    self._ledger.note(f"of {len(drawn.calls)} calls the first was kept: there may be one")
                break
        return (yield from self._answer(drawn.text.decode("utf-8", "replace"), tuple(calls), drawn.reasoning))

    @property
    def _sent_choice(self) -> object:
        """The choice in the shape that every API takes; a list of allowed tools stays as it was given."""
        if self._choice.mode == "named" and self._choice.names:
            return {"type": "function", "function": {"name": self._choice.names[0]}}
        return self._task.tool_choice if isinstance(self._task.tool_choice, Mapping) else self._choice.mode

    def _sent(self) -> dict[str, _Sent]:
        """The tools as the API takes them; strict where all can be."""
        plain = {name: _Sent(_given(self._functions[name])) for name in self._tools}
        if not self._profile.strict_tools or any(tool.is_loose for tool in self._tools.values()):
            return plain
        found: dict[str, _Sent] = {}
        for name, tool in self._tools.items():
            rewriting = rewritten(tool.schema, self._profile, self._ledger)
            if rewriting is not None and (rewriting.unmendable or not isinstance(rewriting.schema, dict)):
                self._ledger.note(f"tools are not sent as strict: {self._profile.title} does not take {name}")
                return plain
            schema = tool.schema if rewriting is None else rewriting.schema
            found[name] = _Sent(_given(self._functions[name], parameters=schema, strict=True), rewriting)
        return found

    def _checked(self, call: Mapping[str, Any], sent: Mapping[str, _Sent], drawn: Drawn) -> Flow[Call]:
        """A call with arguments that the schema accepts."""
        told = call.get("function")
        function = told if isinstance(told, dict) else {}
        name, arguments, call_id = function.get("name"), function.get("arguments"), call.get("id")
        if not isinstance(name, str) or name not in self._names:
            self._ledger.note(f"a call of {str(name)[:60]!r}, which is no tool that may be called")
            name = yield from self._chosen()
            arguments = ""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        tool = self._tools[name]
        constraint = _arguments(tool)
        used = sent[name].rewriting
        verdict = verify(constraint, forms_of(constraint), text, used, is_wrapped=False)
        if verdict.text is None:
            if self._task.prefer == "native":
                error = TruncatedError if drawn.finish == "length" else AnswerError
                raise error(f"arguments of {name}: {verdict.reason}", text=text, place=verdict.place)
            self._ledger.note(f"arguments of {name} were written again: {verdict.place} {verdict.reason[:160]}")
            return (yield from self._argued(tool, text.encode("utf-8", "replace"), call_id))
        return _call(name, verdict.text, call_id)

    def _without_calls(self, drawn: Drawn) -> Flow[Answer]:
        """Text: the answer if it may be, or calls that the API did not read as such."""
        text = drawn.text.decode("utf-8", "replace")
        form = self._form
        if form is not None and self._choice.mode != "none":
            try:
                parsed = parse_tools(text, format=form, tools=self._names)
            except OutputError:
                parsed = Parsed()
            if parsed.calls:
                self._ledger.note("calls stood in the text")
                sent = self._sent()
                calls = []
                for call in parsed.calls:
                    told = {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
                    calls.append((yield from self._checked(told, sent, drawn)))
                return (yield from self._answer(parsed.content, tuple(calls), drawn.reasoning))
        if self._choice.mode in ("auto", "none"):
            return (yield from self._answer(text, (), drawn.reasoning, drawn.finish or "stop"))
        if self._task.prefer == "native":
            raise AnswerError("no tool was called, and one must be", text=text)
        return (yield from self._made_up(drawn))

    # ---- calls made up from a name and arguments ------------------------------------------------------------------

    def _made_up(self, drawn: Drawn) -> Flow[Answer]:
        """A call that must be made: its tool, then its arguments."""
        if self._choice.mode in ("auto", "none"):
            raise CapabilityError(f"{self._profile.title} has no tools for this model; give tool_format for the loop")
        self._ledger.note("the call was asked for as JSON")
        name = yield from self._chosen()
        call = yield from self._argued(self._tools[name], b"", None)
        return (yield from self._answer("", (call,), drawn.reasoning))

    def _chosen(self) -> Flow[str]:
        """The name of a tool that may be called."""
        if len(self._names) == 1:
            return self._names[0]
        lines = "\n".join(f"{name}: {self._description(name)}" for name in self._names)
        words = f"Which of these functions is to be called?\n{lines}\nAnswer with its name only."
        outcome = yield from constrained(
            self._asking(words), choice(self._names), self._settings, self._profile, self._ledger
        )
        return outcome.text

    def _argued(self, tool: Tool, begun: bytes, call_id: object) -> Flow[Call]:
        """A call whose arguments are written under their schema, from what is valid of a beginning."""
        words = (
            f"Call the function {tool.name}: {self._description(tool.name)}\nWrite its arguments as one JSON object."
        )
        outcome = yield from constrained(
            self._asking(words), _arguments(tool), self._settings, self._profile, self._ledger, begun=begun
        )
        return _call(tool.name, outcome.text, call_id)

    def _description(self, name: str) -> str:
        return str(self._functions[name].get("description", ""))

    def _asking(self, words: str) -> Task:
        messages = (*self._task.messages, {"role": "user", "content": words})
        return replace(self._task, messages=messages, tools=(), stream=False, tool_choice="auto")

    # ---- the loop -------------------------------------------------------------------------------------------------

    def _written(self, form: str) -> Flow[Answer]:
        """A whole turn under the constraint of the model's format."""
        constraint = tools_constraint(
            self._task.tools, choice=self._task.tool_choice, parallel=self._task.parallel, format=form
        )
        system = {"role": "system", "content": named_tools(self._task.tools, _example(form))}
        messages = list(self._task.messages)
        if messages and messages[0].get("role") == "system" and isinstance(messages[0].get("content"), str):
            system["content"] = f"{messages[0]['content']}\n\n{system['content']}"
            messages = messages[1:]
        task = replace(self._task, messages=(system, *messages), tools=(), prefer="loop", schema_in_prompt=False)
        outcome = yield from constrained(task, constraint, self._settings, self._profile, self._ledger)
        parser = parser_of(constraint)
        parser.feed(outcome.text)
        parsed = parser.close()
        return (yield from self._answer(parsed.content, parsed.calls, parsed.reasoning or None))

    def _answer(self, text: str, calls: tuple[Call, ...], reasoning: str | None, finish: str = "stop") -> Flow[Answer]:
        now: float = yield Now()
        if self._ledger.how != self._how:
            self._ledger.how = f"{self._how}+{self._ledger.how}"
        reason = "tool_calls" if calls else finish
        return Answer(
            text=text,
            value=None if calls else text,
            calls=identified(calls),
            reasoning=reasoning,
            finish_reason=reason,
            report=self._ledger.report(now),
        )


def identified(calls: Sequence[Call]) -> tuple[Call, ...]:
    """Calls that all have an id, each another one: without it no API reads the message that gives a call's result."""
    found: list[Call] = []
    taken: set[str] = set()
    for call in calls:
        name = call.id
        if not name or name in taken:
            name = f"call_{uuid4().hex[:_ID]}"
        taken.add(name)
        found.append(replace(call, id=name))
    return tuple(found)


def _function(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a tool in OpenAI's shape, or a bare one, says of its function."""
    inner = given.get("function")
    return inner if isinstance(inner, Mapping) else given


def _given(function: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    """A tool in OpenAI's shape."""
    known = {name: function[name] for name in ("name", "description", "parameters", "strict") if name in function}
    return {"type": "function", "function": {**known, **changed}}


@lru_cache(maxsize=_KEPT)
def _compiled(schema: str) -> Constraint:
    return json_schema(schema)


def _arguments(tool: Tool) -> Constraint:
    return _compiled(_ANY_OBJECT if tool.is_loose else json.dumps(tool.schema))


def _call(name: str, arguments: str, call_id: object) -> Call:
    return Call(name, arguments, json.loads(arguments), call_id if isinstance(call_id, str) and call_id else None)


def _example(form: str) -> str:
    """A call as the format writes it: the shortest turn in which a tool must be called."""
    tool = {"name": "NAME", "parameters": {"type": "object"}}
    constraint = tools_constraint([tool], choice="NAME", format=form)
    return compile_guide(constraint, byte_vocabulary()).complete(b"").decode("utf-8", "replace")
