"""What a request's output must be, as one constraint."""

from __future__ import annotations

from maskwright.constraint import Constraint
from maskwright.limits import Limits
from maskwright.wire.chat import ChatRequest
from maskwright.wire.completions import CompletionRequest

__all__ = ["constraint_key", "constraint_of"]


def constraint_of(
    request: CompletionRequest | ChatRequest,
    limits: Limits,
    *,
    tool_format: str = "hermes",
    strict_dialect: str | None = None,
    thinking: tuple[str, str] | None = None,
    prompt: str | None = None,
    whitespace: str = "flexible",
) -> Constraint | None:
    """The constraint that a request asks for; None for free text.

    Args:
        request: What was read.
        limits: Caps on sizes, depths and times.
        tool_format: A name of :data:`maskwright.tags.formats.FORMATS`: how the model writes calls.
        strict_dialect: ``"openai"`` or ``"cerebras"``: refuse what those refuse in schemas with ``"strict": true``.
        thinking: The marks that begin and end the thinking before the answer. An empty first mark: the prompt has begun
            it already. None: the model does not think. Ignored where the request says that it is not to.
        prompt: For the root ``insidevalue``: the text that the output goes on with, by default the request's own.
        whitespace: The policy of :func:`maskwright.json_schema`.

    Raises:
        RequestError: the constraint cannot be used; ``param`` is the field, with a JSON pointer where one is known.
    """
    raise NotImplementedError


def constraint_key(request: CompletionRequest | ChatRequest, *, prompt: str | None = None) -> str | None:
    """A text that is the same for requests with the same constraint, for caches; None for free text."""
    raise NotImplementedError
