"""Prices: how many tokens an output takes to its end after each token that can be read.

Tokens with the same configuration after them are a group, and have one price. Most questions need no look at single
groups: if the dearest fits, all do. That number is an upper bound, lexeme by lexeme, and is kept by configuration; only
where it does not fit, the completion is put together as a text and tokenised as a whole.

Where captured strings may get in each other's way (keys that may not come twice and still have to come) a price depends
on the text that was written. It is then estimated, from what the present plan takes more than the network promised,
and near the end by trying.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from heapq import heappop, heappush
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.completion import Completion, completion_of
from maskwright.engine import ENDED, Engine, Source, Written
from maskwright.errors import LimitError
from maskwright.kernel.codes import DIGITS, FIRST_CODE
from maskwright.kernel.costs import NO_END, bytes_of, captures_of, tokens_of
from maskwright.kernel.successors import Successors
from maskwright.kernel.walk import REFUSED
from maskwright.patience import LateError

__all__ = ["NEVER", "Prices", "Tokens", "prices_of", "shifted"]

#: More tokens than any budget: there is no completion, or none that the vocabulary can write.
NEVER: Final = 1 << 22
#: Tokens more that a completion from inside an escape or a character can need: after ``\\ud83d`` six bytes must come.
_INSIDE: Final = 7
#: Tokens more that are expected for each captured string that must differ from others, and for all together.
_DIFFERING: Final = 4
_MARGIN: Final = 16
#: Tokens of a group that are tried where captured strings may get in each other's way.
_TRIED: Final = 3
#: Work of a search for fewer tokens: tokens that were looked at, and for each group of them and each plan that is read
#: what takes as long.
_WORK: Final = 2_000_000
_GROUP_WORK: Final = 50
_READING_WORK: Final = 10_000
#: Seconds after which a search gives up.
_SECONDS: Final = 2.0

Tokens = tuple[int, ...]
_NOTHING: Final = array("i")


class _Group:
    """Tokens with the same configuration after them."""

    __slots__ = ("after", "captured", "captures", "exact", "tokens", "upper")

    def __init__(self, after: int, captured: int, tokens: array[int], weight: int, differing: int = 0) -> None:
        self.after = after
        self.tokens: NDArray[np.int32] = np.frombuffer(tokens, np.int32)
        #: The tokens that a completion takes, and perhaps more than needed.
        self.upper = NEVER if weight >= NO_END else tokens_of(weight)
        #: Captured strings that end within the tokens, and those that end within them or the completion; more by
        #: ``differing`` where what is captured restricts more than what is captured later.
        self.captured = captured
        self.captures = captured + differing + captures_of(weight) if self.upper < NEVER else 0
        #: The fewest tokens that are known, -1 if nothing was looked for.
        self.exact = -1

    @property
    def is_plain(self) -> bool:
        """Whether no captured strings can get in each other's way."""
        return self.captures < 2 or self.upper == 0

    def estimate(self, excess: int) -> int:
        """The upper bound where captured strings must differ, if they cost as much as in the present plan."""
        return min(self.upper + excess + _DIFFERING * self.captures + _MARGIN, NEVER)


class _Few:
    """The groups of a configuration without the tokens that loop on text, and what bounds all of its groups."""

    __slots__ = ("estimate", "groups", "is_all", "most")

    def __init__(self, groups: list[_Group], loops: list[_Group]) -> None:
        self.groups = groups
        #: Whether there are no other tokens.
        self.is_all = not loops
        decided = [one for one in groups if one.captured < 2]
        #: What the dearest plain group takes, and the dearest estimate, loops included.
        self.most = max([one.upper for one in decided if one.is_plain], default=0)
        self.most = max([self.most, *[one.upper + _INSIDE for one in loops if one.is_plain]])
        differing = [one.estimate(_INSIDE if one in loops else 0) for one in decided + loops if not one.is_plain]
        self.estimate = max(differing, default=0)


class Prices:
    """What is known of the configurations of one generation; called under the engine's lock."""

    def __init__(self, completion: Completion) -> None:
        """Start with nothing known."""
        self.completion = completion
        self.engine = completion.engine
        self.walker = completion.walker
        self.costs = completion.costs
        self.successors = Successors(completion.walker)
        self._few: dict[int, _Few] = {}
        self._whole: dict[int, list[_Group]] = {}
        self._counted: dict[bytes, int] = {}
        #: The last text that was tokenised, with the answer: the next one may end alike.
        self._last: tuple[bytes, memoryview, memoryview] | None = None

    def weight(self, configuration: int) -> int:
        """The weight of the shortest completion; ``NO_END`` if none is found within the limits."""
        if configuration == ENDED or self.walker.accepting[configuration]:
            return 0
        return self.completion.weight(configuration)

    def upper(self, configuration: int) -> int:
        """Tokens that suffice for a completion; ``NEVER`` where captured strings may get in each other's way."""
        weight = self.weight(configuration)
        return NEVER if weight >= NO_END or captures_of(weight) > 1 else tokens_of(weight)

    def estimate(self, configuration: int, excess: int) -> int:
        """The same, if captured strings that must differ cost as much as in the present plan."""
        weight = self.weight(configuration)
        return (
            _Group(configuration, 0, _NOTHING, weight).estimate(excess)
            if captures_of(weight) > 1
            else self.upper(configuration)
        )

    def excess(self, configuration: int, plan: Tokens | None) -> int:
        """How many tokens more a plan takes than the network promised."""
        return 0 if plan is None else max(len(plan) - tokens_of(self.weight(configuration)), 0)

    def tokenise(self, text: bytes) -> Tokens | None:
        """The fewest tokens that spell a text; None if none do."""
        counts, firsts = self._fewest(text)
        if counts[0] >= NEVER:
            return None
        tokens, place = [], 0
        while place < len(text):
            tokens.append(firsts[place])
            place += DIGITS if text[place] >= FIRST_CODE else len(self.engine.vocabulary.tokens[firsts[place]])
        return tuple(tokens)

    def count(self, text: bytes) -> int:
        """How many tokens that are, ``NEVER`` if none spell it."""
        found = self._counted.get(text)
        if found is None:
            found = self._counted[text] = min(self._fewest(text)[0][0], NEVER)
        return found

    def _fewest(self, text: bytes) -> tuple[memoryview, memoryview]:
        counts, firsts = self.costs.fewest(text, self._last)
        self._last = (text, counts, firsts)
        return counts, firsts

    def plan(self, configuration: int, source: Source) -> Tokens | None:
        """The best tokenisation of a short completion; None if there is none."""
        try:
            text = self.completion.valid_text(configuration, source)
        except LateError:
            raise
        except LimitError:
            return None
        plan = None if text is None else self.tokenise(text)
        if plan is None and text is not None:
            plan = self.search(configuration, NEVER, source, _WORK // 10)[0]
        return plan

    def dear(self, configuration: int, left: int, excess: int, source: Source) -> Iterator[NDArray[np.int32]]:
        """The tokens after which no completion of ``left`` tokens is known.

        Nothing is said of tokens in which two captured strings end: what is after them depends on the text.
        """
        few = self._few_of(configuration)
        if few.most <= left and few.estimate + excess <= left:
            return
        for group in self._all_of(configuration):
            if group.captured > 1:
                continue
            price = group.upper if group.is_plain else group.estimate(excess)
            if price > left and (group.is_plain or group.upper <= left):
                price = self._exact(group) if group.is_plain else self._tried(configuration, group, source)
            if price > left:
                yield group.tokens

    def _few_of(self, configuration: int) -> _Few:
        found = self._few.get(configuration)
        if found is None:
            like = self._like(configuration)
            if like != configuration:
                found = self._few_of(like)
            else:
                groups, loops = self.successors.few_of(configuration)
                found = _Few(self._groups(groups), self._groups({(loop, 0): _NOTHING for loop in loops}))
            self._few[configuration] = found
        return found

    def _like(self, configuration: int) -> int:
        """A configuration with the same prices whose strings forget how much longer they might become.

        A mask's may also forget how much longer they must become: that would make them cheaper.
        """
        like: int = self.walker.canonical(configuration)
        is_alike = self._demand(like) == self._demand(configuration) and self.weight(like) == self.weight(configuration)
        return like if is_alike else configuration

    def _demand(self, configuration: int) -> int:
        items = self.walker.configurations[configuration]
        return sum(self.costs.shortest.demand(state) for state, position, _ in items if position)

    def _groups(self, groups: dict[tuple[int, int], array[int]]) -> list[_Group]:
        differing = 1 if self.costs.has_recalls() else 0
        return [
            _Group(after, ended, tokens, self.weight(after), differing if ended else 0)
            for (after, ended), tokens in groups.items()
        ]

    def _all_of(self, configuration: int) -> list[_Group]:
        """The groups of all tokens that can be read."""
        found = self._whole.get(configuration)
        if found is None:
            like, few = self._like(configuration), self._few_of(configuration)
            if like != configuration:
                found = self._all_of(like)
            else:
                found = few.groups if few.is_all else self._groups(self.successors.all_of(configuration))
            self._whole[configuration] = found
        return found

    def _exact(self, group: _Group) -> int:
        """The fewest tokens that are known for a plain group; kept."""
        if group.exact < 0:
            plan = self.plan(group.after, _unknown)
            group.exact = NEVER if plan is None else len(plan)
        return group.exact

    def _tried(self, configuration: int, group: _Group, source: Source) -> int:
        """The most that some tokens of a group need when their strings are known, and a little more for the others."""
        worst = 0
        for token in group.tokens[:_TRIED].tolist():
            data = self.engine.vocabulary.tokens[token]
            after = self.engine.advance(configuration, token, source(data))
            if after != REFUSED:
                plan = self.plan(after, shifted(source, data))
                worst = max(worst, NEVER if plan is None else len(plan))
        return worst if len(group.tokens) <= _TRIED else worst + 2

    def search(
        self, configuration: int, most: int, source: Source, work: int = _WORK
    ) -> tuple[Tokens | None, int, bool]:
        """A plan of at most ``most`` tokens, best first; what its bytes rule out is not entered.

        Returns:
            The plan or None; the least number of tokens that was seen; whether there is no other plan for sure.
        """
        frontier = _Frontier(self, most, configuration, source, work)
        found = frontier.offer(configuration, ())
        while frontier.heap and found is None and frontier.work > 0:
            _, _, _, written, at = heappop(frontier.heap)
            if at in frontier.entered or len(written) >= most:
                continue
            frontier.entered.add(at)
            for (after, _), tokens in self.successors.all_of(at).items():
                frontier.work -= len(tokens) + _GROUP_WORK
                found = found or frontier.offer(after, (*written, tokens[0]))
                if monotonic() > frontier.deadline:
                    frontier.work = 0
                if found or frontier.work <= 0:
                    break
        return found, frontier.least, frontier.work > 0 and frontier.is_exact

    def least(self, configuration: int, least: int, most: int, source: Source) -> int:
        """The fewest tokens of a plan: at least ``least``, and ``most`` if searches see no better one in time."""
        deadline = monotonic() + _SECONDS
        for number in range(least, most):
            if monotonic() > deadline:
                break
            plan, _, is_sure = self.search(configuration, number, source, _WORK // 8)
            if plan is not None:
                return len(plan)
            if not is_sure:
                break
        return most

    def is_right(self, configuration: int, tokens: Tokens, source: Source) -> bool:
        """Whether tokens bring the output to its end."""
        data = b"".join([self.engine.code_of(token) for token in tokens])
        try:
            after = self.engine.read(configuration, data, source(data))
        except LateError:
            raise
        except LimitError:
            return False
        return after != REFUSED and self.engine.is_accepting(after)


class _Frontier:
    """The configurations that a search has reached and not entered."""

    def __init__(self, prices: Prices, most: int, root: int, source: Source, work: int) -> None:
        self.prices = prices
        #: What may still be spent.
        self.work = work
        self.deadline = monotonic() + _SECONDS
        #: Whether no captured strings were met that could get in each other's way: they are not told apart here.
        self.is_exact = True
        self.most = most
        self.root = root
        self.source = source
        self.longest = max(prices.walker.trie.longest, 1)
        #: ``(tokens with the shortest completion, tokens written, number, the tokens, configuration)``.
        self.heap: list[tuple[int, int, int, Tokens, int]] = []
        self.entered: set[int] = set()
        self.least = NEVER
        self._number = 0

    def offer(self, at: int, written: Tokens) -> Tokens | None:
        """A plan, if the shortest completion from here makes one that fits; else wait for its turn."""
        prices = self.prices
        weight = prices.weight(at)
        floor = len(written) - (-bytes_of(weight) // self.longest)
        if at in self.entered or weight >= NO_END or floor > self.most:
            return None
        rest: Tokens | None = () if weight == 0 else None
        if captures_of(weight) > 1:
            self.is_exact = False
        elif rest is None:
            rest = prices.tokenise(prices.completion.promised(at))
        total = floor + self.longest
        if rest is not None:
            total = len(written) + len(rest)
            if total < self.least and self._is_right(written + rest):
                self.least = total
                if total <= self.most:
                    return written + rest
        self._number += 1
        heappush(self.heap, (total, len(written), self._number, written, at))
        return None

    def _is_right(self, plan: Tokens) -> bool:
        self.work -= _READING_WORK
        is_right = self.prices.is_right(self.root, plan, self.source)
        self.is_exact = self.is_exact and is_right
        return is_right


def prices_of(engine: Engine) -> Prices:
    """What is known of the engine's present generation; called under its lock."""
    now = engine.now
    if now.prices is None:
        now.prices = Prices(completion_of(engine))
    return now.prices  # type: ignore[return-value]


def shifted(source: Source, written: bytes) -> Source:
    """What gives captured strings after some more bytes."""
    return lambda data: lambda done, *how: source(written + data)(len(written) + done, *how)


def _unknown(data: bytes) -> Written:
    """Captured strings, and JSON texts, that are like no other."""
    return lambda done, *how: f'"{len(data)} {done}"' if how else f"{len(data)} {done}"
