"""The policies of a JSON Schema constraint: what the schema leaves open and the caller decides."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields
from typing import Final

from maskwright.errors import PolicyError, excerpt
from maskwright.schema.layout import Whitespace, marks

__all__ = ["Policies"]

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "property_order": ("declared", "any"),
    "escapes": ("all", "minimal"),
    "numbers": ("canonical", "exact"),
    "objects": ("as written", "closed"),
    "formats": ("assert", "annotate", "strict"),
}


@dataclass(frozen=True, slots=True)
class Policies:
    """One value for each policy; wrong ones raise :class:`maskwright.errors.PolicyError`.

    ``"closed"`` objects: a schema that lists ``properties`` and is silent about ``additionalProperties`` admits only
    keys that some schema of the same value names. Schemas without ``properties`` stay open, since closing them would
    leave nothing but ``{}``.
    """

    #: ``"declared"``: declared keys in schema order, further keys after them; ``"any"``: exact JSON Schema.
    property_order: str = "declared"
    #: ``"flexible"``, ``"compact"``, ``"spaced"``, ``"any"`` or fixed separators.
    whitespace: str | Whitespace = "flexible"
    #: ``"all"`` JSON escapes or only those that JSON demands (``"minimal"``).
    escapes: str = "all"
    #: Digits of the integer and of the fraction part of a number; ``None`` = no bound.
    digits: int | None = 40
    #: ``"canonical"`` or ``"exact"`` spellings of numbers.
    numbers: str = "canonical"
    #: ``"as written"`` or ``"closed"``.
    objects: str = "as written"
    #: ``"assert"``, ``"annotate"`` or ``"strict"`` (an unknown format is an error).
    formats: str = "assert"

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        for name, choices in _CHOICES.items():
            given: Hashable = getattr(self, name)
            if given not in choices:
                msg = f"{name} must be one of {', '.join(map(repr, choices))}, not {excerpt(given)}"
                raise PolicyError(msg)
        whitespace: object = self.whitespace
        if not isinstance(whitespace, (str, Whitespace)):
            msg = f"whitespace must be a name or a Whitespace, not {excerpt(whitespace)}"
            raise PolicyError(msg)
        marks(whitespace)
        digits: object = self.digits
        if digits is not None and (not isinstance(digits, int) or isinstance(digits, bool) or digits < 1):
            msg = f"digits must be a positive number or None, not {excerpt(digits)}"
            raise PolicyError(msg)

    def as_dict(self) -> dict[str, object]:
        """Name to value, for people and logs."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
