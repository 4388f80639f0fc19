"""What every request for text asks of a decoder: one frozen value, the part that both endpoints share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

__all__ = ["COMPATS", "Asked", "Compat", "Generation"]

#: How unknown fields are treated and faults are written: ``lenient`` ignores and lists what it does not know,
#: ``cerebras`` and ``openai`` refuse it as those APIs do.
Compat = Literal["lenient", "cerebras", "openai"]
COMPATS: Final[tuple[str, ...]] = ("lenient", "cerebras", "openai")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The one constraint of a request, as it was sent."""

    #: ``response_format``, ``grammar_root``, ``json``, ``regex``, ``choice``, ``grammar``, ``json_object``,
    #: ``structural_tag`` (the members of vLLM's ``structured_outputs``), or ``gbnf``.
    kind: str
    source: Any
    #: The field that it stands in (``response_format``, ``structured_outputs.regex``).
    param: str
    #: Policies of :func:`maskwright.json_schema` that it asks for.
    policies: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Generation:
    """The fields that completions and chat share, with defaults filled in and other spellings made one."""

    model: str
    #: Most tokens to write, at least 0; None: as many as the context holds.
    max_tokens: int | None = None
    #: Tokens to write before an end is allowed; -1: as many as the context holds.
    min_tokens: int = 0
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    #: At most four texts that end the output and are not part of it; none is empty.
    stop: tuple[str, ...] = ()
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    #: Token id to what is added to its logit, -100 to 100.
    logit_bias: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    #: How many of the likeliest tokens are reported beside each one that was written; 0: only that one; None: nothing.
    logprobs: int | None = None
    #: Answers to each prompt.
    n: int = 1
    stream: bool = False
    #: Whether a stream ends with a chunk that has no choices but the usage.
    include_usage: bool = False
    #: The ids of prompts and outputs are wanted beside the text.
    return_token_ids: bool = False
    #: The one constraint on the output beside tools; None: free text.
    asked: Asked | None = None
    #: ``none`` (the default of the model), ``parsed``, ``text_parsed``, ``raw`` or ``hidden``.
    reasoning_format: str = "none"
    user: str | None = None
    prompt_cache_key: str | None = None
    #: Names of fields, and paths of members (``messages[0].id``), that were sent and are not known here; only under
    #: ``lenient``.
    ignored: tuple[str, ...] = ()
