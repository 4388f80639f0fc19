"""JSON Schema as its specifications put it, keyword after keyword: slow, obvious, exact.

A second opinion beside ``jsonschema``, which is not always right (``DEFECTS`` of ``tests/properties``'s laws). Values
come from :func:`tests.oracle.json_text.parse_strictly`, schemas from :func:`read`: whole numbers are ``int``, others
``Decimal``, so no float rounds. References are pointers within the document (``#``, ``#/...``) or anchors in ``$defs``,
so dynamic ones are plain ones. Formats only annotate. It recurses, since it judges small schemas.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from tests.oracle.json_text import search

__all__ = ["Evaluated", "Validator", "is_same", "read"]

#: ``$schema`` to the year of the draft, as a number that can be compared.
_DRAFTS: Final = {
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
}


def read(text: str) -> Any:
    """A schema from its text, numbers exact."""
    return json.loads(text, parse_float=Decimal)


def is_same(one: Any, two: Any) -> bool:
    """Equality of JSON values: numbers by value, objects in any order, booleans are no numbers."""
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(is_same(a, b) for a, b in zip(one, two, strict=True))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(is_same(one[key], two[key]) for key in one)
    return _kind(one) == _kind(two) and one == two


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


@dataclass
class Evaluated:
    """What a schema that holds has looked at: keys of an object, places of an array."""

    keys: set[str] = field(default_factory=set)
    places: set[int] = field(default_factory=set)

    def add(self, other: Evaluated) -> None:
        """Take over what another schema has looked at."""
        self.keys |= other.keys
        self.places |= other.places


class _Fails(Exception):  # noqa: N818  (no error: an answer)
    pass


class Validator:
    """One schema document."""

    def __init__(self, schema: Any, *, draft: str = "https://json-schema.org/draft/2020-12/schema") -> None:
        """A schema as :func:`read` gives it; ``draft`` counts where it names none itself."""
        self.document = schema
        named = schema.get("$schema", draft) if isinstance(schema, dict) else draft
        self.draft = _DRAFTS[named.removesuffix("#")]

    def is_valid(self, value: Any) -> bool:
        """Whether the schema holds of a value."""
        return self.holds(self.document, value) is not None

    def holds(self, schema: Any, value: Any) -> Evaluated | None:
        """What a schema has looked at, or ``None`` if it does not hold."""
        if isinstance(schema, bool):
            return Evaluated() if schema else None
        seen = Evaluated()
        try:
            if self.draft <= 7 and "$ref" in schema:
                self._must(schema["$ref"], value, seen, self._target)
                return seen
            for keywords in (_ANY, _OF_KIND.get(_kind(value), ()), _IN_PLACE, _LAST):
                for keyword in keywords:
                    if keyword.name in schema and keyword.since <= self.draft <= keyword.until:
                        keyword.check(self, schema, schema[keyword.name], value, seen)
        except _Fails:
            return None
        return seen

    def _target(self, reference: str) -> Any:
        at = self.document
        if reference[1:2].isalpha():
            named = [one for one in at["$defs"].values() if isinstance(one, dict)]
            return next(one for one in named if reference[1:] in {one.get("$anchor"), one.get("$dynamicAnchor")})
        for token in reference.removeprefix("#").split("/")[1:]:
            at = at[int(token) if isinstance(at, list) else token.replace("~1", "/").replace("~0", "~")]
        return at

    def _must(self, schema: Any, value: Any, seen: Evaluated, find: Callable[[Any], Any] = lambda same: same) -> None:
        """A schema for the value itself must hold; what it looked at counts."""
        found = self.holds(find(schema), value)
        _demand(found is not None)
        assert found is not None
        seen.add(found)


def _demand(condition: bool) -> None:
    if not condition:
        raise _Fails


Check = Callable[[Validator, dict[str, Any], Any, Any, Evaluated], None]


@dataclass(frozen=True)
class _Keyword:
    name: str
    check: Check
    since: int = 4
    until: int = 2020


# ---- any value ---------------------------------------------------------------------------------------------------


def _type(validator: Validator, _schema: Any, wanted: Any, value: Any, _seen: Evaluated) -> None:
    kinds = {_kind(value)}
    if isinstance(value, int) and not isinstance(value, bool):
        kinds.add("integer")
    if isinstance(value, Decimal) and validator.draft > 4 and value == value.to_integral_value():
        kinds.add("integer")
    _demand(bool(kinds & set([wanted] if isinstance(wanted, str) else wanted)))


def _enum(_validator: Validator, _schema: Any, values: Any, value: Any, _seen: Evaluated) -> None:
    _demand(any(is_same(value, one) for one in values))


def _const(_validator: Validator, _schema: Any, wanted: Any, value: Any, _seen: Evaluated) -> None:
    _demand(is_same(value, wanted))


# ---- numbers and strings -----------------------------------------------------------------------------------------


def _minimum(validator: Validator, schema: Any, bound: Any, value: Any, _seen: Evaluated) -> None:
    _demand(value > bound if validator.draft == 4 and schema.get("exclusiveMinimum") is True else value >= bound)


def _maximum(validator: Validator, schema: Any, bound: Any, value: Any, _seen: Evaluated) -> None:
    _demand(value < bound if validator.draft == 4 and schema.get("exclusiveMaximum") is True else value <= bound)


def _pattern(_validator: Validator, _schema: Any, pattern: str, value: str, _seen: Evaluated) -> None:
    _demand(matches(pattern, value))


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern of ECMA-262 is found in a text."""
    return bool(search(pattern)(text))


# ---- arrays ------------------------------------------------------------------------------------------------------


def _items(validator: Validator, schema: Any, items: Any, value: Any, seen: Evaluated) -> None:
    if isinstance(items, list):
        _prefix(validator, schema, items, value, seen)
        return
    first = len(schema.get("prefixItems", ())) if validator.draft >= 2020 else 0
    _rest(validator, items, value, range(first, len(value)), seen)


def _additional_items(validator: Validator, schema: Any, rest: Any, value: Any, seen: Evaluated) -> None:
    if isinstance(schema.get("items"), list):
        _rest(validator, rest, value, range(len(schema["items"]), len(value)), seen)


def _prefix(validator: Validator, _schema: Any, prefix: Any, value: Any, seen: Evaluated) -> None:
    for place, (one, element) in enumerate(zip(prefix, value, strict=False)):
        _demand(validator.holds(one, element) is not None)
        seen.places.add(place)


def _rest(validator: Validator, schema: Any, value: Any, places: Any, seen: Evaluated) -> None:
    for place in places:
        _demand(validator.holds(schema, value[place]) is not None)
        seen.places.add(place)


def _contains(validator: Validator, schema: Any, wanted: Any, value: Any, seen: Evaluated) -> None:
    found = {place for place, element in enumerate(value) if validator.holds(wanted, element) is not None}
    known = validator.draft >= 2019
    least = schema.get("minContains", 1) if known else 1
    most = schema.get("maxContains", len(value)) if known else len(value)
    _demand(least <= len(found) <= most)
    if validator.draft >= 2020:
        seen.places |= found


def _unique(_validator: Validator, _schema: Any, wanted: Any, value: Any, _seen: Evaluated) -> None:
    _demand(not wanted or not any(is_same(a, b) for place, a in enumerate(value) for b in value[:place]))


def _unevaluated_items(validator: Validator, _schema: Any, rest: Any, value: Any, seen: Evaluated) -> None:
    _rest(validator, rest, value, sorted(set(range(len(value))) - seen.places), seen)


# ---- objects -----------------------------------------------------------------------------------------------------


def _properties(validator: Validator, _schema: Any, members: Any, value: Any, seen: Evaluated) -> None:
    for key in members.keys() & value.keys():
        _demand(validator.holds(members[key], value[key]) is not None)
        seen.keys.add(key)


def _pattern_properties(validator: Validator, _schema: Any, patterns: Any, value: Any, seen: Evaluated) -> None:
    for pattern, one in patterns.items():
        for key in value:
            if matches(pattern, key):
                _demand(validator.holds(one, value[key]) is not None)
                seen.keys.add(key)


def _additional(validator: Validator, schema: Any, rest: Any, value: Any, seen: Evaluated) -> None:
    for key in value.keys() - schema.get("properties", {}).keys():
        if not any(matches(pattern, key) for pattern in schema.get("patternProperties", ())):
            _demand(validator.holds(rest, value[key]) is not None)
            seen.keys.add(key)


def _names(validator: Validator, _schema: Any, names: Any, value: Any, _seen: Evaluated) -> None:
    _demand(all(validator.holds(names, key) is not None for key in value))


def _required(_validator: Validator, _schema: Any, names: Any, value: Any, _seen: Evaluated) -> None:
    _demand(value.keys() >= set(names))


def _dependencies(validator: Validator, _schema: Any, demands: Any, value: Any, seen: Evaluated) -> None:
    for key, demand in demands.items():
        if key in value and isinstance(demand, list):
            _demand(value.keys() >= set(demand))
        elif key in value:
            validator._must(demand, value, seen)


def _unevaluated_properties(validator: Validator, _schema: Any, rest: Any, value: Any, seen: Evaluated) -> None:
    for key in value.keys() - seen.keys:
        _demand(validator.holds(rest, value[key]) is not None)
        seen.keys.add(key)


# ---- in place ----------------------------------------------------------------------------------------------------


def _ref(validator: Validator, _schema: Any, reference: Any, value: Any, seen: Evaluated) -> None:
    validator._must(reference, value, seen, validator._target)


def _all_of(validator: Validator, _schema: Any, options: Any, value: Any, seen: Evaluated) -> None:
    for one in options:
        validator._must(one, value, seen)


def _any_of(validator: Validator, _schema: Any, options: Any, value: Any, seen: Evaluated) -> None:
    found = [one for one in (validator.holds(option, value) for option in options) if one is not None]
    _demand(bool(found))
    for one in found:
        seen.add(one)


def _one_of(validator: Validator, _schema: Any, options: Any, value: Any, seen: Evaluated) -> None:
    found = [one for one in (validator.holds(option, value) for option in options) if one is not None]
    _demand(len(found) == 1)
    seen.add(found[0])


def _not(validator: Validator, _schema: Any, schema: Any, value: Any, _seen: Evaluated) -> None:
    _demand(validator.holds(schema, value) is None)


def _if(validator: Validator, schema: Any, condition: Any, value: Any, seen: Evaluated) -> None:
    found = validator.holds(condition, value)
    if found is not None:
        seen.add(found)
    branch = "else" if found is None else "then"
    if branch in schema:
        validator._must(schema[branch], value, seen)


_ANY: Final = (_Keyword("type", _type), _Keyword("enum", _enum), _Keyword("const", _const, 6))
_OF_KIND: Final[dict[str, tuple[_Keyword, ...]]] = {
    "number": (
        _Keyword("minimum", _minimum),
        _Keyword("maximum", _maximum),
        _Keyword("exclusiveMinimum", lambda _v, _s, bound, value, _e: _demand(value > bound), 6),
        _Keyword("exclusiveMaximum", lambda _v, _s, bound, value, _e: _demand(value < bound), 6),
        _Keyword("multipleOf", lambda _v, _s, one, value, _e: _demand(Fraction(value) % Fraction(one) == 0)),
    ),
    "string": (
        _Keyword("minLength", lambda _v, _s, least, value, _e: _demand(len(value) >= least)),
        _Keyword("maxLength", lambda _v, _s, most, value, _e: _demand(len(value) <= most)),
        _Keyword("pattern", _pattern),
    ),
    "array": (
        _Keyword("minItems", lambda _v, _s, least, value, _e: _demand(len(value) >= least)),
        _Keyword("maxItems", lambda _v, _s, most, value, _e: _demand(len(value) <= most)),
        _Keyword("prefixItems", _prefix, 2020),
        _Keyword("items", _items),
        _Keyword("additionalItems", _additional_items, until=2019),
        _Keyword("contains", _contains, 6),
        _Keyword("uniqueItems", _unique),
    ),
    "object": (
        _Keyword("required", _required),
        _Keyword("minProperties", lambda _v, _s, least, value, _e: _demand(len(value) >= least)),
        _Keyword("maxProperties", lambda _v, _s, most, value, _e: _demand(len(value) <= most)),
        _Keyword("properties", _properties),
        _Keyword("patternProperties", _pattern_properties),
        _Keyword("additionalProperties", _additional),
        _Keyword("propertyNames", _names, 6),
        _Keyword("dependencies", _dependencies, until=7),
        _Keyword("dependentRequired", _dependencies, 2019),
        _Keyword("dependentSchemas", _dependencies, 2019),
    ),
}
_IN_PLACE: Final = (
    _Keyword("$ref", _ref),
    _Keyword("$recursiveRef", _ref, 2019, 2019),
    _Keyword("$dynamicRef", _ref, 2020),
    _Keyword("allOf", _all_of),
    _Keyword("anyOf", _any_of),
    _Keyword("oneOf", _one_of),
    _Keyword("not", _not),
    _Keyword("if", _if, 7),
)


def _if_array(check: Check) -> Check:
    return lambda v, s, rest, value, seen: check(v, s, rest, value, seen) if isinstance(value, list) else None


def _if_object(check: Check) -> Check:
    return lambda v, s, rest, value, seen: check(v, s, rest, value, seen) if isinstance(value, dict) else None


_LAST: Final = (
    _Keyword("unevaluatedItems", _if_array(_unevaluated_items), 2019),
    _Keyword("unevaluatedProperties", _if_object(_unevaluated_properties), 2019),
)
