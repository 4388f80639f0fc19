"""What a model wrote, read from the answers of APIs: bytes of tokens, and what else it might have written there.

Two shapes of ``logprobs`` are read wherever they stand: parallel arrays (OpenAI's completions), whose keys are texts,
and a list of objects (chats, and llama.cpp everywhere), which may tell bytes and ids. A token that is not whole
characters is told as text with U+FFFD in the first shape: such an alternative is left out, and where the text of an
answer cannot be cut at such a token, the rest of it is one token that nothing is known about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from maskwright.client.numbers import count_of, real_of

__all__ = ["END_NAMES", "Drawn", "Option", "Token", "chat_drawn", "completion_drawn", "event_parts", "first_choice"]

#: How end tokens are shown by APIs that show them. They are never text here.
END_NAMES: Final = frozenset(
    {
        b"<|im_end|>",
        b"<|endoftext|>",
        b"</s>",
        b"<|eot_id|>",
        b"<|end_of_text|>",
        b"<|eom_id|>",
        b"<eos>",
        b"<end_of_turn>",
        b"<|end|>",
        b"<|return|>",
        b"<|call|>",
    }
)
_UNKNOWN: Final = "\ufffd"
#: OpenAI's completions show bytes that are no characters so.
_BYTES: Final = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")
#: vLLM's completions show ids so where they are told to.
_ID: Final = re.compile(r"token_id:(\d{1,9})")
_MOST_ID: Final = 1 << 22
_BYTE: Final = 256
#: Bytes of a beginning that no model writes a second time where it stands already.
_UNLIKELY: Final = 16


@dataclass(frozen=True, slots=True)
class Option:
    """A token that a model might have written."""

    #: What it writes; ``b""`` for an end token, ``None`` if that is not known.
    data: bytes | None
    logprob: float
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A token that a model wrote."""

    data: bytes
    id: int | None = None
    #: The likeliest tokens there, itself among them or not.
    top: tuple[Option, ...] = ()
    #: Whether it is known to be one token, not the rest of a text.
    is_whole: bool = True


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What came back for one choice."""

    tokens: tuple[Token, ...] = ()
    #: Whether alternatives of tokens were reported at all.
    is_reported: bool = False
    #: ``stop``, ``length``, ``content_filter``, ``tool_calls``; ``""`` if it is not told.
    finish: str = ""
    #: Whether the API says that the bound on tokens kept the model from what the constraint allowed (ours does).
    is_early: bool = False
    #: The token after the last, if it is told: the one that ended the text.
    end: Token | None = None
    reasoning: str | None = None
    refusal: str | None = None
    #: Calls as they came, not checked.
    calls: tuple[Mapping[str, Any], ...] = ()
    usage: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> bytes:
        """All of it."""
        return b"".join(token.data for token in self.tokens)


def first_choice(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first choice of an answer; empty if there is none."""
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def completion_drawn(data: Mapping[str, Any]) -> Drawn:
    """The answer of ``/v1/completions``."""
    choice = first_choice(data)
    text = choice.get("text")
    return _drawn(data, choice, text if isinstance(text, str) else "", b"", echoes=False)


def chat_drawn(data: Mapping[str, Any], begun: bytes = b"", *, echoes: bool = False) -> Drawn:
    """The answer of ``/v1/chat/completions`` to a chat whose last message began with ``begun``.

    Where the beginning comes again it is taken off: if the reported tokens, or else ``echoes``, say so.
    """
    choice = first_choice(data)
    told = choice.get("message")
    message = told if isinstance(told, dict) else {}
    content = message.get("content")
    if isinstance(content, list):  # parts, as Mistral's thinking models write them
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    reasoning = message.get("reasoning", message.get("reasoning_content"))
    refusal, calls = message.get("refusal"), message.get("tool_calls")
    return _drawn(
        data,
        choice,
        _said(content),
        begun,
        echoes=echoes,
        reasoning=reasoning if isinstance(reasoning, str) and reasoning else None,
        refusal=refusal if isinstance(refusal, str) and refusal else None,
        calls=tuple(call for call in calls if isinstance(call, dict)) if isinstance(calls, list) else (),
    )


def _drawn(
    data: Mapping[str, Any], choice: Mapping[str, Any], text: str, begun: bytes, *, echoes: bool, **more: Any
) -> Drawn:
    listed = _tokens(choice.get("logprobs"))
    octets = text.encode("utf-8", "surrogatepass")
    if begun and octets.startswith(begun):
        joined = b"".join(token.data for token in listed)
        rest = octets[len(begun) :]
        is_told = joined.startswith(rest) or rest.startswith(joined)
        if is_told if joined else echoes or len(begun) >= _UNLIKELY:
            octets = rest
    tokens, end = _aligned(listed, octets)
    finish, usage = choice.get("finish_reason"), data.get("usage")
    return Drawn(
        tokens=tokens,
        is_reported=any(token.top for token in listed),
        end=end,
        finish=finish if isinstance(finish, str) else "",
        is_early=choice.get("closed_early") is True,
        usage=usage if isinstance(usage, dict) else {},
        **more,
    )


def _aligned(listed: Sequence[Token], text: bytes) -> tuple[tuple[Token, ...], Token | None]:
    """The tokens that a text is made of, and the one after them; what cannot be cut is one token at the end."""
    joined = b"".join(token.data for token in listed)
    if joined and joined.decode("utf-8", "replace") == text.decode("utf-8", "replace"):
        text = joined  # the text may have lost bytes of a character that is not complete
    found: list[Token] = []
    at = 0
    for token in listed:
        if at >= len(text):
            return tuple(found), token
        if not token.data:
            continue  # a control token, of which nothing is shown
        if not text.startswith(token.data, at):
            break
        found.append(token)
        at += len(token.data)
    rest = text[at:]
    while rest.endswith(b"\xef\xbf\xbd"):
        rest = rest[:-3]
    if rest:
        found.append(Token(rest, is_whole=False))
    return tuple(found), None


def _tokens(logprobs: Any) -> list[Token]:
    if not isinstance(logprobs, dict):
        return []
    if isinstance(logprobs.get("content"), list):
        return [_token(entry) for entry in logprobs["content"] if isinstance(entry, dict)]
    texts, tops = logprobs.get("tokens"), logprobs.get("top_logprobs")
    if not isinstance(texts, list):
        return []
    found: list[Token] = []
    for place, text in enumerate(texts):
        top = tops[place] if isinstance(tops, list) and place < len(tops) else None
        options = tuple(
            Option(*_spelled(key)[:1], _logprob(value), _spelled(key)[1])
            for key, value in (top.items() if isinstance(top, dict) else ())
        )
        data, token_id = _spelled(text)
        found.append(Token(data or b"", token_id, options))
    return found


def _token(entry: Mapping[str, Any]) -> Token:
    one = _option(entry)
    top = entry.get("top_logprobs")
    options = tuple(_option(other) for other in top if isinstance(other, dict)) if isinstance(top, list) else ()
    return Token(one.data or b"", one.id, options)


def _option(entry: Mapping[str, Any]) -> Option:
    told, text, logprob, given = entry.get("bytes"), entry.get("token"), entry.get("logprob"), entry.get("id")
    data, token_id = _spelled(text)
    octets = [count_of(byte) for byte in told] if isinstance(told, list) else [None]
    if all(byte is not None and byte < _BYTE for byte in octets):
        data = bytes(byte for byte in octets if byte is not None)
    number = count_of(given)
    if number is not None and number < _MOST_ID:
        token_id = number
    return Option(data, _logprob(logprob), token_id)


def _logprob(told: object) -> float:
    """A logarithm of a probability; of what is none, that of 0."""
    value = real_of(told)
    return -math.inf if value is None else min(value, 0.0)


def _spelled(text: object) -> tuple[bytes | None, int | None]:
    """The bytes and the id of a token as it is shown."""
    if not isinstance(text, str):
        return None, None
    octets = _BYTES.fullmatch(text)
    if octets is not None:
        return bytes.fromhex(octets[1].replace("\\x", "")), None
    number = _ID.fullmatch(text)
    if number is not None and int(number[1]) < _MOST_ID:
        return None, int(number[1])
    if _UNKNOWN in text:
        return None, None
    data = text.encode("utf-8", "surrogatepass")
    return (b"" if data in END_NAMES else data), None


def _said(content: object) -> str:
    """The text of a content: itself, or that of its parts (Mistral's models that think write parts)."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def event_parts(data: Mapping[str, Any]) -> tuple[str, str, str | None, list[Any]]:
    """Of an event of a stream: text, reasoning, why it ended (``None`` before), and pieces of calls."""
    choice = first_choice(data)
    told = choice.get("delta")
    delta = told if isinstance(told, dict) else {}
    text = delta.get("content", choice.get("text"))
    reasoning = delta.get("reasoning", delta.get("reasoning_content"))
    finish, calls = choice.get("finish_reason"), delta.get("tool_calls")
    return (
        _said(text),
        reasoning if isinstance(reasoning, str) else "",
        finish if isinstance(finish, str) else None,
        calls if isinstance(calls, list) else [],
    )
