"""What becomes of a row, and how that is written: a value, or a failure with its kind, place and text.

A finished row is one line of JSON that begins with its number and its key::

    {"row": 3, "key": "0a1b2c-...", "id": "a7", "value": {"name": "Ada"}}
    {"row": 4, "key": "0a1b2c-...", "error": {"type": "TruncatedError", "message": "..."}, "text": "...", "answer": "{"}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from maskwright.errors import AnswerError, OutputError, ServiceError
from maskwright.pipeline.rows import Row

__all__ = ["Cost", "Made", "failure_line", "made_line"]

#: Fields of errors that a program may want, where they say something.
_TOLD: Final = ("place", "reason", "status", "code", "param", "attempts", "request_id", "line", "column")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What answers took; sums of them are made with ``+``.

    Attributes:
        calls: Requests, the repeated ones too.
        retries: How many of them repeated one that had failed.
        prompt_tokens, completion_tokens: Tokens as they are billed.
    """

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        """The sum, field by field."""
        mine, theirs = asdict(self), asdict(other)
        return Cost(**{name: value + theirs[name] for name, value in mine.items()})

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers."""
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def of(cls, report: object) -> Cost:
        """Read the fields that a :class:`maskwright.client.Report` has; nothing of anything else."""
        given = {name: getattr(report, name, 0) for name in cls.__dataclass_fields__}
        return cls(**{name: value for name, value in given.items() if isinstance(value, int)})


@dataclass(frozen=True)
class Made:
    """An answer that meets the constraint.

    Attributes:
        text: The answer.
        is_json: Whether ``text`` is JSON, to be written as the value that it is and not as a string.
        cost: What it took.
        how: How it was enforced, for who wants to know.
    """

    text: str
    is_json: bool = True
    cost: Cost = field(default_factory=Cost)
    how: str = ""


def made_line(row: Row, key: str, made: Made, *, with_cost: bool) -> bytes:
    """Write a finished row.

    The text of a JSON value is taken over as it is: no digit of a number and no escape changes. Line breaks between its
    tokens become blanks (inside strings JSON has none).

    Raises:
        OutputError: the text should be JSON and is not.
    """
    further: dict[str, Any] = {"cost": asdict(made.cost) | ({"how": made.how} if made.how else {})} if with_cost else {}
    if not made.is_json:
        return _line(row, key, {"value": made.text, **further})
    try:
        json.loads(made.text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as cause:
        where = {"offset": cause.pos, "line": cause.lineno, "column": cause.colno}
        raise OutputError(f"the answer is not JSON: {cause.msg}", **where) from cause
    except RecursionError as cause:
        raise OutputError("the answer nests too deeply to be checked", offset=0, line=1, column=1) from cause
    value = made.text.replace("\r", " ").replace("\n", " ").strip()
    rest = "".join(f', "{name}": {json.dumps(given)}' for name, given in further.items())
    return _line(row, key, {})[:-2] + f', "value": {value}{rest}}}\n'.encode()


def failure_line(row: Row, key: str, error: Exception, cost: Cost, *, with_cost: bool) -> bytes:
    """Write a row that failed: the error's type, its message and what else it tells, the row's text, and the answer."""
    told = {
        name: getattr(error, name, None)
        for name in _TOLD
        if isinstance(error, (AnswerError, OutputError, ServiceError))
    }
    fault = {"type": type(error).__name__, "message": str(error)}
    fault |= {name: value for name, value in told.items() if value not in (None, "") and value != fault["message"]}
    members: dict[str, Any] = {"error": fault, "text": row.text}
    if isinstance(error, AnswerError) and error.text:
        members["answer"] = error.text
    if with_cost:
        members["cost"] = asdict(cost)
    return _line(row, key, members)


def _line(row: Row, key: str, members: dict[str, Any]) -> bytes:
    named = {} if row.id is None else {"id": row.id}
    whole = {"row": row.number, "key": key, **named, **members}
    try:
        return json.dumps(whole, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(whole).encode() + b"\n"
