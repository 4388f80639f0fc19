"""An answer under a constraint: enforced by the API and verified, or from here, or asked for and verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from maskwright.client.continuation import Continuation
from maskwright.client.discovery import prefill_of
from maskwright.client.draws import Drawn
from maskwright.client.exchange import Exchange
from maskwright.client.flow import Emit, Flow
from maskwright.client.forms import Forms, forms_of
from maskwright.client.native import Offer, offers
from maskwright.client.numbers import count_of
from maskwright.client.profiles import Profile
from maskwright.client.prompts import again, instruction, with_instruction
from maskwright.client.spending import Ledger
from maskwright.client.task import Settings, Task
from maskwright.client.verification import Verdict, verify
from maskwright.client.writing import Writing
from maskwright.constraint import Constraint
from maskwright.errors import AnswerError, CapabilityError, MaskwrightError, RejectedError, TruncatedError

__all__ = ["Outcome", "constrained"]

#: Times that a model is asked again with the reason why its answer was refused.
_ROUNDS: Final = 2
_BLANKS: Final = b" \t\r\n"
#: Characters that are read on after an answer went wrong or ended.
_WRONG: Final = 1_000


@dataclass(frozen=True)
class Outcome:
    """A text that meets the constraint, and how the API ended it."""

    text: str
    finish: str = "stop"
    reasoning: str | None = None


@dataclass(frozen=True)
class _Rejected:
    """An answer that does not meet the constraint."""

    drawn: Drawn
    verdict: Verdict


def constrained(
    task: Task, constraint: Constraint, settings: Settings, profile: Profile, ledger: Ledger, *, begun: bytes = b""
) -> Flow[Outcome]:
    """The text of an answer that meets a constraint.

    Args:
        task: What is asked for; its own constraint is not read.
        constraint: What the answer must be.
        settings: Whom to ask.
        profile: What they offer.
        ledger: Where all is counted.
        begun: A beginning that was written already, as far as the constraint can read it.

    Raises:
        ServiceError: the API gave no answer.
        AnswerError: what the constraint asks for could not be got.
    """
    asking = _Asking(task, constraint, settings, profile, ledger)
    asking.begin(begun)
    return (yield from asking.run())


class _Asking:
    """The ways to one answer, one after the other."""

    def __init__(
        self, task: Task, constraint: Constraint, settings: Settings, profile: Profile, ledger: Ledger
    ) -> None:
        self._task, self._constraint, self._settings = task, constraint, settings
        self._profile, self._ledger = profile, ledger
        self._forms: Forms = forms_of(constraint)
        self._writing = Writing(constraint, settings.vocabulary)
        #: What the API said when it refused the constraint: it may know what would have to be changed.
        self._refusal = ""

    def begin(self, data: bytes) -> None:
        """Take what is valid of a beginning."""
        self._writing.begin(data)

    def run(self) -> Flow[Outcome]:
        writing = self._writing
        self._ledger.add("forced", writing.force())
        if writing.is_done:
            self._ledger.how = "forced"
            yield from self._emit_all(writing.text)
            return Outcome(writing.text)
        failure: MaskwrightError | None = None
        rejected: _Rejected | None = None
        if self._task.prefer != "loop":
            try:
                found = yield from self._native()
            except (CapabilityError, RejectedError) as error:
                found, failure = None, error
                self._refusal = error.message
            if isinstance(found, Outcome):
                return found
            rejected = found
        if self._task.prefer == "native":
            raise self._failed(rejected, failure or CapabilityError(self._nothing("enforces such a constraint itself")))
        try:
            if (yield from self._can_continue()):
                return (yield from self._loop(rejected))
        except CapabilityError as error:
            if not self._task.is_chat:
                raise
            self._ledger.note(f"chats are not gone on with: {error.message[:120]}")
        except TruncatedError as error:
            if not self._refusal:
                raise
            reason = f"{error.reason}; the API, asked to enforce it, said: {self._refusal}"
            raise TruncatedError(reason, text=error.text, place=error.place, report=error.report) from error
        if not self._task.is_chat or self._task.prefer == "loop" or writing.emitted:
            raise self._failed(rejected, failure or CapabilityError(self._nothing("goes on with a text")))
        return (yield from self._asked(rejected))

    def _nothing(self, words: str) -> str:
        return f"{self._profile.title} has no way that {words}"

    def _failed(self, rejected: _Rejected | None, otherwise: MaskwrightError) -> MaskwrightError:
        if rejected is None:
            return otherwise
        text = rejected.drawn.text.decode("utf-8", "replace")
        if rejected.drawn.finish == "length":
            return TruncatedError("the answer was cut off before it was complete", text=text)
        if rejected.drawn.refusal is not None:
            return AnswerError(f"the model refused to answer: {rejected.drawn.refusal[:200]}", text=text)
        return AnswerError(rejected.verdict.reason, text=text, place=rejected.verdict.place)

    def _exchange(self, *, is_native: bool) -> Exchange:
        words = instruction(self._task, self._forms, self._profile, is_native=is_native)
        prompt, messages = with_instruction(self._task, words)
        return Exchange(self._task, self._settings, self._profile, self._ledger, prompt=prompt, messages=messages)

    def _emit_all(self, text: str) -> Flow[None]:
        """Hand out the rest of a whole answer."""
        if self._task.stream:
            rest = text.encode()[self._writing.emitted :].decode("utf-8", "replace")
            if rest:
                yield Emit(rest)

    # ---- the API enforces -----------------------------------------------------------------------------------------

    def _native(self) -> Flow[Outcome | _Rejected | None]:
        """What the API enforces itself, verified; ``None`` if it does not."""
        exchange = self._exchange(is_native=True)
        endpoint = "chat" if exchange.is_chat else "completions"
        refused = exchange.finding.refused
        last: CapabilityError | RejectedError | None = None
        for offer in offers(self._forms, self._profile, endpoint, refused, self._ledger):
            try:
                return (yield from self._offered(exchange, offer))
            except (CapabilityError, RejectedError) as error:
                if not _is_about(error, offer):
                    raise
                last, self._refusal = error, error.message
                if isinstance(error, CapabilityError):
                    exchange.refuse(f"native:{offer.shape}")
                self._ledger.note(f"{offer.shape} was refused: {error.message[:500]}")
        if last is not None and self._task.prefer == "native":
            raise last
        return None

    def _offered(self, exchange: Exchange, offer: Offer) -> Flow[Outcome | _Rejected]:
        self._ledger.how = f"native:{offer.shape}"
        limit = self._task.max_tokens
        if offer.is_exact and (self._task.stream or limit is None):
            drawn = yield from self._streamed(exchange, offer)
        else:
            drawn = yield from exchange.ask(limit=limit, more=offer.fields)
        return (yield from self._judged(drawn, offer))

    def _judged(self, drawn: Drawn, offer: Offer | None) -> Flow[Outcome | _Rejected]:
        """A whole answer: what it is, or why it is none."""
        text = drawn.text.decode("utf-8", "replace")
        rewriting = None if offer is None else offer.rewriting
        is_wrapped = offer is not None and offer.is_wrapped
        verdict = verify(self._constraint, self._forms, text, rewriting, is_wrapped=is_wrapped)
        emitted = self._writing.data[: self._writing.emitted]
        if verdict.text is not None and verdict.text.encode().startswith(emitted):
            if verdict.note:
                self._ledger.note(verdict.note)
            yield from self._emit_all(verdict.text)
            return Outcome(verdict.text, self._ending(drawn), drawn.reasoning)
        if drawn.finish != "length":
            self._ledger.note(f"the answer does not meet the constraint: {verdict.place} {verdict.reason[:160]}")
        if drawn.refusal is None and not is_wrapped and not emitted:
            came, written = drawn.text.lstrip(_BLANKS), self._writing.data
            if came.startswith(written):
                self._writing.begin(came[len(written) :])
        return _Rejected(drawn, verdict)

    def _ending(self, drawn: Drawn) -> str:
        """How a whole answer ended: ``length`` if its tokens are used up, since an API may have closed it for that."""
        most = self._task.max_tokens
        used = count_of(drawn.usage.get("completion_tokens"))
        if drawn.is_early:
            self._ledger.is_degraded = True
            self._ledger.note(f"max_tokens{'' if most is None else f'={most}'} kept the model from writing more")
            return "length"
        if drawn.finish == "length" or (most is not None and used is not None and used >= most):
            bound = "the model's room" if most is None else f"max_tokens={most}"
            self._ledger.note(f"the answer is whole and ended with the last token of {bound}, perhaps because of it")
            return "length"
        return drawn.finish if drawn.finish in ("stop", "content_filter") else "stop"

    def _streamed(self, exchange: Exchange, offer: Offer) -> Flow[Drawn]:
        """The same, read as it comes: every piece is handed out once it is known to be right, if that is asked for.

        An API that drops the constraint writes on and on where no number of tokens bounds it, to the end of the model's
        context: it is left soon after it went wrong, and not at once, since what follows may show that the answer was
        only spelled in another way.
        """
        stream = yield from exchange.open(limit=self._task.max_tokens, more=offer.fields)
        reader = Writing(self._constraint, None)
        is_good = True
        #: Characters that are no part of the answer.
        wrong = 0
        while (piece := (yield from stream.piece())) is not None:
            octets = piece.encode("utf-8", "replace")
            if not reader.data:
                octets = octets.lstrip(_BLANKS)
            if not is_good or not octets or reader.is_done:
                wrong += len(piece)
                if wrong > _WRONG:
                    is_good = False
                    break
            if not is_good or not octets:
                continue
            if reader.is_done:
                is_good = not octets.strip(_BLANKS)
            else:
                is_good = reader.begin(octets) == len(octets)
                fresh = reader.fresh(whole=reader.is_done) if self._task.stream else ""
                if fresh:
                    yield Emit(fresh)
            if not is_good and (reader.emitted or reader.is_done):
                break
        drawn = yield from stream.close(early=not is_good)
        if reader.emitted:  # what was handed out stands: the answer goes on from there
            self._writing = _resumed(self._constraint, self._settings, reader)
        return drawn

    # ---- enforced from here ---------------------------------------------------------------------------------------

    def _can_continue(self) -> Flow[bool]:
        exchange = self._exchange(is_native=False)
        if exchange.is_chat:
            return bool((yield from prefill_of(exchange)))
        return self._profile.continues and exchange.finding.continues is not False

    def _loop(self, rejected: _Rejected | None) -> Flow[Outcome]:
        exchange = self._exchange(is_native=False)
        way = "loop:prefill" if exchange.is_chat else "loop:completions"
        self._ledger.how = way if rejected is None else f"native+{way}"
        try:
            is_lost = rejected is not None and rejected.drawn.finish != "length"
            yield from Continuation(exchange, self._writing, is_lost=is_lost).run()
        except CapabilityError:
            if not exchange.is_chat:
                exchange.learn(continues=False)
            raise
        return Outcome(self._writing.text)

    # ---- asked and verified ---------------------------------------------------------------------------------------

    def _asked(self, rejected: _Rejected | None) -> Flow[Outcome]:
        """Ask, verify, ask again with the reason."""
        offer = None
        exchange = self._exchange(is_native=False)
        first = exchange.messages
        if rejected is not None:
            offer = next(offers(self._forms, self._profile, "chat", exchange.finding.refused, self._ledger), None)
        for turn in range(_ROUNDS if rejected is not None else _ROUNDS + 1):
            if rejected is not None:
                if rejected.drawn.refusal is not None:
                    break
                exchange.messages = _corrected(first, rejected)
                self._ledger.add("asked_again")
            self._ledger.how = "asked" if offer is None else f"native:{offer.shape}"
            fields = {} if offer is None else offer.fields
            drawn = yield from exchange.ask(limit=self._task.max_tokens, more=fields)
            found = yield from self._judged(drawn, offer)
            if isinstance(found, Outcome):
                return found
            rejected = found
            if drawn.finish == "length" and turn:
                break
        return (yield from self._ended(rejected))

    def _ended(self, rejected: _Rejected | None) -> Flow[Outcome]:
        """The shortest answer that begins as the model's did, if that is wanted."""
        if self._task.may_degrade is not True:
            raise self._failed(rejected, CapabilityError(self._nothing("gives an answer")))
        writing = self._writing
        writing.write(writing.matcher.complete())
        self._ledger.is_degraded = True
        self._ledger.note("the answer was ended for the model")
        yield from self._emit_all(writing.text)
        return Outcome(writing.text)


def _resumed(constraint: Constraint, settings: Settings, reader: Writing) -> Writing:
    writing = Writing(constraint, settings.vocabulary)
    writing.begin(reader.data)
    writing.emitted = reader.emitted
    return writing


def _is_about(error: CapabilityError | RejectedError, offer: Offer) -> bool:
    """Whether a refusal may be about the constraint, not about something else in the request."""
    if isinstance(error, CapabilityError):
        return True
    param = (error.param or "").partition(".")[0]
    known = {"model", "messages", "prompt", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed"}
    return param not in known and bool(offer.fields)


def _corrected(messages: Sequence[object], rejected: _Rejected) -> tuple[dict[str, object], ...]:
    reason = rejected.verdict.reason
    if rejected.verdict.place:
        reason = f"{rejected.verdict.place}: {reason}"
    return again(messages, rejected.drawn.text.decode("utf-8", "replace"), reason)  # type: ignore[arg-type,return-value]
