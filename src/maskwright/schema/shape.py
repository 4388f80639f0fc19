"""Shapes: what a value may be, split by type into a product of boolean algebras.

A shape has one component for each JSON type: a set of literals (null, false, true), a union of numbers, a text term for
strings, a residual formula for arrays and one for objects. Meet and join work on each component by itself, so
``allOf`` is a meet, ``anyOf`` a join, and a type that a schema does not mention stays free. Shapes are hash-consed:
subschemas that admit the same values share their nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, cast

from maskwright.network.lexeme import (
    ANY_CHARACTER,
    ANYTHING,
    NEVER,
    Term,
    complement,
    encode,
    intersect,
    quote,
    repeat,
    unite,
    words,
)
from maskwright.network.nodes import Lex
from maskwright.schema.exactly import exactly_one
from maskwright.schema.number import Numbers, number_literal_term, number_term
from maskwright.schema.number_sets import (
    ALL_NUMBERS,
    NO_NUMBERS,
    NumberLiteral,
    NumberSet,
    complement_numbers,
    join_numbers,
    meet_numbers,
)
from maskwright.schema.policies import Policies
from maskwright.schema.residual import FALSE, TRUE, Formula, Formulas

__all__ = [
    "FALSE_LITERAL",
    "NULL_LITERAL",
    "TRUE_LITERAL",
    "Shape",
    "Shapes",
    "length_term",
    "meet_texts",
]

NULL_LITERAL, FALSE_LITERAL, TRUE_LITERAL = 1, 2, 4
_LITERALS: Final = {NULL_LITERAL: "null", FALSE_LITERAL: "false", TRUE_LITERAL: "true"}


#: Words of two lists up to which they are merged where both are taken out.
_SHORT_LIST: Final = 256
#: Operators whose terms hold a string by construction.
_INHABITED: Final = frozenset({"words", "characters", "epsilon"})


#: A symbol that was not asked for yet.
_UNKNOWN: Final = object()


class Shape:
    """What a value may be; interned by :class:`Shapes`, compared by identity."""

    __slots__ = ("array", "array_live", "literals", "numbers", "object", "object_live", "scalar", "string")

    def __init__(self, literals: int, numbers: NumberSet, string: Term, array: Formula, object_: Formula) -> None:
        """Use :meth:`Shapes.make`."""
        self.literals = literals
        self.numbers = numbers
        #: The text term of the strings.
        self.string = string
        self.array = array
        self.object = object_
        #: How all scalars are read, ``None`` if there are none.
        self.scalar: Lex | object | None = _UNKNOWN
        #: Whether some array and some object exists; ``None`` until that was asked.
        self.array_live: bool | None = None if array not in (TRUE, FALSE) else array is TRUE
        self.object_live: bool | None = None if object_ not in (TRUE, FALSE) else object_ is TRUE


class Shapes:
    """The interned shapes of one network."""

    def __init__(
        self,
        formulas: Formulas,
        policies: Policies,
        is_empty: Callable[[Term], bool],
        spend: Callable[[int], None],
        *,
        whole_floats: bool,
    ) -> None:
        """``whole_floats``: whether ``1.0`` is an integer under ``numbers="exact"`` (from draft 6 on)."""
        self._formulas = formulas
        self._minimal = policies.escapes == "minimal"
        self._digits = policies.digits
        self._exact = policies.numbers == "exact"
        self._whole_floats = whole_floats
        self._is_empty = is_empty
        self._spend = spend
        self._known: dict[tuple[int, NumberSet, Term, Formula, Formula], Shape] = {}
        self._complements: dict[Shape, Shape] = {}
        self.anything = self.make(7, ALL_NUMBERS, ANYTHING, TRUE, TRUE)
        self.nothing = self.make(0, NO_NUMBERS, NEVER, FALSE, FALSE)

    def make(self, literals: int, numbers: NumberSet, string: Term, array: Formula, object_: Formula) -> Shape:
        """The shape with these components."""
        key = (literals, numbers, string, array, object_)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Shape(*key)
        return found

    def meet(self, left: Shape, right: Shape) -> Shape:
        """What both admit."""
        if left is right or right is self.anything:
            return left
        if left is self.anything:
            return right
        if len(left.numbers) > 1 and len(right.numbers) > 1:
            self._spend(len(left.numbers) * len(right.numbers))
        return self.make(
            left.literals & right.literals,
            meet_numbers(left.numbers, right.numbers),
            meet_texts(left.string, right.string),
            self._formulas.conjoin((left.array, right.array)),
            self._formulas.conjoin((left.object, right.object)),
        )

    def join(self, *shapes: Shape) -> Shape:
        """What any of them admits."""
        literals = 0
        for shape in shapes:
            literals |= shape.literals
        return self.make(
            literals,
            join_numbers([shape.numbers for shape in shapes]),
            _join_texts([shape.string for shape in shapes]),
            self._formulas.disjoin(shape.array for shape in shapes),
            self._formulas.disjoin(shape.object for shape in shapes),
        )

    def complement(self, shape: Shape) -> Shape:
        """What a shape does not admit."""
        found = self._complements.get(shape)
        if found is None:
            found = self._complements[shape] = self.make(
                7 ^ shape.literals,
                complement_numbers(shape.numbers, whole_floats=self._whole_floats, spend=self._spend),
                complement(shape.string),
                self._formulas.negate(shape.array),
                self._formulas.negate(shape.object),
            )
            self._complements[found] = shape
        return found

    def exactly_one(self, shapes: Sequence[Shape]) -> Shape:
        """What just one of the shapes admits."""
        once = twice = 0
        for shape in shapes:
            twice |= once & shape.literals
            once |= shape.literals
        numbers, strings = zip(*self._apart(shapes), strict=True)
        exactly = partial(exactly_one, self._formulas)
        return self.make(
            once & ~twice,
            join_numbers(numbers),
            _join_texts(list(strings)),
            exactly([shape.array for shape in shapes]),
            exactly([shape.object for shape in shapes]),
        )

    def _apart(self, shapes: Sequence[Shape]) -> Iterator[tuple[NumberSet, Term]]:
        """The numbers and strings of each shape that no other one admits."""
        scalars = [place for place, shape in enumerate(shapes) if shape.numbers or shape.string is not NEVER]
        for place, shape in enumerate(shapes):
            numbers, string = shape.numbers, shape.string
            for other in [shapes[at] for at in scalars if at != place] if numbers or string is not NEVER else ():
                if numbers and other.numbers and meet_numbers(numbers, other.numbers):
                    numbers = meet_numbers(numbers, self._outside(other.numbers, len(numbers)))
                if string is not NEVER and self._is_inhabited(meet_texts(string, other.string)):
                    string = meet_texts(string, complement(other.string))
            yield numbers, string

    def _outside(self, numbers: NumberSet, times: int) -> NumberSet:
        outside = complement_numbers(numbers, whole_floats=self._whole_floats, spend=self._spend)
        self._spend(times * len(outside))
        return outside

    def scalar(self, shape: Shape) -> Lex | None:
        """The symbol of every scalar of a shape; ``None`` if it admits none."""
        if shape.scalar is _UNKNOWN:
            term = self._scalar(shape)
            shape.scalar = None if term is NEVER else Lex(term)
        return shape.scalar  # type: ignore[return-value]

    def _scalar(self, shape: Shape) -> Term:
        parts: list[Term] = []
        plain = [words([text for bit, text in _LITERALS.items() if shape.literals & bit])] if shape.literals else []
        plain.extend([term for term in map(self._number, shape.numbers) if term is not NEVER])
        if plain:
            parts.append(encode(plain[0] if len(plain) == 1 else unite(*plain)))
        if self.has_strings(shape):
            parts.append(quote(shape.string, minimal=self._minimal))
        return parts[0] if len(parts) == 1 else unite(*parts)

    def has_numbers(self, shape: Shape) -> bool:
        """Whether the shape admits some number that the digits of the policy can write."""
        return any(not self._is_far(number) or self._number(number) is not NEVER for number in shape.numbers)

    def _is_far(self, number: Numbers | NumberLiteral) -> bool:
        """Whether a set may need more digits than there are; most do not, and their terms are made only when read."""
        if self._digits is None or isinstance(number, NumberLiteral):
            return False
        lower, upper, step = number.lower, number.upper, number.step
        largest = 10**self._digits
        if (lower is not None and lower >= largest) or (upper is not None and -upper >= largest):
            return True
        if lower is None or upper is None:
            return False
        return (upper - lower) * largest < 1 or (step is not None and step.denominator > largest)

    def has_strings(self, shape: Shape) -> bool:
        """Whether the shape admits some string."""
        return self._is_inhabited(shape.string)

    def _is_inhabited(self, string: Term) -> bool:
        if string is ANYTHING or string.op in _INHABITED or _length(string):
            return True
        return string is not NEVER and not self._is_empty(string)

    def _number(self, number: Numbers | NumberLiteral) -> Term:
        if isinstance(number, NumberLiteral):
            return self._literal(number)
        exact = self._exact and (self._whole_floats or not number.integer)
        return _number_term(number, self._digits, exact)

    def _literal(self, literal: NumberLiteral) -> Term:
        if not literal.form or self._whole_floats:
            return number_literal_term(literal.spelling, digits=self._digits, exact=self._exact)
        whole = (
            number_literal_term(int(literal.value), digits=self._digits) if literal.value.denominator == 1 else NEVER
        )
        if literal.form == "integer":
            return whole
        any_form = number_literal_term(literal.spelling, digits=self._digits, exact=self._exact)
        return intersect(any_form, complement(whole))


@lru_cache(maxsize=4096)
def _number_term(number: Numbers, digits: int | None, exact: bool) -> Term:  # noqa: FBT001
    return number_term(number, digits=digits, exact=exact)


@lru_cache(maxsize=1024)
def length_term(least: int, most: int | None) -> Term:
    """Texts of ``least`` to ``most`` characters."""
    return repeat(ANY_CHARACTER, least, most)


def _length(term: Term) -> tuple[int, int | None] | None:
    """The bounds of a term that only bounds the length."""
    if term.op == "repeat" and term.args[0] is ANY_CHARACTER:
        return term.args[1], term.args[2]  # type: ignore[return-value]
    return None


def meet_texts(left: Term, right: Term) -> Term:
    """What both text terms hold; lengths and lists of words meet at once."""
    if left is right or right is ANYTHING:
        return left
    if left is ANYTHING:
        return right
    first, second = _length(left), _length(right)
    if first and second:
        mosts = [most for most in (first[1], second[1]) if most is not None]
        return length_term(max(first[0], second[0]), min(mosts) if mosts else None)
    if left.op == right.op == "words":
        return words(set(left.args[0]).intersection(right.args[0]))  # type: ignore[call-overload]
    missing_left, missing_right = _missing(left), _missing(right)
    if missing_left is not None and missing_right is not None:
        # Long lists stay apart: what is known of each is shared by the texts that grow by one element at a time.
        if len(missing_left) + len(missing_right) <= _SHORT_LIST:
            return complement(words({*missing_left, *missing_right}))
    elif left.op == "words" and missing_right is not None:
        return words(set(left.args[0]).difference(missing_right))  # type: ignore[call-overload]
    elif right.op == "words" and missing_left is not None:
        return words(set(right.args[0]).difference(missing_left))  # type: ignore[call-overload]
    return intersect(left, right)


def _missing(term: Term) -> tuple[str, ...] | None:
    """The words that a term lacks, if it lacks nothing else."""
    if term.op != "complement":
        return None
    inner = cast("Term", term.args[0])
    return cast("tuple[str, ...]", inner.args[0]) if inner.op == "words" else None


def _join_texts(terms: list[Term]) -> Term:
    lists = [term for term in terms if term.op == "words"]
    if len(lists) > 1:
        merged = words(word for term in lists for word in term.args[0])  # type: ignore[attr-defined]
        terms = [merged, *(term for term in terms if term.op != "words")]
    return unite(*terms)
