"""What the engine counts, for ``/metrics`` and for the estimate of ``retry-after``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EngineStats"]


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineStats:
    """A consistent picture of the engine between two steps. Totals count from its start; times are in seconds."""

    #: Jobs that wait, and their cap.
    queued: int = 0
    queue: int = 0
    #: Sequences under way, and their cap.
    running: int = 0
    batch: int = 0
    #: Jobs by how they ended; ``refused`` never entered the queue (429 and 503).
    finished: int = 0
    failed: int = 0
    cancelled: int = 0
    refused: int = 0
    #: Passes through the model, and the tokens that they read.
    steps: int = 0
    read_tokens: int = 0
    #: Tokens of prompts, and how many of them were not read because a sequence before had read them.
    prompt_tokens: int = 0
    cached_tokens: int = 0
    #: Tokens written, and how many of them needed no choice.
    tokens: int = 0
    forced_tokens: int = 0
    accepted_prediction_tokens: int = 0
    rejected_prediction_tokens: int = 0
    seconds_model: float = 0.0
    #: Masks, advancing and forced text.
    seconds_masks: float = 0.0
    #: Penalties, bias, scores and draws.
    seconds_sampling: float = 0.0
    #: Masks that took longer than a tenth of a second, in which every sequence waited; the longest one.
    slow_masks: int = 0
    slowest_mask: float = 0.0
    #: KV caches that are open: of running sequences, and kept for prompts to come (with their tokens).
    sessions: int = 0
    kept_sessions: int = 0
    kept_tokens: int = 0
