"""Requests to ``/v1/completions``."""

from __future__ import annotations

from dataclasses import dataclass

from maskwright.wire.generation import Generation

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
    """
    raise NotImplementedError
