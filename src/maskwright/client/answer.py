"""What an API answered, verified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from maskwright.client.report import Report
from maskwright.tags.parsing_events import Call

__all__ = ["Answer"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A whole answer. With a constraint, ``text`` is one of its outputs: nothing else is ever returned."""

    text: str
    #: The value of a JSON text or of another that has one (``maskwright.parser_of``); ``None`` for plain text.
    value: Any = None
    #: Calls of tools, each with arguments that the tool's schema accepts.
    calls: tuple[Call, ...] = ()
    #: What the model thought, if the API told it apart.
    reasoning: str | None = None
    #: ``stop``, ``length``, ``tool_calls``, ``content_filter`` or what else the API said.
    finish_reason: str = "stop"
    report: Report = field(default_factory=Report)
