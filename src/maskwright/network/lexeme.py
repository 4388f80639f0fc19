r"""Lexical terms: frozen descriptions of regular languages, built only through smart constructors.

Two sorts of term exist. A *text term* is a set of strings of code points: :func:`characters`, :func:`words`,
:func:`automaton` and, over them, the boolean and regular operations. A *byte term* is a set of byte strings:
:func:`encode` (UTF-8) and :func:`quote` (a JSON string literal) turn a text term into one, :func:`concatenate` and
:func:`unite` combine them. A character therefore counts once however JSON spells it, and ``"\u0061"`` *is* ``"a"``.

Terms are interned: equal structure is the same object, so equality is identity and a term is a cheap dictionary key.
What is learned about a term (its states and transitions) lives in :mod:`maskwright.kernel`, never here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, Protocol
from weakref import WeakValueDictionary

from maskwright.errors import LimitError, Problem, excerpt
from maskwright.limits import DEFAULT_LIMITS

__all__ = [
    "ANYTHING",
    "ANY_CHARACTER",
    "EPSILON",
    "NEVER",
    "Automaton",
    "LabelledAutomaton",
    "Term",
    "approximate",
    "automaton",
    "characters",
    "complement",
    "concatenate",
    "encode",
    "intersect",
    "literal",
    "marker",
    "other_tokens",
    "quote",
    "repeat",
    "subtract",
    "token",
    "token_ids",
    "unite",
    "words",
]

MAX_CODE_POINT: Final = 0x10FFFF
#: Repetitions that a counter of the kernel can hold.
COUNTABLE: Final = 1 << 30


class Automaton(Protocol):
    """A deterministic automaton over code points that is computed on demand, such as a range of numbers.

    Implementations hash and compare by value. States are hashable; every state that ``moves`` names must be able to
    reach an accepting one (no dead states: leave the move out instead).
    """

    def __hash__(self) -> int:
        """By value: equal machines are one lexeme."""
        ...

    @property
    def start(self) -> Hashable | None:
        """The first state; ``None`` if the language is empty."""
        ...

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, Hashable]]:
        """Disjoint, ascending ``(first, last, next state)`` ranges of code points; what is absent is refused."""
        ...

    def accepts(self, state: Hashable) -> bool:
        """Whether the text read so far is in the language."""
        ...


class LabelledAutomaton(Automaton, Protocol):
    """An automaton that also tells *how* a text was accepted; for :class:`maskwright.network.nodes.Switch`.

    Unlike a word of ``words(..., labelled=True)`` an accepted text may go on, and its continuations may have other
    labels. ``encode(automaton(machine))`` then is a term of a switch: whenever a state accepts, the switch may go on
    with ``targets[machine.label(state)]``.
    """

    def label(self, state: Hashable) -> int:
        """The label, at least 0, of an accepting state."""
        ...

    def continues(self, state: Hashable) -> bool:
        """Whether ``moves`` of a state has any entry; must be cheap."""
        ...


class Term:
    """One interned term; build it with the functions of this module.

    ``op`` names the constructor, ``args`` its normalised arguments, ``depth`` the nesting of terms below it.
    """

    __slots__ = ("__weakref__", "args", "depth", "op")

    op: str
    args: tuple[Hashable, ...]
    depth: int

    def __repr__(self) -> str:
        """The constructor call, for debugging."""
        return f"{self.op}{self.args!r}" if self.args else self.op


#: Invariant: at most one live Term per (op, args).
_interned: WeakValueDictionary[tuple[Hashable, ...], Term] = WeakValueDictionary()


def _term(op: str, *args: Hashable, below: Iterable[Term] = ()) -> Term:
    key = (op, *args)
    found = _interned.get(key)
    if found is not None:
        return found
    term = Term()
    term.op, term.args = op, args
    term.depth = 1 + max((t.depth for t in below), default=0)
    if term.depth > DEFAULT_LIMITS.pattern_depth * 8:
        raise LimitError(
            Problem(
                "a pattern nests too deeply", keyword="pattern", remedy=f"at most {DEFAULT_LIMITS.pattern_depth} groups"
            )
        )
    _interned[key] = term
    return term


#: No string at all.
NEVER: Final = _term("never")
#: The empty string only.
EPSILON: Final = _term("epsilon")


def characters(ranges: Iterable[tuple[int, int]]) -> Term:
    """One character out of inclusive code point ranges (any order, may overlap)."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if first > last:
            continue
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return _term("characters", tuple(merged)) if merged else NEVER


#: Any one code point that UTF-8 can carry (no surrogates).
ANY_CHARACTER: Final = characters([(0, 0xD7FF), (0xE000, MAX_CODE_POINT)])


def words(strings: Iterable[str], *, labelled: bool = False) -> Term:
    """Any of the strings; with ``labelled`` the kernel reports *which* (by its place in the given order).

    Strings must be distinct when labelled. Costs a sort, whatever their number.
    """
    given = tuple(strings)
    if not given:
        return NEVER
    if labelled:
        return _term("labelled", given)
    distinct = tuple(sorted(set(given)))
    return EPSILON if distinct == ("",) else _term("words", distinct)


def literal(string: str) -> Term:
    """Exactly this string."""
    return words((string,))


def automaton(machine: Automaton) -> Term:
    """The language of a machine that computes its moves on demand."""
    return NEVER if machine.start is None else _term("automaton", machine)


def concatenate(*parts: Term) -> Term:
    """One part after the other."""
    flat: list[Term] = []
    for part in parts:
        if part is NEVER:
            return NEVER
        if part.op == "concatenate":
            flat.extend(part.args)  # type: ignore[arg-type]
        elif part is not EPSILON:
            flat.append(part)
    if not flat:
        return EPSILON
    return flat[0] if len(flat) == 1 else _term("concatenate", *flat, below=flat)


def unite(*parts: Term) -> Term:
    """Any of the parts."""
    flat: dict[Term, None] = {}
    for part in parts:
        if part.op == "unite":
            flat.update(dict.fromkeys(part.args))  # type: ignore[arg-type]
        elif part is not NEVER:
            flat[part] = None
    if ANYTHING in flat:
        return ANYTHING
    if not flat:
        return NEVER
    return next(iter(flat)) if len(flat) == 1 else _term("unite", *flat, below=flat)


def intersect(*parts: Term) -> Term:
    """What all parts have in common (text terms only)."""
    flat: dict[Term, None] = {}
    for part in parts:
        if part is NEVER:
            return NEVER
        if part.op == "intersect":
            flat.update(dict.fromkeys(part.args))  # type: ignore[arg-type]
        elif part is not ANYTHING:
            flat[part] = None
    if not flat:
        return ANYTHING
    return next(iter(flat)) if len(flat) == 1 else _term("intersect", *flat, below=flat)


#: An approximation to the complement of what it stands for, and that complement to the approximation.
_complements: Final[dict[Term, Term]] = {}


def approximate(narrow: Term, wide: Term) -> Term:
    """``narrow``, standing for a language between it and ``wide`` that no automaton decides (text terms only).

    Its complement is that of ``wide``, so that neither it nor ``not`` it admits what it should not. Both must be terms
    of their own, used for nothing else, and neither a union nor an intersection, nor the complement of one.
    """
    outside = complement(wide)
    _complements[narrow], _complements[outside] = outside, narrow
    return narrow


def _is_approximate(part: Term) -> bool:
    """Whether a boolean combination has an approximation in it."""
    todo = [part]
    while todo:
        at = todo.pop()
        if at in _complements:
            return True
        if at.op in ("intersect", "unite"):
            todo.extend(at.args)  # type: ignore[arg-type]
    return False


def complement(part: Term) -> Term:
    """Every string of code points that is not in the part (text terms only)."""
    if _complements:
        if part in _complements:
            return _complements[part]
        if part.op in ("intersect", "unite") and _is_approximate(part):
            below = map(complement, part.args)  # type: ignore[arg-type]
            return unite(*below) if part.op == "intersect" else intersect(*below)
    if part.op == "complement":
        return part.args[0]  # type: ignore[return-value]
    if part is NEVER:
        return ANYTHING
    return NEVER if part is ANYTHING else _term("complement", part, below=(part,))


def subtract(part: Term, excluded: Term) -> Term:
    """What is in the part but not excluded (text terms only)."""
    return part if excluded is NEVER else intersect(part, complement(excluded))


def repeat(part: Term, least: int = 0, most: int | None = None) -> Term:
    """``least`` to ``most`` repetitions (``None`` = no bound). One character class repeated is a counter, not copies.

    A bound of ``COUNTABLE`` or more cannot be met by any text that is written, so it is no bound.
    """
    if most is not None and (most < least or most < 0):
        return NEVER
    if least >= COUNTABLE:
        raise LimitError(
            Problem(
                f"at least {excerpt(least)} repetitions",
                keyword="minLength",
                remedy=f"no text is as long; use at most {COUNTABLE - 1}",
            )
        )
    if most is not None and most >= COUNTABLE:
        most = None
    if part is NEVER:
        return EPSILON if least == 0 else NEVER
    if part is EPSILON or most == 0:
        return EPSILON
    return part if least == most == 1 else _term("repeat", part, least, most, below=(part,))


#: Every string of code points.
ANYTHING: Final = repeat(ANY_CHARACTER)


def encode(text: Term) -> Term:
    """The UTF-8 bytes of a text term: a byte term."""
    return text if text in (NEVER, EPSILON) else _term("encode", text, below=(text,))


def quote(text: Term, *, minimal: bool = False) -> Term:
    r"""JSON string literals whose *value* is in the text term: a byte term, quotes included (RFC 8259 section 7).

    Every valid escape spells its character, surrogate escapes only in pairs; with ``minimal`` only the escapes that
    JSON demands (``\"``, ``\\`` and control characters).
    """
    return NEVER if text is NEVER else _term("quote", text, minimal, below=(text,))


def token(name: str) -> Term:
    """The token of this name (``<|tool_call|>``), whatever its id in a vocabulary: a byte term.

    Only the token itself is read, not its letters: the control token of that name or, if there is none, the token of
    that text. A vocabulary that has neither cannot spell it.
    """
    return _term("token", name)


def other_tokens(name: str) -> Term:
    """Any one token but that of a name: a byte term."""
    return _term("other_tokens", name)


def marker(name: str) -> Term:
    """The control token of this name, or in a vocabulary without one its text, letter by letter: a byte term."""
    return _term("marker", name) if name else EPSILON


def token_ids(ranges: Iterable[tuple[int, int]]) -> Term:
    """One token whose id lies in inclusive ranges, be it text or a control token: a byte term.

    Ids that the vocabulary does not have are left out.
    """
    kept = tuple(sorted((first, last) for first, last in ranges if first <= last))
    return _term("token_ids", kept) if kept else NEVER
