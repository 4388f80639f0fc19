"""Requests made from our own description: none is answered with the server's own error."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.unit.server.asking import make
from tests.unit.server.fakes import FakeEngine, FakeRuntime

schemathesis = pytest.importorskip("schemathesis", reason="pip install schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")

_INNER: Final = make(FakeEngine(runtime=FakeRuntime(thinking=("<think>", "</think>"))), any_model=True)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """The application without its life: the tool begins and ends one for each request, and an engine has only one."""
    if scope["type"] == "lifespan":
        for word in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{word}.complete"})
        return
    await _INNER(scope, receive, send)


SCHEMA: Final = schemathesis.openapi.from_asgi("/openapi.json", app)


@SCHEMA.parametrize()  # type: ignore[untyped-decorator]
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_described_requests(case: Any) -> None:
    """What the description allows and what it does not: the answer has a status and a shape that are described."""
    case.validate_response(
        case.call(),
        checks=[
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_schema_conformance,
            schemathesis.checks.not_a_server_error,
        ],
    )
