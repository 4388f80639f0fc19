"""The loop: an answer enforced from here, from prefix to prefix, over an API that only goes on with texts.

Each round lets the model write some tokens freely, reads them until one is not allowed, and takes an allowed one in its
place out of what the API reported (:mod:`maskwright.client.repairs`). What can be nothing else is written without
asking. Where nothing allowed was reported, :mod:`maskwright.client.remedies` knows more ways.
"""

from __future__ import annotations

from random import Random
from typing import Final

from maskwright.client.draws import Drawn, Option, Token
from maskwright.client.exchange import Exchange
from maskwright.client.flow import Emit, Flow, Now
from maskwright.client.forms import forms_of
from maskwright.client.remedies import Remedies
from maskwright.client.repairs import choose
from maskwright.client.speculation import Speculation, stops_of
from maskwright.client.spending import estimated
from maskwright.client.writing import Writing, read, valid_prefix
from maskwright.errors import AnswerError, TruncatedError
from maskwright.matcher import Matcher

__all__ = ["Continuation"]

_BLANKS: Final = b" \t\r\n"


class Continuation:
    """One answer on its way."""

    def __init__(self, exchange: Exchange, writing: Writing, *, is_lost: bool = False) -> None:
        """Go on from what is written; ``is_lost``: where the model went on with something that is not allowed."""
        self.exchange, self.writing, self.ledger = exchange, writing, exchange.ledger
        task = exchange.task
        self._random = Random(task.seed)
        self._temperature = 1.0 if task.temperature is None else task.temperature
        self._speculation = Speculation()
        self._remedies = Remedies(exchange, writing, self._random, self._temperature)
        self._stops = stops_of(task.constraint, exchange.profile) if self._temperature <= 0 else ()
        self._tokens = estimated([writing.data])
        #: Whether spelling may be chosen for the model: in draws it is a choice as any other.
        self._may_frame = task.constraint is not None and forms_of(task.constraint).is_json and self._temperature <= 0
        #: Whether the model has just lost its way, and is led to the next decision.
        self._is_led = is_lost

    def run(self) -> Flow[None]:
        """Write until the answer is complete.

        Raises:
            ServiceError: the API gave no answer.
            TruncatedError: the task's ``max_tokens`` are used up.
            ExhaustedError: the budget is.
            AnswerError: the model does not write what is allowed, and nothing may be chosen for it.
        """
        is_complete = False
        while not is_complete:
            before = len(self.writing.data)
            free = self.writing.force_frame(marks=self._is_led) if self._may_frame else self.writing.force()
            self._is_led = False
            self._free(free)
            yield from self.emit()
            if self.writing.is_done:
                break
            is_complete = yield from self._round()
            self.writing.is_stalled = len(self.writing.data) <= before + free
        yield from self.emit(whole=True)

    def _free(self, octets: int) -> None:
        """Count what was written without asking."""
        self.ledger.add("forced", octets)
        self._tokens += estimated([b"x" * octets])

    def emit(self, *, whole: bool = False) -> Flow[None]:
        """Hand out what is certain, if anybody listens."""
        if self.exchange.task.stream:
            piece = self.writing.fresh(whole=whole)
            if piece:
                yield Emit(piece)

    # ---- a round --------------------------------------------------------------------------------------------------

    def _round(self) -> Flow[bool]:
        """One call and what follows from it; whether the answer is complete."""
        writing, exchange = self.writing, self.exchange
        limit = yield from self._limit()
        sent = len(writing.data) - writing.held(blanks=exchange.is_chat)
        stops = self._stops if writing.data else ()
        more = {**({"stop": list(stops)} if stops else {}), **self._remedies.once}
        lead = b"" if exchange.is_chat else writing.lead
        drawn = yield from exchange.ask(
            lead + writing.data[:sent],
            limit=limit,
            alternatives=exchange.alternatives,
            more=more,
            so_far=writing.text,
        )
        self.ledger.add("rounds")
        self._remedies.once = {}
        self._look(drawn)
        self._remedies.said = drawn.text
        walk = _Walk(writing.at(sent), writing.data[:sent])
        bad = self._walk(walk, drawn)
        if len(walk.data) < len(writing.data) and bad is not None and not bad.top:
            return False  # what was held back did not come, and nothing else is known of the place
        writing.keep(walk.matcher, walk.data)
        writing.lead += walk.lead
        self._count(walk, drawn)
        if writing.is_done:
            return True
        if bad is None:
            return (yield from self._consumed(drawn, walk))
        return (yield from self._mend(bad, walk))

    def _limit(self) -> Flow[int]:
        """Tokens to ask for."""
        most = self.exchange.task.max_tokens
        if most is None:
            return self._speculation.length
        left = most - self._tokens
        if left < 1:
            now: float = yield Now()
            raise TruncatedError(
                f"the answer is not complete after {most} tokens",
                text=self.writing.text,
                report=self.ledger.report(now),
            )
        return min(left, self._speculation.length)

    def _look(self, drawn: Drawn) -> None:
        """Learn from an answer what the API reports; refuse one that was filtered."""
        exchange = self.exchange
        if drawn.finish == "content_filter":
            raise AnswerError("the API's content filter ended the answer", text=self.writing.text)
        if exchange.alternatives and drawn.tokens and not drawn.is_reported:
            exchange.learn(**{"chat_logprobs" if exchange.is_chat else "logprobs": 0})
            self.ledger.note("the API reports no alternatives of tokens")

    def _walk(self, walk: _Walk, drawn: Drawn) -> Token | None:
        """Read tokens as long as they are allowed; the first that is not."""
        for token in drawn.tokens:
            data = walk.clean(token.data)
            if data and walk.read(data):
                walk.accepted += 1
                if walk.matcher.must_end:
                    return None
                continue
            if not data and token.data:
                continue  # blanks before the answer
            if token.is_whole:
                return token
            length = valid_prefix(walk.matcher, data)
            if length:
                walk.read(data[:length])
                walk.accepted += max(1, estimated([data[:length]]))
            return None if walk.matcher.must_end else Token(data[length:], is_whole=False)
        return None

    def _count(self, walk: _Walk, drawn: Drawn) -> None:
        written = len(drawn.tokens) if all(token.is_whole for token in drawn.tokens) else estimated([drawn.text])
        self.ledger.add("accepted", walk.accepted)
        self.ledger.add("rejected", max(0, written - walk.accepted))
        self._tokens += walk.accepted
        if walk.accepted:
            self._remedies.progress()

    def _consumed(self, drawn: Drawn, walk: _Walk) -> Flow[bool]:
        """All that came is allowed: whether the answer is complete, or how it goes on."""
        if drawn.finish == "length" and drawn.tokens:
            self._speculation.succeed()
            return False
        if drawn.finish != "length" and self.writing.matcher.is_accepting:
            return True
        if self._stops and walk.accepted:
            self._stops = ()  # it may have been one of ours that ended it: ask without
            return False
        return (yield from self._mend(drawn.end, walk, is_end=True))

    def _mend(self, bad: Token | None, walk: _Walk, *, is_end: bool = False) -> Flow[bool]:
        """Something allowed in the place of a bad token, or of an end that came too early."""
        self._speculation.fail(walk.accepted, self.exchange.prompt_tokens)
        self._is_led = True
        if bad is not None and bad.top:
            choice = choose(
                bad,
                walk.allows,
                temperature=self._temperature,
                top_p=1.0 if self.exchange.task.top_p is None else self.exchange.task.top_p,
                random=self._random,
            )
            if choice is not None:
                self.ledger.add("repairs")
                self.ledger.unseen += choice.unseen
                self._remedies.progress()
                if not choice.data:
                    return True
                self._tokens += 1
                self._write(walk, choice.data)
                return False
        if not is_end and self.writing.matcher.is_accepting and not (bad is not None and bad.top):
            return True  # it is an answer, and what the model went on with is none of it
        framed = self.writing.force_frame(marks=True) if self._may_frame else 0
        if framed:
            self._free(framed)
            return False
        return (yield from self._remedies.apply(None if is_end else bad))

    def _write(self, walk: _Walk, data: bytes) -> None:
        cleaned = walk.clean(data)
        self.writing.write(cleaned)
        self.writing.lead += data[: len(data) - len(cleaned)] if walk.is_at_start else b""


class _Walk:
    """Tokens being read from somewhere in the answer."""

    def __init__(self, matcher: Matcher, data: bytes) -> None:
        self.matcher, self.data = matcher, data
        self.accepted = 0
        #: Blanks before the answer: models begin words with them, constraints do not.
        self.lead = b""

    @property
    def is_at_start(self) -> bool:
        """Whether nothing of the answer is read yet."""
        return not self.data

    def clean(self, data: bytes) -> bytes:
        """A token without the blanks that come before the answer."""
        if self.is_at_start and data[:1] in _SET and not self.matcher.can_read(data):
            return data.lstrip(_BLANKS)
        return data

    def read(self, data: bytes) -> bool:
        """Read a token if it is allowed."""
        if not read(self.matcher, data):
            return False
        self.data += data
        return True

    def allows(self, option: Option) -> bool:
        """Whether an alternative could stand here."""
        if option.data is None:
            return False
        if not option.data:
            return self.matcher.is_accepting
        data = self.clean(option.data)
        return bool(data) and self._is_text(option) and self.matcher.can_read(data)

    def _is_text(self, option: Option) -> bool:
        """Whether it is text, not the name of a control token."""
        vocabulary = self.matcher.vocabulary
        return option.data is not None and option.data.decode("utf-8", "replace") not in vocabulary.special_names


_SET: Final = frozenset(bytes([byte]) for byte in _BLANKS)
