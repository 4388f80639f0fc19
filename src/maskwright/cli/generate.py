"""``maskwright generate``: a model writes what a constraint allows, every token under its mask."""

from __future__ import annotations

import argparse
import os
from functools import partial
from time import perf_counter

import maskwright as mw
from maskwright.cli.console import Progress, say, write
from maskwright.cli.constraints import add_constraint, compile_constraint, read_constraint, refuse_same_input
from maskwright.cli.exits import Exit
from maskwright.cli.policies import add_policies
from maskwright.cli.sources import read_text, text_of
from maskwright.cli.threads import limit_threads
from maskwright.decode.local import LocalModel
from maskwright.decode.loop import Generation, generate
from maskwright.decode.models import DEFAULT, find
from maskwright.errors import InputError, UnspellableError

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_constraint(parser)
    prompt = parser.add_mutually_exclusive_group(required=True)
    prompt.add_argument("--prompt", metavar="P", help="what the model is asked")
    prompt.add_argument("--prompt-file", metavar="FILE", help="a file with the prompt, - for standard input")
    parser.add_argument("--model", default=DEFAULT.name, metavar="M", help="a known name or a GGUF file (%(default)s)")
    parser.add_argument("--system", metavar="TEXT", help="system message of the conversation, in place of the model's")
    parser.add_argument(
        "--chat", action=argparse.BooleanOptionalAction, help="ask in the model's chat format, if known"
    )
    parser.add_argument(
        "--max-tokens", type=int, default=1024, metavar="N", help="tokens at most; JSON is closed in time (%(default)s)"
    )
    parser.add_argument(
        "--temperature", type=float, default=0.0, metavar="T", help="0 takes the likeliest (%(default)s)"
    )
    parser.add_argument("--top-p", type=float, default=1.0, metavar="P", help="draw from this share only (%(default)s)")
    parser.add_argument("--seed", type=int, metavar="N", help="equal seeds give equal outputs")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of the model (%(default)s)")
    parser.add_argument("--stats", action="store_true", help="print tokens and times on standard error")
    add_policies(parser, whitespace="spaced", escapes="minimal")


def run(arguments: argparse.Namespace) -> Exit:
    """Print the output; nothing is generated if none fits in ``--max-tokens``."""
    refuse_same_input(arguments, arguments.prompt_file, "prompt")
    if arguments.threads < 1:
        raise InputError("--threads must be at least 1")
    # More threads than cores wait for each other: 64 on two cores wrote nothing in 20 s.
    limit_threads(min(arguments.threads, os.cpu_count() or 1))
    source = read_constraint(arguments)
    prompt = (
        text_of(arguments.prompt, "--prompt") if arguments.prompt_file is None else read_text(arguments.prompt_file)
    )
    constraint = compile_constraint(arguments, source, prompt=prompt)
    progress = Progress()
    try:
        start = perf_counter()
        progress.draw(f"loading {arguments.model} ...", at_once=True)
        model = LocalModel.from_gguf(find(arguments.model))
        ready = perf_counter() - start
        guide = mw.compile(constraint, model.vocabulary)
        compiled = perf_counter() - start - ready
        progress.draw("reading the prompt ...", at_once=True)
        result = _generate(arguments, model, guide, _prompt_ids(arguments, model, prompt), progress)
    finally:
        progress.clear()
    if result is None:
        return Exit.TRUNCATED
    write(result.data + b"\n")
    if arguments.stats:
        _say_stats(result, ready, compiled)
    return Exit.OK


def _prompt_ids(arguments: argparse.Namespace, model: LocalModel, prompt: str) -> list[int]:
    is_chat = model.prompter.has_chat if arguments.chat is None else arguments.chat
    if is_chat:
        system = None if arguments.system is None else text_of(arguments.system, "--system")
        return model.prompter.chat(prompt, system=system)
    if arguments.system is not None:
        raise InputError("--system needs a chat format")
    return model.prompter.plain(prompt)


def _generate(
    arguments: argparse.Namespace, model: LocalModel, guide: mw.Guide, ids: list[int], progress: Progress
) -> Generation | None:
    """The output; None, with a message, if none fits in ``--max-tokens`` and the model's context."""
    written: list[int] = []

    def show(token: int, is_forced: bool) -> None:  # noqa: FBT001 - the signature of the loop's callback
        del is_forced
        written.append(token)
        progress.draw(f"{len(written)} tokens")

    draw = partial(generate, model, ids, guide, max_tokens=arguments.max_tokens, on_token=show)
    try:
        return draw(temperature=arguments.temperature, top_p=arguments.top_p, seed=arguments.seed)
    except UnspellableError as error:
        progress.clear()
        say(f"maskwright: {error}: see --max-tokens, and the model's context")
        return None


def _say_stats(result: Generation, ready: float, compiled: float) -> None:
    speed = len(result.tokens) / max(result.seconds_model + result.seconds_masks, 1e-9)
    per_token = 1e6 * result.seconds_masks / max(len(result.tokens), 1)
    say(f"tokens: {len(result.tokens)} ({result.forced_tokens} forced), prompt: {result.prompt_tokens}")
    say(f"model:  {result.seconds_model:.3f} s in {result.passes} passes, loaded in {ready:.3f} s")
    say(f"masks:  {result.seconds_masks:.4f} s ({per_token:.0f} us a token), compiled in {compiled:.4f} s")
    say(f"speed:  {speed:.1f} tokens a second")
