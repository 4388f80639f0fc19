"""What an answer cost, and how its constraint was enforced."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Report"]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What one answer cost and how it came to be what the constraint asks for; part of every answer and of errors."""

    #: The way that gave the answer: ``plain`` (no constraint), ``native:FIELD`` (the API enforced it, and it was
    #: verified here), ``loop:completions`` and ``loop:prefill`` (enforced here, from prefix to prefix),
    #: ``native+loop:..`` (an answer of the API that broke off or went wrong, gone on with), ``asked`` (the model was
    #: asked, and the answer verified), ``native:tools``.
    how: str = ""
    #: Requests that were answered, with those below; lists of models, which bill nothing, are none.
    calls: int = 0
    #: Of the calls, those that asked what the API can do; the first answer from an API pays them.
    probes: int = 0
    #: Requests that were sent again after they had failed.
    retries: int = 0
    #: Billed tokens as the API told them.
    prompt_tokens: int = 0
    completion_tokens: int = 0
    #: Of the prompt tokens, those that the API had in its cache.
    cached_tokens: int = 0
    #: From the beginning to the end, waiting included.
    seconds: float = 0.0
    #: Speculated pieces that were asked for, of which something was kept or not.
    rounds: int = 0
    #: Tokens that were kept as the model wrote them.
    accepted: int = 0
    #: Tokens that were written and billed, and thrown away.
    rejected: int = 0
    #: Bad tokens in whose place an allowed one was taken from the reported ones.
    repairs: int = 0
    #: Calls with a bias or mask towards the allowed tokens.
    biased: int = 0
    #: Tokens that were banned because the model wrote them where they are not allowed.
    bans: int = 0
    #: Continuations that were scored to choose among them.
    scored: int = 0
    #: Bytes that could be nothing else and were written without asking.
    forced: int = 0
    #: Times that the shortest way on was taken for the model, because nothing else was left.
    nudges: int = 0
    #: Times that the model was asked again from the beginning.
    asked_again: int = 0
    #: Bounds the difference from sampling under a mask: the sum over repairs of the probability that was not reported,
    #: relative to what was and is allowed (a total variation distance). 0 if every repair was exact.
    unseen: float = 0.0
    #: Whether something was chosen for the model: a nudge, or the end of an answer.
    is_degraded: bool = False
    #: Whether numbers of tokens were estimated, because the API did not tell them.
    is_estimated: bool = False
    #: What a person should know: ways that were refused, answers that were repaired.
    notes: tuple[str, ...] = ()
    #: What was changed in the schema for the API, with places and reasons; the answer was verified with the original.
    changes: tuple[str, ...] = ()
    #: What the API calls the requests.
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
