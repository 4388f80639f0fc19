"""Fields that carry a constraint (response_format, structured_outputs, grammar ..), and the prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from maskwright.errors import excerpt
from maskwright.wire.generation import Asked
from maskwright.wire.kinds import Kind, boolean, wrong_type
from maskwright.wire.messages import CONTENT, joined
from maskwright.wire.refusals import invalid, missing, unsupported

__all__ = ["ANY_SCHEMA", "PREDICTION", "RESPONSE_FORMAT", "STRUCTURED_OUTPUTS", "as_asked", "source"]

_TYPES: Final = ("text", "json_object", "json_schema", "structural_tag", "regex", "grammar")
#: Members of vLLM's ``structured_outputs`` of which exactly one is given.
_SIX: Final = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
_SWITCHES: Final = ("disable_any_whitespace", "disable_additional_properties", "disable_fallback")


def _response_format(value: Any, param: str) -> Mapping[str, Any] | None:
    """The object without members that are null; None for ``text``. What is in it is read with the constraint."""
    if not isinstance(value, Mapping):
        raise wrong_type(param, "an object with a type", value)
    kind = value.get("type")
    if kind is None:
        raise missing(f"{param}.type")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise invalid(f"{param}.type", f"it is one of {', '.join(_TYPES)}, not {excerpt(kind, 80)}")
    if kind == "text":
        return None
    found = {name: one for name, one in value.items() if one is not None}
    inner = found.get("json_schema")
    if kind == "json_schema" and isinstance(inner, Mapping):
        found["json_schema"] = {name: one for name, one in inner.items() if one is not None}
        for name in ("name", "schema"):
            if name not in found["json_schema"]:
                raise missing(f"{param}.json_schema.{name}")
    return found


def _structured(value: Any, param: str) -> Asked:
    if not isinstance(value, Mapping):
        raise wrong_type(param, "an object", value)
    given = {name: one for name, one in value.items() if one is not None}
    kinds = [name for name in _SIX if name in given and given[name] is not False]
    for name in given:
        if name in ("whitespace_pattern", "backend"):
            raise unsupported(f"{param}.{name}", "blanks are bounded here; disable_any_whitespace leaves none")
        if name not in _SIX and name not in _SWITCHES and not name.startswith("_"):
            known = ", ".join((*_SIX, *_SWITCHES))
            raise invalid(f"{param}.{name}", f"the members are {known}", code="unknown_parameter")
    if len(kinds) != 1:
        said = "none is given" if not kinds else f"{' and '.join(kinds)} are given"
        raise invalid(param, f"it has exactly one of {', '.join(_SIX)}; {said}")
    return Asked(
        kind=kinds[0], source=_six(kinds[0], given[kinds[0]], f"{param}.{kinds[0]}"), param=f"{param}.{kinds[0]}",
        policies=_policies(given, param),
    )  # fmt: skip


def _policies(given: Mapping[str, Any], param: str) -> dict[str, str]:
    switches = {name: boolean().read(given[name], f"{param}.{name}") for name in _SWITCHES if name in given}
    found = {"whitespace": "compact"} if switches.get("disable_any_whitespace") else {}
    return found | ({"objects": "closed"} if switches.get("disable_additional_properties") else {})


def _six(name: str, value: Any, param: str) -> Any:
    """The member of structured_outputs with this name, if it is of its type."""
    if name == "json_object":
        return boolean().read(value, param)
    if name in ("regex", "grammar") and not isinstance(value, str):
        raise wrong_type(param, "a string", value)
    if name == "choice" and not (isinstance(value, list) and all(isinstance(one, str) for one in value) and value):
        raise wrong_type(param, "a list of strings that is not empty", value)
    if name in ("json", "structural_tag") and not isinstance(value, (str, dict, bool)):
        raise wrong_type(param, "an object, or its JSON text", value)
    return value


def source(kind: str, words: str, example: str) -> Kind:
    """A field of its own with the text of a grammar or pattern."""

    def read(value: Any, param: str) -> Asked | None:
        if not isinstance(value, str):
            raise wrong_type(param, "a string", value)
        return Asked(kind=kind, source=value, param=param) if value else None

    return Kind(read, {"type": "string", "examples": [example]}, words)


def _any_schema(value: Any, param: str) -> Asked:
    if not isinstance(value, dict):
        raise wrong_type(param, "a JSON Schema, which is an object", value)
    return Asked(kind="json", source=value, param=param)


def as_asked(value: Mapping[str, Any] | None) -> Asked | None:
    """A ``response_format`` as the constraint that it is."""
    return None if value is None else Asked(kind="response_format", source=value, param="response_format")


def _prediction(value: Any, param: str) -> str:
    if not isinstance(value, Mapping):
        raise wrong_type(param, "an object with type and content", value)
    if value.get("type") != "content":
        raise invalid(f"{param}.type", f"it is content, not {excerpt(value.get('type'), 80)}")
    if value.get("content") is None:
        raise missing(f"{param}.content")
    return joined(value["content"], f"{param}.content")


def _tagged(kind: str, required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    properties = {"type": {"const": kind}, **more}
    return {
        "type": "object",
        "properties": properties,
        "required": ["type", *required],
        "additionalProperties": {"type": "null"},
    }


_NULL: Final = {"type": "null"}
_EXAMPLE: Final = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
_SCHEMA: Final = {"type": "object", "description": "A JSON Schema.", "examples": [_EXAMPLE]}
_PATTERN: Final = {"type": "string", "description": "A regular expression.", "examples": ["[a-z]{1,9}"]}
_RULES: Final = {"type": "string", "description": "A grammar.", "examples": ['root ::= "yes" | "no"']}
_TAG: Final = {"type": "object", "description": "A structural tag.", "examples": [{"type": "any_text"}]}


def _format_schema() -> dict[str, Any]:
    inner = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
            "description": {"type": ["string", "null"]},
            "schema": {"anyOf": [_SCHEMA, {"type": "boolean"}]},
            "strict": {"type": ["boolean", "null"]},
        },
        "required": ["name", "schema"],
        "additionalProperties": {"type": "null"},
    }
    return {
        "oneOf": [
            _tagged("text"),
            _tagged("json_object"),
            _tagged("json_schema", ("json_schema",), json_schema=inner),
            _tagged("structural_tag", ("format",), format=_TAG),
            _tagged("regex", ("pattern",), pattern=_PATTERN),
            _tagged("grammar", ("grammar",), grammar=_RULES),
        ]
    }


def _structured_schema() -> dict[str, Any]:
    members: dict[str, dict[str, Any]] = {
        "json": {"anyOf": [_SCHEMA, {"type": "string", "contentMediaType": "application/json"}]},
        "regex": _PATTERN,
        "choice": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "grammar": _RULES,
        "json_object": {"const": True},
        "structural_tag": _TAG,
    }
    switches = {key: {"type": ["boolean", "null"]} for key in _SWITCHES}
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    **dict.fromkeys(members, _NULL),
                    "json_object": {"enum": [None, False]},
                    **switches,
                    name: kind,
                },
                "required": [name],
                "additionalProperties": False,
            }
            for name, kind in members.items()
        ]
    }


RESPONSE_FORMAT: Final = Kind(_response_format, _format_schema(), " \\| ".join(f"`{kind}`" for kind in _TYPES))
STRUCTURED_OUTPUTS: Final = Kind(
    _structured, _structured_schema(), f"object with one of {', '.join(f'`{name}`' for name in _SIX)}"
)
ANY_SCHEMA: Final = Kind(_any_schema, _SCHEMA, "JSON Schema")
PREDICTION: Final = Kind(
    _prediction,
    {
        "type": "object",
        "properties": {"type": {"const": "content"}, "content": CONTENT},
        "required": ["type", "content"],
        "additionalProperties": False,
    },
    "object with type `content` and a text, or parts of text",
)
