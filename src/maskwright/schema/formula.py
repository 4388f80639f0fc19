"""Formulas: what is built from leaves with *and* and *or*, and the leaves that know their own derivatives.

Built with :class:`maskwright.schema.residual.Formulas`, whose constructors normalise and intern.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast

from maskwright.schema.value import Value

if TYPE_CHECKING:
    from maskwright.schema.residual import Formulas

__all__ = [
    "FALSE", "TRUE", "Alternative", "And", "Atom", "Branches", "Formula", "Joining", "Leaf", "Not", "Or", "fold",
    "leaves_of", "parts_of",
]  # fmt: skip

_T = TypeVar("_T")
Alternative = tuple[Value, "Formula"]
_Speaking = tuple[list["Formula"], dict[Hashable, list["Formula"]]]


class Formula:
    """A residual; built with :class:`Formulas`, compared by identity."""

    __slots__ = ()


class _Constant(Formula):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


#: Nothing more is asked.
TRUE: Final = _Constant("TRUE")
#: No further members can help.
FALSE: Final = _Constant("FALSE")


class And(Formula):
    """All parts hold; at most one is an atom, since atoms merge."""

    __slots__ = ("is_simple", "parts", "speaking")

    def __init__(self, parts: tuple[Formula, ...]) -> None:
        """Keep the parts; use :meth:`Formulas.conjoin`."""
        self.parts = parts
        #: The parts that any member changes, and by symbol those that it changes; ``None`` until asked for.
        self.speaking: _Speaking | None = None
        #: No part is a disjunction.
        self.is_simple = all(isinstance(part, Leaf) and part.is_simple for part in parts)


class Or(Formula):
    """At least one part holds."""

    __slots__ = ("parts", "speaking")

    def __init__(self, parts: tuple[Formula, ...]) -> None:
        """Keep the parts; use :meth:`Formulas.disjoin`."""
        self.parts = parts
        #: As of :class:`And`.
        self.speaking: _Speaking | None = None


class Branches(Formula):
    """The branches of a leaf of which a search has not come to the end; made one by one."""

    __slots__ = ("parts",)

    def __init__(self, parts: Iterator[Formula]) -> None:
        """What is still to come."""
        self.parts = parts


class Leaf(Formula):
    """What is not built from other formulas: it knows its own derivatives."""

    __slots__ = ()
    #: Whether :meth:`branches` gives none.
    is_simple: ClassVar[bool] = True

    @property
    def ends(self) -> bool:
        """Whether it holds when no further member comes."""
        raise NotImplementedError

    def alternatives(self, symbol: Hashable, formulas: Formulas) -> Iterable[Alternative]:
        """What the next member may be, each with what remains afterwards."""
        raise NotImplementedError

    def negate(self, formulas: Formulas) -> Formula:
        """What holds exactly where this does not; leaves that only a search makes have none."""
        raise NotImplementedError

    @property
    def atoms(self) -> Sequence[Atom]:
        """The atoms that it is made of."""
        return ()

    @property
    def spoken(self) -> frozenset[str] | None:
        """The symbols that it says anything of: any other leaves it as it is; ``None`` if that may be all."""
        return None

    def branches(self, formulas: Formulas) -> Iterable[Formula]:
        """Simpler formulas of which it is the disjunction; none if it is simple."""
        del formulas
        return ()

    def within(self, atom: Atom, formulas: Formulas) -> Formula | None:
        """A simpler formula for it and an atom; ``None`` if there is none."""
        del atom, formulas
        return None


class Atom(Leaf):
    """A conjunction of plain assertions about members; a member leaves one way to go on, and two of them merge."""

    __slots__ = ()

    @property
    def atoms(self) -> Sequence[Atom]:
        """Itself."""
        return (self,)

    def needs(self) -> Iterable[Value]:
        """The values that must come, and that are known without much work."""
        raise NotImplementedError

    def alternatives(self, symbol: Hashable, formulas: Formulas) -> Iterable[Alternative]:
        """The derivative, if there is one."""
        del formulas
        one = self.derive(symbol)
        return () if one is None else (one,)

    def negate(self, formulas: Formulas) -> Formula:
        """The negation as a leaf of its own."""
        return formulas.opposite(self)

    def derive(self, symbol: Hashable) -> Alternative | None:
        """What the value of the next member and the members after it must satisfy; ``None`` = no such member."""
        raise NotImplementedError

    def meet(self, other: Atom) -> Formula:
        """Both at once."""
        raise NotImplementedError


class Joining(Leaf):
    """A leaf that becomes one with the others of its kind in a conjunction."""

    __slots__ = ()

    def joined(self, others: Sequence[Joining], formulas: Formulas) -> Formula:
        """All of them."""
        raise NotImplementedError


class Not(Leaf):
    """An atom does not hold; built with :meth:`Formulas.negate`.

    Its derivative is the negated derivative of the atom (Brzozowski 1964): either the member meets the atom, and what
    remains does not, or the member violates it, and nothing more is asked.
    """

    __slots__ = ("atom",)

    def __init__(self, atom: Atom) -> None:
        """Use :meth:`Formulas.opposite`."""
        self.atom = atom

    @property
    def ends(self) -> bool:
        """Whether the atom is not met by what was read."""
        return not self.atom.ends

    @property
    def atoms(self) -> Sequence[Atom]:
        """The one that is negated."""
        return (self.atom,)

    @property
    def spoken(self) -> frozenset[str] | None:
        """Those of the atom."""
        return self.atom.spoken

    def alternatives(self, symbol: Hashable, formulas: Formulas) -> Iterable[Alternative]:
        """A member that the atom admits, or one that it does not."""
        values = formulas.values
        one = self.atom.derive(symbol)
        if one is None:
            return ((values.anything, TRUE),)
        value, rest = one
        remains = formulas.negate(rest)
        met = ((value, remains),) if remains is not FALSE else ()
        return (*met, *((values.single(values.negated(subschema)), TRUE) for subschema in value.subschemas))

    def negate(self, formulas: Formulas) -> Formula:
        """The atom."""
        del formulas
        return self.atom


def leaves_of(*formulas: Formula) -> Iterator[Leaf]:
    """The leaves of some formulas in order of first appearance."""
    stack, seen = list(reversed(formulas)), set(formulas)
    while stack:
        top = stack.pop()
        if isinstance(top, Leaf):
            yield top
        elif isinstance(top, (And, Or)):
            new = [part for part in top.parts if part not in seen]
            seen.update(new)
            stack.extend(reversed(new))


def parts_of(conjunction: Formula) -> tuple[Formula, ...]:
    """The conjuncts of what :meth:`Formulas.search` yields; none for ``TRUE``."""
    if conjunction is TRUE:
        return ()
    return conjunction.parts if isinstance(conjunction, And) else (conjunction,)


def fold(
    formula: Formula,
    memo: dict[Formula, _T],
    leaf: Callable[[Leaf], _T],
    combine: Callable[[Formula, list[_T]], _T],
) -> _T:
    """Evaluate from the atoms upwards with a stack of its own; nesting comes from the schema."""
    stack = [formula]
    while stack:
        top = stack[-1]
        if top not in memo:
            if isinstance(top, (And, Or)):
                missing = [part for part in top.parts if part not in memo]
                if missing:
                    stack.extend(missing)
                    continue
                memo[top] = combine(top, [memo[part] for part in top.parts])
            else:
                memo[top] = leaf(cast("Leaf", top))
        stack.pop()
    return memo[formula]
