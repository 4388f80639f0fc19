"""Lists of tools and choices among them, as requests carry them; every fault is told with the tool and its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from maskwright.constraint import frozen
from maskwright.errors import ConstraintError, PolicyError, Problem, SchemaError, excerpt, label
from maskwright.schema.python_types import is_python_type, schema_of

__all__ = ["Choice", "Tool", "read_choice", "read_tools"]

#: Names of functions, as OpenAI's and Cerebras's interfaces take them.
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FIELDS: Final = frozenset({"name", "description", "parameters", "strict", "returns"})
_REMEDY: Final = 'a tool is {"type": "function", "function": {"name": .., "parameters": ..}}'
_MODES: Final = ("auto", "none", "required")


class Tool(NamedTuple):
    """One tool: its name, and the schema of its arguments, which are an object."""

    name: str
    schema: dict[str, Any]
    #: Whether the schema was asked not to be enforced: any object will do.
    is_loose: bool
    #: Where the schema stands in the list, as a JSON pointer.
    place: str

    def plain(self) -> dict[str, Any]:
        """The tool as an element of a list."""
        return {"name": self.name, "parameters": self.schema, **({"strict": False} if self.is_loose else {})}


class Choice(NamedTuple):
    """What was chosen: a mode, and the tools that may be called (``None``: all of them)."""

    #: ``"auto"``, ``"none"``, ``"required"`` or ``"named"`` (exactly one call).
    mode: str
    names: tuple[str, ...] | None = None


def read_tools(tools: object, *, strict: bool | None) -> tuple[Tool, ...]:
    """The tools of a list in OpenAI's shape, bare objects with a name, or Python functions and types.

    Raises:
        SchemaError: what is not a tool, has a name that is none or comes twice, or unknown fields; all at once.
    """
    if strict is not None and not isinstance(strict, bool):
        raise PolicyError(f"strict is True, False or None, not {excerpt(strict)}")
    if not isinstance(tools, Iterable) or isinstance(tools, (str, bytes, Mapping)):
        raise PolicyError(f"tools is a list of tools, not {type(tools).__name__}")
    found: list[Tool] = []
    problems: list[Problem] = []
    names: dict[str, int] = {}
    for index, given in enumerate(tools):
        try:
            tool = _read_tool(index, given, strict=strict)
        except ConstraintError as error:
            problems.extend(error.problems)
            continue
        first = names.setdefault(tool.name, index)
        if first != index:
            reason = f"tools {first} and {index} are both called {tool.name}"
            problems.append(Problem(reason, place=f"#/{index}", keyword="name", remedy="give every tool its own name"))
        found.append(tool)
    if problems:
        raise SchemaError(*problems)
    return tuple(found)


def _read_tool(index: int, given: object, *, strict: bool | None) -> Tool:
    if is_python_type(given):
        name = str(getattr(given, "__name__", ""))
        return _tool(index, f"#/{index}", {"name": name, "parameters": schema_of(given)}, strict=strict)
    if not isinstance(given, Mapping):
        raise SchemaError(Problem(f"tool {index} is no object: {excerpt(given)}", place=f"#/{index}", remedy=_REMEDY))
    _check_type(index, given)
    if "function" not in given:
        return _tool(index, f"#/{index}", given, strict=strict)
    inner = given["function"]
    unknown = sorted(label(key) for key in set(given) - {"type", "function"})
    if unknown or not isinstance(inner, Mapping):
        reason = f"tool {index} has unknown fields: {', '.join(unknown)}" if unknown else "function is no object"
        raise SchemaError(Problem(reason, place=f"#/{index}", keyword="function", remedy=_REMEDY))
    return _tool(index, f"#/{index}/function", inner, strict=strict)


def _check_type(index: int, given: Mapping[str, Any]) -> None:
    if given.get("type", "function") != "function":
        kind = excerpt(given["type"])
        reason = f"tool {index} is of type {kind}; only functions have arguments that can be constrained"
        raise SchemaError(Problem(reason, place=f"#/{index}/type", keyword="type", remedy=_REMEDY))


def _tool(index: int, place: str, given: Mapping[str, Any], *, strict: bool | None) -> Tool:
    name = given.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        fault = "has no name" if name is None else f"has a name that is none: {excerpt(name, 80)}"
        reason = f"tool {index} {fault}"
        remedy = "1 to 64 of letters, digits, underscores and hyphens"
        raise SchemaError(Problem(reason, place=f"{place}/name", keyword="name", remedy=remedy))
    _check_type(index, given)
    unknown = sorted(label(key) for key in set(given) - _FIELDS - {"type"})
    if unknown:
        reason = f"tool {index} ({name}) has unknown fields: {', '.join(unknown)}"
        raise SchemaError(
            Problem(reason, place=place, keyword=unknown[0], remedy=f"known: {', '.join(sorted(_FIELDS))}")
        )
    own = given.get("strict")
    if own is not None and not isinstance(own, bool):
        raise SchemaError(Problem(f"tool {index} ({name}): strict is no boolean", place=f"{place}/strict"))
    is_loose = (own if strict is None else strict) is False
    place += "/parameters"
    return Tool(name, _schema(f"tool {index} ({name})", given.get("parameters"), place), is_loose, place)


def _schema(tool: str, given: object, place: str) -> dict[str, Any]:
    """The schema of the arguments, which says that they are an object."""
    if given is None or given is True:
        return {"type": "object"}
    if is_python_type(given):
        given = schema_of(given)
    if not isinstance(given, Mapping):
        raise SchemaError(Problem(f"{tool}: parameters is no JSON Schema: {excerpt(given)}", place=place))
    types = given.get("type", "object")
    if types == "object":
        return {**frozen(given), "type": "object"}
    if isinstance(types, list) and "object" in types and all(isinstance(one, str) for one in types):
        return {**frozen(given), "type": "object"}
    reason = f"{tool}: arguments are an object, but the schema is of type {excerpt(types)}"
    raise SchemaError(Problem(reason, place=f"{place}/type", keyword="type", remedy='write "type": "object"'))


def read_choice(choice: object, tools: Sequence[Tool]) -> Choice:
    """A choice in any of the shapes of OpenAI's interfaces, or a tool's name.

    Raises:
        PolicyError: it is none of them, names a tool that is not in the list, or demands a call without tools.
    """
    found = _read_choice(choice)
    known = {tool.name for tool in tools}
    unknown = sorted(set(found.names or ()) - known)
    if unknown:
        there = f"; the tools are {', '.join(sorted(known))[:200]}" if known else "; there are no tools"
        raise PolicyError(f"choice names a tool that is not in the list: {', '.join(unknown)}{there}")
    if found.mode in ("required", "named") and not (known if found.names is None else found.names):
        raise PolicyError("choice demands a call, but there are no tools")
    return found


def _read_choice(choice: object) -> Choice:
    if choice is None:
        return Choice("auto")
    if isinstance(choice, str):
        return Choice(choice) if choice in _MODES else Choice("named", (choice,))
    if isinstance(choice, Mapping):
        kind = choice.get("type")
        inner = choice.get(kind, choice) if isinstance(kind, str) else None
        if kind == "function" and isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
            return Choice("named", (inner["name"],))
        if kind == "allowed_tools" and isinstance(inner, Mapping):
            return _allowed(inner)
    raise PolicyError(
        f"choice is 'auto', 'none', 'required', a tool's name, "
        f'{{"type": "function", "function": {{"name": ..}}}} or {{"type": "allowed_tools", ..}}, '
        f"not {excerpt(choice, 120)}"
    )


def _allowed(given: Mapping[str, Any]) -> Choice:
    mode, listed = given.get("mode", "auto"), given.get("tools")
    names: list[str] = []
    if mode not in ("auto", "required") or not isinstance(listed, Sequence) or isinstance(listed, str):
        raise PolicyError("allowed_tools has a mode, 'auto' or 'required', and a list of tools")
    for tool in listed:
        inner = tool.get("function", tool) if isinstance(tool, Mapping) else {"name": tool}
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str):
            raise PolicyError(f"allowed_tools lists what is no tool: {excerpt(tool, 120)}")
        names.append(name)
    return Choice(mode, tuple(dict.fromkeys(names)))
