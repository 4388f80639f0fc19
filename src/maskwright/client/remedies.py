"""What is done where a model writes something that is not allowed, and nothing allowed was reported beside it.

In this order: a bias or mask towards the allowed tokens (if it is known to work), bans of the bad ones, drawing again,
a request that cannot end at once, the beginning of the bad token, the scores of the ways on, and at last a step of the
shortest way on, which is chosen for the model and marks the answer as degraded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from maskwright.client.biases import allowed_ids, banned, bans_of, pushed
from maskwright.client.discovery import bias_cap
from maskwright.client.draws import Drawn, Token
from maskwright.client.exchange import Exchange
from maskwright.client.flow import Flow, Now
from maskwright.client.forms import chosen_in, forms_of
from maskwright.client.scoring import branches, scores
from maskwright.client.writing import Writing, read, valid_prefix
from maskwright.errors import AnswerError, LimitError

__all__ = ["Remedies"]

#: Rounds of bans at one place.
_BANS: Final = 4
#: Times that a model is asked again at one place, where it draws.
_DRAWS: Final = 3
#: Steps that are chosen for the model, one after the other, before the answer is ended for it.
_NUDGES: Final = 4
_MARKS: Final = b" \t\r\n\"'`*"


class Remedies:
    """The ways out at one place after the other."""

    def __init__(self, exchange: Exchange, writing: Writing, random: Random, temperature: float) -> None:
        """Nothing was tried yet."""
        self._exchange, self._writing, self._random, self._temperature = exchange, writing, random, temperature
        #: Fields for the next round only.
        self.once: dict[str, Any] = {}
        #: What the model wrote in the last round, all of it.
        self.said = b""
        self._nudges = 0
        self._place = -1
        self._draws = 0
        self._has_held_open = False

    def progress(self) -> None:
        """The model wrote something that is allowed."""
        self._nudges = 0

    def apply(self, bad: Token | None) -> Flow[bool]:
        """Go on after a bad token, or (``None``) an end that came too early; whether the answer is complete.

        Raises:
            AnswerError: something had to be chosen for the model, and the task does not allow it.
        """
        if self._place != len(self._writing.data):
            self._place, self._draws, self._has_held_open = len(self._writing.data), 0, False
        found = yield from self._by_ids(bad)
        if found is not None:
            return found
        if self._may_draw(bad):
            return False
        if bad is not None:
            length = valid_prefix(self._writing.matcher, bad.data)
            if length:
                self._writing.write(bad.data[:length])
                self._exchange.ledger.note("the beginning of a token was kept")
                return False
        if (yield from self._by_scores()):
            return False
        if self._by_words() or self._by_case(bad):
            return False
        return (yield from self._nudge(bad))

    # ---- ids ------------------------------------------------------------------------------------------------------

    def _by_ids(self, bad: Token | None) -> Flow[bool | None]:
        """A token under a bias or mask; ``None`` if there is none that works."""
        exchange, bias = self._exchange, self._exchange.profile.bias
        if bias is None or self._writing.vocabulary is None:
            return None
        ids = allowed_ids(self._writing.matcher)
        has_mask = f"field:{bias.mask}" not in exchange.finding.refused
        fields = pushed(ids, bias, cap=0, has_mask=has_mask)
        cap = 0
        if fields is None:
            cap = yield from bias_cap(exchange)
            fields = pushed(ids, bias, cap=cap, has_mask=False)
        if fields is not None:
            exchange.ledger.add("biased")
            return (yield from self._one(fields))
        return (yield from self._by_bans(bad, set(ids), cap))

    def _one(self, fields: Mapping[str, Any]) -> Flow[bool | None]:
        """One token under these fields: whether the answer is complete with it; ``None`` if they had no effect."""
        drawn = yield from self._draw(fields, limit=1)
        found = self._take(drawn)
        if found is None:
            name = next(iter(fields))
            self._exchange.refuse(f"field:{name}")
            self._exchange.ledger.note(f"{name} had no effect")
        return found

    def _by_bans(self, bad: Token | None, allowed: set[int], cap: int) -> Flow[bool | None]:
        exchange, bias = self._exchange, self._exchange.profile.bias
        if bias is None or cap < 1:
            return None
        bans: dict[int, None] = {}
        token = bad
        for _ in range(_BANS):
            fresh = [one for one in bans_of(token, self._writing.matcher, allowed) if one not in bans]
            if not fresh:
                return None
            bans.update(dict.fromkeys(fresh[: cap - len(bans)]))
            exchange.ledger.add("bans", len(fresh))
            drawn = yield from self._draw(banned(bans, bias), limit=1, alternatives=exchange.alternatives)
            found = self._take(drawn)
            if found is not None:
                return found
            if len(bans) >= cap:
                return None
            token = drawn.tokens[0] if drawn.tokens else None
        return None

    def _draw(self, fields: Mapping[str, Any], *, limit: int, alternatives: int = 0) -> Flow[Drawn]:
        writing, exchange = self._writing, self._exchange
        lead = b"" if exchange.is_chat else writing.lead
        return exchange.ask(
            lead + writing.data, limit=limit, alternatives=alternatives, more=fields, so_far=writing.text
        )

    def _take(self, drawn: Drawn) -> bool | None:
        """Write what came if it is allowed: whether the answer is complete; ``None`` if it is not allowed."""
        matcher = self._writing.matcher
        if not drawn.tokens:
            return True if drawn.finish == "stop" and matcher.is_accepting else None
        data = drawn.tokens[0].data
        if not matcher.can_read(data) and not read(matcher.fork(), data):
            return None
        self._writing.write(data)
        self.progress()
        self._exchange.ledger.add("accepted")
        return False

    # ---- without ids ----------------------------------------------------------------------------------------------

    def _may_draw(self, bad: Token | None) -> bool:
        """Whether the next round may give something else."""
        if bad is None and not self._has_held_open and self._exchange.profile.no_end is not None:
            self._has_held_open = True
            name, value = self._exchange.profile.no_end
            if f"field:{name}" not in self._exchange.finding.refused:
                self.once = {name: value}
                return True
        if self._temperature > 0 and self._draws < _DRAWS and (bad is None or not bad.top):
            self._draws += 1
            return True
        return False

    def _by_scores(self) -> Flow[bool]:
        """The likeliest way on, or one drawn by its probability."""
        exchange, writing = self._exchange, self._writing
        if not exchange.profile.scores or exchange.is_chat or "field:echo" in exchange.finding.refused:
            return False
        ways = branches(writing.matcher)
        if not ways or writing.matcher.is_accepting:
            return False
        told = yield from scores(exchange, writing.lead + writing.data, ways, writing.text)
        if told is None:
            return False
        if self._temperature <= 0:
            picked = max(range(len(ways)), key=told.__getitem__)
        else:
            highest = max(told)
            weights = [math.exp((score - highest) / self._temperature) for score in told]
            (picked,) = self._random.choices(range(len(ways)), weights)
        writing.write(ways[picked])
        return True

    def _by_words(self) -> bool:
        """The one choice that the model named, if it wrote a sentence in the place of a choice."""
        constraint, writing = self._exchange.task.constraint, self._writing
        if writing.data or constraint is None:
            return False
        named = chosen_in(self.said.decode("utf-8", "replace"), forms_of(constraint).choices or ())
        if named is None or not writing.matcher.can_read(named.encode("utf-8", "surrogatepass")):
            return False
        writing.write(named.encode("utf-8", "surrogatepass"))
        self._exchange.ledger.note("the choice stood in other text")
        return True

    def _by_case(self, bad: Token | None) -> bool:
        """The likeliest of the reported tokens that is allowed but for its case and the marks around it."""
        can_read = self._writing.matcher.can_read
        for option in sorted(bad.top if bad is not None else (), key=lambda option: -option.logprob):
            for data in _variants(option.data or b""):
                if can_read(data):
                    self._writing.write(data)
                    self._exchange.ledger.add("repairs")
                    self._exchange.ledger.note("a token stood for the same in another case")
                    return True
        return False

    def _way(self) -> bytes:
        """The shortest way to the end."""
        try:
            return self._writing.matcher.complete()
        except LimitError as error:
            raise AnswerError(f"the answer cannot be ended: {error}", text=self._writing.text) from error

    def _nudge(self, bad: Token | None) -> Flow[bool]:
        """A step of the shortest way on, or all of it."""
        writing, ledger = self._writing, self._exchange.ledger
        if bad is not None and writing.matcher.is_accepting:
            return True  # it is an answer; what the model went on with is none of it
        if self._exchange.task.may_degrade is False:
            now: float = yield Now()
            wrote = "ended its answer" if bad is None else f"wrote {bad.data[:40]!r}"
            raise AnswerError(
                f"the model {wrote} where that is not allowed, and no other way is left: "
                + writing.matcher.explain_bytes(b"" if bad is None else bad.data),
                text=writing.text,
                report=ledger.report(now),
            )
        way = self._way()
        ledger.add("nudges")
        ledger.is_degraded = True
        self._nudges += 1
        step = way[: _first(way)]
        # A step into the name of a control token is none.
        whole = self._nudges > _NUDGES or not writing.matcher.can_read(step)
        writing.write(way if whole else step)
        return whole


def _variants(data: bytes) -> Iterator[bytes]:
    """A word in other cases, without marks around it."""
    word = data.strip(_MARKS)
    if len(word) > 1:  # one letter stands for too many words
        yield from dict.fromkeys((word, word.lower(), word.upper(), word.capitalize()))


def _first(data: bytes) -> int:
    """Bytes of the first character."""
    length = 1
    while length < len(data) and data[length] & 0xC0 == 0x80:
        length += 1
    return length
