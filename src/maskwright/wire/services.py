"""What an API says instead of an answer, as the class of error that tells what to do about it.

Three questions are answered: does this model or API not offer it (``CapabilityError``: ask in another way), is the
request wrong (``RejectedError``, with the place in a schema where one is told), or would it pass later
(``RateLimitedError``, ``ServerFailedError``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from maskwright.errors import (
    CapabilityError,
    CredentialsError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
    excerpt,
)

__all__ = ["service_error"]

#: Characters of a body that are kept.
_KEPT: Final = 4_000
#: Characters of a message: some servers answer with a page of HTML.
_MESSAGE: Final = 500
_STATUS: Final[dict[int, type[ServiceError]]] = {
    401: CredentialsError,
    403: CredentialsError,
    405: CapabilityError,
    408: ServiceTimeoutError,
    409: ServerFailedError,
    425: ServerFailedError,
    429: RateLimitedError,
    501: CapabilityError,
    504: ServiceTimeoutError,
}
#: Codes and types that a schema was refused with.
_SCHEMA_CODES: Final = frozenset({"invalid_json_schema", "invalid_function_parameters", "schema_validation_error"})
#: What is said of a schema and of nothing else. Asked first: "'oneOf' is not supported" is no word about the model.
_SCHEMA: Final = re.compile(
    r"""Invalid\ schema\ for|In\ context=|additionalProperties'?\ is\ required|levels\ of\ nesting|
    'items'\ or\ 'prefixItems'|Lists\ of\ types|(?:grammar|schema)\ (?:error|is\ invalid)|Tools\ with\ mixed|
    failed\ to\ (?:parse|compile)\ (?:grammar|schema)|response_format\.json_schema\.schema""",
    re.IGNORECASE | re.VERBOSE,
)
#: What is said of one, unless it is said of a model.
_OF_SCHEMAS: Final = re.compile(r"JSON ?schema", re.IGNORECASE)
_OF_MODELS: Final = re.compile(r"\bmodels?\b", re.IGNORECASE)
#: What is said of a model or server that does not do something. ``Input should be 'text'`` is what Cerebras answers
#: when it takes none but the plain form of a ``response_format`` (llm-cerebras#6, vercel/ai#8475).
_CAPABILITY: Final = re.compile(
    r"""(?:not|n't|isn't|aren't|no\ longer)\ (?:yet\ )?(?:be\ )?(?:supported|available|support|allowed|enabled|
    compatible|permitted|implemented)|unsupported|does\ not\ (?:support|have)|do\ not\ support|not\ currently\ support|
    Input\ should\ be\ 'text'|Unrecognized\ request\ argument|Unknown\ (?:parameter|argument|field)|
    extra\ (?:inputs|fields)\ are\ not\ permitted|extra_forbidden|property\ '[^']*'\ is\ unsupported|
    requires\ --enable|not\ a\ chat\ model|unexpected\ (?:keyword|field)|no\ such\ endpoint""",
    re.IGNORECASE | re.VERBOSE,
)
_CAPABILITY_CODES: Final = frozenset(
    {
        "unsupported_parameter",
        "unsupported_value",
        "unknown_parameter",
        "unsupported_model",
        "model_not_supported",
        "extra_forbidden",
        "not_supported_error",
        "json_mode_not_supported",
    }
)
_CONTEXT: Final = re.compile(r"context=\(([^)]*)\)")
_STEP: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"|(\d+)")
#: Loads that pass, whatever the status says: Cerebras' queue, engines that start.
_LATER: Final = re.compile(
    r"\b(?:overloaded|try again later|temporarily|loading model|is loading|queue_exceeded)\b", re.IGNORECASE
)


class _Said(NamedTuple):
    """What a body says."""

    message: str
    param: str | None
    code: str | None
    type: str
    status: int | None


def service_error(status: int, body: bytes, headers: Mapping[str, str]) -> ServiceError:
    """What an API said instead of an answer.

    Flat and nested bodies are read, those of FastAPI (``detail``) and Ollama (``error`` as a text), and any other text.
    A ``status_code`` in the body overrides the status, as in Cerebras' client.

    Args:
        status: The HTTP status.
        body: What came, whatever it is.
        headers: Any spelling of the names; ``x-request-id`` and its like are read.
    """
    text = body[: 4 * _KEPT].decode("utf-8", "replace")
    said = _read(body, text)
    status = said.status or status
    kind = _kind(status, said)
    param = said.param
    if kind is RejectedError:
        param = _with_pointer(param, said.message)
    ids = {name.lower(): value for name, value in headers.items()}
    request_id = next((ids[name] for name in ("x-request-id", "request-id", "cf-ray") if name in ids), None)
    message = f"{status}: {said.message}" if said.message else f"{status}, without a word"
    return kind(message, status=status, param=param, code=said.code, body=text[:_KEPT], request_id=request_id)


def _kind(status: int, said: _Said) -> type[ServiceError]:
    known = _STATUS.get(status)
    if known is not None:
        return known
    if status >= 500 or _LATER.search(said.message):
        return ServerFailedError
    if status == 404:
        # Ollama and vLLM name the model; a route that is not there says nothing, or "Not Found".
        return RejectedError if "model" in f"{said.code} {said.message}".lower() else CapabilityError
    if said.code in _SCHEMA_CODES or _SCHEMA.search(said.message):
        return RejectedError
    if said.code in _CAPABILITY_CODES:
        return CapabilityError
    if _OF_SCHEMAS.search(said.message) and not _OF_MODELS.search(said.message):
        return RejectedError
    return CapabilityError if _CAPABILITY.search(said.message) else RejectedError


def _read(body: bytes, text: str) -> _Said:
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict):
        return _said(parsed)
    # A page of HTML says no more than its status.
    plain = "" if text.lstrip().startswith("<") else text.strip()
    return _Said(plain[:_MESSAGE], None, None, "", None)


def _said(body: Mapping[str, Any]) -> _Said:
    inner = body.get("error")
    told = inner if isinstance(inner, Mapping) else body
    message, param = told.get("message"), told.get("param")
    if isinstance(inner, str) and not isinstance(message, str):
        message = inner
    if not isinstance(message, str):
        message, param = _detail(told.get("detail", told))
    status = next((one for one in (body.get("status_code"), told.get("status_code")) if _is_status(one)), None)
    return _Said(message[:_MESSAGE], _word(param), _word(told.get("code")), _word(told.get("type")) or "", status)


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600


def _word(value: object) -> str | None:
    return str(value)[:200] if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _detail(detail: object) -> tuple[str, str | None]:
    """FastAPI's ``detail``: a text, or a list of ``{loc, msg}``."""
    if isinstance(detail, list) and detail and isinstance(detail[0], Mapping):
        places = detail[0].get("loc")
        steps = [str(step) for step in places if step != "body"] if isinstance(places, list) else []
        return f"{detail[0].get('msg', '')}"[:_MESSAGE], ".".join(steps) or None
    return (detail if isinstance(detail, str) else excerpt(detail, _MESSAGE)), None


def _with_pointer(param: str | None, message: str) -> str | None:
    """The param with the place in a schema that a message tells as ``context=('properties', 'x')``."""
    found = _CONTEXT.search(message)
    if found is None or (param is not None and "#" in param):
        return param
    steps = [a or b or c for a, b, c in _STEP.findall(found[1])]
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return f"{param or ''}#{pointer}"
