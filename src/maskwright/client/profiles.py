"""What APIs offer, as data: one frozen value for each, so that a new one is one entry.

The facts are of November 2026: vendors' documentation, reports, and what was measured (``shared/wire.md`` sections 1,
3.2 and 4.1). Claims about biases are only where to begin: what is not proven by a probe is not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from maskwright.errors import PolicyError, excerpt

__all__ = ["GENERIC", "PROFILES", "Bias", "Native", "Profile", "Quirk", "find_profile", "owned_profile", "profile_at"]

Endpoint = Literal["chat", "completions"]
#: What a constraint can be sent as: a JSON Schema, a regular expression, a list of texts, a grammar in GBNF, the name
#: of a grammar root; ``wrapped``: a choice or pattern as the one property of a JSON Schema.
Kind = Literal["schema", "regex", "choice", "gbnf", "root", "wrapped"]
#: How a chat goes on with an answer that has begun: it does not; the last message is the assistant's; that with vLLM's
#: two flags; that with ``"prefix": true``.
Prefill = Literal["", "assistant", "continue_final_message", "prefix"]
Shape = Literal["response_format", "response_grammar", "structured_outputs", "grammar", "regex", "ebnf", "grammar_root"]


@dataclass(frozen=True, kw_only=True)
class Native:
    """A way in which an API enforces a constraint itself.

    Attributes:
        shape: The field of a request that says it.
        kinds: What can be said in it.
        endpoints: Where it is read.
    """

    shape: Shape
    kinds: frozenset[Kind]
    endpoints: frozenset[Endpoint] = frozenset({"chat"})


@dataclass(frozen=True, kw_only=True)
class Bias:
    """A way to push tokens by their ids."""

    #: Most entries; more are refused.
    cap: int
    #: The largest bias; that many on the allowed tokens leaves the others no chance.
    bound: float = 100.0
    #: A field that is a true mask (vLLM's ``allowed_token_ids``), and its most entries.
    mask: str | None = None
    mask_cap: int = 0


@dataclass(frozen=True, kw_only=True)
class Quirk:
    """Fields that some models of an API refuse."""

    #: Models, by their names.
    models: str
    dropped: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One API.

    Attributes:
        name, title: What it is called in programs and in messages.
        hosts: Addresses by which it is known: a regular expression that is searched in the host and port.
        owners: What it says in ``owned_by`` of its models.
        endpoints: Which of ``chat`` and ``completions`` it has.
        continues: Whether ``/v1/completions`` takes a plain text to go on with.
        prefill: How a chat goes on with the beginning of an answer; ``""``: not at all.
        echoes_prefill: Whether the beginning comes again in the answer.
        natives: In the order in which they are tried.
        shows_schema: Whether it shows the schema to the model by itself.
        dialect: What of JSON Schema it takes: a name of :data:`maskwright.dialects.DIALECTS`; ``None``:
            all is sent as it is.
        bias: How tokens are pushed by their ids; ``None``: not at all.
        chat_logprobs, logprobs: Most alternatives that are reported for a token, in chats and completions; 0
            for no report.
        stops: Most texts in ``stop``.
        max_tokens: The name of the bound on tokens in chats.
        no_end: A field with which an answer cannot end before its first token: its name and value.
        scores: Whether ``echo`` with ``logprobs`` scores a given text.
        tools: Whether it reads tools, and tells calls apart from text.
        strict_tools: Whether tools may say ``"strict": true``, and arguments are then constrained.
        quirks: Fields that some of its models refuse.
    """

    name: str
    title: str
    hosts: str | None = None
    owners: frozenset[str] = frozenset()
    endpoints: frozenset[Endpoint] = frozenset({"chat"})
    continues: bool = False
    prefill: Prefill = ""
    echoes_prefill: bool = False
    natives: tuple[Native, ...] = ()
    shows_schema: bool = False
    dialect: str | None = None
    bias: Bias | None = None
    chat_logprobs: int = 0
    logprobs: int = 0
    stops: int = 4
    max_tokens: str = "max_tokens"
    no_end: tuple[str, int | bool] | None = None
    scores: bool = False
    tools: bool = False
    strict_tools: bool = False
    quirks: tuple[Quirk, ...] = ()

    def drops(self, model: str | None) -> frozenset[str]:
        """Fields that this model refuses."""
        return frozenset().union(*(quirk.dropped for quirk in self.quirks if re.search(quirk.models, model or "")))

    def offers(self, endpoint: Endpoint) -> bool:
        """Whether it has an endpoint."""
        return endpoint in self.endpoints


_BOTH: Final[frozenset[Endpoint]] = frozenset({"chat", "completions"})
_FORMAT: Final = Native(shape="response_format", kinds=frozenset({"schema", "wrapped"}))
_STRUCTURED: Final = Native(
    shape="structured_outputs", kinds=frozenset({"schema", "regex", "choice", "gbnf"}), endpoints=_BOTH
)
_GBNF: Final = Native(shape="grammar", kinds=frozenset({"schema", "regex", "choice", "gbnf"}), endpoints=_BOTH)
_ROOT: Final = Native(shape="grammar_root", kinds=frozenset({"root"}), endpoints=frozenset({"completions"}))

#: Of an API that nobody knows: what most of them have, tried and proven one by one.
GENERIC: Final = Profile(
    name="generic",
    title="an API in OpenAI's shape",
    endpoints=_BOTH,
    continues=True,
    prefill="assistant",
    natives=(_FORMAT,),
    bias=Bias(cap=100),
    chat_logprobs=5,
    logprobs=5,
    tools=True,
)

PROFILES: Final[dict[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile(
            name="openai",
            title="OpenAI",
            hosts=r"(^|\.)openai\.(com|azure\.com)$",
            owners=frozenset({"openai", "openai-internal", "system"}),
            endpoints=_BOTH,
            continues=True,
            natives=(_FORMAT,),
            shows_schema=True,
            dialect="openai",
            bias=Bias(cap=300),
            chat_logprobs=20,
            logprobs=5,
            max_tokens="max_completion_tokens",
            scores=False,
            tools=True,
            strict_tools=True,
            quirks=(
                Quirk(
                    models=r"^(gpt-5|o[1-9])",
                    dropped=frozenset({"logit_bias", "temperature", "top_p", "logprobs", "top_logprobs"}),
                ),
            ),
        ),
        Profile(
            name="cerebras",
            title="Cerebras",
            hosts=r"(^|\.)cerebras\.(ai|net)$",
            owners=frozenset({"Cerebras", "cerebras"}),
            endpoints=_BOTH,
            continues=True,
            natives=(_ROOT, _FORMAT),
            dialect="cerebras",
            bias=Bias(cap=100),
            chat_logprobs=20,
            logprobs=20,
            max_tokens="max_completion_tokens",
            no_end=("min_tokens", 1),
            scores=True,
            tools=True,
            strict_tools=True,
        ),
        Profile(
            name="vllm",
            title="vLLM",
            owners=frozenset({"vllm"}),
            endpoints=_BOTH,
            continues=True,
            prefill="continue_final_message",
            natives=(
                _STRUCTURED,
                Native(shape="response_format", kinds=frozenset({"schema"}), endpoints=_BOTH),
            ),
            bias=Bias(cap=1024, mask="allowed_token_ids", mask_cap=1024),
            chat_logprobs=20,
            logprobs=20,
            no_end=("min_tokens", 1),
            scores=True,
            tools=True,
        ),
        Profile(
            name="sglang",
            title="SGLang",
            owners=frozenset({"sglang"}),
            endpoints=_BOTH,
            continues=True,
            prefill="continue_final_message",
            natives=(
                Native(shape="response_format", kinds=frozenset({"schema"}), endpoints=_BOTH),
                Native(shape="regex", kinds=frozenset({"regex", "choice"}), endpoints=_BOTH),
                Native(shape="ebnf", kinds=frozenset({"gbnf", "regex", "choice"}), endpoints=_BOTH),
            ),
            bias=Bias(cap=300),
            chat_logprobs=5,
            logprobs=5,
            no_end=("min_tokens", 1),
            tools=True,
        ),
        Profile(
            name="llamacpp",
            title="llama.cpp's server",
            owners=frozenset({"llamacpp"}),
            endpoints=_BOTH,
            continues=True,
            prefill="assistant",
            echoes_prefill=True,
            natives=(_GBNF, _FORMAT),
            bias=Bias(cap=1000),
            chat_logprobs=20,
            logprobs=20,
            no_end=("ignore_eos", True),
            tools=True,
        ),
        Profile(
            name="fireworks",
            title="Fireworks",
            hosts=r"(^|\.)fireworks\.ai$",
            endpoints=_BOTH,
            continues=True,
            natives=(
                Native(shape="response_format", kinds=frozenset({"schema", "wrapped"}), endpoints=_BOTH),
                Native(shape="response_grammar", kinds=frozenset({"gbnf", "regex", "choice"}), endpoints=_BOTH),
            ),
            bias=Bias(cap=300),
            chat_logprobs=5,
            logprobs=5,
            no_end=("ignore_eos", True),
            scores=True,
            tools=True,
        ),
        Profile(
            name="together",
            title="Together",
            hosts=r"(^|\.)together\.(xyz|ai)$",
            endpoints=_BOTH,
            continues=True,
            natives=(_FORMAT,),
            bias=Bias(cap=300),
            chat_logprobs=20,
            logprobs=20,
            scores=True,
            tools=True,
        ),
        Profile(
            name="ollama",
            title="Ollama",
            hosts=r":11434$",
            owners=frozenset({"library"}),
            endpoints=_BOTH,
            natives=(_FORMAT,),
            chat_logprobs=20,
            tools=True,
        ),
        Profile(
            name="mistral",
            title="Mistral",
            hosts=r"(^|\.)mistral\.ai$",
            owners=frozenset({"mistralai"}),
            prefill="prefix",
            echoes_prefill=True,
            natives=(_FORMAT,),
            tools=True,
        ),
        Profile(
            name="maskwright",
            title="Maskwright's own server",
            owners=frozenset({"maskwright"}),
            endpoints=_BOTH,
            continues=True,
            prefill="assistant",
            natives=(
                _ROOT,
                _STRUCTURED,
                Native(shape="response_format", kinds=frozenset({"schema"})),
                _GBNF,
            ),
            bias=Bias(cap=300),
            chat_logprobs=20,
            logprobs=20,
            no_end=("min_tokens", 1),
            scores=True,
            tools=True,
            strict_tools=True,
        ),
        GENERIC,
    )
}


def find_profile(name: str | Profile) -> Profile | None:
    """The profile of a name; ``None`` for ``"auto"``, which stands for what is found out.

    Raises:
        PolicyError: no profile has this name.
    """
    if isinstance(name, Profile):
        return name
    if name == "auto":
        return None
    if not isinstance(name, str) or name not in PROFILES:
        raise PolicyError(f"profile is one of auto, {', '.join(PROFILES)}, not {excerpt(name)}")
    return PROFILES[name]


_AUTHORITY: Final = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([^/?#]*)", re.IGNORECASE)


def profile_at(base_url: str) -> Profile | None:
    """The profile that is known by an address; ``None`` if none is."""
    found = _AUTHORITY.match(base_url)
    authority = found[1].lower() if found else ""
    return next((one for one in PROFILES.values() if one.hosts and re.search(one.hosts, authority)), None)


def owned_profile(models: object) -> Profile | None:
    """The profile that is known by the answer of ``GET /v1/models``; ``None`` if none is."""
    data = models.get("data") if isinstance(models, dict) else None
    listed = data if isinstance(data, list) else []
    owners = {str(model.get("owned_by")) for model in listed if isinstance(model, dict)}
    return next((one for one in PROFILES.values() if one.owners & owners), None)
