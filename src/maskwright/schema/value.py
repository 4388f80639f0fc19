"""Values: the subschemas that one value of the output must all satisfy, before any of them is read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from maskwright.schema.contents import content_of
from maskwright.schema.document import equal_key
from maskwright.schema.negation import Listed, Negation
from maskwright.schema.references import Subschema

if TYPE_CHECKING:
    from maskwright.schema.shape import Shape

__all__ = ["Value", "Values"]


#: Subschemas of a merged value that are merged in about a microsecond.
_CHEAP: Final = 8


class Value:
    """A place for a value; interned by its subschemas, so equality is identity."""

    __slots__ = ("halves", "live", "shape", "subschemas")

    def __init__(self, subschemas: tuple[Subschema, ...]) -> None:
        """Nothing is read yet."""
        self.subschemas = subschemas
        #: What the value may be; ``None`` until it is read.
        self.shape: Shape | None = None
        #: Two values that it must be both of, if it was made from them: its shape is then one meet away from theirs.
        self.halves: tuple[Value, Value] | None = None
        #: Whether some value exists; ``None`` until that was asked.
        self.live: bool | None = None

    def __repr__(self) -> str:
        """The places of its subschemas."""
        return f"Value({', '.join(s.place for s in self.subschemas)})"


class Values:
    """The interned values of one network."""

    def __init__(self, spend: Callable[[int], None], owner: Subschema) -> None:
        """Start with the value that may be anything and the one that may be nothing; ``spend`` counts merging.

        Values that were written stand at the place of ``owner``.
        """
        self._spend = spend
        self._owner = owner
        self.anything = Value(())
        self.anything.live = True
        self.nothing = Value(())
        self.nothing.live = False
        self._single: dict[Subschema, Value] = {}
        self._joint: dict[frozenset[Subschema], Value] = {}
        self._negated: dict[Subschema, Negation] = {}
        self._contents: dict[Subschema, Hashable] = {}
        #: By content, the first subschema that was met; by value, the one of such subschemas.
        self._representatives: dict[Hashable, Subschema] = {}
        self._canonical: dict[Value, Value] = {}
        self._listed: dict[tuple[str, ...], Listed] = {}

    def of(self, subschemas: Iterable[Subschema]) -> Value:
        """The value that must satisfy all the subschemas; none of them may be ``False``."""
        distinct = dict.fromkeys(s for s in subschemas if s.value is not True)
        if len(distinct) == 1:
            return self.single(next(iter(distinct)))
        if not distinct:
            return self.anything
        key = frozenset(distinct)
        found = self._joint.get(key)
        if found is None:
            self._spend(1 + len(key) // _CHEAP)
            found = self._joint[key] = self._made(distinct)
        return found

    def _made(self, distinct: dict[Subschema, None]) -> Value:
        negated = [one for one in distinct if isinstance(one, Negation)]
        if negated and len(negated) < len(distinct):
            said = {self._content(one) for one in distinct if not isinstance(one, Negation)}
            if not said.isdisjoint([self._content(one.of) for one in negated]):
                return self.nothing
        if len(negated) > 1:
            by_content = {self._content(one.of): one for one in reversed(negated)}
            if len(by_content) < len(negated):
                kept: list[Subschema] = [one for one in distinct if not isinstance(one, Negation)]
                return self.of([*kept, *reversed(by_content.values())])
        return Value(tuple(distinct))

    def canonical(self, value: Value) -> Value:
        """The same value of subschemas that stand for all that say the same: products of branches then stay small."""
        found = self._canonical.get(value)
        if found is None:
            kept = tuple([self._representative(one) for one in value.subschemas])
            found = self._canonical[value] = value if kept == value.subschemas else self.of(kept)
        return found

    def _representative(self, subschema: Subschema) -> Subschema:
        if isinstance(subschema, Negation):
            return self.negated(self._representative(subschema.of))
        return self._representatives.setdefault(self._content(subschema), subschema)

    def _content(self, subschema: Subschema) -> Hashable:
        found = self._contents.get(subschema)
        if found is None:
            found = self._contents[subschema] = content_of(subschema)
        return found

    def negated(self, subschema: Subschema) -> Subschema:
        """The subschema that holds exactly where another does not; one for each."""
        if isinstance(subschema, Negation):
            return subschema.of
        found = self._negated.get(subschema)
        if found is None:
            found = self._negated[subschema] = Negation(subschema)
        return found

    def single(self, subschema: Subschema) -> Value:
        """The value that must satisfy one subschema."""
        if subschema.value is True:
            return self.anything
        found = self._single.get(subschema)
        if found is None:
            found = self._single[subschema] = Value((subschema,))
            if subschema.value is False:
                found.live = False
        return found

    def opposite(self, subschema: Subschema) -> Value:
        """The value that must not satisfy a subschema."""
        if subschema.value is True or subschema.value is False:
            return self.anything if subschema.value is False else self.nothing
        return self.single(self.negated(subschema))

    def listed(self, values: tuple[Any, ...]) -> Listed:
        """The subschema of some values, in whatever order they are given."""
        return self.keyed({equal_key(value): value for value in values})

    def keyed(self, values: Mapping[str, Any]) -> Listed:
        """The same for values whose :func:`equal_key` is known."""
        key = tuple(sorted(values))
        found = self._listed.get(key)
        if found is None:
            found = self._listed[key] = Listed(self._owner, {text: values[text] for text in key})
        return found

    def both(self, left: Value, right: Value) -> Value:
        """The value that must satisfy what both must."""
        if left is right or right is self.anything:
            return left
        if left is self.anything:
            return right
        if left is self.nothing or right is self.nothing:
            return self.nothing
        found = self.of((*left.subschemas, *right.subschemas))
        if found.shape is None and found.halves is None and found is not left and found is not right:
            found.halves = (left, right)
        return found

    def release(self) -> None:
        """Drop the shapes: those of recursive schemas lead back to their values."""
        for known in (self._single, self._joint):
            for value in known.values():
                value.shape = value.halves = None
