"""Faults on the wire: what a server answers instead of a result, and what a client reads from one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskwright.errors import MaskwrightError, RequestError, ServiceError

__all__ = ["fault_body", "fault_event", "fault_of", "service_error"]


def fault_body(error: RequestError, compat: str) -> dict[str, Any]:
    """The body of a refusal: flat for ``cerebras``, else under ``error``, as OpenAI has it."""
    told = {"message": error.message, "type": error.type, "param": error.param, "code": error.code}
    return told if compat == "cerebras" else {"error": told}


def fault_event(error: RequestError, request_id: str) -> dict[str, Any]:
    """The last event of a stream that failed, as Cerebras writes it; OpenAI's clients raise for it too."""
    told = {"message": error.message, "type": error.type, "param": error.param, "code": error.code, "id": request_id}
    return {"error": told, "status_code": error.status}


def fault_of(error: MaskwrightError, *, param: str) -> RequestError:
    """Our own errors as refusals: 400 for a constraint, with the JSON pointer in message and ``param``."""
    raise NotImplementedError


def service_error(status: int, body: bytes, headers: Mapping[str, str]) -> ServiceError:
    """What an API said instead of an answer, as the class that tells what to do about it."""
    raise NotImplementedError
