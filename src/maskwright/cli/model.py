"""``maskwright model``: which models there are, where their weights lie, and how to get them."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

from maskwright.cli.console import say, write
from maskwright.cli.exits import Exit
from maskwright.decode.models import DEFAULT, MODELS, fetch, find, locate

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions."""
    parser.add_argument("action", choices=("list", "path", "fetch"), help="list all, print a path, or get the weights")
    parser.add_argument("name", nargs="?", default=DEFAULT.name, choices=tuple(MODELS), help="default: %(default)s")


def run(arguments: argparse.Namespace) -> Exit:
    """Print the table, or the path of the weights."""
    if arguments.action == "list":
        for model in MODELS.values():
            path = locate(model)
            state = str(path) if path else f"not here: {model.remedy}"
            write(f"{model.name}  {model.title}, {model.size / 1e6:.0f} MB, {model.license}\n  {state}\n")
    elif arguments.action == "path":
        write(f"{find(arguments.name)}\n")
    else:
        path = fetch(MODELS[arguments.name], _terminal())
        say(f"{arguments.name} is ready")
        write(f"{path}\n")
    return Exit.OK


def _terminal() -> TextIO | None:
    """Standard error if a person watches it."""
    return sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
