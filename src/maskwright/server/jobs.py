"""What the engine is asked for, and what it tells: jobs in, events out.

A job is one sequence: one prompt, one output. A request for several choices is several jobs on one ticket. The events
of a job come in this order: one :class:`Prompted`, any number of :class:`Token`, one :class:`Finish`; or
:class:`Failed` as the last at any place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from maskwright.errors import MaskwrightError
from maskwright.guide import Guide
from maskwright.matcher import Matcher

__all__ = [
    "LEAST_LOGPROB",
    "Candidate",
    "Event",
    "Failed",
    "Finish",
    "Job",
    "Observation",
    "Prompted",
    "Score",
    "Token",
]

#: No reported logarithm is lower: JSON has no minus infinity, and OpenAI's API says this number for "very unlikely".
LEAST_LOGPROB: Final = -9999.0
_NOTHING: Final[Mapping[int, float]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Job:
    """One output to be written after one prompt.

    At each step these laws hold in this order: raw logits; less the penalties; plus ``logit_bias``; the guide's mask;
    end tokens closed until ``min_tokens`` are written; divided by ``temperature``; cut by ``top_p``; drawn with the
    job's own generator. Text that the guide forces is written without a draw.
    """

    #: Ids of the prompt, at least one.
    prompt: tuple[int, ...]
    #: The constraint, compiled for the runtime's vocabulary; None writes freely until an end token. Where an output
    #: that was begun may end, and the model's likeliest token is none that the constraint allows, it ends: a number
    #: that the model wants to follow with a comma is complete.
    guide: Guide | None = None
    #: Tokens to write at most, an end token included; None for as many as the context has room for. With a guide the
    #: output is closed within them.
    max_tokens: int | None = None
    #: Tokens before which neither an end token nor a stop text ends the output. A guide that leaves nothing but the end
    #: ends it all the same.
    min_tokens: int = 0
    #: 0 takes the likeliest token.
    temperature: float = 1.0
    #: Share of the likeliest tokens that is drawn from; 0 takes the likeliest token.
    top_p: float = 1.0
    #: Of the generator; any whole number. None for a fresh one. Choices of one request need different ones.
    seed: int | None = None
    #: Subtracted from the logit of a token for each time that it was written before (OpenAI's formula).
    frequency_penalty: float = 0.0
    #: Subtracted once from the logit of every token that was written before.
    presence_penalty: float = 0.0
    #: Added to the logits of these ids at every step.
    logit_bias: Mapping[int, float] = field(default_factory=lambda: _NOTHING)
    #: Texts that end the output; they are not part of it. Found across the borders of tokens.
    stop: tuple[bytes, ...] = ()
    #: How many of the likeliest tokens are reported with each token; 0 reports the written one only, None nothing.
    logprobs: int | None = None
    #: Whether the tokens of the prompt are scored, too, as ``logprobs`` says. Nothing of the prompt is then taken from
    #: the cache.
    echo_logprobs: bool = False
    #: Ids that the output is expected to hold (predicted outputs); they change its cost, never its content.
    prediction: tuple[int, ...] = ()
    #: How many of the model's own best candidates each token's :class:`Observation` shows; 0 makes none.
    observe: int = 0
    #: ``time.monotonic()`` at which the job is given up; None for never.
    deadline: float | None = None
    #: The guide's matcher at the beginning; made by ``Engine.prepare``.
    matcher: Matcher | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token that the model proposed."""

    id: int
    #: Its share before the mask, at temperature 1.
    probability: float
    #: Whether the guide allows it here.
    allowed: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """How a token came about: what was allowed, and what the model itself would have written."""

    #: Ids that the mask allows here; all that can be written if there is no guide.
    allowed_count: int
    #: The likeliest tokens without the mask, likeliest first.
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How likely the model found a token.

    Natural logarithms of the softmax of the logits after penalties and ``logit_bias``, before mask, temperature and
    ``top_p``: they tell what the model wanted and not what the grammar left of it, so a low number beside a written
    token shows that the constraint led. None for the first token of a prompt, which nothing predicts.
    """

    logprob: float | None
    #: The likeliest ids with their logarithms, likeliest first.
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompted:
    """The prompt was read; the first event of a job."""

    prompt_tokens: int
    #: How many of them were not read again, because a sequence before had read the same ones.
    cached_tokens: int
    #: With ``echo_logprobs``, the score of each token of the prompt.
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """A token that was written. Every written token is told, so their number is ``Finish.completion_tokens``."""

    id: int
    #: What it adds to the output: its bytes, which may be a part of a character. Empty for end tokens and for what
    #: belongs to a stop text; the name of a control token that a grammar asks for.
    data: bytes
    #: See :class:`Score`; None if no ``logprobs`` were asked for.
    logprob: float | None = None
    top: tuple[tuple[int, float], ...] = ()
    #: Whether the guide left no choice.
    forced: bool = False
    observed: Observation | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish:
    """The output is complete, or its tokens ran out; the last event of a job."""

    #: ``length``: the tokens ran out where more could have been written. With a guide the output is one of it even so.
    reason: Literal["stop", "length"]
    #: The stop text that ended it.
    matched: bytes | None = None
    #: Tokens written, end token and stop text included.
    completion_tokens: int
    #: Tokens of the prediction that were proposed to the model and written ...
    accepted_prediction_tokens: int = 0
    #: ... and that were proposed and not written. They are not part of ``completion_tokens``.
    rejected_prediction_tokens: int = 0
    #: Whether the constraint left a choice that ``max_tokens`` (or the context) took from the model: its likeliest
    #: token could not have been followed by an end in time, or nothing but one token could.
    closed_early: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The job was given up; the last event of a job."""

    error: MaskwrightError


Event = Prompted | Token | Finish | Failed
