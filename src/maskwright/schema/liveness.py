"""Liveness: whether a value, object or array that was begun can be completed.

The answer is the least fixpoint over recursion: a schema that needs itself for ever has no value. It is computed on
demand by a depth-first search with a stack of its own; a value that is asked about while it is being decided counts as
dead for the moment, and what was decided from that assumption becomes final only with the value that was assumed
(Tarjan's strongly connected components, applied to monotone boolean equations).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, Final, cast

from maskwright.network.lexeme import ANYTHING, NEVER
from maskwright.schema.budget import VALUE
from maskwright.schema.counting import count_words
from maskwright.schema.differences import Constant, Differs
from maskwright.schema.elements import ElementRest
from maskwright.schema.members import Cell, ConstantSource, MemberRest, Members, Source
from maskwright.schema.order import Free, Order
from maskwright.schema.reader import Reader
from maskwright.schema.residual import FALSE, TRUE, And, Formula, Not, limit_error, parts_of
from maskwright.schema.samples import Samples
from maskwright.schema.seen import NOTHING, Seen, keys_of, without
from maskwright.schema.sequences import Sequences
from maskwright.schema.shape import Shape
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value
from maskwright.schema.witnesses import Known, Witnesses

__all__ = ["Liveness"]

#: Answers about states of objects that are kept; the states of one long output have no bound.
_KEPT: Final = 65_536
Question = Generator[Value, bool, bool]

#: Keywords that may exclude the empty text, object and array, zero, null or true; a schema without any has a value.
_DECISIVE: Final = frozenset(
    {
        "$ref", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const", "required", "pattern", "format", "minLength",
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "minProperties", "contains",
        "unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef",
    }
)  # fmt: skip


def _is_plain(value: Value) -> bool:
    """Whether a value exists for reasons that need no reading."""
    subschemas = value.subschemas
    return len(subschemas) == 1 and _DECISIVE.isdisjoint(subschemas[0].value)


class _Open:
    """A value that is being decided."""

    __slots__ = ("first", "lowest", "question", "value")

    def __init__(self, value: Value, question: Question, depth: int, first: int) -> None:
        self.value = value
        self.question = question
        #: The lowest stack place whose answer was assumed.
        self.lowest = depth + 1
        #: Provisional answers from this index on were found below this value.
        self.first = first


class Liveness:
    """The answers of one network; kept with the values and shapes they belong to."""

    def __init__(self, stores: Stores, reader: Reader) -> None:
        """Nothing is decided yet."""
        self._stores = stores
        stores.formulas.is_live = self._may_live
        #: Whether a value is being decided: what it is made of must not start a decision of its own, or recursive
        #: schemas would nest them without end.
        self._is_deciding = False
        self.sequences = Sequences(stores, Samples(stores, reader))
        self._violable: Known = {}
        #: What names the keys of constants, and what asks for their members.
        self._named: dict[tuple[str, ...], Source] = {}
        self._sources: dict[Constant, ConstantSource] = {}
        self._order: Order = stores.order
        self._reader = reader
        self._spend = stores.budget.spend
        self._rests: dict[tuple[Formula, Members, Free, Seen | None], bool] = {}

    def value(self, value: Value) -> bool:
        """Whether some value exists.

        Raises :class:`maskwright.errors.LimitError` beyond ``satisfiability_steps`` values.
        """
        if value.live is None and not self._is_alive(value):
            self._decide(value)
        return value.live is True

    def _may_live(self, value: Value) -> bool:
        """What products give up values by: those that are known, or can be known now, not to exist."""
        if value.live is None and self._is_deciding:
            return not self._reader.is_dead(value)
        return self.value(value)

    def has_object(self, shape: Shape) -> bool:
        """Whether the shape admits some object."""
        if shape.object_live is None:
            shape.object_live = self._run(self._object(shape))
        return shape.object_live

    def has_array(self, shape: Shape) -> bool:
        """Whether the shape admits some array."""
        if shape.array_live is None:
            shape.array_live = self._run(self._elements(shape.array))
        return shape.array_live

    def members(self, formula: Formula, frame: Members, free: Free, seen: Seen) -> bool:
        """Whether an object can be completed with the names of ``free`` and unnamed keys that were not seen."""
        if self._stores.formulas.ends(formula):
            return True
        key = (formula, frame, free, None if frame.cells[0].term is ANYTHING else seen)
        found = self._rests.get(key)
        if found is None:
            if len(self._rests) >= _KEPT:
                self._rests.clear()
                self._violable.clear()
            found = self._rests[key] = self._run(self._members(formula, frame, free, seen))
        return found

    def elements(self, formula: Formula) -> bool:
        """Whether an array can be completed."""
        return self._stores.formulas.ends(formula) or self._run(self._elements(formula))

    def refused(self, value: Value, rest: Formula) -> list[Any]:
        """The values of an element after which an array of unique elements could not be completed."""
        question = self.sequences.refused(value, rest)
        answer: bool | None = None
        while True:
            try:
                answer = self.value(question.send(answer))  # type: ignore[arg-type]
            except StopIteration as stop:
                return cast("list[Any]", stop.value)

    def are_unique(self, value: Value, rest: Formula) -> bool:
        """Whether an array of unique elements can be completed after an element."""
        return self._run(self.sequences.follow(value, rest))

    def _is_alive(self, value: Value) -> bool:
        """Whether a value is known to exist once it is read, without deciding others; notes that it does."""
        if _is_plain(value):
            value.live = True
            return True
        shape = self._reader.shape(value)
        if shape.literals or shape.array is TRUE or shape.object is TRUE or self._stores.shapes.has_numbers(shape):
            value.live = True
        elif isinstance(shape.array, ElementRest) and shape.array.least <= 0:
            value.live = shape.array_live = True
        elif isinstance(shape.object, MemberRest) and self._lacks_nothing(shape.object):
            value.live = shape.object_live = True
        elif shape.string is not NEVER and self._stores.shapes.has_strings(shape):
            value.live = True
        return value.live is True

    @staticmethod
    def _lacks_nothing(rest: MemberRest) -> bool:
        """Whether an object needs only members that exist whatever they hold."""
        if rest.is_counted:
            return False
        for name in rest.required_names:
            value = rest.members.value(name)
            if value.live is None and _is_plain(value):
                value.live = True
            elif value.live is not True:
                return False
        return True

    def _run(self, question: Question) -> bool:
        """Answer a question whose values are decided one after the other."""
        answer: bool | None = None
        while True:
            try:
                answer = self.value(question.send(answer))  # type: ignore[arg-type]
            except StopIteration as stop:
                return bool(stop.value)

    def _decide(self, value: Value) -> None:
        was_deciding, self._is_deciding = self._is_deciding, True
        try:
            self._search(value)
        finally:
            self._is_deciding = was_deciding

    def _search(self, value: Value) -> None:
        provisional: dict[Value, int] = {}
        order: list[Value] = []
        places: dict[Value, int] = {value: 0}
        stack = [_Open(value, self._value(value), 0, 0)]
        answer: Any = None
        while stack:
            top = stack[-1]
            try:
                asked = top.question.send(answer)
            except StopIteration as stop:
                answer = bool(stop.value)
                stack.pop()
                del places[top.value]
                self._settle(top, len(stack), provisional, order, answer=answer)
                if not answer and stack:
                    stack[-1].lowest = min(stack[-1].lowest, top.lowest)
                continue
            if asked.live is not None or self._is_alive(asked):
                answer = asked.live
            elif asked in places or asked in provisional:
                top.lowest = min(top.lowest, places.get(asked, provisional.get(asked, len(stack))))
                answer = False
            else:
                self._spend(VALUE)
                places[asked] = len(stack)
                stack.append(_Open(asked, self._value(asked), len(stack), len(order)))
                answer = None

    def _settle(
        self, top: _Open, depth: int, provisional: dict[Value, int], order: list[Value], *, answer: bool
    ) -> None:
        """Keep the answer of ``top``, closed at stack place ``depth``; ``order`` lists the provisional answers."""
        below = order[top.first :]
        if answer or top.lowest >= depth:
            for value in below:
                del provisional[value]
                if not answer:
                    value.live = False
            del order[top.first :]
            top.value.live = answer
        else:
            provisional[top.value] = top.lowest
            order.append(top.value)

    def _value(self, value: Value) -> Question:
        shape = self._reader.shape(value)
        shapes = self._stores.shapes
        if shape.literals or shapes.has_numbers(shape) or shapes.has_strings(shape):
            return True
        if shape.array_live is None:
            live = yield from self._elements(shape.array)
            if live:
                shape.array_live = True
        if shape.array_live:
            return True
        if shape.object_live is None:
            live = yield from self._object(shape)
            if live:
                shape.object_live = True
        return bool(shape.object_live)

    def _object(self, shape: Shape) -> Question:
        frame = self.frame(shape.object)
        return (yield from self._members(shape.object, frame, self._order.begin(frame), NOTHING))

    def frame(self, formula: Formula) -> Members:
        """The description that names every key which an object formula mentions."""
        if isinstance(formula, MemberRest):
            return formula.members
        store = self._stores.members
        if formula is TRUE or formula is FALSE:
            return store.free
        atoms = [atom for atom in self._stores.formulas.atoms(formula) if isinstance(atom, MemberRest)]
        sources = [source for atom in atoms for source in atom.members.sources]
        for leaf in self._stores.formulas.leaves(formula):
            if isinstance(leaf, Differs):
                names = tuple(leaf.names)
                named = Source(self._stores.document.root, dict.fromkeys(names, True))
                sources.append(self._named.setdefault(names, named))
        frame = store.members(sources)
        most = 4 * self._stores.limits.satisfiability_steps
        if len(atoms) * len(frame.names) > most:
            raise limit_error(most, "pairs of a key and a subschema at one object")
        return frame

    def _members(self, formula: Formula, frame: Members, free: Free, seen: Seen) -> Question:
        def completes(rest: Formula, is_whole: bool) -> Question:  # noqa: FBT001
            if isinstance(rest, MemberRest):
                return (yield from self._rest(rest, frame, free, seen))
            met, violated, written = self._stores.members.free.initial, [], []
            for part in parts_of(rest):
                if isinstance(part, MemberRest):
                    met = part
                elif isinstance(part, Not) and isinstance(part.atom, MemberRest):
                    violated.append(part.atom)
                elif isinstance(part, Differs):
                    written.append(part)
                else:
                    return False
            if not violated and (yield from self._is_endless(met, frame)):
                return (yield from self._rest(met, frame, free, seen))
            violated.extend(constant for part in written for constant in self._constants(part))
            return (yield from witnesses.exist(met, violated, is_whole=is_whole))

        witnesses = Witnesses(self._stores, self._violable, frame, free, seen)
        return (yield from self._any(self._pending(formula), completes))

    def _is_endless(self, met: MemberRest, frame: Members) -> Question:
        """Whether a key more than was ever written can come, so that an object differs from every other one."""
        cell = frame.cells[0]
        if met.most is not None or met.members.sealed or cell.term is not ANYTHING:
            return False
        live = yield met.members.value(cell)
        return live

    def _pending(self, formula: Formula) -> Formula:
        """A conjunction without the parts that may end and that share no key with those that may not.

        Their members can be left out. Where members are counted that may be wrong, so there all parts stay.
        """
        if not isinstance(formula, And):
            return formula
        formulas = self._stores.formulas
        pending: list[Formula] = []
        idle: dict[Formula, frozenset[str]] = {}
        names: set[str] = set()
        for part in formula.parts:
            if isinstance(part, MemberRest) and not part.is_counted:
                pending.append(part)
                names.update(part.required_names)
                continue
            spoken = formulas.spoken(part)
            if spoken is None:
                return formula
            if formulas.ends(part):
                idle[part] = spoken
            else:
                pending.append(part)
                names.update(spoken)
        reached = [part for part, spoken in idle.items() if not names.isdisjoint(spoken)]
        while reached:
            pending.extend(reached)
            for part in reached:
                names.update(idle.pop(part))
            reached = [part for part, spoken in idle.items() if not names.isdisjoint(spoken)]
        return formulas.conjoin(pending) if idle else formula

    def _constants(self, leaf: Differs) -> Iterator[MemberRest]:
        """The constants of a leaf, as residuals."""
        stores = self._stores
        for constant in leaf.constants:
            owner = stores.document.constant(stores.document.root, constant.value, constant.key)
            yield stores.members.members(
                (self._sources.setdefault(constant, ConstantSource(owner, constant.value)),)
            ).initial

    def _any(self, formula: Formula, completes: Callable[[Formula, bool], Question]) -> Question:
        """Whether some disjunct of a formula can be completed; what cannot is not refined further."""
        search = self._stores.formulas.search(formula)
        live: bool | None = None
        while True:
            try:
                rest, is_whole = search.send(live)  # type: ignore[arg-type]
            except StopIteration:
                return False
            live = rest is TRUE or (yield from completes(rest, is_whole))
            if live and is_whole:
                return True

    def _rest(self, rest: MemberRest, frame: Members, free: Free, seen: Seen) -> Question:
        members, most = rest.members, rest.most
        needed = rest.required.bit_count()
        if most is not None and (needed > most or rest.least > most):
            return False
        for name in rest.required_names:
            if not self._order.holds(frame, free, frame.index[name]):
                return False
            value = members.value(name)
            if value.live is not True:
                live = yield value
                if not live:
                    return False
        missing = rest.least - needed
        if missing <= 0:
            return True
        needs = set(rest.required_names)
        for place in self._order.places(frame, free):
            if frame.names[place] not in needs:
                live = yield members.value(frame.names[place])
                missing -= live
                if missing <= 0:
                    return True
        return (yield from self._further(members, frame, seen, missing))

    def _further(self, members: Members, frame: Members, seen: Seen, missing: int) -> Question:
        """Whether so many keys exist that no schema names."""
        if members.sealed:
            return False
        finite: list[Cell] = []
        for cell in frame.cells:
            live = yield members.value(cell)
            if live and cell.term is ANYTHING:
                return True
            if live:
                finite.append(cell)
        steps = self._stores.limits.satisfiability_steps
        for cell in finite:
            term = without(cell.term, frame.names, keys_of(seen, cell))
            missing -= count_words(term, missing, self._stores.is_empty, steps)
            if missing <= 0:
                return True
        return False

    def _elements(self, formula: Formula) -> Question:
        leaves = self._stores.formulas.leaves(formula)
        if all(isinstance(leaf, ElementRest) for leaf in leaves):
            return (yield from self._any(formula, self._row))
        return (yield from self.sequences.complete(formula))

    def _row(self, rest: Formula, _is_whole: bool) -> Question:  # noqa: FBT001
        if not isinstance(rest, ElementRest) or (rest.most is not None and rest.least > rest.most):
            return False
        last = min(rest.index + rest.least, rest.elements.prefix + 1)
        for index in range(rest.index, last):
            live = yield rest.elements.value(index)
            if not live:
                return False
        return True
