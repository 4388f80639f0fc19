"""Requests made jobs: one for each choice."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from maskwright.guide import Guide
from maskwright.server.jobs import Job
from maskwright.server.settings import Settings
from maskwright.wire.generation import Generation

__all__ = ["jobs_of"]


def jobs_of(
    asked: Generation,
    prompt: Sequence[int],
    *,
    guide: Guide | None,
    count: int,
    settings: Settings,
    context: int,
    prediction: Sequence[int] = (),
    echo: bool = False,
    scored: bool = False,
) -> list[Job]:
    """The jobs of one prompt.

    Args:
        asked: The request.
        prompt: The ids of the prompt.
        guide: What its constraint was compiled to.
        count: How many candidates are written.
        settings: What is left out, and how long a request may take.
        context: Tokens that the model holds.
        prediction: Ids that the output is expected to hold.
        echo: Whether the tokens of the prompt are scored, too.
        scored: Whether scores are needed though the request asks for none.

    """
    logprobs = None if "logprobs" in settings.without else asked.logprobs
    if scored and logprobs is None:
        logprobs = 0
    job = Job(
        prompt=tuple(prompt),
        guide=guide,
        max_tokens=asked.max_tokens,
        min_tokens=context if asked.min_tokens < 0 else asked.min_tokens,
        temperature=asked.temperature,
        top_p=asked.top_p,
        frequency_penalty=asked.frequency_penalty,
        presence_penalty=asked.presence_penalty,
        logit_bias={} if "logit_bias" in settings.without else asked.logit_bias,
        stop=tuple(text.encode() for text in asked.stop),
        logprobs=logprobs,
        echo_logprobs=echo and logprobs is not None,
        prediction=tuple(prediction),
        deadline=time.monotonic() + settings.request_seconds,
    )
    # Equal seeds would write the same text n times.
    seeds = [None if asked.seed is None else asked.seed + number for number in range(count)]
    return [replace(job, seed=seed) for seed in seeds]
