"""``FIELDS.md``: the tables of fields for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from maskwright.wire.fields import Field
from maskwright.wire.tables import CHAT_FIELDS, COMPLETION_FIELDS

__all__ = ["fields_document"]

_HEAD: Final = """\
# Fields of requests

What `maskwright serve` does with every field of the two endpoints. This file is made from the tables that the server
reads by (`maskwright/wire/tables.py`); a test keeps it so.

Null means the same as absence, everywhere. A field that is not in the table is ignored and named in the header
`x-maskwright-ignored`; with `--compat cerebras` or `--compat openai` it is refused as those APIs do. A value that a
field cannot have is a 400 with the field as `param` (422 with `--compat cerebras`). A request has at most one
constraint, and tools go with `response_format` only where the model marks its calls (not with `--compat cerebras`).
JSON is written with the escapes that it demands and no others, and with the blanks of `--whitespace`.

Members of messages, calls, tools and predictions that are not known are treated as fields are: named by their path
(`messages[0].cache_control`; the first 20), or refused. Members of constraints are read or refused.

## How outputs end

With a constraint an output is always a whole one: `max_tokens` leaves out every token after which it could not be
closed in time, and a request for which there are too few is a 400. So `finish_reason` is `stop` for JSON that had to be
short. The choice has `"closed_early": true` then: the tokens that were left took something from the model that the
constraint allowed, so texts may be empty, numbers short, lists without their last elements; a second parallel call may
have empty arguments. Ask for more tokens, or for `parallel_tool_calls: false`. `length` is said where the tokens ran
out and more could have followed: free text, also beside tools and under `grammar_root`, and patterns without an end
(`[a-z]+`); with a constraint `closed_early` stands there, too. Calls that are whole at the end of the output are
`tool_calls`, whatever might have followed them.
"""
_EFFECTS: Final = {"honoured": "honoured", "ignored": "accepted, no effect", "refused": "refused"}


def fields_document() -> str:
    """The whole text."""
    both = [field for field in CHAT_FIELDS if field in COMPLETION_FIELDS]
    lines = [_HEAD]
    for title, table in (
        ("Only `/v1/completions`", [field for field in COMPLETION_FIELDS if field not in both]),
        ("Only `/v1/chat/completions`", [field for field in CHAT_FIELDS if field not in both]),
        ("Both", both),
    ):
        lines += [f"## {title}", "", "| field | takes | without it | effect | notes |", "|---|---|---|---|---|"]
        lines += [*_rows(table), ""]
    return "\n".join(lines)


def _rows(table: Sequence[Field]) -> Iterator[str]:
    for field in table:
        absent = "required" if field.is_required else _shown(field.default)
        takes = field.kind.words
        note = field.note
        if field.effect == "refused":
            neutral = " or ".join(("null", *(f"`{_json(one)}`" for one in field.neutral)))
            takes, absent = f"{neutral} only", ""
            note = f"{note[0].upper()}{note[1:]}."
        if field.unknown_to:
            note += " Not known with `--compat cerebras`."
        yield f"| `{field.name}` | {takes} | {absent} | {_EFFECTS[field.effect]} | {note} |"


def _shown(default: Any) -> str:
    if default is None:
        return ""
    if default in ((), {}):
        return "none"
    return f"`{_json(default[0] if isinstance(default, tuple) else default)}`"


def _json(value: Any) -> str:
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)
