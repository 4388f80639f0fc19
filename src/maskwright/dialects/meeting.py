"""The own keywords of several schemas as one: what all of them say about a scalar, each keyword once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any, Final

from maskwright.dialects.constants import constants_of, json_equal, json_key, unique
from maskwright.dialects.disjoint import ALL_KINDS, KINDS, kind_of
from maskwright.dialects.gathering import Note, own_keywords
from maskwright.errors import ConstraintError
from maskwright.kernel.lexicon import Lexicon
from maskwright.limits import DEFAULT_LIMITS
from maskwright.regex.compile import search_term
from maskwright.schema.document import exact_number
from maskwright.schema.references import Subschema

__all__ = ["OBJECT", "SPECIFIC", "TESTS", "Meeting", "matches", "names_of", "trivial"]

#: Keyword -> kinds that it speaks about.
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_STRINGS: Final = ("minLength", "maxLength", "pattern", "format")
_ARRAYS: Final = (
    "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
    "maxContains", "unevaluatedItems",
)  # fmt: skip
OBJECT: Final = (
    "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
    "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties",
)  # fmt: skip
SPECIFIC: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(_NUMBERS, KINDS["number"]),
    **dict.fromkeys(_STRINGS, KINDS["string"]),
    **dict.fromkeys(_ARRAYS, KINDS["array"]),
    **dict.fromkeys(OBJECT, KINDS["object"]),
}
_TYPES: Final = ("boolean", "integer", "number", "string", "array", "object", "null")
_LEAST: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_MOST: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
#: Patterns that mean the same in every dialect of regular expressions.
_PLAIN: Final = re.compile(r"[\w ^$.*+?|\[\]{},:@/-]{0,60}", re.ASCII)
_NAME: Final = 60


def trivial(keyword: str, value: Any, siblings: Iterable[str]) -> bool:
    """Whether a keyword asserts nothing, by its value or for want of the keyword that it adds to."""
    if keyword in _LEAST and keyword.endswith(("Length", "Items", "Properties")):
        return bool(value == 0)
    if keyword in ("minContains", "maxContains"):
        return "contains" not in siblings
    if keyword == "uniqueItems":
        return value is False
    if keyword == "not":
        return value is False
    return keyword != "contains" and (value is True or value == {})


def matches(pattern: str, name: str) -> bool | None:
    """Whether a pattern is found in a name; ``None`` where dialects of regular expressions may differ."""
    if _PLAIN.fullmatch(pattern) is None or len(name) > _NAME or not name.isascii() or not name.isprintable():
        return None
    try:
        # Python's own search tries all ways of ``.*.*.*x`` in turn; derivatives take one step for each character.
        lexicon = Lexicon(DEFAULT_LIMITS.emptiness_states)
        at = lexicon.intern(search_term(pattern, dialect="python"))
        for point in map(ord, name):
            at = next((then for low, high, then in lexicon.moves.of(at) if low <= point <= high), -1)
            if at < 0:
                return False
        return lexicon.expressions.nullable[at]
    except ConstraintError:
        return None


def names_of(kinds: Iterable[str]) -> list[str]:
    """The names of types for some kinds, ``null`` last."""
    found = set(kinds)
    if "fraction" in found:
        found = found - {"integer", "fraction"} | {"number"}
    return [name for name in _TYPES if name in found]


class Meeting:
    """What the own keywords of some schemas say together."""

    def __init__(self, facts: Iterable[Subschema], note: Note, place: str) -> None:
        """Meet them; what cannot be said by one keyword is noted as dropped. ``place`` is where the value stands."""
        #: Where the first of them stands.
        self.place = place
        self._note = note
        #: Keyword -> the one value, and the schema that it comes from.
        self.keywords: dict[str, tuple[Any, Subschema]] = {}
        #: Every schema with keywords of its own.
        self.facts: list[tuple[Subschema, dict[str, Any]]] = []
        self.kinds: frozenset[str] = ALL_KINDS
        #: No schema has said a type.
        self.is_typeless = True
        self.constants: list[Any] | None = None
        for here in facts:
            own = own_keywords(here)
            if own:
                self.place = self.place if self.facts else here.place
                self.facts.append((here, own))
                self._add(here, own)
        if self.constants is not None:
            self._filter()

    def _add(self, here: Subschema, own: dict[str, Any]) -> None:
        if "type" in own:
            given = own["type"]
            names = [given] if isinstance(given, str) else given
            self.kinds &= frozenset().union(*(KINDS[name] for name in names))
            self.is_typeless = False
        for keyword in ("enum", "const"):
            if keyword in own:
                self._add_constants(constants_of({keyword: own[keyword]}) or [])
        for keyword, value in own.items():
            if keyword not in ("type", "enum", "const"):
                self._meet(keyword, value, here)

    def _add_constants(self, values: list[Any]) -> None:
        if self.constants is None:
            self.constants = unique(values)
        else:
            known = set(map(json_key, values))
            self.constants = [value for value in self.constants if json_key(value) in known]

    def _meet(self, keyword: str, value: Any, here: Subschema) -> None:
        if keyword not in self.keywords or keyword in ("properties", "required", "additionalProperties"):
            self.keywords.setdefault(keyword, (value, here))
            return
        before, source = self.keywords[keyword]
        if keyword in _LEAST or keyword in _MOST:
            tighter = exact_number(value) > exact_number(before)
            if tighter == (keyword in _LEAST):
                self.keywords[keyword] = (value, here)
        elif keyword == "multipleOf":
            both = _common_multiple(exact_number(before), exact_number(value))
            if both is None:
                self._note(f"{here.place}/{keyword}", keyword, "dropped", "another one is kept", "wider")
            else:
                self.keywords[keyword] = (both, source)
        elif keyword == "uniqueItems":
            self.keywords[keyword] = (before or value, here)
        elif keyword not in _ARRAYS[:3] and not json_equal(before, value):
            self._note(f"{here.place}/{keyword}", keyword, "dropped", "another one is kept", "wider")

    def _filter(self) -> None:
        """Of the constants, keep those that the other keywords allow; then these are said."""
        values = self.constants or []
        kept = [value for value in values if kind_of(value) in self.kinds and self._allows(value)]
        if len(kept) < len(values):
            what = f"{len(values) - len(kept)} values that the other keywords refuse"
            self._note(self.place, "enum", "dropped", what, "equal")
        self.constants = kept
        self.kinds = frozenset(map(kind_of, kept))

    def _allows(self, value: Any) -> bool:
        return all(
            TESTS[keyword](value, given)
            for keyword, (given, _) in self.keywords.items()
            if keyword in TESTS and kind_of(value) in SPECIFIC[keyword]
        )

    def is_tested(self, keyword: str) -> bool:
        """Whether the constants were tested against a keyword, or it says nothing about them."""
        if keyword in TESTS:
            return True
        if keyword == "pattern":
            value = self.keywords[keyword][0]
            texts = [one for one in self.constants or [] if isinstance(one, str)]
            found = [matches(value, text) for text in texts]
            return all(found)
        return self.kinds.isdisjoint(SPECIFIC.get(keyword, ALL_KINDS))


def _common_multiple(one: Fraction, other: Fraction) -> int | float | None:
    both = Fraction(
        lcm(one.numerator * other.denominator, other.numerator * one.denominator), one.denominator * other.denominator
    )
    if both.denominator == 1:
        return both.numerator
    written = float(both)
    return written if Fraction(Decimal(repr(written))) == both else None


def _test(compare: Callable[[Fraction, Fraction], bool]) -> Callable[[Any, Any], bool]:
    return lambda value, bound: compare(exact_number(value), exact_number(bound))


TESTS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minimum": _test(lambda value, bound: value >= bound),
    "maximum": _test(lambda value, bound: value <= bound),
    "exclusiveMinimum": _test(lambda value, bound: value > bound),
    "exclusiveMaximum": _test(lambda value, bound: value < bound),
    "multipleOf": _test(lambda value, bound: (value / bound).denominator == 1),
    "minLength": lambda value, bound: len(value) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
}
