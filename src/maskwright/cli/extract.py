"""``maskwright extract``: one question about every row of a file, resumable after a crash at any moment."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Final

from maskwright.cli.constraints import add_constraint
from maskwright.cli.exits import Exit
from maskwright.cli.policies import add_policies
from maskwright.client.profiles import PROFILES
from maskwright.decode.runtimes import ENGINES

__all__ = ["BY_MODEL", "KEY", "LOCAL", "configure", "run"]

#: The name that stands for the default model in this process.
LOCAL: Final = "local"
#: Where the key of the API is if no option gives it.
KEY: Final = "MASKWRIGHT_API_KEY"
#: Policies that depend on who answers, as the help shows them; the first word is for a model in this process, which
#: writes best what it has read most, the last for an API, whose answers may have any blanks.
BY_MODEL: Final = {"whitespace": "spaced here, at an API flexible", "escapes": "minimal here, at an API all"}
_FILES: Final = (
    'a value is a line {"row": line of the input, "key": ..., "id": ..., "value": ...}, a failure has "error" and '
    '"text" instead; the key ties it to its row, the schema, the instructions and the model'
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_constraint(parser)
    _add_files(parser.add_argument_group("files", _FILES))
    _add_service(parser.add_argument_group("who answers"))
    _add_question(parser.add_argument_group("what is asked"))
    _add_pace(parser.add_argument_group("how the run goes"))
    add_policies(parser, **BY_MODEL)


def _add_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--input", required=True, metavar="FILE", help="the rows: JSON lines or text, - for stdin")
    group.add_argument("--output", required=True, metavar="FILE", help="the values, as JSON lines; runs resume from it")
    group.add_argument("--failures", metavar="FILE", help="rows that failed, and why (OUTPUT.failures.jsonl)")
    group.add_argument(
        "--format", choices=("jsonl", "text"), help="of the input (text if its name ends in .txt, else jsonl)"
    )
    group.add_argument("--field", default="text", metavar="NAME", help="the member with the text (%(default)s)")
    group.add_argument("--id-field", default="id", metavar="NAME", help="the member with the row's id (%(default)s)")
    group.add_argument("--restart", action="store_true", help="overwrite what the outputs hold")
    group.add_argument("--retry-failures", action="store_true", help="try rows again that failed in an earlier run")
    group.add_argument("--ordered", action="store_true", help="sort the values like the input when all are done")
    group.add_argument("--with-cost", action="store_true", help="tell in each line what its row cost")


def _add_service(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--base-url", metavar="URL", help="an API as OpenAI's; without it the model runs here")
    group.add_argument(
        "--model", metavar="M", help=f"at the API (its only one); without an API {LOCAL}, a known name or a GGUF file"
    )
    group.add_argument("--api-key", metavar="KEY", help=f"(default: the environment's {KEY})")
    group.add_argument("--profile", default="auto", choices=("auto", *PROFILES), help="what the API is (%(default)s)")
    group.add_argument("--timeout", type=float, default=60.0, metavar="S", help="seconds of silence (%(default)s)")
    group.add_argument("--retries", type=int, default=6, metavar="N", help="of a failed request (%(default)s)")
    group.add_argument(
        "--engine", default="numpy", choices=tuple(ENGINES), help="what runs a model in this process (%(default)s)"
    )
    group.add_argument("--threads", type=int, default=1, metavar="N", help="of a model in this process (%(default)s)")


def _add_question(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--instructions", metavar="TEXT", help="what the model is told; @FILE reads a file")
    group.add_argument(
        "--prompt-template", metavar="TEXT", help="a text with {text} where the row's text goes; @FILE reads a file"
    )
    group.add_argument("--max-tokens", type=int, metavar="N", help="tokens of an answer at most")
    group.add_argument("--temperature", type=float, default=0.0, metavar="T", help="0: the likeliest (%(default)s)")
    group.add_argument("--top-p", type=float, metavar="P", help="draw from this share only")
    group.add_argument("--seed", type=int, metavar="N", help="equal seeds give equal answers, if the API can")


def _add_pace(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--concurrency", type=int, default=8, metavar="N", help="rows under way at once (%(default)s)")
    group.add_argument("--budget-calls", type=int, metavar="N", help="requests at most; rows without one are left")
    group.add_argument("--budget-tokens", type=int, metavar="N", help="end when so many tokens were billed")
    group.add_argument("--budget-seconds", type=float, metavar="S", help="end after this time")
    group.add_argument(
        "--give-up",
        type=int,
        default=10,
        metavar="N",
        help="end after N failures of the service in a row, 0 never (%(default)s)",
    )
    group.add_argument("--price-in", type=float, default=0.0, metavar="P", help="of a million tokens of prompts")
    group.add_argument("--price-out", type=float, default=0.0, metavar="P", help="of a million tokens of answers")
    group.add_argument("--quiet", action="store_true", help="show nothing but errors")


def run(arguments: argparse.Namespace) -> Exit:
    """Make the rows that are not made yet. What that needs is loaded now: other commands do without, 80 ms earlier."""
    result: Exit = import_module("maskwright.cli.extraction").extract(arguments)
    return result
