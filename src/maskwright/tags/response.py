"""The field ``response_format`` of chat interfaces, as a constraint."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from maskwright.constraint import Constraint, frozen, json_schema, regex
from maskwright.errors import ConstraintError, PolicyError, Problem, SchemaError, excerpt, label
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.notations import gbnf
from maskwright.schema.document import read_json
from maskwright.tags.structural import structural_tag
from maskwright.tags.thoughts import thinking as think

__all__ = ["response_format"]

_HERE: Final = "response_format"
#: Names of schemas, as OpenAI's interface takes them.
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ANY_TEXT: Final = {"type": "any_text"}
_ANY_OBJECT: Final = {"type": "object"}


def response_format(
    given: object, *, thinking: object = None, limits: Limits = DEFAULT_LIMITS, **policies: Any
) -> Constraint:
    """What a ``response_format`` asks for.

    Types are ``text``, ``json_object``, ``json_schema``, ``structural_tag``, ``regex`` (``pattern``) and, as Fireworks
    and llama.cpp write it, ``grammar`` (``grammar``: GBNF).

    The name and the schema of ``json_schema`` stand in a field of that name or, as OpenAI's Responses interface has it,
    beside the type. It is enforced as it is written, whether ``strict`` or not: servers that do not constrain what is
    not strict give no more than that. What strict modes refuse is told by :mod:`maskwright.dialects`.

    Args:
        given: The object, or its JSON text; ``None`` stands for ``text``.
        thinking: As for :func:`maskwright.tools`: what ends the thinking before the answer.
        limits: Caps on sizes, depths and times.
        **policies: Those of :func:`maskwright.json_schema`.

    Raises:
        SchemaError: fields that are missing, unknown or wrong, with a path: ``response_format.json_schema.name``.
        ConstraintError: what the schema in it raises, with the JSON pointer behind that path.
    """
    given = given if isinstance(given, (str, bytes)) else frozen(given)
    parsed = read_json(given, limits) if isinstance(given, (str, bytes)) else given
    if parsed is None:
        parsed = {"type": "text"}
    if not isinstance(parsed, Mapping):
        raise _fault("", f"it is an object, not {excerpt(parsed)}")
    kind = parsed.get("type")
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        reason = f"unknown type {excerpt(kind)}" if "type" in parsed else "there is no type"
        raise _fault(".type", reason, keyword="type", remedy=f"types are {', '.join(_KINDS)}")
    made = make(parsed, limits, policies)
    if thinking is not None and thinking is not False:
        made = _after_thinking(made, thinking)
    return Constraint(
        "response_format",
        made.network,
        rebuild=partial(response_format, given, thinking=thinking, limits=limits, **policies),
        limits=limits,
        policies={"type": kind, **made.policies},
        warnings=made.warnings,
        reading=made.reading,
    )


def _after_thinking(made: Constraint, given: object) -> Constraint:
    if given is True:
        return think(made)
    marks = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(marks) <= len(("end", "begin")) or not all(isinstance(mark, str) for mark in marks):
        raise PolicyError(f"thinking is None, True, or the mark that ends it, not {excerpt(given, 80)}")
    return think(made, end=marks[0], begin=marks[1] if len(marks) > 1 else None)


def _fault(path: str, reason: str, *, keyword: str = "", remedy: str = "") -> SchemaError:
    return SchemaError(Problem(reason, place=_HERE + path, keyword=keyword, remedy=remedy))


def _known(given: Mapping[str, Any], path: str, must: tuple[str, ...], may: tuple[str, ...] = ()) -> None:
    for name in must:
        if name not in given:
            raise _fault(f"{path}.{name}", f"there is no {name}", keyword=name)
    for name in given:
        if name not in must and name not in may:
            remedy = f"known are {', '.join((*must, *may))}"
            raise _fault(f"{path}.{label(name)}", f"unknown field {excerpt(name)}", keyword=label(name), remedy=remedy)


def _told(path: str, make: Callable[[], Constraint]) -> Constraint:
    """A constraint whose problems are told with the path to what it is made of."""
    try:
        return make()
    except ConstraintError as error:
        raise type(error)(*(replace(problem, place=path + problem.place) for problem in error.problems)) from error


def _text(given: Mapping[str, Any], limits: Limits, policies: Mapping[str, Any]) -> Constraint:
    del policies
    _known(given, "", ("type",))
    return structural_tag(_ANY_TEXT, limits=limits)


def _json_object(given: Mapping[str, Any], limits: Limits, policies: Mapping[str, Any]) -> Constraint:
    _known(given, "", ("type",), ("schema",))
    # llama.cpp and Together give the schema here.
    schema = given.get("schema")
    if schema is None:
        return json_schema(_ANY_OBJECT, limits=limits, **policies)
    return _told(f"{_HERE}.schema", lambda: json_schema(schema, limits=limits, **policies))


def _json_schema(given: Mapping[str, Any], limits: Limits, policies: Mapping[str, Any]) -> Constraint:
    inner, path = given, ""
    if "json_schema" in given or not given.keys() & {"name", "schema"}:
        _known(given, "", ("type", "json_schema"))
        inner, path = given["json_schema"], ".json_schema"
    if not isinstance(inner, Mapping):
        raise _fault(".json_schema", f"json_schema is an object, not {excerpt(inner)}", keyword="json_schema")
    _known(inner, path, ("name", "schema"), ("description", "strict", *(() if path else ("type",))))
    name, strict = inner["name"], inner.get("strict")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        remedy = "1 to 64 of letters, digits, underscores and hyphens"
        raise _fault(f"{path}.name", f"a name that is none: {excerpt(name, 80)}", keyword="name", remedy=remedy)
    if strict is not None and not isinstance(strict, bool):
        raise _fault(f"{path}.strict", f"strict is a boolean, not {excerpt(strict)}", keyword="strict")
    return _told(f"{_HERE}{path}.schema", lambda: json_schema(inner["schema"], limits=limits, **policies))


def _structural_tag(given: Mapping[str, Any], limits: Limits, policies: Mapping[str, Any]) -> Constraint:
    return _told(_HERE, lambda: structural_tag(given, limits=limits, **policies))


def _regex(given: Mapping[str, Any], limits: Limits, policies: Mapping[str, Any]) -> Constraint:
    del policies
    _known(given, "", ("type", "pattern"))
    return _told(f"{_HERE}.pattern", lambda: regex(given["pattern"], limits=limits))


def _grammar(given: Mapping[str, Any], limits: Limits, policies: Mapping[str, Any]) -> Constraint:
    del policies
    _known(given, "", ("type", "grammar"))
    return _told(f"{_HERE}.grammar", lambda: gbnf(given["grammar"], limits=limits))


#: Type to what makes the constraint.
_KINDS: Final[dict[str, Callable[[Mapping[str, Any], Limits, Mapping[str, Any]], Constraint]]] = {
    "text": _text,
    "json_object": _json_object,
    "json_schema": _json_schema,
    "structural_tag": _structural_tag,
    "regex": _regex,
    "grammar": _grammar,
}
