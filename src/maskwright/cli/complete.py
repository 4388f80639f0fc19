"""``maskwright complete``: mend a JSON document that was cut off, with the shortest text that a schema allows."""

from __future__ import annotations

import argparse

import maskwright as mw
from maskwright.cli.console import say, write
from maskwright.cli.exits import Exit
from maskwright.cli.policies import add_policies, compile_schema_argument
from maskwright.cli.sources import read_bytes, read_schema
from maskwright.cli.vocabularies import read_vocabulary
from maskwright.errors import InputError

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("schema", help="a file, - for standard input, or JSON text")
    parser.add_argument("document", help="a file with the beginning of a document, - for standard input")
    add_policies(parser, property_order="any", whitespace="any", numbers="exact")


def run(arguments: argparse.Namespace) -> Exit:
    """Print the whole document; what was added is told on standard error."""
    if arguments.schema == "-" and arguments.document == "-":
        raise InputError("schema and document cannot both come from standard input")
    name, data = read_schema(arguments.schema)
    del name
    constraint = compile_schema_argument(arguments, data)
    # A newline at the end of a file is never a part of what was cut off: inside a string it could not stand.
    begun = read_bytes(arguments.document).rstrip(b"\r\n")
    guide = mw.compile(constraint, read_vocabulary("bytes").vocabulary)
    added = guide.complete(begun)
    write(begun + added + b"\n")
    say(f"maskwright: {len(added)} bytes added" if added else "maskwright: the document is complete")
    return Exit.OK
