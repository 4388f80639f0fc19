"""The shapes of answers and faults as JSON Schema, for the description of the interface."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["SHAPES"]

_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER: Final = {"type": "number"}
_TEXT: Final = {"type": "string"}
_WORD: Final = {"type": ["string", "null"]}
_IDS: Final = {"type": ["array", "null"], "items": _COUNT}
_SECONDS: Final = {"type": "number", "minimum": 0}


def _object(properties: dict[str, Any], *optional: str) -> dict[str, Any]:
    """An object that has all its properties but those that are named."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_USAGE: Final = _object(
    {
        "prompt_tokens": _COUNT,
        "completion_tokens": _COUNT,
        "total_tokens": _COUNT,
        "prompt_tokens_details": _object({"cached_tokens": _COUNT}),
        "completion_tokens_details": _object(
            {"accepted_prediction_tokens": _COUNT, "rejected_prediction_tokens": _COUNT, "reasoning_tokens": _COUNT}
        ),
    }
)
_TIMES: Final = _object(
    dict.fromkeys(("queue_time", "prompt_time", "completion_time", "total_time", "created"), _SECONDS)
)
_LEGACY_LOGPROBS: Final = _object(
    {
        "tokens": _list(_TEXT),
        "token_logprobs": _list({"type": ["number", "null"]}),
        "top_logprobs": {
            "type": ["array", "null"],
            "items": {"type": ["object", "null"], "additionalProperties": _NUMBER},
        },
        "text_offset": _list(_COUNT),
    }
)
_SCORED: Final = {"token": _TEXT, "logprob": _NUMBER, "bytes": _IDS}
_LOGPROBS: Final = _object(
    {"content": _list(_object({**_SCORED, "top_logprobs": _list(_object(_SCORED))})), "refusal": {"type": "null"}}
)
_CALL: Final = _object(
    {"id": _TEXT, "type": {"const": "function"}, "function": _object({"name": _TEXT, "arguments": _TEXT})}
)
_REASON: Final = {"enum": ["stop", "length", "tool_calls", "content_filter"]}
_EARLY: Final = {
    "const": True,
    "description": "The tokens that were left kept the model from what the constraint allowed.",
}
_HEAD: Final = {"id": _TEXT, "created": {"type": "integer"}, "model": _TEXT, "system_fingerprint": _TEXT}
_ENDING: Final = {"usage": _ref("Usage"), "time_info": _ref("TimeInfo")}
_COMPLETION_CHOICE: Final = _object(
    {
        "index": _COUNT,
        "text": _WORD,
        "tokens": _IDS,
        "finish_reason": _or_null(_REASON),
        "logprobs": _or_null(_ref("LegacyLogprobs")),
        "token_ids": _IDS,
        "prompt_token_ids": _IDS,
        "closed_early": _EARLY,
    },
    "token_ids",
    "prompt_token_ids",
    "closed_early",
)
_MESSAGE: Final = _object(
    {
        "role": {"const": "assistant"},
        "content": _WORD,
        "refusal": {"type": "null"},
        "reasoning": _TEXT,
        "tool_calls": _list(_CALL),
    },
    "reasoning",
    "tool_calls",
)
_CHAT_CHOICE: Final = _object(
    {
        "index": _COUNT,
        "message": _MESSAGE,
        "finish_reason": _REASON,
        "logprobs": _or_null(_ref("Logprobs")),
        "reasoning_logprobs": _or_null(_ref("Logprobs")),
        "token_ids": _IDS,
        "closed_early": _EARLY,
    },
    "reasoning_logprobs",
    "token_ids",
    "closed_early",
)
_TOLD: Final = {"message": _TEXT, "type": _TEXT, "param": _WORD, "code": _WORD}
_CARD: Final = _object({"id": _TEXT, "object": {"const": "model"}, "created": {"type": "integer"}, "owned_by": _TEXT})

#: Name to schema.
SHAPES: Final[dict[str, dict[str, Any]]] = {
    "Usage": _USAGE,
    "TimeInfo": _TIMES,
    "LegacyLogprobs": _LEGACY_LOGPROBS,
    "Logprobs": _LOGPROBS,
    "Completion": _object(
        {
            **_HEAD,
            "object": {"const": "text_completion"},
            "choices": _list(_COMPLETION_CHOICE),
            **_ENDING,
        }
    ),
    "ChatCompletion": _object(
        {
            **_HEAD,
            "object": {"const": "chat.completion"},
            "choices": _list(_CHAT_CHOICE),
            "service_tier": _WORD,
            **_ENDING,
            "prompt_token_ids": _IDS,
        },
        "prompt_token_ids",
    ),
    "Health": _object({"status": {"enum": ["ok", "closing"]}, "model": _TEXT, "running": _COUNT, "queued": _COUNT}),
    "Model": _CARD,
    "ModelList": _object({"object": {"const": "list"}, "data": _list(_ref("Model"))}),
    "Fault": {
        "description": "Under `error`, or flat where the server was told to be like Cerebras' API.",
        "anyOf": [_object({"error": _object(_TOLD)}), _object(_TOLD)],
    },
}
