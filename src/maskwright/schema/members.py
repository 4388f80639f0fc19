"""What schemas say about the members of an object, and its residual after some of them were read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, Final

from maskwright.errors import LimitError, Problem
from maskwright.network.lexeme import ANYTHING, Term, intersect, literal, subtract
from maskwright.schema.document import is_writable
from maskwright.schema.references import Document, Subschema
from maskwright.schema.residual import FALSE, TRUE, Alternative, Atom, Formula
from maskwright.schema.value import Value, Values

__all__ = ["Cell", "ConstantSource", "MemberRest", "Members", "MembersStore", "Source"]


def mask_of(places: Iterable[int]) -> int:
    """The number with these bits, in time linear in the places (or-ing bit by bit is quadratic)."""
    listed = list(places)
    if len(listed) < _FEW:
        mask = 0
        for place in listed:
            mask |= 1 << place
        return mask
    digits = bytearray(max(listed) // 8 + 1)
    for place in listed:
        digits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(digits, "little")


#: Bits up to which or-ing is faster than filling bytes.
_FEW: Final = 32
#: Kinds of keys that the patterns of one object may tell apart; 12 patterns that all overlap tell 4,096 in 15 s.
_MOST_CELLS: Final = 300
_NO_NAMES: Final[Mapping[str, Any]] = {}


class Cell:
    """Keys that no schema of the object names and that all its patterns treat alike; compared by identity."""

    __slots__ = ("inside", "place", "term")

    def __init__(self, term: Term, inside: frozenset[Term], place: int) -> None:
        """Use :meth:`MembersStore.partition`."""
        self.term = term
        #: The patterns (and ``propertyNames``) that hold for every key of the cell; the others hold for none.
        self.inside = inside
        #: The place among the cells of an object.
        self.place = place


#: The cells of an object without patterns.
_ONE_CELL: Final = (Cell(ANYTHING, frozenset(), 0),)


class Source:
    """The object keywords of one schema, still unread below."""

    __slots__ = (
        "additional", "keyword", "least", "most", "names", "owner", "patterns", "properties", "required", "sealed",
    )  # fmt: skip

    def __init__(self, owner: Subschema, properties: Mapping[str, Any] = _NO_NAMES) -> None:
        """An object that only lists properties; the reader of keywords fills in the rest."""
        self.owner = owner
        self.properties = properties
        #: ``(text term, key of patternProperties, schema)``.
        self.patterns: tuple[tuple[Term, str, Any], ...] = ()
        #: The schema of other keys; ``True`` if absent.
        self.additional: Any = True
        #: The keyword that holds that schema, for places.
        self.keyword = "additionalProperties"
        #: The keys that ``propertyNames`` admits.
        self.names: Term = ANYTHING
        self.required: tuple[str, ...] = ()
        self.least = 0
        self.most: int | None = None
        #: Absent ``additionalProperties`` under the policy ``objects="closed"``.
        self.sealed = False

    @property
    def is_open(self) -> bool:
        """Whether nothing is asked of keys that are not named."""
        return self.additional is True and not self.patterns and self.names is ANYTHING and not self.sealed

    @property
    def is_silent(self) -> bool:
        """Whether nothing but ``required`` and the counts constrains members."""
        return not self.properties and self.is_open

    def below(self, document: Document, name: str) -> Subschema:
        """The subschema of a named property."""
        return document.child(self.owner, self.properties[name], "properties", name)

    def terms(self) -> Sequence[Term]:
        """The terms that tell keys apart."""
        if not self.patterns and self.names is ANYTHING:
            return ()
        terms = [term for term, _, _ in self.patterns]
        return terms if self.names is ANYTHING else [*terms, self.names]


class ConstantSource(Source):
    """The members of one object of ``const`` or ``enum``: exactly these, each constant."""

    __slots__ = ()

    def __init__(self, owner: Subschema, members: Mapping[str, Any]) -> None:
        """All members are required and no others allowed."""
        super().__init__(owner, members)
        self.required = tuple(members)
        self.additional = False

    def below(self, document: Document, name: str) -> Subschema:
        """The constant, as a subschema."""
        return document.constant(self.owner, self.properties[name], name)


class Members:
    """A conjunction of sources: the frozen description that residuals of one object share.

    ``names`` are the declared keys in order of first appearance, then the required keys that nobody declares; bit
    ``i`` of a mask stands for ``names[i]``.
    """

    __slots__ = (
        "_begins",
        "_halves",
        "_rests",
        "_spoken",
        "_store",
        "_values",
        "cells",
        "declared",
        "index",
        "names",
        "sealed",
        "silent",
        "sources",
    )

    def __init__(
        self, store: MembersStore, sources: tuple[Source, ...], halves: tuple[Members, Members] | None = None
    ) -> None:
        """Merge the names; values are merged when they are asked for, from the ``halves`` if there are any."""
        self._store = store
        self._halves = halves
        self.sources = sources
        names = _declared(sources)
        #: How many names are declared; they come first.
        self.declared = len(names)
        required = sources[0].required if len(sources) == 1 else [name for one in sources for name in one.required]
        names.update(dict.fromkeys(required))
        self.names = tuple(names)
        self.index = dict(zip(names, range(len(names)), strict=True))
        self.sealed = True in [source.sealed for source in sources]
        self.silent = False not in [source.is_silent for source in sources]
        self.cells = store.partition(sources)
        self._values: dict[str | Cell, Value] = {}
        self._rests: dict[tuple[int, int, int | None], MemberRest] = {}
        #: ``False`` until it was asked for.
        self._spoken: frozenset[str] | bool | None = False
        mosts = [source.most for source in sources if source.most is not None]
        least = max([source.least for source in sources]) if sources else 0
        self._begins = (mask_of(map(self.index.__getitem__, required)), least, min(mosts) if mosts else None)

    @property
    def initial(self) -> MemberRest:
        """The residual of the whole object."""
        return self.rest(*self._begins)

    def rest(self, required: int, least: int, most: int | None) -> MemberRest:
        """The residual that still needs ``required`` and ``least`` to ``most`` members."""
        key = (required, least, most)
        found = self._rests.get(key)
        if found is None:
            found = self._rests[key] = MemberRest(self, required, least, most)
        return found

    def joined(self, other: Members) -> Members:
        """The conjunction of both."""
        return self if self is other else self._store.joined(self, other)

    def value(self, symbol: str | Cell) -> Value:
        """The value under a key; a :class:`Cell` stands for its keys."""
        found = self._values.get(symbol)
        if found is None:
            found = self._values[symbol] = self._merged(symbol) or self._store.value(self.sources, symbol)
        return found

    def _merged(self, symbol: str | Cell) -> Value | None:
        """The value under a name from the halves, if they know it: a conjunction grows by one part at a time."""
        if self._halves is None:
            return None
        left, right = (half.known(symbol) for half in self._halves)
        return None if left is None or right is None else self._store.both(left, right)

    def known(self, symbol: str | Cell) -> Value | None:
        """The value under a key, if that takes no merging."""
        return self._values.get(symbol) or (self.value(symbol) if self._halves is None else None)

    @property
    def spoken(self) -> frozenset[str] | None:
        """The names, if nothing is asked of other keys; ``None`` otherwise."""
        if self._spoken is False:
            is_open = all(source.is_open for source in self.sources)
            self._spoken = frozenset(self.names) if is_open else None
        return self._spoken  # type: ignore[return-value]

    def release(self) -> None:
        """Drop what was interned: it refers back to its owner."""
        self._values.clear()
        self._rests.clear()


def _declared(sources: tuple[Source, ...]) -> dict[str, None]:
    """The declared names that can be written, in order of first appearance."""
    if len(sources) == 1:
        names = dict.fromkeys(sources[0].properties)
    else:
        names = dict.fromkeys([name for source in sources for name in source.properties])
    if not "".join(names).isascii():
        names = {name: None for name in names if is_writable(name)}
    return names


class MemberRest(Atom):
    """Members still to come: all sources hold for each, ``required`` must come, and between ``least`` and ``most``."""

    __slots__ = ("_required_names", "least", "members", "most", "required")

    def __init__(self, members: Members, required: int, least: int, most: int | None) -> None:
        """Use :meth:`Members.rest`."""
        self.members = members
        self.required = required
        self._required_names: tuple[str, ...] | None = None
        self.least = least
        self.most = most

    @property
    def ends(self) -> bool:
        """Nothing required is missing."""
        return not self.required and self.least <= 0

    @property
    def spoken(self) -> frozenset[str] | None:
        """The keys that it says anything of; ``None`` if it asks something of all keys, or counts them."""
        return None if self.is_counted else self.members.spoken

    @property
    def is_counted(self) -> bool:
        """Whether the number of members matters."""
        return self.least > 0 or self.most is not None

    def derive(self, symbol: Any) -> Alternative | None:
        """The value under a key (or a cell of keys), and what remains."""
        if self.most == 0:
            return None
        members = self.members
        value = members.value(symbol)
        if value.live is False or (members.sealed and isinstance(symbol, Cell)):
            return None
        place = members.index.get(symbol)
        required = self.required if place is None else self.required & ~(1 << place)
        return value, self.after(required).simple

    def after(self, required: int) -> MemberRest:
        """What remains after one member, with ``required`` still missing."""
        least, most = self.least, self.most
        return self.members.rest(required, least - 1 if least > 0 else 0, most if most is None else most - 1)

    @property
    def simple(self) -> Formula:
        """``TRUE`` if nothing is asked any more."""
        done = self.members.silent and not self.required and not self.is_counted
        return TRUE if done else self

    @property
    def required_names(self) -> tuple[str, ...]:
        """The names that must still come."""
        if self._required_names is None:
            self._required_names = self._listed()
        return self._required_names

    def _listed(self) -> tuple[str, ...]:
        digits = bin(self.required)[:1:-1] if self.required else ""
        return tuple(compress(self.members.names, map("1".__eq__, digits)))

    def needs(self) -> Iterable[Value]:
        """The values of the required members."""
        return map(self.members.value, self.required_names)

    def meet(self, other: Atom) -> Formula:
        """Both at once; the names of the merged members keep their order of first appearance."""
        if not isinstance(other, MemberRest) or self is other:
            return self if self is other else FALSE
        members = self.members.joined(other.members)
        required = mask_of(members.index[name] for name in (*self.required_names, *other.required_names))
        least = max(self.least, other.least)
        mosts = [most for most in (self.most, other.most) if most is not None]
        most = min(mosts) if mosts else None
        if most is not None and max(least, required.bit_count()) > most:
            return FALSE
        return members.rest(required, least, most).simple


class MembersStore:
    """The interned descriptions of one network."""

    def __init__(
        self, document: Document, values: Values, is_empty: Callable[[Term], bool], spend: Callable[[int], None]
    ) -> None:
        """``is_empty`` decides whether a text term holds no string; ``spend`` counts the work of merging."""
        self._document = document
        self._values = values
        self._is_empty = is_empty
        self._spend = spend
        self._known: dict[tuple[Source, ...], Members] = {}
        self._cells: dict[tuple[Term, ...], tuple[Cell, ...]] = {}

    @property
    def free(self) -> Members:
        """The description that says nothing."""
        return self.members(())

    def members(self, sources: Iterable[Source]) -> Members:
        """The description of a conjunction of sources."""
        key = tuple(dict.fromkeys(sources))
        return self._known.get(key) or self._made(key)

    def one(self, source: Source) -> Members:
        """The description of a source of its own, which nobody has described yet."""
        key = (source,)
        made = self._known[key] = Members(self, key)
        return made

    def joined(self, left: Members, right: Members) -> Members:
        """The conjunction of two descriptions."""
        key = tuple(dict.fromkeys((*left.sources, *right.sources)))
        return self._known.get(key) or self._made(key, (left, right))

    def _made(self, key: tuple[Source, ...], halves: tuple[Members, Members] | None = None) -> Members:
        self._spend(len(key) if halves is None else len(key) + len(halves[0].names))
        made = self._known[key] = Members(self, key, halves)
        return made

    def both(self, left: Value, right: Value) -> Value:
        """The value that must satisfy what both must."""
        return self._values.both(left, right)

    def release(self) -> None:
        """Drop what was interned: it refers back to this store."""
        for members in self._known.values():
            members.release()
        self._known.clear()

    def holds(self, term: Term, text: str) -> bool:
        """Whether a text is in a text term."""
        return not self._is_empty(intersect(literal(text), term))

    def partition(self, sources: tuple[Source, ...]) -> tuple[Cell, ...]:
        """The keys that the patterns tell apart, named or not; only as many cells as really exist."""
        terms = tuple(dict.fromkeys([term for source in sources for term in source.terms()]))
        if not terms:
            return _ONE_CELL
        found = self._cells.get(terms)
        if found is None:
            found = self._cells[terms] = tuple(
                Cell(term, inside, place) for place, (term, inside) in enumerate(self._split(terms))
            )
        return found

    def _split(self, terms: tuple[Term, ...]) -> list[tuple[Term, frozenset[Term]]]:
        cells: list[tuple[Term, frozenset[Term]]] = [(ANYTHING, frozenset())]
        for term in terms:
            self._spend(len(cells))
            split = (
                part
                for cell, inside in cells
                for part in ((intersect(cell, term), inside | {term}), (subtract(cell, term), inside))
            )
            cells = [part for part in split if not self._is_empty(part[0])]
            if len(cells) > _MOST_CELLS:
                reason = f"{len(terms)} patterns of keys overlap in more than {_MOST_CELLS} ways"
                remedy = "let fewer patterns match the same keys"
                raise LimitError(Problem(reason, keyword="patternProperties", remedy=remedy))
        return cells

    def value(self, sources: tuple[Source, ...], symbol: str | Cell) -> Value:
        """The value under a key: every subschema that some source applies to it."""
        if len(sources) == 1 and symbol in sources[0].properties and not sources[0].terms():
            return self._values.single(sources[0].below(self._document, symbol))  # type: ignore[arg-type]
        found: list[Subschema] = []
        for source in sources:
            applied = list(self._applied(source, symbol))
            if any(subschema is None for subschema in applied):
                return self._values.nothing
            found.extend(subschema for subschema in applied if subschema is not None)
        return self._values.of(found)

    def _applied(self, source: Source, symbol: str | Cell) -> Iterable[Subschema | None]:
        if source.names is not ANYTHING and not self._inside(source.names, symbol):
            yield None
            return
        named = isinstance(symbol, str) and symbol in source.properties
        if named:
            yield source.below(self._document, symbol)  # type: ignore[arg-type]
        for term, pattern, schema in source.patterns:
            if self._inside(term, symbol):
                named = True
                yield self._document.child(source.owner, schema, "patternProperties", pattern)
        if named or source.additional is True:
            return
        if source.additional is False:
            yield None
        else:
            yield self._document.child(source.owner, source.additional, source.keyword)

    def _inside(self, term: Term, symbol: str | Cell) -> bool:
        return self.holds(term, symbol) if isinstance(symbol, str) else term in symbol.inside
