"""Bodies of requests: read within bounds of size and time, unpacked, and parsed as JSON that cannot hurt."""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Final, NoReturn

from starlette.requests import Request

from maskwright.errors import RequestError, excerpt
from maskwright.server.settings import Settings

__all__ = ["parse_json", "read_body", "unpack"]

#: Window bits of zlib for a gzip stream (RFC 1952).
_GZIP: Final = 31
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_NO_BRACKETS: Final = re.compile(r"[^\[\]{}]+")
_MAYBE_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


async def read_body(request: Request, settings: Settings) -> bytes:
    """The whole body as it was sent.

    Raises:
        RequestError: 413 for one that is too long, by its header or by what comes; 408 for one that comes too slowly.
        ClientDisconnect: the client went away.

    """
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > len(str(settings.body_bytes)) or int(length) > settings.body_bytes:
        raise _too_long(settings)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for part in request.stream():
                size += len(part)
                if size > settings.body_bytes:
                    raise _too_long(settings)
                parts.append(part)
    except TimeoutError as cause:
        reason = f"The body did not arrive within {settings.body_seconds:g} seconds."
        raise RequestError(reason, status=408, code="request_timeout") from cause
    return b"".join(parts)


def unpack(body: bytes, headers: Mapping[str, str], settings: Settings) -> bytes:
    """A body without its ``Content-Encoding``: gzip, or none.

    Raises :class:`RequestError`: 415 for another one, 400 for one that is broken, 413 for one that grows too long.
    """
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding in {"", "identity"}:
        return body
    if encoding not in {"gzip", "x-gzip"}:
        reason = f"Content-Encoding {excerpt(encoding)} is not read: send gzip, or none."
        raise RequestError(reason, status=415, code="unsupported_encoding")
    stream = zlib.decompressobj(_GZIP)
    try:
        plain = stream.decompress(body, settings.body_bytes + 1)
    except zlib.error as cause:
        raise RequestError("The body is not gzip.", code="invalid_encoding") from cause
    if len(plain) > settings.body_bytes:
        raise _too_long(settings)
    if not stream.eof:
        raise RequestError("The body ends in the middle of its gzip stream.", code="invalid_encoding")
    return plain


def parse_json(body: bytes, settings: Settings) -> dict[str, Any]:
    """The object that a body is.

    Raises :class:`RequestError` (400) for what is no JSON object: with its place for a fault of syntax, and for
    nesting, numbers and characters that JSON can write and nothing behind it could use.
    """
    try:
        text = body.decode("utf-8-sig")
        _check_depth(text, settings.json_depth)
        data = json.loads(text, parse_constant=_refuse_constant)
        if _MAYBE_SURROGATE.search(body):
            json.dumps(data, ensure_ascii=False).encode()
    except UnicodeDecodeError as cause:
        raise _no_json(f"byte {cause.start} is no UTF-8") from cause
    except UnicodeEncodeError as cause:
        raise _no_json("it holds half of a surrogate pair, which is no character") from cause
    except json.JSONDecodeError as cause:
        raise _no_json(f"{cause.msg} (line {cause.lineno}, column {cause.colno})") from cause
    except RecursionError as cause:
        raise _no_json(f"it nests deeper than {settings.json_depth}") from cause
    except ValueError as cause:
        raise _no_json("it holds a number that is too long") from cause
    if not isinstance(data, dict):
        raise _no_json(f"it is no object but {excerpt(data)}")
    return data


def _check_depth(text: str, most: int) -> None:
    """Refuse deep nesting before a parser recurses into it."""
    if text.count("[") + text.count("{") <= most:
        return
    marks = _NO_BRACKETS.sub("", _STRING.sub("", text))
    if max(accumulate(1 if mark in "[{" else -1 for mark in marks), default=0) > most:
        raise _no_json(f"it nests deeper than {most}")


def _refuse_constant(name: str) -> NoReturn:
    raise _no_json(f"{name} is no JSON number")


def _no_json(reason: str) -> RequestError:
    return RequestError(f"The body cannot be read as JSON: {reason}.", code="invalid_json")


def _too_long(settings: Settings) -> RequestError:
    reason = f"The body is longer than {settings.body_bytes} bytes."
    return RequestError(reason, status=413, code="request_too_large")
