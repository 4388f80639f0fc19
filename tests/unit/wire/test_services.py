"""What APIs said, as recorded in reports, is mapped to what it means (case A08 of the shared cases)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import (
    CapabilityError,
    CredentialsError,
    RateLimitedError,
    RejectedError,
    RequestError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
)
from maskwright.wire.faults import fault_body, fault_event, service_error


def flat(
    message: str, code: str | None = "wrong_api_format", param: str | None = None, kind: str = ""
) -> dict[str, Any]:
    return {"message": message, "type": kind or "invalid_request_error", "param": param, "code": code}


def nested(message: str, code: str | None = None, param: str | None = None, kind: str = "") -> dict[str, Any]:
    return {"error": flat(message, code, param, kind)}


SCHEMA_5 = "response_format.json_schema.schema"
RECORDED = [
    # Cerebras (wire.md 1.4; llm-cerebras#6).
    (400, nested("Invalid schema for response_format 'model': In context=(), 'x' is not permitted."), RejectedError),
    (400, nested("This model does not support JSON schema."), CapabilityError),
    (422, flat("Input should be 'text'", param="response_format.type"), CapabilityError),
    (400, flat("Input should be 'text'"), CapabilityError),
    (
        422,
        flat("'additionalProperties' is required to be supplied and set to false.", param="response_format"),
        RejectedError,
    ),
    (
        400,
        flat(
            "Lists of types are not supported in JSON schema. If you are trying to make a field "
            "Optional, use anyOf with a null type"
        ),
        RejectedError,
    ),
    (400, flat("'definitions' is not supported in JSON schema. Use '$defs' instead"), RejectedError),
    (400, flat("Unsupported JSON schema fields: {'minItems', 'items'}"), RejectedError),
    (400, flat("Array fields require at least one of 'items' or 'prefixItems'."), RejectedError),
    (
        422,
        flat(
            "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: "
            "true' or 'strict: false'"
        ),
        RejectedError,
    ),
    (400, flat("Tools with strict=True are not supported by this model"), CapabilityError),
    (422, flat("body.store: property 'body.store' is unsupported"), CapabilityError),
    (404, flat("Model does not exist or you do not have access to it.", "model_not_found", "model"), RejectedError),
    (
        429,
        flat(
            "Requests per minute limit exceeded - too many requests sent.",
            "request_quota_exceeded",
            "quota",
            "too_many_requests_error",
        ),
        RateLimitedError,
    ),
    (
        400,
        {**flat("We're experiencing high traffic right now! Please try again later."), "status_code": 429},
        RateLimitedError,
    ),
    # OpenAI (wire.md 3.1).
    (
        400,
        nested(
            "Invalid schema for response_format 'N': In context=('properties', 'x'), "
            "'additionalProperties' is required to be supplied and to be false.",
            param="response_format",
        ),
        RejectedError,
    ),
    (
        400,
        nested(
            "Invalid schema for response_format 'N': In context=(), 'oneOf' is not permitted.", param="response_format"
        ),
        RejectedError,
    ),
    (
        400,
        nested(
            "Invalid schema for function 'f': 6 levels of nesting exceeds limit of 5.",
            "invalid_function_parameters",
            "tools[0].function.parameters",
        ),
        RejectedError,
    ),
    (
        400,
        nested(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            param="response_format",
        ),
        CapabilityError,
    ),
    (
        400,
        nested(
            "Unsupported parameter: 'logit_bias' is not supported with this model.",
            "unsupported_parameter",
            "logit_bias",
        ),
        CapabilityError,
    ),
    (
        400,
        nested(
            "Unsupported value: 'temperature' does not support 0 with this model.", "unsupported_value", "temperature"
        ),
        CapabilityError,
    ),
    (400, nested("Unrecognized request argument supplied: grammar_root"), CapabilityError),
    (
        404,
        nested("This is a chat model and not supported in the v1/completions endpoint.", param="model"),
        RejectedError,
    ),
    (
        400,
        nested("This model's maximum context length is 8192 tokens.", "context_length_exceeded", "messages"),
        RejectedError,
    ),
    (401, nested("Incorrect API key provided.", "invalid_api_key"), CredentialsError),
    (403, nested("Country not supported"), CredentialsError),
    (429, nested("Rate limit reached", "rate_limit_exceeded"), RateLimitedError),
    (429, nested("You exceeded your current quota", "insufficient_quota"), RateLimitedError),
    (500, nested("The server had an error"), ServerFailedError),
    (503, nested("The engine is currently overloaded"), ServerFailedError),
    # vLLM, SGLang, llama.cpp, Ollama, Mistral.
    (
        400,
        {
            "object": "error",
            "message": "Extra inputs are not permitted",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        CapabilityError,
    ),
    (
        400,
        {
            "object": "error",
            "message": "Failed to parse grammar: unexpected end",
            "type": "BadRequestError",
            "code": 400,
        },
        RejectedError,
    ),
    (
        422,
        {
            "detail": [
                {"loc": ["body", "response_format", "type"], "msg": "Input should be 'text'", "type": "literal_error"}
            ]
        },
        CapabilityError,
    ),
    (
        422,
        {
            "detail": [
                {"loc": ["body", "temperature"], "msg": "Input should be a valid number", "type": "float_parsing"}
            ]
        },
        RejectedError,
    ),
    (404, {"detail": "Not Found"}, CapabilityError),
    (404, {"error": "model 'x' not found"}, RejectedError),
    (404, {"error": {"message": "model 'x' not found", "type": "not_found_error"}}, RejectedError),
    (501, nested("This server does not support embeddings", kind="not_supported_error"), CapabilityError),
    (405, {"detail": "Method Not Allowed"}, CapabilityError),
    (503, nested("Loading model", kind="unavailable_error"), ServerFailedError),
    (400, nested("logprobs is not supported with tools + stream", kind="invalid_request_error"), CapabilityError),
    (413, {"detail": "too large"}, RejectedError),
    (408, {}, ServiceTimeoutError),
    (504, {}, ServiceTimeoutError),
    (409, {}, ServerFailedError),
]


@pytest.mark.parametrize(("status", "body", "kind"), RECORDED)
def test_recorded_bodies(status: int, body: dict[str, Any], kind: type[ServiceError]) -> None:
    """Not offered here; wrong, perhaps with a place; or to be tried again later."""
    made = service_error(status, json.dumps(body).encode(), {})
    assert type(made) is kind, str(made)
    assert made.status in (status, 429)
    told = body.get("error", body)
    if isinstance(told, dict) and isinstance(told.get("message"), str):
        assert told["message"] in made.message


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (
            nested(
                "Invalid schema for response_format 'N': In context=('properties', 'x'), 'x'.", param="response_format"
            ),
            "response_format#/properties/x",
        ),
        (
            nested(
                "Invalid schema for response_format 'N': In context=('properties', 'a/b', 'items', 'anyOf', '0'), y",
                param="response_format",
            ),
            "response_format#/properties/a~1b/items/anyOf/0",
        ),
        (
            nested("Invalid schema for response_format 'N': In context=(), y", param="response_format"),
            "response_format#",
        ),
        (
            nested("Invalid schema for function 'f'", param="tools[0].function.parameters"),
            "tools[0].function.parameters",
        ),
        ({"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "m"}]}, "messages.0.content"),
    ],
)
def test_the_place_in_a_schema(body: dict[str, Any], param: str) -> None:
    """What an API says about the place stands in ``param``, as a JSON pointer."""
    assert service_error(400, json.dumps(body).encode(), {}).param == param


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "500, without a word"),
        (b"<html><body>Bad Gateway</body></html>", "500, without a word"),
        (b"upstream connect error", "500: upstream connect error"),
        (b"\xff\xfe", "500"),
        (b'{"error": null}', "500"),
        (b'{"error": {"message": null}}', "500"),
        (b'{"error": ["a"]}', "500"),
        (b'{"message": {"a": 1}}', "500"),
        (b"[1]", "500"),
        (b"[" * 100_000, "500"),
        (b'{"status_code": 200, "message": "m"}', "500: m"),
        (b'{"status_code": true, "message": "m"}', "500: m"),
    ],
)
def test_bodies_that_say_little(body: bytes, said: str) -> None:
    """The status is what counts then."""
    made = service_error(500, body, {})
    assert isinstance(made, ServerFailedError)
    assert made.message.startswith(said)


@given(st.integers(400, 599), st.binary(max_size=80))
def test_any_body_is_an_error(status: int, body: bytes) -> None:
    """Never another exception, and never a body without end."""
    made = service_error(status, body, {})
    assert made.status == status
    assert len(made.message) < 600


def test_what_is_kept() -> None:
    """The id of the request, whatever the spelling of its header; the body, not all of a long one."""
    made = service_error(500, b"x" * 100_000, {"X-Request-ID": "r-1"})
    assert made.request_id == "r-1"
    assert len(made.body) <= 4_000
    assert len(made.message) <= 600


@pytest.mark.parametrize("compat", ["lenient", "cerebras", "openai"])
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RequestError("m", param="top_k", code="unsupported_parameter"), CapabilityError),
        (RequestError("m", param="n", code="invalid_value"), RejectedError),
        (RequestError("m", status=429, code="queue_full", retry_after=1.0), RateLimitedError),
        (RequestError("m", status=503, code="closing"), ServerFailedError),
        (RequestError("m", status=401, code="invalid_api_key"), CredentialsError),
    ],
)
def test_what_our_server_says(compat: str, error: RequestError, kind: type[ServiceError]) -> None:
    """Both shapes of our own faults come out of the reader as they went into the writer, in streams too."""
    made = service_error(error.status, json.dumps(fault_body(error, compat)).encode(), {})
    assert (type(made), made.status, made.param, made.code) == (kind, error.status, error.param, error.code)
    streamed = service_error(200, json.dumps(fault_event(error, "id")).encode(), {})
    assert (type(streamed), streamed.status, streamed.param) == (kind, error.status, error.param)
