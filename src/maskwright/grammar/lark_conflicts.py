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

from typing import Any, Final

__all__ = ["are_harmless"]

_END: Final = "$END"


def are_harmless(analyzer: Any, start: str) -> bool:
    """Whether the plan works for the table of a ``LALR_Analyzer`` that has computed one; if not, nothing is known."""
    plan = _Plan(analyzer, start)
    return all(symbol in plan.first for symbol in plan.origins) and plan.settle()


_NONE: Final[frozenset[str]] = frozenset()
#: A state, and the origin of a rule that begins in it.
Transition = tuple[Any, Any]


class _Plan:
    def __init__(self, analyzer: Any, start: str) -> None:
        self._analyzer = analyzer
        rules = [rule for rules in analyzer.lr0_rules_by_origin.values() for rule in rules]
        self.origins = {rule.origin for rule in rules}
        #: First terminal of the canonical derivation of an origin, and the rule that it begins with.
        self.first: dict[Any, str] = {}
        self._canonical: dict[Any, Any] = {}
        self._derive(rules)
        root = analyzer.lr0_start_states[start]
        self._root: Transition = (root, next(iter(root.kernel)).next)
        #: Where the rule of a complete item has begun, by (state, rule).
        self._begun: dict[tuple[Any, Any], list[Transition]] = {}
        for transition, ends in analyzer.lookback.items():
            for end in ends:
                self._begun.setdefault(end, []).append(transition)
        #: ``chosen[state]``: the item that is finished next; and those of canonical derivations.
        self._chosen = {state: min(state.kernel, key=_rank) for state in analyzer.lr0_itemsets}
        self._fixed = {
            state: [item for item in state.kernel if self._canonical.get(item.rule.origin) == item.rule]
            for state in analyzer.lr0_itemsets
        }
        #: ``lost[state]``: the terminals on which a rule could be reduced, but is not. No other can follow it there.
        self._lost = {state: _lost(state) for state in analyzer.lr0_itemsets}

    def _derive(self, rules: list[Any]) -> None:
        """Find canonical derivations, the flattest first, of those the shortest."""
        waiting = sorted((rule for rule in rules if rule.expansion), key=lambda rule: len(rule.expansion))
        while waiting:
            found: dict[Any, Any] = {}
            for rule in waiting:
                if all(symbol.is_term or symbol in self.first for symbol in rule.expansion):
                    found.setdefault(rule.origin, rule)
            if not found:
                return
            heads = {origin: rule.expansion[0] for origin, rule in found.items()}
            self.first |= {origin: head.name if head.is_term else self.first[head] for origin, head in heads.items()}
            self._canonical |= found
            waiting = [rule for rule in waiting if rule.origin not in self.first]

    def settle(self) -> bool:
        """Choose other items where a complete one is not reduced; whether that ends well."""
        for _ in range(len(self._chosen)):
            after = self._follow()
            if any(self._fails(item, state, after) for state, items in self._fixed.items() for item in items):
                return False
            failing = [state for state, item in self._chosen.items() if self._fails(item, state, after)]
            if not failing:
                return not self._goes_round()
            for state in failing:
                others = [item for item in state.kernel if not item.is_satisfied]
                if not others:
                    return False
                self._chosen[state] = min(others, key=_rank)
        return False

    def _goes_round(self) -> bool:
        """Whether finishing what was chosen can lead back to the same place of the same stack."""
        onward: dict[Transition, Transition] = {}
        for transition in self._analyzer.nonterminal_transitions:
            state, origin = transition
            item = self._chosen[state.transitions[origin]]
            if item.index == 1 and transition != self._root:
                onward[transition] = (state, item.rule.origin)
        done: set[Transition] = set()
        for start in onward:
            way: set[Transition] = set()
            at: Transition | None = start
            while at is not None and at not in done:
                if at in way:
                    return True
                way.add(at)
                at = onward.get(at)
            done |= way
        return False

    def _fails(self, item: Any, state: Any, after: dict[Transition, set[str]]) -> bool:
        """Whether a complete item is not reduced on a terminal that the plan goes on with."""
        if not item.is_satisfied:
            return False
        lost = self._lost[state].get(item.rule)
        return lost is not None and any(lost & after.get(begun, _NONE) for begun in self._begun[state, item.rule])

    def _follow(self) -> dict[Transition, set[str]]:
        """The terminals with which the plan goes on after an origin that began in a state.

        Those of a rule that is complete are gathered once for all transitions that lead to its end.
        """
        after: dict[Any, set[str]] = {self._root: {_END}}
        above: dict[Any, list[Any]] = {}
        ends: set[tuple[Any, Any]] = set()
        for transition in self._analyzer.nonterminal_transitions:
            state, origin = transition
            goto = state.transitions[origin]
            for item in (self._chosen[goto], *self._fixed[goto]):
                if item.is_satisfied:
                    end = (goto, item.rule)
                    above.setdefault(end, []).append(transition)
                    ends.add(end)
                else:
                    name = item.next.name if item.next.is_term else self.first[item.next]
                    after.setdefault(transition, set()).add(name)
        for end in ends:
            for below in self._begun.get(end, ()):
                above.setdefault(below, []).append(end)
        todo = list(after)
        while todo:
            at = todo.pop()
            for transition in above.get(at, ()):
                known = after.setdefault(transition, set())
                if not after[at] <= known:
                    known |= after[at]
                    todo.append(transition)
        return after


def _rank(item: Any) -> tuple[bool, bool, int]:
    """What is chosen first: what is complete, what leads further down the stack, what lacks least."""
    missing = len(item.rule.expansion) - item.index
    return missing > 0, item.index == 1, missing


def _lost(state: Any) -> dict[Any, set[str]]:
    """What conflicts have taken away: Lark shifts, or reduces by the rule with the highest priority."""
    shifted = {symbol.name for symbol in state.transitions}
    lost: dict[Any, set[str]] = {}
    for symbol, rules in state.lookaheads.items():
        kept = None if symbol.name in shifted else max(rules, key=lambda rule: rule.options.priority or 0)
        for rule in rules:
            if rule != kept:
                lost.setdefault(rule, set()).add(symbol.name)
    return lost
