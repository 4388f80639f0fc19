"""From a value of a rewritten schema back to the shape of the original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from maskwright.dialects.constants import json_equal
from maskwright.dialects.disjoint import KINDS, kind_of
from maskwright.dialects.meeting import TESTS, matches
from maskwright.dialects.rules import step
from maskwright.dialects.steps import Steps, run

__all__ = ["restore"]

Schema = dict[str, Any]
#: Whether a value fits a schema, and the value in its original shape.
Fit = tuple[bool, Any]


def restore(value: Any, schema: Any, absent: Mapping[str, frozenset[str]]) -> Any:
    """The value without the nulls that stand for absent properties; ``absent``: place of an object -> their names.

    Of alternatives the first that fits is taken, which is seen by everything but ``format``. Iterative.
    """
    return run(_Reader(schema, absent).read(value, schema, "#", frozenset()))[1]


class _Reader:
    """One value while it is read along its schema."""

    def __init__(self, root: Any, absent: Mapping[str, frozenset[str]]) -> None:
        """Nothing is read yet."""
        definitions = root.get("$defs", {}) if isinstance(root, dict) else {}
        self._targets: Schema = {"#": root} | {f"#/$defs/{name}": one for name, one in definitions.items()}
        self._absent = absent
        #: By the identities of a container, which is kept beside the answer, and of a schema: alternatives read a value
        #: again and again, which would take time exponential in its depth.
        self._known: dict[tuple[int, int], tuple[Any, Fit]] = {}

    def read(self, value: Any, schema: Any, place: str, above: frozenset[str]) -> Steps[Fit]:
        """Read a value by a schema; ``above``: the references that were followed to this very value."""
        if not isinstance(schema, dict):
            return schema is not False, value
        key = (id(value), id(schema))
        if key in self._known:
            return self._known[key][1]
        found: Fit = yield self._read(value, schema, place, above)
        if isinstance(value, (dict, list)):
            self._known[key] = (value, found)
        return found

    def _read(self, value: Any, schema: Schema, place: str, above: frozenset[str]) -> Steps[Fit]:
        fits = _is_scalar_fit(value, schema)
        reference = schema.get("$ref")
        if reference in self._targets and reference not in above:
            well, value = yield self.read(value, self._targets[reference], reference, above | {reference})
            fits = fits and well
        if "anyOf" in schema:
            well, value = yield self._choose(value, schema["anyOf"], f"{place}/anyOf", above)
            fits = fits and well
        if not fits:
            return False, value
        if isinstance(value, dict):
            well, value = yield self._object(value, schema, place)
        elif isinstance(value, list):
            well, value = yield self._array(value, schema, place)
        else:
            well = True
        return well, value

    def _choose(self, value: Any, branches: list[Any], place: str, above: frozenset[str]) -> Steps[Fit]:
        for index, branch in enumerate(branches):
            well, made = yield self.read(value, branch, f"{place}/{index}", above)
            if well:
                return True, made
        return False, value

    def _object(self, value: dict[str, Any], schema: Schema, place: str) -> Steps[Fit]:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        fits = all(name in value for name in schema.get("required", ()))
        missing = self._absent.get(place, frozenset())
        made = {}
        for name, one in value.items():
            if one is None and name in missing:
                continue
            if name in properties:
                well, made[name] = yield self.read(
                    one, properties[name], step(f"{place}/properties", name), frozenset()
                )
            else:
                well, made[name] = yield self.read(one, others, f"{place}/additionalProperties", frozenset())
            fits = fits and well
        return fits, made

    def _array(self, value: list[Any], schema: Schema, place: str) -> Steps[Fit]:
        first, rest = schema.get("prefixItems", []), schema.get("items", True)
        fits = len(value) >= schema.get("minItems", 0) and len(value) <= schema.get("maxItems", len(value))
        made = []
        for index, one in enumerate(value):
            if index < len(first):
                well, item = yield self.read(one, first[index], f"{place}/prefixItems/{index}", frozenset())
            else:
                well, item = yield self.read(one, rest, f"{place}/items", frozenset())
            fits = fits and well
            made.append(item)
        return fits, made


def _is_scalar_fit(value: Any, schema: Schema) -> bool:
    """Whether a value meets the keywords that do not speak about members."""
    kind, given = kind_of(value), schema.get("type")
    if given is not None:
        names = [given] if isinstance(given, str) else given
        if not any(kind in KINDS[name] for name in names):
            return False
    if "enum" in schema and not any(json_equal(value, one) for one in schema["enum"]):
        return False
    if "const" in schema and not json_equal(value, schema["const"]):
        return False
    if kind in KINDS["number"] or kind == "string":
        bounds = ("minLength", "maxLength") if kind == "string" else NUMBERS
        if not all(TESTS[keyword](value, schema[keyword]) for keyword in bounds if keyword in schema):
            return False
    return kind != "string" or matches(schema.get("pattern", ""), value) is not False


NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
