"""The dialects by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from maskwright.dialects.cerebras import CEREBRAS, CEREBRAS_2025
from maskwright.dialects.dialect import Dialect
from maskwright.dialects.engines import LLGUIDANCE, XGRAMMAR
from maskwright.dialects.openai import OPENAI
from maskwright.errors import PolicyError

__all__ = ["DIALECTS", "find_dialect"]

#: Name to dialect. A new provider is one value and one entry.
DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {dialect.name: dialect for dialect in (OPENAI, CEREBRAS, CEREBRAS_2025, LLGUIDANCE, XGRAMMAR)}
)
#: Servers that take schemas and publish no rules of their own, with what to check instead.
_WITHOUT_RULES: Final = {
    "vllm": "check against the engine that it runs: xgrammar or llguidance",
    "sglang": "check against the engine that it runs: xgrammar or llguidance",
    "llama.cpp": "unknown keywords are skipped silently there, and additionalProperties is false where it is missing",
    "fireworks": "it publishes no rules for schemas",
    "together": "it publishes no rules for schemas",
    "ollama": "it publishes no rules for schemas",
    "lm-studio": "it takes OpenAI's form and publishes no rules for schemas",
}


def find_dialect(name: str) -> Dialect:
    """The dialect of a name.

    Raises :class:`maskwright.errors.PolicyError`, which lists the names, if there is none.
    """
    found = DIALECTS.get(name) if isinstance(name, str) else None
    if found is None:
        hint = _WITHOUT_RULES.get(name.lower(), "") if isinstance(name, str) else ""
        known = ", ".join(DIALECTS)
        raise PolicyError(f"no dialect is called {name!r}: there are {known}{f' ({hint})' if hint else ''}")
    return found
