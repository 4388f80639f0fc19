"""The generation loop: one model pass for each token that is a choice, none for text that is forced.

A pass reads the token that was drawn last together with everything that the constraint forces after it, so forced
text costs a few rows in a product that is made anyway. A mask with one single token is no choice either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.cache import Cache
from maskwright.decode.local import LocalModel
from maskwright.decode.masks import allowed_ids
from maskwright.decode.sampler import Sampler
from maskwright.errors import ModelError, PolicyError
from maskwright.guide import Guide
from maskwright.matcher import Matcher

__all__ = ["Generation", "generate"]

_T = TypeVar("_T")
#: Called with each token id as it is written, and whether it was forced.
OnToken = Callable[[int, bool], None]


@dataclass(frozen=True, slots=True)
class Generation:
    """What was written, and what it cost."""

    #: The exact bytes.
    data: bytes
    #: Ids that were written, without the end token.
    tokens: tuple[int, ...]
    #: How many of them needed no choice, so no model pass of their own.
    forced_tokens: int
    prompt_tokens: int
    #: Passes through the model, that over the prompt included.
    passes: int
    #: Seconds in the model, and in masks (masks, advancing and forced text).
    seconds_model: float
    seconds_masks: float
    #: ``"stop"``: the output is complete, which it always is with a guide of :func:`maskwright.compile`. ``"length"``:
    #: the tokens ran out under a matcher that keeps no budget.
    finish_reason: Literal["stop", "length"]

    @property
    def text(self) -> str:
        """The output as text."""
        return self.data.decode(errors="replace")


def generate(
    model: LocalModel,
    prompt: str | Sequence[int],
    guide: Guide,
    *,
    max_tokens: int = 1024,
    temperature: float = 0.0,
    top_p: float = 1.0,
    seed: int | None = None,
    on_token: OnToken | None = None,
) -> Generation:
    """Let a model write one output of a constraint.

    Args:
        model: The weights, with the vocabulary that ``guide`` was compiled for.
        prompt: A text to continue, or token ids such as ``model.prompter.chat(...)`` gives.
        guide: A compiled constraint; its matchers say what may follow.
        max_tokens: Tokens to write at most, forced ones included and the end token not; the model's context may allow
            fewer. The masks close the output within them, so it is always complete.
        temperature: 0 takes the likeliest token; greater values draw more evenly.
        top_p: Draw from the likeliest tokens only, as few as reach this share.
        seed: Equal seeds give equal outputs.
        on_token: Called as tokens are written.

    Raises:
        UnspellableError: no output has that few tokens; nothing is generated.
        ModelError: the prompt is empty or does not fit in the model's context.
        PolicyError: a number is out of its range.
        VocabularyError: the guide was compiled for another vocabulary.

    """
    if max_tokens < 1:
        raise PolicyError(f"max_tokens is {max_tokens}, it must be at least 1")
    sampler = Sampler(temperature=temperature, top_p=top_p, seed=seed)
    ids = model.prompter.plain(prompt) if isinstance(prompt, str) else list(prompt)
    context = model.network.dimensions.context
    if len(ids) >= context:
        raise ModelError(f"the prompt has {len(ids)} tokens, the model's context is {context}")
    budget = min(max_tokens, context - len(ids))
    return _Run(model, ids, guide.matcher(max_tokens=budget), sampler, on_token).finish(budget)


class _Run:
    """One sequence under way. ``pending`` are the ids that the model has not read yet."""

    def __init__(
        self,
        model: LocalModel,
        prompt: list[int],
        matcher: Matcher,
        sampler: Sampler,
        on_token: OnToken | None,
    ) -> None:
        self._network = model.network
        self._end_ids = model.vocabulary.end_ids
        self._matcher = matcher
        self._sampler = sampler
        self._on_token = on_token
        self._prompt_tokens = len(prompt)
        self._pending = prompt
        self._cache = Cache(model.network.dimensions)
        self._tokens: list[int] = []
        self._forced = self._passes = 0
        self._seconds_model = self._seconds_masks = 0.0

    def finish(self, budget: int) -> Generation:
        while not self._is_complete() and len(self._tokens) < budget:
            ids = self._choices(budget)
            if ids is not None:
                self._write(self._choose(ids), is_forced=False)
        return Generation(
            data=self._matcher.text,
            tokens=tuple(self._tokens),
            forced_tokens=self._forced,
            prompt_tokens=self._prompt_tokens,
            passes=self._passes,
            seconds_model=self._seconds_model,
            seconds_masks=self._seconds_masks,
            finish_reason="stop" if self._is_complete() else "length",
        )

    def _is_complete(self) -> bool:
        return self._matcher.is_finished or self._matcher.must_end

    def _choices(self, budget: int) -> NDArray[np.intp] | None:
        """Write what is forced and return the ids to choose from, ``None`` if that ended the output or the budget."""
        while not self._is_complete() and len(self._tokens) < budget:
            forced = self._timed(self._matcher.forced_tokens)[: budget - len(self._tokens)]
            if not forced:
                ids = self._timed(self._allowed_ids)
                if len(ids) > 1 or int(ids[0]) in self._end_ids:
                    return ids
                forced = [int(ids[0])]
            for token in forced:
                self._write(token, is_forced=True)
        return None

    def _allowed_ids(self) -> NDArray[np.intp]:
        return allowed_ids(self._matcher.mask(), self._network.vocabulary_size)

    def _choose(self, ids: NDArray[np.intp]) -> int:
        """One model pass over the pending ids, and a draw from the scores of the allowed ones."""
        if not self._pending:
            raise ModelError("the prompt is empty (a model needs at least one token to go on from)")
        start = perf_counter()
        hidden = self._network.forward(self._pending, self._cache)[-1]
        self._pending = []
        place = self._sampler.draw(self._network.logits(hidden, ids))
        self._seconds_model += perf_counter() - start
        self._passes += 1
        return int(ids[place])

    def _write(self, token: int, *, is_forced: bool) -> None:
        self._timed(lambda: self._matcher.advance(token))
        if token in self._end_ids:
            return
        self._tokens.append(token)
        self._pending.append(token)
        self._forced += is_forced
        if self._on_token is not None:
            self._on_token(token, is_forced)

    def _timed(self, action: Callable[[], _T]) -> _T:
        start = perf_counter()
        try:
            return action()
        finally:
            self._seconds_masks += perf_counter() - start
