"""Rows through an API or a local model, for programs: what ``maskwright extract`` does, as two functions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypedDict

from maskwright.client.targets import Target
from maskwright.constraint import Constraint, json_schema
from maskwright.errors import PolicyError
from maskwright.pipeline.asking import Asking, gated, service_worker
from maskwright.pipeline.ledger import Ledger
from maskwright.pipeline.local import local_worker
from maskwright.pipeline.rows import Reading
from maskwright.pipeline.run import Pace, Pipeline, Summary, Worker
from maskwright.pipeline.sources import source_of
from maskwright.pipeline.tally import Tally

if TYPE_CHECKING:
    from typing import Unpack

    from maskwright.client.asynchronous import AsyncClient
    from maskwright.decode.runtime import Runtime

__all__ = ["Options", "extract_rows", "extract_rows_async"]


class Options(TypedDict, total=False):
    """Keyword arguments of :func:`extract_rows`.

    Attributes:
        client: An API to ask; closed at the end. Either this or a ``runtime`` must be given.
        runtime: A model in this process (:func:`maskwright.decode.runtimes.load`); closed at the end. It needs
            room for twice as many sessions as ``pace.concurrency``.
        model: What names the model in the keys of the output, so that a run is not resumed with another one.
        failures: The file of failures; by default ``out.failures.jsonl`` beside ``out.jsonl``.
        reading: How the rows are written.
        pace: How many rows at once, budgets, the order of the output.
        restart: Throw away what the files hold.
        retry_failures: Try rows again that failed in an earlier run.
        observe: Called with the counts, several times a second.
        instructions: What the model is told before the text of a row.
        template: A text in which every ``{text}`` is replaced by that of the row.
        max_tokens: Tokens of an answer at most.
        temperature: From 0 (always the likeliest token) to 2; what the API takes by itself is 1 almost
            everywhere.
        top_p: Draw from the likeliest tokens that have this probability together, from 0 to 1.
        seed: Equal seeds give equal answers, where the API can do that.
        further: Further options of :meth:`maskwright.client.AsyncClient.extraction`.
    """

    client: AsyncClient
    runtime: Runtime
    model: str
    failures: str | os.PathLike[str]
    reading: Reading
    pace: Pace
    restart: bool
    retry_failures: bool
    observe: Callable[[Tally], None]
    instructions: str | None
    template: str | None
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    further: Mapping[str, Any]


_QUESTION: Final = ("instructions", "template", "max_tokens", "temperature", "top_p", "seed", "further")
_Rows = str | os.PathLike[str] | Iterable[str | Mapping[str, Any]]


def extract_rows(rows: _Rows, output: str | os.PathLike[str], wanted: object, **options: Unpack[Options]) -> Summary:
    """Make one value for each row that has none yet, and write it down at once.

    The output is its own journal: a run that was killed, at any moment, goes on from it when the same call is made
    again. No finished row is lost or made twice. What failed stands in a file of its own.

    Args:
        rows: A path, ``-`` for standard input, or texts themselves, or objects with a text and an id as they would
            stand in the lines of a file.
        output: The file of values: JSON lines with ``row``, ``key``, ``id`` and ``value``, in the order in which they
            were finished.
        wanted: What each answer is to be: a JSON Schema, a Python type or a :class:`maskwright.Constraint`.
        options: See :class:`Options`.

    Raises:
        InputError: the input cannot be read, an output cannot be written, or was begun with another job or input.
        ConstraintError: the schema is refused.
        PolicyError: an argument has no meaning.
        VocabularyError: the local model cannot write what is wanted.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(extract_rows_async(rows, output, wanted, **options))
    raise PolicyError("an event loop is running here: await extract_rows_async(...) instead")


async def extract_rows_async(
    rows: _Rows, output: str | os.PathLike[str], wanted: object, **options: Unpack[Options]
) -> Summary:
    """:func:`extract_rows` for programs with an event loop; cancel the task to end it, and what is done is kept."""
    if unknown := sorted(set(options) - set(Options.__annotations__)):
        raise PolicyError(f"unknown option {', '.join(unknown)}; options are {', '.join(Options.__annotations__)}")
    client, runtime = options.get("client"), options.get("runtime")
    question = {name: value for name, value in options.items() if name in _QUESTION}
    asking = _asking(wanted, question, is_local=runtime is not None)
    source = source_of(rows, options.get("reading", Reading()))
    ledger = Ledger(
        output,
        options.get("failures"),
        asking.job(options.get("model") or (runtime.name if runtime is not None else "")),
        source=source.path,
        restart=options.get("restart", False),
        retry_failures=options.get("retry_failures", False),
    )
    try:
        pace = options.get("pace", Pace())
        pipeline = Pipeline(source, ledger, pace, options.get("observe", _nothing))
        async with _worker(asking, client, runtime, pipeline, pace) as worker:
            return await pipeline.run(worker)
    finally:
        ledger.close()


def _nothing(_: Tally) -> None:
    """Nobody watches."""


def _asking(wanted: object, question: Mapping[str, Any], *, is_local: bool) -> Asking:
    if isinstance(wanted, Constraint):
        return Asking(constraint=wanted, **question)
    target = Target.of(wanted)
    if target.constraint is None:
        raise PolicyError("what is wanted? Give a schema, a Python type or a constraint")
    # A small model writes best what it has read: JSON with a blank after each comma and colon.
    constraint = json_schema(wanted, whitespace="spaced", escapes="minimal") if is_local else target.constraint
    return Asking(constraint=constraint, target=target, **question)


@asynccontextmanager
async def _worker(
    asking: Asking, client: AsyncClient | None, runtime: Runtime | None, pipeline: Pipeline, pace: Pace
) -> AsyncIterator[Worker]:
    if client is not None and runtime is None:
        async with client:
            yield service_worker(gated(client, pipeline.purse).extraction, asking)
    elif runtime is not None and client is None:
        async with local_worker(runtime, asking, batch=pace.concurrency, take=pipeline.purse.take) as worker:
            yield worker
    else:
        raise PolicyError("who answers? Give a client or a runtime, one of them")
