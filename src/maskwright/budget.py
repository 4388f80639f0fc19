"""Budgets: matchers whose masks close the output within a number of tokens.

A token is allowed if a completion after it is known that the tokens left can write. Known are the shortest completion
of the configuration after it, tokenised in the best way, and the rest of the present *plan*. From the beginning on
there is a plan that fits, and its first token is always allowed; so no mask is empty and every output ends in time.

End tokens do not count: ``max_tokens`` tokens of text, and then an end token.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Final

import numpy as np

from maskwright.engine import ENDED, Engine, Mask
from maskwright.errors import PolicyError, TokenError, UnspellableError
from maskwright.kernel.costs import NO_END
from maskwright.kernel.walk import REFUSED
from maskwright.matcher import Matcher, checked_bytes, checked_id
from maskwright.patience import Patience
from maskwright.prices import NEVER, Prices, Tokens, prices_of, shifted

if TYPE_CHECKING:
    from typing import Self

    from maskwright.constraint import Constraint
    from maskwright.vocabulary import Vocabulary

__all__ = ["BudgetedMatcher"]

#: In place of a plan: there is none that fits.
_BROKE: Final[Tokens] = (-1,)


class BudgetedMatcher(Matcher):
    """A matcher whose output always ends within ``max_tokens``. Made by :meth:`maskwright.Guide.matcher`."""

    __slots__ = ("_lefts", "_max_tokens", "_plans", "_row")

    def __init__(self, engine: Engine, max_tokens: int) -> None:
        """Look for a plan that fits.

        Raises:
            UnspellableError: no output of that few tokens is found; the message tells the least number.
            LimitError: what an output takes at least is not found within the limits.
            PolicyError: ``max_tokens`` is no number of at least 0.
        """
        super().__init__(engine)
        self._max_tokens = _checked(max_tokens)
        #: ``_lefts[i]``: tokens left after i steps.
        self._lefts = [self._max_tokens]
        #: ``_plans[i]``: tokens that end the output and fit; None if a bound says that the shortest completion does.
        self._plans: list[Tokens | None] = []
        #: The last mask, and after how many steps.
        self._row: tuple[int, Mask] | None = None
        with engine.turn(), self._patience():
            self._plans.append(self._begin(prices_of(engine)))

    def _patience(self) -> Patience:
        return self._engine.patience("the shortest output was not found", "ask without max_tokens, or simplify it")

    def _begin(self, prices: Prices) -> Tokens | None:
        root, left = self._now(), self._max_tokens
        if prices.upper(root) <= left:
            return None
        plan = prices.plan(root, self._source)
        if plan is not None and len(plan) <= left:
            return plan
        found, least, is_sure = prices.search(root, left, self._source)
        if found is None:
            cause = prices.completion.cause
            if cause is not None and prices.weight(root) >= NO_END:
                raise cause
            least = min(least, NEVER if plan is None else len(plan))
            if is_sure and left + 1 < least:
                least = prices.least(root, left + 1, least, self._source)
            told = f"the shortest that was found takes {least}" if least < NEVER else "none was found at all"
            seen = "there is no output" if is_sure else "no output was found"
            raise UnspellableError(f"{seen} of at most {left} tokens: {told} (raise max_tokens)")
        return found

    @property
    def tokens_left(self) -> int:
        """How many more tokens may be written; end tokens do not count."""
        return self._lefts[-1]

    @property
    def must_end(self) -> bool:
        """Whether nothing but an end token can follow."""
        return self._lefts[-1] == 0 or super().must_end

    def mask(self) -> Mask:
        """As :meth:`Matcher.mask`, without the tokens after which the output could not be closed in time."""
        with self._engine.lock:
            configuration, place = self._now(), len(self._history)
            if self._row is None or self._row[0] != place:
                row = self._engine.mask(configuration, self._source)
                with self._patience():
                    self._row = (place, row if configuration == ENDED else self._cut(row, configuration))
            return self._row[1]

    def withheld(self) -> Mask:
        """The tokens that the constraint allows here and the tokens left do not: of :meth:`mask`'s shape, fresh."""
        with self._engine.lock:
            whole = self._engine.mask(self._now(), self._source)
            held: Mask = whole & ~self.mask()
        return held

    def _cut(self, row: Mask, configuration: int) -> Mask:
        prices, left = prices_of(self._engine), self._lefts[-1]
        excess = prices.excess(configuration, self._plans[-1])
        dear = list(prices.dear(configuration, left - 1, excess, self._source))
        single = [token for token in self._engine.now.doubtful.get(configuration, ()) if _is_set(row, token)]
        dear.append(np.array([token for token in single if not self._can_afford(prices, configuration, token)], int))
        if not any(map(len, dear)):
            return row
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        for tokens in dear:
            bits[tokens] = 0
        plan = self._plan(prices)
        if plan:
            bits[plan[0]] = 1
        cut: Mask = np.packbits(bits, bitorder="little").view(np.uint32)
        cut.flags.writeable = False
        return cut

    def _can_afford(self, prices: Prices, configuration: int, token: int) -> bool:
        data = self._bytes(token)
        after = self._engine.advance(configuration, token, self._source(data))
        if after != REFUSED and prices.estimate(after, prices.excess(configuration, self._plans[-1])) < self._lefts[-1]:
            return True
        return after != REFUSED and self._next_plan(prices, after, data, 1) is not _BROKE

    def _plan(self, prices: Prices) -> Tokens | None:
        """The present plan, made now if it was not."""
        if self._plans[-1] is None:
            self._plans[-1] = prices.plan(self._now(), self._source)
        return self._plans[-1]

    def _next_plan(self, prices: Prices, after: int, data: bytes, cost: int) -> Tokens | None:
        """The plan after a step to a configuration; None if a bound says that one fits, ``_BROKE`` if none does."""
        left = self._lefts[-1] - cost
        if left < 0:
            return _BROKE
        if after == ENDED or prices.upper(after) <= left:
            return None
        plan = prices.plan(after, shifted(self._source, data))
        return plan if plan is not None and len(plan) <= left else _BROKE

    def advance(self, token_id: int) -> None:
        """Read a token.

        Raises:
            TokenError: it is not allowed here, or the output could not be closed in time after it; nothing changes.
        """
        engine = self._engine
        with engine.lock:
            token = checked_id(token_id)
            data = self._bytes(token)
            after = engine.advance(self._now(), token, self._source(data))
            if after == REFUSED:
                raise TokenError(super().explain(token))
            cost = 0 if after == ENDED else 1
            with self._patience():
                plan = self._follow_plan(token, after, data, cost)
            self._step(token, after, cost, plan)

    def _follow_plan(self, token: int, after: int, data: bytes, cost: int) -> Tokens | None:
        prices = prices_of(self._engine)
        found = self._next_plan(prices, after, data, cost)
        if found is _BROKE:
            plan = self._plan(prices)
            if plan and plan[0] == token and len(plan) <= self._lefts[-1]:
                return plan[1:]
        return found

    def _step(self, entry: int | bytes, after: int, cost: int, plan: Tokens | None) -> None:
        if plan is _BROKE:
            raise TokenError(self._explain_budget(self._bytes(entry)))
        self._lefts.append(self._lefts[-1] - cost)
        self._plans.append(plan)
        self._row = None
        self._push(entry, after)

    def advance_bytes(self, data: bytes) -> None:
        """Read raw bytes, as one step; they count as the fewest tokens that spell them (a byte each, if none do).

        Raises:
            TokenError: the constraint cannot go on with these bytes or could not be closed in time; nothing changes.
        """
        data = checked_bytes(data)
        with self._engine.lock:
            after = self._engine.read(self._now(), data, self._source(data))
            if after == REFUSED:
                raise TokenError(self.explain_bytes(data))
            prices = prices_of(self._engine)
            cost = min(prices.count(data), len(data))
            with self._patience():
                plan = self._next_plan(prices, after, data, cost)
            self._step(data, after, cost, plan)

    def _explain_budget(self, data: bytes) -> str:
        left = f"{self._lefts[-1]} tokens that are left" if self._lefts[-1] else "budget: no tokens are left"
        return f"{data!r} can be read here, but the output could not be closed within the {left}"

    def explain(self, token_id: int) -> str:
        """Why a token is refused, or that it is allowed, in words."""
        token = checked_id(token_id)
        with self._engine.lock:
            row = self._engine.mask(self._now(), self._source)
        if self._bytes(token) and _is_set(row, token) and not self.allows(token):
            return f"token {token}: {self._explain_budget(self._bytes(token))}"
        return super().explain(token)

    def rollback(self, steps: int = 1) -> None:
        """Take back the last steps and give their tokens back; see :meth:`Matcher.rollback`."""
        super().rollback(steps)
        size = len(self._history) + 1
        del self._lefts[size:], self._plans[size:]
        self._row = None

    def fork(self) -> Self:
        """An independent copy, with the same tokens left."""
        other = super().fork()
        other._max_tokens = self._max_tokens  # noqa: SLF001  (another of ourselves)
        other._lefts = self._lefts.copy()  # noqa: SLF001
        other._plans = self._plans.copy()  # noqa: SLF001
        other._row = self._row  # noqa: SLF001
        return other

    def __reduce__(self) -> tuple[Callable[..., Matcher], tuple[object, ...]]:
        """Pickle as constraint, vocabulary, budget and history."""
        return _restore, (self._engine.constraint, self._engine.vocabulary, self._max_tokens, self._history)


def _restore(
    constraint: Constraint, vocabulary: Vocabulary, max_tokens: int, history: list[int | bytes]
) -> BudgetedMatcher:
    matcher = BudgetedMatcher(Engine(constraint, vocabulary), max_tokens)
    for entry in history:
        if isinstance(entry, bytes):
            matcher.advance_bytes(entry)
        else:
            matcher.advance(entry)
    return matcher


def _is_set(row: Mask, token: int) -> bool:
    return 0 <= token >> 5 < len(row) and bool(row[token >> 5] >> np.uint32(token & 31) & 1)


def _checked(max_tokens: object) -> int:
    try:
        number = index(max_tokens)  # type: ignore[arg-type]
    except TypeError:
        raise PolicyError(f"max_tokens is a whole number, not {max_tokens!r}") from None
    if number < 0:
        raise PolicyError(f"max_tokens is {number}, it must be at least 0")
    return number
