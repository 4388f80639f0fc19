"""What an answer cost, and how its constraint was enforced."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Report"]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What one answer cost and how it came to be what the constraint asks for; part of every answer and of errors.

    Attributes:
        how: The way that gave the answer: ``plain`` (no constraint), ``native:FIELD`` (the API enforced it, and
            it was verified here), ``loop:completions`` and ``loop:prefill`` (enforced here, from prefix to
            prefix), ``native+loop:..`` (an answer of the API that broke off or went wrong, gone on with),
            ``asked`` (the model was asked, and the answer verified), ``native:tools``.
        calls: Requests that were answered, with those below; lists of models, which bill nothing, are none.
        probes: Of the calls, those that asked what the API can do; the first answer from an API pays them.
        retries: Requests that were sent again after they had failed.
        prompt_tokens, completion_tokens: Billed tokens as the API told them.
        cached_tokens: Of the prompt tokens, those that the API had in its cache.
        seconds: From the beginning to the end, waiting included.
        rounds: Speculated pieces that were asked for, of which something was kept or not.
        accepted: Tokens that were kept as the model wrote them.
        rejected: Tokens that were written and billed, and thrown away.
        repairs: Bad tokens in whose place an allowed one was taken from the reported ones.
        biased: Calls with a bias or mask towards the allowed tokens.
        bans: Tokens that were banned because the model wrote them where they are not allowed.
        scored: Continuations that were scored to choose among them.
        forced: Bytes that could be nothing else and were written without asking.
        nudges: Times that the shortest way on was taken for the model, because nothing else was left.
        asked_again: Times that the model was asked again from the beginning.
        unseen: Bounds the difference from sampling under a mask: the sum over repairs of the probability that
            was not reported, relative to what was and is allowed (a total variation distance). 0 if every
            repair was exact.
        is_degraded: Whether something was chosen for the model: a nudge, or the end of an answer.
        is_estimated: Whether numbers of tokens were estimated, because the API did not tell them.
        notes: What a person should know: ways that were refused, answers that were repaired.
        changes: What was changed in the schema for the API, with places and reasons; the answer was verified
            with the original.
        request_ids: What the API calls the requests.
    """

    how: str = ""
    calls: int = 0
    probes: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    rounds: int = 0
    accepted: int = 0
    rejected: int = 0
    repairs: int = 0
    biased: int = 0
    bans: int = 0
    scored: int = 0
    forced: int = 0
    nudges: int = 0
    asked_again: int = 0
    unseen: float = 0.0
    is_degraded: bool = False
    is_estimated: bool = False
    notes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    request_ids: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Billed tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __str__(self) -> str:
        """One line: the way, the calls, the tokens, and what is not zero of the rest."""
        counts = ("probes", "retries", "repairs", "biased", "bans", "scored", "forced", "nudges", "asked_again")
        rest = [f"{name.replace('_', ' ')} {value}" for name in counts if (value := getattr(self, name))]
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        spent = f"{calls}, {self.tokens} tokens, {self.seconds:.2f} s"
        return ", ".join([self.how or "nothing", spent, *rest, *(["degraded"] if self.is_degraded else [])])
