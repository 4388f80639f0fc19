"""Terms with one more fact, whether the empty text belongs, and combinators that use it to reach normal forms.

``A+`` before *anything* is ``A``, ``(a*)*`` is ``a*``, ``ab|cd`` is one set of words: what is evident is found here,
so that equal patterns tend to be equal terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple, cast

from maskwright.network.lexeme import (
    ANY_CHARACTER,
    ANYTHING,
    EPSILON,
    NEVER,
    Term,
    characters,
    complement,
    concatenate,
    intersect,
    repeat,
    unite,
    words,
)
from maskwright.regex.ranges import Ranges

__all__ = [
    "ALL_TEXTS",
    "EMPTY_TEXT",
    "NO_TEXT",
    "SOME_TEXT",
    "Language",
    "alternatives",
    "both",
    "chain",
    "either",
    "negated",
    "one",
    "repeated",
]


class Language(NamedTuple):
    """A text term, and whether it holds the empty text; ``None`` if that depends on what was read before."""

    term: Term
    nullable: bool | None


NO_TEXT: Final = Language(NEVER, nullable=False)
EMPTY_TEXT: Final = Language(EPSILON, nullable=True)
ALL_TEXTS: Final = Language(ANYTHING, nullable=True)
#: Every text but the empty one.
SOME_TEXT: Final = Language(repeat(ANY_CHARACTER, 1), nullable=False)


@lru_cache(maxsize=1024)
def one(ranges: Ranges) -> Language:
    """One character of the set."""
    return Language(characters(ranges), nullable=False)


def _all(facts: Iterable[bool | None]) -> bool | None:
    """Whether all facts hold, ``None`` if that depends on those that are ``None``."""
    known = set(facts)
    return False if False in known else None if None in known else True


def chain(*parts: Language) -> Language:
    """One part after the other. Beside *anything*, optional ends vanish."""
    terms = [part.term for part in parts if part.term is not EPSILON]
    nullable = _all(part.nullable for part in parts)
    if len(terms) > 1:
        if nullable and ANYTHING in terms:
            return ALL_TEXTS
        if terms[-1] is ANYTHING:
            _absorb(terms, -2)
        if terms[0] is ANYTHING:
            _absorb(terms, 1)
    return Language(concatenate(*terms), nullable)


def _absorb(terms: list[Term], beside: int) -> None:
    """Cut the repetition at ``terms[beside]``, which touches *anything*, to its least count."""
    while -len(terms) <= beside < len(terms):
        term = terms[beside]
        if term.op == "concatenate":
            terms[beside : beside + 1 or None] = cast("tuple[Term, ...]", term.args)
            beside = 1 if beside > 0 else -2
            continue
        if term.op != "repeat":
            return
        part, least, most = cast("tuple[Term, int, int | None]", term.args)
        if least == most:
            return
        terms[beside] = repeat(part, least, least)
        if least:
            return
        del terms[beside]


def either(*parts: Language) -> Language:
    """Any of the parts; strings become one set of words, classes one class, an empty alternative an option."""
    strings: set[str] = set()
    ranges: list[tuple[int, int]] = []
    others: list[Term] = []
    solid = True
    unknown = any(nullable is None for _, nullable in parts)
    for term, nullable in parts:
        for option in alternatives(term):
            if option.op == "words":
                strings.update(cast("tuple[tuple[str, ...]]", option.args)[0])
            elif option.op == "characters":
                ranges.extend(cast("tuple[Ranges]", option.args)[0])
            elif option is EPSILON:
                strings.add("")
            elif option is not NEVER:
                others.append(option)
        solid = solid and (not nullable or term is EPSILON)
    optional = "" in strings
    strings.discard("")
    if ranges:
        others.append(characters(ranges))
    if strings:
        others.append(words(strings))
    if optional and solid:
        return repeated(Language(unite(*others), nullable=False), 0, 1)
    return Language(unite(*others), optional or not solid or (None if unknown else False))


def both(one: Language, other: Language) -> Language:
    """What two languages share."""
    nullable = _all((one.nullable, other.nullable))
    if nullable is not None and (one.term is EPSILON or other.term is EPSILON):
        return EMPTY_TEXT if nullable else NO_TEXT
    return Language(intersect(one.term, other.term), nullable)


def negated(part: Language) -> Language:
    """Every text that is not in the language."""
    nullable = None if part.nullable is None else not part.nullable
    return SOME_TEXT if part.term is EPSILON else Language(complement(part.term), nullable)


def repeated(part: Language, least: int, most: int | None) -> Language:
    """``least`` to ``most`` repetitions; a repetition of a repetition is one, where the counts leave no gap."""
    if most == 0:
        return EMPTY_TEXT
    if part.nullable:
        least = 0
    term = part.term
    if most is None and least <= 1:
        term = _bare(term)
    if term.op == "repeat":
        inner, low, high = cast("tuple[Term, int, int | None]", term.args)
        # k repetitions give k*low to k*high copies: no gap before those of k+1 repetitions, from k = least on.
        joined = low <= 1 or (least > 0 and (high is None or low - 1 <= least * (high - low)))
        if joined or least == most:
            low, high = low * least, None if high is None or most is None else high * most
            return Language(repeat(inner, low, high), nullable=low == 0 or part.nullable)
    return Language(repeat(term, least, most), nullable=least == 0)


def _bare(term: Term) -> Term:
    """A term with the same star: alternatives lose their own optional and repeating marks."""
    if term.op != "unite":
        return term
    options = cast("tuple[Term, ...]", term.args)
    bare = tuple(map(_stripped, options))
    # No option is left nullable by stripping unless it was already, and then the star does not care.
    return term if bare == options else either(*(Language(option, nullable=False) for option in bare)).term


def _stripped(term: Term) -> Term:
    if term.op == "repeat":
        part, least, most = cast("tuple[Term, int, int | None]", term.args)
        if least <= 1 and (most is None or most >= 1):
            return part
    return term


def alternatives(term: Term) -> Iterable[Term]:
    """The parts of a union."""
    return cast("tuple[Term, ...]", term.args) if term.op == "unite" else (term,)
