"""Responses: answers and refusals as JSON, in the shape of the API that the server speaks."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from maskwright.errors import MaskwrightError, RequestError
from maskwright.server.settings import Settings
from maskwright.wire.faults import fault_body, fault_of

__all__ = ["failure_of", "json_reply", "refusal", "refusal_of"]

_log: Final = logging.getLogger("maskwright.server")


def json_reply(data: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON body; ASCII only, so no client misreads it."""
    body = json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")
    return Response(body, status, headers, "application/json")


def refusal_of(error: Exception, *, param: str = "") -> RequestError:
    """Whatever went wrong as a refusal; what nobody foresaw is a 500 that tells nothing of the inside."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, HTTPException):
        return _of_route(error)
    if isinstance(error, MaskwrightError):
        return fault_of(error, param=param)
    reason = "The server met an error of its own; it is in the log under the id of this request."
    return RequestError(reason, status=500, type="server_error", code="internal_error")


def failure_of(error: Exception, request_id: str) -> RequestError:
    """As :func:`refusal_of`; what is the server's own fault stands in the log, with the id of the request."""
    told = refusal_of(error)
    if told.status >= 500 and not isinstance(error, RequestError):
        _log.error("request %s failed", request_id, exc_info=error)
    return told


def refusal(error: RequestError, settings: Settings) -> Response:
    """The response to a request that is refused."""
    headers: dict[str, str] = {}
    if error.retry_after is not None:
        headers["retry-after"] = str(max(1, math.ceil(error.retry_after)))
        headers["retry-after-ms"] = str(max(1, math.ceil(error.retry_after * 1000)))
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    if error.status == 408:
        # The rest of the body is not waited for, so the connection is of no further use.
        headers["connection"] = "close"
    return json_reply(fault_body(error, settings.compat), status=error.status, headers=headers)


def _of_route(error: HTTPException) -> RequestError:
    """What the router refuses: an unknown path, or a method that it has not."""
    status = error.status_code
    if status == 404:
        reason, code = "There is no such path. GET /openapi.json lists all.", "unknown_url"
    elif status == 405:
        allowed = (error.headers or {}).get("Allow", "")
        reason, code = f"This path is not asked with this method{f', but with {allowed}' if allowed else ''}.", "method"
    else:
        reason, code = str(error.detail), "http_error"
    return RequestError(reason, status=status, code=code)
