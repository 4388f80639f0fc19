"""Draft 3, read as draft 4: what the old keywords say, said by their successors (draft-zyp-json-schema-03).

A schema of draft 3 is rewritten when it is first reached, one level at a time; the schemas below it stay as they are.
"""

from __future__ import annotations

from typing import Any, Final

from maskwright.errors import Problem, SchemaError
from maskwright.schema.document import shown
from maskwright.schema.drafts import DRAFT_3_FORMS

__all__ = ["meaningless", "modernised", "written_at"]

#: Keywords of draft 4 to those of draft 3 that they stand for; a schema of draft 3 cannot use them itself.
_WRITTEN: Final = {"allOf": "extends", "anyOf": "type", "not": "disallow", "multipleOf": "divisibleBy"}


def modernised(value: dict[str, Any]) -> dict[str, Any]:
    """The schema in the keywords of draft 4; linear in the number of its keywords and properties.

    Raises :class:`maskwright.errors.SchemaError` without a place for keywords of the wrong form.
    """
    for name, keyword in DRAFT_3_FORMS.items():
        if name in value and not keyword.check(value[name]):
            reason = f"`{name}` must be {keyword.form}, not {shown(value[name])}"
            raise SchemaError(Problem(reason, keyword=name))
    made = {name: given for name, given in value.items() if name not in _WRITTEN and name != "required"}
    if isinstance(value.get("$ref"), str):
        return made
    _types(value, made)
    _layers(value, made)
    _members(value, made)
    return made


def meaningless(written: dict[str, Any]) -> list[str]:
    """The keywords of a schema of draft 3 that are read as nothing, since only later drafts know them."""
    return [name for name in _WRITTEN if name in written]


def written_at(tokens: tuple[str | int, ...], written: dict[str, Any]) -> tuple[str | int, ...]:
    """Where a subschema of the modernised schema stands in the schema as it was written."""
    name = _WRITTEN.get(str(tokens[0]))
    if name is None:
        return tokens
    return (name, *tokens[1:]) if isinstance(written.get(name), list) and name != "disallow" else (name,)


def _types(value: dict[str, Any], made: dict[str, Any]) -> None:
    """``any`` allows everything; schemas beside names are alternatives; ``disallow`` is the opposite."""
    given = value.get("type")
    names = given if isinstance(given, list) else [given]
    if "any" in names:
        del made["type"]
    elif any(isinstance(name, dict) for name in names):
        del made["type"]
        made["anyOf"] = [name if isinstance(name, dict) else {"type": name} for name in names]
    if "disallow" in value:
        made["not"] = {"type": value["disallow"]}


def _layers(value: dict[str, Any], made: dict[str, Any]) -> None:
    """``extends`` names one schema or several that hold as well."""
    given = value.get("extends", [])
    layers = list(given) if isinstance(given, list) else [given]
    if layers:
        made["allOf"] = layers
    if "divisibleBy" in value:
        made["multipleOf"] = value["divisibleBy"]


def _members(value: dict[str, Any], made: dict[str, Any]) -> None:
    """A property says itself whether it is required; a dependency may be one name."""
    properties = value.get("properties")
    if isinstance(properties, dict):
        below = properties.items()
        required = [name for name, schema in below if isinstance(schema, dict) and schema.get("required") is True]
        if required:
            made["required"] = required
    dependencies = value.get("dependencies")
    if isinstance(dependencies, dict):
        made["dependencies"] = {name: [need] if isinstance(need, str) else need for name, need in dependencies.items()}
