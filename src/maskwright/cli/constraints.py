"""The options that name a constraint: a JSON Schema, a grammar, a regular expression, a root or a list of tools."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import maskwright as mw
from maskwright.cli.policies import compile_schema_argument, given_policies
from maskwright.cli.sources import read_schema, read_text, text_of
from maskwright.errors import InputError, SchemaError
from maskwright.limits import DEFAULT_LIMITS
from maskwright.schema.document import read_json

__all__ = ["Source", "add_constraint", "compile_constraint", "read_constraint", "refuse_same_input"]

#: Options that name a file with a grammar, and their help.
_GRAMMARS: Final = {
    "lark": "a Lark grammar; it may import files beside it",
    "gbnf": "a grammar in the notation of llama.cpp",
    "ebnf": "a grammar in the notation of xgrammar",
}
#: Options that mean something only beside others.
_BESIDE: Final = {
    "start": ("lark", "gbnf", "ebnf"),
    "lexer": ("lark",),
    "regex_dialect": ("regex",),
    "tool_choice": ("tools",),
    "tool_format": ("tools",),
}


@dataclass(frozen=True, slots=True)
class Source:
    """What names a constraint, read but not compiled."""

    #: ``schema``, ``lark``, ``gbnf``, ``ebnf``, ``regex``, ``grammar_root`` or ``tools``.
    kind: str
    #: What messages call it.
    name: str
    #: Its text, for excerpts.
    data: bytes


def add_constraint(parser: argparse.ArgumentParser, *, is_positional: bool = False) -> None:
    """Add ``--schema`` (or the argument itself), ``--lark`` and its like; one of them must be given."""
    group = parser.add_argument_group("constraint", "what the output must be: one of these")
    one = group.add_mutually_exclusive_group()
    schema_help = "a JSON Schema: a file, - for standard input, or JSON text"
    if is_positional:
        one.add_argument("schema", nargs="?", help=schema_help)
    else:
        one.add_argument("--schema", metavar="S", help=schema_help)
    for name, text in _GRAMMARS.items():
        one.add_argument(f"--{name}", metavar="FILE", help=text)
    one.add_argument("--regex", metavar="PATTERN", help="a regular expression for the whole output")
    one.add_argument("--grammar-root", metavar="NAME", help="a root of grammars/json.lark, such as value or fcall")
    group.add_argument("--tools", metavar="FILE", help="a JSON array of tools, as OpenAI's API takes them")
    group.add_argument("--start", metavar="RULE", help="the rule that a grammar begins with")
    group.add_argument("--lexer", choices=("contextual", "exact"), help="how Lark's terminals are told apart")
    group.add_argument("--regex-dialect", choices=("python", "ecma", "rust"), help="default: python")
    group.add_argument("--tool-choice", metavar="C", help="auto, none, required or the name of a tool (auto)")
    group.add_argument("--tool-format", metavar="F", help="how the model writes calls (hermes)")


def read_constraint(arguments: argparse.Namespace) -> Source:
    """Read what names the constraint.

    Raises:
        InputError: nothing does, options do not go together, or a file cannot be read.

    """
    given = [kind for kind in ("schema", *_GRAMMARS, "regex", "grammar_root") if getattr(arguments, kind) is not None]
    if arguments.tools is not None:
        given.append("tools")
    for option, owners in _BESIDE.items():
        if getattr(arguments, option) is not None and not set(owners) & set(given):
            raise InputError(f"{_spelled(option)} goes with {_listed(owners)}")
    if not given:
        raise InputError(f"what shall the output be? Give a schema, or {_listed([*_GRAMMARS, *_OTHERS])}")
    if len(given) > 1 and given != ["grammar_root", "tools"]:
        raise InputError(f"{_listed(given, 'and')} do not go together")
    kind = given[0]
    argument: str = getattr(arguments, kind)
    if kind == "schema":
        name, data = read_schema(argument)
        return Source(kind, name, data)
    if kind in ("regex", "grammar_root"):
        return Source(kind, "the pattern" if kind == "regex" else f"root {argument}", os.fsencode(argument))
    text = read_text(argument)
    return Source(kind, "standard input" if argument == "-" else argument, text.encode())


_OTHERS: Final = ("regex", "grammar_root", "tools")


def compile_constraint(arguments: argparse.Namespace, source: Source, *, prompt: str | None = None) -> mw.Constraint:
    """Return the constraint of a source; ``prompt`` is what a model was given, for ``--grammar-root insidevalue``.

    Raises:
        InputError: the list of tools is no JSON.
        ConstraintError: the constraint is refused.
        PolicyError: a root, a format or a rule does not exist.

    """
    if source.kind == "schema":
        return compile_schema_argument(arguments, source.data)
    options: dict[str, Any] = {}
    if source.kind == "tools":
        options = {"choice": arguments.tool_choice, "format": arguments.tool_format}
        options = {name: value for name, value in options.items() if value is not None}
        return mw.tools(_tools(source.data), **options, **given_policies(arguments))
    # The constructors are named as their options are.
    constructor = getattr(mw, source.kind)
    text = text_of(os.fsdecode(source.data), _spelled(source.kind))
    if source.kind == "regex":
        options = {"dialect": arguments.regex_dialect}
    elif source.kind == "grammar_root":
        tools = None if arguments.tools is None else _tools(read_text(arguments.tools))
        options = {"tools": tools, "prompt": prompt if text == "insidevalue" else None}
    else:
        options = {"start": arguments.start, "lexer": arguments.lexer}
        if source.kind == "lark":
            options["import_paths"] = None if arguments.lark == "-" else [Path(arguments.lark).parent]
    made: mw.Constraint = constructor(text, **{name: value for name, value in options.items() if value is not None})
    return made


def _tools(data: str | bytes) -> Any:
    try:
        return read_json(data, DEFAULT_LIMITS)
    except SchemaError as cause:
        (problem,) = cause.problems
        reason = problem.reason.replace("the schema", "the list of tools", 1)
        raise SchemaError(replace(problem, reason=reason)) from cause


def refuse_same_input(arguments: argparse.Namespace, other: str | None, what: str) -> None:
    """Refuse that standard input is the constraint and something else.

    Raises:
        InputError: it is.

    """
    if other == "-" and "-" in [getattr(arguments, kind) for kind in ("schema", *_GRAMMARS, "tools")]:
        raise InputError(f"constraint and {what} cannot both come from standard input")


def _spelled(option: str) -> str:
    return option if option == "schema" else "--" + option.replace("_", "-")


def _listed(options: Iterable[str], last: str = "or") -> str:
    spelled = [_spelled(option) for option in options]
    return f" {last} ".join([", ".join(spelled[:-1]), spelled[-1]] if len(spelled) > 1 else spelled)
