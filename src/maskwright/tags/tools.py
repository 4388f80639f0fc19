"""Tool calls as a constraint: what a model may write when it is given tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from maskwright.constraint import Constraint, frozen, json_schema
from maskwright.errors import ConstraintError, PolicyError, Problem, UnsupportedError, excerpt
from maskwright.limits import DEFAULT_LIMITS, Limits, check_limits
from maskwright.network.nodes import Call, Network
from maskwright.tags.calls import Callee, Turn
from maskwright.tags.formats import Reading, ToolFormat, format_of
from maskwright.tags.harmony import harmony_turn
from maskwright.tags.network import Tree
from maskwright.tags.parameters import parameters_node, read_parameters
from maskwright.tags.thoughts import thoughts_of, with_thoughts
from maskwright.tags.toolset import Tool, read_choice, read_tools

__all__ = ["compile_arguments", "tools"]

_Made = TypeVar("_Made")

#: Compiled schemas of arguments that are kept: agents send the same tools with every request. About 20 kB each.
_KEPT: Final = 512
#: Longer schemas are compiled anew each time.
_LONGEST: Final = 20_000

_ANY_OBJECT: Final[dict[str, Any]] = {"type": "object"}


def tools(
    tools: Iterable[object],
    *,
    choice: object = "auto",
    parallel: bool = True,
    strict: bool | None = None,
    format: str | ToolFormat = "hermes",  # noqa: A002  (the word of the field)
    thinking: object = None,
    limits: Limits = DEFAULT_LIMITS,
    **policies: Any,
) -> Constraint:
    """Answers of a model that is given tools: free text, calls, or both, as the choice says and the format writes.

    Free text never begins a call by accident: what begins one is the beginning of a whole call of a tool in the list,
    with arguments that its schema accepts.

    Args:
        tools: In OpenAI's shape (``{"type": "function", "function": {..}}``), bare (``{"name": .., "parameters":
            ..}``), or Python functions and types that pydantic can describe.
        choice: ``"auto"`` (text and calls), ``"none"`` (text only), ``"required"`` (at least one call, and no text),
            a tool's name or ``{"type": "function", ..}`` (one call of that tool), or ``{"type": "allowed_tools", ..}``.
        parallel: Whether there may be more than one call. If not, the answer ends with the call.
        strict: Whether arguments must meet their schemas; ``None``: where the tool does not say ``"strict": false``.
            Arguments that need not are any JSON object.
        format: A name in :data:`maskwright.tags.formats.FORMATS`, or a format of your own.
        thinking: What ends the thinking before the answer: ``True`` for the format's own mark, or a string
            (``"</think>"``); ``None`` or ``False`` if the model does not think. See
            :func:`maskwright.tags.thoughts.thinking`.
        limits: Caps on sizes, depths and times.
        **policies: Those of :func:`maskwright.json_schema`, for the arguments: ``whitespace``, ``property_order`` ...

    Raises:
        ConstraintError: a tool that cannot be used; each problem tells the tool, its name and the place in the list.
            The class is that of the first problem (``SchemaError``, ``UnsupportedError``, ``UnsatisfiableError`` ...).
        PolicyError: an argument has no meaning, or ``choice`` names no tool of the list.
    """
    if not isinstance(parallel, bool):
        raise PolicyError(f"parallel is True or False, not {excerpt(parallel)}")
    check_limits(limits)
    form = format_of(format)
    listed = read_tools(tools, strict=strict)
    choice = frozen(choice)
    chosen = read_choice(choice, listed)
    _check_names(form, listed)
    options = {**policies, "limits": limits}
    thoughts = thoughts_of(thinking, form)
    tree = Tree()
    known = _callees(tree, form, listed, options)
    callees = tuple(callee for callee in known if chosen.names is None or callee.name in chosen.names)
    if form.body == "harmony":
        root = harmony_turn(tree, form, callees, mode=chosen.mode, parallel=parallel, thinking=thinking is not False)
    else:
        whitespace = policies.get("whitespace", "flexible")
        turn = Turn(tree, form, callees, mode=chosen.mode, parallel=parallel, whitespace=whitespace, limits=limits)
        root = turn.root()
    if thoughts is not None:
        root = with_thoughts(tree, thoughts, root)
    names = tuple(callee.name for callee in callees) if chosen.mode != "none" else ()
    source = [tool.plain() for tool in listed]
    return Constraint(
        "tools",
        tree.finish(root),
        rebuild=partial(
            _again, source, {"choice": choice, "parallel": parallel, "format": format, "thinking": thinking}, options
        ),
        limits=limits,
        policies={"format": form.name, "choice": chosen.mode, "parallel": parallel, **policies},
        reading=Reading(
            form,
            names,
            (thoughts.end, thoughts.begin) if thoughts else None,
            {callee.name: callee.kinds for callee in callees if callee.kinds},
        ),
    )


def _again(source: list[dict[str, Any]], asked: dict[str, Any], options: dict[str, Any]) -> Constraint:
    return tools(source, **asked, **options)


def _check_names(form: ToolFormat, listed: tuple[Tool, ...]) -> None:
    for index, tool in enumerate(listed):
        if tool.name in form.reserved:
            raise PolicyError(
                f"tool {index} cannot be called {tool.name!r}: the format {form.name} begins text with it"
            )


def compile_arguments(listed: tuple[Tool, ...], options: Mapping[str, Any]) -> list[Network]:
    """The networks of the arguments of tools, kept for the next request.

    Raises :class:`ConstraintError` with all problems of all tools that cannot be used.
    """
    return _of_each(listed, lambda tool: _arguments(_ANY_OBJECT if tool.is_loose else tool.schema, options))


def _callees(tree: Tree, form: ToolFormat, listed: tuple[Tool, ...], options: Mapping[str, Any]) -> list[Callee]:
    """The tools with what reads their arguments in a format."""
    if form.body != "parameters":
        networks = compile_arguments(listed, options)
        parts = [tree.part(network, is_value=True) for network in networks]
        return [Callee(tool.name, part) for tool, part in zip(listed, parts, strict=True)]

    def make(tool: Tool) -> Callee:
        if tool.is_loose:
            raise UnsupportedError(Problem(f"the format {form.name} writes only parameters that a schema declares"))
        limits: Limits = options["limits"]
        read = read_parameters(tool.schema, lambda schema: _arguments(schema, options), limits)
        kinds = {parameter.name: parameter.kinds for parameter in read}
        return Callee(tool.name, Call(parameters_node(tree, form, read, limits)), kinds)

    return _of_each(listed, make)


def _of_each(listed: tuple[Tool, ...], make: Callable[[Tool], _Made]) -> list[_Made]:
    """Something for each tool; the problems of all of them are told at once."""
    found: list[_Made] = []
    problems: list[Problem] = []
    kind: type[ConstraintError] = ConstraintError
    for index, tool in enumerate(listed):
        try:
            found.append(make(tool))
        except ConstraintError as error:
            kind = kind if problems else type(error)
            problems.extend(_told(index, tool, problem) for problem in error.problems)
    if problems:
        raise kind(*problems)
    return found


def _told(index: int, tool: Tool, problem: Problem) -> Problem:
    place = tool.place + problem.place[1:] if problem.place.startswith("#") else tool.place
    return replace(problem, place=place, reason=f"tool {index} ({tool.name}): {problem.reason}")


def _arguments(schema: dict[str, Any], options: Mapping[str, Any]) -> Network:
    try:
        text = json.dumps(schema, ensure_ascii=False)
        # 1 and True are equal, but only one of them may be meant.
        key = tuple((name, type(value), value) for name, value in sorted(options.items()))
        hash(key)
    except (TypeError, ValueError, RecursionError):
        text, key = "", ()
    if not text or len(text) > _LONGEST or options.get("registry") is not None:
        return json_schema(schema, **options).network
    return _kept(text, key)


@lru_cache(maxsize=_KEPT)
def _kept(text: str, options: tuple[tuple[str, type, Any], ...]) -> Network:
    return json_schema(text, **{name: value for name, _, value in options}).network
