"""What :func:`maskwright.dialects.check` and :func:`maskwright.dialects.rewrite` report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from maskwright.dialects.dialect import Rule

__all__ = ["Change", "Effect", "Finding", "Written"]

#: What a change does to the set of values: ``"wider"``, values are accepted that the original refuses; ``"narrower"``,
#: the reverse; ``"equal"``, neither, after :meth:`maskwright.dialects.Rewriting.unwrap`.
Effect = Literal["wider", "narrower", "equal"]
#: A rewritten schema; ``False`` if no value is possible.
Written = dict[str, Any] | bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One place of a schema that a provider's strict mode would refuse, or would not enforce."""

    dialect: str
    #: JSON pointer into the schema, as a fragment (``#/properties/a``).
    place: str
    #: The keyword at fault, ``""`` if it is none.
    keyword: str
    reason: str
    rule: Rule
    #: The change that mends it.
    mend: str

    def __str__(self) -> str:
        """One line: place, reason, rule, change."""
        return f"{self.place}: {self.reason}; {self.dialect}: {self.rule}; {self.mend}"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between a schema and its rewriting."""

    #: JSON pointer into the original schema: where the keyword stood, or what something was added to.
    place: str
    keyword: str
    kind: Literal["dropped", "changed", "added"]
    what: str
    #: The rule that demands it.
    why: str
    effect: Effect

    def __str__(self) -> str:
        """One line."""
        return f"{self.place}: {self.kind} {self.keyword} ({self.effect}): {self.what}; {self.why}"
