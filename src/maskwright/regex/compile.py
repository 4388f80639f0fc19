"""Patterns to terms: the three ways of using one, cached."""

from __future__ import annotations

from functools import lru_cache

from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import Term, intersect
from maskwright.regex.contexts import Contexts
from maskwright.regex.languages import ALL_TEXTS, chain
from maskwright.regex.parse import parse
from maskwright.regex.peeks import edge_conditions, looks_both_ways
from maskwright.regex.plain import compile_plain
from maskwright.regex.ranges import ALL
from maskwright.regex.syntax import Characters, Look, Node, Repeat, sequence

__all__ = ["full_term", "prefix_term", "search_term"]


def search_term(pattern: str, *, dialect: str = "ecma", limits: Limits = DEFAULT_LIMITS) -> Term:
    """The texts in which the pattern is found somewhere: a text term, cached.

    Raises :class:`PatternError` with the place of the fault, :class:`LimitError`, :class:`PolicyError` for an unknown
    dialect. Takes some tens of microseconds for a pattern of thirty characters.
    """
    return _search_term(pattern, dialect, limits)


def full_term(pattern: str, *, dialect: str = "ecma", limits: Limits = DEFAULT_LIMITS) -> Term:
    """The texts that the pattern matches from beginning to end; otherwise as :func:`search_term`."""
    return _full_term(pattern, dialect, limits)


def prefix_term(pattern: str, *, dialect: str = "ecma", limits: Limits = DEFAULT_LIMITS) -> Term:
    """The texts that begin with a match of the pattern; otherwise as :func:`search_term`.

    They are the full matches of the pattern and then anything, to whose characters the pattern's assertions look.
    """
    return _prefix_term(pattern, dialect, limits)


@lru_cache(maxsize=4096)
def _search_term(pattern: str, dialect: str, limits: Limits) -> Term:
    tree = parse(pattern, dialect=dialect, limits=limits)
    if tree.plain:
        return chain(ALL_TEXTS, compile_plain(tree), ALL_TEXTS).term
    if looks_both_ways(tree):
        conditions, tree = edge_conditions(tree, anchored=True)
        rest = Contexts(pattern, tree, limits).search(tree).term
        return intersect(rest, *(_condition(pattern, look, limits) for look in conditions))
    return Contexts(pattern, tree, limits).search(tree).term


@lru_cache(maxsize=1024)
def _full_term(pattern: str, dialect: str, limits: Limits) -> Term:
    tree = parse(pattern, dialect=dialect, limits=limits)
    return compile_plain(tree).term if tree.plain else _whole(pattern, tree, limits)


@lru_cache(maxsize=1024)
def _prefix_term(pattern: str, dialect: str, limits: Limits) -> Term:
    tree = parse(pattern, dialect=dialect, limits=limits)
    if tree.plain:
        return chain(compile_plain(tree), ALL_TEXTS).term
    return _whole(pattern, sequence((tree, _anything((0, len(pattern))))), limits)


def _whole(pattern: str, tree: Node, limits: Limits) -> Term:
    """The texts that a tree with assertions matches from beginning to end."""
    if looks_both_ways(tree):
        conditions, tree = edge_conditions(tree, anchored=False)
        rest = Contexts(pattern, tree, limits).full(tree).term
        return intersect(rest, *(_condition(pattern, look, limits) for look in conditions))
    return Contexts(pattern, tree, limits).full(tree).term


def _anything(span: tuple[int, int]) -> Node:
    return Repeat(Characters(ALL), 0, None, plain=True, span=span)


def _condition(pattern: str, look: Look, limits: Limits) -> Term:
    """The texts in which a look holds at the edge that it looks away from."""
    tree = sequence((look, _anything(look.span)) if look.ahead else (_anything(look.span), look))
    return Contexts(pattern, tree, limits).full(tree).term
