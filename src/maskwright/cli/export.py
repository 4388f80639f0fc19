"""``maskwright export``: a constraint in the notation of another program, such as llama.cpp's server."""

from __future__ import annotations

import argparse
from typing import Final

import maskwright as mw
from maskwright.cli.console import write
from maskwright.cli.constraints import add_constraint, compile_constraint, read_constraint
from maskwright.cli.exits import Exit
from maskwright.cli.policies import add_policies

__all__ = ["configure", "run"]

#: Notation -> the name of what writes it, which is loaded when it is needed.
_WRITERS: Final = {"gbnf": "to_gbnf"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_constraint(parser, is_positional=True)
    parser.add_argument("--to", required=True, choices=tuple(_WRITERS), help="gbnf: grammars of llama.cpp")
    parser.add_argument(
        "--repeats",
        choices=("refused", "allowed"),
        default="refused",
        help="keys and elements that must differ cannot be written: allowed writes the rest (default: refused)",
    )
    add_policies(parser, whitespace="spaced", escapes="minimal")


def run(arguments: argparse.Namespace) -> Exit:
    """Print the grammar; what cannot be written is told on standard error, with the reason."""
    constraint = compile_constraint(arguments, read_constraint(arguments))
    write(getattr(mw, _WRITERS[arguments.to])(constraint, repeats=arguments.repeats))
    return Exit.OK
