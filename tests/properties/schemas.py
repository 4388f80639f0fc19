"""Strategies: schemas of every assertion and applicator of drafts 4 to 2020-12, and values close enough to meet them.

Few keys, few values and small numbers, so that keywords collide. Everything is made by a ``random.Random``: hypothesis
hands in one that it can shrink, a long run by hand a plain one.

References always end: what a schema applies in place lies later in the order ``#``, ``#/$defs/x``, ``#/$defs/y``; below
a member or an element every reference is allowed, so schemas are recursive there.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle.validator import is_same

__all__ = ["DRAFTS", "KEYS", "PATTERNS", "STRINGS", "make_constant", "make_schema", "schemas"]

DRAFTS: Final = {
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
}
KEYS: Final = ("a", "b", "c")
STRINGS: Final = ("", "a", "b", "c", "ab", "ba", "aab", "\u00e9", "\U0001f600", 'a"', "\\n")
PATTERNS: Final = ("a", "^a", "b$", "^[ab]", "^(ab|b)*$", "^.$", "^[^a]*$", "^$", "c|^a")
NUMBERS: Final = (0, 1, 2, 3, -1, 1.0, 0.5, 1.5, 2.5, -0.5, 10, 12)
_BOUNDS: Final = (0, 1, 2, 3, -1, 0.5, 1.5, 2.0, 10, -2.5)
_FACTORS: Final = (1, 2, 0.5, 3, 1.5, 0.1, 1.0)
_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
#: Every reference that is allowed below a member or an element.
_ALL: Final = ("#", "x", "y")

#: Keywords by what they are about, each with the drafts that know it.
_FAMILIES: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "number": dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), (4, 2020)),
    "string": dict.fromkeys(("minLength", "maxLength", "pattern"), (4, 2020)),
    "array": {
        "items": (4, 2020),
        "prefixItems": (2020, 2020),
        "additionalItems": (4, 2019),
        "minItems": (4, 2020),
        "maxItems": (4, 2020),
        "uniqueItems": (4, 2020),
        "contains": (6, 2020),
        "unevaluatedItems": (2019, 2020),
    },
    "object": {
        "properties": (4, 2020),
        "patternProperties": (4, 2020),
        "additionalProperties": (4, 2020),
        "propertyNames": (6, 2020),
        "required": (4, 2020),
        "minProperties": (4, 2020),
        "maxProperties": (4, 2020),
        "dependencies": (4, 7),
        "dependentRequired": (2019, 2020),
        "dependentSchemas": (2019, 2020),
        "unevaluatedProperties": (2019, 2020),
    },
    "logic": {
        "allOf": (4, 2020),
        "anyOf": (4, 2020),
        "oneOf": (4, 2020),
        "not": (4, 2020),
        "if": (7, 2020),
        "$ref": (4, 2020),
        "$recursiveRef": (2019, 2019),
        "$dynamicRef": (2020, 2020),
    },
    "constant": {"const": (6, 2020), "enum": (4, 2020)},
}
_FAMILY_TYPES: Final = {
    "number": ("number", "integer"),
    "string": ("string",),
    "array": ("array",),
    "object": ("object",),
}


def make_constant(chance: random.Random, depth: int = 2) -> Any:
    """Any JSON value; equal ones are likely, also such that are written differently."""
    kind = chance.randrange(8 if depth else 5)
    if kind < 2:
        return chance.choice(NUMBERS)
    if kind < 4:
        return chance.choice(STRINGS)
    if kind == 4:
        return chance.choice((None, True, False))
    if kind < 6:
        return [make_constant(chance, depth - 1) for _ in range(chance.randrange(4))]
    keys = chance.sample(KEYS, chance.randrange(3))
    return {key: make_constant(chance, depth - 1) for key in keys}


class _Maker:
    """One schema document in the making."""

    def __init__(self, chance: random.Random, draft: int, avoid: frozenset[str]) -> None:
        self.chance = chance
        self.draft = draft
        self.home = "$defs" if draft >= 2019 else "definitions"
        self.anchored = draft == 2020 and chance.random() < 0.3
        self.known = {
            family: [name for name, (since, until) in names.items() if since <= draft <= until and name not in avoid]
            for family, names in _FAMILIES.items()
        }

    def document(self, depth: int) -> dict[str, Any]:
        root = self._filled(depth, ("x", "y"))
        definitions = {"x": self._filled(2, ("y",)), "y": self._filled(2, ())}
        if self.anchored:
            for name, one in definitions.items():
                one["$dynamicAnchor"] = name
        if not _names(root, "x") and not _names(definitions["y"], "x"):
            del definitions["x"]
        if not any(_names(one, "y") for one in (root, *definitions.values())):
            definitions.pop("y")
        return {"$schema": DRAFTS[self.draft], **root, **({self.home: definitions} if definitions else {})}

    def schema(self, depth: int, legal: tuple[str, ...]) -> Any:
        """A schema; ``legal``: the references it may make in place."""
        if depth <= 0 or self.chance.random() < 0.2:
            return self._leaf()
        return self._filled(depth, legal)

    def below(self, depth: int) -> Any:
        """A schema of members or elements."""
        if "$ref" in self.known["logic"] and self.chance.random() < 0.08:
            return self._reference(_ALL)
        return self.schema(depth, _ALL)

    def _leaf(self) -> Any:
        kind = self.chance.randrange(6)
        if kind == 0:
            return {} if self.draft == 4 else True
        if kind == 1:
            return {"type": list(self.chance.sample(_TYPES, 2))} if self.draft == 4 else False
        if kind == 2:
            return {"type": self.chance.choice(_TYPES)}
        if kind == 3 and self.known["constant"]:
            return self._filled(0, (), family="constant")
        return self._filled(0, (), family=self.chance.choice(("number", "string")))

    def _filled(self, depth: int, legal: tuple[str, ...], family: str = "") -> dict[str, Any]:
        chance = self.chance
        families = ["object", "array", "logic", "object", "array", "logic", "number", "string", "constant", "mixed"]
        family = family or chance.choice(families if depth else families[6:9])
        if family == "mixed":
            pool = [name for names in self.known.values() for name in names]
        else:
            pool = list(self.known[family])
            if depth and chance.random() < 0.35:
                pool += self.known["logic"]
        if not depth:
            pool = [name for name in pool if not hasattr(self, f"_{name.strip('$')}") or name in _FLAT]
        chosen = chance.sample(pool, min(len(pool), chance.choice((1, 1, 2, 2, 3, 4))))
        made: dict[str, Any] = {}
        if chance.random() < 0.4:
            types = _FAMILY_TYPES.get(family, _TYPES)
            one = chance.choice(types if chance.random() < 0.8 else _TYPES)
            made["type"] = one if chance.random() < 0.8 else sorted({one, chance.choice(_TYPES)})
        for name in chosen:
            make: Callable[[int, tuple[str, ...]], Mapping[str, Any]] = getattr(self, f"_{name.strip('$')}")
            made |= make(depth - 1, legal)
        if depth and family in _FAMILY_TYPES and "not" in self.known["logic"] and chance.random() < 0.15:
            # Bounds beside the negation of bounds: seldom met otherwise.
            made |= {"not": self._filled(depth - 1, legal, family)}
        return made

    # ---- one method a keyword, which may bring its companions ------------------------------------------------------

    def _minimum(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        return {"minimum": self.chance.choice(_BOUNDS)}

    def _maximum(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        return {"maximum": self.chance.choice(_BOUNDS)}

    def _exclusiveMinimum(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        if self.draft == 4:
            return {"minimum": self.chance.choice(_BOUNDS), "exclusiveMinimum": self.chance.random() < 0.7}
        return {"exclusiveMinimum": self.chance.choice(_BOUNDS)}

    def _exclusiveMaximum(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        if self.draft == 4:
            return {"maximum": self.chance.choice(_BOUNDS), "exclusiveMaximum": self.chance.random() < 0.7}
        return {"exclusiveMaximum": self.chance.choice(_BOUNDS)}

    def _multipleOf(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"multipleOf": self.chance.choice(_FACTORS)}

    def _minLength(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"minLength": self.chance.randrange(4)}

    def _maxLength(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"maxLength": self.chance.randrange(4)}

    def _pattern(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        return {"pattern": self.chance.choice(PATTERNS)}

    def _items(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        if self.draft < 2020 and self.chance.random() < 0.4:
            return {"items": self._several(depth, None)}
        return {"items": self.below(depth)}

    def _prefixItems(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"prefixItems": self._several(depth, None)}

    def _additionalItems(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"items": self._several(depth, None), "additionalItems": self._open_or(depth)}

    def _minItems(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"minItems": self.chance.randrange(4)}

    def _maxItems(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"maxItems": self.chance.randrange(4)}

    def _uniqueItems(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"uniqueItems": self.chance.random() < 0.9}

    def _contains(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        made = {"contains": self.below(depth)}
        if self.draft >= 2019:
            if self.chance.random() < 0.5:
                made["minContains"] = self.chance.randrange(3)
            if self.chance.random() < 0.5:
                made["maxContains"] = self.chance.randrange(3)
        return made

    def _unevaluatedItems(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"unevaluatedItems": self._open_or(depth)}

    def _properties(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        return {"properties": {key: self.below(depth) for key in self._keys()}}

    def _patternProperties(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        patterns = self.chance.sample(PATTERNS, self.chance.choice((1, 1, 2)))
        return {"patternProperties": {pattern: self.below(depth) for pattern in patterns}}

    def _additionalProperties(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"additionalProperties": self._open_or(depth)}

    def _propertyNames(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        if self.chance.random() < 0.2:
            return {"propertyNames": self.below(depth)}
        family = self.chance.choice(("string", "constant", "logic") if depth > 0 else ("string", "constant"))
        return {"propertyNames": self._filled(max(depth, 0), _ALL, family=family)}

    def _required(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        return {"required": self._keys()}

    def _minProperties(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"minProperties": self.chance.randrange(4)}

    def _maxProperties(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"maxProperties": self.chance.randrange(4)}

    def _dependencies(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:
        demands = {
            key: self._keys(0) if self.chance.random() < 0.5 else self.schema(depth, legal) for key in self._keys()
        }
        if self.draft == 4:
            demands = {key: demand or ["a"] for key, demand in demands.items() if demand != []}
        return {"dependencies": demands}

    def _dependentRequired(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"dependentRequired": {key: self._keys(0) for key in self._keys()}}

    def _dependentSchemas(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"dependentSchemas": {key: self.schema(depth, legal) for key in self._keys()}}

    def _unevaluatedProperties(self, depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"unevaluatedProperties": self._open_or(depth)}

    def _allOf(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"allOf": self._several(depth, legal)}

    def _anyOf(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"anyOf": self._several(depth, legal)}

    def _oneOf(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"oneOf": self._several(depth, legal)}

    def _not(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:
        return {"not": self.schema(depth, legal)}

    def _if(self, depth: int, legal: tuple[str, ...]) -> dict[str, Any]:
        made = {"if": self.schema(depth, legal)}
        for branch in ("then", "else"):
            if self.chance.random() < 0.7:
                made[branch] = self.schema(depth, legal)
        return made

    def _ref(self, _depth: int, legal: tuple[str, ...]) -> dict[str, Any]:
        return self._reference(legal) if legal else {}

    def _recursiveRef(self, _depth: int, legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"$recursiveRef": "#"} if "#" in legal else {}

    def _dynamicRef(self, _depth: int, legal: tuple[str, ...]) -> dict[str, Any]:  # noqa: N802
        return {"$dynamicRef": self._reference(legal)["$ref"]} if legal else {}

    def _const(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        return {"const": make_constant(self.chance)}

    def _enum(self, _depth: int, _legal: tuple[str, ...]) -> dict[str, Any]:
        made: list[Any] = []
        for _ in range(self.chance.choice((1, 2, 2, 3, 4))):
            one = make_constant(self.chance)
            # The metaschema of draft 4 wants them to differ.
            if not any(is_same(one, other) for other in made):
                made.append(one)
        return {"enum": made}

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _several(self, depth: int, legal: tuple[str, ...] | None) -> list[Any]:
        count = self.chance.choice((1, 2, 2, 3))
        return [self.below(depth) if legal is None else self.schema(depth, legal) for _ in range(count)]

    def _open_or(self, depth: int) -> Any:
        """Often ``false``, where most lies hidden."""
        return self.below(depth) if self.chance.random() < 0.5 else False

    def _keys(self, least: int = 1) -> list[str]:
        return self.chance.sample(KEYS, self.chance.choice((least, 1, 2)))

    def _reference(self, legal: tuple[str, ...]) -> dict[str, Any]:
        name = self.chance.choice(legal)
        if name == "#":
            return {"$ref": "#"}
        return {"$ref": f"#{name}" if self.anchored else f"#/{self.home}/{name}"}


def _names(schema: Any, name: str) -> bool:
    """Whether a schema refers to a definition."""
    return any(f'ef": "{start}{name}"' in json.dumps(schema) for start in ("#", "#/$defs/", "#/definitions/"))


#: Keywords that need no subschema.
_FLAT: Final = frozenset(
    {
        *_FAMILIES["number"],
        *_FAMILIES["string"],
        *_FAMILIES["constant"],
        *("minItems", "maxItems", "uniqueItems", "required", "minProperties", "maxProperties", "dependentRequired"),
    }
)


def make_schema(
    chance: random.Random, draft: int, avoid: frozenset[str] = frozenset(), *, depth: int = 3
) -> dict[str, Any]:
    """A schema document of a draft without the keywords ``avoid``, its root nested up to ``depth``."""
    return _Maker(chance, draft, avoid).document(depth)


def schemas(draft: int, avoid: frozenset[str] = frozenset()) -> st.SearchStrategy[dict[str, Any]]:
    """Schema documents of a draft."""
    return st.randoms(use_true_random=False).map(lambda chance: make_schema(chance, draft, avoid))
