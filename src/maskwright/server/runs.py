"""Runs: what the page asks the model to write, read and bounded, and made a job of the engine."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from maskwright.errors import RequestError, TokenError, excerpt
from maskwright.server.forms import Form, read_form
from maskwright.server.jobs import Job

if TYPE_CHECKING:
    from maskwright.decode.runtime import Runtime
    from maskwright.guide import Guide
    from maskwright.matcher import Matcher
    from maskwright.vocabulary import Vocabulary

__all__ = ["LONGEST", "OBSERVED", "Resumed", "Run", "job_of", "read_budget", "read_prefix", "read_run"]

#: Most tokens of one run; the page shows each of them as an element of its own.
LONGEST: Final = 1_024
#: Candidates of the model that each step tells.
OBSERVED: Final = 10


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of the page."""

    #: What is enforced, or what the output is judged by where ``enforce`` is off; None for free text.
    form: Form | None
    enforce: bool
    prompt: str
    system: str
    #: Whether the prompt is a message that the model answers, or a text that it continues.
    is_chat: bool
    temperature: float
    top_p: float
    seed: int | None
    #: Tokens of the whole output, those of ``prefix`` included.
    max_tokens: int
    #: Tokens of the output that are settled: the run goes on after them.
    prefix: tuple[int, ...]


def read_run(data: object, vocabulary: Vocabulary) -> Run:
    """The run out of a request's parsed body.

    Raises:
        RequestError: 400, with the field at fault.
    """
    if not isinstance(data, Mapping):
        raise RequestError(f"the body must be a JSON object, not {excerpt(data)}")
    prompt, given = _text(data, "prompt"), data.get("constraint")
    run = Run(
        form=None if given is None else read_form(given, prompt=prompt),
        enforce=_flag(data, "enforce", default=True),
        prompt=prompt,
        system=_text(data, "system"),
        is_chat=_flag(data, "chat", default=True),
        temperature=_number(data, "temperature", 0.0, 0, 2),
        top_p=_number(data, "top_p", 1.0, 0, 1),
        seed=None if data.get("seed") is None else _whole(data, "seed", 0, -(2**63), 2**63 - 1),
        max_tokens=_whole(data, "max_tokens", 200, 1, LONGEST),
        prefix=read_prefix(data, vocabulary),
    )
    if len(run.prefix) >= run.max_tokens:
        raise RequestError(f"the run goes on after {len(run.prefix)} tokens; raise max_tokens", param="max_tokens")
    return run


def read_budget(data: Mapping[str, Any]) -> int | None:
    """The field ``max_tokens``, None where it is not given.

    Raises:
        RequestError: 400: it is out of range.
    """
    return None if data.get("max_tokens") is None else _whole(data, "max_tokens", 1, 1, LONGEST)


def read_prefix(data: Mapping[str, Any], vocabulary: Vocabulary, name: str = "prefix") -> tuple[int, ...]:
    """Token ids of an output so far.

    Raises:
        RequestError: not a list of ids of the vocabulary, or too many.
    """
    given = data.get(name) or []
    if not isinstance(given, list) or len(given) > LONGEST:
        raise RequestError(f"{name} must be a list of at most {LONGEST} token ids", param=name)
    for token in given:
        if isinstance(token, bool) or not isinstance(token, int) or not 0 <= token < len(vocabulary):
            raise RequestError(f"{name} holds {excerpt(token)}, which is no id of the vocabulary", param=name)
    return tuple(given)


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise RequestError(f"{name} must be a text, not {excerpt(value)}", param=name)
    return value


def _flag(data: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = data.get(name, default)
    if not isinstance(value, bool):
        raise RequestError(f"{name} must be true or false, not {excerpt(value)}", param=name)
    return value


def _number(data: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = data.get(name, default)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_finite = is_number and (isinstance(value, int) or math.isfinite(value))  # of 10**400 it raises
    if not is_finite or not low <= value <= high:
        raise RequestError(f"{name} must be a number from {low} to {high}, not {excerpt(value)}", param=name)
    return float(value)


def _whole(data: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    value = data.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise RequestError(f"{name} must be a whole number from {low} to {high}, not {excerpt(value)}", param=name)
    return value


class Resumed:
    """A guide whose matchers have read the beginning of the output already.

    What the engine asks of a guide, it answers; what the guide has learned serves it.
    """

    def __init__(self, guide: Guide, tokens: Sequence[int]) -> None:
        """Go on after ``tokens``."""
        self._guide = guide
        self._tokens = tuple(tokens)
        self.constraint = guide.constraint
        self.vocabulary = guide.vocabulary

    def matcher(self, *, max_tokens: int | None = None) -> Matcher:
        """A matcher after the beginning; ``max_tokens`` more tokens may come.

        Raises:
            RequestError: the constraint does not allow the beginning.
            UnspellableError: it cannot be closed within that many tokens.
        """
        matcher = self._guide.matcher(max_tokens=None if max_tokens is None else max_tokens + len(self._tokens))
        for token in self._tokens:
            try:
                matcher.advance(token)
            except TokenError as cause:
                raise RequestError(f"the run cannot go on there: {cause}", param="prefix") from cause
        return matcher


def _tools(form: Form | None) -> list[Mapping[str, Any]]:
    """The tools that the model is told of; the form was compiled, so they are some."""
    if form is None or form.kind != "tools":
        return []
    return [tool if "function" in tool else {"type": "function", "function": tool} for tool in json.loads(form.source)]


def job_of(run: Run, guide: Guide | None, runtime: Runtime, deadline: float) -> Job:
    """The job of a run; ``deadline`` as in :class:`Job`.

    Raises:
        RequestError: the prompt is empty.
        ModelError: it cannot be encoded.
    """
    if run.is_chat:
        messages = [{"role": "system", "content": run.system}] if run.system else []
        prompt = runtime.chat([*messages, {"role": "user", "content": run.prompt}], _tools(run.form))
    else:
        prompt = [*runtime.opening, *runtime.encode(run.prompt)]
    prompt = [*prompt, *run.prefix]
    if not prompt:
        raise RequestError("the prompt is empty: a model needs at least one token to go on from", param="prompt")
    resumed = None if guide is None or not run.enforce else Resumed(guide, run.prefix)
    return Job(
        prompt=tuple(prompt),
        guide=cast("Guide | None", resumed),
        max_tokens=run.max_tokens - len(run.prefix),
        temperature=run.temperature,
        top_p=run.top_p,
        seed=run.seed,
        observe=OBSERVED,
        deadline=deadline,
    )
