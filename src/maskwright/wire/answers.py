"""Answers as the APIs write them: dictionaries that both vendors' clients read into their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskwright.wire.logprobs import Scored, chat_logprobs, completion_logprobs

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


# ---- completions ---------------------------------------------------------------------------------------------------


def completion_choice(
    index: int,
    *,
    text: str | None,
    finish_reason: str | None = None,
    logprobs: Mapping[str, Any] | None = None,
    tokens: Sequence[int] | None = None,
    token_ids: Sequence[int] | None = None,
    prompt_token_ids: Sequence[int] | None = None,
    closed_early: bool = False,
) -> dict[str, Any]:
    """One choice of a completion, or of a chunk of it (``text`` is what is new then).

    ``tokens`` answers ``return_raw_tokens``, the other two ``return_token_ids``; ``closed_early`` stands there where it
    is true: ``max_tokens`` kept the model from what the constraint allowed. What is None stands there as null only
    where the vendors' types have it.
    """
    made = {
        "index": index,
        "text": text,
        "tokens": _listed(tokens),
        "finish_reason": finish_reason,
        "logprobs": logprobs,
    }
    return made | _given(
        token_ids=_listed(token_ids), prompt_token_ids=_listed(prompt_token_ids), **_early(closed_early)
    )


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
    made = _head(id, "text_completion", choices, created=created, model=model, system_fingerprint=system_fingerprint)
    return made | _given(usage=usage, time_info=time_info)


# ---- chat ----------------------------------------------------------------------------------------------------------


def chat_message(
    *,
    content: str | None,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The message of an assistant; ``content`` is null beside calls."""
    made: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    return made | _given(reasoning=reasoning, tool_calls=list(tool_calls) or None)


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
    function = _given(name=name, arguments=arguments)
    return {"index": index, **_given(id=id), "type": "function", "function": function}


def chat_choice(
    index: int,
    *,
    message: Mapping[str, Any],
    finish_reason: str | None,
    logprobs: Mapping[str, Any] | None = None,
    reasoning_logprobs: Mapping[str, Any] | None = None,
    token_ids: Sequence[int] | None = None,
    closed_early: bool = False,
) -> dict[str, Any]:
    """One choice of an answer."""
    made = {"index": index, "message": message, "finish_reason": finish_reason, "logprobs": logprobs}
    return made | _given(reasoning_logprobs=reasoning_logprobs, token_ids=_listed(token_ids), **_early(closed_early))


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
    prompt_token_ids: Sequence[int] | None = None,
) -> dict[str, Any]:
    """An answer in a chat."""
    made = _head(id, "chat.completion", choices, created=created, model=model, system_fingerprint=system_fingerprint)
    made |= {"service_tier": service_tier, "usage": usage, "time_info": time_info}
    return made | _given(prompt_token_ids=_listed(prompt_token_ids))


def chat_delta(
    *,
    role: str | None = None,
    content: str | None = None,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What a chunk adds to a message; only what is given stands in it."""
    return _given(role=role, content=content, reasoning=reasoning, tool_calls=list(tool_calls) or None)


def chat_chunk_choice(
    index: int,
    *,
    delta: Mapping[str, Any],
    finish_reason: str | None = None,
    logprobs: Mapping[str, Any] | None = None,
    reasoning_logprobs: Mapping[str, Any] | None = None,
    token_ids: Sequence[int] | None = None,
    closed_early: bool = False,
) -> dict[str, Any]:
    """One choice of a chunk."""
    made = {"index": index, "delta": delta, "finish_reason": finish_reason, "logprobs": logprobs}
    return made | _given(reasoning_logprobs=reasoning_logprobs, token_ids=_listed(token_ids), **_early(closed_early))


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
    prompt_token_ids: Sequence[int] | None = None,
) -> dict[str, Any]:
    """One chunk of a stream. Without ``system_fingerprint`` Cerebras' client takes it for a whole answer."""
    head = {"created": created, "model": model, "system_fingerprint": system_fingerprint}
    made = _head(id, "chat.completion.chunk", choices, **head)
    made["service_tier"] = service_tier
    return made | _given(usage=usage, time_info=time_info, prompt_token_ids=_listed(prompt_token_ids))


# ---- models --------------------------------------------------------------------------------------------------------


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


# ---- parts ---------------------------------------------------------------------------------------------------------


def _head(id: str, kind: str, choices: Sequence[Mapping[str, Any]], **rest: Any) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "object": kind, **rest, "choices": list(choices)}


def _early(is_early: bool) -> dict[str, bool]:  # noqa: FBT001 - the one thing it is about
    return {"closed_early": True} if is_early else {}


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _listed(ids: Sequence[int] | None) -> list[int] | None:
    return None if ids is None else list(ids)
