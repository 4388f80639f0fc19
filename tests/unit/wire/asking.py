"""Requests for the tests of this folder: the least that each endpoint takes, and who reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maskwright.errors import RequestError
from maskwright.wire.chat import ChatRequest, read_chat
from maskwright.wire.completions import CompletionRequest, read_completion

LEAST: Final[dict[str, dict[str, Any]]] = {
    "completions": {"model": "m"},
    "chat": {"model": "m", "messages": [{"role": "user", "content": "Hello"}]},
}
READERS: Final[dict[str, Callable[..., CompletionRequest | ChatRequest]]] = {
    "completions": read_completion,
    "chat": read_chat,
}
COMPATS: Final = ("lenient", "cerebras", "openai")


def ask(endpoint: str, compat: str = "lenient", **fields: Any) -> Any:
    """The least request with some fields more, read."""
    return READERS[endpoint]({**LEAST[endpoint], **fields}, compat=compat)


def chat(compat: str = "lenient", **fields: Any) -> ChatRequest:
    made: ChatRequest = ask("chat", compat, **fields)
    return made


def completion(compat: str = "lenient", **fields: Any) -> CompletionRequest:
    made: CompletionRequest = ask("completions", compat, **fields)
    return made


def refusal(endpoint: str, compat: str = "lenient", **fields: Any) -> RequestError | None:
    """What refuses the request; None if nothing does."""
    try:
        ask(endpoint, compat, **fields)
    except RequestError as error:
        return error
    return None
