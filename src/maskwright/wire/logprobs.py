"""Probabilities of tokens in the two forms of the APIs."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

__all__ = ["Scored", "chat_logprobs", "completion_logprobs", "token_text"]

#: Logarithms below this are written as this: JSON has no infinity, and OpenAI writes -9999.0 for what is not among the
#: likeliest.
_LEAST: Final = -9999.0


class Scored(NamedTuple):
    """A token that was written or read, and what the model thought of it."""

    #: The bytes that it writes.
    data: bytes
    #: None for the first token of a prompt, which nothing came before.
    logprob: float | None
    #: Bytes and natural logarithm of the probability of the likeliest tokens, the likeliest first.
    top: tuple[tuple[bytes, float], ...] = ()


def token_text(data: bytes) -> str:
    r"""A token as a text; one that splits a character as OpenAI's older form writes it: ``bytes:\xf0\x9f``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in data)


def _number(logprob: float) -> float:
    return max(_LEAST, logprob)


def completion_logprobs(scored: Sequence[Scored], *, offset: int, top: int) -> dict[str, Any]:
    """The older form: parallel lists.

    Args:
        scored: The tokens.
        offset: Characters of the prompt and the output before the first of them.
        top: How many likeliest tokens were asked for; with 0 there is no list of them. The token itself is always among
            them, so there may be one more. Of tokens with the same text the likelier one is told.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    offsets: list[int] = []
    for one in scored:
        offsets.append(offset)
        offset += len(decoder.decode(one.data))
    return {
        "tokens": [token_text(one.data) for one in scored],
        "token_logprobs": [None if one.logprob is None else _number(one.logprob) for one in scored],
        "top_logprobs": [_top(one, top) for one in scored] if top else None,
        "text_offset": offsets,
    }


def _top(one: Scored, most: int) -> dict[str, float] | None:
    if one.logprob is None:
        return None
    found: dict[str, float] = {}
    for data, logprob in (*one.top[:most], (one.data, one.logprob)):
        found.setdefault(token_text(data), _number(logprob))
    return found


def chat_logprobs(scored: Sequence[Scored], *, top: int = 20) -> dict[str, Any]:
    """The newer form: an object for each token, with its bytes and ``top`` others."""
    content = [
        {**_entry(one.data, one.logprob or 0.0), "top_logprobs": [_entry(*other) for other in one.top[:top]]}
        for one in scored
    ]
    return {"content": content, "refusal": None}


def _entry(data: bytes, logprob: float) -> dict[str, Any]:
    return {"token": data.decode("utf-8", "replace"), "logprob": _number(logprob), "bytes": list(data)}
