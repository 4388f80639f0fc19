"""What is checked of a job before it waits: its ids, its length, and whether its constraint fits in its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from maskwright.errors import RequestError, UnspellableError, VocabularyError
from maskwright.matcher import Matcher
from maskwright.server.jobs import Job
from maskwright.server.sampling import Chooser
from maskwright.server.writing import Writing

__all__ = ["admitted"]


def admitted(jobs: Sequence[Job], writing: Writing) -> tuple[Job, ...]:
    """The jobs, each with a matcher if it has a guide; jobs of one guide and one budget are planned once.

    Raises:
        RequestError: 400, with the field at fault.
        VocabularyError: a guide was compiled for another vocabulary.
        PolicyError: a number of the sampling law is out of its range.
        ConstraintError: a plan exceeded a limit.
    """
    planned: dict[tuple[int, int], Matcher] = {}
    ready = []
    for job in jobs:
        _check(job, writing)
        Chooser(job, writing)
        if job.guide is None or job.matcher is not None:
            ready.append(job)
            continue
        room = writing.context - len(job.prompt)
        budget = room if job.max_tokens is None else min(job.max_tokens, room)
        key = (id(job.guide), budget)
        if key not in planned:
            planned[key] = _planned(job, budget, writing.context)
        ready.append(replace(job, matcher=planned[key]))
    return tuple(ready)


def _check(job: Job, writing: Writing) -> None:
    if not job.prompt:
        raise _invalid("prompt", "the prompt has no tokens; a model needs at least one to go on from")
    if not 0 <= min(job.prompt) <= max(job.prompt) < writing.width:
        place, token = next((i, one) for i, one in enumerate(job.prompt) if not 0 <= one < writing.width)
        raise _invalid("prompt", f"token {place} of the prompt has the id {token}; ids are 0 to {writing.width - 1}")
    least = 0 if job.max_tokens == 0 else 1
    if len(job.prompt) + least > writing.context:
        told = f"the prompt has {len(job.prompt)} tokens, and the model's context is {writing.context}"
        raise RequestError(f"{told} (send a shorter one)", param="prompt", code="context_length_exceeded")
    for token in job.logit_bias:
        if not 0 <= token < writing.width:
            raise _invalid("logit_bias", f"there is no token {token}; ids are 0 to {writing.width - 1}")
    for name in ("max_tokens", "min_tokens", "logprobs", "observe"):
        if (getattr(job, name) or 0) < 0:
            raise _invalid(name, f"{name} is {getattr(job, name)}, it must be at least 0")
    if not all(job.stop):
        raise _invalid("stop", "a stop text is empty")
    if job.guide is not None and job.guide.vocabulary != writing.vocabulary:
        raise VocabularyError("the guide was compiled for another vocabulary (compile it for that of the runtime)")


def _invalid(param: str, reason: str) -> RequestError:
    return RequestError(reason, param=param, code="invalid_value")


def _planned(job: Job, budget: int, context: int) -> Matcher:
    assert job.guide is not None  # noqa: S101  (asked for before)
    try:
        return _rehearsed(job.guide.matcher(max_tokens=budget))
    except UnspellableError as cause:
        is_asked_for = job.max_tokens is not None and budget == job.max_tokens
        where = "" if is_asked_for else f"; the prompt has {len(job.prompt)} tokens of the context's {context}"
        raise RequestError(
            f"the constraint needs more tokens: {cause}{where}",
            param="max_tokens" if is_asked_for else "prompt",
            code="max_tokens_too_small" if is_asked_for else "context_length_exceeded",
        ) from cause


def _rehearsed(matcher: Matcher) -> Matcher:
    """The matcher, after a copy has gone to its first choice: the dearest masks are learned before a sequence waits."""
    copy = matcher.fork()
    for token in copy.forced_tokens():
        copy.advance(token)
    copy.mask()
    return matcher
