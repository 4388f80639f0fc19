"""Forms: a grammar made clean before it becomes a network.

Alternatives that cannot end are gone, and so are symbols that read nothing but the empty text; every rule knows whether
it may be empty. A symbol here is either a byte term or the *key* of what is called, a tuple that names its kind first.
All is found by worklists that visit each occurrence of a symbol once, whatever the grammar's shape.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast

from maskwright.errors import GrammarError, LimitError, Problem, UnsatisfiableError
from maskwright.grammar.nullable import is_nullable
from maskwright.grammar.rules import Foreign, Grammar, Reference, Repeat, Rule, Symbol, Text, Token
from maskwright.network.lexeme import COUNTABLE, EPSILON, NEVER, Term, encode

__all__ = ["FOREIGN", "REPEAT", "RULE", "Body", "Forms", "Key"]

#: Kinds of keys: (RULE, rule), (REPEAT, rule, least, most), (FOREIGN, network, its own key).
RULE: Final = "rule"
REPEAT: Final = "repeat"
FOREIGN: Final = "foreign"

Key = tuple[Any, ...]
Body = tuple[Term | Key, ...]
#: Constructors of terms that hold a string for sure: whether others do is asked.
_FULL: Final = frozenset(
    {"characters", "words", "labelled", "epsilon", "token", "other_tokens", "marker", "token_ids", "quote"}
)


class Forms:
    """The clean rules of a grammar.

    Raises :class:`maskwright.errors.UnsatisfiableError` if the start cannot end, with the reason.
    """

    def __init__(
        self,
        grammar: Grammar,
        is_empty: Callable[[Term], bool],
        is_foreign_nullable: Callable[[int], bool],
    ) -> None:
        """``is_empty`` decides whether a text term holds no string; ``is_foreign_nullable`` asks a network."""
        self.names = tuple(rule.name for rule in grammar.rules)
        self._grammar = grammar
        self._is_empty = is_empty
        self._empty: dict[Term, bool] = {}
        _check_counts(grammar)
        #: By other network: whether it may read nothing.
        self.foreign_nullable: tuple[bool, ...] = tuple(is_foreign_nullable(i) for i in range(len(grammar.foreign)))
        productive = _fixpoint(grammar, self._is_productive, _may_be_left_out)
        if not productive[grammar.start]:
            raise UnsatisfiableError(self._why_not(productive))
        #: ``bodies[rule]``: its alternatives that can end.
        self.bodies: list[tuple[Body, ...]] = self._clean(productive)
        #: ``nullable[rule]``: whether it may read nothing.
        self.nullable: list[bool] = self._find_nullable()

    def is_nullable(self, symbol: Term | Key) -> bool:
        """Whether a symbol may read nothing."""
        if type(symbol) is Term:
            return is_nullable(symbol)
        key = cast("Key", symbol)
        if key[0] == RULE:
            return self.nullable[key[1]]
        if key[0] == REPEAT:
            return key[2] == 0 or self.nullable[key[1]]
        return self.foreign_nullable[key[1]]

    def _is_productive(self, symbol: Symbol) -> bool:
        """Whether a symbol that is no rule reads some text."""
        return not isinstance(symbol, (Text, Token)) or not self._is_never(symbol.term)

    def _is_never(self, term: Term) -> bool:
        if term is NEVER or term.op in _FULL:
            return term is NEVER
        found = self._empty.get(term)
        if found is None:
            found = self._empty[term] = not _evidently_full(term) and self._is_empty(term)
        return found

    def _clean(self, productive: list[bool]) -> list[tuple[Body, ...]]:
        grammar = self._grammar
        kept = [
            tuple(body for body in rule.alternatives if all(self._can_end(symbol, productive) for symbol in body))
            if ends
            else ()
            for rule, ends in zip(grammar.rules, productive, strict=True)
        ]
        ended = Grammar(
            tuple(Rule(rule.name, bodies) for rule, bodies in zip(grammar.rules, kept, strict=True)), grammar.start
        )
        fat = _fat(ended, productive)
        return [
            tuple(dict.fromkeys(tuple(_converted(body, productive, fat, grammar)) for body in rule.alternatives))
            for rule in ended.rules
        ]

    def _can_end(self, symbol: Symbol, productive: list[bool]) -> bool:
        if isinstance(symbol, Reference):
            return productive[symbol.rule]
        if isinstance(symbol, Repeat):
            return symbol.least == 0 or productive[symbol.rule]
        return self._is_productive(symbol)

    def _find_nullable(self) -> list[bool]:
        """Rules that may be empty: a worklist over the occurrences of rules in bodies of calls only."""
        nullable = [False] * len(self.bodies)
        self.nullable = nullable
        waiting: dict[int, list[list[int]]] = {}
        todo: deque[int] = deque()
        for rule, bodies in enumerate(self.bodies):
            for body in bodies:
                needed = self._needed(body)
                if needed is None:
                    continue
                entry = [rule, len(needed)]
                for other in needed:
                    waiting.setdefault(other, []).append(entry)
                if not needed and not nullable[rule]:
                    nullable[rule] = True
                    todo.append(rule)
        while todo:
            for entry in waiting.get(todo.popleft(), ()):
                entry[1] -= 1
                if entry[1] == 0 and not nullable[entry[0]]:
                    nullable[entry[0]] = True
                    todo.append(entry[0])
        return nullable

    def _needed(self, body: Body) -> set[int] | None:
        """The rules that must be empty for a body to be; None if it never is."""
        needed: set[int] = set()
        for symbol in body:
            if type(symbol) is not Term and (symbol[0] == RULE or (symbol[0] == REPEAT and symbol[2])):  # type: ignore[index]
                needed.add(symbol[1])  # type: ignore[index]
            elif not self.is_nullable(symbol):
                return None
        return needed

    def _why_not(self, productive: list[bool]) -> Problem:
        """Follow what is missing from the start until a rule comes again, or a text that does not exist."""
        rules = self._grammar.rules
        path: dict[int, None] = {}
        at = self._grammar.start
        while at not in path:
            path[at] = None
            missing = self._missing(at, productive)
            if missing is None:
                rule = rules[at]
                why = "has no alternative" if not rule.alternatives else "asks for a text that no string matches"
                return Problem(f"no text can be written: rule {rule.name} {why}", place=rule.place, keyword=rule.name)
            at = missing
        names = [rules[i].name for i in path]
        circle = names[names.index(rules[at].name) :]
        shown = [*circle[:6], "..."] if len(circle) > 6 else circle
        chain = " needs ".join([*shown, circle[0] if len(circle) > 1 else "itself"])
        return Problem(
            f"no text can be written: rule {chain} before it can end",
            place=rules[at].place,
            keyword=rules[at].name,
            remedy=f"give {rules[at].name} an alternative without {circle[-1]}",
        )

    def _missing(self, rule: int, productive: list[bool]) -> int | None:
        """A rule without which none of a rule's alternatives can end."""
        for body in self._grammar.rules[rule].alternatives:
            for symbol in body:
                if isinstance(symbol, (Reference, Repeat)) and not self._can_end(symbol, productive):
                    return symbol.rule
        return None


def _check_counts(grammar: Grammar) -> None:
    for rule in grammar.rules:
        for body in rule.alternatives:
            for symbol in body:
                if not isinstance(symbol, Repeat):
                    continue
                if symbol.most is not None and not 0 <= symbol.least <= symbol.most:
                    raise GrammarError(
                        Problem(f"rule {rule.name} repeats {symbol.least} to {symbol.most} times", place=rule.place)
                    )
                if symbol.least >= COUNTABLE:
                    raise LimitError(
                        Problem(
                            f"rule {rule.name} asks for {symbol.least} repetitions",
                            place=rule.place,
                            keyword=rule.name,
                            remedy=f"no text is as long; use at most {COUNTABLE - 1}",
                        )
                    )


def _evidently_full(term: Term) -> bool:
    """Whether a term that has parts holds a string by its form: no intersection, complement or ``NEVER`` is in it."""
    todo, seen = [term], {term}
    while todo:
        at = todo.pop()
        if at.op in ("intersect", "complement", "never"):
            return False
        for part in at.args:
            if type(part) is Term and part not in seen:
                seen.add(part)
                todo.append(part)
    return True


def _may_be_left_out(symbol: Symbol) -> bool:
    return isinstance(symbol, Repeat) and (symbol.least == 0 or symbol.most == 0)


def _fixpoint(grammar: Grammar, holds: Callable[[Symbol], bool], is_free: Callable[[Symbol], bool]) -> list[bool]:
    """The rules one of whose alternatives holds: all of its rules do, and its other symbols by themselves."""
    found = [False] * len(grammar.rules)
    waiting: dict[int, list[list[int]]] = {}
    todo: deque[int] = deque()
    for rule, (_, alternatives, _) in enumerate(grammar.rules):
        for body in alternatives:
            needed: set[int] = set()
            for symbol in body:
                if isinstance(symbol, (Reference, Repeat)):
                    if not is_free(symbol):
                        needed.add(symbol.rule)
                elif not holds(symbol):
                    break
            else:
                entry = [rule, len(needed)]
                for other in needed:
                    waiting.setdefault(other, []).append(entry)
                if not needed and not found[rule]:
                    found[rule] = True
                    todo.append(rule)
    while todo:
        for entry in waiting.get(todo.popleft(), ()):
            entry[1] -= 1
            if entry[1] == 0 and not found[entry[0]]:
                found[entry[0]] = True
                todo.append(entry[0])
    return found


def _fat(grammar: Grammar, productive: list[bool]) -> list[bool]:
    """The rules that read some text which is not empty."""
    fat = [False] * len(grammar.rules)
    users: dict[int, list[int]] = {}
    todo: deque[int] = deque()
    for rule, (_, alternatives, _) in enumerate(grammar.rules):
        for symbol in (symbol for body in alternatives for symbol in body):
            if isinstance(symbol, (Reference, Repeat)):
                if productive[symbol.rule] and not (isinstance(symbol, Repeat) and symbol.most == 0):
                    users.setdefault(symbol.rule, []).append(rule)
            elif not fat[rule] and (isinstance(symbol, Foreign) or not _is_blank(symbol.term)):
                fat[rule] = True
                todo.append(rule)
    while todo:
        for rule in users.get(todo.popleft(), ()):
            if not fat[rule]:
                fat[rule] = True
                todo.append(rule)
    return fat


def _is_blank(term: Term) -> bool:
    """Whether a term holds the empty string only, as far as its form tells."""
    return term is EPSILON or (term.op == "labelled" and term.args[0] == ("",))


def _converted(
    body: Iterable[Symbol], productive: list[bool], fat: list[bool], grammar: Grammar
) -> Iterator[Term | Key]:
    """The symbols of a body that may read something, as terms and keys."""
    for symbol in body:
        if isinstance(symbol, Text):
            if not _is_blank(symbol.term):
                yield encode(symbol.term)
        elif isinstance(symbol, Token):
            if not _is_blank(symbol.term):
                yield symbol.term
        elif isinstance(symbol, Foreign):
            yield (FOREIGN, symbol.network, grammar.foreign[symbol.network].root)
        elif productive[symbol.rule] and fat[symbol.rule]:
            if isinstance(symbol, Reference) or (symbol.least, symbol.most) == (1, 1):
                yield (RULE, symbol.rule)
            elif symbol.most != 0:
                most = None if symbol.most is None or symbol.most >= COUNTABLE else symbol.most
                yield (REPEAT, symbol.rule, symbol.least, most)
