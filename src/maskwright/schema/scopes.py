"""Dynamic scopes: what a ``$dynamicRef`` or ``$recursiveRef`` means depends on the resources entered on the way.

The specifications (JSON Schema Core 2020-12, section 8.2.3.2; 2019-09, section 8.2.4.2) look for the *outermost*
resource of the way that defines a dynamic anchor. So of a way only this matters: for each name, which resource defined
it first. That is a :class:`Scope`; ways with equal scopes share it, and since entering a resource again changes
nothing, there are finitely many, however deep a document recurses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maskwright.errors import LimitError, Problem

if TYPE_CHECKING:
    from maskwright.schema.references import Subschema

__all__ = ["RECURSIVE", "Anchors", "Scope", "Scopes"]

#: The name under which ``$recursiveAnchor: true`` defines the root of its resource.
RECURSIVE: Final = None
#: The metaschemas make one; n resources and n anchors can make n to the power of n.
_MOST_SCOPES: Final = 256
#: Dynamic anchors of one resource.
Anchors = dict[str | None, "Subschema"]


class Scope:
    """Name of a dynamic anchor to the schema that the outermost resource gives it; interned by :class:`Scopes`."""

    __slots__ = ("targets",)

    def __init__(self, targets: Anchors) -> None:
        """Use :meth:`Scopes.enter`."""
        self.targets = targets


class Scopes:
    """The scopes of one document."""

    def __init__(self, names: frozenset[str | None]) -> None:
        """Only the empty one; ``names`` are the anchors that count."""
        self.names = names
        self.empty = Scope({})
        self._known: dict[frozenset[tuple[str | None, Subschema]], Scope] = {frozenset(): self.empty}

    def enter(self, scope: Scope, anchors: Anchors) -> Scope:
        """The scope inside a resource with these anchors; linear in them.

        Raises :class:`maskwright.errors.LimitError` for a document whose ways cannot be told apart in reasonable time.
        """
        names = self.names
        new = {name: target for name, target in anchors.items() if name in names and name not in scope.targets}
        if not new:
            return scope
        targets = {**scope.targets, **new}
        found = self._known.setdefault(frozenset(targets.items()), Scope(targets))
        if len(self._known) > _MOST_SCOPES:
            reason = f"its dynamic references mean different things on more than {_MOST_SCOPES} ways through the schema"
            raise LimitError(Problem(reason, "#", "$dynamicRef", "use `$ref` where the target does not change"))
        return found
