"""Which stacks of an LALR parser can be completed: a pushdown system, saturated.

The parser and the scanner together are a pushdown system: its *controls* are a context in which the next terminal is
read, or a terminal (with the context after it) that was read and is being acted on; its stack holds LALR states. The
stacks from which a control reaches the end are a regular language (Bouajjani, Esparza and Maler 1997). Its automaton is
found as *demands*: what a control with a state on top asks of the stack below, when it has popped that state. A demand
is (symbols still to be popped, origin of the rule that is reduced, pending terminal). Only controls that occur are
looked at.

On a stack, the demands that are met are found from the bottom up; they depend on the state and the demands met below,
so a cell costs one look-up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from maskwright.errors import LimitError, Problem
from maskwright.grammar.lark_lr import END, Cell, Table
from maskwright.grammar.lark_readings import bits

__all__ = ["ENDING", "Pending", "Saturation"]

#: The pending terminal that ends the text; others are numbers of outcomes, or of terminals without a pattern.
ENDING: Final = (END, -1)
#: A terminal, and the context after it.
Pending = tuple[int, int]
#: The demand that is always met.
_NOTHING: Final = 0
#: Stacks whose demands are remembered.
_CELLS: Final = 500_000
#: Facts for each of ``Limits.satisfiability_steps``; some microseconds each.
_FACTS: Final = 20


class Saturation:
    """The demands of one table, whose terminals are read as ``follow`` says.

    ``follow(state, context)`` gives what may be pending next in a state and a context, and the contexts that ignored
    terminals lead to.
    """

    def __init__(
        self,
        table: Table,
        follow: Callable[[int, int], tuple[Iterable[Pending], Iterable[int]]],
        first: int,
        steps: int,
    ) -> None:
        self._table = table
        self._follow = follow
        self._steps = steps * _FACTS
        self._demands: list[tuple[int, str, Pending]] = [(0, "", ENDING)]
        self._demand_ids: dict[tuple[int, str, Pending], int] = {self._demands[0]: _NOTHING}
        #: ``sets[v]``: the demands of variable v, as bits; ``fresh[v]``: those that were not passed on yet.
        self._sets: list[int] = []
        self._fresh: list[int] = []
        #: ``uses[v]``: variables that hold all of v; those with a state hold what v demands after it is popped.
        self._uses: list[dict[tuple[int, int], None]] = []
        self._variables: dict[tuple[object, ...], int] = {}
        #: ``lifts[state][demand]``: the demand on what is below, or ``~v`` for those of variable v.
        self._lifts: list[dict[int, int]] = [{} for _ in table.shifts]
        #: Variables with fresh demands, the oldest first: what waits longest has gathered most to pass on at once.
        self._todo: deque[int] = deque()
        self._facts = 0
        self._unmade: list[tuple[int, tuple[object, ...]]] = []
        self._reads(first, table.start)
        self._saturate()
        #: ``met[state, demands met below]``.
        self._met: dict[tuple[int, int], int] = {}
        self._known: dict[Cell, int] = {}

    # -- variables

    def _variable(self, key: tuple[object, ...]) -> int:
        found = self._variables.get(key)
        if found is None:
            found = self._variables[key] = len(self._sets)
            self._sets.append(0)
            self._fresh.append(0)
            self._uses.append({})
            self._unmade.append((found, key))
        return found

    def _reads(self, context: int, state: int) -> int:
        """What is demanded below a state in which a terminal is to be read."""
        return self._variable(("reads", context, state))

    def _acts(self, pending: Pending, state: int) -> int:
        """What is demanded below a state in which a terminal is acted on."""
        return self._variable(("acts", pending, state))

    def _over(self, inner: int, state: int) -> int:
        """What is demanded below a state, if ``inner`` is what is demanded of it and below."""
        return self._variable(("over", inner, state))

    def _make(self, variable: int, key: tuple[object, ...]) -> None:
        kind, of, state = key
        assert isinstance(state, int)  # noqa: S101  (for the type checker)
        if kind == "over":
            assert isinstance(of, int)  # noqa: S101
            self._use(of, variable, state)
        elif kind == "reads":
            assert isinstance(of, int)  # noqa: S101
            pendings, contexts = self._follow(state, of)
            for pending in pendings:
                self._use(self._acts(pending, state), variable)
            for context in contexts:
                self._use(self._reads(context, state), variable)
        else:
            self._act(variable, of, state)  # type: ignore[arg-type]

    def _act(self, variable: int, pending: Pending, state: int) -> None:
        terminal, context = pending
        table = self._table
        if terminal == END and state == table.end:
            self._add(variable, 1 << _NOTHING)
            return
        after = table.shifts[state].get(terminal)
        if after is not None:
            self._use(self._over(self._reads(context, after), state), variable)
            return
        for size, origin, mask in table.reduces[state]:
            if mask >> terminal & 1:
                if size:
                    self._add(variable, 1 << self._demand(size - 1, origin, pending))
                else:
                    goto = table.gotos[state].get(origin)
                    if goto is not None:
                        self._use(self._over(self._acts(pending, goto), state), variable)
                return

    # -- saturation

    def _demand(self, size: int, origin: str, pending: Pending) -> int:
        key = (size, origin, pending)
        found = self._demand_ids.get(key)
        if found is None:
            found = self._demand_ids[key] = len(self._demands)
            self._demands.append(key)
        return found

    def _use(self, source: int, target: int, state: int = -1) -> None:
        use = (target, state)
        if use not in self._uses[source]:
            self._uses[source][use] = None
            passed = self._sets[source] & ~self._fresh[source]
            if passed:
                self._pass(passed, target, state)

    def _add(self, variable: int, demands: int) -> None:
        fresh = demands & ~self._sets[variable]
        if fresh:
            self._facts += fresh.bit_count()
            self._sets[variable] |= fresh
            if not self._fresh[variable]:
                self._todo.append(variable)
            self._fresh[variable] |= fresh

    def _pass(self, demands: int, target: int, state: int) -> None:
        if state < 0:
            self._add(target, demands)
            return
        found = demands & 1 << _NOTHING
        lifts = self._lifts[state]
        for demand in bits(demands ^ found):
            lifted = lifts.get(demand)
            if lifted is None:
                lifted = self._lift(demand, state)
                if lifted is None:
                    continue
                lifts[demand] = lifted
            if lifted >= 0:
                found |= 1 << lifted
            else:
                self._use(~lifted, target)
        if found:
            self._add(target, found)

    def _lift(self, demand: int, state: int) -> int | None:
        """A demand on a stack with a state on top as one on the stack below; None if it cannot be met."""
        size, origin, pending = self._demands[demand]
        if size:
            return self._demand(size - 1, origin, pending)
        goto = self._table.gotos[state].get(origin)
        return None if goto is None else ~self._over(self._acts(pending, goto), state)

    def _saturate(self) -> None:
        while self._unmade or self._todo:
            while self._unmade:
                self._check(len(self._sets))  # thousands of names, keywords among them, make millions of variables
                self._make(*self._unmade.pop())
            if self._todo:
                variable = self._todo.popleft()
                fresh, self._fresh[variable] = self._fresh[variable], 0
                for target, state in tuple(self._uses[variable]):
                    self._pass(fresh, target, state)
            self._check(self._facts)

    def _check(self, count: int) -> None:
        if count > self._steps:
            raise LimitError(
                Problem(
                    "deciding which beginnings can be completed takes too long",
                    keyword="liveness",
                    remedy='raise Limits.satisfiability_steps, or read the grammar with lexer="exact"',
                )
            )

    # -- stacks

    def met(self, cell: Cell | None) -> int:
        """The demands that a stack meets, as bits; iterative, and remembered by cell."""
        known = self._known
        way: list[Cell] = []
        while cell is not None and cell not in known:
            way.append(cell)
            cell = cell.below
        below = 1 << _NOTHING if cell is None else known[cell]
        if len(known) >= _CELLS:
            known.clear()
        while way:
            at = way.pop()
            key = (at.state, below)
            found = self._met.get(key)
            if found is None:
                found = self._met[key] = self._find(at.state, below)
            known[at] = below = found
        return below

    def _find(self, state: int, below: int) -> int:
        found = 1 << _NOTHING
        for demand, lifted in self._lifts[state].items():
            if below >> lifted & 1 if lifted >= 0 else self._sets[~lifted] & below:
                found |= 1 << demand
        return found

    def wanted(self, pendings: Iterable[Pending], state: int) -> int:
        """What the stack below a state must meet one of, so that one of some terminals can be acted on, as bits."""
        found = 0
        for pending in pendings:
            variable = self._variables.get(("acts", pending, state))
            if variable is not None:
                found |= self._sets[variable]
        return found

    def acts(self, pending: Pending, cell: Cell) -> bool:
        """Whether a terminal that was read, with its context, can be acted on and then completed."""
        return self.wanted((pending,), cell.state) & self.met(cell.below) != 0
