"""Subschemas that no document holds: the negation of one, the choice between several, a list of written values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskwright.schema.references import Subschema

__all__ = ["Choice", "Listed", "Names", "Negation"]


class Negation(Subschema):
    """Holds where another subschema does not; made once for each by :class:`maskwright.schema.value.Values`."""

    __slots__ = ("of",)

    def __init__(self, of: Subschema) -> None:
        """Stand at the place of the other."""
        _stand_at(self, of)
        self.value = {"not": of.value}
        self.of = of


class Choice(Subschema):
    """Holds where one of several subschemas does."""

    __slots__ = ("options",)

    def __init__(self, options: Sequence[Subschema]) -> None:
        """Stand at the place of the first."""
        _stand_at(self, options[0])
        self.value = {"anyOf": [option.value for option in options]}
        self.options = tuple(options)


class Names(Subschema):
    """What a subschema says of strings, for ``propertyNames``: keywords of objects say nothing of a key."""

    __slots__ = ("of",)

    def __init__(self, of: Subschema) -> None:
        """Stand at the place of the other."""
        _stand_at(self, of)
        self.of = of


class Listed(Subschema):
    """Some values that were written."""

    __slots__ = ("keyed", "values")

    def __init__(self, owner: Subschema, keyed: Mapping[str, Any]) -> None:
        """Stand at the place of ``owner``; values by :func:`maskwright.schema.document.equal_key`."""
        _stand_at(self, owner)
        self.value = {"enum": list(keyed.values())}
        self.keyed = keyed
        self.values = tuple(keyed.values())


def _stand_at(made: Subschema, other: Subschema) -> None:
    for name in Subschema.__slots__:
        setattr(made, name, getattr(other, name))
