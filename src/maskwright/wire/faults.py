"""Faults as a server answers them instead of a result; how a client reads them stands in ``services``."""

from __future__ import annotations

from typing import Any, Final

from maskwright.errors import (
    ConstraintError,
    GrammarError,
    InputError,
    LimitError,
    MaskwrightError,
    PatternError,
    PolicyError,
    Problem,
    RequestError,
    SchemaError,
    UnsatisfiableError,
    UnsupportedError,
    VocabularyError,
)
from maskwright.wire.places import line_of, path_of
from maskwright.wire.services import service_error

__all__ = ["fault_body", "fault_event", "fault_of", "service_error"]

#: Our errors to the code on the wire; the first class that fits. What is not here is our own fault.
_CODES: Final[tuple[tuple[type[MaskwrightError], str], ...]] = (
    (SchemaError, "invalid_json_schema"),
    (UnsupportedError, "unsupported_constraint"),
    (UnsatisfiableError, "unsatisfiable_constraint"),
    (PatternError, "invalid_pattern"),
    (GrammarError, "invalid_grammar"),
    (LimitError, "limit_exceeded"),
    (ConstraintError, "invalid_constraint"),
    (VocabularyError, "unspellable_constraint"),
    (PolicyError, "invalid_value"),
    (InputError, "invalid_value"),
)
#: Characters of a message: a schema may have thousands of problems.
_LONGEST: Final = 2_000


def _told(error: RequestError) -> dict[str, Any]:
    return {"message": error.message, "type": error.type, "param": error.param, "code": error.code}


def fault_body(error: RequestError, compat: str) -> dict[str, Any]:
    """The body of a refusal: flat for ``cerebras``, else under ``error``, as OpenAI has it."""
    return _told(error) if compat == "cerebras" else {"error": _told(error)}


def fault_event(error: RequestError, request_id: str) -> dict[str, Any]:
    """The last event of a stream that failed, as Cerebras writes it; OpenAI's clients raise for it too."""
    return {"error": {**_told(error), "id": request_id}, "status_code": error.status}


def fault_of(error: MaskwrightError, *, param: str) -> RequestError:
    """An error of ours as a refusal.

    Constraints and arguments: 400, with the place of the first problem behind ``param``, as a JSON pointer
    (``response_format.json_schema.schema#/properties/a``), and every problem in the message; an empty ``param`` is no
    field. Anything else is a 500.
    """
    if isinstance(error, RequestError):
        return error
    code = next((code for kind, code in _CODES if isinstance(error, kind)), None)
    if code is None:
        message = f"the server failed: {type(error).__name__}: {error}"
        return RequestError(message[:_LONGEST], status=500, type="server_error", code="internal_error")
    if not isinstance(error, ConstraintError) or not error.problems:
        return RequestError(_cut(f"{param}: {error}" if param else str(error)), param=param or None, code=code)
    code = "invalid_function_parameters" if param == "tools" and code == "invalid_json_schema" else code
    message = "\n".join(_line(problem, param) for problem in error.problems)
    return RequestError(_cut(message), param=path_of(param, error.problems[0].place) or None, code=code)


def _line(problem: Problem, param: str) -> str:
    """One problem with its place in the request, and in the text there."""
    line = line_of(problem.place)
    at = f" at {line}" if line else ""
    place = f"{path_of(param, problem.place)}{at}".lstrip()
    advice = f" ({problem.remedy})" if problem.remedy else ""
    return f"{place}: {problem.reason}{advice}" if place else f"{problem.reason}{advice}"


def _cut(message: str) -> str:
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]} .."
