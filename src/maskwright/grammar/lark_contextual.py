"""Lark grammars with their contextual lexer: the LALR parser and the scanner as one lazy network.

A node is a stack of the parser in a context of the scanner. It reads one terminal (what is ignored leads back to the
stack) through the scanner's machine, with only those outcomes that can be completed; each outcome of the machine leads
to the node of the stack after it. Several outcomes at one place are several hypotheses on the text to come.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from maskwright.errors import Problem, UnsatisfiableError, UnsupportedError
from maskwright.forks import guarded_lock
from maskwright.grammar.lark_endings import Endings
from maskwright.grammar.lark_liveness import Liveness
from maskwright.grammar.lark_loader import CompiledRules
from maskwright.grammar.lark_lr import END, Cell, Stacks
from maskwright.grammar.lark_machine import Begun, Machine
from maskwright.grammar.lark_readings import bits
from maskwright.grammar.lark_scanner import IGNORED, Lexer
from maskwright.grammar.lark_tables import Lexers, build_table
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.joining import Inner, Joined
from maskwright.network.lexeme import Term, automaton, encode
from maskwright.network.nodes import Call, Lex, Network, NodeKey, Production, Switch

__all__ = ["contextual_network"]


class _Place(NamedTuple):
    """A stack that was settled, the lexer of the state that was on top before, and the scanner's context."""

    cell: Cell
    lexer: Lexer
    context: int


class _Fork(NamedTuple):
    """Any of some places."""

    places: tuple[_Place, ...]


class _Targets(dict[int, NodeKey]):
    """Where the outcomes of a machine's labels lead from a stack.

    A mask asks for one label thousands of times, so what was found is kept: a dict answers without calling Python.
    """

    __slots__ = ("_network", "_place")

    def __init__(self, network: ContextualNetwork, place: _Place) -> None:
        super().__init__()
        self._network = network
        self._place = place

    def __missing__(self, label: int) -> NodeKey:
        found = self[label] = self._network.after(self._place, label)
        return found


class ContextualNetwork:
    """One grammar, read as ``Lark(text, parser="lalr", lexer="contextual")`` reads it."""

    def __init__(self, compiled: CompiledRules, start: str, foreign: Sequence[Network], limits: Limits) -> None:
        """Build the tables and decide liveness; see :func:`contextual_network`."""
        #: What several vocabularies may learn at once.
        self._lock = guarded_lock()
        tables = build_table(compiled, start)
        self._table = tables.table
        self._lexers = Lexers(compiled, tables.table, limits)
        self._scanner = self._lexers.scanner
        self._stacks = Stacks(tables.table)
        self._machine = Machine(self._scanner, self._lock)
        self._joined = Joined(foreign)
        self._specials: dict[int, Term | Inner] = {}
        for name, special in compiled.specials.items():
            number = self._lexers.numbers.get(name)
            if number is None or special.kind == "text":
                continue
            is_foreign = special.kind == "foreign"
            self._specials[number] = self._joined.root(special.network) if is_foreign else special.term
        if self._specials and self._scanner.needs_past:
            raise UnsupportedError(
                Problem(
                    "a lookbehind that may look beyond its terminal, in a grammar with terminals that are no patterns",
                    keyword="lookbehind",
                    remedy="write the lookbehind so that it looks at its own terminal only",
                )
            )
        self._liveness = Liveness(tables, self._stacks, self._lexers, frozenset(self._specials), limits)
        widths = {
            terminal.name: terminal.pattern.min_width
            for terminal in compiled.terminals
            if terminal.name not in compiled.specials
        }
        self._make_endings = partial(Endings, self._table, self._stacks, compiled.rules, start, widths)
        self._root = _Place(self._stacks.root, self._lexers.of[tables.table.start], self._scanner.first)
        self._titles = {
            terminal.name: f'"{terminal.pattern.value}"'
            for terminal in compiled.terminals
            if terminal.pattern.type == "str" and terminal.name not in compiled.specials
        } | dict(compiled.titles)
        if not self._liveness.is_live(*self._root):
            raise UnsatisfiableError(
                Problem(
                    f"no text is accepted: {self._reason()}",
                    keyword="lark",
                    remedy='change terminals or rules so that a text exists, or read the grammar with lexer="exact"',
                )
            )
        self._liveness.rehearse(self._root)

    def _reason(self) -> str:
        """Why no text is accepted."""
        missing = [self._table.names[number] for number in self._liveness.missing(self._root) if number != END]
        if not missing:
            return "no rule comes to an end, or where it would, Lark's LALR parser goes on with another"
        names = ", ".join(self._titles.get(name, name) for name in missing[:4])
        why = "another terminal takes its text, or no text can be it there"
        return f"where the parser needs {names}, the lexer never finds it: {why}"

    @property
    def root(self) -> NodeKey:
        """The empty stack at the beginning of the text."""
        return self._root

    def expand(self, key: NodeKey) -> Iterable[Production]:
        """The productions of a node."""
        if isinstance(key, Inner):
            return self._joined.expand(key)
        if isinstance(key, _Fork):
            return [(Call(place),) for place in key.places]
        assert isinstance(key, _Place)  # noqa: S101  (nobody else makes keys)
        with self._lock:
            return self._expand(key)

    def _expand(self, place: _Place) -> list[Production]:
        productions: list[Production] = []
        cell, lexer, context = place
        live = self._liveness.outcomes(cell, lexer, context)
        base = self._scanner.start(lexer, context)
        if base is not None and base.reach & live:
            term = encode(automaton(Begun(self._machine, self._machine.state(base, live))))
            productions.append((Switch(term, _Targets(self, place)),))  # type: ignore[arg-type]
        for number in self._liveness.specials(cell, lexer):
            special = self._specials[number]
            first = Call(special) if isinstance(special, Inner) else Lex(special)
            places = self._liveness.after(cell, number, self._scanner.neutral)
            productions.extend((first, Call(_Place(*after))) for after in places)
        if self._liveness.taken(cell, lexer) >> END & 1 and self._scanner.may_end(context):
            productions.append(())
        return productions

    def after(self, place: _Place, label: int) -> NodeKey:
        """The node after an end of the machine, from a place."""
        with self._lock:
            places: dict[_Place, None] = {}
            for terminal, context in self._machine.outcomes(label):
                if terminal == IGNORED:
                    places[place._replace(context=self._scanner.canonical(place.lexer, context))] = None
                    continue
                for then in self._liveness.after(place.cell, terminal, context):
                    places[_Place(*then)] = None
        return next(iter(places)) if len(places) == 1 else _Fork(tuple(places))

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        """The node of a part after a capture."""
        return self._joined.realize(key, text) if isinstance(key, Inner) else key

    def describe(self, key: NodeKey) -> str:
        """What can be read at a node, in words for people."""
        if isinstance(key, Inner):
            return self._joined.describe(key)
        places: Sequence[_Place] = [key] if isinstance(key, _Place) else key.places  # type: ignore[attr-defined]
        with self._lock:
            masks = [self._stacks.takes(place.cell) & place.lexer.terminals for place in places]
        names = [
            self._titles.get(name, name)
            for number, name in enumerate(self._table.names)
            if number != END and any(mask >> number & 1 for mask in masks)
        ]
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return shown or "the end of the text"

    def enough(self, key: Hashable) -> int:
        """The labels of a node's switch that suffice for a completion which is short, as bits; 0 if all are needed.

        They read the terminal that begins a cheapest way to the end of the parse, or what is ignored where that must
        come before it.
        """
        if not isinstance(key, _Place):
            return self._joined.enough(key) if isinstance(key, Inner) else 0
        with self._lock:
            if not self._liveness.is_good(key.lexer, key.context):
                return 0  # what another terminal would take there is no way to the end
            first = self._endings.first(key.cell)
            if first <= END:
                return 0
            found = self._readings(key, first)
            if not found:
                _, lexer, _ = key
                for number in self._readings(key, IGNORED):
                    then = key._replace(context=self._scanner.canonical(lexer, self._scanner.outcomes[number].context))
                    if self._readings(then, first):
                        found.append(number)
            base = self._scanner.start(key.lexer, key.context)
            if not found or base is None:
                return 0
            live = self._liveness.outcomes(*key)
            return self._machine.labels(base, live, self._liveness.sure(sum(1 << number for number in found)))

    @cached_property
    def _endings(self) -> Endings:
        """Made when the first completion is asked for: a mask needs none."""
        return self._make_endings()

    def _readings(self, place: _Place, terminal: int) -> list[int]:
        """The live outcomes that read a terminal, or what is ignored."""
        base = self._scanner.start(place.lexer, place.context)
        live = 0 if base is None else base.reach & self._liveness.outcomes(*place)
        return [number for number in bits(live) if self._scanner.outcomes[number].terminal == terminal]


def contextual_network(
    compiled: CompiledRules, *, start: str, foreign: Sequence[Network] = (), limits: Limits = DEFAULT_LIMITS
) -> Network:
    """The network of the texts that ``Lark(text, parser="lalr", lexer="contextual", start=start).parse`` accepts.

    Named tokens and the networks of ``%json`` stand among the terminals: they are read where the parser can take them,
    whatever the terminal before them could have gone on with.

    Raises:
        GrammarError: Lark's LALR parser refuses the grammar, or a terminal may be empty.
        UnsupportedError: a pattern that no automaton decides (back references, atomic groups).
        UnsatisfiableError: no text is accepted, for example because a terminal always takes what another needs.
        LimitError: telling the terminals apart takes too many states.
    """
    return ContextualNetwork(compiled, start, foreign, limits)
