"""The arguments of both clients, checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from maskwright.client.connection import Connection, Pool
from maskwright.client.endpoint import Endpoint
from maskwright.client.profiles import Profile, find_profile
from maskwright.client.retries import Retries
from maskwright.client.spending import Budget
from maskwright.client.task import Settings
from maskwright.errors import PolicyError, excerpt
from maskwright.tags.formats import FORMATS
from maskwright.vocabulary import Vocabulary

__all__ = ["Configuration"]


@dataclass(frozen=True)
class Configuration:
    """How requests are sent, and whom they ask."""

    connection: Connection
    settings: Settings

    @classmethod
    def of(
        cls,
        base_url: str,
        *,
        api_key: str | None,
        model: str | None,
        vocabulary: Vocabulary | None,
        profile: str | Profile,
        timeout: float,
        connect_timeout: float,
        retries: int | Retries,
        budget: Budget,
        headers: Mapping[str, str],
        pool: Pool,
        tool_format: str | None = None,
        gate: Callable[[], None] | None = None,
    ) -> Configuration:
        """Check all arguments; raises ``PolicyError``."""
        endpoint = Endpoint.of(base_url)
        policy = retries if isinstance(retries, Retries) else Retries(most=retries)
        connection = Connection(
            endpoint=endpoint,
            api_key=api_key,
            timeout=timeout,
            connect_timeout=connect_timeout,
            headers=dict(headers),
            pool=_checked("limits", pool, Pool),
            gate=gate,
        )
        settings = Settings(
            base_url=endpoint.versioned,
            model=None if model is None else _checked("model", model, str),
            profile=find_profile(profile),
            vocabulary=None if vocabulary is None else _checked("vocabulary", vocabulary, Vocabulary),
            retries=policy,
            budget=_checked("budget", budget, Budget),
            tool_format=None if tool_format is None else _format(tool_format),
        )
        return cls(connection, settings)

    def changed(self, changes: Mapping[str, Any]) -> Configuration:
        """The same with other arguments, all but ``base_url`` and ``limits``; raises ``PolicyError``."""
        known = {
            "api_key": self.connection.api_key,
            "model": self.settings.model,
            "vocabulary": self.settings.vocabulary,
            "profile": self.settings.profile or "auto",
            "timeout": self.connection.timeout,
            "connect_timeout": self.connection.connect_timeout,
            "retries": self.settings.retries,
            "budget": self.settings.budget,
            "headers": self.connection.headers,
            "tool_format": self.settings.tool_format,
            "gate": self.connection.gate,
        }
        unknown = sorted(set(changes) - set(known))
        if unknown:
            raise PolicyError(f"{', '.join(unknown)} cannot be changed; what can: {', '.join(known)}")
        made = Configuration.of(self.connection.endpoint.versioned, pool=self.connection.pool, **{**known, **changes})
        connection = replace(made.connection, endpoint=self.connection.endpoint)
        return Configuration(connection, replace(made.settings, probes=self.settings.probes))

    def __str__(self) -> str:
        """The address and the model, never the key."""
        model = f", model={self.settings.model!r}" if self.settings.model is not None else ""
        return f"{self.connection.endpoint.versioned!r}{model}"


def _checked(name: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise PolicyError(f"{name} is a {kind.__name__}, not {excerpt(value)}")
    return value


def _format(given: Any) -> str:
    if not isinstance(given, str) or given not in FORMATS:
        raise PolicyError(f"tool_format is one of {', '.join(FORMATS)}, not {excerpt(given)}")
    return given
