"""Probes: what an API does, as opposed to what it says; asked once for each address and model, and remembered."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from maskwright.errors import PolicyError, excerpt

__all__ = ["PROBES", "Finding", "Probes"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What is known about a model behind an address; ``None``: not asked yet."""

    #: The name of the profile that the API told by itself.
    profile: str | None = None
    #: Whether ``/v1/completions`` exists and goes on with a text.
    continues: bool | None = None
    #: How a chat goes on with a beginning; ``""``: not at all.
    prefill: str | None = None
    #: Whether the beginning comes again in the answer.
    echoes_prefill: bool | None = None
    #: Most entries of a bias that is applied; 0: it is not applied.
    bias: int | None = None
    #: Alternatives that are reported for a token of a completion, and of a chat.
    logprobs: int | None = None
    chat_logprobs: int | None = None
    #: Native ways that were refused or were not obeyed, and fields that were refused.
    refused: frozenset[str] = frozenset()


class Probes:
    """What was found out, by address and model. Threads may share it."""

    def __init__(self) -> None:
        """Know nothing."""
        self._lock = threading.Lock()
        self._findings: dict[tuple[str, str], Finding] = {}
        #: What is being asked at present, and since when by the clock of flows.
        self._asking: dict[tuple[str, str, str], float] = {}

    def known(self, base_url: str, model: str | None) -> Finding:
        """What is known."""
        with self._lock:
            return self._findings.get((base_url, model or ""), Finding())

    def learn(self, base_url: str, model: str | None, **found: Any) -> Finding:
        """Remember what was found out."""
        with self._lock:
            key = base_url, model or ""
            after = self._findings[key] = replace(self._findings.get(key, Finding()), **found)
            return after

    def refuse(self, base_url: str, model: str | None, what: str) -> None:
        """Remember that something is refused."""
        known = self.known(base_url, model)
        self.learn(base_url, model, refused=known.refused | {what})

    def begin(self, base_url: str, model: str | None, what: str, now: float) -> bool:
        """Whether the caller is to ask; if not, somebody else is asking, and it should wait and look again."""
        with self._lock:
            key = base_url, model or "", what
            since = self._asking.get(key)
            if since is not None and now - since < _PATIENCE:
                return False
            self._asking[key] = now
            return True

    def end(self, base_url: str, model: str | None, what: str) -> None:
        """Somebody who asked is done, or gave up."""
        with self._lock:
            self._asking.pop((base_url, model or "", what), None)

    def export(self) -> dict[str, dict[str, Any]]:
        """All that is known, as JSON: ``"address model"`` to what was found out."""
        with self._lock:
            return {
                f"{url} {model}".rstrip(): {
                    name: sorted(value) if isinstance(value, frozenset) else value
                    for name, value in asdict(finding).items()
                    if value is not None and value != frozenset()
                }
                for (url, model), finding in self._findings.items()
            }

    def load(self, exported: Mapping[str, Mapping[str, Any]]) -> None:
        """Know what another process exported.

        Raises:
            PolicyError: this is no export.
        """
        names = {one.name for one in fields(Finding)}
        for key, found in exported.items():
            if not isinstance(key, str) or not isinstance(found, Mapping) or not names.issuperset(found):
                raise PolicyError(f"what was found out is an export of Probes, not {excerpt(found)}")
            url, _, model = key.partition(" ")
            values = {name: frozenset(value) if name == "refused" else value for name, value in found.items()}
            self.learn(url, model, **values)


#: Seconds after which somebody who asks is taken to have given up.
_PATIENCE: Final = 60.0
#: What this process found out.
PROBES: Final = Probes()
