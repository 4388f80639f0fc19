"""How ``maskwright extract`` runs: options to a pipeline, signals to its end, and the end to a message and a code."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Final

from maskwright import client as client_package
from maskwright.cli.console import say
from maskwright.cli.constraints import compile_constraint, read_constraint, refuse_same_input
from maskwright.cli.exits import Exit
from maskwright.cli.extract import BY_MODEL, KEY, LOCAL
from maskwright.cli.meter import Meter, counted, summary_lines
from maskwright.cli.sources import read_text, text_of
from maskwright.cli.threads import limit_threads
from maskwright.client.connection import Pool
from maskwright.decode.models import DEFAULT
from maskwright.decode.runtimes import load
from maskwright.errors import (
    ConnectionFailedError,
    ConstraintError,
    InputError,
    PolicyError,
    ServiceError,
    UnspellableError,
)
from maskwright.pipeline.asking import Asking, gated, service_worker
from maskwright.pipeline.ledger import Ledger, default_failures
from maskwright.pipeline.local import local_worker
from maskwright.pipeline.purse import Purse
from maskwright.pipeline.rows import Reading
from maskwright.pipeline.run import Pace, Pipeline, Summary, Worker
from maskwright.pipeline.sources import source_of
from maskwright.pipeline.tally import Prices, Spending

__all__ = ["extract"]

#: Names of files that hold a text a line.
_TEXTS: Final = (".txt", ".text")
_ENDING: Final = "maskwright: ending"


def extract(arguments: argparse.Namespace) -> Exit:
    """Make the rows that are not made yet."""
    refuse_same_input(arguments, arguments.input, "input")
    for option in ("output", "failures"):
        if getattr(arguments, option) == "-":
            raise InputError(f"--{option} is a file, not standard output: a run goes on from what stands in it")
    if arguments.threads < 1:
        raise InputError("--threads must be at least 1")
    prices = Prices(prompt=arguments.price_in, completion=arguments.price_out)
    pace = _pace(arguments)
    asking = _asking(arguments)
    source = source_of(arguments.input, _reading(arguments))
    meter = Meter(prices, is_quiet=arguments.quiet)
    ledger = Ledger(
        arguments.output,
        default_failures(arguments.output) if arguments.failures is None else arguments.failures,
        asking.job(_model_name(arguments)),
        source=source.path,
        restart=arguments.restart,
        retry_failures=arguments.retry_failures,
    )
    try:
        pipeline = Pipeline(source, ledger, pace, meter)
        make = _service if arguments.base_url else _local
        workers = make(arguments, asking, pipeline.purse)
        summary = asyncio.run(_conduct(pipeline, workers, meter))
    except ConnectionFailedError as error:
        summary = Summary(pipeline.tally, "error", str(error), error)
    except UnspellableError as error:
        say(f"maskwright: {error}: see --max-tokens")
        return Exit.TRUNCATED
    finally:
        ledger.close()
        meter.clear()
    return _tell(summary, ledger, prices, is_quiet=arguments.quiet)


def _reading(arguments: argparse.Namespace) -> Reading:
    is_text = arguments.input.lower().endswith(_TEXTS) if arguments.format is None else arguments.format == "text"
    return Reading(format="text" if is_text else "jsonl", field=arguments.field, id_field=arguments.id_field)


def _pace(arguments: argparse.Namespace) -> Pace:
    spending = Spending(calls=arguments.budget_calls, tokens=arguments.budget_tokens, seconds=arguments.budget_seconds)
    return Pace(
        concurrency=arguments.concurrency,
        spending=spending,
        give_up=arguments.give_up,
        ordered=arguments.ordered,
        with_cost=arguments.with_cost,
    )


def _asking(arguments: argparse.Namespace) -> Asking:
    for name, words in BY_MODEL.items():
        if getattr(arguments, name) == words:
            setattr(arguments, name, words.split()[-1 if arguments.base_url else 0])
    constraint = compile_constraint(arguments, read_constraint(arguments))
    return Asking(
        constraint=constraint,
        instructions=_text(arguments.instructions, "--instructions"),
        template=_text(arguments.prompt_template, "--prompt-template"),
        max_tokens=arguments.max_tokens,
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        seed=arguments.seed,
    )


def _text(argument: str | None, option: str) -> str | None:
    if argument is None or not argument.startswith("@"):
        return None if argument is None else text_of(argument, option)
    return read_text(argument[1:])


def _model_name(arguments: argparse.Namespace) -> str:
    """What tells the model in the keys of the output: where an API stands may change, what answers may not."""
    return arguments.model or "" if arguments.base_url else _local_name(arguments)


def _local_name(arguments: argparse.Namespace) -> str:
    return DEFAULT.name if arguments.model in (None, LOCAL) else arguments.model


@asynccontextmanager
async def _service(arguments: argparse.Namespace, asking: Asking, purse: Purse) -> AsyncIterator[Worker]:
    # Looked up when it is needed, because it needs a package that others do without.
    client = client_package.AsyncClient(
        arguments.base_url,
        api_key=arguments.api_key or os.environ.get(KEY),
        model=arguments.model,
        profile=arguments.profile,
        timeout=arguments.timeout,
        retries=arguments.retries,
        limits=Pool(connections=max(arguments.concurrency, 1)),
    )
    async with client:
        await _knock(client)
        yield service_worker(gated(client, purse).extraction, asking)


async def _knock(client: client_package.AsyncClient) -> None:
    """See that somebody is there, before rows are begun that are patiently tried again and again.

    Raises:
        ConnectionFailedError: nobody is.
    """
    try:
        await client.with_options(retries=0).models()
    except ConnectionFailedError:
        raise
    except ServiceError:
        # Not every API lists its models, and what is wrong with the key is told by the first row.
        return


@asynccontextmanager
async def _local(arguments: argparse.Namespace, asking: Asking, purse: Purse) -> AsyncIterator[Worker]:
    # More threads than cores wait for each other: 64 on two cores wrote nothing in 20 s.
    limit_threads(min(arguments.threads, os.cpu_count() or 1))
    name = _local_name(arguments)
    runtime = load(name, engine=arguments.engine, threads=arguments.threads, sessions=2 * arguments.concurrency)
    async with local_worker(runtime, asking, batch=arguments.concurrency, take=purse.take) as worker:
        yield worker


async def _conduct(pipeline: Pipeline, workers: AbstractAsyncContextManager[Worker], meter: Meter) -> Summary:
    """Run, and let Ctrl-C and SIGTERM end the run in good order."""

    def interrupt() -> None:
        meter.clear()
        active = pipeline.tally.active
        rows = counted(active, "row")
        say(f"maskwright: finishing {rows}; once more to drop {'it' if active == 1 else 'them'}" if active else _ENDING)
        pipeline.interrupt()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Only the main thread of a program has signals; elsewhere they are its owner's business.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, interrupt)
    async with workers as worker:
        return await pipeline.run(worker)


def _tell(summary: Summary, ledger: Ledger, prices: Prices, *, is_quiet: bool) -> Exit:
    """Say how the run ended; return the code that tells it."""
    tally = summary.tally
    failed = tally.failed + tally.failed_before
    if not is_quiet:
        for line in summary_lines(tally, prices):
            say(line)
        if failed:
            what = "is" if failed == 1 else "are"
            last = f" (the last: {tally.failure})" if tally.failure else ""
            again = "it" if failed == 1 else "them"
            say(f"{counted(failed, 'failure')} {what} in {ledger.failures}{last}; --retry-failures tries {again} again")
    if summary.is_complete:
        return Exit.REFUSED if failed else Exit.OK
    if isinstance(summary.error, (ConstraintError, PolicyError)):
        raise summary.error
    left = "rows are" if tally.left is None else f"{counted(tally.left, 'row')} {'is' if tally.left == 1 else 'are'}"
    say(f"maskwright: {summary.reason.rstrip('.')}: {left} left; the same command goes on from here")
    return Exit.INTERRUPTED if summary.stopped == "interrupted" else Exit.STOPPED
