"""Forms: a constraint as the page sends it, ``{"kind": .., "source": .., "options": {..}}``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import maskwright as mw
from maskwright.errors import ConstraintError, PolicyError, Problem, RequestError, SchemaError, excerpt
from maskwright.limits import Limits
from maskwright.schema.document import read_json

__all__ = ["KINDS", "Form", "read_form"]


@dataclass(frozen=True)
class Form:
    """A constraint that was read but not compiled."""

    #: One of :data:`KINDS`.
    kind: str
    #: What was typed.
    source: str
    #: Policies and the like, by the names of the constructor's arguments.
    options: Mapping[str, Any]
    #: What the model is given, for the root ``insidevalue``.
    prompt: str | None = None

    def compile(self, limits: Limits, *, tool_format: str = "hermes") -> mw.Constraint:
        """The constraint.

        Raises:
            ConstraintError: the text or an option is refused; places are places of ``source``.
        """
        try:
            return KINDS[self.kind].build(self, limits, tool_format)
        except PolicyError as cause:
            # What the page's fields can get wrong is one more problem of the constraint, not of the request.
            raise ConstraintError(Problem(str(cause))) from cause

    @property
    def key(self) -> str:
        """Equal for equal forms."""
        return json.dumps([self.kind, self.source, dict(sorted(self.options.items())), self.prompt])


@dataclass(frozen=True)
class _Kind:
    build: Callable[[Form, Limits, str], mw.Constraint]
    #: Names of options, and whether each is a flag.
    options: Mapping[str, bool]


def _schema(form: Form, limits: Limits, tool_format: str) -> mw.Constraint:
    del tool_format
    return mw.json_schema(form.source, **form.options, limits=limits)


def _notation(form: Form, limits: Limits, tool_format: str) -> mw.Constraint:
    """Constructors that are named as their kinds."""
    del tool_format
    made: mw.Constraint = getattr(mw, form.kind)(form.source, **form.options, limits=limits)
    return made


def _choice(form: Form, limits: Limits, tool_format: str) -> mw.Constraint:
    """One string a line; blank lines are none."""
    del tool_format
    return mw.choice([line for line in form.source.splitlines() if line.strip()], limits=limits)


def _root(form: Form, limits: Limits, tool_format: str) -> mw.Constraint:
    del tool_format
    name, options = form.source.strip(), dict(form.options)
    if "tools" in options:
        options["tools"] = _listed(options["tools"], limits)
    if name == "insidevalue":
        options["prompt"] = form.prompt or ""
    return mw.grammar_root(name, **options, limits=limits)


def _tools(form: Form, limits: Limits, tool_format: str) -> mw.Constraint:
    return mw.tools(_listed(form.source, limits), **{"format": tool_format, **form.options}, limits=limits)


def _listed(source: str, limits: Limits) -> Any:
    try:
        return read_json(source, limits)
    except SchemaError as cause:
        told = [replace(p, reason=p.reason.replace("the schema", "the list of tools", 1)) for p in cause.problems]
        raise SchemaError(*told) from cause


_POLICIES: Final = ("property_order", "whitespace", "escapes", "numbers", "objects", "formats")
#: Kind -> how it is built, and the options it takes.
KINDS: Final[dict[str, _Kind]] = {
    "json_schema": _Kind(_schema, dict.fromkeys(_POLICIES, False)),
    "regex": _Kind(_notation, {"dialect": False, "match": False}),
    "lark": _Kind(_notation, {"start": False, "lexer": False}),
    "gbnf": _Kind(_notation, {"start": False}),
    "ebnf": _Kind(_notation, {"start": False}),
    "grammar_root": _Kind(_root, {"tools": False, "parallel": True}),
    "tools": _Kind(_tools, {"choice": False, "parallel": True, "format": False}),
    "choice": _Kind(_choice, {}),
}


def read_form(data: object, *, param: str = "constraint", prompt: str | None = None) -> Form:
    """A form out of parsed JSON; options that are empty texts count as not given.

    Raises:
        RequestError: 400, with the field at fault.
    """
    if not isinstance(data, Mapping):
        raise RequestError(f"{param} must be an object, not {excerpt(data)}", param=param)
    kind, source, options = data.get("kind"), data.get("source"), data.get("options") or {}
    if not isinstance(kind, str) or kind not in KINDS:
        raise RequestError(f"{param}.kind is one of {', '.join(KINDS)}, not {excerpt(kind)}", param=f"{param}.kind")
    if not isinstance(source, str):
        raise RequestError(f"{param}.source must be a text, not {excerpt(source)}", param=f"{param}.source")
    if not isinstance(options, Mapping):
        raise RequestError(f"{param}.options must be an object, not {excerpt(options)}", param=f"{param}.options")
    known, given = KINDS[kind].options, {name: value for name, value in options.items() if value not in ("", None)}
    for name, value in given.items():
        if name not in known:
            raise RequestError(f"{kind} has no option {excerpt(name)}", param=f"{param}.options")
        if not isinstance(value, bool if known[name] else str):
            what = "true or false" if known[name] else "a text"
            raise RequestError(f"{name} is {what}, not {excerpt(value)}", param=f"{param}.options.{name}")
    needs_prompt = kind == "grammar_root" and source.strip() == "insidevalue"
    return Form(kind, source, given, prompt if needs_prompt else None)
