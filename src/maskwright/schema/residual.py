"""Residuals: what the members still to come must satisfy, as positive boolean formulas over atoms.

An object or array is read as a regex is read by derivatives (Brzozowski 1964; as sets of alternatives, Antimirov 1996):
reading a member turns the residual into alternatives ``(value, next residual)``. ``Or`` is nondeterminism, ``And``
combines alternatives pairwise; alternatives that ask the same of the value are joined again, so a disjunction that a
key does not touch is never split. Formulas are hash-consed: equality is identity.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from math import prod
from typing import Final, cast

from maskwright.errors import LimitError, Problem
from maskwright.schema.formula import (
    FALSE,
    TRUE,
    Alternative,
    And,
    Atom,
    Branches,
    Formula,
    Joining,
    Leaf,
    Not,
    Or,
    fold,
    leaves_of,
    parts_of,
)
from maskwright.schema.value import Value, Values

__all__ = [
    "FALSE", "TRUE", "Alternative", "And", "Atom", "Formula", "Formulas", "Joining", "Leaf", "Not", "Or",
    "leaves_of", "limit_error", "parts_of",
]  # fmt: skip

#: Alternatives of one member; each is a path that the kernel would follow at once.
_ALTERNATIVES: Final = 10_000
#: Alternatives beyond which those without a value are given up before the next product is formed.
_MANY: Final = 32
Search = Generator[tuple["Formula", bool], bool, None]
_Waiting = tuple["Formula", "_Waiting"] | None
#: States of a branch of a search: nothing chosen yet, something chosen, and just merged with what was chosen.
_PLAIN, _CHOSEN, _MERGED = 0, 1, 2


class Formulas:
    """The smart constructors of one network, and the questions about formulas."""

    def __init__(self, values: Values, spend: Callable[[int], None]) -> None:
        """``spend`` counts the work of products and searches."""
        #: Whether a value exists; set by :class:`maskwright.schema.liveness.Liveness`, which needs formulas itself.
        self.is_live: Callable[[Value], bool] = _is_anything
        #: Whether it shows at once that there is none; set by :class:`maskwright.schema.reader.Reader`.
        self.is_dead: Callable[[Value], bool] = _is_never
        self.values = values
        self._spend = spend
        self._negations: dict[Formula, Formula] = {TRUE: FALSE, FALSE: TRUE}
        self._interned: dict[tuple[type[Formula], frozenset[Formula]], Formula] = {}
        self._ends: dict[Formula, bool] = {TRUE: True, FALSE: False}
        self._spoken: dict[Formula, frozenset[str] | None] = {TRUE: frozenset(), FALSE: frozenset()}
        self._leaves: dict[tuple[Hashable, ...], Leaf] = {}

    def release(self) -> None:
        """Drop the way back to the questions about values."""
        self.is_live = _is_anything
        self.is_dead = _is_never

    def conjoin(self, parts: Iterable[Formula]) -> Formula:
        """All of the parts."""
        parts = tuple(parts)
        if len(parts) == 2:
            if parts[0] is parts[1] or parts[0] is TRUE or parts[1] is FALSE:
                return parts[1]
            if parts[1] is TRUE or parts[0] is FALSE:
                return parts[0]
        flat: dict[Formula, None] = {}
        atom: Formula = TRUE
        for part in _flatten(parts, And):
            if part is FALSE:
                return FALSE
            if isinstance(part, Atom):
                atom = part if atom is TRUE else cast("Atom", atom).meet(part)
                if atom is FALSE:
                    return FALSE
            elif part is not TRUE:
                flat[part] = None
        return self._conjunction(atom, flat)

    def _conjunction(self, atom: Formula, flat: dict[Formula, None]) -> Formula:
        """An atom (or ``TRUE``) and other parts."""
        if len(flat) > 1:
            self._join(flat)
        if atom is not TRUE and flat:
            narrower = self._within(cast("Atom", atom), flat)
            if narrower is not None:
                return self.conjoin(narrower)
        if len(self._negations) > 2 and any(self._negations.get(part) in flat for part in (*flat, atom)):
            return FALSE
        if atom is not TRUE:
            flat = {atom: None, **flat}
        kept = tuple(p for p in flat if not (isinstance(p, Or) and not flat.keys().isdisjoint(p.parts)))
        return self._intern(And, kept) if kept else TRUE

    def _within(self, atom: Atom, flat: dict[Formula, None]) -> list[Formula] | None:
        """The parts with an atom put into a leaf that becomes simpler by it; ``None`` if none does."""
        for part in flat:
            if isinstance(part, Leaf) and not part.is_simple:
                narrower = part.within(atom, self)
                if narrower is not None:
                    return [narrower, *(other for other in flat if other is not part)]
        return None

    def _join(self, flat: dict[Formula, None]) -> None:
        """Make one of the leaves that become one."""
        joining = [part for part in flat if isinstance(part, Joining)]
        if len(joining) > 1:
            for part in joining:
                del flat[part]
            flat[joining[0].joined(joining[1:], self)] = None

    def disjoin(self, parts: Iterable[Formula]) -> Formula:
        """Any of the parts."""
        flat: dict[Formula, None] = {}
        for part in _flatten(parts, Or):
            if part is TRUE:
                return TRUE
            if part is not FALSE:
                flat[part] = None
        if any(isinstance(part, Not) and part.atom in flat for part in flat):
            return TRUE
        kept = tuple(p for p in flat if not (isinstance(p, And) and not flat.keys().isdisjoint(p.parts)))
        return self._intern(Or, kept) if kept else FALSE

    def _intern(self, kind: type[And | Or], parts: tuple[Formula, ...]) -> Formula:
        if len(parts) == 1:
            return parts[0]
        self._spend(len(parts))
        key = (kind, frozenset(parts))
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = kind(parts)
        return found

    def negate(self, formula: Formula) -> Formula:
        """What holds exactly where the formula does not; negation is pushed down to the leaves."""
        found = self._negations.get(formula)
        if found is None:
            found = fold(formula, self._negations, self._negated, self._dual)
        return found

    def _negated(self, leaf: Leaf) -> Formula:
        found = leaf.negate(self)
        if isinstance(found, Leaf):
            self._negations.setdefault(found, leaf)
        return found

    def _dual(self, formula: Formula, below: list[Formula]) -> Formula:
        return self.disjoin(below) if isinstance(formula, And) else self.conjoin(below)

    def opposite(self, atom: Atom) -> Not:
        """The negation of an atom; one for each."""
        found = self._negations.get(atom)
        if found is None:
            found = self._negations[atom] = Not(atom)
            self._negations[found] = atom
        return cast("Not", found)

    def leaf(self, kind: Callable[..., Leaf], *arguments: Hashable) -> Leaf:
        """The leaf of a kind with these arguments; one for each."""
        key = (kind, *arguments)
        found = self._leaves.get(key)
        if found is None:
            found = self._leaves[key] = kind(*arguments)
        return found

    def replaced(self, formula: Formula, by: Callable[[Leaf], Formula]) -> Formula:
        """The formula with something else in the place of each leaf."""
        memo: dict[Formula, Formula] = {TRUE: TRUE, FALSE: FALSE}
        return fold(formula, memo, by, lambda f, below: (self.conjoin if isinstance(f, And) else self.disjoin)(below))

    def ends(self, formula: Formula) -> bool:
        """Whether the formula holds when no further member comes."""
        if isinstance(formula, Leaf):
            return formula.ends
        return fold(
            formula, self._ends, lambda leaf: leaf.ends, lambda f, below: (all if isinstance(f, And) else any)(below)
        )

    def alternatives(self, formula: Formula, symbol: Hashable) -> tuple[Alternative, ...]:
        """What the next member may be, each with what remains afterwards; values are distinct.

        Raises :class:`maskwright.errors.LimitError` beyond 10,000 combinations.
        """
        if isinstance(formula, Atom):
            one = formula.derive(symbol)
            return () if one is None else (one,)
        if formula is TRUE:
            return ((self.values.anything, TRUE),)
        if isinstance(formula, (And, Or)):
            touched = self.touched(formula, symbol)
            if len(touched) < len(formula.parts):
                return self._beside(touched, formula, symbol)
        memo: dict[Formula, dict[Value, Formula]] = {TRUE: {self.values.anything: TRUE}, FALSE: {}}

        def of(leaf: Leaf) -> dict[Value, Formula]:
            return self._group(leaf.alternatives(symbol, self))

        return tuple(fold(formula, memo, of, self._combine).items())

    def spoken(self, formula: Formula) -> frozenset[str] | None:
        """The symbols that a formula says anything of; ``None`` if that may be all."""
        if formula not in self._spoken:
            fold(formula, self._spoken, lambda leaf: leaf.spoken, _united)
        return self._spoken[formula]

    def touched(self, formula: And | Or, symbol: Hashable) -> Sequence[Formula]:
        """The parts of a formula that a member with this symbol may change, whatever its value."""
        if formula.speaking is None:
            always: list[Formula] = []
            by_name: dict[Hashable, list[Formula]] = {}
            for part in formula.parts:
                names = self.spoken(part)
                if names is None:
                    always.append(part)
                for name in names or ():
                    by_name.setdefault(name, []).append(part)
            formula.speaking = (always, by_name)
        always, by_name = formula.speaking
        named = by_name.get(symbol)
        return always if named is None else [*always, *named]

    def _beside(self, touched: Sequence[Formula], formula: And | Or, symbol: Hashable) -> tuple[Alternative, ...]:
        """The alternatives of a formula of which only some parts are touched."""
        if not touched:
            return ((self.values.anything, formula),)
        changing = set(touched)
        kept = [part for part in formula.parts if part not in changing]
        if isinstance(formula, Or):
            found = self.alternatives(self.disjoin(touched), symbol)
            return tuple(self._group([*found, (self.values.anything, self.disjoin(kept))]).items())
        found = self.alternatives(self.conjoin(touched), symbol)
        return tuple(self._group([(value, self.conjoin((rest, *kept))) for value, rest in found]).items())

    def _combine(self, formula: Formula, below: list[dict[Value, Formula]]) -> dict[Value, Formula]:
        if isinstance(formula, Or):
            return self._group(pair for part in below for pair in part.items())
        # Parts with one alternative, which are most, need no product.
        many = [part for part in below if len(part) != 1]
        if not all(many):
            return {}
        single = [next(iter(part.items())) for part in below if len(part) == 1]
        value = self.values.anything
        for other, _ in single:
            value = self.values.both(value, other)
        product = self._group(((value, self.conjoin([rest for _, rest in single])),))
        canonical = self.values.canonical
        for branches in many:
            part = self._group([(canonical(other), remains) for other, remains in branches.items()])
            size = len(product) * len(part)
            if size > _MANY:
                product = {value: rest for value, rest in product.items() if self.is_live(value)}
                size = len(product) * len(part)
            if size > _ALTERNATIVES:
                raise limit_error(_ALTERNATIVES, "alternatives of one member")
            self._spend(size)
            product = self._group(
                (self.values.both(value, other), self.conjoin((rest, remains)))
                for value, rest in product.items()
                for other, remains in part.items()
            )
        return product

    def _group(self, pairs: Iterable[Alternative]) -> dict[Value, Formula]:
        grouped: dict[Value, list[Formula]] = {}
        for value, rest in pairs:
            if rest is not FALSE and value is not self.values.nothing:
                grouped.setdefault(value, []).append(rest)
        return {value: rests[0] if len(rests) == 1 else self.disjoin(rests) for value, rests in grouped.items()}

    def search(self, formula: Formula) -> Search:
        """Conjunctions of an atom and leaves (or ``TRUE``) whose union is the formula, depth first, one at a time.

        Yields ``(conjunction, is_whole)``: after each choice but the last of a branch what was chosen so far, which is
        weaker than the atoms that it leads to. Send ``False`` then, and the branch is given up.
        """
        # Entries: what was chosen, the parts that wait (a linked list), and the state of the entry.
        stack: list[tuple[Formula, _Waiting, int]] = [(TRUE, (formula, None), _PLAIN)]
        while stack:
            atom, waiting, state = stack.pop()
            if waiting is None:
                yield atom, True
                continue
            if state == _MERGED and not (yield atom, False):
                continue
            self._spend(1)
            first, rest = waiting
            if isinstance(first, Or):
                # What asks for nothing more is tried first: it makes no conjunctions.
                parts = sorted(first.parts, key=lambda part: not self.ends(part))
                stack.extend([(atom, (part, rest), _CHOSEN) for part in reversed(parts)])
            elif isinstance(first, And) and not first.is_simple:
                for part in reversed(first.parts):
                    rest = (part, rest)
                stack.append((atom, rest, state and _CHOSEN))
            elif isinstance(first, Branches):
                for part in first.parts:
                    stack.extend(((atom, waiting, state), (atom, (part, rest), _CHOSEN)))
                    break
            elif isinstance(first, Leaf) and not first.is_simple:
                stack.append((atom, (Branches(iter(first.branches(self))), rest), state and _CHOSEN))
            else:
                merged = self.conjoin((atom, first))
                if merged is not FALSE:
                    stack.append((merged, rest, _MERGED if state and merged is not atom else state and _CHOSEN))

    def is_impossible(self, formula: Formula) -> bool:
        """Whether it shows at once that nothing meets a formula: every branch needs a value that is dead."""
        if formula is FALSE:
            return True
        branches = self.branches(formula, _MANY)
        if branches is None:
            return False
        return all(
            any(isinstance(part, Atom) and any(map(self.is_dead, part.needs())) for part in parts_of(branch))
            for branch in branches
        )

    def disjuncts(self, formula: Formula) -> Iterator[Formula]:
        """Atoms (or ``TRUE``) whose union is the formula, made one at a time."""
        return (atom for atom, is_whole in _kept(self.search(formula)) if is_whole)

    def branches(self, formula: Formula, most: int) -> tuple[Formula, ...] | None:
        """The same, all at once; ``None`` if there may be more than ``most``."""
        counts: dict[Formula, int] = {TRUE: 1, FALSE: 0}
        count = fold(formula, counts, lambda _: 1, lambda f, below: (prod if isinstance(f, And) else sum)(below))
        return tuple(self.disjuncts(formula)) if count <= most else None

    def atoms(self, formula: Formula) -> Iterator[Atom]:
        """The atoms of a formula, negated ones too, in order of first appearance."""
        for leaf in self.leaves(formula):
            yield from leaf.atoms

    def leaves(self, formula: Formula) -> Iterator[Leaf]:
        """The leaves of a formula in order of first appearance."""
        return leaves_of(formula)


def limit_error(count: int, what: str) -> LimitError:
    """The error for a search that is too long."""
    return LimitError(
        Problem(
            f"more than {count} {what}",
            keyword="anyOf, allOf, oneOf",
            remedy="state the shared parts once beside anyOf, or raise Limits.satisfiability_steps",
        )
    )


def _united(_formula: Formula, below: list[frozenset[str] | None]) -> frozenset[str] | None:
    known = [names for names in below if names is not None]
    return frozenset().union(*known) if len(known) == len(below) else None


def _is_anything(_value: Value) -> bool:
    return True


def _is_never(_value: Value) -> bool:
    return False


def _kept(search: Search) -> Iterator[tuple[Formula, bool]]:
    """A search in which nothing is given up."""
    found = next(search, None)
    while found is not None:
        yield found
        try:
            found = search.send(True)
        except StopIteration:
            return


def _flatten(parts: Iterable[Formula], kind: type[And | Or]) -> Iterator[Formula]:
    """Parts with one level of the same connective opened: constructors keep deeper ones flat already."""
    for part in parts:
        if isinstance(part, kind):
            yield from part.parts
        else:
            yield part
