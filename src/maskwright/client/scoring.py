"""Continuations scored by the model: for APIs with ``echo`` and ``logprobs`` and nothing better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from maskwright.client.draws import completion_drawn
from maskwright.client.exchange import COMPLETIONS, Exchange
from maskwright.client.flow import Flow
from maskwright.client.numbers import count_of, real_of
from maskwright.errors import CapabilityError, RejectedError
from maskwright.matcher import Matcher

__all__ = ["branches", "scores"]

#: More ways on than this are not scored: each bills the whole prompt.
_MOST: Final = 16
_BYTE: Final = 256


def branches(matcher: Matcher) -> list[bytes]:
    """The ways on from here, each as far as it is the only one; empty if they are too many to be scored."""
    found: list[bytes] = []
    for byte in range(_BYTE):
        first = bytes([byte])
        if not matcher.can_read(first):
            continue
        if len(found) == _MOST:
            return []
        fork = matcher.fork()
        fork.advance_bytes(first)
        way = first + fork.forced_bytes()
        found.append(way)
    return found if len(found) > 1 and all(_is_text(way) for way in found) else []


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def scores(exchange: Exchange, begun: bytes, ways: Sequence[bytes], so_far: str) -> Flow[list[float] | None]:
    """The logarithm of the probability of each way on, all in one call; ``None`` if the API does not tell."""
    before = exchange.prompt + begun.decode("utf-8", "replace")
    body: dict[str, Any] = {
        "prompt": [before + way.decode() for way in ways],
        "max_tokens": 1,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }
    if exchange.settings.model is not None:
        body["model"] = exchange.settings.model
    try:
        data = yield from exchange.raw(COMPLETIONS, body, so_far)
    except (RejectedError, CapabilityError):
        exchange.refuse("field:echo")
        return None
    exchange.ledger.add("scored", len(ways))
    choices = data.get("choices")
    listed = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
    places = [(count_of(choice.get("index")), choice) for choice in listed]
    by_index = {place if told is None else told: choice for place, (told, choice) in enumerate(places)}
    found = [_score(by_index.get(place), before.encode(), way) for place, way in enumerate(ways)]
    if any(score is None for score in found):
        exchange.refuse("field:echo")
        return None
    return [score for score in found if score is not None]


def _score(choice: Mapping[str, Any] | None, before: bytes, way: bytes) -> float | None:
    """The sum over the tokens that reach into a way on."""
    if choice is None or not isinstance(choice.get("logprobs"), dict):
        return None
    told = choice["logprobs"].get("token_logprobs")
    drawn = completion_drawn({"choices": [choice]})
    whole = before + way
    if not isinstance(told, list) or not drawn.text.startswith(whole):
        return None
    at, total = 0, 0.0
    for place, token in enumerate(drawn.tokens):
        end = at + len(token.data)
        if end > len(before) and at < len(whole):
            value = real_of(told[place]) if place < len(told) else None
            if value is None or not token.is_whole:
                return None
            total += value
        at = end
    return total
