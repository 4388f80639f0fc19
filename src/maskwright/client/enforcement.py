"""Enforcement: one answer that is what its constraint asks for, from an API that may or may not help.

The order of ways is that of what they cost: a constraint that the API enforces itself is one call, and verified here
all the same (gateways drop fields silently, answers are cut off); where there is none, or where it was refused or not
obeyed, the answer is written from here, from prefix to prefix; and where an API cannot go on with a beginning, it is
asked, verified, and asked again with the reason. What cannot be made to meet the constraint is an error.
"""

from __future__ import annotations

from maskwright.client.answer import Answer
from maskwright.client.constrained import Outcome, constrained
from maskwright.client.discovery import known_profile
from maskwright.client.draws import Drawn
from maskwright.client.exchange import Exchange
from maskwright.client.flow import Emit, Flow, Now
from maskwright.client.profiles import Profile
from maskwright.client.spending import Ledger
from maskwright.client.task import Settings, Task
from maskwright.client.toolcalls import called, identified
from maskwright.constraint import Constraint
from maskwright.errors import AnswerError, CapabilityError, OutputError
from maskwright.tags.parsing import parser_of
from maskwright.tags.parsing_events import Parsed

__all__ = ["enforce"]


def enforce(task: Task, settings: Settings) -> Flow[Answer]:
    """The flow that gets an answer; with a constraint its text is one of the constraint's outputs, or it raises.

    Raises:
        ServiceError: the API gave no answer (its child tells why).
        AnswerError: the API answered, but what the constraint asks for could not be got from it.
        TruncatedError: the tokens of the task or of the model ran out.
        ExhaustedError: the budget was used up.
    """
    started: float = yield Now()
    ledger = Ledger(settings.budget, started)
    try:
        profile = yield from known_profile(settings, ledger)
        if not profile.offers("chat" if task.is_chat else "completions"):
            what = "chats: ask with a prompt" if task.is_chat else "completions: ask in a chat"
            raise CapabilityError(f"{profile.title} has no {what}")
        if task.tools:
            return (yield from called(task, settings, profile, ledger))
        if task.constraint is None:
            return (yield from _plain(task, settings, profile, ledger))
        outcome = yield from constrained(task, task.constraint, settings, profile, ledger)
    except AnswerError as error:
        if error.report is None:
            now: float = yield Now()
            error.report = ledger.report(now)
        raise
    now = yield Now()
    return _answer(task.constraint, outcome, ledger, now)


def _answer(constraint: Constraint, outcome: Outcome, ledger: Ledger, now: float) -> Answer:
    text, finish, reasoning = outcome.text, outcome.finish, outcome.reasoning
    parser = parser_of(constraint)
    try:
        parser.feed(text)
        value = parser.close()
    except OutputError as error:
        ledger.note(f"the answer is valid and could not be parsed: {error.reason}")
        value = None
    if isinstance(value, Parsed):
        return Answer(
            text=text,
            value=None if value.calls else value.content,
            calls=identified(value.calls),
            reasoning=value.reasoning or reasoning,
            finish_reason="tool_calls" if value.calls else finish,
            report=ledger.report(now),
        )
    return Answer(text=text, value=value, reasoning=reasoning, finish_reason=finish, report=ledger.report(now))


def _plain(task: Task, settings: Settings, profile: Profile, ledger: Ledger) -> Flow[Answer]:
    """Any text."""
    ledger.how = "plain"
    exchange = Exchange(task, settings, profile, ledger, prompt=task.prompt or "", messages=task.messages)
    drawn: Drawn
    if task.stream:
        stream = yield from exchange.open(limit=task.max_tokens)
        while (piece := (yield from stream.piece())) is not None:
            if piece:
                yield Emit(piece)
        drawn = yield from stream.close()
    else:
        drawn = yield from exchange.ask(limit=task.max_tokens)
    now: float = yield Now()
    return Answer(
        text=drawn.text.decode("utf-8", "replace") or drawn.refusal or "",
        reasoning=drawn.reasoning,
        finish_reason=drawn.finish or "stop",
        report=ledger.report(now),
    )
