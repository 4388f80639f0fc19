"""Folding: small regular rules become single lexemes, so that the walk meets few fat ones instead of many thin ones.

A rule is folded if it is made of texts and folded rules, whether or not it repeats itself at one end only (``w = a w |
b`` is ``a* b``), and the term that comes of it stays small: a term is made deterministic, state by state, so a large
one could need many states where separate lexemes need few. Languages never change.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple, cast

from maskwright.grammar.components import components
from maskwright.grammar.nullable import is_nullable, without_empty
from maskwright.grammar.rules import Grammar, Reference, Repeat, Rule, Symbol, Text
from maskwright.network.lexeme import NEVER, Term, characters
from maskwright.regex.languages import Language, chain, either, repeated

__all__ = ["fold", "regular_terms"]

#: Sizes up to which terms are made: see :func:`_size`.
_LEXEME: Final = 200
#: Counts of a class up to which it is joined with others: with 63 names took 64 us a token, apart 17.
_COUNTED: Final = 20
#: Nesting of terms up to which they are put into others, of the 2,000 that terms may have.
_DEPTH: Final = 200
_MERGED: Final = frozenset({"words", "characters", "epsilon"})


class _Folded(NamedTuple):
    """A language, and how large its term is."""

    language: Language
    size: int


def fold(grammar: Grammar) -> Grammar:
    """The same grammar with regular rules folded into the rules that use them; linear in its size."""
    found = _fold_rules(grammar.rules, _LEXEME)
    rules = []
    for number, rule in enumerate(grammar.rules):
        own = found[number]
        if own is not None:
            rules.append(Rule(rule.name, ((Text(own.language.term),),), rule.place))
        else:
            bodies = [_joined(body, found) for body in rule.alternatives]
            rules.append(Rule(rule.name, tuple(_merged(bodies) if len(bodies) > 1 else bodies), rule.place))
    return Grammar(tuple(rules), grammar.start, grammar.foreign)


def regular_terms(rules: tuple[Rule, ...], most: int) -> list[Term | None]:
    """The text terms of rules; None for those that are not seen to be regular, or whose term would be larger."""
    return [None if folded is None else folded.language.term for folded in _fold_rules(rules, most)]


def _fold_rules(rules: tuple[Rule, ...], most: int) -> list[_Folded | None]:
    found: list[_Folded | None] = [None] * len(rules)

    def below(rule: int) -> Iterator[int]:
        for body in rules[rule].alternatives:
            for symbol in body:
                if isinstance(symbol, (Reference, Repeat)):
                    yield symbol.rule

    for component in components(range(len(rules)), below):
        if len(component) == 1:
            folded = _fold_rule(rules[component[0]], component[0], found, most)
            if folded is not None and folded.language.term is not NEVER:
                found[component[0]] = folded
    return found


def _fold_rule(rule: Rule, number: int, found: list[_Folded | None], most: int) -> _Folded | None:
    plain: list[_Folded] = []
    #: What stands beside the rule itself: before it where it is last, and after it where it is first.
    before: list[_Folded] = []
    after: list[_Folded] = []
    for body in rule.alternatives:
        where = [
            i for i, symbol in enumerate(body) if isinstance(symbol, (Reference, Repeat)) and symbol.rule == number
        ]
        if not where:
            part, into = _sequence(body, found), plain
        elif len(where) > 1 or isinstance(body[where[0]], Repeat):
            return None
        elif where[0] == len(body) - 1:
            part, into = _sequence(body[:-1], found), before
        elif where[0] == 0:
            part, into = _sequence(body[1:], found), after
        else:
            return None
        if part is None:
            return None
        into.append(part)
    if (before and after) or not plain:
        return None
    # Words and classes that are alternatives become one set of words and one class, however many.
    if sum(part.size for part in (*plain, *before, *after) if part.language.term.op not in _MERGED) > most:
        return None
    language = either(*(part.language for part in plain))
    if before:
        language = chain(repeated(either(*(part.language for part in before)), 0, None), language)
    if after:
        language = chain(language, repeated(either(*(part.language for part in after)), 0, None))
    return _Folded(language, _size(language.term)) if language.term.depth <= _DEPTH else None


def _sequence(body: tuple[Symbol, ...], found: list[_Folded | None]) -> _Folded | None:
    parts = []
    for symbol in body:
        part = _symbol(symbol, found)
        if part is None:
            return None
        parts.append(part)
    return _Folded(chain(*(part.language for part in parts)), sum(part.size for part in parts))


def _symbol(symbol: Symbol, found: list[_Folded | None]) -> _Folded | None:
    """What a symbol is as a term; None if it is none, or copies of it would be too many."""
    if isinstance(symbol, Text):
        return _Folded(_language(symbol.term), _size(symbol.term))
    if isinstance(symbol, Reference):
        return found[symbol.rule]
    if not isinstance(symbol, Repeat):
        return None
    part = found[symbol.rule]
    if part is None:
        return None
    part = part._replace(language=_as_class(part.language))
    copies = max(symbol.least, symbol.most or 0, 1)
    if part.language.term.op == "characters":
        # A class that is counted is a counter, and needs no copies; but joined with others each count is a state.
        size = copies if copies <= _COUNTED else _LEXEME
        return _Folded(repeated(part.language, symbol.least, symbol.most), size)
    if copies * part.size > _LEXEME:
        return None
    return _Folded(repeated(part.language, symbol.least, symbol.most), copies * part.size)


def _as_class(language: Language) -> Language:
    """Words of one character are a class, which the kernel can count."""
    term = language.term
    if term.op == "words" and all(len(word) == 1 for word in cast("tuple[str, ...]", term.args[0])):
        return Language(
            characters((ord(word), ord(word)) for word in cast("tuple[str, ...]", term.args[0])), nullable=False
        )
    return language


def _language(term: Term) -> Language:
    """A text term as :mod:`maskwright.regex.languages` has it: the empty text is never one of some words."""
    if term.op == "unite":
        return either(*map(_language, cast("tuple[Term, ...]", term.args)))
    if term.op == "words" and is_nullable(term):
        return repeated(Language(without_empty(term), nullable=False), 0, 1)
    return Language(term, is_nullable(term))


def _joined(body: tuple[Symbol, ...], found: list[_Folded | None]) -> tuple[Symbol, ...]:
    """A body with its terms put in place of rules, and neighbours among them joined while they are small."""
    symbols: list[Symbol] = []
    run: _Folded | None = None
    for symbol in body:
        part = _symbol(symbol, found)
        if run is not None and (part is None or not _fit(run, part)):
            symbols.append(Text(run.language.term))
            run = None
        if part is None:
            symbols.append(symbol)
        elif run is None:
            run = part
        else:
            run = _Folded(chain(run.language, part.language), run.size + part.size)
    if run is not None:
        symbols.append(Text(run.language.term))
    return tuple(symbols)


def _merged(bodies: list[tuple[Symbol, ...]]) -> list[tuple[Symbol, ...]]:
    """Alternatives that differ in their first text only become one: ``e "+" e | e "*" e``, or many words before a rule.

    What stands for an alternative keeps its place.
    """
    alike: dict[Hashable, list[int]] = {}
    for number, body in enumerate(bodies):
        place = next((i for i, symbol in enumerate(body) if type(symbol) is Text), None)
        # Symbols of different kinds are equal as tuples, so their kinds are compared too.
        rest = number if place is None else tuple((type(s), s) for i, s in enumerate(body) if i != place)
        alike.setdefault((place, rest), []).append(number)
    if len(alike) == len(bodies):
        return bodies
    merged = dict(enumerate(bodies))
    for (place, _), numbers in cast("dict[tuple[int, Hashable], list[int]]", alike).items():
        terms = [cast("Text", bodies[number][place]).term for number in numbers] if len(numbers) > 1 else []
        if not terms or sum(_size(term) for term in terms if term.op not in _MERGED) > _LEXEME:
            continue
        first, *others = numbers
        body = bodies[first]
        merged[first] = (*body[:place], Text(either(*map(_language, terms)).term), *body[place + 1 :])
        for number in others:
            del merged[number]
    return list(merged.values())


def _fit(one: _Folded, other: _Folded) -> bool:
    return one.size + other.size <= _LEXEME and max(one.language.term.depth, other.language.term.depth) < _DEPTH


def _size(term: Term) -> int:
    """How much a term may multiply states: its parts, as often as they may be repeated; words are cheap."""
    size = 0
    todo: list[tuple[Term, int]] = [(term, 1)]
    while todo and size <= _LEXEME:
        at, times = todo.pop()
        size += times
        if at.op == "repeat":
            _, least, most = cast("tuple[Term, int, int | None]", at.args)
            times *= max(least, most or 0, 1)
        elif at.op in ("intersect", "complement", "automaton"):
            size += 10 * times
        todo.extend((part, times) for part in at.args if type(part) is Term)
    return size
