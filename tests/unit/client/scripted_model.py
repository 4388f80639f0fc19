"""A small model behind an API, in this process: distributions over texts, and switches for what the API offers."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from maskwright.client.flow import Call, Emit, Hangup, More, Now, Pause, Reply

__all__ = ["Scripted", "drive", "intending"]

#: What stands before the answer: prompts end with it.
MARK = "Answer:"

Distribution = Callable[[bytes], Mapping[bytes, float]]


@dataclass
class Scripted:
    """A server whose model has a distribution of the next token (``b""``: the end) for every beginning of an answer."""

    distribution: Distribution
    #: Tokens by id; the last id is the end.
    tokens: list[bytes]
    completions: bool = True
    chat: bool = True
    #: ``"works"``: a chat goes on; ``"echo"``: and gives the beginning again; ``"ignored"``: it starts anew.
    prefill: str = "works"
    #: Most alternatives that are reported; ``None``: the field is refused.
    logprobs: int | None = 20
    #: Entries of a bias that are applied; more are refused; 0: taken and ignored; ``None``: refused.
    bias: int | None = 300
    #: Whether logprobs have the shape of chats in completions too.
    objects: bool = False
    #: What becomes of ``response_format``, ``grammar`` ...: ``"ignored"``, ``"refused"``, or the text that they give.
    native: str = "refused"
    native_text: str = "{}"
    usage: bool = True
    #: Tokens that are written where nothing bounds them.
    context: int = 400
    owner: str = "someone"
    #: Whether ``min_tokens`` is honoured.
    minimum: bool = True
    #: Whether the end token is reported, too, where reports are objects.
    tells_end: bool = False
    scores: bool = True
    random: random.Random = field(default_factory=lambda: random.Random(7))
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answered: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    billed: int = 0

    #: Whether answers come in events where that is asked for; ``False``: as a whole all the same.
    streams: bool = True
    events: list[str] = field(default_factory=list)

    def more(self, *, keep: bool) -> str | None:
        """The next event."""
        if not self.events:
            return None
        return self.events[0] if keep else self.events.pop(0)

    def _events(self, data: dict[str, Any]) -> list[str]:
        choice = data["choices"][0]
        text = choice["message"]["content"] if "message" in choice else choice["text"]
        pieces = [text[i : i + 5] for i in range(0, len(text), 5)]
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": {"content": one}} if "message" in choice else {"index": 0, "text": one}]}
            for one in pieces
        ]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        if "usage" in data:
            chunks.append({"choices": [], "usage": data["usage"]})
        return [*map(json.dumps, chunks), "[DONE]"]

    # ---- the API ---------------------------------------------------------------------------------------------------

    def reply(self, call: Call) -> Reply:
        """The answer to a request."""
        payload = dict(call.payload or {})
        self.calls.append((call.path, payload))
        try:
            data = self._answer(call.path, payload)
        except RefusedError as refusal:
            body = {"error": {"message": str(refusal), "type": "invalid_request_error", "param": refusal.param}}
            return Reply(refusal.status, {}, json.dumps(body).encode())
        self.answered.append((call.path, payload))
        if payload.get("stream") and self.streams:
            self.events = self._events(data)
            return Reply(200, {"content-type": "text/event-stream"}, is_stream=True)
        return Reply(200, {"content-type": "application/json"}, json.dumps(data).encode())

    def _answer(self, path: str, payload: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return {"object": "list", "data": [{"id": "toy", "owned_by": self.owner}]}
        if path == "/v1/completions" and self.completions:
            prompts = payload["prompt"] if isinstance(payload["prompt"], list) else [payload["prompt"]]
            if payload.get("echo"):
                return self._scored(prompts)
            return self._data(payload, prompts[0].rpartition(MARK)[2].encode(), is_chat=False)
        if path == "/v1/chat/completions" and self.chat:
            last = payload["messages"][-1]
            begun = last["content"].encode() if last["role"] == "assistant" else b""
            return self._data(payload, begun if self.prefill != "ignored" else b"", is_chat=True, echo=begun)
        raise RefusedError(404, "no such endpoint")

    def _data(self, payload: dict[str, Any], begun: bytes, *, is_chat: bool, echo: bytes = b"") -> dict[str, Any]:
        for name in ("response_format", "grammar", "structured_outputs", "regex", "ebnf", "grammar_root", "tools"):
            if name in payload and self.native == "refused":
                raise RefusedError(400, f"{name} is not supported", name)
            if name in payload and self.native == "given":
                return self._wrapped([(token, ()) for token in self._cut(self.native_text.encode())], "stop", is_chat)
        wanted = payload.get("top_logprobs" if is_chat else "logprobs")
        if wanted is not None and self.logprobs is None:
            raise RefusedError(400, "logprobs is not supported", "logprobs")
        bias = payload.get("logit_bias") or {}
        if bias and self.bias is None:
            raise RefusedError(400, "logit_bias is not supported", "logit_bias")
        if self.bias and len(bias) > self.bias:
            raise RefusedError(400, f"logit_bias has too many entries, at most {self.bias}", "logit_bias")
        drawn, finish = self._generate(payload, begun, {int(k): v for k, v in bias.items()} if self.bias else {})
        if is_chat and self.prefill == "echo" and echo:
            return self._wrapped(drawn, finish, is_chat, wanted, before=echo)
        return self._wrapped(drawn, finish, is_chat, wanted)

    def _cut(self, text: bytes) -> list[bytes]:
        return [text[i : i + 3] for i in range(0, len(text), 3)]

    def _generate(
        self, payload: dict[str, Any], begun: bytes, bias: dict[int, float]
    ) -> tuple[list[tuple[bytes, Any]], str]:
        temperature = payload.get("temperature", 1.0)
        limit = payload.get("max_tokens", payload.get("max_completion_tokens")) or self.context
        stops = [stop.encode() for stop in payload.get("stop", ())]
        found: list[tuple[bytes, Any]] = []
        text = begun
        while len(found) < limit:
            raw = dict(self.distribution(text))
            top = sorted(((t, math.log(p)) for t, p in raw.items() if p > 0), key=lambda pair: -pair[1])
            if not found and self.minimum and (payload.get("min_tokens") or payload.get("ignore_eos")):
                raw.pop(b"", None)
            token = self._draw(raw, temperature, bias)
            if token == b"":
                return [*found, *([(b"", tuple(top))] if self.tells_end else [])], "stop"
            found.append((token, tuple(top)))
            text += token
            new = text[len(begun) :]
            hit = next((stop for stop in stops if stop in new), None)
            if hit is not None:
                return self._stopped(found, new.index(hit)), "stop"
        return found, "length"

    def _stopped(self, found: list[tuple[bytes, Any]], length: int) -> list[tuple[bytes, Any]]:
        kept: list[tuple[bytes, Any]] = []
        at = 0
        for token, top in found:
            kept.append((token[: max(0, length - at)], top))
            at += len(token)
            if at >= length:
                break
        return [pair for pair in kept if pair[0]]

    def _draw(self, raw: dict[bytes, float], temperature: float, bias: dict[int, float]) -> bytes:
        # A bias may lift tokens that the distribution does not name.
        floor = 1e-12
        scores = {token: math.log(p) for token, p in raw.items() if p > 0}
        for token_id, value in bias.items():
            data = b"" if token_id == len(self.tokens) - 1 else self.tokens[token_id]
            scores[data] = scores.get(data, math.log(floor)) + value
        if temperature <= 0:
            return max(scores, key=lambda token: (scores[token], token))
        highest = max(scores.values())
        weights = [math.exp((score - highest) / temperature) for score in scores.values()]
        return self.random.choices(list(scores), weights)[0]

    def _wrapped(
        self, drawn: list[tuple[bytes, Any]], finish: str, is_chat: bool, wanted: int | None = None, before: bytes = b""
    ) -> dict[str, Any]:
        text = (before + b"".join(token for token, _ in drawn)).decode("utf-8", "replace")
        most = min(wanted or 0, self.logprobs or 0)
        logprobs: Any = None
        if wanted is not None and self.logprobs:
            logprobs = self._objects(drawn, most) if is_chat or self.objects else self._arrays(drawn, most)
        inner: dict[str, Any] = {"message": {"role": "assistant", "content": text}} if is_chat else {"text": text}
        choice = {"index": 0, **inner, "finish_reason": finish, "logprobs": logprobs}
        data: dict[str, Any] = {"choices": [choice]}
        self.billed += 10 + len(drawn)
        if self.usage:
            data["usage"] = {"prompt_tokens": 10, "completion_tokens": len(drawn), "total_tokens": 10 + len(drawn)}
        return data

    def _objects(self, drawn: list[tuple[bytes, Any]], most: int) -> dict[str, Any]:
        def one(token: bytes, logprob: float) -> dict[str, Any]:
            return {"token": token.decode("utf-8", "replace"), "bytes": list(token), "logprob": logprob}

        return {
            "content": [
                {**one(token, dict(top).get(token, -30.0)), "top_logprobs": [one(*pair) for pair in top[:most]]}
                for token, top in drawn
            ]
        }

    def _arrays(self, drawn: list[tuple[bytes, Any]], most: int) -> dict[str, Any]:
        return {
            "tokens": [token.decode("utf-8", "replace") for token, _ in drawn],
            "token_logprobs": [dict(top).get(token, -30.0) for token, top in drawn],
            "top_logprobs": [
                {(t.decode("utf-8", "replace") or "<|im_end|>"): p for t, p in top[:most]} for _, top in drawn
            ],
            "text_offset": [0] * len(drawn),
        }

    def _scored(self, prompts: list[str]) -> dict[str, Any]:
        if not self.scores:
            raise RefusedError(400, "echo is not supported", "echo")
        choices = []
        for index, prompt in enumerate(prompts):
            before, _, answer = prompt.rpartition(MARK)
            pieces, values = [before + MARK], [None]
            text, rest = b"", answer.encode()
            while rest:
                known = {t: p for t, p in self.distribution(text).items() if t and rest.startswith(t)}
                token = max(known, key=len) if known else rest[:1]
                pieces.append(token.decode("utf-8", "replace"))
                values.append(math.log(known.get(token, 1e-9)))
                text, rest = text + token, rest[len(token) :]
            logprobs = {"tokens": pieces, "token_logprobs": values, "top_logprobs": [None] * len(pieces)}
            choices.append({"index": index, "text": prompt, "finish_reason": "length", "logprobs": logprobs})
        self.billed += 11 * len(prompts)
        return {"choices": choices, "usage": {"prompt_tokens": 10 * len(prompts), "completion_tokens": len(prompts)}}


class RefusedError(Exception):
    """A request that is refused."""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.param = status, param


def intending(target: bytes, tokens: list[bytes], *, sure: float = 0.9, otherwise: bytes = b"?") -> Distribution:
    """A model that wants to write a text; led away from it, it goes on with the rest after the last common byte."""

    def distribution(text: bytes) -> dict[bytes, float]:
        rest = target[len(text) :] if target.startswith(text) else _resumed(target, text)
        fitting = [token for token in tokens if token and rest.startswith(token)]
        best = max(fitting, key=len, default=b"") if rest else b""
        others = [token for token in (*fitting, otherwise, b"") if token != best]
        share = (1 - sure) / max(1, len(others))
        return {best: sure, **dict.fromkeys(others, share)}

    return distribution


def _resumed(target: bytes, text: bytes) -> bytes:
    """What is left of the target after the longest end of the text that stands in it."""
    for length in range(min(len(text), 12), 0, -1):
        at = target.find(text[-length:])
        if at >= 0:
            return target[at + length :]
    return target


def drive(flow: Generator[Any, Any, Any], server: Any, emitted: list[Any] | None = None) -> Any:
    """Run a flow against a server to its end; time passes by pauses, and a hundredth of a second with each call."""
    now, result, error = 100.0, None, None
    while True:
        try:
            command = flow.throw(error) if error is not None else flow.send(result)
        except StopIteration as end:
            return end.value
        result, error = None, None
        match command:
            case Call():
                now += 0.01
                result = server.reply(command)
            case Now():
                result = now
            case Pause(seconds=seconds):
                now += seconds
            case Emit(item=item):
                if emitted is not None:
                    emitted.append(item)
            case More(keep=keep):
                result = server.more(keep=keep)
            case Hangup():
                server.events = []
