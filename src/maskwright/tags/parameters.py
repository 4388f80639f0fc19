"""Arguments whose members are elements of their own, as Qwen3-Coder and GLM write them.

A string is written as it is, without quotes and escapes; every other value is JSON. Which of the two a text is only the
schema knows; where a parameter may be either, what reads as JSON is no string (:mod:`maskwright.tags.parsing_kinds`). A
string cannot hold the mark that ends a parameter, since nothing could read it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

from maskwright.constraint import is_empty_text
from maskwright.errors import Problem, UnsatisfiableError, UnsupportedError, excerpt
from maskwright.limits import Limits
from maskwright.network.lexeme import EPSILON, NEVER, Term, encode, intersect, literal, subtract, unite
from maskwright.network.nodes import Call, Lex, Network, Production
from maskwright.schema.nodekeys import AtValue
from maskwright.tags.formats import ToolFormat
from maskwright.tags.freetext import free_text
from maskwright.tags.network import Tree, read, spelled
from maskwright.tags.parsing_calls import can_name
from maskwright.tags.parsing_kinds import kinds_of, read_as_json

__all__ = ["Parameter", "parameters_node", "read_parameters"]

#: Keywords of the schema of arguments that are enforced, or say nothing about the members.
_KNOWN: Final = frozenset(
    {"type", "properties", "required", "additionalProperties", "title", "description", "examples", "default"}
    | {"$schema", "$defs", "definitions", "$id", "$comment", "strict"}
)
_OLDER: Final = ("draft-03", "draft-04", "draft-06", "draft-07")
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_HERE: Final = "urn:maskwright:arguments"


class Parameter(NamedTuple):
    """A member of the arguments: the strings that it may be, and the network of its other values, if there are any."""

    name: str
    strings: Term
    others: Network | None
    is_required: bool

    @property
    def kinds(self) -> frozenset[str]:
        """What values it may be, for whoever reads them again."""
        others = kinds_of(cast("AtValue", self.others.root).shape) if self.others is not None else frozenset()
        return others | {"string"} if self.strings is not NEVER else others


def read_parameters(
    schema: Mapping[str, Any], compile_schema: Callable[[Any], Network], limits: Limits
) -> list[Parameter]:
    """The parameters that a schema of arguments declares, in its order. What it does not declare is never written.

    Raises:
        UnsupportedError: keywords about the object as a whole, which are not enforced here.
        UnsatisfiableError: a member that must come cannot be written.
        ConstraintError: what compiling the schema raises.
    """
    compile_schema(schema)
    problems = [
        Problem(f"{name} is not enforced where parameters are written one by one", place=f"#/{name}", keyword=name)
        for name in schema
        if name not in _KNOWN
    ]
    if problems:
        raise UnsupportedError(*problems)
    required = set(schema.get("required", ()))
    declared: Mapping[str, Any] = schema.get("properties", {})
    found: list[Parameter] = []
    for name in [*declared, *sorted(required - declared.keys())]:
        parameter = _read(schema, name, compile_schema, limits, is_required=name in required)
        if parameter.strings is not NEVER or parameter.others is not None:
            found.append(parameter)
        elif name in required:
            raise UnsatisfiableError(
                Problem(f"the parameter {excerpt(name, 80)} cannot be written", place="#/required")
            )
    return found


def _read(
    schema: Mapping[str, Any], name: str, compile_schema: Callable[[Any], Network], limits: Limits, *, is_required: bool
) -> Parameter:
    own = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
    kind = own.get("type") if isinstance(own, Mapping) else None
    document = _document(schema, name, own)
    strings, others = NEVER, None
    if kind is None or kind == "string" or isinstance(kind, (list, tuple)):
        try:
            strings = cast("AtValue", compile_schema(document).root).shape.string
        except UnsatisfiableError:
            return Parameter(name, NEVER, None, is_required)
        if is_empty_text(strings, limits):
            strings = NEVER
    if kind != "string":
        try:
            others = compile_schema({**document, "not": {"type": "string"}})
        except UnsatisfiableError:
            others = None
    found = Parameter(name, strings, others, is_required)
    if strings is NEVER or others is None:
        return found
    return found._replace(strings=subtract(strings, read_as_json(found.kinds, limits)))


def _document(schema: Mapping[str, Any], name: str, own: Any) -> dict[str, Any]:
    """A schema of the member alone. References still find the schema of the arguments."""
    head = {"$schema": schema["$schema"]} if "$schema" in schema else {}
    if not _refers(own):
        return {**head, "allOf": [own]}
    whole = {"$id": _HERE, **schema}
    where = "definitions" if any(older in str(schema.get("$schema")) for older in _OLDER) else "$defs"
    pointer = f"properties/{_escaped(name)}"
    return {**head, where: {"arguments": whole}, "allOf": [{"$ref": f"{whole['$id']}#/{pointer}"}]}


def _refers(schema: Any) -> bool:
    """Whether a key of a schema, at any depth, is that of a reference."""
    seen: set[int] = set()
    todo = [schema]
    while todo:
        value = todo.pop()
        if not isinstance(value, (Mapping, list)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Mapping):
            if _REFERENCES & value.keys():
                return True
            todo.extend(value.values())
        else:
            todo.extend(value)
    return False


def _escaped(name: str) -> str:
    """A key as a step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def parameters_node(
    tree: Tree, form: ToolFormat, parameters: list[Parameter], limits: Limits, *, is_loose: bool = False
) -> int:
    """The node of all parameters, in their order; those that need not come may be left out.

    With ``is_loose`` a newline may stand, or not, around every value and between parameters.

    Raises:
        UnsupportedError: names that the format cannot carry; all at once.
        UnsatisfiableError: a parameter that no value can be written for.
    """
    problems = [
        Problem(
            f"the parameter {excerpt(one.name, 80)} has a name that the format {form.name} cannot carry",
            place=f"#/properties/{_escaped(one.name)}",
            keyword="properties",
            remedy=f"no blanks around a name, no lone surrogates and no {form.parameter_middle.strip()[:40]!r} in it",
        )
        for one in parameters
        if not can_name(form, one.name)
    ]
    if problems:
        raise UnsupportedError(*problems)
    newline = spelled(unite(EPSILON, literal("\n"))) if is_loose else ()
    after = tree.node([()], "the end of the parameters")
    for parameter in reversed(parameters):
        value = _value(tree, form, parameter, newline, limits)
        name = Lex(encode(literal(parameter.name)))
        begin = (*read(form.parameter_begin, form.markers), name, *read(form.parameter_middle, form.markers))
        ways: list[Production] = [(*begin, Call(value), *newline, Call(after))]
        if not parameter.is_required:
            ways.append((Call(after),))
        after = tree.node(ways, f"the parameter {excerpt(parameter.name)}")
    return after


def _value(tree: Tree, form: ToolFormat, parameter: Parameter, newline: Production, limits: Limits) -> int:
    """The value of a parameter and what ends it."""
    end = read(form.parameter_end, form.markers)
    mark = form.parameter_end.strip()
    before = form.parameter_end[: form.parameter_end.index(mark) + len(mark)]
    strings = intersect(parameter.strings, free_text((), (mark,), before=before, own=mark))
    ways: list[Production] = []
    if parameter.strings is not NEVER and not is_empty_text(strings, limits):
        ways.append((*spelled(strings), *end))
    if parameter.others is not None:
        ways.append((*newline, tree.part(parameter.others, is_value=True), *newline, *end))
    if not ways:
        reason = f"every value of {excerpt(parameter.name, 80)} holds {mark!r}, which ends a parameter"
        raise UnsatisfiableError(Problem(reason, place="#/properties"))
    return tree.node(ways, f"the value of {excerpt(parameter.name)}")
