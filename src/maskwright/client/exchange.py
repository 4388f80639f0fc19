"""One way of asking: the body of a request for a task, sent and read, with what it cost entered in the ledger."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from maskwright.client.draws import Drawn, Token, chat_drawn, completion_drawn, event_parts, first_choice
from maskwright.client.flow import Call, Flow, Hangup, Now, Reply, request
from maskwright.client.numbers import count_of
from maskwright.client.probing import Finding
from maskwright.client.profiles import Profile
from maskwright.client.spending import Ledger, counted, estimated
from maskwright.client.streams import Chunks
from maskwright.client.task import Settings, Task
from maskwright.errors import CapabilityError, RejectedError, ServiceTimeoutError

__all__ = ["CHAT", "COMPLETIONS", "Exchange", "Stream"]

COMPLETIONS: Final = "/v1/completions"
CHAT: Final = "/v1/chat/completions"
#: Fields that are sent for our own ends and do without: what an API refuses of them is not sent again.
_DISPENSABLE: Final = (
    "top_logprobs",
    "logprobs",
    "seed",
    "stop",
    "min_tokens",
    "ignore_eos",
    "logit_bias",
    "allowed_token_ids",
    "stream_options",
)
#: The two names of the bound on tokens.
_BOUNDS: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
#: Requests that are sent anew without a field that was refused.
_DROPS: Final = 5
#: Odd multiplier that spreads a seed over calls: the same seed with another prompt would draw the same numbers.
_SPREAD: Final = 0x9E3779B1
_SEEDS: Final = 1 << 31
_MOST_ALTERNATIVES: Final = 20


class Exchange:
    """How the answer to one task is asked for, again and again, from wherever it has got to."""

    def __init__(
        self,
        task: Task,
        settings: Settings,
        profile: Profile,
        ledger: Ledger,
        *,
        prompt: str = "",
        messages: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Ask with a prompt, or with messages."""
        self.task, self.settings, self.profile, self.ledger = task, settings, profile, ledger
        self.prompt = prompt
        self.messages = tuple(messages)
        #: Tokens of the prompt, as it was billed last; 0 before.
        self.prompt_tokens = 0
        self._calls = 0

    @property
    def is_chat(self) -> bool:
        """Whether it is a conversation."""
        return bool(self.messages)

    @property
    def finding(self) -> Finding:
        """What was found out about the API."""
        return self.settings.probes.known(self.settings.base_url, self.settings.model)

    def learn(self, **found: Any) -> None:
        """Remember what was found out about the API."""
        self.settings.probes.learn(self.settings.base_url, self.settings.model, **found)

    def refuse(self, what: str) -> None:
        """Remember that the API refuses something."""
        self.settings.probes.refuse(self.settings.base_url, self.settings.model, what)

    @property
    def alternatives(self) -> int:
        """Alternatives that are asked for with each token."""
        found = self.finding
        known, claimed = (
            (found.chat_logprobs, self.profile.chat_logprobs)
            if self.is_chat
            else (found.logprobs, self.profile.logprobs)
        )
        return min(_MOST_ALTERNATIVES, claimed if known is None else known)

    # ---- bodies ---------------------------------------------------------------------------------------------------

    def body(
        self, begun: str, *, limit: int | None, alternatives: int = 0, more: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The body of a request that goes on from a beginning of the answer."""
        task, fields = self.task, self._place(begun)
        if limit is not None:
            fields[self._bound()] = limit
        for name in ("temperature", "top_p"):
            value = getattr(task, name)
            if value is not None:
                fields[name] = value
        if task.seed is not None:
            fields["seed"] = (task.seed + self._calls * _SPREAD) % _SEEDS if self._calls else task.seed
        if task.stop:
            fields["stop"] = list(task.stop)
        if alternatives and self.is_chat:
            fields |= {"logprobs": True, "top_logprobs": alternatives}
        elif alternatives:
            fields["logprobs"] = alternatives
        fields |= {**task.extra, **(more or {})}
        refused = self._refused_fields()
        if refused & {"logprobs", "top_logprobs"}:
            refused |= {"logprobs", "top_logprobs"}
        for name in sorted(refused & self._wanted & set(fields)):
            self.ledger.note(f"{name} was left out: the model does not take it")
        return {name: value for name, value in fields.items() if name not in refused}

    @property
    def _wanted(self) -> set[str]:
        """Fields that the task asks for, not we."""
        task = self.task
        named = ("temperature", "top_p", "seed", "stop")
        return set(task.extra) | {name for name in named if getattr(task, name) not in (None, ())}

    def _refused_fields(self) -> set[str]:
        found = {what.partition(":")[2] for what in self.finding.refused if what.startswith("field:")}
        return found | self.profile.drops(self.settings.model)

    def _place(self, begun: str) -> dict[str, Any]:
        """Where the answer goes on: model, and prompt or messages."""
        fields: dict[str, Any] = {} if self.settings.model is None else {"model": self.settings.model}
        if not self.is_chat:
            return {**fields, "prompt": self.prompt + begun}
        if not begun:
            return {**fields, "messages": list(self.messages)}
        last: dict[str, Any] = {"role": "assistant", "content": begun}
        kind = self.prefill
        if kind == "prefix":
            last["prefix"] = True
        elif kind == "continue_final_message":
            fields |= {"continue_final_message": True, "add_generation_prompt": False}
        return {**fields, "messages": [*self.messages, last]}

    @property
    def prefill(self) -> str:
        """How a chat goes on with a beginning."""
        found = self.finding.prefill
        return self.profile.prefill if found is None else found

    def _bound(self) -> str:
        name = self.profile.max_tokens if self.is_chat else "max_tokens"
        return _BOUNDS[name] if f"field:{name}" in self.finding.refused else name

    # ---- asking ---------------------------------------------------------------------------------------------------

    def ask(
        self,
        begun: bytes = b"",
        *,
        limit: int | None,
        alternatives: int = 0,
        more: Mapping[str, Any] | None = None,
        so_far: str = "",
    ) -> Flow[Drawn]:
        """What the model writes after a beginning of the answer, at most so many tokens.

        Raises:
            ServiceError: the API gave no answer.
            ExhaustedError: the budget is used up; ``so_far`` is the text that it tells.
        """
        text = begun.decode("utf-8", "replace")
        reply = yield from self._sent(text, limit, alternatives, more, so_far, stream=False)
        data = reply.answer()
        if self.is_chat:
            echoes = self.profile.echoes_prefill if self.finding.echoes_prefill is None else self.finding.echoes_prefill
            drawn = chat_drawn(data, begun, echoes=echoes)
        else:
            drawn = completion_drawn(data)
        self._enter(drawn, reply, text)
        return drawn

    def raw(self, path: str, body: Mapping[str, Any], so_far: str = "") -> Flow[Mapping[str, Any]]:
        """The parsed answer to a body of one's own, counted as a call."""
        estimate = estimated([json.dumps(body, ensure_ascii=False)])
        reply = yield from self._request(Call(path, body, timeout=self.settings.timeout), estimate, so_far)
        data = reply.object()
        self.ledger.enter(data.get("usage"), prompt=estimate, completion=1, attempts=reply.attempts)
        return data

    def _estimate(self, begun: str) -> int:
        if self.prompt_tokens:
            return self.prompt_tokens
        if self.is_chat:
            return estimated([json.dumps(message, ensure_ascii=False) for message in self.messages]) + estimated(
                [begun]
            )
        return estimated([self.prompt, begun])

    def _enter(self, drawn: Drawn, reply: Reply, begun: str) -> None:
        completion = len(drawn.tokens) if all(token.is_whole for token in drawn.tokens) else estimated([drawn.text])
        self.prompt_tokens, _ = self.ledger.enter(
            drawn.usage, prompt=self._estimate(begun), completion=completion, attempts=reply.attempts
        )
        if reply.request_id is not None:
            self.ledger.request_ids.append(reply.request_id)

    def _sent(
        self,
        begun: str,
        limit: int | None,
        alternatives: int,
        more: Mapping[str, Any] | None,
        so_far: str,
        *,
        stream: bool,
    ) -> Flow[Reply]:
        """Send until nothing that can be done without is refused."""
        for left in range(_DROPS, -1, -1):
            estimate = self._estimate(begun)
            room = self.ledger.room(estimate)
            bounded = limit if room is None else max(1, room if limit is None else min(limit, room))
            body = self.body(begun, limit=bounded, alternatives=alternatives, more=more)
            if stream:
                body |= {"stream": True} | ({} if self._is_refused("stream_options") else _USAGE)
            call = Call(CHAT if self.is_chat else COMPLETIONS, body, stream=stream, timeout=self.settings.timeout)
            try:
                reply = yield from self._request(call, estimate, so_far)
            except (RejectedError, CapabilityError) as error:
                name = _blamed(error, body)
                if name is None or not left or name in self._wanted:
                    raise
                self._drop(name, error, alternatives)
                if name in ("logprobs", "top_logprobs"):
                    alternatives = min(alternatives, self.alternatives)
                continue
            self._calls += 1
            return reply
        raise AssertionError  # the last turn returns or raises

    def _is_refused(self, name: str) -> bool:
        return f"field:{name}" in self.finding.refused

    def _drop(self, name: str, error: RejectedError | CapabilityError, asked: int) -> None:
        """Do without a field, or with fewer alternatives."""
        told = re.search(
            r"(?:max(?:imum)?(?: allowed)?|at most|less than or equal to|up to|between 0 and)\D{0,12}(\d+)",
            error.message,
        )
        if name in ("logprobs", "top_logprobs") and told is not None and 0 < int(told[1]) < asked:
            self.learn(**{"chat_logprobs" if self.is_chat else "logprobs": int(told[1])})
            return
        self.refuse(f"field:{name}")
        if name in ("logprobs", "top_logprobs"):
            self.learn(**{"chat_logprobs" if self.is_chat else "logprobs": 0})
        self.ledger.note(f"the API refuses {name}: {error.message[:120]}")

    def _request(self, call: Call, estimate: int, so_far: str) -> Flow[Reply]:
        now: float = yield Now()
        self.ledger.allow(now, estimate, so_far)
        deadline = self.ledger.deadline
        try:
            return (yield from request(call, self.settings.retries, deadline=deadline))
        except ServiceTimeoutError as error:
            now = yield Now()
            if deadline is None or now < deadline:
                raise
            seconds = self.ledger.budget.seconds
            reason = f"its budget of {counted(seconds or 0, 'second')} is used up"
            raise self.ledger.exhausted(reason, so_far, now) from error

    def open(
        self,
        begun: bytes = b"",
        *,
        limit: int | None,
        more: Mapping[str, Any] | None = None,
        so_far: str = "",
    ) -> Flow[Stream]:
        """The same, event by event."""
        text = begun.decode("utf-8", "replace")
        reply = yield from self._sent(text, limit, 0, more, so_far, stream=True)
        return Stream(self, reply, text)


_USAGE: Final[dict[str, Any]] = {"stream_options": {"include_usage": True}}


def _blamed(error: RejectedError | CapabilityError, body: Mapping[str, Any]) -> str | None:
    """The field of ours that a refusal is about."""
    param = (error.param or "").partition(".")[0].partition("[")[0]
    for name in (*_DISPENSABLE, *_BOUNDS):
        if name in body and (param == name or re.search(rf"(?<![\w]){name}(?![\w])", error.message)):
            return name
    return None


class Stream:
    """An answer that comes in pieces; whole at the end as a :class:`Drawn`."""

    def __init__(self, exchange: Exchange, reply: Reply, begun: str) -> None:
        """Made by :meth:`Exchange.open`."""
        self._exchange, self._reply, self._begun = exchange, reply, begun
        self._chunks = Chunks(reply)
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._usage: Mapping[str, Any] = {}
        self._whole: Drawn | None = None
        self.finish = ""
        self._is_early = False

    def piece(self) -> Flow[str | None]:
        """The next piece of the text, perhaps empty; ``None`` at the end.

        Raises:
            ServiceError: the stream breaks off, or tells an error.
        """
        if not self._reply.is_stream:
            return self._at_once()
        chunk = yield from self._chunks.next()
        return None if chunk is None else self._read(chunk)

    def _at_once(self) -> str | None:
        """All of an answer that is no stream."""
        if self._whole is not None:
            return None
        data = self._reply.answer()
        self._whole = chat_drawn(data) if self._exchange.is_chat else completion_drawn(data)
        self.finish = self._whole.finish
        text = self._whole.text.decode("utf-8", "replace")
        self._text.append(text)
        return text

    def _read(self, data: Mapping[str, Any]) -> str:
        text, reasoning, finish, calls = event_parts(data)
        self._text.append(text)
        self._reasoning.append(reasoning)
        self.finish = finish or self.finish
        self._is_early = self._is_early or first_choice(data).get("closed_early") is True
        if isinstance(data.get("usage"), dict):
            self._usage = data["usage"]
        for piece in calls:
            self._call(piece)
        return text

    def _call(self, piece: Any) -> None:
        """A piece of a call: name and id come once, arguments in pieces."""
        if not isinstance(piece, dict):
            return
        index = count_of(piece.get("index")) or 0
        told = piece.get("function")
        function = told if isinstance(told, dict) else {}
        call = self._calls.setdefault(
            index,
            {"id": None, "type": "function", "function": {"name": "", "arguments": ""}},
        )
        call["id"] = piece.get("id") or call["id"]
        for name in ("name", "arguments"):
            value = function.get(name)
            call["function"][name] += value if isinstance(value, str) else ""

    def close(self, *, early: bool = False) -> Flow[Drawn]:
        """All that came, entered in the ledger. ``early``: what else would come is not waited for."""
        if early and self._reply.is_stream:
            yield Hangup()
        text = "".join(self._text).encode("utf-8", "surrogatepass")
        drawn = self._whole or Drawn(
            tokens=(Token(text, is_whole=False),) if text else (),
            finish=self.finish,
            is_early=self._is_early,
            reasoning="".join(self._reasoning) or None,
            calls=tuple(call for _, call in sorted(self._calls.items())),
        )
        drawn = replace(drawn, usage=drawn.usage or self._usage)
        self._exchange._enter(drawn, self._reply, self._begun)  # noqa: SLF001 - two halves of one thing
        return drawn
