"""Whether conflicts that were resolved make dead ends: a plan by which every stack can be completed.

A resolved conflict takes a reduction away, and with it perhaps the only completion: in ``start: a "x"`` with
``a: "x" a | "x"`` the parser shifts every ``x``, and never sees the last. Usually nothing is lost, and that has a
simple proof. In each state one item of the kernel is *chosen*: it is finished next, a rule that is complete before
others. What is missing of it is read by *canonical* derivations, the flattest that are not empty. All items of a state
are valid for every stack under it (LR(0)), so the plan comes to the bottom of the stack, if only every complete item
that it meets is reduced: that is, if the state reduces it on each terminal with which the plan can go on after it.
Those terminals are found as FOLLOW sets are. And no choice may come back to where it was made: finishing the item of a
left-recursive rule leaves the stack as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskwright.grammar.lark_lalr import Lalr

__all__ = ["are_harmless"]


def are_harmless(lalr: Lalr, actions: Sequence[Mapping[int, int]]) -> bool:
    """Whether the plan works for some actions of an automaton; if not, nothing is known."""
    plan = _Plan(lalr, actions)
    return all(origin in plan.first for origin in lalr.by_origin) and plan.settle()


class _Plan:
    def __init__(self, lalr: Lalr, actions: Sequence[Mapping[int, int]]) -> None:
        self._lalr = lalr
        #: First terminal of the canonical derivation of an origin, and the rule that it begins with.
        self.first: dict[int, int] = {}
        self._canonical: dict[int, int] = {}
        self._derive()
        #: ``chosen[state]``: the item that is finished next; and those of canonical derivations.
        self._chosen = [min(kernel, key=self._rank) for kernel in lalr.kernels]
        self._fixed = [
            [item for item in kernel if self._canonical.get(self._origin(item)) == lalr.rule_of[item]]
            for kernel in lalr.kernels
        ]
        #: ``lost[state]``: by rule, the terminals on which it could be reduced but is not; no other follows it there.
        self._lost = [
            {rule: lost for rule, mask in lookaheads.items() if (lost := mask & ~actions[state].get(rule, 0))}
            for state, lookaheads in enumerate(lalr.lookaheads)
        ]

    def _origin(self, item: int) -> int:
        return self._lalr.productions[self._lalr.rule_of[item]].origin

    def _is_complete(self, item: int) -> bool:
        return self._lalr.next_of[item] is None

    def _rank(self, item: int) -> tuple[bool, bool, int]:
        """What is chosen first: what is complete, what leads further down the stack, what lacks least."""
        rule = self._lalr.rule_of[item]
        read = item - self._lalr.firsts[rule]
        missing = len(self._lalr.productions[rule].symbols) - read
        return missing > 0, read == 1, missing

    def _derive(self) -> None:
        """Find canonical derivations, the flattest first, of those the shortest."""
        productions = self._lalr.productions
        ranked = sorted(range(len(productions)), key=lambda rule: len(productions[rule].symbols))
        missing = {}
        waiting: dict[int, list[int]] = {}
        layer = []
        for rule in ranked:
            inner = {symbol for symbol in productions[rule].symbols if symbol < 0}
            missing[rule] = len(inner)
            for symbol in inner:
                waiting.setdefault(symbol, []).append(rule)
            if productions[rule].symbols and not inner:
                layer.append(rule)
        while layer:
            fresh = []
            for rule in layer:
                origin, symbols, _ = productions[rule]
                if origin not in self._canonical:
                    self._canonical[origin] = rule
                    self.first[origin] = symbols[0] if symbols[0] >= 0 else self.first[symbols[0]]
                    fresh.append(origin)
            layer = []
            for origin in fresh:
                for rule in waiting.get(origin, ()):
                    missing[rule] -= 1
                    if not missing[rule]:
                        layer.append(rule)

    def settle(self) -> bool:
        """Choose other items where a complete one is not reduced; whether that ends well."""
        kernels = self._lalr.kernels
        for _ in kernels:
            after = self._follow()
            if any(self._fails(item, state, after) for state, items in enumerate(self._fixed) for item in items):
                return False
            failing = [state for state, item in enumerate(self._chosen) if self._fails(item, state, after)]
            if not failing:
                return not self._goes_round()
            for state in failing:
                others = [item for item in kernels[state] if not self._is_complete(item)]
                if not others:
                    return False
                self._chosen[state] = min(others, key=self._rank)
        return False

    def _goes_round(self) -> bool:
        """Whether finishing what was chosen can lead back to the same place of the same stack."""
        lalr = self._lalr
        onward: dict[tuple[int, int], tuple[int, int]] = {}
        for state, symbol in lalr.transitions:
            item = self._chosen[lalr.moves[state][symbol]]
            if item - lalr.firsts[lalr.rule_of[item]] == 1 and lalr.moves[state][symbol] != lalr.end:
                onward[state, symbol] = (state, self._origin(item))
        done: set[tuple[int, int]] = set()
        for start in onward:
            way: set[tuple[int, int]] = set()
            at: tuple[int, int] | None = start
            while at is not None and at not in done:
                if at in way:
                    return True
                way.add(at)
                at = onward.get(at)
            done |= way
        return False

    def _fails(self, item: int, state: int, after: Mapping[object, int]) -> bool:
        """Whether a complete item is not reduced on a terminal that the plan goes on with."""
        rule = self._lalr.rule_of[item]
        lost = self._lost[state].get(rule, 0) if self._is_complete(item) else 0
        return lost != 0 and any(lost & after.get(begun, 0) for begun in self._lalr.begun[state, rule])

    def _follow(self) -> dict[object, int]:
        """The terminals with which the plan goes on after a transition, by its number, as bits.

        Those of a rule that is complete are gathered once for all transitions that lead to its end.
        """
        lalr = self._lalr
        after: dict[object, int] = {}
        above: dict[object, list[object]] = {}
        ends: set[tuple[int, int]] = set()
        for number, (state, symbol) in enumerate(lalr.transitions):
            goto = lalr.moves[state][symbol]
            if goto == lalr.end:
                after[number] = 1
            for item in (self._chosen[goto], *self._fixed[goto]):
                following = lalr.next_of[item]
                if following is None:
                    end = (goto, lalr.rule_of[item])
                    above.setdefault(end, []).append(number)
                    ends.add(end)
                else:
                    after[number] = after.get(number, 0) | 1 << (following if following >= 0 else self.first[following])
        for end in ends:
            for below in lalr.begun.get(end, ()):
                above.setdefault(below, []).append(end)
        todo = list(after)
        while todo:
            at = todo.pop()
            for user in above.get(at, ()):
                if after[at] & ~after.get(user, 0):
                    after[user] = after.get(user, 0) | after[at]
                    todo.append(user)
        return after
