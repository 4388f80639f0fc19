"""``maskwright check``: whether a schema compiles, under which policies, and everything that stands in its way.

With ``--dialect`` it tells instead what a provider's strict mode would refuse.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import maskwright as mw
from maskwright.cli.console import write
from maskwright.cli.excerpts import draw_mask, draw_problems
from maskwright.cli.exits import Exit
from maskwright.cli.linting import add_dialects, lint
from maskwright.cli.misspelling import find_misspelt
from maskwright.cli.policies import add_policies, compile_schema_argument
from maskwright.cli.sources import read_schema
from maskwright.cli.vocabularies import add_vocabulary, read_vocabulary
from maskwright.errors import ConstraintError, InputError, Problem

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("schema", help="a file, - for standard input, or JSON text")
    add_vocabulary(parser)
    add_policies(parser)
    add_dialects(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Print the report; problems first to last, each with its place and an excerpt of the schema there."""
    name, data = read_schema(arguments.schema)
    if arguments.dialect is None and (arguments.rewrite or arguments.describe or arguments.json):
        raise InputError("--rewrite, --describe and --json go with --dialect")
    try:
        if arguments.dialect is not None:
            return lint(arguments, name, data)
        return _compile(arguments, name, data)
    except ConstraintError as error:
        write(draw_problems(name, error.problems, data))
        return Exit.REFUSED


def _compile(arguments: argparse.Namespace, name: str, data: bytes) -> Exit:
    cutter = read_vocabulary(arguments.model)
    constraint = compile_schema_argument(arguments, data)
    guide = mw.compile(constraint, cutter.vocabulary)
    allowed = draw_mask(guide.matcher().mask(), cutter.vocabulary)
    lines = [f"{name}: supported; every keyword of JSON Schema in it is enforced"]
    lines += ["policies:", *(f"  {policy} = {value!r}" for policy, value in constraint.policies.items())]
    lines += _draw_warnings([*constraint.warnings, *find_misspelt(data)])
    lines += [f"first mask ({cutter.name}, {len(cutter.vocabulary)} ids):", f"  {allowed}"]
    write("\n".join(lines) + "\n")
    return Exit.OK


def _draw_warnings(warnings: Iterable[Problem]) -> list[str]:
    lines = [f"  {warning}" for warning in warnings]
    return ["warnings:", *lines] if lines else ["warnings: none"]
