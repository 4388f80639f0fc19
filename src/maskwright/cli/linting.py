"""``maskwright check --dialect``: what a provider's strict mode would refuse, and the schema rewritten for it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, Final

from maskwright.cli.console import say, write
from maskwright.cli.excerpts import draw_excerpt
from maskwright.cli.exits import Exit
from maskwright.dialects import DIALECTS, Change, Finding, Rewriting, check, rewrite
from maskwright.dialects.table import find_dialect
from maskwright.dialects.texts import json_text
from maskwright.errors import InputError

__all__ = ["add_dialects", "lint"]

_INDENT: Final = 2


def add_dialects(parser: argparse.ArgumentParser) -> None:
    """Add ``--dialect`` and the options that go with it."""
    group = parser.add_argument_group("dialects", "what a provider's strict mode would refuse, instead of compiling")
    known = ", ".join(DIALECTS)
    group.add_argument("--dialect", action="append", metavar="NAME", help=f"one of {known}, or all; may be repeated")
    group.add_argument(
        "--rewrite", action="store_true", help="print a schema that the dialect accepts; report on stderr"
    )
    group.add_argument(
        "--describe", action="store_true", help="with --rewrite: what was dropped, in words in description"
    )
    group.add_argument("--json", action="store_true", help="print the findings, or the rewriting, as JSON")


def lint(arguments: argparse.Namespace, name: str, data: bytes) -> Exit:
    """Print the findings of each dialect, or one rewriting.

    Raises:
        PolicyError: no dialect has a given name.
        InputError: ``--rewrite`` is given with several dialects, or ``--describe`` without it.
        ConstraintError: the schema is no schema.

    """
    if arguments.describe and not arguments.rewrite:
        raise InputError("--describe goes with --rewrite")
    dialects = list(dict.fromkeys(one for given in arguments.dialect for one in _named(given)))
    if arguments.rewrite:
        if len(dialects) != 1:
            raise InputError(f"--rewrite needs one dialect, not {len(dialects)}")
        made = rewrite(data, dialects[0], describe=arguments.describe)
        return _write_rewriting(made, name, as_json=arguments.json)
    found = {dialect: check(data, dialect) for dialect in dialects}
    if arguments.json:
        rows = [
            {"dialect": dialect, "accepted": not findings, "findings": [_finding(one) for one in findings]}
            for dialect, findings in found.items()
        ]
        write(json_text(rows, _INDENT) + "\n")
    else:
        write("\n".join(_draw(dialect, findings, name, data) for dialect, findings in found.items()))
    return Exit.REFUSED if any(found.values()) else Exit.OK


def _named(given: str) -> Iterable[str]:
    return DIALECTS if given == "all" else (find_dialect(given).name,)


def _draw(dialect: str, findings: tuple[Finding, ...], name: str, data: bytes) -> str:
    title = f"{dialect} ({DIALECTS[dialect].title})"
    if not findings:
        return f"{name}: accepted by {title}\n"
    lines = [f"{name}: refused by {title}, {len(findings)} finding{'s' * (len(findings) > 1)}", ""]
    for finding in findings:
        lines.append(f"{finding.place}: {finding.reason}")
        lines += [f"    {line}" for line in draw_excerpt(finding.place, data)]
        lines += [f"  rule: {finding.rule}", f"  change: {finding.mend}"]
    return "\n".join(lines) + "\n"


def _write_rewriting(made: Rewriting, name: str, *, as_json: bool) -> Exit:
    if as_json:
        row = {
            "dialect": made.dialect,
            "schema": made.schema,
            "wrapped": made.wrapped,
            "absent": {place: sorted(names) for place, names in made.absent.items()},
            "changes": [_change(one) for one in made.changes],
            "unmendable": [_finding(one) for one in made.unmendable],
        }
        write(json_text(row, _INDENT) + "\n")
    else:
        write(json_text(made.schema, _INDENT) + "\n")
        say(f"{name}: {len(made.changes)} changes for {made.dialect}{', validate with the original' * made.is_wider}")
        for change in made.changes:
            say(f"  {change.place}: {change.kind} {change.keyword} ({change.effect}): {change.what}")
            say(f"    {change.why}")
        for finding in made.unmendable:
            say(f"  not mended: {finding}")
    return Exit.REFUSED if made.unmendable else Exit.OK


def _finding(one: Finding) -> dict[str, Any]:
    rule = {"rule": one.rule.text, "source": one.rule.source}
    return {"place": one.place, "keyword": one.keyword, "reason": one.reason, **rule, "change": one.mend}


def _change(one: Change) -> dict[str, Any]:
    names = ("place", "keyword", "kind", "what", "why", "effect")
    return {name: getattr(one, name) for name in names}
