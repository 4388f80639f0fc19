"""Repairs: an allowed token in the place of a bad one, out of those that the API reported, as masked sampling draws it.

Why this is faithful. Sampling under a mask draws token ``t`` with ``p(t) / A`` where ``A`` is the probability of all
allowed tokens. Speculation draws from ``p`` without a mask and keeps an allowed token; only one that is not allowed,
which happens with ``1 - A``, is drawn again, from ``p(t) / A``. Together ``p(t) + (1 - A) p(t) / A = p(t) / A``. What
was drawn after a kept token was drawn with that token in the prompt, so the same holds at each place in turn. At
temperature 0 the best allowed token is what masked greedy decoding takes.

Of ``p`` the likeliest tokens are reported, without temperature. What is missing bounds the error: with ``u`` the
probability that was not reported and ``a`` that of the reported allowed tokens, no event is off by more than
``u / (a + u)``, which the report adds up as ``unseen``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from maskwright.client.draws import Option, Token

__all__ = ["Choice", "choose"]

#: Rounding of reported probabilities, which makes their sum miss 1 a little.
_ROUNDING: Final = 1e-6


@dataclass(frozen=True)
class Choice:
    """What to write in the place of a bad token."""

    #: ``b""``: the answer ends here.
    data: bytes
    #: Bound on the difference from masked sampling.
    unseen: float


def choose(
    token: Token,
    allowed: Callable[[Option], bool],
    *,
    temperature: float,
    top_p: float,
    random: Random,
) -> Choice | None:
    """The best allowed alternative at temperature 0, or one drawn from them; ``None`` if none is reported.

    Args:
        token: The bad token, with what was reported beside it.
        allowed: Whether an alternative may stand here.
        temperature: Of the draw. Reported are probabilities at temperature 1.
        top_p: The nucleus that tokens are drawn from, taken before the mask, as servers take it. If nothing in it is
            allowed, what is allowed outside of it is drawn from.
        random: Where drawn numbers come from.
    """
    known = [option for option in _distinct(token.top) if option.data is not None and option.logprob > -math.inf]
    good = [option for option in known if allowed(option)]
    if not good:
        return None
    if temperature <= 0:
        best = max(good, key=lambda option: option.logprob)
        return Choice(best.data or b"", 0.0)
    highest = max(option.logprob for option in known)
    weights = {id(option): math.exp((option.logprob - highest) / temperature) for option in known}
    pool = _nucleus(good, known, weights, top_p)
    total = sum(weights[id(option)] for option in pool)
    mark = random.random() * total
    picked = pool[-1]
    for option in pool:
        mark -= weights[id(option)]
        if mark < 0:
            picked = option
            break
    return Choice(picked.data or b"", _bound(known, good))


def _distinct(options: Sequence[Option]) -> list[Option]:
    """Each token once: some APIs list the one that was written beside the likeliest again."""
    found: dict[tuple[bytes | None, int | None], Option] = {}
    for option in options:
        found.setdefault((option.data, option.id), option)
    return list(found.values())


def _nucleus(good: list[Option], known: list[Option], weights: dict[int, float], top_p: float) -> list[Option]:
    if top_p >= 1:
        return good
    total = sum(weights.values())
    kept: set[int] = set()
    mass = 0.0
    for option in sorted(known, key=lambda option: -option.logprob):
        if mass >= top_p * total:
            break
        kept.add(id(option))
        mass += weights[id(option)]
    return [option for option in good if id(option) in kept] or good


def _bound(known: list[Option], good: list[Option]) -> float:
    unseen = 1.0 - sum(math.exp(option.logprob) for option in known)
    if unseen <= _ROUNDING:
        return 0.0
    return unseen / (unseen + sum(math.exp(option.logprob) for option in good))
