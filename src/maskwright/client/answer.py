"""What an API answered, verified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from maskwright.client.report import Report
from maskwright.tags.parsing_events import Call

__all__ = ["Answer"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A whole answer. With a constraint, ``text`` is one of its outputs: nothing else is ever returned.

    Attributes:
        text: What was written. With a constraint it is one of its outputs.
        value: What the text says: an instance of the type that was asked for; the JSON value of a schema; the
            text itself of a choice, pattern or grammar. ``None`` where there was no constraint, and where the
            answer is calls.
        calls: Calls of tools, each with an id and with arguments that the tool's schema accepts.
        reasoning: What the model thought, if the API told it apart.
        finish_reason: ``stop``, ``length``, ``tool_calls``, ``content_filter`` or what else the API said.
            ``length``: the tokens are used up; under a constraint the answer is whole even so, but perhaps it
            was closed for that.
        report: What it cost, and how the constraint was enforced: see :class:`Report`.
    """

    text: str
    value: Any = None
    calls: tuple[Call, ...] = ()
    reasoning: str | None = None
    finish_reason: str = "stop"
    report: Report = field(default_factory=Report)
