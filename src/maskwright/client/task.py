"""A task: what is asked for; and the settings: of whom, and within what bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from maskwright.client.probing import PROBES, Probes
from maskwright.client.profiles import Profile
from maskwright.client.retries import Retries
from maskwright.client.spending import Budget
from maskwright.constraint import Constraint
from maskwright.errors import PolicyError, excerpt
from maskwright.vocabulary import Vocabulary

__all__ = ["Settings", "Task"]

Preference = Literal["auto", "native", "loop"]
_PREFERENCES: Final = ("auto", "native", "loop")


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """One answer that is wanted. Either ``prompt`` (``/v1/completions``) or ``messages`` (``/v1/chat/completions``)."""

    prompt: str | None = None
    #: Messages in OpenAI's shape.
    messages: tuple[Mapping[str, Any], ...] = ()
    #: What the answer must be; ``None`` for any text.
    constraint: Constraint | None = None
    #: Tools in OpenAI's shape, for a chat. The answer then is text or calls, as ``tool_choice`` says.
    tools: tuple[Mapping[str, Any], ...] = ()
    tool_choice: object = "auto"
    #: Whether there may be more than one call.
    parallel: bool = True
    #: Most tokens of the answer; ``None`` for what the API allows.
    max_tokens: int | None = None
    #: ``None``: what the API takes by itself, which is 1 almost everywhere.
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    #: Texts that end the answer; only without a constraint.
    stop: tuple[str, ...] = ()
    #: Whether the schema is shown to the model in the prompt; ``"auto"``: where the API does not show it.
    schema_in_prompt: bool | Literal["auto"] = "auto"
    #: ``native``: only what the API itself enforces; ``loop``: only enforcement from here; ``auto``: what there is.
    prefer: Preference = "auto"
    #: Whether an answer may be ended, or a step be taken, for the model where all else fails, and be marked as such.
    #: ``None``: steps in the loop may, ends of answers of APIs that cannot be continued may not.
    may_degrade: bool | None = None
    #: Whether pieces of text are emitted as they become certain, as ``Emit(str)``. Text that was emitted stands.
    stream: bool = False
    #: Further fields of the request's body, as they are.
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what has no meaning; raises ``PolicyError``."""
        if (self.prompt is None) == (not self.messages):
            raise PolicyError("a task has a prompt or messages, one of them")
        if self.constraint is not None and not isinstance(self.constraint, Constraint):
            raise PolicyError(f"constraint is a Constraint, not {type(self.constraint).__name__}")
        if self.prefer not in _PREFERENCES:
            raise PolicyError(f"prefer is one of {', '.join(_PREFERENCES)}, not {excerpt(self.prefer)}")
        if self.tools and self.constraint is not None:
            raise PolicyError("an answer is constrained by tools or by a constraint, not by both")
        if self.tools and not self.messages:
            raise PolicyError("tools belong to a chat: give messages, not a prompt")
        if self.stop and self.constraint is not None:
            raise PolicyError("stop texts could end the answer before the constraint is met: give one of the two")

    @property
    def is_chat(self) -> bool:
        """Whether it is a conversation."""
        return bool(self.messages)


@dataclass(frozen=True, kw_only=True, eq=False)
class Settings:
    """Whom to ask, and within what bounds."""

    #: The address of the API: profiles know APIs by it, and what was found out about one is kept under it.
    base_url: str
    model: str | None = None
    #: What the API offers; ``None``: known by the address, or found out.
    profile: Profile | None = None
    #: That of the model, exactly: without it there is no bias and no allowed set of ids.
    vocabulary: Vocabulary | None = None
    #: How the model writes calls (a name of ``maskwright.tags.formats.FORMATS``), for tools in the loop; ``None``: as
    #: its family does, if that is known by its name.
    tool_format: str | None = None
    retries: Retries = field(default_factory=Retries)
    budget: Budget = field(default_factory=Budget)
    #: What was found out about APIs, shared by all clients of the process by default.
    probes: Probes = PROBES
    #: Seconds that a server may be silent.
    timeout: float | None = None
