"""What the engine counts, for ``/metrics`` and for the estimate of ``retry-after``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

__all__ = ["Counts", "EngineStats"]

#: Seconds from which a mask is slow: every sequence waited for it, some three passes of a small model long.
_SLOW: Final = 0.1


@dataclass(kw_only=True, slots=True)
class Counts:
    """Totals from the start of the engine; times are in seconds. Written by the engine's thread only."""

    #: Jobs by how they ended.
    finished: int = 0
    failed: int = 0
    cancelled: int = 0
    #: Passes through the model, and the tokens that they read.
    steps: int = 0
    read_tokens: int = 0
    #: Tokens of prompts, and how many of them were not read because a sequence before had read them.
    prompt_tokens: int = 0
    cached_tokens: int = 0
    #: Tokens written, and how many of them needed no choice.
    tokens: int = 0
    forced_tokens: int = 0
    #: Tokens of finished predictions that were proposed to the model: those written, and the others.
    accepted_prediction_tokens: int = 0
    rejected_prediction_tokens: int = 0
    seconds_model: float = 0.0
    #: Masks, advancing and forced text.
    seconds_masks: float = 0.0
    #: Penalties, bias, scores and draws.
    seconds_sampling: float = 0.0
    #: Turns between two passes in which the masks of one sequence took longer than a tenth of a second, so that every
    #: sequence waited; the longest one.
    slow_masks: int = 0
    slowest_mask: float = 0.0

    def note_masks(self, seconds: float) -> None:
        """Count the time of one sequence's masks."""
        self.seconds_masks += seconds
        self.slow_masks += seconds > _SLOW
        self.slowest_mask = max(self.slowest_mask, seconds)


@dataclass(frozen=True, kw_only=True)
class EngineStats:
    """A consistent picture of the engine between two passes: the totals of :class:`Counts`, and what is there now."""

    #: Jobs that wait, and their cap.
    queued: int = 0
    queue: int = 0
    #: Sequences under way, and their cap.
    running: int = 0
    batch: int = 0
    #: Jobs that never entered the queue: it was full (429) or the engine was closing (503).
    refused: int = 0
    #: Sequences kept for prompts to come, and their tokens.
    kept_sessions: int = 0
    kept_tokens: int = 0
    finished: int = 0
    failed: int = 0
    cancelled: int = 0
    steps: int = 0
    read_tokens: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    tokens: int = 0
    forced_tokens: int = 0
    accepted_prediction_tokens: int = 0
    rejected_prediction_tokens: int = 0
    seconds_model: float = 0.0
    seconds_masks: float = 0.0
    seconds_sampling: float = 0.0
    slow_masks: int = 0
    slowest_mask: float = 0.0

    @classmethod
    def of(cls, counts: Counts, **present: int) -> EngineStats:
        """The totals, and what is there now."""
        return cls(**asdict(counts), **present)
