"""The options for the policies of a JSON Schema, shared by the commands that read one."""

from __future__ import annotations

import argparse
from typing import Any

import maskwright as mw
from maskwright.cli.sources import read_schema

__all__ = ["add_policies", "compile_schema_argument", "given_policies"]

_CHOICES = {
    "property_order": ("declared", "any"),
    "whitespace": ("spaced", "compact", "flexible", "any"),
    "escapes": ("minimal", "all"),
    "numbers": ("canonical", "exact"),
    "objects": ("as-written", "closed"),
    "formats": ("assert", "annotate", "strict"),
}


def add_policies(parser: argparse.ArgumentParser, **defaults: str) -> None:
    """Add ``--whitespace`` and its like; ``defaults`` replace those of :func:`maskwright.json_schema`."""
    group = parser.add_argument_group("policies", "what JSON Schema leaves open (the README has the table)")
    given = {"property_order": "declared", "whitespace": "flexible", "escapes": "all", "numbers": "canonical"}
    given |= {"objects": "as-written", "formats": "assert", **defaults}
    for name, choices in _CHOICES.items():
        group.add_argument(
            f"--{name.replace('_', '-')}", choices=choices, default=given[name], help=f"default: {given[name]}"
        )


def compile_schema_argument(arguments: argparse.Namespace, data: bytes | None = None, **further: Any) -> mw.Constraint:
    """Return the constraint of ``--schema`` (or of ``data``, if it was read) under the given and further policies.

    Raises:
        InputError: the file cannot be read.
        ConstraintError: the schema is refused.

    """
    if data is None:
        _, data = read_schema(arguments.schema)
    return mw.json_schema(data, **given_policies(arguments), **further)


def given_policies(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the policies as keyword arguments."""
    return {name: getattr(arguments, name).replace("-", " ") for name in _CHOICES}
