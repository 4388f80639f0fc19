"""``maskwright check``: whether a constraint compiles, under which policies, and everything that stands in its way.

With ``--dialect`` it tells instead what a provider's strict mode would refuse.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import maskwright as mw
from maskwright.cli.console import write
from maskwright.cli.constraints import Source, add_constraint, compile_constraint, read_constraint
from maskwright.cli.excerpts import draw_mask, draw_problems
from maskwright.cli.exits import Exit
from maskwright.cli.linting import add_dialects, lint
from maskwright.cli.misspelling import find_misspelt
from maskwright.cli.policies import add_policies
from maskwright.cli.vocabularies import add_vocabulary, read_vocabulary
from maskwright.errors import ConstraintError, InputError, Problem

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_constraint(parser, is_positional=True)
    add_vocabulary(parser)
    add_policies(parser)
    add_dialects(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Print the report; problems first to last, each with its place and an excerpt of the source there."""
    source = read_constraint(arguments)
    name, data = source.name, source.data
    if arguments.dialect is None and (arguments.rewrite or arguments.describe or arguments.json):
        raise InputError("--rewrite, --describe and --json go with --dialect")
    if arguments.dialect is not None and source.kind != "schema":
        raise InputError("--dialect goes with a schema")
    try:
        if arguments.dialect is not None:
            return lint(arguments, name, data)
        return _compile(arguments, source)
    except ConstraintError as error:
        write(draw_problems(name, error.problems, data))
        return Exit.REFUSED


def _compile(arguments: argparse.Namespace, source: Source) -> Exit:
    cutter = read_vocabulary(arguments.model)
    constraint = compile_constraint(arguments, source)
    guide = mw.compile(constraint, cutter.vocabulary)
    allowed = draw_mask(guide.matcher().mask(), cutter.vocabulary)
    is_schema = source.kind == "schema"
    lines = [f"{source.name}: supported{'; every keyword of JSON Schema in it is enforced' * is_schema}"]
    lines += ["policies:", *(f"  {policy} = {value!r}" for policy, value in constraint.policies.items())]
    lines += _draw_warnings([*constraint.warnings, *(find_misspelt(source.data) if is_schema else ())])
    lines += [f"first mask ({cutter.name}, {len(cutter.vocabulary)} ids):", f"  {allowed}"]
    write("\n".join(lines) + "\n")
    return Exit.OK


def _draw_warnings(warnings: Iterable[Problem]) -> list[str]:
    lines = [f"  {warning}" for warning in warnings]
    return ["warnings:", *lines] if lines else ["warnings: none"]
