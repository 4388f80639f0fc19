"""What an API does, found out by asking it: few cheap calls, once for each address and model.

Only what cannot be seen in passing is asked on purpose: which API it is (``GET /v1/models``, no tokens), whether a bias
is applied and how many entries it may have, and whether a chat goes on with a beginning. That logprobs are missing, or
that there are no completions, is learned from the first answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from maskwright.client.draws import chat_drawn, completion_drawn
from maskwright.client.exchange import CHAT, COMPLETIONS, Exchange
from maskwright.client.flow import Call, Flow, Now, Pause, request
from maskwright.client.profiles import GENERIC, PROFILES, Profile, owned_profile, profile_at
from maskwright.client.spending import Ledger
from maskwright.client.task import Settings
from maskwright.errors import (
    CapabilityError,
    ConnectionFailedError,
    CredentialsError,
    ProtocolError,
    RejectedError,
    ServerFailedError,
    ServiceError,
    ServiceTimeoutError,
)
from maskwright.vocabulary import Vocabulary

__all__ = ["bias_cap", "known_profile", "prefill_of"]

#: Seconds between looks at a probe that somebody else makes.
_GLANCE: Final = 0.05
_QUESTION: Final = "What is the capital of France?"
#: A beginning that no model writes by itself, so that its return is an echo and its absence is no new answer.
_BEGINNING: Final = "The capital of France, as every child knows, is"
_NEXT: Final = "Paris"
_PREFILL_TOKENS: Final = 6
_NEAR: Final = 16
_MODELS: Final = "/v1/models"


def _once(settings: Settings, what: str, known: Callable[[], Any], probe: Flow[None]) -> Flow[Any]:
    """Run a probe unless its result is known; where somebody else runs it, wait for that."""
    probes, url, model = settings.probes, settings.base_url, settings.model
    while known() is None:
        now: float = yield Now()
        if not probes.begin(url, model, what, now):
            yield Pause(_GLANCE)
            continue
        try:
            yield from probe
        finally:
            probes.end(url, model, what)
        break
    return known()


def known_profile(settings: Settings, ledger: Ledger) -> Flow[Profile]:
    """What the API offers: as told, by its address, or as it says of its models."""
    if settings.profile is not None:
        return settings.profile
    found = profile_at(settings.base_url)
    if found is not None:
        return found
    probes = settings.probes

    def known() -> str | None:
        # One address serves all its models.
        return probes.known(settings.base_url, None).profile

    def probe() -> Flow[None]:
        name = GENERIC.name
        try:
            reply = yield from request(
                Call(_MODELS, method="GET", timeout=settings.timeout), settings.retries, deadline=ledger.deadline
            )
            ledger.add("retries", reply.attempts - 1)
            name = (owned_profile(reply.json()) or GENERIC).name
        except (CredentialsError, ConnectionFailedError, ServiceTimeoutError):
            raise
        except ServiceError as error:
            ledger.note(f"the API does not tell its models: {error.message[:120]}")
        probes.learn(settings.base_url, None, profile=name)

    name: str | None = yield from _once(settings, "profile", known, probe())
    return PROFILES.get(name or "", GENERIC)


def prefill_of(exchange: Exchange) -> Flow[str]:
    """How a chat goes on with a beginning; asked only where nobody knows the API."""
    settings, profile = exchange.settings, exchange.profile
    if profile is not GENERIC or not profile.prefill:
        return exchange.prefill

    def probe() -> Flow[None]:
        messages = [{"role": "user", "content": _QUESTION}, {"role": "assistant", "content": _BEGINNING}]
        body = {"messages": messages, "max_tokens": _PREFILL_TOKENS, "temperature": 0}
        try:
            data = yield from exchange.raw(CHAT, _addressed(settings, body))
        except (RejectedError, CapabilityError, ServerFailedError, ProtocolError):
            exchange.learn(prefill="")
            return
        exchange.ledger.add("probes")
        text = chat_drawn(data).text.decode("utf-8", "replace")
        echoes = text.startswith(_BEGINNING)
        works = echoes or (_NEXT in text[:_NEAR] and not text.lstrip().startswith(_BEGINNING[:_NEAR]))
        exchange.learn(prefill=profile.prefill if works else "", echoes_prefill=echoes)

    found: str | None = yield from _once(settings, "prefill", lambda: exchange.finding.prefill, probe())
    return found or ""


def bias_cap(exchange: Exchange) -> Flow[int]:
    """Most entries of a bias that the API applies; 0 if it does not, or if that cannot be found out."""
    settings, bias = exchange.settings, exchange.profile.bias
    vocabulary = settings.vocabulary
    if bias is None or vocabulary is None or "logit_bias" in exchange.profile.drops(settings.model):
        return 0
    if "field:logit_bias" in exchange.finding.refused:
        return 0

    def probe() -> Flow[None]:
        cap = yield from _applied(exchange, vocabulary, bias.cap, bias.bound)
        exchange.learn(bias=cap)

    found: int | None = yield from _once(settings, "bias", lambda: exchange.finding.bias, probe())
    return found or 0


def _applied(exchange: Exchange, vocabulary: Vocabulary, claimed: int, bound: float) -> Flow[int]:
    """The most entries that are applied, by halving where too many are refused."""
    words = _unlikely(vocabulary, claimed)
    low, high, tried = 0, len(words), len(words)
    while low < high:
        # One token is pushed, the others are banned: what comes back can be that one by chance only.
        entries = {str(token): bound if token == words[0] else -bound for token in words[:tried]}
        body = {"max_tokens": 1, "temperature": 0, "logit_bias": entries}
        if exchange.is_chat:
            path, body = CHAT, {**body, "messages": [{"role": "user", "content": _QUESTION}]}
        else:
            path, body = COMPLETIONS, {**body, "prompt": _QUESTION}
        try:
            data = yield from exchange.raw(path, _addressed(exchange.settings, body))
        except (RejectedError, CapabilityError, ServerFailedError) as error:
            high = tried - 1
            told = [int(number) for number in re.findall(r"\d+", error.message) if low < int(number) <= high]
            tried = max(told) if told else (low + high + 1) // 2
            continue
        exchange.ledger.add("probes")
        drawn = chat_drawn(data) if exchange.is_chat else completion_drawn(data)
        if drawn.text.strip() != vocabulary.tokens[words[0]]:
            exchange.ledger.note("the API takes logit_bias and does not apply it")
            return 0
        low = tried
        tried = (low + high + 1) // 2
    return low


def _unlikely(vocabulary: Vocabulary, count: int) -> list[int]:
    """Ids of words, of which the first does not answer the question."""
    found: list[int] = []
    for token in range(len(vocabulary.tokens) - 1, -1, -1):
        data = vocabulary.tokens[token]
        if data.isalpha() and data.isascii() and data.decode().lower() not in _LIKELY:
            found.append(token)
            if len(found) == count:
                break
    return found


_LIKELY: Final = frozenset({"the", "paris", "france", "par", "p", "t", "th", "it", "what", "a", "i"})


def _addressed(settings: Settings, body: dict[str, Any]) -> dict[str, Any]:
    return body if settings.model is None else {"model": settings.model, **body}
