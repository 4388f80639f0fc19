"""Biases and masks by token id: bodies that push a model towards what is allowed at one place.

A bias is added to the logits at every step of a request, so it is right for one token only. A large one on all allowed
tokens leaves the others no chance and keeps the odds among the allowed ones: that is drawing under a mask.
A ban of tokens that are not allowed changes nothing else, so drawing again with bans is masked sampling by rejection.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from maskwright.client.draws import Option, Token
from maskwright.client.profiles import Bias
from maskwright.matcher import Matcher
from maskwright.vocabulary import Vocabulary

__all__ = ["allowed_ids", "banned", "bans_of", "pushed"]


def allowed_ids(matcher: Matcher) -> list[int]:
    """The ids of the allowed tokens, in ascending order."""
    bits = np.unpackbits(matcher.mask().view(np.uint8), bitorder="little")
    return [int(index) for index in np.flatnonzero(bits[: len(matcher.vocabulary)])]


def pushed(ids: list[int], bias: Bias, *, cap: int, has_mask: bool) -> dict[str, Any] | None:
    """Fields that leave only these tokens; ``None`` if they are too many.

    Args:
        ids: The allowed tokens.
        bias: What the API claims.
        cap: Most entries of a bias that is known to be applied, 0 if it is not.
        has_mask: Whether the field that is a true mask was not refused.
    """
    if bias.mask is not None and has_mask and len(ids) <= bias.mask_cap:
        return {bias.mask: ids}
    if len(ids) <= cap:
        return {"logit_bias": {str(token): bias.bound for token in ids}}
    return None


def banned(ids: Iterable[int], bias: Bias) -> dict[str, Any]:
    """Fields that leave out these tokens."""
    return {"logit_bias": {str(token): -bias.bound for token in ids}}


def bans_of(token: Token | None, matcher: Matcher, allowed: set[int]) -> list[int]:
    """Ids of tokens that were seen where they are not allowed: the bad one, and the likeliest beside it."""
    if token is None:  # it ended too early
        return sorted(matcher.vocabulary.end_ids - allowed)
    seen = [(token.data, token.id), *((option.data, option.id) for option in token.top if _is_likely(option))]
    found: dict[int, None] = {}
    for data, told in seen:
        ids = _ids(data, told, matcher.vocabulary)
        found.update((one, None) for one in ids if one not in allowed)
    return list(found)


def _is_likely(option: Option) -> bool:
    return option.logprob > float("-inf")


def _ids(data: bytes | None, told: int | None, vocabulary: Vocabulary) -> tuple[int, ...]:
    """The ids that a token may have had."""
    if told is not None:
        return (told,) if told < len(vocabulary) else ()
    if data is None:
        return ()
    return tuple(sorted(vocabulary.end_ids)) if not data else _by_bytes(vocabulary).get(data, ())


def _by_bytes(vocabulary: Vocabulary) -> dict[bytes, tuple[int, ...]]:
    """Text to ids; kept with the vocabulary."""
    found: dict[bytes, tuple[int, ...]] | None = vocabulary._caches.get(_KEY)  # noqa: SLF001 - made for such tables
    if found is None:
        found = {}
        for token, data in enumerate(vocabulary.tokens):
            if data:
                found[data] = (*found.get(data, ()), token)
        vocabulary._caches[_KEY] = found  # noqa: SLF001
    return found


_KEY = "client.biases"
