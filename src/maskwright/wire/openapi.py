"""The description of our endpoints (OpenAPI 3.1.0), made from the tables of fields that the readers read by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from maskwright.wire.fields import Field
from maskwright.wire.shapes import SHAPES
from maskwright.wire.tables import CHAT_FIELDS, COMPLETION_FIELDS

__all__ = ["openapi"]

_TITLE: Final = "Maskwright"
_SUMMARY: Final = "The APIs of OpenAI and Cerebras for text, with every constraint enforced in the decoder."


def openapi(
    *, title: str = _TITLE, version: str = "0", models: Sequence[str] = (), vocabulary: int | None = None
) -> dict[str, Any]:
    """The document.

    Args:
        title: Its title.
        version: That of the server.
        models: The names that ``model`` may have; any, if there are none.
        vocabulary: How many token ids there are, if that is to be told.
    """
    schemas = {
        "CompletionRequest": _request(COMPLETION_FIELDS, models, vocabulary),
        "ChatRequest": _request(CHAT_FIELDS, models, vocabulary),
        **SHAPES,
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "description": _SUMMARY},
        "paths": _paths(),
        "components": {"schemas": schemas, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"key": []}],
    }


def _request(table: Sequence[Field], models: Sequence[str], vocabulary: int | None) -> dict[str, Any]:
    properties = {field.name: _property(field) for field in table}
    if models:
        properties["model"] = {**properties["model"], "enum": list(models)}
    if vocabulary is not None:
        _bound_ids(properties, vocabulary)
    required = [field.name for field in table if field.is_required]
    return {"type": "object", "properties": properties, "required": required}


def _property(field: Field) -> dict[str, Any]:
    if field.effect == "refused":
        words = f"Refused unless it asks for nothing: {field.note}."
        return {"enum": [None, *field.neutral], "description": words, "deprecated": True}
    told: dict[str, Any] = {"description": field.note}
    if field.is_required:
        return {**field.kind.schema, **told}
    if not field.kind.schema:
        return told
    return {"anyOf": [dict(field.kind.schema), {"type": "null"}], **told}


def _bound_ids(properties: dict[str, Any], vocabulary: int) -> None:
    """Token ids of the vocabulary alone: in prompts exactly, in the names of biases by their number of digits."""
    ids = {"type": "integer", "minimum": 0, "maximum": vocabulary - 1}
    if "prompt" in properties:
        forms = properties["prompt"]["anyOf"][0]["anyOf"]
        text, texts, one, several = forms
        one, several = {**one, "items": ids}, {**several, "items": {**several["items"], "items": ids}}
        properties["prompt"] = {**properties["prompt"], "anyOf": [{"anyOf": [text, texts, one, several]}, _NULL]}
    digits = len(str(vocabulary - 1)) - 1
    biases = {
        **properties["logit_bias"]["anyOf"][0],
        "propertyNames": {"pattern": f"^(0|[1-9][0-9]{{0,{digits - 1}}})$"},
    }
    properties["logit_bias"] = {**properties["logit_bias"], "anyOf": [biases, _NULL]}


_NULL: Final = {"type": "null"}
_ANY: Final = {"application/json": {"schema": {"type": "object"}}}


def _paths() -> dict[str, Any]:
    model = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "/v1/completions": {"post": _post("createCompletion", "Go on with a text.", "CompletionRequest", "Completion")},
        "/v1/chat/completions": {"post": _post("createChat", "Answer in a chat.", "ChatRequest", "ChatCompletion")},
        "/v1/models": {"get": _get("listModels", "The models that are served.", _json("ModelList"))},
        "/v1/models/{id}": {
            "get": {**_get("getModel", "One model.", _json("Model")), "parameters": [model]},
        },
        "/v1/tcp_warming": {"get": _get("warmUp", "Nothing: a connection is open after it.", _ANY)},
        "/health": {"get": _health()},
        "/metrics": {
            "get": _get("metrics", "Counters for Prometheus.", {"text/plain": {"schema": {"type": "string"}}}),
        },
    }


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _get(name: str, summary: str, content: Mapping[str, Any]) -> dict[str, Any]:
    said = {"description": summary, "content": dict(content)}
    return {"operationId": name, "summary": summary, "responses": {"200": said, **_faults()}}


def _health() -> dict[str, Any]:
    """It answers in one shape, also while the server ends."""
    told = _get("health", "Whether the server takes requests.", _json("Health"))
    told["responses"]["503"] = {"description": "The server is shutting down.", "content": _json("Health")}
    return told


def _post(name: str, summary: str, request: str, answer: str) -> dict[str, Any]:
    streamed = {"text/event-stream": {"schema": {"type": "string"}}}
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {"required": True, "content": _json(request)},
        "responses": {
            "200": {"description": "The answer; with `stream` as events.", "content": _json(answer) | streamed},
            **_faults(),
        },
    }


def _faults() -> dict[str, Any]:
    return {
        "4XX": {"description": "The request is refused.", "content": _json("Fault")},
        "5XX": {"description": "The server failed, or takes no requests.", "content": _json("Fault")},
    }
