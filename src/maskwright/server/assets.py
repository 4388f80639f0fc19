"""The page's files, and the headers that keep everything else out of it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["HEADERS", "page_routes"]

#: What a page of this server may do. Scripts and styles come from files only, so text that slips in as markup could
#: neither run nor load anything (CSP level 3; https://owasp.org/www-project-secure-headers/).
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def page_routes() -> list[Route]:
    """``/`` and each file under ``/page/``; they are read once, some 100 kB."""
    found = {entry.name: entry.read_bytes() for entry in files("maskwright.server").joinpath("page").iterdir()}
    routes = [_route(f"/page/{name}", name, data) for name, data in sorted(found.items()) if _ending(name) in _TYPES]
    return [_route("/", "index.html", found["index.html"]), *routes]


def _ending(name: str) -> str:
    return name.rpartition(".")[2]


def _route(path: str, name: str, data: bytes) -> Route:
    tag = f'"{sha256(data).hexdigest()[:20]}"'
    # Asked for anew each time and answered by 304: a server that was updated never mixes old and new files.
    headers = {**HEADERS, "cache-control": "no-cache", "etag": tag}

    async def send(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=_TYPES[_ending(name)], headers=headers)

    return Route(path, send, methods=["GET"])
