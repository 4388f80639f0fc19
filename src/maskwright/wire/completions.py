"""Requests to ``/v1/completions``."""

from __future__ import annotations

from dataclasses import dataclass

from maskwright.errors import RequestError
from maskwright.wire.fields import Reading, read_fields
from maskwright.wire.generation import Generation
from maskwright.wire.reading import least_tokens, shared
from maskwright.wire.refusals import invalid, of_vendor
from maskwright.wire.tables import COMPLETION_FIELDS

__all__ = ["CompletionRequest", "read_completion"]


@dataclass(frozen=True, kw_only=True)
class CompletionRequest(Generation):
    """A request for completions, checked."""

    #: Texts, or token ids; there is at least one.
    prompts: tuple[str | tuple[int, ...], ...] = ("",)
    #: Candidates of which the best ``n`` are given; at least ``n``.
    best_of: int = 1
    #: The answer begins with the prompt.
    echo: bool = False
    #: ``choices[].tokens`` holds the ids instead of a text.
    return_raw_tokens: bool = False


def read_completion(data: object, *, compat: str = "lenient") -> CompletionRequest:
    """The request in a parsed body.

    Raises:
        RequestError: with the path of the field at fault as ``param``; 422 for what is misshapen under ``cerebras``.
        PolicyError: there is no such ``compat``.
    """
    try:
        found = read_fields(COMPLETION_FIELDS, data, compat)
        most = found["max_tokens"]
        return CompletionRequest(
            **shared(found, compat),
            prompts=found["prompt"],
            max_tokens=most,
            min_tokens=least_tokens("min_tokens", found["min_tokens"], most),
            logprobs=found["logprobs"],
            best_of=_best_of(found),
            echo=_echo(found),
            return_raw_tokens=found["return_raw_tokens"],
        )
    except RequestError as error:
        raise of_vendor(error, compat) from error.__cause__


def _best_of(found: Reading) -> int:
    n: int = found["n"]
    best: int = n if found["best_of"] is None else found["best_of"]
    if best < n:
        raise invalid("best_of", f"it is at least n: {best} candidates hold no {n} answers")
    if best > n and found["stream"]:
        raise invalid("best_of", "which candidates are the best is known at the end only: it cannot be streamed")
    return best


def _echo(found: Reading) -> bool:
    echo: bool = found["echo"]
    if echo and found["return_raw_tokens"]:
        raise invalid("echo", "it does not go with return_raw_tokens")
    return echo
