"""Answers as the APIs write them: dictionaries that both vendors' clients read into their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = [
    "Scored",
    "chat_choice",
    "chat_chunk",
    "chat_chunk_choice",
    "chat_completion",
    "chat_delta",
    "chat_logprobs",
    "chat_message",
    "completion",
    "completion_choice",
    "completion_logprobs",
    "model_card",
    "model_list",
    "time_info",
    "tool_call",
    "tool_delta",
    "usage",
]


class Scored(NamedTuple):
    """A token that was written or read, and what the model thought of it."""

    #: The bytes that it writes.
    data: bytes
    #: None for the first token of a prompt, which nothing came before.
    logprob: float | None
    #: Bytes and natural logarithm of the probability of the likeliest tokens, the likeliest first.
    top: tuple[tuple[bytes, float], ...] = ()


def usage(
    *,
    prompt_tokens: int,
    completion_tokens: int,
    cached_tokens: int = 0,
    reasoning_tokens: int = 0,
    accepted_prediction_tokens: int = 0,
    rejected_prediction_tokens: int = 0,
) -> dict[str, Any]:
    """What was read and written, in tokens."""
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": cached_tokens},
        "completion_tokens_details": {
            "accepted_prediction_tokens": accepted_prediction_tokens,
            "rejected_prediction_tokens": rejected_prediction_tokens,
            "reasoning_tokens": reasoning_tokens,
        },
    }


def time_info(
    *, queue_time: float, prompt_time: float, completion_time: float, total_time: float, created: float
) -> dict[str, float]:
    """Where the time went, in seconds; ``created`` is a Unix time."""
    return {
        "queue_time": queue_time,
        "prompt_time": prompt_time,
        "completion_time": completion_time,
        "total_time": total_time,
        "created": created,
    }


def completion_choice(
    index: int,
    *,
    text: str | None,
    finish_reason: str | None = None,
    logprobs: Mapping[str, Any] | None = None,
    tokens: Sequence[int] | None = None,
) -> dict[str, Any]:
    """One choice of a completion, or of a chunk of it (``text`` is the delta then)."""
    return {
        "index": index,
        "text": text,
        "tokens": None if tokens is None else list(tokens),
        "finish_reason": finish_reason,
        "logprobs": logprobs,
    }


def completion(
    *,
    id: str,  # noqa: A002 - the name on the wire
    created: int,
    model: str,
    system_fingerprint: str,
    choices: Sequence[Mapping[str, Any]],
    usage: Mapping[str, Any] | None = None,
    time_info: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A ``text_completion``: an answer, and the same shape for each chunk of a stream."""
    return _answer("text_completion", locals())


def chat_message(
    *,
    content: str | None,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The message of an assistant; ``content`` is null beside calls."""
    made: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if reasoning is not None:
        made["reasoning"] = reasoning
    if tool_calls:
        made["tool_calls"] = list(tool_calls)
    return made


def tool_call(id: str, name: str, arguments: str) -> dict[str, Any]:  # noqa: A002 - the name on the wire
    """A call in a message; ``arguments`` is JSON text."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool_delta(
    index: int,
    *,
    id: str | None = None,  # noqa: A002 - the name on the wire
    name: str | None = None,
    arguments: str | None = None,
) -> dict[str, Any]:
    """A piece of a call in a stream: first id and name, then pieces of the arguments. Cerebras needs each typed."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"index": index, **({"id": id} if id is not None else {}), "type": "function", "function": function}


def chat_choice(
    index: int,
    *,
    message: Mapping[str, Any],
    finish_reason: str | None,
    logprobs: Mapping[str, Any] | None = None,
    reasoning_logprobs: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One choice of an answer."""
    made = {"index": index, "message": message, "finish_reason": finish_reason, "logprobs": logprobs}
    return made if reasoning_logprobs is None else {**made, "reasoning_logprobs": reasoning_logprobs}


def chat_completion(
    *,
    id: str,  # noqa: A002 - the name on the wire
    created: int,
    model: str,
    system_fingerprint: str,
    choices: Sequence[Mapping[str, Any]],
    usage: Mapping[str, Any],
    time_info: Mapping[str, Any],
    service_tier: str | None = None,
) -> dict[str, Any]:
    """An answer in a chat."""
    return _answer("chat.completion", locals())


def chat_delta(
    *,
    role: str | None = None,
    content: str | None = None,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What a chunk adds to a message; only what is given stands in it."""
    made = {"role": role, "content": content, "reasoning": reasoning, "tool_calls": list(tool_calls) or None}
    return {name: value for name, value in made.items() if value is not None}


def chat_chunk_choice(
    index: int,
    *,
    delta: Mapping[str, Any],
    finish_reason: str | None = None,
    logprobs: Mapping[str, Any] | None = None,
    reasoning_logprobs: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One choice of a chunk."""
    made = {"index": index, "delta": delta, "finish_reason": finish_reason, "logprobs": logprobs}
    return made if reasoning_logprobs is None else {**made, "reasoning_logprobs": reasoning_logprobs}


def chat_chunk(
    *,
    id: str,  # noqa: A002 - the name on the wire
    created: int,
    model: str,
    system_fingerprint: str,
    choices: Sequence[Mapping[str, Any]],
    usage: Mapping[str, Any] | None = None,
    time_info: Mapping[str, Any] | None = None,
    service_tier: str | None = None,
) -> dict[str, Any]:
    """One chunk of a stream."""
    return _answer("chat.completion.chunk", locals())


def _answer(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What all answers have; usage and time_info of a chunk that has none are left out."""
    made = {"id": given["id"], "object": kind, **given, "choices": list(given["choices"])}
    return {name: value for name, value in made.items() if value is not None or name == "service_tier"}


def completion_logprobs(scored: Sequence[Scored], *, offset: int, top: int) -> dict[str, Any]:
    """The older form: parallel lists; ``offset`` is the number of characters before the first token."""
    raise NotImplementedError


def chat_logprobs(scored: Sequence[Scored]) -> dict[str, Any]:
    """The newer form: one object for each token, with its bytes."""
    raise NotImplementedError


def model_card(
    id: str,  # noqa: A002 - the name on the wire
    *,
    created: int,
    owned_by: str = "maskwright",
    **more: Any,
) -> dict[str, Any]:
    """One model."""
    return {"id": id, "object": "model", "created": created, "owned_by": owned_by, **more}


def model_list(cards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Models."""
    return {"object": "list", "data": list(cards)}
