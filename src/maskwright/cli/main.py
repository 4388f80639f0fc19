"""The command line of Maskwright.

Exit codes: 0 the output is complete, 1 a constraint, text or model was refused or rows failed, 2 wrong arguments or
unreadable files, 3 no output fits in ``--max-tokens``, 4 ended early with rows left, 130 ended by Ctrl-C, 141 the
reader of the output went away. Only results go to standard output; messages and progress go to standard error.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

import maskwright as mw
from maskwright.cli import check, complete, export, extract, generate, model, serve, show, validate
from maskwright.cli.console import say
from maskwright.cli.exits import Exit
from maskwright.errors import InputError, PolicyError

__all__ = ["main"]

#: Name -> module with ``configure`` and ``run``, and one line of help. A new command is one file and one entry.
_COMMANDS: Final = {
    "generate": (generate, "let a model write what a schema or grammar allows, every token masked"),
    "serve": (serve, "put a model behind the APIs of OpenAI and Cerebras, every constraint enforced"),
    "extract": (extract, "let a model or an API answer one question about every row of a file; resumes after a crash"),
    "check": (check, "tell whether a schema or grammar is supported, and all that stands in its way"),
    "validate": (validate, "check JSON documents: of each wrong one the first wrong byte, and why"),
    "show": (show, "follow a text through a schema or grammar: what was allowed at each token, and why"),
    "complete": (complete, "mend a JSON document that was cut off, with the shortest text that a schema allows"),
    "export": (export, "write a constraint as a grammar that other programs read"),
    "model": (model, "list models, find and fetch their weights"),
}
_EPILOG: Final = (
    "exit codes: 0 complete, 1 refused (constraint, text or model; or rows failed), 2 wrong arguments or unreadable "
    "files, 3 no output fits in --max-tokens, 4 ended early with rows left, 130 interrupted, 141 the reader of the "
    "output went away"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code; errors become one message on standard error."""
    try:
        return _run(_parser().parse_args(arguments))
    except KeyboardInterrupt:
        say("maskwright: interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return Exit.PIPE


def _run(arguments: argparse.Namespace) -> Exit:
    try:
        command, _ = _COMMANDS[arguments.command]
        return Exit(command.run(arguments))
    except (InputError, PolicyError) as error:
        say(f"maskwright: {error}")
        return Exit.USAGE
    except mw.MaskwrightError as error:
        say(f"maskwright: {error}")
        return Exit.REFUSED
    except MemoryError:
        say("maskwright: out of memory")
        return Exit.REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="maskwright",
        description="Token masks that make a language model write exactly what a constraint allows.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"maskwright {mw.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (command, summary) in _COMMANDS.items():
        command.configure(commands.add_parser(name, help=summary, description=summary, epilog=_EPILOG))
    return parser
